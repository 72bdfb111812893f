// A small pool: the calling thread works too, indices are handed out one by one, and the first
// exception (by index, so that it is the same for any number of threads) reaches the caller.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dagwright {

class ThreadPool {
 public:
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned threads() const { return static_cast<unsigned>(workers_.size()) + 1; }

  // fn(i) for every i < n. The calling thread calls `poll` after each of its own pieces; no new
  // index is handed out once `stopping` is true.
  void for_each(std::size_t n, const std::function<void(std::size_t)>& fn,
                const std::function<void()>& poll, const std::function<bool()>& stopping);

 private:
  struct Job;
  void work();
  static void take(Job& job, bool caller);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  Job* job_ = nullptr;
  std::atomic<std::size_t> generation_ = 0;
  std::atomic<std::size_t> busy_ = 0;
  bool closing_ = false;
  std::vector<std::jthread> workers_;
};

}  // namespace dagwright
