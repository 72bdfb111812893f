// How long a cache line takes to another core and back, in nanoseconds: what two threads that work on one
// thing have to wait for, and what depends on where the system has put them.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

int main() {
  constexpr int kTurns = 200'000;
  alignas(64) static std::atomic<int> turn = 0;
  std::thread other([] {
    for (int i = 0; i < kTurns; ++i) {
      while (turn.load(std::memory_order_acquire) != 2 * i + 1) {
      }
      turn.store(2 * i + 2, std::memory_order_release);
    }
  });
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kTurns; ++i) {
    turn.store(2 * i + 1, std::memory_order_release);
    while (turn.load(std::memory_order_acquire) != 2 * i + 2) {
    }
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  other.join();
  std::printf("%.0f\n", took.count() / kTurns);
}
