#include "dagwright/base/thread_pool.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "dagwright/base/forks.hpp"
#include "dagwright/base/per_process.hpp"
#include "dagwright/base/wait_awake.hpp"

namespace dagwright {

namespace {

constexpr std::chrono::milliseconds kPollEvery{20};

// The pool that was given back last.
struct Spare {
  std::mutex mutex;
  std::unique_ptr<ThreadPool> pool;
};

// Never destroyed: its threads sleep, and end with the process.
Spare& spare() {
  static const auto* const kept = new PerProcess<Spare>;
  return kept->get();
}

}  // namespace

struct ThreadPool::Job {
  std::size_t n;
  const std::function<void(std::size_t)>& fn;
  const std::function<void()>& poll;
  const std::function<bool()>& stopping;
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::size_t error_index = 0;
  std::exception_ptr error;

  void fail(std::size_t index) {
    const std::lock_guard lock(mutex);
    if (!error || index < error_index) {
      error = std::current_exception();
      error_index = index;
    }
    failed = true;
  }
};

// Threads, and all that they wait for: a forked process must not touch any of it, since a thread that
// is not there any more may hold the lock.
struct ThreadPool::Workers {
  ~Workers() {
    {
      const std::lock_guard lock(mutex);
      closing = true;
    }
    wake.notify_all();
  }

  void work();

  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable idle;
  Job* job = nullptr;
  std::atomic<std::size_t> generation = 0;
  std::atomic<std::size_t> busy = 0;
  bool closing = false;
  std::vector<std::jthread> threads;
};

ThreadPool::ThreadPool(unsigned threads) : workers_(std::make_unique<Workers>()), forks_(forks()) {
  Workers& workers = *workers_;
  try {
    for (unsigned i = 1; i < threads; ++i) workers.threads.emplace_back([&workers] { workers.work(); });
  } catch (const std::system_error&) {
    // The system gives no more threads: those that there are do the work.
  }
  n_threads_ = static_cast<unsigned>(workers.threads.size()) + 1;
}

ThreadPool::~ThreadPool() {
  // Waiting for threads that do not exist would never end: their memory stays until the process ends.
  if (in_forked_process()) static_cast<void>(workers_.release());
}

std::shared_ptr<ThreadPool> ThreadPool::borrow(unsigned threads) {
  if (threads == 1) return std::make_shared<ThreadPool>(1);
  std::unique_ptr<ThreadPool> pool;
  {
    Spare& kept = spare();
    const std::lock_guard lock(kept.mutex);
    if (kept.pool && kept.pool->threads() == threads) pool = std::move(kept.pool);
  }
  if (!pool) pool = std::make_unique<ThreadPool>(threads);
  return {pool.release(), [](ThreadPool* used) {
            std::unique_ptr<ThreadPool> other(used);
            if (used->in_forked_process()) return;
            Spare& kept = spare();
            const std::lock_guard lock(kept.mutex);
            std::swap(kept.pool, other);
          }};
}

void ThreadPool::end_spare() {
  std::unique_ptr<ThreadPool> ended;
  Spare& kept = spare();
  const std::lock_guard lock(kept.mutex);
  std::swap(kept.pool, ended);
}

bool ThreadPool::in_forked_process() const { return forks() != forks_; }

void ThreadPool::take(Job& job, bool caller) {
  while (!job.failed && !job.stopping()) {
    const std::size_t index = job.next.fetch_add(1);
    if (index >= job.n) return;
    try {
      job.fn(index);
      if (caller) job.poll();
    } catch (...) {
      job.fail(index);
    }
  }
}

void ThreadPool::Workers::work() {
  std::size_t seen = 0;
  while (true) {
    wait_awake([&] { return generation.load(std::memory_order_relaxed) != seen; });
    std::unique_lock lock = locked_awake(mutex);
    wake.wait(lock, [&] { return closing || (job != nullptr && generation != seen); });
    if (closing) return;
    seen = generation;
    Job& taken = *job;
    ++busy;
    lock.unlock();
    take(taken, false);
    lock_awake(lock);
    if (--busy == 0) idle.notify_one();
  }
}

void ThreadPool::for_each(std::size_t n, const std::function<void(std::size_t)>& fn,
                          const std::function<void()>& poll,
                          const std::function<bool()>& stopping) {
  Job job{n, fn, poll, stopping};
  const bool shared = n_threads_ > 1 && n > 1 && !in_forked_process();
  Workers& workers = *workers_;
  if (shared) {
    {
      const std::unique_lock lock = locked_awake(workers.mutex);
      workers.job = &job;
      ++workers.generation;
    }
    workers.wake.notify_all();
  }
  take(job, true);
  const auto check_not_forked = [&] {
    if (!in_forked_process()) return;
    throw std::runtime_error("the process was forked inside a run: start a run of its own in it");
  };
  if (shared) {
    check_not_forked();
    std::unique_lock lock = locked_awake(workers.mutex);
    workers.job = nullptr;  // a worker that has not woken yet finds nothing to do
    lock.unlock();
    wait_awake([&] { return workers.busy.load(std::memory_order_relaxed) == 0; });
    lock_awake(lock);
    while (!workers.idle.wait_for(lock, kPollEvery, [&] { return workers.busy == 0; })) {
      lock.unlock();
      try {
        poll();  // so that a stop reaches the workers
      } catch (...) {
        job.fail(n);
      }
      check_not_forked();
      lock.lock();
    }
  }
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace dagwright
