// What a search or a sampler sees: families in, numbers out. Never counts, never rows.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/data/count_source.hpp"
#include "dagwright/score/all_families.hpp"
#include "dagwright/score/fingerprint.hpp"
#include "dagwright/score/score.hpp"
#include "dagwright/score/score_cache.hpp"
#include "dagwright/score/score_rows.hpp"
#include "dagwright/score/structure_prior.hpp"

namespace dagwright {

// Beyond this a product of arities is too near to infinity to divide by.
inline constexpr double kMostConfigs = 1e300;

// A family that cannot be scored; the edges put names to the numbers.
struct FamilyError : std::runtime_error {
  FamilyError(Family which, const std::string& what) : std::runtime_error(what), family(which) {}
  Family family;
};

// For pairs of variables v < w: what v alone gains as the parent of w, and w as the parent of v.
struct PairGains {
  std::vector<double> forward;
  std::vector<double> backward;  // empty for a score-equivalent scorer: the same as forward
};

struct ScorerStats {
  std::uint64_t asked = 0;    // families asked for
  std::uint64_t counted = 0;  // of these, families that had to be counted
  std::size_t cached = 0;     // numbers in the cache
  std::size_t cache_bytes = 0;
};

// Safe to use from several threads at once; work inside one call is spread over the run's threads.
class Scorer {
 public:
  // `prior` may be null: every graph the same.
  Scorer(std::shared_ptr<const CountSource> source, std::shared_ptr<const Score> score,
         std::shared_ptr<const StructurePrior> prior, std::size_t cache_bytes);

  std::size_t n_variables() const { return source_->n_variables(); }
  const std::vector<Arity>& arities() const { return source_->arities(); }
  Count total() const { return source_->total(); }
  bool score_equivalent() const {
    return score_->score_equivalent() && (prior_ == nullptr || prior_->score_equivalent());
  }

  // The local score of each family, structure prior included.
  std::vector<double> local(std::span<const Family> families, Run& run) const;
  // The same, until the next call: what one call takes memory for the next uses again. For one thread at a time.
  class Batch;
  std::span<const double> local(std::span<const Family> families, Batch& batch, Run& run) const;
  double local(const Family& family, Run& run) const;

  // What toggling each candidate parent of one family changes: added if absent, removed if present.
  std::vector<double> gains(const Family& family, std::span<const Variable> candidates,
                            Run& run) const;

  // The scores of the family with each candidate toggled.
  std::vector<double> toggled_scores(const Family& family, std::span<const Variable> candidates,
                                     Run& run) const;

  // All pairs of variables v < w with begin <= v < end, at (v - begin) * n + w; elsewhere 0. There may
  // be millions, each needed once, so nothing of them is cached, unless `keep`: walks from a graph without
  // edges ask again for pairs that gain. First N times their mutual information, in nats, given one more
  // variable or none (pairs with that one are 0).
  std::vector<double> pair_information(Variable begin, Variable end,
                                       std::optional<Variable> given, Run& run) const;
  PairGains pair_gains(Variable begin, Variable end, Run& run, bool keep = false) const;
  // Whether pair_gains is faster than gains, child by child.
  bool counts_pairs_together() const { return dynamic_cast<const SetScore*>(score_.get()); }

  // In how many parts to ask for the gains of so many candidates, each on one of some threads.
  std::size_t parts_worth_a_thread(const Family& family, std::size_t n_candidates,
                                   unsigned threads) const {
    return source_->parts_worth_a_thread(family, n_candidates, threads);
  }
  // Whether threads with nothing else to do may ask for gains that others will ask for: what they find is
  // kept, and they keep nobody waiting, as a score in Python or a pass over chunks would.
  bool counts_ahead(const Run& run) const {
    return counts_pairs_together() && source_->counts_side_by_side(run);
  }

  // The empirical entropy of a set of variables, in nats.
  double entropy(std::vector<Variable> variables, Run& run) const;

  // No family with this child and these parents or more of them scores higher.
  double upper_bound(const Family& family, Run& run) const;

  // The same for many families at once; those for which the ceiling is all that is known are not counted.
  std::vector<double> upper_bounds(std::span<const Family> families, Run& run) const;

  // The same, cheap and high: it does not look at the rows.
  double ceiling(const Family& family) const;
  bool ceiling_is_best() const { return score_->ceiling_is_best(); }

  // The most that `added` can gain as one more parent, here or in a family with still more parents, if it
  // tells `information` (nats, over all rows) about the child; infinite where nothing is known.
  double most_gain(const Family& family, Variable added, double information) const;

  // The most that more parents can tell about the child of a family with this score (nats, over all rows); infinite
  // where nothing is known.
  double unexplained(const Family& family, double score) const;
  // Takes those away that cannot gain anything as one more parent of a family with this score: what they tell about any
  // variable (nats, over all rows, by variable), or what is left to be told, and what the structure prior may add is
  // less than what they cost.
  void drop_hopeless(const Family& family, double score, std::span<const double> information,
                     std::vector<Variable>& candidates) const;

  // The scores of all families, structure prior aside, in one table: only for some scores and few
  // variables.
  bool has_all_families() const;
  AllFamilies all_families(std::size_t max_size, Run& run) const;
  bool has_prior() const { return prior_ != nullptr; }

  // The log prior of one family alone.
  double log_prior(const Family& family) const {
    ask(family);
    return prior_ ? prior_->local(family) : 0.0;
  }

  // The same; throws FamilyError if it is no finite number.
  double finite_log_prior(const Family& family) const;

  // The weights of the rows, and a scorer of the same rows with other ones.
  std::vector<double> weights() const { return source_->weights(); }
  Scorer reweighted(std::vector<double> weights) const {
    return Scorer(source_->reweighted(std::move(weights)), score_, prior_, cache_bytes_);
  }

  ScorerStats stats() const;

 private:
  friend class ToggledFamily;
  friend class ToggledScores;
  // What scoring a family takes beside its counts.
  struct Asked {
    Variable child = 0;
    Fingerprint parents;
    double n_parameters = 0;
  };
  Asked ask(const Family& family) const;  // throws if there is no such family
  double n_parameters(const Family& family) const;
  void score(Batch& batch, Run& run) const;
  void count_missing(Batch& batch, const CountSource::Use& use, Run& run) const;
  // The score of the i-th family, checked and with its prior; counts it as scored.
  void finish(std::span<double> scores, const std::function<Family(std::size_t)>& family,
              Run& run) const;
  // The scores of a family with each of a few candidates toggled.
  std::vector<double> toggled_few(const Family& family, std::span<const Variable> candidates,
                                  Run& run) const;
  std::optional<SetScore::Values> known_values(const Family& family,
                                               const Fingerprint& parents) const;
  static std::optional<SetScore::Values> values_in_rows(const ScoreRows::Use& rows, const Family& family,
                                                        const Fingerprint& joint, const Fingerprint& parents);
  void find_in_rows(Batch& batch) const;
  void score_sets(const SetScore& score, Batch& batch, Run& run) const;
  void score_families(Batch& batch, Run& run) const;
  PairGains cell_gains(const CellScore& score, Variable begin, Variable end, bool keep, Run& run) const;
  std::vector<ScoreRows::Found> rows_of_singles(const std::vector<double>& of_single) const;
  PairGains score_gains(Variable begin, Variable end, Run& run) const;
  void add_prior_gains(Variable begin, Variable end, PairGains& gains, Run& run) const;
  void count_asked(std::size_t n_families, Run& run) const;

  std::shared_ptr<const CountSource> source_;
  std::shared_ptr<const Score> score_;
  std::shared_ptr<const StructurePrior> prior_;
  std::size_t cache_bytes_;
  mutable ScoreCache cache_;
  mutable ScoreRows rows_;
  alignas(64) mutable std::atomic<std::uint64_t> asked_ = 0;  // apart from what is only read
  mutable std::atomic<std::uint64_t> counted_ = 0;
};

// Families that are scored together. They are there, or are made where they are needed: by a structure prior, by
// an error, and by counting.
class Scorer::Batch {
 private:
  friend class Scorer;
  Family family(std::size_t i) const { return families.empty() ? make_family(i) : families[i]; }

  std::vector<Asked> asked;
  std::span<const Family> families;
  std::function<Family(std::size_t)> make_family;
  // Counts those that are missing, the k-th as use(k, counts).
  std::function<void(const std::vector<std::size_t>& missing, const CountSource::Use& use)> count;
  std::vector<double> scores;
  // On the way to these:
  std::vector<Fingerprint> keys;
  std::vector<SetScore::Values> values;
  std::vector<std::size_t> missing;
  std::vector<std::size_t> found;  // in rows, or by counting
  std::vector<Family> to_count;
};

}  // namespace dagwright
