#include "dagwright/mcmc/sampler.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace dagwright {

namespace {

// A number of its own for each block, chain and rung of the ladder, and for its swaps and its draw.
constexpr std::uint64_t kMostChains = 1 << 12, kStreams = 1 << 8;

Rng stream(std::uint64_t seed, std::uint64_t block, std::size_t chain, std::uint64_t which) {
  return Rng(seed, (block * kMostChains + chain) * kStreams + which);
}

}  // namespace

Sampler::Sampler(const MakeChain& make_chain,
                 const std::vector<std::vector<std::vector<std::int32_t>>>& states,
                 std::vector<double> betas, std::size_t thin, std::uint64_t seed,
                 std::uint64_t n_done, Run& run)
    : make_chain_(make_chain), betas_(std::move(betas)), thin_(thin), seed_(seed), n_done_(n_done) {
  if (states.size() > kMostChains || betas_.empty() || betas_.size() > kStreams - 2) {
    throw std::invalid_argument("too many chains or temperatures");
  }
  for (const auto& of_chain : states) {
    if (of_chain.size() != betas_.size()) throw std::invalid_argument("a state for each temperature");
    Ladder ladder;
    for (const auto& state : of_chain) ladder.push_back(make_chain_(state, run));
    stats_.push_back(ladder[0]->stats());  // of moves that were not made yet
    ladders_.push_back(std::move(ladder));
  }
}

std::vector<std::vector<std::vector<std::int32_t>>> Sampler::states() const {
  std::vector<std::vector<std::vector<std::int32_t>>> out;
  for (const Ladder& ladder : ladders_) {
    auto& states = out.emplace_back();
    for (const auto& chain : ladder) states.push_back(chain->state());
  }
  return out;
}

std::vector<double> Sampler::log_densities() const {
  std::vector<double> out;
  for (const Ladder& ladder : ladders_) out.push_back(ladder[0]->log_density());
  return out;
}

std::vector<std::tuple<std::string, std::uint64_t, std::uint64_t>> Sampler::stats() const {
  std::vector<std::tuple<std::string, std::uint64_t, std::uint64_t>> out;
  for (const auto& own : stats_) {
    out.resize(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      std::get<0>(out[i]) = own[i].name;
      std::get<1>(out[i]) += own[i].proposed;
      std::get<2>(out[i]) += own[i].accepted;
    }
  }
  return out;
}

void Sampler::block(std::size_t chain, std::uint64_t number, Run& run) {
  Ladder& ladder = ladders_[chain];
  const auto before = ladder[0]->stats();
  for (std::size_t rung = 0; rung < ladder.size(); ++rung) {
    Rng rng = stream(seed_, number, chain, rung + 2);
    // Long blocks look up now and then.
    constexpr std::size_t kPiece = 4096;
    for (std::size_t done = 0; done < thin_; done += kPiece) {
      run.check_inside();
      ladder[rung]->steps(std::min(kPiece, thin_ - done), betas_[rung], rng, run);
    }
  }
  const auto after = ladder[0]->stats();
  for (std::size_t i = 0; i < after.size(); ++i) {
    stats_[chain][i].proposed += after[i].proposed - before[i].proposed;
    stats_[chain][i].accepted += after[i].accepted - before[i].accepted;
  }
  Rng rng = stream(seed_, number, chain, 1);
  for (std::size_t rung = number % 2; rung + 1 < ladder.size(); rung += 2) {
    const double gain = ladder[rung + 1]->log_density() - ladder[rung]->log_density();
    if ((betas_[rung] - betas_[rung + 1]) * gain > log_threshold(rng)) {
      std::swap(ladder[rung], ladder[rung + 1]);
    }
  }
}

Draws Sampler::blocks(std::size_t n_blocks, bool keep, Run& run) {
  const auto before = states();
  const auto stats_before = stats_;
  const std::size_t n_chains = ladders_.size();
  std::vector<std::vector<Draw>> drawn(n_chains);
  try {
    run.parallel_for(n_chains, [&](std::size_t c) {
      Run inner = run.inner();
      for (std::size_t b = 0; b < n_blocks; ++b) {
        block(c, n_done_ + b, inner);
        inner.progress.step += thin_;
        inner.progress.score = std::max(inner.progress.score, ladders_[c][0]->log_density());
        if (!keep) continue;
        Rng rng = stream(seed_, n_done_ + b, c, 0);
        drawn[c].push_back(ladders_[c][0]->draw(rng));
      }
    });
  } catch (...) {
    stats_ = stats_before;
    Run enough;
    for (std::size_t c = 0; c < n_chains; ++c) {
      for (std::size_t rung = 0; rung < betas_.size(); ++rung) {
        ladders_[c][rung] = make_chain_(before[c][rung], enough);
      }
    }
    throw;
  }
  n_done_ += n_blocks;

  Draws out;
  if (!keep) return out;
  std::vector<std::map<std::vector<Variable>, std::int32_t>> numbers;
  for (const auto& of_chain : drawn) {
    for (const Draw& draw : of_chain) {
      numbers.resize(draw.parents.size());
      for (std::size_t v = 0; v < draw.parents.size(); ++v) {
        const auto next = static_cast<std::int32_t>(numbers[v].size());
        out.numbers.push_back(numbers[v].emplace(draw.parents[v], next).first->second);
      }
      out.scores.push_back(draw.score);
      out.log_corrections.push_back(draw.log_correction);
    }
  }
  for (const auto& own : numbers) {
    auto& sets = out.parent_sets.emplace_back(own.size());
    for (const auto& [parents, number] : own) sets[static_cast<std::size_t>(number)] = parents;
  }
  return out;
}

}  // namespace dagwright
