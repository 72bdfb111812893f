// Waiting for another thread without going to sleep.
#pragma once

#include <chrono>
#include <mutex>

namespace dagwright {

// Returns when done() is true, or after a while. A search gives other threads work every few
// microseconds: for that long, waiting awake is cheaper than being woken.
template <class Done>
void wait_awake(Done&& done) {
  if (done()) return;  // mostly so, and the clock takes its time
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
  for (unsigned turn = 1; !done(); ++turn) {
    if (turn % 64 == 0 && std::chrono::steady_clock::now() >= end) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

// The same for a lock that is held for a moment only: else who comes second goes to sleep, and is woken
// long after.
inline std::unique_lock<std::mutex> locked_awake(std::mutex& mutex) {
  std::unique_lock lock(mutex, std::defer_lock);
  wait_awake([&] { return lock.try_lock(); });
  if (!lock.owns_lock()) lock.lock();
  return lock;
}

inline void lock_awake(std::unique_lock<std::mutex>& lock) { lock = locked_awake(*lock.mutex()); }

}  // namespace dagwright
