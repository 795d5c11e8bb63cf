// aclnnGather and aclnnTake: the C functions and the plan between them.

#include <algorithm>
#include <atomic>

#include "aclimb/copy/copy.h"
#include "aclimb/copy/zeros.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/indexing/contracts.h"
#include "aclimb/ops/indexing/int64_index.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/prefetch.h"

namespace aclimb::indexing {
namespace {

constexpr int64_t kGrain = 16 * 1024;
// Rows of so many bytes are prefetched.
constexpr int64_t kFetched = 16 * 1024;

void InspectIndex(const Inspector& inspector, const TensorView& index, int64_t begin, int64_t end) {
  InspectRange(inspector, "check/data/index-range", "index", index,
               {.begin = begin,
                .end = end,
                .excepted = {},
                .because = Cat("self has ", end, " elements there")});
}

// Evenly spaced indices, and where their elements come from and go to.
template <typename T>
struct Line {
  const T* from;
  int64_t from_step, place_step;
  const int64_t* index;
  int64_t index_step;
  T* to;
  int64_t to_step, count;
  int64_t extent;
  int64_t wraps;  // what is added to negative indices
};

// False if there are not all of the elements. Several are read before the first one is written: a
// read waits for a write whose address ends alike.
template <typename T>
[[gnu::always_inline]] inline bool GatherLine(const Line<T> line) {
  constexpr int64_t kAtOnce = 4;
  bool all_known = true;
  const auto read = [&all_known, line](int64_t i) {
    int64_t k = line.index[i * line.index_step];
    if (static_cast<uint64_t>(k) >= static_cast<uint64_t>(line.extent)) [[unlikely]] {
      if (k >= 0 || k < -line.wraps) {
        all_known = false;
        return T{0};
      }
      k += line.wraps;
    }
    return line.from[i * line.from_step + k * line.place_step];
  };
  int64_t i = 0;
  for (; i + kAtOnce <= line.count; i += kAtOnce) {
    const T values[kAtOnce] = {read(i), read(i + 1), read(i + 2), read(i + 3)};
    for (int64_t j = 0; j < kAtOnce; ++j) line.to[(i + j) * line.to_step] = values[j];
  }
  for (; i < line.count; ++i) line.to[i * line.to_step] = read(i);
  return all_known;
}

class GatherPlan final : public Plan {
 public:
  // Along a dimension of self, or by numbers in all of it (-1).
  GatherPlan(const Arguments& arguments, Planner& planner, int index, int out, int dim)
      : index_at_(index), out_at_(out), numbers_(dim < 0) {
    TensorView self = WithRank(arguments.Tensor(0).View());
    index_ = Int64Index(planner, arguments.Tensor(index).View());
    size_ = SizeOf(self.dtype);
    // Where self is but for the index.
    TensorView base = WithRank(index_.view());
    if (numbers_) {
      std::fill_n(base.stride, base.rank, 0);
      extent_ = self.ElementCount();
      dense_ = rows::Dense::Input(planner, 0, arguments.Tensor(0).View());
    } else {
      std::copy_n(self.stride, self.rank, base.stride);
      base.stride[dim] = 0;
      extent_ = self.shape[dim];
      step_ = self.stride[dim];
    }
    const TensorView indices = WithRank(index_.view());
    const TensorView target = WithRank(arguments.Tensor(out).View());
    walk_ = Walk<3>::Make({&base, &indices, &target});
    planner.Reads(0);
    if (dense_.CopyCycles() == 0) planner.Moves(0, {.read = target.ElementCount()});
    planner.Reads(index);
    planner.Writes(out);
    planner.Costs({.cycles = 4.0 * static_cast<double>(walk_.count) + dense_.CopyCycles()});
  }

  void Run(const RunContext& run) const override {
    const void* const self = dense_.given() ? dense_.Read(run) : run.Data(0);
    const int64_t* const indices = index_.Get(run, index_at_);
    if (self == nullptr || indices == nullptr) return;
    if (!GatherOfSize(self, indices, run.Data(out_at_))) FailInspected(*this, run);
  }

  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    InspectIndex(inspector, run.View(index_at_), numbers_ ? -extent_ : 0, extent_);
  }

 private:
  bool GatherOfSize(const void* self, const int64_t* indices, void* out) const {
    switch (size_) {
      case 1:
        return Gather(static_cast<const uint8_t*>(self), indices, static_cast<uint8_t*>(out));
      case 2:
        return Gather(static_cast<const uint16_t*>(self), indices, static_cast<uint16_t*>(out));
      case 4:
        return Gather(static_cast<const uint32_t*>(self), indices, static_cast<uint32_t*>(out));
      default:
        return Gather(static_cast<const uint64_t*>(self), indices, static_cast<uint64_t*>(out));
    }
  }

  // False if self does not have some of the elements.
  template <typename T>
  bool Gather(const T* self, const int64_t* indices, T* out) const {
    const int inner = walk_.rank - 1;
    const int64_t self_inner = walk_.stride[0][inner], index_inner = walk_.stride[1][inner];
    const int64_t out_inner = walk_.stride[2][inner];
    const int64_t extent = extent_, step = step_, wraps = numbers_ ? extent_ : 0;
    const bool dense = self_inner == 0 && step == 1 && index_inner == 1 && out_inner == 1;
    // Most of a row that stays in a near cache is read, in any order: all of it comes in its own.
    const bool fetches = extent > 0 && extent <= kFetched / int64_t{sizeof(T)};
    std::atomic<bool> unknown = false;
    ParallelFor(walk_.count, kGrain, [&](int64_t begin, int64_t end) {
      bool all_known = true;
      walk_.Visit(begin, end, [&](const int64_t(&at)[3], int64_t n) {
        Line<T> line = {self + at[0], 0, 1, indices + at[1], 1, out + at[2], 1, n, extent, wraps};
        // Steps that the compiler sees take no instructions.
        if (dense) {
          if (fetches && n >= extent / 2) PrefetchLines(line.from, extent);
          all_known &= GatherLine(line);
          return;
        }
        line.from_step = self_inner, line.place_step = step;
        line.index_step = index_inner, line.to_step = out_inner;
        all_known &= GatherLine(line);
      });
      if (!all_known) unknown.store(true, std::memory_order_relaxed);
    });
    return !unknown.load(std::memory_order_relaxed);
  }

  const int index_at_;
  const int out_at_;
  const bool numbers_;
  size_t size_;
  int64_t extent_;
  int64_t step_ = 1;
  rows::Dense dense_;
  Int64Index index_;
  Walk<3> walk_;
};

// Nothing can be taken from a tensor without elements.
struct ZerosPlan final : Plan {
  int index = 0;
  int out = 0;
  ZerosPlan(int index_at, int out_at) : index(index_at), out(out_at) {}

  void Run(const RunContext& run) const override {
    if (copy::FillWithZeros(run.View(out))) FailInspected(*this, run);
  }
  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    InspectIndex(inspector, run.View(index), 0, 0);
  }
};

Result<PlanPointer> MakePlan(const Arguments& arguments, Planner& planner, int index, int out,
                             int dim) {
  if (arguments.Tensor(out).IsEmpty()) return PlanPointer();
  if (arguments.Tensor(0).IsEmpty()) {
    planner.Reads(index);
    planner.Writes(out);
    return PlanPointer(NewPlan<ZerosPlan>(index, out));
  }
  return PlanPointer(NewPlan<GatherPlan>(arguments, planner, index, out, dim));
}

Result<PlanPointer> PlanGather(const Arguments& arguments, Planner& planner) {
  using namespace gather;  // NOLINT: the positions
  const auto dim =
      static_cast<int64_t>(WrapDimension(arguments.Integer(kDim), arguments.Tensor(kSelf).rank()));
  return MakePlan(arguments, planner, kIndex, kOut, static_cast<int>(dim));
}
Result<PlanPointer> PlanTake(const Arguments& arguments, Planner& planner) {
  return MakePlan(arguments, planner, take::kIndex, take::kOut, -1);
}

constinit Operator gather_operator(gather::kContract, PlanGather);
constinit Operator take_operator(take::kContract, PlanTake);

}  // namespace
}  // namespace aclimb::indexing

extern "C" aclnnStatus aclnnGatherGetWorkspaceSize(const aclTensor* self, const int64_t dim,
                                                   const aclTensor* index, aclTensor* out,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::indexing::gather_operator, workspaceSize, executor, self, dim,
                        index, out);
}

extern "C" aclnnStatus aclnnGather(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   const aclrtStream stream) {
  return aclimb::Phase2(aclimb::indexing::gather_operator, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnTakeGetWorkspaceSize(const aclTensor* self, const aclTensor* index,
                                                 aclTensor* out, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::indexing::take_operator, workspaceSize, executor, self, index, out);
}

extern "C" aclnnStatus aclnnTake(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 const aclrtStream stream) {
  return aclimb::Phase2(aclimb::indexing::take_operator, workspace, workspaceSize, executor,
                        stream);
}
