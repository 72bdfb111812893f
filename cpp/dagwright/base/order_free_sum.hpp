// A sum that does not depend on the order of its terms.
#pragma once

namespace dagwright {

// Keeps what each addition rounds off (Knuth's two-sum), so that the sum is right to about twice the
// digits of a double before it is rounded once. A value that is cached for a set of variables is thus
// the same whichever member was the child when it was counted.
class OrderFreeSum {
 public:
  void add(double term) {
    const double sum = sum_ + term;
    const double added = sum - sum_;
    rounded_off_ += (sum_ - (sum - added)) + (term - added);
    sum_ = sum;
  }
  double value() const { return sum_ + rounded_off_; }

 private:
  double sum_ = 0;
  double rounded_off_ = 0;
};

}  // namespace dagwright
