#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/tolerance.h"

// Sums that grow with the data. They are cut into blocks, by borders that do not depend on the
// team, and the sums of blocks are added in double. How far n equal terms may be off is said in
// aclimb/simd/totals-inl.h.
namespace aclimb::convolution_backward {

// The most terms that may be added one after the other to a float32 sum which is then rounded to a
// gradient of this dtype: within the tolerance, less what rounding takes.
constexpr int64_t LongestSum(DType dtype) {
  const double rounding = dtype == DType::kFloat32   ? 0
                          : dtype == DType::kFloat16 ? 0x1p-11
                                                     : 0x1p-8;
  return static_cast<int64_t>((RelativeTolerance(dtype) - rounding) * 0x1p26);
}

// What our own kernels add before they begin anew: half the error.
constexpr int64_t BlockTerms(DType dtype) { return LongestSum(dtype) / 2; }

// Some float32 sums that take one block of terms after the other, and the totals of the blocks
// before. They stay in float32 as long as they have no more than `most` terms.
class LongSums {
 public:
  // The totals of so many sums that get `terms` terms in all.
  static constexpr int64_t Totals(int64_t count, int64_t terms, int64_t most) {
    return terms > most ? count : 0;
  }

  LongSums(float* sums, int64_t count, int64_t most, double* totals)
      : sums_(sums), count_(count), most_(most), totals_(totals) {}

  // Called before so many terms go to each sum. True when they are added to what is there, false
  // when the sums begin with them.
  [[nodiscard]] bool Add(int64_t terms);
  // Leaves the sums of all terms in `sums`.
  void Finish();

 private:
  void Fold();

  float* const sums_;
  const int64_t count_, most_;
  double* const totals_;
  int64_t terms_ = 0;  // of the block
  bool folded_ = false;
};

// Adds sums of blocks, [blocks][elements of the result], in order to those of the first block, and
// rounds these once.
void StoreSums(double* sums, int64_t blocks, const TensorView& result);

}  // namespace aclimb::convolution_backward
