// aclnnInplaceMaskedScatter: the plan, its two loops and the C functions.

#include <algorithm>

#include "aclimb/copy/copy.h"
#include "aclimb/core/divide.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/selection/broadcast.h"
#include "aclimb/ops/selection/contracts.h"
#include "aclimb/simd/chunks.h"
#include "aclimb/simd/ones.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::selection {
namespace {

struct MaskedScatterPlan final : Plan {
  MaskedScatterPlan(const TensorView& self, const TensorView& mask, const TensorView& source,
                    Planner& planner)
      : order(DenseLike(self, nullptr)),
        // Sorted by the last operand: that of a dense tensor is row-major order.
        walk(Walk<3>::Make({&self, &mask, &order})),
        bytes(SizeOf(self.dtype)),
        source_count(source.ElementCount()),
        chunks(CeilDivide(walk.count, kChunk)),
        counts(planner.workspace().Book(chunks, sizeof(int64_t))) {
    if (!source.IsContiguous()) {
      dense = planner.workspace().Book(source_count, static_cast<int64_t>(bytes));
    }
  }

  void Run(const RunContext& run) const override {
    TensorView source = run.View(inplace_masked_scatter::kSource);
    if (dense.offset >= 0) {
      const TensorView copied = DenseLike(source, run.Piece(dense));
      if (!copy::Copy(source, copied)) return;
      source = copied;
    }
    switch (bytes) {
      case 1:
        return Scatter<uint8_t>(run, source);
      case 2:
        return Scatter<uint16_t>(run, source);
      case 4:
        return Scatter<uint32_t>(run, source);
      default:
        return Scatter<uint64_t>(run, source);
    }
  }

  template <typename T>
  void Scatter(const RunContext& run, const TensorView& source) const {
    T* const self = static_cast<T*>(run.Data(inplace_masked_scatter::kSelf));
    const auto* const mask = static_cast<const uint8_t*>(run.Data(inplace_masked_scatter::kMask));
    const T* const from = source.As<const T>();
    auto* const before = run.Piece<int64_t>(counts);
    const int inner = walk.rank - 1;
    const int64_t self_step = walk.stride[0][inner], mask_step = walk.stride[1][inner];
    const int64_t all = CountBefore(chunks, before, [&](int64_t chunk) {
      int64_t count = 0;
      walk.Visit(chunk * kChunk, EndOfChunk(chunk, walk.count),
                 [&](const int64_t(&at)[3], int64_t n) {
                   count += CountOnes(mask + at[1], mask_step, n, kAnyBit);
                 });
      return count;
    });
    if (all < 0) return;
    ParallelFor(chunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t chunk = begin; chunk < end; ++chunk) {
        int64_t next = before[chunk];
        walk.Visit(chunk * kChunk, EndOfChunk(chunk, walk.count),
                   [&](const int64_t(&at)[3], int64_t n) {
                     T* const to = self + at[0];
                     EachOnes(mask + at[1], mask_step, n, kAnyBit,
                              [&](const int64_t* places, int64_t found) {
                                found = std::min(found, std::max<int64_t>(0, source_count - next));
                                for (int64_t k = 0; k < found; ++k)
                                  to[places[k] * self_step] = from[next + k];
                                next += found;
                              });
                   });
      }
    });
  }

  const TensorView order;
  const Walk<3> walk;
  const size_t bytes;
  const int64_t source_count;
  const int64_t chunks;
  const WorkspacePiece counts;
  WorkspacePiece dense;
};

Result<PlanPointer> PlanMaskedScatter(const Arguments& arguments, Planner& planner) {
  const TensorDescriptor &self = arguments.Tensor(inplace_masked_scatter::kSelf),
                         &source = arguments.Tensor(inplace_masked_scatter::kSource);
  if (self.IsEmpty() || source.IsEmpty()) return PlanPointer();
  planner.Reads(inplace_masked_scatter::kMask);
  planner.Reads(inplace_masked_scatter::kSource);
  planner.Writes(inplace_masked_scatter::kSelf);
  planner.Costs({.cycles = 4.0 * static_cast<double>(self.ElementCount())});
  const TensorView view = self.View();
  return PlanPointer(NewPlan<MaskedScatterPlan>(
      view, BroadcastTo(arguments.Tensor(inplace_masked_scatter::kMask).View(), view),
      source.View(), planner));
}

constinit Operator masked_scatter_operator(inplace_masked_scatter::kContract, PlanMaskedScatter);

}  // namespace
}  // namespace aclimb::selection

extern "C" aclnnStatus aclnnInplaceMaskedScatterGetWorkspaceSize(aclTensor* selfRef,
                                                                 const aclTensor* mask,
                                                                 const aclTensor* source,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::selection::masked_scatter_operator, workspaceSize, executor,
                        selfRef, mask, source);
}

extern "C" aclnnStatus aclnnInplaceMaskedScatter(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::selection::masked_scatter_operator, workspace, workspaceSize,
                        executor, stream);
}
