#include "dagwright/base/forks.hpp"

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#include <atomic>

namespace dagwright {

namespace {
std::atomic<unsigned> n_forks = 0;
}

unsigned forks() {
#if __has_include(<pthread.h>)
  [[maybe_unused]] static const int watching =
      pthread_atfork(nullptr, nullptr, [] { n_forks.fetch_add(1, std::memory_order_relaxed); });
#endif
  return n_forks.load(std::memory_order_relaxed);
}

}  // namespace dagwright
