#include "dagwright/search/gains_ahead.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "dagwright/base/forks.hpp"
#include "dagwright/base/wait_awake.hpp"

namespace dagwright {

namespace {

// A part should take twice what waking a thread is worth, but a thread that waits for another one's should not
// wait long.
constexpr std::size_t kWorthOfAPart = 2;
constexpr std::size_t kPartsPerThread = 8;

// Answers that nobody has asked for yet; the counts behind older ones stay in the scorer's cache.
constexpr std::size_t kMostAnswers = 256;

Gaining gaining_of(std::span<const Variable> candidates, std::span<const double> scores,
                   double before) {
  Gaining gaining{before, {}, false};
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (scores[i] - before > 0) gaining.scores.emplace_back(candidates[i], scores[i]);
  return gaining;
}

}  // namespace

GainsAhead::GainsAhead(const Scorer& scorer)
    : scorer_(scorer), forks_(forks()), own_(scorer) {}

bool GainsAhead::in_forked_process() const { return forks() != forks_; }

Fingerprint GainsAhead::key_of(const Family& family) {
  Fingerprint key = Fingerprint::of_set(family.parents);
  for (int i = 0; i < 2; ++i) key += Fingerprint::of_member(family.child);  // once would be a set's
  return key;
}

void GainsAhead::during(Run& run, const std::function<void(Run&)>& walk) {
  if (run.threads() == 1 || !scorer_.counts_ahead(run)) return walk(run);
  const auto caller = std::this_thread::get_id();
  bool walked = false;
  n_helpers_ = run.threads() - 1;
  run.parallel_for(run.threads(), [&](std::size_t) {
    if (std::this_thread::get_id() != caller) return help(run);
    if (std::exchange(walked, true)) return;
    struct Closing {
      GainsAhead& ahead;
      ~Closing() {
        ahead.n_helpers_ = 0;
        ahead.closed_ = true;
        if (!ahead.in_forked_process()) ahead.call();
      }
    } closing{*this};
    Run inner = run.inner();
    walk(inner);
  });
}

void GainsAhead::call() {
  ++n_calls_;
  n_calls_.notify_all();
}

GainsAhead::SharedQuestion GainsAhead::new_question(std::vector<Expected> expected) {
  auto question = std::make_shared<Question>();
  const Expected& first = expected.front();
  const std::size_t worth = scorer_.parts_worth_a_thread(
      first.family, scorer_.n_variables() - first.except.size(),
      static_cast<unsigned>(kWorthOfAPart * kPartsPerThread * (n_helpers_ + 1)));
  question->n_parts = std::max<std::size_t>(worth / kWorthOfAPart, 1);
  for (Expected& one : expected) {
    SharedQuestion& known = questions_[key_of(one.family)];
    if (known != nullptr) continue;
    known = question;
    question->asked.push_back({std::move(one), std::vector<Gaining>(question->n_parts)});
  }
  return question;
}

void GainsAhead::forget(const Question& question) {
  for (const Asked& asked : question.asked) {
    const auto place = questions_.find(key_of(asked.expected.family));
    if (place != questions_.end() && place->second.get() == &question) questions_.erase(place);
  }
}

void GainsAhead::publish() {
  for (const auto& before : published_) {
    if (before->n_begun == 0 && std::find(expected_.begin(), expected_.end(), before) == expected_.end())
      forget(*before);
  }
  if (questions_.size() > kMostAnswers)
    std::erase_if(questions_, [](const auto& entry) { return entry.second->n_begun > 0; });
  std::swap(published_, expected_);
  expected_.clear();
  if (in_forked_process()) return;
  {
    const std::unique_lock lock = locked_awake(mutex_);
    open_.clear();
    for (const auto& question : published_)
      if (question->n_begun < question->n_parts) open_.push_back(question);
    if (open_.empty()) return;
  }
  call();
}

void GainsAhead::begin_now() {
  if (expected_.empty() || in_forked_process()) return;
  {
    const std::unique_lock lock = locked_awake(mutex_);
    open_.insert(open_.begin(), expected_.begin(), expected_.end());
  }
  call();
}

GainsAhead::SharedQuestion GainsAhead::next_question() {
  const std::unique_lock lock = locked_awake(mutex_);
  while (!open_.empty() && open_.front()->n_begun >= open_.front()->n_parts) open_.pop_front();
  return open_.empty() ? nullptr : open_.front();
}

void GainsAhead::count_parts(Question& question, Counter& counter, Run& run) const {
  bool begun = false;
  for (std::size_t part; (part = question.n_begun.fetch_add(1)) < question.n_parts;) {
    if (closed_) return;  // nobody waits for it
    try {
      for (std::size_t i = 0; i < question.asked.size(); ++i) {
        auto& [expected, found] = question.asked[i];
        ToggledScores& toggled = counter.toggled[i];
        if (!begun) {
          counter.before[i] =
              std::isnan(expected.score) ? scorer_.local(expected.family, run) : expected.score;
          toggled.begin(expected.family, scorer_.n_variables() - expected.except.size());
        }
        list_candidates(expected.except, part, question.n_parts, counter.candidates);
        counter.scores.resize(counter.candidates.size());
        toggled.count(counter.candidates, counter.scores, run);
        found[part] = gaining_of(counter.candidates, counter.scores, counter.before[i]);
      }
      begun = true;
    } catch (const FamilyError&) {  // asked for one family after the other, the first such is met again
      question.failed = true;
    } catch (...) {  // a stop, or what a callback threw, which only the walk's own thread calls
      question.failed = true;
      if (&counter == &own_) throw;
    }
    question.n_done.fetch_add(1, std::memory_order_release);
  }
  run.progress = {};  // nobody has asked for these families yet
}

void GainsAhead::help(Run& run) {
  try {
    Run inner = run.inner();
    Counter counter(scorer_);
    while (!closed_) {
      const std::uint32_t n_calls = n_calls_;
      if (const auto question = next_question()) {
        count_parts(*question, counter, inner);
        continue;
      }
      if (closed_) return;
      wait_awake([&] { return n_calls_.load(std::memory_order_relaxed) != n_calls; });
      n_calls_.wait(n_calls);
    }
  } catch (...) {  // no memory to help with: the walk goes on without
  }
}

// The candidates of one part of a question.
void GainsAhead::list_candidates(const std::vector<Variable>& except, std::size_t part,
                                 std::size_t n_parts, std::vector<Variable>& candidates) const {
  const std::size_t n = scorer_.n_variables();
  const auto end = static_cast<Variable>(n * (part + 1) / n_parts);
  auto v = static_cast<Variable>(n * part / n_parts);
  candidates.clear();
  for (auto next = std::lower_bound(except.begin(), except.end(), v); v < end; ++v) {
    if (next != except.end() && *next == v) {
      ++next;
    } else {
      candidates.push_back(v);
    }
  }
}

// The question that has this family, if it was expected with just these candidates, or else one made now.
GainsAhead::SharedQuestion GainsAhead::take(const Family& family,
                                            const std::vector<Variable>& except) {
  if (const auto known = questions_.extract(key_of(family)); !known.empty()) {
    const SharedQuestion& question = known.mapped();
    return answer_in(*question, family).expected.except == except ? question : nullptr;
  }
  SharedQuestion question = new_question({{family, except, std::nan("")}});
  questions_.erase(key_of(family));
  if (question->n_parts == 1) return question;
  {
    const std::unique_lock lock = locked_awake(mutex_);
    open_.push_front(question);
  }
  call();
  return question;
}

GainsAhead::Asked& GainsAhead::answer_in(Question& question, const Family& family) {
  return *std::find_if(question.asked.begin(), question.asked.end(),
                       [&](const Asked& asked) { return asked.expected.family == family; });
}

// False if a thread that is gone, or that was stopped, took a part with it.
bool GainsAhead::wait_for(const Question& question, Run& run) const {
  const auto done = [&] {
    return question.n_done.load(std::memory_order_acquire) == question.n_parts;
  };
  while (!done()) {
    if (in_forked_process()) return false;
    wait_awake(done);
    run.check_inside();
  }
  return !question.failed;
}

Gaining GainsAhead::gaining(const Family& family, const std::vector<Variable>& except, Run& run) {
  if (n_helpers_ > 0 && !in_forked_process()) {
    if (const SharedQuestion question = take(family, except)) {
      if (question->n_begun < question->n_parts) {
        Run inner = run.inner();
        count_parts(*question, own_, inner);
      }
      if (wait_for(*question, run)) {
        run.progress.families_scored += scorer_.n_variables() - except.size() + 1;
        auto& parts = answer_in(*question, family).found;
        for (std::size_t i = 1; i < parts.size(); ++i)
          parts[0].scores.insert(parts[0].scores.end(), parts[i].scores.begin(), parts[i].scores.end());
        return std::move(parts[0]);
      }
    }
  }
  const double before = scorer_.local(family, run);
  auto& [toggled, befores, candidates, scores] = own_;
  list_candidates(except, 0, 1, candidates);
  if (run.threads() > 1)
    return gaining_of(candidates, scorer_.toggled_scores(family, candidates, run), before);
  scores.resize(candidates.size());
  toggled[0].begin(family, candidates.size());
  toggled[0].count(candidates, scores, run);
  return gaining_of(candidates, scores, before);
}

}  // namespace dagwright
