// aclnnNonzero and aclnnNonzeroV2: the plan, its two loops and the C functions.

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/sized_plan.h"
#include "aclimb/ops/selection/contracts.h"
#include "aclimb/simd/chunks.h"
#include "aclimb/simd/ones.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::selection {
namespace {

class NonzeroPlan final : public SizedPlan {
 public:
  NonzeroPlan(const TensorView& self, const TensorView& out, bool transposed, Planner& planner)
      : transposed_(transposed),
        self_(self),
        out_(out),
        walk_(MakeWalk(self)),
        chunks_(CeilDivide(walk_.count, kChunk)),
        counts_(planner.workspace().Book(chunks_, sizeof(int64_t))) {}

  void Run(const RunContext& run, const ShapeTeller& shapes) const override {
    switch (SizeOf(self_.dtype)) {
      case 1:
        return Find<uint8_t>(run, shapes);
      case 2:
        return Find<uint16_t>(run, shapes);
      case 4:
        return Find<uint32_t>(run, shapes);
      default:
        return Find<uint64_t>(run, shapes);
    }
  }

 private:
  static Walk<2> MakeWalk(const TensorView& self) {
    const TensorView order = DenseLike(self, nullptr);
    return Walk<2>::Make({&self, &order});
  }

  // T has the bits of an element.
  template <typename T>
  void Find(const RunContext& run, const ShapeTeller& shapes) const {
    const T* const self = static_cast<const T*>(run.Data(Nonzero::kSelf));
    auto* const before = run.Piece<int64_t>(counts_);
    const int64_t step = walk_.stride[0][walk_.rank - 1];
    // Without the sign: -0 is 0.
    const T bits = IsFloating(self_.dtype) ? static_cast<T>(static_cast<T>(~T{0}) >> 1)
                                           : static_cast<T>(~T{0});
    const auto end_of = [&](int64_t chunk) { return EndOfChunk(chunk, walk_.count); };
    const int64_t all = CountBefore(chunks_, before, [&](int64_t chunk) {
      int64_t count = 0;
      walk_.Visit(chunk * kChunk, end_of(chunk), [&](const int64_t(&at)[2], int64_t n) {
        count += CountOnes(self + at[0], step, n, bits);
      });
      return count;
    });
    if (all < 0) return;

    const int64_t rank = self_.rank, slots = walk_.count * rank;
    const Out out = {static_cast<int64_t*>(run.Data(Nonzero::kOut)), out_.shape[1], out_.stride[0],
                     out_.stride[1], out_.IsContiguous()};
    const bool written = ParallelForAll(chunks_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t chunk = begin; chunk < end; ++chunk) {
        int64_t found = before[chunk], number = chunk * kChunk;
        walk_.Visit(number, end_of(chunk), [&](const int64_t(&at)[2], int64_t n) {
          EachOnes(self + at[0], step, n, bits, [&](const int64_t* places, int64_t count) {
            Write(out, number, places, count, found, all);
            found += count;
          });
          number += n;
        });
        // Of the slots after those, each chunk clears its share.
        const int64_t first = std::max(all * rank, chunk * kChunk * rank);
        const int64_t last = std::min(slots, (chunk + 1) * kChunk * rank);
        if (out.dense) {
          std::fill(out.data + std::min(first, last), out.data + last, 0);
        } else {
          for (int64_t k = first; k < last; ++k) out.Slot(k) = 0;
        }
      }
    });
    if (!written) return;
    const int64_t shape[] = {transposed_ ? rank : all, transposed_ ? all : rank};
    shapes.Tell(Nonzero::kOut, shape);
  }

  // The output is filled in its row-major order, whatever its strides are.
  struct Out {
    int64_t* data;
    int64_t row, row_stride, stride;
    bool dense;

    int64_t& Slot(int64_t k) const {
      return dense ? data[k] : data[k / row * row_stride + k % row * stride];
    }
  };

  // The indices of elements, as those from `found` on of `all`: their numbers in row-major order
  // are places from `first` on.
  void Write(const Out& out, int64_t first, const int64_t* places, int64_t count, int64_t found,
             int64_t all) const {
    const int64_t rank = self_.rank, each = transposed_ ? 1 : rank;
    if (count == 0 || rank == 0) return;
    int64_t* const to = out.data + (transposed_ ? found : found * rank);
    const auto slot = [&](int64_t d, int64_t k) -> int64_t& {
      if (out.dense) return to[(transposed_ ? d * all : d) + k * each];
      return out.Slot(transposed_ ? d * all + found + k : (found + k) * rank + d);
    };
    // Of the first of them; the next ones are in its row for as long as that goes on.
    int64_t index[kMaxRank];
    const int64_t row = self_.shape[rank - 1];
    for (int64_t k = 0; k < count;) {
      int64_t rest = (first + places[k]) / row;
      const int64_t begin = rest * row - first;
      for (int64_t d = rank - 2; d >= 0; --d) {
        index[d] = rest % self_.shape[d];
        rest /= self_.shape[d];
      }
      for (; k < count && places[k] - begin < row; ++k) {
        for (int64_t d = 0; d < rank - 1; ++d) slot(d, k) = index[d];
        slot(rank - 1, k) = places[k] - begin;
      }
    }
  }

  const bool transposed_;
  const TensorView self_;
  const TensorView out_;
  const Walk<2> walk_;
  const int64_t chunks_;
  const WorkspacePiece counts_;
};

template <bool kTransposed>
Result<PlanPointer> PlanNonzero(const Arguments& arguments, Planner& planner) {
  const TensorDescriptor& self = arguments.Tensor(Nonzero::kSelf);
  const TensorDescriptor& out = arguments.Tensor(Nonzero::kOut);
  if (self.IsEmpty()) return PlanPointer();
  planner.Reads(Nonzero::kSelf);
  planner.Writes(Nonzero::kOut);
  planner.Costs({.cycles = 8.0 * static_cast<double>(self.ElementCount())});
  return PlanPointer(NewPlan<NonzeroPlan>(self.View(), out.View(), kTransposed, planner));
}

constinit Operator nonzero_operator(nonzero::kContract, PlanNonzero<false>);
constinit Operator nonzero_v2_operator(nonzero_v2::kContract, PlanNonzero<true>);

}  // namespace
}  // namespace aclimb::selection

extern "C" aclnnStatus aclnnNonzeroGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                    uint64_t* workspaceSize,
                                                    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::selection::nonzero_operator, workspaceSize, executor, self, out);
}

extern "C" aclnnStatus aclnnNonzero(void* workspace, uint64_t workspaceSize,
                                    aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::selection::nonzero_operator, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnNonzeroV2GetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                      uint64_t* workspaceSize,
                                                      aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::selection::nonzero_v2_operator, workspaceSize, executor, self, out);
}

extern "C" aclnnStatus aclnnNonzeroV2(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::selection::nonzero_v2_operator, workspace, workspaceSize, executor,
                        stream);
}
