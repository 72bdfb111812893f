#include "dagwright/base/large_array.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace dagwright {

ScratchBytes::ScratchBytes(const std::string& folder, std::size_t size) : size_(size) {
  const auto refuse = [&](int error) {
    throw NoRoom("no file of " + std::to_string((size >> 20) + 1) + " MiB in " + folder + ": " +
                 std::strerror(error));
  };
  std::string path = folder + "/dagwright-XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) refuse(errno);
  unlink(path.c_str());  // it is gone when it is closed, however the process ends
  // All of it now: a page that has no room when it is written to would end the process.
  int error = posix_fallocate(file, 0, static_cast<off_t>(size));
  if (error == 0) {
    data_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (data_ == MAP_FAILED) error = errno;
  }
  close(file);
  if (error != 0) refuse(error);
}

ScratchBytes::~ScratchBytes() { munmap(data_, size_); }

}  // namespace dagwright
