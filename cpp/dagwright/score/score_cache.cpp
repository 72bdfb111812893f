#include "dagwright/score/score_cache.hpp"

#include <mutex>
#include <utility>

namespace dagwright {

namespace {
constexpr std::size_t kFirstSlots = 1024;  // a power of two, like every later size
}  // namespace

ScoreCache::Slots::Slots() : n(kFirstSlots), slots(std::make_unique<Slot[]>(n)) {}

std::size_t ScoreCache::bytes() const {
  Slots& slots = slots_.get();
  const std::shared_lock lock(slots.mutex);
  return slots.n * sizeof(Slot);
}

void ScoreCache::Use::insert(const Fingerprint& key, double value) {
  while (true) {
    const auto [slot, is_key] = look_for(key);
    if (slot == nullptr || is_key) return;
    std::uint64_t here = kEmpty;
    if (slot->high.compare_exchange_strong(here, kBeingWritten, std::memory_order_acquire)) {
      slot->low = key.low;
      slot->value = value;
      slot->high.store(high_of(key), std::memory_order_release);
      ++inserted_;
      return;
    }
  }
}

void ScoreCache::make_room(std::size_t n_more) {
  Slots& slots = slots_.get();
  const auto too_small = [&](std::size_t n) {
    return 2 * (slots.taken.load(std::memory_order_relaxed) + n_more) > n;
  };
  {
    const std::shared_lock lock(slots.mutex);
    if (!too_small(slots.n)) return;
  }
  const std::unique_lock lock(slots.mutex);
  std::size_t wanted = slots.n;
  while (too_small(wanted)) wanted *= 2;
  // What the table needs while it is being copied decides; the first slots are free.
  while (wanted > slots.n && (wanted + slots.n) * sizeof(Slot) > max_bytes_) wanted /= 2;
  std::size_t kept = 0;
  if (wanted == slots.n) {
    for (std::size_t i = 0; i < slots.n; ++i) slots.slots[i].high.store(kEmpty, std::memory_order_relaxed);
  } else {
    auto larger = std::make_unique<Slot[]>(wanted);
    for (std::size_t i = 0; i < slots.n; ++i) {
      const Slot& slot = slots.slots[i];
      if (slot.high.load(std::memory_order_relaxed) == kEmpty) continue;
      std::size_t place = slot.low & (wanted - 1);
      while (larger[place].high.load(std::memory_order_relaxed) != kEmpty) place = (place + 1) & (wanted - 1);
      larger[place].high.store(slot.high.load(std::memory_order_relaxed), std::memory_order_relaxed);
      larger[place].low = slot.low;
      larger[place].value = slot.value;
      ++kept;
    }
    slots.slots = std::move(larger);
    slots.n = wanted;
  }
  slots.taken = kept;
}

}  // namespace dagwright
