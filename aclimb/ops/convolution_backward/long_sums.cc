#include "aclimb/ops/convolution_backward/long_sums.h"

#include <algorithm>

#include "aclimb/copy/copy.h"
#include "aclimb/simd/parallel.h"

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

void StoreSums(double* sums, int64_t blocks, const TensorView& result) {
  const int64_t count = result.ElementCount();
  ParallelFor(blocks > 1 ? count : 0, 16 * 1024, [&](int64_t begin, int64_t end) {
    for (int64_t block = 1; block < blocks; ++block) {
      for (int64_t i = begin; i < end; ++i) sums[i] += sums[block * count + i];
    }
  });
  TensorView rounded = DenseLike(result, sums);
  rounded.dtype = DType::kFloat64;
  (void)copy::Copy(rounded, result);
}

}  // namespace aclimb::convolution_backward
