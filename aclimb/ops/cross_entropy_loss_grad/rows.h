#pragma once

#include <cmath>
#include <limits>

#include "aclimb/core/half.h"
#include "aclimb/ops/cross_entropy_loss_grad/cpu.h"

namespace aclimb::cross_entropy_loss_grad {

// What one row does to its elements, P = exp(log_prob):
//   x_grad = P * scale - level    everywhere (level * weight[c] for smoothing with weights),
//   x_grad = P * scale - pull     at the target.
// A row that is not kept is zero whatever log_prob holds. NaN among the factors has the default
// payload, so that rounding to bfloat16 cannot carry it into infinity.
struct Row {
  bool kept = false;
  float scale = 0;
  float level = 0;
  float pull = 0;
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
  Row common_;
  double grad_loss_ = 0;  // of "mean" and "sum"
  double grad_zloss_ = 0;
  double likelihood_ = 1;  // what gradLoss is multiplied with in the three parts of the gradient
  double smoothing_ = 0;
  double zloss_ = 0;
  double weight_total_ = 0;  // sum of weight[c], for label smoothing
};

}  // namespace aclimb::cross_entropy_loss_grad
