// aclnnCummax and aclnnCummin: the loop, the plan and the C entry points.

#include <algorithm>
#include <type_traits>

#include "aclimb/copy/storage.h"
#include "aclimb/core/dimensions.h"
#include "aclimb/core/half.h"
#include "aclimb/core/lines.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/cumulate/extreme_contracts.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::cumulate {
namespace {

using P = Extremes;

// Lines that are gone through side by side, and elements that a thread takes at once.
constexpr int64_t kTogether = 128;
constexpr int64_t kGrain = 32 * 1024;

// What elements are compared as.
template <typename T>
auto Comparable(T x) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return ToFloat(x);
  } else if constexpr (std::is_same_v<T, Bool>) {
    return x.byte != 0;
  } else {
    return x;
  }
}
template <typename N>
bool IsNan(N x) {
  return x != x;
}

// Whether x takes the place of the best so far: a later one of equals does, and NaN is better than
// any number, as in PyTorch.
template <bool kGreatest, typename T>
bool IsBetter(T x, T best) {
  const auto a = Comparable(x), b = Comparable(best);
  return IsNan(a) || (kGreatest ? a >= b : a <= b);
}

template <typename T>
T Stored(T x) {
  if constexpr (std::is_same_v<T, Bool>) {
    return {static_cast<uint8_t>(x.byte != 0)};
  } else {
    return x;
  }
}

// Neighbouring lines, of self, valuesOut and indicesOut.
struct Lines {
  const void* self;
  void* values;
  void* indices;
  int64_t length;
  const int64_t* steps;  // from element to element
  int64_t next[3];       // from line to line
};

// One line.
template <bool kGreatest, typename T, typename Index>
void FindAlong(const T* x, T* values, Index* indices, int64_t length, const int64_t* steps) {
  const int64_t x_step = steps[0], value_step = steps[1], index_step = steps[2];
  T best = *x;
  Index where = 0;
  for (int64_t i = 0; i < length; ++i) {
    const T own = x[i * x_step];
    if (IsBetter<kGreatest>(own, best)) {
      best = own;
      where = static_cast<Index>(i);
    }
    values[i * value_step] = Stored(best);
    indices[i * index_step] = where;
  }
}

// `count` lines, the first of which begins at `at`.
template <typename T, typename Index, bool kGreatest>
void FindInLines(const Lines& lines, const int64_t (&at)[3], int64_t count) {
  const int64_t x_step = lines.next[0], value_step = lines.next[1], index_step = lines.next[2];
  const int64_t x_along = lines.steps[0], value_along = lines.steps[1];
  const int64_t index_along = lines.steps[2], length = lines.length;
  // Neighbouring lines at once, if elements are further from each other than lines are.
  const int64_t together = x_step < x_along ? kTogether : 1;
  for (int64_t first = 0; first < count; first += together) {
    const int64_t n = std::min(together, count - first);
    const T* const x = static_cast<const T*>(lines.self) + at[0] + first * x_step;
    T* const value = static_cast<T*>(lines.values) + at[1] + first * value_step;
    Index* const index = static_cast<Index*>(lines.indices) + at[2] + first * index_step;
    if (together == 1) {
      FindAlong<kGreatest>(x, value, index, length, lines.steps);
      continue;
    }
    T best[kTogether];
    Index where[kTogether];
    for (int64_t i = 0; i < length; ++i) {
      for (int64_t line = 0; line < n; ++line) {
        const T own = x[line * x_step + i * x_along];
        if (i == 0 || IsBetter<kGreatest>(own, best[line])) {
          best[line] = own;
          where[line] = static_cast<Index>(i);
        }
        value[line * value_step + i * value_along] = Stored(best[line]);
        index[line * index_step + i * index_along] = where[line];
      }
    }
  }
}

class ExtremesPlan final : public Plan {
 public:
  ExtremesPlan(const contract::Arguments& arguments, int dim, bool greatest)
      : greatest_(greatest),
        dtype_(arguments.Tensor(kSelf).dtype),
        wide_(arguments.Tensor(P::kIndices).dtype == DType::kInt64) {
    const TensorView views[] = {arguments.Tensor(kSelf).View(), arguments.Tensor(P::kValues).View(),
                                arguments.Tensor(P::kIndices).View()};
    TensorView rest[3];
    for (int v = 0; v < 3; ++v) {
      steps_[v] = views[v].rank == 0 ? 1 : views[v].stride[dim];
      rest[v] = Without(views[v], dim);
    }
    length_ = views[0].rank == 0 ? 1 : views[0].shape[dim];
    lines_ = Walk<3>::Make({&rest[0], &rest[1], &rest[2]});
  }

  void Run(const RunContext& run) const override {
    const int inner = lines_.rank - 1;
    const Lines lines = {
        .self = run.Data(kSelf),
        .values = run.Data(P::kValues),
        .indices = run.Data(P::kIndices),
        .length = length_,
        .steps = steps_,
        .next = {lines_.stride[0][inner], lines_.stride[1][inner], lines_.stride[2][inner]}};
    const Function find = FunctionOfDType();
    ParallelFor(
        lines_.count, std::max<int64_t>(1, kGrain / length_), [&](int64_t begin, int64_t end) {
          lines_.Visit(begin, end,
                       [&](const int64_t(&at)[3], int64_t count) { find(lines, at, count); });
        });
  }

 private:
  using Function = void (*)(const Lines&, const int64_t (&)[3], int64_t);

  Function FunctionOfDType() const {
    switch (dtype_) {
      case DType::kFloat32:
        return FunctionOf<float>();
      case DType::kFloat16:
        return FunctionOf<Float16>();
      case DType::kBFloat16:
        return FunctionOf<BFloat16>();
      case DType::kFloat64:
        return FunctionOf<double>();
      case DType::kInt64:
        return FunctionOf<int64_t>();
      case DType::kInt32:
        return FunctionOf<int32_t>();
      case DType::kInt16:
        return FunctionOf<int16_t>();
      case DType::kInt8:
        return FunctionOf<int8_t>();
      case DType::kUInt8:
        return FunctionOf<uint8_t>();
      default:
        return FunctionOf<Bool>();
    }
  }
  template <typename T>
  Function FunctionOf() const {
    if (wide_) return greatest_ ? FindInLines<T, int64_t, true> : FindInLines<T, int64_t, false>;
    return greatest_ ? FindInLines<T, int32_t, true> : FindInLines<T, int32_t, false>;
  }

  const bool greatest_;
  const DType dtype_;
  const bool wide_;
  int64_t length_;
  int64_t steps_[3];  // along the dimension, of self, valuesOut and indicesOut
  Walk<3> lines_;     // of the same
};

template <bool kGreatest>
Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  if (self.IsEmpty()) return PlanPointer();
  planner.Reads(kSelf);
  planner.Writes(P::kValues);
  planner.Writes(P::kIndices);
  planner.Costs({.cycles = 4.0 * static_cast<double>(self.ElementCount())});
  const int64_t dim = arguments.Integer(kDim);
  return PlanPointer(NewPlan<ExtremesPlan>(
      arguments, static_cast<int>(WrapDimension(dim, self.rank())), kGreatest));
}

constinit Operator cummax_operator(kCummaxContract, MakePlan<true>);
constinit Operator cummin_operator(kCumminContract, MakePlan<false>);

}  // namespace
}  // namespace aclimb::cumulate

#define ACLIMB_EXTREME(Name, name)                                                               \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                          \
      const aclTensor* self, int64_t dim, aclTensor* valuesOut, aclTensor* indicesOut,           \
      uint64_t* workspaceSize, aclOpExecutor** executor) {                                       \
    return aclimb::Phase1(aclimb::cumulate::name##_operator, workspaceSize, executor, self, dim, \
                          valuesOut, indicesOut);                                                \
  }                                                                                              \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                    \
                                     aclOpExecutor* executor, aclrtStream stream) {              \
    return aclimb::Phase2(aclimb::cumulate::name##_operator, workspace, workspaceSize, executor, \
                          stream);                                                               \
  }
ACLIMB_EXTREME(Cummax, cummax)
ACLIMB_EXTREME(Cummin, cummin)
#undef ACLIMB_EXTREME
