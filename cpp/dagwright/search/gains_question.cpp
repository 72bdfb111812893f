#include "dagwright/search/gains_question.hpp"

#include <algorithm>

namespace dagwright {

void GainingFound::clear(double before) {
  before_ = before;
  n_ = 0;
  others_.clear();
}

void GainingFound::add(Variable v, double score) {
  if (n_ < kInLine) {
    first_[n_] = {v, score};
  } else {
    others_.emplace_back(v, score);
  }
  ++n_;
}

void GainingFound::append_to(Gaining& gaining) const {
  gaining.before = before_;
  gaining.scores.insert(gaining.scores.end(), first_.begin(), first_.begin() + std::min(n_, kInLine));
  if (n_ > kInLine) gaining.scores.insert(gaining.scores.end(), others_.begin(), others_.end());
}

bool GainsQuestion::settle() {
  if (all_done) return true;
  for (std::size_t part = 0; part < n_parts; part += answers[part].n_parts)
    if (!is_done(part) || answers[part].failed) return false;
  all_begun = all_done = true;
  for (std::size_t i = 0; i < n_asked; ++i) {
    Gaining& all = gaining[i];
    std::size_t n_gaining = 0;
    for_each_answer([&](const AnswerPart& answer) { n_gaining += answer.found[i].size(); });
    all.scores.clear();
    all.scores.reserve(n_gaining);
    for_each_answer([&](const AnswerPart& answer) { answer.found[i].append_to(all); });
  }
  return true;
}

}  // namespace dagwright
