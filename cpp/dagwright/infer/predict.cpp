#include "dagwright/infer/predict.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "dagwright/infer/propagation.hpp"

namespace dagwright {

Predictions predict(std::shared_ptr<const CliqueTree> tree, Variable target,
                    std::span<const Variable> given, std::span<const Codes> codes,
                    std::size_t n_rows, Run& run) {
  constexpr std::size_t kBlock = 256;
  const std::size_t r = tree->network().arity(target);
  Predictions out{std::vector<double>(n_rows * r), std::vector<double>(n_rows)};
  run.parallel_for((n_rows + kBlock - 1) / kBlock, [&](std::size_t b) {
    Run alone = run.inner();
    Propagation propagation(tree);
    Evidence evidence;
    for (std::size_t row = b * kBlock; row < std::min((b + 1) * kBlock, n_rows); ++row) {
      evidence.states.clear();
      for (std::size_t i = 0; i < given.size(); ++i) {
        evidence.states.emplace_back(given[i], codes[i][row]);
      }
      run.check_inside();
      propagation.set(evidence);
      out.logs[row] = propagation.log_probability(alone);
      double* to = out.posteriors.data() + row * r;
      try {
        const auto posterior = propagation.joint(std::span(&target, 1), alone);
        std::copy(posterior.begin(), posterior.end(), to);
      } catch (const ImpossibleEvidence&) {
        std::fill_n(to, r, std::numeric_limits<double>::quiet_NaN());
      }
    }
  });
  return out;
}

}  // namespace dagwright
