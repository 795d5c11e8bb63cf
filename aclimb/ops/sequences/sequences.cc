// The C functions, and the plan between them.

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "aclimb/copy/gather.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/sequences/contracts.h"
#include "aclimb/ops/sequences/kernels.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::sequences {
namespace {

using contract::Arguments;

// Elements that are computed at once, and that a thread takes.
constexpr int64_t kBlock = 512;
constexpr int64_t kGrain = 32 * kBlock;

// first + i * step up to the middle, and last - (count - 1 - i) * step behind it, so that both ends
// are met. Of integers without a last number, whose sums wrap as PyTorch's do.
struct Reals {
  using Number = double;
  double first, last, step;
  int64_t count;
  template <typename T>
  void Write(int64_t begin, int64_t n, bool streams, T* numbers) const {
    const int64_t middle = std::isnan(last) ? begin + n : count / 2;
    const int64_t ahead = std::clamp<int64_t>(middle - begin, 0, n);
    WriteReals(first, step, static_cast<double>(begin), ahead, streams, numbers);
    WriteReals(last, step, static_cast<double>(begin + ahead + 1 - count), n - ahead, streams,
               numbers + ahead);
  }
};
struct Integers {
  using Number = uint64_t;
  int64_t first, step;
  void Write(int64_t begin, int64_t n, bool streams, uint64_t* numbers) const {
    const auto by = static_cast<uint64_t>(step);
    WriteIntegers(static_cast<uint64_t>(first) + static_cast<uint64_t>(begin) * by, by, n, streams,
                  numbers);
  }
};

template <typename Sequence>
struct SequencePlan final : Plan {
  using Number = typename Sequence::Number;

  SequencePlan(const Sequence& numbers, const TensorView& view)
      : sequence(numbers),
        out(view),
        dense(view.IsContiguous()),
        streams(view.ElementCount() * static_cast<int64_t>(SizeOf(view.dtype)) > CacheShareBytes()),
        converter(kIsReal ? DType::kFloat64 : DType::kInt64, view.dtype) {}

  void Run(const RunContext& run) const override {
    const TensorView at = run.View(kOut);
    ParallelFor(out.ElementCount(), kGrain, [&](int64_t begin, int64_t end) {
      if (dense && !converter.Changes()) {
        return sequence.Write(begin, end - begin, streams, at.As<Number>() + begin);
      }
      if constexpr (kIsReal) {
        if (dense && out.dtype == DType::kFloat32) {
          return sequence.Write(begin, end - begin, streams, at.As<float>() + begin);
        }
      }
      for (int64_t first = begin; first < end; first += kBlock) {
        WriteBlock(at.As<char>(), first, std::min(kBlock, end - first));
      }
    });
  }

  void WriteBlock(char* to, int64_t first, int64_t count) const {
    Number numbers[kBlock];
    sequence.Write(first, count, false, numbers);
    char converted[kBlock * 8];
    const void* elements = numbers;
    const size_t size = SizeOf(out.dtype);
    if (converter.Changes()) {
      char* const target = dense ? to + first * static_cast<int64_t>(size) : converted;
      converter.Run(numbers, count, target);
      if (dense) return;
      elements = converted;
    }
    copy::Scatter(size, elements, count,
                  {.at = to, .axes = {out.rank, out.shape, out.stride}, .begin = first});
  }

  static constexpr bool kIsReal = std::is_same_v<Sequence, Reals>;

  const Sequence sequence;
  const TensorView out;  // without an address
  const bool dense;
  const bool streams;  // no cache holds the output
  const copy::Converter converter;
};

template <typename Sequence>
PlanPointer PlanOf(const Arguments& arguments, Planner& planner, const Sequence& sequence) {
  const TensorView out = arguments.Tensor(kOut).View();
  planner.Writes(kOut);
  planner.Costs({.cycles = 2 * static_cast<double>(out.ElementCount())});
  return NewPlan<SequencePlan<Sequence>>(sequence, out);
}

Result<PlanPointer> PlanRange(const Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(kOut).IsEmpty()) return PlanPointer();
  const ScalarValue& start = arguments.Scalar(kStart);
  const ScalarValue& step = arguments.Scalar(kStep);
  if (IsFloating(arguments.Tensor(kOut).dtype)) {
    return PlanOf(arguments, planner,
                  Reals{.first = NumberOf<double>(start),
                        .last = std::nan(""),
                        .step = NumberOf<double>(step),
                        .count = 0});
  }
  return PlanOf(arguments, planner, Integers{NumberOf<int64_t>(start), NumberOf<int64_t>(step)});
}

Result<PlanPointer> PlanLinspace(const Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(kOut).IsEmpty()) return PlanPointer();
  // Both ends are numbers of out's dtype, as in PyTorch.
  const bool whole = !IsFloating(arguments.Tensor(kOut).dtype);
  const auto end_of = [&](int parameter) {
    const double number = NumberOf<double>(arguments.Scalar(parameter));
    return whole ? std::trunc(number) : number;
  };
  const double start = end_of(kStart);
  const double end = end_of(kEnd);
  const int64_t count = arguments.Integer(kStep);
  // One number alone is the first.
  const double last = count == 1 ? start : end;
  const double step = count == 1 ? 0 : (end - start) / static_cast<double>(count - 1);
  return PlanOf(arguments, planner, Reals{start, last, step, count});
}

constinit Operator arange_operator(kArange, PlanRange);
constinit Operator range_operator(kRange, PlanRange);
constinit Operator linspace_operator(kLinspace, PlanLinspace);

}  // namespace
}  // namespace aclimb::sequences

using namespace aclimb::sequences;  // NOLINT: the operators

aclnnStatus aclnnArangeGetWorkspaceSize(const aclScalar* start, const aclScalar* end,
                                        const aclScalar* step, aclTensor* out,
                                        uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(arange_operator, workspaceSize, executor, start, end, step, out);
}
aclnnStatus aclnnArange(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                        aclrtStream stream) {
  return aclimb::Phase2(arange_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnRangeGetWorkspaceSize(const aclScalar* start, const aclScalar* end,
                                       const aclScalar* step, aclTensor* out,
                                       uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(range_operator, workspaceSize, executor, start, end, step, out);
}
aclnnStatus aclnnRange(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                       aclrtStream stream) {
  return aclimb::Phase2(range_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnLinspaceGetWorkspaceSize(const aclScalar* start, const aclScalar* end,
                                          int64_t steps, aclTensor* out, uint64_t* workspaceSize,
                                          aclOpExecutor** executor) {
  return aclimb::Phase1(linspace_operator, workspaceSize, executor, start, end, steps, out);
}
aclnnStatus aclnnLinspace(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                          aclrtStream stream) {
  return aclimb::Phase2(linspace_operator, workspace, workspaceSize, executor, stream);
}
