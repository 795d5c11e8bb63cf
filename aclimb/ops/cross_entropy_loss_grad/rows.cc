#include "aclimb/ops/cross_entropy_loss_grad/rows.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::cross_entropy_loss_grad {
namespace {

bool Given(const TensorView& view) { return view.dtype != DType::kUndefined; }

double Load(const TensorView& view, int64_t index) {
  const int64_t at = view.rank == 0 ? 0 : index * view.stride[0];
  switch (view.dtype) {
    case DType::kFloat16:
      return ToFloat(view.As<const Float16>()[at]);
    case DType::kBFloat16:
      return ToFloat(view.As<const BFloat16>()[at]);
    default:
      return view.As<const float>()[at];
  }
}

float Narrow(double value) {
  return std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(value);
}

// The rows are summed in at most kSumBlocks blocks whose borders depend on their number alone.
constexpr int64_t kSumBlocks = 64;
constexpr int64_t kSmallestSumBlock = 4096;
// Below this many rows the sum takes less time than waking a team.
constexpr int64_t kSerialRows = 65536;

}  // namespace

RowTable::RowTable(const Args& args)
    : args_(args),
      targets_(args.target.data),
      target_stride_(args.target.stride[0]),
      wide_target_(args.target.dtype == DType::kInt64),
      classes_(args.log_prob.shape[1]),
      ignore_index_(args.ignore_index) {
  const bool per_row = args.reduction == Reduction::kNone;
  if (!per_row) {
    grad_loss_ = Load(args.grad_loss, 0);
    if (args.lse_square_scale != 0 && Given(args.grad_zloss)) {
      grad_zloss_ = Load(args.grad_zloss, 0);
    }
  }
  double weights = 1;
  double kept = 1;
  if (args.reduction == Reduction::kMean) SumRows(&weights, &kept);
  likelihood_ = (1 - args.label_smoothing) / weights;
  smoothing_ = args.label_smoothing / (static_cast<double>(classes_) * weights);
  zloss_ = 2 * args.lse_square_scale / kept;
  if (args.label_smoothing != 0) {
    weight_total_ = static_cast<double>(classes_);
    if (Given(args.weight)) {
      weight_total_ = 0;
      for (int64_t c = 0; c < classes_; ++c) weight_total_ += Load(args.weight, c);
    }
  }
  by_target_ = !per_row && args.lse_square_scale == 0;
  uniform_ = by_target_ && !Given(args.weight);
  if (uniform_) common_ = Compute(0, 0);
}

Row RowTable::Compute(int64_t n, int64_t target) const {
  const bool per_row = args_.reduction == Reduction::kNone;
  const double g = per_row ? Load(args_.grad_loss, n) : grad_loss_;
  const double weight = Given(args_.weight) ? Load(args_.weight, target) : 1.0;
  const double likelihood = g * likelihood_ * weight;
  double scale = likelihood;
  double level = 0;
  double pull = likelihood;
  if (args_.label_smoothing != 0) {
    level = g * smoothing_;
    scale += level * weight_total_;
    pull += level * weight;
  }
  if (args_.lse_square_scale != 0) {
    double z = g;
    if (Given(args_.grad_zloss)) z += per_row ? Load(args_.grad_zloss, n) : grad_zloss_;
    scale += zloss_ * Load(args_.lse_for_zloss, n) * z;
  }
  return Row{true, Narrow(scale), Narrow(level), Narrow(pull), target};
}

void RowTable::SumRows(double* weights, double* kept) const {
  struct Partial {
    double weights = 0;
    int64_t kept = 0;
  };
  const int64_t rows = args_.log_prob.shape[0];
  const int64_t length = std::max(kSmallestSumBlock, CeilDivide(rows, kSumBlocks));
  const int64_t blocks = CeilDivide(rows, length);
  Partial partials[kSumBlocks];
  ParallelFor(blocks, rows < kSerialRows ? blocks : 1, [&](int64_t first, int64_t last) {
    for (int64_t block = first; block < last; ++block) {
      Partial sum;
      const int64_t end = std::min(rows, (block + 1) * length);
      if (Given(args_.weight)) {
        const float* weight = args_.weight.As<const float>();
        for (int64_t n = block * length; n < end; ++n) {
          const int64_t target = Target(n);
          if (!IsKept(target)) continue;
          sum.weights += weight[target * args_.weight.stride[0]];
          ++sum.kept;
        }
      } else {
        for (int64_t n = block * length; n < end; ++n) sum.kept += IsKept(Target(n)) ? 1 : 0;
        sum.weights = static_cast<double>(sum.kept);
      }
      partials[block] = sum;
    }
  });
  Partial total;
  for (int64_t block = 0; block < blocks; ++block) {
    total.weights += partials[block].weights;
    total.kept += partials[block].kept;
  }
  *weights = total.weights;
  *kept = static_cast<double>(total.kept);
}

}  // namespace aclimb::cross_entropy_loss_grad
