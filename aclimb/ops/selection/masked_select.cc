// aclnnMaskedSelect: the plan, its two loops and the C functions.

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/sized_plan.h"
#include "aclimb/ops/selection/broadcast.h"
#include "aclimb/ops/selection/contracts.h"
#include "aclimb/simd/chunks.h"
#include "aclimb/simd/ones.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::selection {
namespace {

struct MaskedSelectPlan final : SizedPlan {
  MaskedSelectPlan(const TensorView& self, const TensorView& mask, const TensorView& order,
                   const TensorView& out, Planner& planner)
      // Sorted by the last operand: that of a dense tensor is row-major order.
      : walk(Walk<3>::Make({&self, &mask, &order})),
        bytes(SizeOf(self.dtype)),
        out_stride(out.stride[0]),
        chunks(CeilDivide(walk.count, kChunk)),
        counts(planner.workspace().Book(chunks, sizeof(int64_t))) {}

  void Run(const RunContext& run, const ShapeTeller& shapes) const override {
    switch (bytes) {
      case 1:
        return Select<uint8_t>(run, shapes);
      case 2:
        return Select<uint16_t>(run, shapes);
      case 4:
        return Select<uint32_t>(run, shapes);
      default:
        return Select<uint64_t>(run, shapes);
    }
  }

  template <typename T>
  void Select(const RunContext& run, const ShapeTeller& shapes) const {
    const T* const self = static_cast<const T*>(run.Data(masked_select::kSelf));
    const auto* const mask = static_cast<const uint8_t*>(run.Data(masked_select::kMask));
    T* const out = static_cast<T*>(run.Data(masked_select::kOut));
    auto* const places = run.Piece<int64_t>(counts);
    const int inner = walk.rank - 1;
    const int64_t self_step = walk.stride[0][inner], mask_step = walk.stride[1][inner];
    const auto end_of = [&](int64_t chunk) { return EndOfChunk(chunk, walk.count); };

    const int64_t all = CountBefore(chunks, places, [&](int64_t chunk) {
      int64_t count = 0;
      walk.Visit(chunk * kChunk, end_of(chunk), [&](const int64_t(&at)[3], int64_t n) {
        count += CountOnes(mask + at[1], mask_step, n, kAnyBit);
      });
      return count;
    });
    if (all < 0) return;
    const bool written = ParallelForAll(chunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t chunk = begin; chunk < end; ++chunk) {
        int64_t to = places[chunk];
        walk.Visit(chunk * kChunk, end_of(chunk), [&](const int64_t(&at)[3], int64_t n) {
          const T* const from = self + at[0];
          EachOnes(mask + at[1], mask_step, n, kAnyBit, [&](const int64_t* chosen, int64_t found) {
            T* const write = out + to * out_stride;
            for (int64_t k = 0; k < found; ++k) write[k * out_stride] = from[chosen[k] * self_step];
            to += found;
          });
        });
        // Of the elements after the selected ones, each chunk clears its share.
        for (int64_t i = std::max(all, chunk * kChunk); i < end_of(chunk); ++i) {
          out[i * out_stride] = 0;
        }
      }
    });
    if (written) shapes.Tell(masked_select::kOut, {&all, 1});
  }

  const Walk<3> walk;
  const size_t bytes;
  const int64_t out_stride;
  const int64_t chunks;
  const WorkspacePiece counts;
};

Result<PlanPointer> PlanMaskedSelect(const Arguments& arguments, Planner& planner) {
  const TensorDescriptor& self = arguments.Tensor(masked_select::kSelf);
  const TensorDescriptor& mask = arguments.Tensor(masked_select::kMask);
  if (arguments.Tensor(masked_select::kOut).IsEmpty()) return PlanPointer();
  planner.Reads(masked_select::kSelf);
  planner.Reads(masked_select::kMask);
  planner.Writes(masked_select::kOut);
  const std::vector<int64_t> both = *contract::BroadcastShape(self.shape, mask.shape);
  TensorView shape;
  shape.rank = static_cast<int>(both.size());
  std::ranges::copy(both, shape.shape);
  const TensorView order = DenseLike(shape, nullptr);
  planner.Costs({.cycles = 4.0 * static_cast<double>(order.ElementCount())});
  return PlanPointer(
      NewPlan<MaskedSelectPlan>(BroadcastTo(self.View(), order), BroadcastTo(mask.View(), order),
                                order, arguments.Tensor(masked_select::kOut).View(), planner));
}

constinit Operator masked_select_operator(masked_select::kContract, PlanMaskedSelect);

}  // namespace
}  // namespace aclimb::selection

using namespace aclimb::selection;  // NOLINT: the operator

aclnnStatus aclnnMaskedSelectGetWorkspaceSize(const aclTensor* self, const aclTensor* mask,
                                              aclTensor* out, uint64_t* workspaceSize,
                                              aclOpExecutor** executor) {
  return aclimb::Phase1(masked_select_operator, workspaceSize, executor, self, mask, out);
}
aclnnStatus aclnnMaskedSelect(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                              aclrtStream stream) {
  return aclimb::Phase2(masked_select_operator, workspace, workspaceSize, executor, stream);
}
