#include "dagwright/base/thread_pool.hpp"

#include <chrono>
#include <system_error>

namespace dagwright {

namespace {

constexpr std::chrono::milliseconds kPollEvery{20};

// A search gives the pool a job every few microseconds: for that long, waiting awake is cheaper than
// being woken.
template <class Done>
void wait_awake(Done&& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
  while (!done() && std::chrono::steady_clock::now() < end) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
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

ThreadPool::ThreadPool(unsigned threads) {
  try {
    for (unsigned i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The system gives no more threads: those that there are do the work.
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
}

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

void ThreadPool::work() {
  std::size_t seen = 0;
  while (true) {
    wait_awake([&] { return generation_.load(std::memory_order_relaxed) != seen; });
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return closing_ || (job_ != nullptr && generation_ != seen); });
    if (closing_) return;
    seen = generation_;
    Job& job = *job_;
    ++busy_;
    lock.unlock();
    take(job, false);
    lock.lock();
    if (--busy_ == 0) idle_.notify_one();
  }
}

void ThreadPool::for_each(std::size_t n, const std::function<void(std::size_t)>& fn,
                          const std::function<void()>& poll,
                          const std::function<bool()>& stopping) {
  Job job{n, fn, poll, stopping};
  const bool shared = !workers_.empty() && n > 1;
  if (shared) {
    {
      const std::lock_guard lock(mutex_);
      job_ = &job;
      ++generation_;
    }
    wake_.notify_all();
  }
  take(job, true);
  if (shared) {
    std::unique_lock lock(mutex_);
    job_ = nullptr;  // a worker that has not woken yet finds nothing to do
    lock.unlock();
    wait_awake([&] { return busy_.load(std::memory_order_relaxed) == 0; });
    lock.lock();
    while (!idle_.wait_for(lock, kPollEvery, [&] { return busy_ == 0; })) {
      lock.unlock();
      try {
        poll();  // so that a stop reaches the workers
      } catch (...) {
        job.fail(n);
      }
      lock.lock();
    }
  }
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace dagwright
