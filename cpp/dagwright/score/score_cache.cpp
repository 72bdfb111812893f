#include "dagwright/score/score_cache.hpp"

#include <algorithm>

namespace dagwright {

namespace {
constexpr std::size_t kFirstSlots = 1024;  // a power of two, like every later size
}  // namespace

ScoreCache::ScoreCache(std::size_t max_bytes) : max_bytes_(max_bytes), slots_(kFirstSlots) {}

void ScoreCache::insert(const Fingerprint& key, double value) {
  std::size_t i = place(key);
  if (slots_[i].key != key) {
    if (2 * (size_ + 1) > slots_.size()) {
      make_room();
      i = place(key);
    }
    ++size_;
  }
  slots_[i] = {key, value};
}

void ScoreCache::make_room() {
  // What a doubled table needs while it is being copied decides; the first 24 KB are free.
  if (3 * bytes() > max_bytes_) {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    size_ = 0;
    return;
  }
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.key != Slot{}.key) slots_[place(slot.key)] = slot;
  }
}

}  // namespace dagwright
