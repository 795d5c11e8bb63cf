#pragma once

#include <cmath>
#include <limits>

#include "aclimb/core/half.h"
#include "aclimb/ops/cross_entropy_loss_grad/cpu.h"

namespace aclimb::cross_entropy_loss_grad {

// A subtrahend that stands for a row that is not kept. No other one has these bits: NaN among the
// factors of a row has the default payload.
inline constexpr int32_t kDroppedBits = -1;
inline float Dropped() { return FloatOfBits(static_cast<uint32_t>(kDroppedBits)); }

// What one row does to its elements, P = exp(log_prob):
//   x_grad = P * scale - level    everywhere (level * weight[c] for smoothing with weights),
//   x_grad = P * scale - pull     at the target.
// A row that is not kept is zero whatever log_prob holds. NaN among the factors has the default
// payload, so that rounding to bfloat16 cannot carry it into infinity.
struct Row {
  bool kept = false;
  float scale = 0;
  float level = Dropped();
  float pull = Dropped();
  int64_t target = 0;
};

// The factors of every row. The sums over all rows (the denominators of "mean") are made in the
// constructor, in double and over fixed blocks.
class RowTable {
 public:
  explicit RowTable(const Args& args);

  Row Of(int64_t n) const {
    const int64_t target = Target(n);
    if (!IsKept(target)) return Row{};
    if (uniform_) {
      Row row = common_;
      row.target = target;
      return row;
    }
    return Compute(n, target);
  }

  // The factors that all kept rows share, or null when they differ.
  const Row* Common() const { return uniform_ ? &common_ : nullptr; }
  // The factors follow from the target, so that a table of `OfTarget` has them all.
  bool IsByTarget() const { return by_target_; }
  Row OfTarget(int64_t target) const { return IsKept(target) ? Compute(0, target) : Row{}; }

  // Whether level is multiplied with weight[c].
  bool IsSpreadByWeight() const {
    return args_.label_smoothing != 0 && args_.weight.dtype != DType::kUndefined;
  }

  int64_t Target(int64_t n) const {
    const int64_t at = n * target_stride_;
    return wide_target_ ? static_cast<const int64_t*>(targets_)[at]
                        : static_cast<const int32_t*>(targets_)[at];
  }
  bool IsKept(int64_t target) const {
    return target != ignore_index_ &&
           static_cast<uint64_t>(target) < static_cast<uint64_t>(classes_);
  }

 private:
  Row Compute(int64_t n, int64_t target) const;
  void SumRows(double* weights, double* kept) const;

  const Args& args_;
  const void* targets_;
  int64_t target_stride_;
  bool wide_target_;
  int64_t classes_;
  int64_t ignore_index_;
  bool uniform_ = false;
  bool by_target_ = false;
  Row common_;
  double grad_loss_ = 0;  // of "mean" and "sum"
  double grad_zloss_ = 0;
  double likelihood_ = 1;  // what gradLoss is multiplied with in the three parts of the gradient
  double smoothing_ = 0;
  double zloss_ = 0;
  double weight_total_ = 0;  // sum of weight[c], for label smoothing
};

}  // namespace aclimb::cross_entropy_loss_grad
