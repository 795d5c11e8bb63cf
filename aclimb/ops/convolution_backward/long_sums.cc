#include "aclimb/ops/convolution_backward/long_sums.h"

#include <algorithm>

namespace aclimb::convolution_backward {

bool LongSums::Add(int64_t terms) {
  if (terms_ > 0 && terms_ + terms > most_) Fold();
  const bool add = terms_ > 0;
  terms_ += terms;
  return add;
}

void LongSums::Finish() {
  if (!folded_) return;
  Fold();
  std::transform(totals_, totals_ + count_, sums_, [](double x) { return static_cast<float>(x); });
}

void LongSums::Fold() {
  if (folded_) {
    for (int64_t i = 0; i < count_; ++i) totals_[i] += static_cast<double>(sums_[i]);
  } else {
    std::copy_n(sums_, count_, totals_);
  }
  folded_ = true;
  terms_ = 0;
}

}  // namespace aclimb::convolution_backward
