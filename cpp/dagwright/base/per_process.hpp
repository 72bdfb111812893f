// Something with locks that a forked process must not touch, since a thread that is no more may hold them.
#pragma once

#include <atomic>
#include <memory>

#include "dagwright/base/forks.hpp"

namespace dagwright {

// Made anew in a forked process; what was there before stays as it is until the process ends.
template <class T>
class PerProcess {
 public:
  PerProcess() : held_(new Held) {}
  ~PerProcess() { delete held_.load(); }
  PerProcess(const PerProcess&) = delete;

  T& get() const {
    Held* held = held_.load(std::memory_order_acquire);
    if (held->made_in != forks()) {
      auto made = std::make_unique<Held>();
      if (held_.compare_exchange_strong(held, made.get())) held = made.release();
    }
    return held->value;
  }

 private:
  struct Held {
    unsigned made_in = forks();
    T value;
  };
  mutable std::atomic<Held*> held_;
};

}  // namespace dagwright
