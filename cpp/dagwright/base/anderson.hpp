// Anderson's acceleration of an iteration x -> G(x) towards its fixed point: the next x is made of the
// last few, so that what is left of x - G(x) is as small as they can make it.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

namespace dagwright {

class Anderson {
 public:
  explicit Anderson(std::size_t memory) : memory_(memory) {}

  // `from` is x, `to` is G(x) and becomes the next x. The first call only remembers.
  void step(std::span<const double> from, std::span<double> to);
  void forget() { *this = Anderson(memory_); }

 private:
  std::size_t memory_;
  std::vector<double> last_rest_, last_to_;
  std::deque<std::vector<double>> rests_, tos_;  // how much these changed from one step to the next
  std::vector<std::vector<double>> products_;    // of the changes of rests, the lower half
};

}  // namespace dagwright
