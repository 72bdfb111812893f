#include "dagwright/search/gains_ahead.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "dagwright/base/forks.hpp"
#include "dagwright/base/wait_awake.hpp"

namespace dagwright {

namespace {

// Who waits for another thread waits for half of what that took last, so that the least to take is half of what is
// worth a thread. Parts are made of whole chunks of rows, so that no two threads write to one.
constexpr std::size_t kPartsPerThread = 2;
constexpr unsigned kMostWorth = 32;

// Questions that nobody has begun, for each helper: more are looked for when there are few. With more than many they
// are further off and less likely to be asked.
constexpr std::size_t kFewPerHelper = 2;
constexpr std::size_t kManyPerHelper = 6;

// Answers that nobody has asked for yet; the counts behind older ones stay in the scorer's cache.
constexpr std::size_t kMostAnswers = 256;

}  // namespace

GainsAhead::GainsAhead(const Scorer& scorer) : scorer_(scorer), forks_(forks()), own_(scorer) {}

bool GainsAhead::in_forked_process() const { return forks() != forks_; }

Fingerprint GainsAhead::key_of(Variable child, std::initializer_list<std::span<const Variable>> parents) {
  Fingerprint key = Fingerprint{} + Fingerprint::of_child(child);
  for (const auto& some : parents)
    for (const Variable parent : some) key += Fingerprint::of_member(parent);
  return key;
}

void GainsAhead::during(Run& run, const std::function<void(Run&)>& walk) {
  if (information_.empty()) find_information(run);
  if (run.threads() == 1 || !scorer_.counts_ahead(run)) return walk(run);
  const auto caller = std::this_thread::get_id();
  bool walked = false;
  closed_ = false;
  n_helpers_ = run.threads() - 1;
  n_sharing_ = run.threads();
  run.parallel_for(run.threads(), [&](std::size_t) {
    if (std::this_thread::get_id() != caller) return help(run);
    if (std::exchange(walked, true)) return;
    struct Closing {
      GainsAhead& ahead;
      ~Closing() {
        ahead.n_helpers_ = 0;
        ahead.closed_ = true;
        if (ahead.in_forked_process()) return;
        ++ahead.n_calls_;  // and not call(): nobody may miss this one
        ahead.n_calls_.notify_all();
      }
    } closing{*this};
    Run inner = run.inner();
    walk(inner);
  });
}

// A variable tells no more about another one than what there is to be told about itself.
void GainsAhead::find_information(Run& run) {
  const std::size_t n = scorer_.n_variables();
  if (n < 2 || !std::isfinite(scorer_.most_gain({0, {}}, 1, 0.0))) return;
  const Progress before = run.progress;
  std::vector<Family> alone(n);
  for (Variable v = 0; v < n; ++v) alone[v].child = v;
  try {
    information_ = scorer_.local(alone, run);
  } catch (const FamilyError&) {  // nobody has asked for it
    run.progress = before;
    return;
  }
  run.progress = before;
  for (Variable v = 0; v < n; ++v) information_[v] = scorer_.unexplained(alone[v], information_[v]);
}

// Only the thread of the walk counts, so that no other need be kept from counting meanwhile. A helper that goes to
// sleep at this very moment may not hear of it, but of the next call.
void GainsAhead::call() {
  n_calls_.store(n_calls_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  n_calls_.notify_all();
}

bool GainsAhead::is_over(const GivenUp& given_up) {
  const auto& [question, left] = given_up;
  for (std::uint32_t part = 0; part < question->n_parts;) {
    const bool begun = part < left.begin || part >= left.end;
    if (begun && !question->is_done(part)) return false;
    part += begun ? question->answers[part].n_parts : left.size();
  }
  return true;
}

// One that no other thread is at.
GainsAhead::Question& GainsAhead::unused() {
  std::erase_if(given_up_, [&](const GivenUp& given_up) {
    if (!is_over(given_up)) return false;
    unused_.push_back(given_up.question);
    return true;
  });
  if (unused_.empty()) return memory_.emplace_back();
  Question& question = *unused_.back();
  unused_.pop_back();
  return question;
}

GainsAhead::Question& GainsAhead::new_question(std::span<const Expected> expected, Run& run) {
  const Progress before = run.progress;
  Question& question = unused();
  const Expected& first = expected.front();
  const std::size_t n_candidates = scorer_.n_variables() - first.except.size();
  const std::size_t n_chunks = ScoreRow::n_chunks(scorer_.n_variables());
  const std::size_t worth = scorer_.parts_worth_a_thread(first.family, n_candidates, kMostWorth);
  const std::size_t n_parts = worth > 1 ? kPartsPerThread * worth : 1;
  question.n_parts = static_cast<std::uint32_t>(std::min(n_parts, n_chunks));
  if (question.answers.size() < question.n_parts) question.answers = std::vector<AnswerPart>(question.n_parts);
  question.number = ++n_questions_;
  question.n_asked = 0;
  try {
    for (const Expected& one : expected) {
      const Fingerprint key = key_of(one.family);
      if (questions_.contains(key)) continue;
      AskedFamily& asked = question.asked[question.n_asked];
      asked.key = key;
      // What the walk knows, or finds in the cache, others would have to ask for in memory that it has.
      asked.score = std::isnan(one.score) ? scorer_.local(one.family, run) : one.score;
      asked.family.become(scorer_, one.family, n_candidates);
      asked.except = one.except;
      ++question.n_asked;
    }
  } catch (...) {
    run.progress = before;
    unused_.push_back(&question);
    throw;
  }
  run.progress = before;  // nobody has asked for these families yet
  question.n_open = question.n_asked;
  question.all_begun = question.all_done = false;
  question.left.offer(question.n_parts);
  // Only now, when nothing of it can fail any more, can it be found.
  for (std::size_t i = 0; i < question.n_asked; ++i)
    questions_.emplace(question.asked[i].key, &question);
  return question;
}

// Nobody begins it any more. Where all of it was counted nobody is at it, which need not be asked of memory that
// another thread wrote to last.
void GainsAhead::give_up(Question& question) {
  for (std::size_t i = 0; i < question.n_asked; ++i) {
    const auto place = questions_.find(question.asked[i].key);
    if (place != questions_.end() && place->second == &question) questions_.erase(place);
  }
  if (question.all_done) {
    unused_.push_back(&question);
  } else {
    given_up_.push_back({&question, question.left.take_all()});
  }
  std::erase(expected_, &question);
  std::erase(offered_, &question);
}

// One of its families was asked for.
void GainsAhead::answered(Question& question) {
  if (--question.n_open == 0) give_up(question);
}

bool GainsAhead::is_offered(const Question& question) const {
  return std::find(offered_.begin(), offered_.end(), &question) != offered_.end();
}

void GainsAhead::forget_answers() {
  std::vector<Question*> old;
  for (const auto& [key, question] : questions_)
    if (!is_offered(*question)) old.push_back(question);
  std::sort(old.begin(), old.end());
  old.erase(std::unique(old.begin(), old.end()), old.end());
  for (Question* const question : old) give_up(*question);
}

bool GainsAhead::expects_enough() const {
  return expected_.size() >= std::min(kMostOffered, 1 + kManyPerHelper * n_helpers_);
}

void GainsAhead::expect(Question& known) {
  if (known.is_begun() || std::find(expected_.begin(), expected_.end(), &known) != expected_.end()) return;
  expected_.push_back(&known);
}

// Helpers begin with the first: if one was not begun, those after it were not.
bool GainsAhead::wants_more() const {
  const std::size_t n_seen = std::min(kMostOffered, offered_.size());  // by them
  const std::size_t few = std::min(kMostOffered, kFewPerHelper * n_helpers_);
  return n_seen < few || !offered_[n_seen - few]->is_untouched();
}

// One that was offered and nobody has begun; null if there is none beside this one.
GainsAhead::Question* GainsAhead::untouched_beside(const Question& question) const {
  for (Question* const other : offered_)
    if (other != &question && other->is_untouched()) return other;
  return nullptr;
}

void GainsAhead::begin() {
  std::swap(before_, offered_);
  std::swap(offered_, expected_);
  expected_.clear();
  for (Question* const question : before_)
    if (!is_offered(*question) && question->is_untouched()) give_up(*question);
  const bool any_new = std::any_of(offered_.begin(), offered_.end(), [&](Question* question) {
    return std::find(before_.begin(), before_.end(), question) == before_.end();
  });
  before_.clear();
  if (questions_.size() > kMostAnswers) forget_answers();
  if (any_new) offer();
}

void GainsAhead::begin_before_others() {
  if (expected_.empty()) return;
  for (Question* const question : offered_)
    if (std::find(expected_.begin(), expected_.end(), question) == expected_.end())
      expected_.push_back(question);
  std::swap(offered_, expected_);
  expected_.clear();
  offer();
}

void GainsAhead::offer() {
  for (std::size_t i = 0; i < kMostOffered; ++i)
    offers_[i].store(i < offered_.size() ? offered_[i] : nullptr, std::memory_order_release);
  if (!in_forked_process()) call();
}

void GainsAhead::count_parts(Question& question, PartsLeft::Range parts, Counter& counter, Run& run) const {
  const Progress before = run.progress;
  AnswerPart& answer = question.answers[parts.begin];
  const bool begun = std::exchange(counter.question, question.number) == question.number;
  const auto end = [&](bool failed) {
    if (failed) counter.question = 0;
    run.progress = before;  // nobody has asked for these families yet
    answer.n_parts = parts.size();
    answer.failed = failed;
    answer.number.store(question.number, std::memory_order_release);
  };
  try {
    for (std::size_t i = 0; i < question.n_asked; ++i) {
      const auto& [key, family, except, score] = question.asked[i];
      if (!begun) counter.toggled[i].begin(family);
      list_candidates(family.family(), score, except, parts, question.n_parts, counter.candidates);
      counter.scores.resize(counter.candidates.size());
      counter.toggled[i].count(counter.candidates, counter.scores, run);
      answer.found[i].clear(score);
      for (std::size_t k = 0; k < counter.candidates.size(); ++k)
        if (counter.scores[k] - score > 0)
          answer.found[i].add(counter.candidates[k], counter.scores[k]);
    }
  } catch (const FamilyError&) {  // asked for one family after the other, the first such is met again
    return end(true);
  } catch (...) {  // a stop, or what a callback threw, which only the walk's own thread calls
    end(true);
    throw;
  }
  end(false);
}

// Counts what was offered, as long as nothing else is; false if there is nothing. Questions are shared only where
// there is no other for who would come to help.
bool GainsAhead::help_once(std::uint32_t n_calls, Counter& counter, Run& run) {
  for (std::size_t i = 0; i < kMostOffered; ++i) {
    Question* const question = offers_[i].load(std::memory_order_acquire);
    if (question == nullptr) break;
    const bool is_last = i + 1 == kMostOffered || offers_[i + 1].load(std::memory_order_relaxed) == nullptr;
    bool any = false;
    while (true) {
      const auto parts = is_last ? question->left.take_back(n_sharing_) : question->left.take_all();
      if (parts.size() == 0) break;
      count_parts(*question, parts, counter, run);
      any = true;
      if (n_calls_.load(std::memory_order_relaxed) != n_calls) break;
    }
    if (any) return true;
  }
  return false;
}

void GainsAhead::help(Run& run) {
  try {
    Run inner = run.inner();
    Counter counter(scorer_);
    while (true) {
      const std::uint32_t n_calls = n_calls_;
      if (closed_) return;  // looked at after the number, which counts up when it is set
      if (help_once(n_calls, counter, inner)) continue;
      const auto called = [&] { return n_calls_.load(std::memory_order_relaxed) != n_calls; };
      wait_awake(called);
      if (!called()) n_calls_.wait(n_calls);
    }
  } catch (...) {  // the run is over, or there is no memory to help with: the walk goes on without
    while (true) {  // and takes its own turn, which is not to be taken instead
      const std::uint32_t n_calls = n_calls_;
      if (closed_) return;
      n_calls_.wait(n_calls);
    }
  }
}

// The candidates of some parts of a question that may gain.
void GainsAhead::list_candidates(const Family& family, double score, const std::vector<Variable>& except,
                                 PartsLeft::Range parts, std::size_t n_parts,
                                 std::vector<Variable>& candidates) const {
  const std::size_t n = scorer_.n_variables();
  const std::size_t n_chunks = ScoreRow::n_chunks(n);
  const auto end = static_cast<Variable>(std::min(n, n_chunks * parts.end / n_parts * ScoreRow::kChunk));
  auto v = static_cast<Variable>(n_chunks * parts.begin / n_parts * ScoreRow::kChunk);
  candidates.resize(end - v);
  std::size_t size = 0;
  auto next = std::lower_bound(except.begin(), except.end(), v);
  while (v < end) {  // up to the next exception at once
    const Variable until = next == except.end() ? end : std::min(*next++, end);
    std::iota(candidates.begin() + size, candidates.begin() + size + (until - v), v);
    size += until - v;
    v = until + 1;
  }
  candidates.resize(size);
  if (!information_.empty()) scorer_.drop_hopeless(family, score, information_, candidates);
}

std::size_t GainsAhead::place_in(const Question& question, const Fingerprint& key) {
  return question.asked[0].key == key ? 0 : 1;
}

// The question that has this family, if it was expected with just these candidates, or else one made now.
GainsAhead::Question* GainsAhead::take(const Family& family, const std::vector<Variable>& except,
                                       Run& run) {
  const Fingerprint key = key_of(family);
  if (const auto known = questions_.find(key); known != questions_.end()) {
    Question& question = *known->second;
    questions_.erase(known);
    if (question.asked[place_in(question, key)].except == except) return &question;
    answered(question);
    return nullptr;
  }
  Expected now{family, except, std::nan("")};
  Question& question = new_question({&now, 1}, run);
  questions_.erase(key);
  if (question.n_parts > 1) {
    offered_.insert(offered_.begin(), &question);
    offer();
  }
  return &question;
}

// Until all is done, or a thread that is gone, or that was stopped, took a part with it.
void GainsAhead::wait_for(const Question& question, Run& run) const {
  for (std::size_t part = 0; part < question.n_parts; part += question.answers[part].n_parts) {
    const auto done = [&] { return question.is_done(part); };
    while (!done()) {
      if (in_forked_process()) return;
      wait_awake(done);
      if (!done()) std::this_thread::yield();  // there may be fewer cores than threads
      run.check_inside();
    }
    if (question.answers[part].failed) return;
  }
}

// Until all of it is done, or something has failed. As long as there are other questions the walk takes one as a whole:
// who shares one waits for the other in the end.
void GainsAhead::count_or_wait(Question& question, Run& run) {
  while (!question.settle()) {
    Question* const other = untouched_beside(question);
    if (other == nullptr) break;
    Question& whole = question.is_untouched() ? question : *other;
    const PartsLeft::Range parts = whole.left.take_all();
    if (parts.size() > 0) count_parts(whole, parts, own_, run);
    whole.all_begun = true;
  }
  if (question.all_done) return;
  // Helpers begin with the last part: where the first one is done there is none left to begin.
  if (!question.is_done(0))
    for (PartsLeft::Range parts; (parts = question.left.take_front(n_sharing_)).size() > 0;)
      count_parts(question, parts, own_, run);
  wait_for(question, run);
  question.settle();
}

Gaining GainsAhead::gaining(const Family& family, const std::vector<Variable>& except, Run& run) {
  Gaining gaining;
  if (n_helpers_ > 0 && !in_forked_process()) {
    if (Question* const question = take(family, except, run)) {
      count_or_wait(*question, run);
      const bool all = question->all_done;
      if (all) {
        run.progress.families_scored += scorer_.n_variables() - except.size() + 1;
        gaining = std::move(question->gaining[place_in(*question, key_of(family))]);
      }
      answered(*question);
      if (all) return gaining;
    }
  }
  gaining.before = scorer_.local(family, run);
  list_candidates(family, gaining.before, except, {0, 1}, 1, own_.candidates);
  run.progress.families_scored += scorer_.n_variables() - except.size() - own_.candidates.size();
  if (run.threads() > 1) {
    own_.scores = scorer_.toggled_scores(family, own_.candidates, run);
  } else {
    own_.question = 0;
    own_.scores.resize(own_.candidates.size());
    const ToggledFamily toggled(scorer_, family, own_.candidates.size());
    own_.toggled[0].begin(toggled);
    own_.toggled[0].count(own_.candidates, own_.scores, run);
  }
  for (std::size_t i = 0; i < own_.candidates.size(); ++i)
    if (own_.scores[i] - gaining.before > 0) gaining.scores.emplace_back(own_.candidates[i], own_.scores[i]);
  return gaining;
}

}  // namespace dagwright
