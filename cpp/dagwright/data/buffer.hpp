// An array that grows: the system moves its pages where it can, and what is new is not cleared. A
// vector would copy and clear, which takes longer than encoding what goes into it. It may begin in
// memory of someone else, which it leaves when that is full.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

namespace dagwright {

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) { resize(size); }
  Buffer(T* lent, std::size_t capacity) : data_(lent), capacity_(capacity), is_lent_(true) {}
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)),
        is_lent_(std::exchange(other.is_lent_, false)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(is_lent_, other.is_lent_);
    return *this;
  }
  ~Buffer() {
    if (!is_lent_) std::free(data_);
  }

  // New elements have no value yet.
  void resize(std::size_t size) {
    if (size > capacity_) reallocate(std::max(size, 2 * capacity_));
    size_ = size;
  }
  // Gives back what was reserved to grow.
  void fit() {
    if (!is_lent_ && size_ != 0 && size_ < capacity_) reallocate(size_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool is_lent() const { return is_lent_; }
  T& operator[](std::size_t at) { return data_[at]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }

 private:
  void reallocate(std::size_t capacity) {
    if (capacity > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    auto* moved = static_cast<T*>(std::realloc(is_lent_ ? nullptr : data_, capacity * sizeof(T)));
    if (moved == nullptr) throw std::bad_alloc();
    if (is_lent_ && size_ != 0) std::memcpy(moved, data_, size_ * sizeof(T));
    is_lent_ = false;
    data_ = moved;
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  bool is_lent_ = false;
};

}  // namespace dagwright
