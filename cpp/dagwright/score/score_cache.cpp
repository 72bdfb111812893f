#include "dagwright/score/score_cache.hpp"

#include <algorithm>
#include <limits>

namespace dagwright {

namespace {

constexpr std::size_t kFirstSlots = 1024;  // a power of two, like every later size

std::uint64_t hash_of(std::span<const Variable> key) {
  std::uint64_t h = 0x9E3779B97F4A7C15ULL ^ key.size();
  for (const Variable v : key) {
    h = (h ^ v) * 0xBF58476D1CE4E5B9ULL;
    h ^= h >> 29;
  }
  return h | 1;
}

}  // namespace

ScoreCache::ScoreCache(std::size_t max_bytes) : max_bytes_(max_bytes), slots_(kFirstSlots) {}

std::size_t ScoreCache::bytes() const {
  return slots_.capacity() * sizeof(Slot) + keys_.capacity() * sizeof(Variable);
}

std::size_t ScoreCache::find_slot(std::uint64_t hash, std::span<const Variable> key) const {
  std::size_t i = (hash >> 8) & (slots_.size() - 1);
  for (; slots_[i].hash != 0; i = (i + 1) & (slots_.size() - 1)) {
    const Slot& slot = slots_[i];
    if (slot.hash == hash && slot.length == key.size() &&
        std::equal(key.begin(), key.end(), keys_.begin() + slot.begin)) {
      break;
    }
  }
  return i;
}

std::uint64_t ScoreCache::prefetch(std::span<const Variable> key) const {
  const std::uint64_t hash = hash_of(key);
  __builtin_prefetch(&slots_[(hash >> 8) & (slots_.size() - 1)]);
  return hash;
}

std::optional<double> ScoreCache::find(std::span<const Variable> key, std::uint64_t hash) const {
  const Slot& slot = slots_[find_slot(hash, key)];
  return slot.hash == 0 ? std::nullopt : std::optional(slot.value);
}

void ScoreCache::insert(std::span<const Variable> key, std::uint64_t hash, double value) {
  std::size_t i = find_slot(hash, key);
  if (slots_[i].hash != 0) {
    slots_[i].value = value;
    return;
  }
  // What a doubled table would need while it is being copied decides; the first 24 KB are free.
  const bool full = 2 * (size_ + 1) > slots_.size();
  const bool keys_full = keys_.size() + key.size() > keys_.capacity();
  const std::size_t needed = bytes() + (full ? 2 * slots_.size() * sizeof(Slot) : 0) +
                             (keys_full ? 2 * (keys_.size() + key.size()) * sizeof(Variable) : 0);
  const bool addressable = keys_.size() + key.size() < std::numeric_limits<std::uint32_t>::max();
  if (size_ > 0 && (!addressable || ((full || keys_full) && needed > max_bytes_))) {
    clear();
    i = find_slot(hash, key);
  } else if (full) {
    grow();
    i = find_slot(hash, key);
  }
  slots_[i] = {hash, static_cast<std::uint32_t>(keys_.size()),
               static_cast<std::uint32_t>(key.size()), value};
  keys_.insert(keys_.end(), key.begin(), key.end());
  ++size_;
}

void ScoreCache::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.hash == 0) continue;
    std::size_t i = (slot.hash >> 8) & (slots_.size() - 1);
    while (slots_[i].hash != 0) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = slot;
  }
}

void ScoreCache::clear() {
  // The memory is kept: the table fills up again.
  std::fill(slots_.begin(), slots_.end(), Slot{});
  keys_.clear();
  size_ = 0;
}

}  // namespace dagwright
