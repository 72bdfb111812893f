// An array in memory, or where that is short in a file that vanishes with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace dagwright {

// There is no room for the file; the message says how much was needed, where, and what the system said.
struct NoRoom : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Bytes of a file without a name, mapped into memory; all 0 at first.
class ScratchBytes {
 public:
  ScratchBytes(const std::string& folder, std::size_t size);
  ~ScratchBytes();
  ScratchBytes(const ScratchBytes&) = delete;
  ScratchBytes& operator=(const ScratchBytes&) = delete;
  void* data() { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t size_;
};

template <class T>
class LargeArray {
 public:
  LargeArray() = default;
  // In memory if `folder` is empty. All elements are `value`.
  LargeArray(std::size_t size, T value, const std::string& folder) : size_(size) {
    if (folder.empty()) {
      memory_ = std::make_unique_for_overwrite<T[]>(size);
      data_ = memory_.get();
    } else {
      file_ = std::make_unique<ScratchBytes>(folder, size * sizeof(T));
      data_ = static_cast<T*>(file_->data());
    }
    std::fill_n(data_, size, value);
  }

  std::size_t size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  std::size_t size_ = 0;
  T* data_ = nullptr;
  std::unique_ptr<T[]> memory_;
  std::unique_ptr<ScratchBytes> file_;
};

}  // namespace dagwright
