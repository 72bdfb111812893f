// A small pool: the calling thread works too, indices are handed out one by one, and the first
// exception (by index, so that it is the same for any number of threads) reaches the caller.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace dagwright {

class ThreadPool {
 public:
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  // The one that was given back last, if it has so many threads, or a new one: to start threads and to end them
  // takes a tenth of a millisecond, and a run may take one.
  static std::shared_ptr<ThreadPool> borrow(unsigned threads);
  // Ends the threads that nobody uses: a process is best forked without any.
  static void end_spare();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned threads() const { return n_threads_; }

  // fn(i) for every i < n. The calling thread calls `poll` after each of its own pieces; no new
  // index is handed out once `stopping` is true. In a process forked from the pool's own, the calling
  // thread is the only one; a call that was going on when it was forked throws std::runtime_error.
  void for_each(std::size_t n, const std::function<void(std::size_t)>& fn,
                const std::function<void()>& poll, const std::function<bool()>& stopping);

 private:
  struct Job;
  struct Workers;
  bool in_forked_process() const;
  static void take(Job& job, bool caller);

  std::unique_ptr<Workers> workers_;
  unsigned n_threads_;
  unsigned forks_;
};

}  // namespace dagwright
