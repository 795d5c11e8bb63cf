// aclnnUnique and aclnnUnique2: the plan and the C functions.

#include <algorithm>
#include <cstring>

#include "aclimb/core/divide.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/sized_plan.h"
#include "aclimb/ops/sorts/contracts.h"
#include "aclimb/ops/sorts/distinct.h"
#include "aclimb/ops/sorts/line_plan.h"
#include "aclimb/ops/sorts/sorter.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/chunks.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::sorts {
namespace {

constexpr int kSelf = unique2::kSelf;
static_assert(kSelf == unique::kSelf);

class UniquePlan final : public SizedPlan {
 public:
  // Where its outputs are; -1 is one that is not wanted.
  struct Task {
    int values;
    int inverse;
    int counts;
  };
  UniquePlan(const Arguments& arguments, Planner& planner, const Task& task)
      : task_(task),
        order_{.dtype = arguments.Tensor(kSelf).dtype},
        count_(arguments.Tensor(kSelf).ElementCount()) {
    planner.Writes(task.values);
    if (task.counts >= 0) planner.Writes(task.counts);
    planner.Costs({.cycles = 60.0 * static_cast<double>(count_)});
    const TensorView self = arguments.Tensor(kSelf).View();
    WorkspaceLedger& workspace = planner.workspace();
    self_ = rows::Dense::Input(planner, kSelf, self);
    if (task.inverse >= 0) {
      inverse_ = rows::Dense::Output(planner, task.inverse, arguments.Tensor(task.inverse).View());
    }
    entries_ = workspace.Book(2, EntryBytes(self.dtype, count_));
    before_ = workspace.Book(CeilDivide(count_, kChunk), sizeof(int64_t));
    starts_ = workspace.Book(count_ + 1, sizeof(int64_t));
    distinct_ = Distinct(workspace, self.dtype, count_);
    if (task.inverse >= 0) groups_ = workspace.Book(distinct_.Most(), sizeof(int64_t));
  }

  void Run(const RunContext& run, const ShapeTeller& shapes) const override {
    NeedsWideEntries(order_.dtype, count_) ? RunAs<WideEntry>(run, shapes)
                                           : RunAs<NarrowEntry>(run, shapes);
  }

 private:
  template <typename Entry>
  void RunAs(const RunContext& run, const ShapeTeller& shapes) const {
    const void* const self = self_.Read(run);
    if (self == nullptr) return;
    Entry* const entries = run.Piece<Entry>(entries_);
    auto* const inverse = static_cast<int64_t*>(inverse_.Data(run));

    // Of few different elements, those are sorted.
    const int64_t left = distinct_.Find(run, self, entries + count_, inverse);
    const bool condensed = left > 0;
    const int64_t count = condensed ? left : count_;
    const void* const line = condensed ? distinct_.Elements(run) : self;
    const int64_t* const counts = condensed ? distinct_.Counts(run) : nullptr;
    int64_t* const groups = condensed && inverse != nullptr ? run.Piece<int64_t>(groups_) : inverse;
    const Sorter<Entry> sorter(order_, count, count, false);
    const Entry* const sorted = sorter.SortTogether(line, 1, entries, entries + count_);
    if (sorted == nullptr) return;

    // No NaN is like another.
    const bool has_nan = IsFloating(order_.dtype);
    const uint64_t nan = KeyOfNan(order_);
    const auto begins = [&](int64_t i) {
      return i == 0 || sorted[i].Key() != sorted[i - 1].Key() ||
             (has_nan && sorted[i].Key() == nan);
    };
    auto* const before = run.Piece<int64_t>(before_);
    const int64_t chunks = CeilDivide(count, kChunk);
    const int64_t all = CountBefore(chunks, before, [&](int64_t chunk) {
      int64_t found = 0;
      for (int64_t i = chunk * kChunk; i < EndOfChunk(chunk, count); ++i) found += begins(i);
      return found;
    });
    if (all < 0) return;

    // The first entry of each group, and the group of each entry.
    auto* const starts = run.Piece<int64_t>(starts_);
    starts[all] = count;
    bool whole = ParallelForAll(chunks, 1, [&](int64_t first, int64_t last) {
      for (int64_t chunk = first; chunk < last; ++chunk) {
        int64_t group = before[chunk] - 1;
        for (int64_t i = chunk * kChunk; i < EndOfChunk(chunk, count); ++i) {
          if (begins(i)) starts[++group] = i;
          if (groups != nullptr) groups[sorted[i].Place()] = group;
        }
      }
    });
    if (whole && groups != inverse) whole = distinct_.Number(run, groups, inverse);
    if (!whole) return;
    const TensorView values = run.View(task_.values);
    switch (SizeOf(order_.dtype)) {
      case 1:
        whole = WriteValues<uint8_t>(line, values, sorted, starts, all);
        break;
      case 2:
        whole = WriteValues<uint16_t>(line, values, sorted, starts, all);
        break;
      case 4:
        whole = WriteValues<uint32_t>(line, values, sorted, starts, all);
        break;
      default:
        whole = WriteValues<uint64_t>(line, values, sorted, starts, all);
    }
    if (task_.counts >= 0 && whole) {
      whole = Write<int64_t>(run.View(task_.counts), all, [&](int64_t group) {
        if (!condensed) return starts[group + 1] - starts[group];
        int64_t sum = 0;
        for (int64_t i = starts[group]; i < starts[group + 1]; ++i) {
          sum += counts[sorted[i].Place()];
        }
        return sum;
      });
    }
    if (!whole || !inverse_.Deliver(run)) return;
    shapes.Tell(task_.values, {&all, 1});
    if (task_.counts >= 0) shapes.Tell(task_.counts, {&all, 1});
  }

  // The first `all` elements of an output of the length of self are of(i), the others 0.
  template <typename T, typename Of>
  bool Write(const TensorView& output, int64_t all, const Of& of) const {
    T* const to = output.As<T>();
    const int64_t stride = output.stride[0];
    return ParallelForAll(count_, kChunk, [&, to, stride](int64_t begin, int64_t end) {
      const int64_t rest = std::clamp(all, begin, end);
      for (int64_t i = begin; i < rest; ++i) to[i * stride] = of(i);
      for (int64_t i = rest; i < end; ++i) to[i * stride] = T{0};
    });
  }
  template <typename T, typename Entry>
  bool WriteValues(const void* line, const TensorView& values, const Entry* sorted,
                   const int64_t* starts, int64_t all) const {
    return Write<T>(values, all, [&](int64_t i) {
      return static_cast<const T*>(line)[sorted[starts[i]].Place()];
    });
  }

  const Task task_;
  const Order order_;
  const int64_t count_;
  rows::Dense self_, inverse_;
  WorkspacePiece entries_;
  WorkspacePiece before_;
  WorkspacePiece starts_;
  Distinct distinct_;
  WorkspacePiece groups_;
};

Result<PlanPointer> MakePlan(const Arguments& arguments, Planner& planner,
                             const UniquePlan::Task& task) {
  if (arguments.Tensor(kSelf).IsEmpty()) return PlanPointer();
  return PlanPointer(NewPlan<UniquePlan>(arguments, planner, task));
}

Result<PlanPointer> PlanUnique(const Arguments& arguments, Planner& planner) {
  using namespace unique;  // NOLINT: the positions
  return MakePlan(
      arguments, planner,
      {.values = kValues, .inverse = arguments.Bool(kReturnInverse) ? kInverse : -1, .counts = -1});
}
Result<PlanPointer> PlanUnique2(const Arguments& arguments, Planner& planner) {
  using namespace unique2;  // NOLINT: the positions
  return MakePlan(arguments, planner,
                  {.values = kValues,
                   .inverse = arguments.Bool(kReturnInverse) ? kInverse : -1,
                   .counts = arguments.Bool(kReturnCounts) ? kCounts : -1});
}

constinit Operator unique_operator(unique::kContract, PlanUnique);
constinit Operator unique2_operator(unique2::kContract, PlanUnique2);

}  // namespace
}  // namespace aclimb::sorts

extern "C" aclnnStatus aclnnUniqueGetWorkspaceSize(const aclTensor* self, bool sorted,
                                                   bool returnInverse, aclTensor* valueOut,
                                                   aclTensor* inverseOut, uint64_t* workspaceSize,
                                                   aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::sorts::unique_operator, workspaceSize, executor, self, sorted,
                        returnInverse, valueOut, inverseOut);
}

extern "C" aclnnStatus aclnnUnique(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream) {
  return aclimb::Phase2(aclimb::sorts::unique_operator, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnUnique2GetWorkspaceSize(const aclTensor* self, bool sorted,
                                                    bool returnInverse, bool returnCounts,
                                                    aclTensor* valueOut, aclTensor* inverseOut,
                                                    aclTensor* countsOut, uint64_t* workspaceSize,
                                                    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::sorts::unique2_operator, workspaceSize, executor, self, sorted,
                        returnInverse, returnCounts, valueOut, inverseOut, countsOut);
}

extern "C" aclnnStatus aclnnUnique2(void* workspace, uint64_t workspaceSize,
                                    aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::sorts::unique2_operator, workspace, workspaceSize, executor,
                        stream);
}
