// Numbers by fingerprint of a set of variables, within a memory bound, for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>

#include "dagwright/base/per_process.hpp"
#include "dagwright/score/fingerprint.hpp"

namespace dagwright {

// A flat hash table. It may forget: all when the bound is reached, and in a forked process, where a
// thread that is no more may have been writing. That costs time and changes no answer.
class ScoreCache {
 private:
  struct Slot {
    std::atomic<std::uint64_t> high = 0;  // of the key, or 0: empty, 1: being written
    std::uint64_t low = 0;
    double value = 0;
  };
  struct Slots {
    Slots();
    std::shared_mutex mutex;  // held alone by who replaces the slots, shared by who uses them
    std::size_t n;            // a power of two
    std::unique_ptr<Slot[]> slots;
    std::atomic<std::size_t> taken = 0;
  };

 public:
  explicit ScoreCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // The cache while its slots stay where they are: to be held for a batch, not during long work. Others
  // may use the cache at the same time; what they insert meanwhile is found or not.
  class Use {
   public:
    // Calls for the key's place in memory: find and insert are then faster.
    void prefetch(const Fingerprint& key) const {
      __builtin_prefetch(&slots_.slots[key.low & mask_]);
    }
    // A place that is empty now may be another key's a moment later, so each is looked at only once.
    std::optional<double> find(const Fingerprint& key) const {
      const Found found = look_for(key);
      return found.is_key ? std::optional(found.slot->value) : std::nullopt;
    }
    void insert(const Fingerprint& key, double value);
    ~Use() { slots_.taken.fetch_add(inserted_, std::memory_order_relaxed); }
    Use(const Use&) = delete;

   private:
    friend class ScoreCache;
    explicit Use(Slots& slots) : slots_(slots), lock_(slots.mutex), mask_(slots.n - 1) {}
    // Where the key is, or the place, empty a moment ago, where it would be put; none where all near it is
    // taken.
    struct Found {
      Slot* slot;
      bool is_key;
    };
    Found look_for(const Fingerprint& key) const {
      const std::uint64_t high = high_of(key);
      std::size_t i = key.low & mask_;
      for (std::size_t turn = 0; turn < kMostPlaces; ++turn, i = (i + 1) & mask_) {
        Slot& slot = slots_.slots[i];
        const std::uint64_t here = slot.high.load(std::memory_order_acquire);
        if (here == kEmpty) return {&slot, false};
        if (here == high && slot.low == key.low) return {&slot, true};
      }
      return {nullptr, false};
    }

    Slots& slots_;
    std::shared_lock<std::shared_mutex> lock_;
    std::size_t mask_;
    std::size_t inserted_ = 0;
  };
  Use use() const { return Use(slots_.get()); }

  // To be called before some numbers are inserted.
  void make_room(std::size_t n_more);

  std::size_t size() const { return slots_.get().taken.load(std::memory_order_relaxed); }
  std::size_t bytes() const;

 private:
  static constexpr std::uint64_t kEmpty = 0, kBeingWritten = 1;
  // Half of the slots are empty, so that fewer places are looked at but for a wonder.
  static constexpr std::size_t kMostPlaces = 64;
  static std::uint64_t high_of(const Fingerprint& key) {
    return std::max(key.high, kBeingWritten + 1);
  }

  std::size_t max_bytes_;
  PerProcess<Slots> slots_;
};

}  // namespace dagwright
