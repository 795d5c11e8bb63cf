// The C functions, the plan and the loop over rows.

#include <algorithm>
#include <cstring>
#include <utility>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/triangles/contracts.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::triangles {
namespace {

// Bytes that a thread takes at once.
constexpr int64_t kGrainBytes = 128 * 1024;

template <typename T>
void CopyRow(const T* from, int64_t from_stride, int64_t count, T* to, int64_t to_stride) {
  if (from_stride == 1 && to_stride == 1) {
    if (from != to) std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < count; ++i) to[i * to_stride] = from[i * from_stride];
}

template <typename T>
void ClearRow(int64_t count, T* to, int64_t stride) {
  if (stride == 1) {
    std::memset(to, 0, static_cast<size_t>(count) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < count; ++i) to[i * stride] = 0;
}

struct TrianglePlan final : Plan {
  // Rows are what lies closer in memory of the output: of its transpose the other triangle stays.
  TrianglePlan(const TensorView& self, const TensorView& result, int64_t d, bool keeps_lower,
               int output)
      : in(self), out(result), diagonal(d), lower(keeps_lower), output_parameter(output) {
    const int row = out.rank - 2, column = out.rank - 1;
    // No diagonal is further away than this.
    diagonal = std::clamp(diagonal, -out.shape[row], out.shape[column]);
    if (out.stride[row] < out.stride[column]) {
      for (TensorView* view : {&in, &out}) {
        std::swap(view->shape[row], view->shape[column]);
        std::swap(view->stride[row], view->stride[column]);
      }
      diagonal = -diagonal;
      lower = !lower;
    }
  }

  void Run(const RunContext& run) const override {
    const void* const from = output_parameter == kSelf ? nullptr : run.Data(kSelf);
    void* const to = run.Data(output_parameter);
    switch (SizeOf(out.dtype)) {
      case 1:
        return Rows(static_cast<const uint8_t*>(from), static_cast<uint8_t*>(to));
      case 2:
        return Rows(static_cast<const uint16_t*>(from), static_cast<uint16_t*>(to));
      case 4:
        return Rows(static_cast<const uint32_t*>(from), static_cast<uint32_t*>(to));
      default:
        return Rows(static_cast<const uint64_t*>(from), static_cast<uint64_t*>(to));
    }
  }

  template <typename T>
  void Rows(const T* from, T* to) const {
    const int64_t columns = out.shape[out.rank - 1];
    const int64_t grain = 1 + kGrainBytes / (columns * static_cast<int64_t>(sizeof(T)));
    ParallelFor(out.ElementCount() / columns, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) Row(row, columns, from, to);
    });
  }

  template <typename T>
  void Row(int64_t row, int64_t columns, const T* from, T* to) const {
    const int64_t number = row % out.shape[out.rank - 2];
    int64_t in_at = 0, out_at = 0;
    for (int d = out.rank - 2; d >= 0; --d) {
      in_at += row % out.shape[d] * in.stride[d];
      out_at += row % out.shape[d] * out.stride[d];
      row /= out.shape[d];
    }
    // Columns [first, last) stay.
    const int64_t border = std::clamp<int64_t>(number + diagonal + (lower ? 1 : 0), 0, columns);
    const int64_t first = lower ? 0 : border, last = lower ? border : columns;
    const int64_t stride = out.stride[out.rank - 1], in_stride = in.stride[out.rank - 1];
    T* const target = to + out_at;
    ClearRow(first, target, stride);
    ClearRow(columns - last, target + last * stride, stride);
    if (from == nullptr) return;
    CopyRow(from + in_at + first * in_stride, in_stride, last - first, target + first * stride,
            stride);
  }

  TensorView in, out;  // without addresses
  int64_t diagonal;
  bool lower;
  int output_parameter;
};

template <bool kLower, int kOutput>
Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(kSelf).IsEmpty()) return PlanPointer();
  planner.Reads(kSelf);
  planner.Writes(kOutput);
  const TensorView out = arguments.Tensor(kOutput).View();
  planner.Costs({.cycles = static_cast<double>(out.ElementCount()) / 4});
  return PlanPointer(NewPlan<TrianglePlan>(arguments.Tensor(kSelf).View(), out,
                                           arguments.Integer(kDiagonal), kLower, kOutput));
}

constinit Operator tril_operator(kTril, MakePlan<true, kOut>);
constinit Operator triu_operator(kTriu, MakePlan<false, kOut>);
constinit Operator inplace_tril_operator(kInplaceTril, MakePlan<true, kSelf>);
constinit Operator inplace_triu_operator(kInplaceTriu, MakePlan<false, kSelf>);

}  // namespace
}  // namespace aclimb::triangles

using namespace aclimb::triangles;  // NOLINT: the operators

aclnnStatus aclnnTrilGetWorkspaceSize(const aclTensor* self, int64_t diagonal, aclTensor* out,
                                      uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(tril_operator, workspaceSize, executor, self, diagonal, out);
}
aclnnStatus aclnnTril(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                      aclrtStream stream) {
  return aclimb::Phase2(tril_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceTrilGetWorkspaceSize(const aclTensor* selfRef, int64_t diagonal,
                                             uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(inplace_tril_operator, workspaceSize, executor, selfRef, diagonal);
}
aclnnStatus aclnnInplaceTril(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                             aclrtStream stream) {
  return aclimb::Phase2(inplace_tril_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnTriuGetWorkspaceSize(const aclTensor* self, int64_t diagonal, aclTensor* out,
                                      uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(triu_operator, workspaceSize, executor, self, diagonal, out);
}
aclnnStatus aclnnTriu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                      aclrtStream stream) {
  return aclimb::Phase2(triu_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceTriuGetWorkspaceSize(aclTensor* selfRef, int64_t diagonal,
                                             uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(inplace_triu_operator, workspaceSize, executor, selfRef, diagonal);
}
aclnnStatus aclnnInplaceTriu(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                             aclrtStream stream) {
  return aclimb::Phase2(inplace_triu_operator, workspace, workspaceSize, executor, stream);
}
