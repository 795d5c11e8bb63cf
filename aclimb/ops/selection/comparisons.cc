// aclnnEqual and aclnnIsClose: plans, loops and C functions.

#include <atomic>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "aclimb/contract/promotion.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/selection/broadcast.h"
#include "aclimb/ops/selection/comparison.h"
#include "aclimb/ops/selection/contracts.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::selection {
namespace {

// ---- Equal

struct UnequalPlan final : Plan {
  void Run(const RunContext& run) const override {
    *static_cast<uint8_t*>(run.Data(equal::kOut)) = 0;
  }
};

struct EqualPlan final : Plan {
  EqualPlan(const TensorView& self, const TensorView& other, DType as)
      : walk(Walk<2>::Make({&self, &other})),
        wide(WideFor(as)),
        left(self.dtype, as, wide),
        right(other.dtype, as, wide) {}

  void Run(const RunContext& run) const override {
    switch (wide) {
      case DType::kInt64:
        return Compare<int64_t>(run);
      case DType::kFloat64:
        return Compare<double>(run);
      default:
        return Compare<float>(run);
    }
  }

  template <typename T>
  void Compare(const RunContext& run) const {
    std::atomic<bool> all_equal = true;
    const int inner = walk.rank - 1;
    const bool whole = ParallelForAll(walk.count, kGrain, [&](int64_t begin, int64_t end) {
      Operand::Room left_room, right_room;
      EachPiece(walk, begin, end, [&](const int64_t* at, int64_t n) {
        if (!all_equal.load(std::memory_order_relaxed)) return;
        const auto* const a = static_cast<const T*>(
            left.Load(run.Data(equal::kSelf), at[0], walk.stride[0][inner], n, left_room));
        const auto* const b = static_cast<const T*>(
            right.Load(run.Data(equal::kOther), at[1], walk.stride[1][inner], n, right_room));
        int64_t same = 0;
        for (int64_t i = 0; i < n; ++i) same += a[i] == b[i] ? 1 : 0;
        if (same != n) all_equal.store(false, std::memory_order_relaxed);
      });
    });
    if (whole) *static_cast<uint8_t*>(run.Data(equal::kOut)) = all_equal ? 1 : 0;
  }

  const Walk<2> walk;
  const DType wide;
  const Operand left;
  const Operand right;
};

Result<PlanPointer> PlanEqual(const Arguments& arguments, Planner& planner) {
  using namespace equal;  // NOLINT: the positions
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const TensorDescriptor& other = arguments.Tensor(kOther);
  planner.Writes(kOut);
  if (self.shape != other.shape) return PlanPointer(NewPlan<UnequalPlan>());
  planner.Reads(kSelf);
  planner.Reads(kOther);
  planner.Costs({.cycles = 2.0 * static_cast<double>(self.ElementCount())});
  return PlanPointer(NewPlan<EqualPlan>(self.View(), other.View(),
                                        *contract::PromoteTensors(self.dtype, other.dtype)));
}

constinit Operator equal_operator(equal::kContract, PlanEqual);

// ---- IsClose

struct IsClosePlan final : Plan {
  IsClosePlan(const TensorView& self, const TensorView& other, const TensorView& out,
              double relative_tolerance, double absolute_tolerance, bool nan_is_close)
      : walk(Walk<3>::Make({&self, &other, &out})),
        wide(WideFor(self.dtype) == DType::kInt64                  ? DType::kInt64
             : IsHalf(self.dtype) || self.dtype == DType::kFloat32 ? DType::kFloat32
                                                                   : DType::kFloat64),
        operand(self.dtype, self.dtype, wide),
        relative(relative_tolerance),
        absolute(absolute_tolerance),
        equal_nan(nan_is_close) {}

  void Run(const RunContext& run) const override {
    if (wide == DType::kInt64) return Compare<int64_t>(run);
    wide == DType::kFloat32 ? Compare<float>(run) : Compare<double>(run);
  }

  template <typename T>
  void Compare(const RunContext& run) const {
    const int inner = walk.rank - 1;
    auto* const out = static_cast<uint8_t*>(run.Data(is_close::kOut));
    const int64_t out_step = walk.stride[2][inner];
    ParallelFor(walk.count, kGrain, [&](int64_t begin, int64_t end) {
      Operand::Room left_room, right_room;
      EachPiece(walk, begin, end, [&](const int64_t* at, int64_t n) {
        const auto* const a = static_cast<const T*>(
            operand.Load(run.Data(is_close::kSelf), at[0], walk.stride[0][inner], n, left_room));
        const auto* const b = static_cast<const T*>(
            operand.Load(run.Data(is_close::kOther), at[1], walk.stride[1][inner], n, right_room));
        uint8_t* const to = out + at[2];
        for (int64_t i = 0; i < n; ++i) to[i * out_step] = AreClose(a[i], b[i]) ? 1 : 0;
      });
    });
  }

  static double DistanceOf(double a, double b) { return std::fabs(a - b); }
  static float DistanceOf(float a, float b) { return std::fabs(a - b); }
  // A double does not tell apart neighbours beyond 2^53.
  static double DistanceOf(int64_t a, int64_t b) {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    return static_cast<double>(a < b ? y - x : x - y);
  }

  template <typename T>
  bool AreClose(T a, T b) const {
    if (a == b) return true;
    if (absolute == 0 && relative == 0 && std::is_integral_v<T>) return false;
    // Also whether both are NaN.
    if (a != a || b != b) return equal_nan && a != a && b != b;
    // FLOAT and half types in float32, step by step, as PyTorch does.
    using Real = std::conditional_t<std::is_same_v<T, float>, float, double>;
    const Real distance = DistanceOf(a, b);
    const Real part = static_cast<Real>(relative) * static_cast<Real>(b);
    return std::isfinite(distance) && distance <= static_cast<Real>(absolute) + std::fabs(part);
  }

  const Walk<3> walk;
  const DType wide;
  const Operand operand;
  const double relative;
  const double absolute;
  const bool equal_nan;
};

Result<PlanPointer> PlanIsClose(const Arguments& arguments, Planner& planner) {
  using namespace is_close;  // NOLINT: the positions
  if (arguments.Tensor(kOut).IsEmpty()) return PlanPointer();
  const TensorView out = arguments.Tensor(kOut).View();
  planner.Reads(kSelf);
  planner.Reads(kOther);
  planner.Writes(kOut);
  planner.Costs({.cycles = 4.0 * static_cast<double>(out.ElementCount())});
  return PlanPointer(NewPlan<IsClosePlan>(BroadcastTo(arguments.Tensor(kSelf).View(), out),
                                          BroadcastTo(arguments.Tensor(kOther).View(), out), out,
                                          arguments.Real(kRtol), arguments.Real(kAtol),
                                          arguments.Bool(kEqualNan)));
}

constinit Operator is_close_operator(is_close::kContract, PlanIsClose);

}  // namespace
}  // namespace aclimb::selection

using namespace aclimb::selection;  // NOLINT: the operators

aclnnStatus aclnnEqualGetWorkspaceSize(const aclTensor* self, const aclTensor* other,
                                       aclTensor* out, uint64_t* workspaceSize,
                                       aclOpExecutor** executor) {
  return aclimb::Phase1(equal_operator, workspaceSize, executor, self, other, out);
}
aclnnStatus aclnnEqual(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                       aclrtStream stream) {
  return aclimb::Phase2(equal_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnIsCloseGetWorkspaceSize(const aclTensor* self, const aclTensor* other, double rtol,
                                         double atol, bool equal_nan, aclTensor* out,
                                         uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(is_close_operator, workspaceSize, executor, self, other, rtol, atol,
                        equal_nan, out);
}
aclnnStatus aclnnIsClose(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                         aclrtStream stream) {
  return aclimb::Phase2(is_close_operator, workspace, workspaceSize, executor, stream);
}
