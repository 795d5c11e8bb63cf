// aclnnLinalgCross: the loop, the plan and the C entry points.

#include <algorithm>
#include <type_traits>

#include "aclimb/core/half.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/linalg_cross/contract.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::linalg_cross {
namespace {

// Vectors that a thread takes at once.
constexpr int64_t kGrain = 8192;
// Vectors side by side that are multiplied at once, by loops that the compiler turns into vectors.
constexpr int64_t kTogether = 64;

// What a product of elements is computed in: integers wrap.
template <typename T>
auto Wide(T x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<uint64_t>(x);
  } else if constexpr (std::is_same_v<T, double>) {
    return x;
  } else {
    return ToFloat(x);
  }
}
template <typename T, typename V>
T Narrow(V x) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(x);
  } else {
    return FromFloat<T>(x);
  }
}

class CrossPlan final : public Plan {
 public:
  CrossPlan(const contract::Arguments& arguments, Planner& planner) {
    const TensorView out = arguments.Tensor(kOut).View();
    const int64_t named = arguments.Integer(kDim);
    const int dim = static_cast<int>(named < 0 ? named + out.rank : named);
    dtype_ = out.dtype;
    TensorView firsts[3];
    for (int n = 0; n < 3; ++n) {
      constexpr int kParameters[] = {kSelf, kOther, kOut};
      const TensorView own = arguments.Tensor(kParameters[n]).View();
      TensorView& first = firsts[n];
      for (int d = 0; d < out.rank; ++d) {
        const int at = d - (out.rank - own.rank);
        const int64_t stride = at < 0 || own.shape[at] == 1 ? 0 : own.stride[at];
        if (d == dim) {
          step_[n] = stride;
        } else {
          first.shape[first.rank] = out.shape[d];
          first.stride[first.rank++] = n == 2 ? own.stride[d] : stride;
        }
      }
    }
    walk_ = Walk<3>::Make({&firsts[0], &firsts[1], &firsts[2]});
    planner.Reads(kSelf);
    planner.Reads(kOther);
    planner.Writes(kOut);
    planner.Costs({.cycles = 12.0 * static_cast<double>(walk_.count)});
  }

  void Run(const RunContext& run) const override {
    switch (dtype_) {
      case DType::kFloat32:
        return Cross<float>(run);
      case DType::kFloat16:
        return Cross<Float16>(run);
      case DType::kBFloat16:
        return Cross<BFloat16>(run);
      case DType::kFloat64:
        return Cross<double>(run);
      case DType::kInt64:
        return Cross<int64_t>(run);
      case DType::kInt32:
        return Cross<int32_t>(run);
      case DType::kInt16:
        return Cross<int16_t>(run);
      case DType::kInt8:
        return Cross<int8_t>(run);
      default:
        return Cross<uint8_t>(run);
    }
  }

 private:
  template <typename T>
  void Cross(const RunContext& run) const {
    const T* const self = static_cast<const T*>(run.Data(kSelf));
    const T* const other = static_cast<const T*>(run.Data(kOther));
    T* const out = static_cast<T*>(run.Data(kOut));
    const int inner = walk_.rank - 1;
    const bool lies_side_by_side = walk_.InnerIsContiguous();
    ParallelFor(walk_.count, kGrain, [&](int64_t begin, int64_t end) {
      walk_.Visit(begin, end, [&](const int64_t(&at)[3], int64_t count) {
        int64_t i = 0;
        if constexpr (std::is_floating_point_v<T>) {
          for (; lies_side_by_side && i + kTogether <= count; i += kTogether) {
            CrossTogether(self + at[0] + i, other + at[1] + i, out + at[2] + i);
          }
        }
        for (; i < count; ++i) {
          const T* const x = self + at[0] + i * walk_.stride[0][inner];
          const T* const y = other + at[1] + i * walk_.stride[1][inner];
          T* const z = out + at[2] + i * walk_.stride[2][inner];
          const auto x0 = Wide(x[0]), x1 = Wide(x[step_[0]]), x2 = Wide(x[2 * step_[0]]);
          const auto y0 = Wide(y[0]), y1 = Wide(y[step_[1]]), y2 = Wide(y[2 * step_[1]]);
          z[0] = Narrow<T>(x1 * y2 - x2 * y1);
          z[step_[2]] = Narrow<T>(x2 * y0 - x0 * y2);
          z[2 * step_[2]] = Narrow<T>(x0 * y1 - x1 * y0);
        }
      });
    });
  }

  // The results are kept until all elements are read, since out may be an operand.
  template <typename T>
  void CrossTogether(const T* x, const T* y, T* out) const {
    T z[3][kTogether];
    for (int axis = 0; axis < 3; ++axis) {
      const int next = (axis + 1) % 3, last = (axis + 2) % 3;
      const T *const x1 = x + next * step_[0], *const x2 = x + last * step_[0];
      const T *const y1 = y + next * step_[1], *const y2 = y + last * step_[1];
      for (int64_t i = 0; i < kTogether; ++i) z[axis][i] = x1[i] * y2[i] - x2[i] * y1[i];
    }
    for (int axis = 0; axis < 3; ++axis) std::copy_n(z[axis], kTogether, out + axis * step_[2]);
  }

  DType dtype_;
  int64_t step_[3] = {};  // from element to element of a vector
  Walk<3> walk_;          // over the first elements of self, other and out
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(kOut).IsEmpty()) return PlanPointer();
  return PlanPointer(NewPlan<CrossPlan>(arguments, planner));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::linalg_cross

extern "C" aclnnStatus aclnnLinalgCrossGetWorkspaceSize(const aclTensor* self,
                                                        const aclTensor* other, int64_t dim,
                                                        aclTensor* out, uint64_t* workspaceSize,
                                                        aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::linalg_cross::kOperator, workspaceSize, executor, self, other, dim,
                        out);
}

extern "C" aclnnStatus aclnnLinalgCross(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::linalg_cross::kOperator, workspace, workspaceSize, executor,
                        stream);
}
