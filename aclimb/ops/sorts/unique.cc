// aclnnUnique and aclnnUnique2: the plan and the C functions.

#include <algorithm>
#include <cstring>

#include "aclimb/copy/copy.h"
#include "aclimb/core/divide.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/sized_plan.h"
#include "aclimb/ops/sorts/contracts.h"
#include "aclimb/ops/sorts/line_plan.h"
#include "aclimb/ops/sorts/sorter.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::sorts {
namespace {

// Entries whose groups are counted at once, and then written.
constexpr int64_t kChunk = 16 * 1024;

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
        count_(arguments.Tensor(kSelf).ElementCount()),
        chunks_(CeilDivide(count_, kChunk)) {
    planner.Reads(kSelf);
    for (const int output : {task.values, task.inverse, task.counts}) {
      if (output >= 0) planner.Writes(output);
    }
    planner.Costs({.cycles = 60.0 * static_cast<double>(count_)});
    const TensorView self = arguments.Tensor(kSelf).View();
    const auto size = static_cast<int64_t>(SizeOf(self.dtype));
    WorkspaceLedger& workspace = planner.workspace();
    if (!self.IsContiguous()) dense_self_ = workspace.Book(count_, size);
    if (task.inverse >= 0 && !arguments.Tensor(task.inverse).View().IsContiguous()) {
      dense_inverse_ = workspace.Book(count_, sizeof(int64_t));
    }
    entries_ = workspace.Book(2, EntryBytes(self.dtype, count_));
    groups_ = workspace.Book(chunks_, sizeof(int64_t));
    starts_ = workspace.Book(count_, sizeof(int64_t));
  }

  void Run(const RunContext& run, const ShapeTeller& shapes) const override {
    NeedsWideEntries(order_.dtype, count_) ? RunAs<WideEntry>(run, shapes)
                                           : RunAs<NarrowEntry>(run, shapes);
  }

 private:
  template <typename Entry>
  void RunAs(const RunContext& run, const ShapeTeller& shapes) const {
    TensorView self = run.View(kSelf);
    if (dense_self_.offset >= 0) {
      const TensorView dense = DenseLike(self, run.Piece(dense_self_));
      if (!copy::Copy(self, dense)) return;
      self = dense;
    }
    Entry* const entries = run.Piece<Entry>(entries_);
    const Sorter<Entry> sorter(order_, count_, count_, false);
    const Entry* const sorted = sorter.SortTogether(self.data, 1, entries, entries + count_);
    if (sorted == nullptr) return;

    // No NaN is like another.
    const bool has_nan = IsFloating(order_.dtype);
    const uint64_t nan = KeyOfNan(order_);
    const auto begins = [&](int64_t i) {
      return i == 0 || sorted[i].Key() != sorted[i - 1].Key() ||
             (has_nan && sorted[i].Key() == nan);
    };
    int64_t* const groups = run.Piece<int64_t>(groups_);
    const auto end_of = [&](int64_t chunk) { return std::min(count_, (chunk + 1) * kChunk); };
    bool whole = ParallelForAll(chunks_, 1, [&](int64_t first, int64_t last) {
      for (int64_t chunk = first; chunk < last; ++chunk) {
        groups[chunk] = 0;
        for (int64_t i = chunk * kChunk; i < end_of(chunk); ++i) groups[chunk] += begins(i);
      }
    });
    if (!whole) return;
    int64_t all = 0;
    for (int64_t chunk = 0; chunk < chunks_; ++chunk) all += std::exchange(groups[chunk], all);

    // The first entry of each group, and the group of each entry.
    const TensorView inverse_view = task_.inverse < 0 ? TensorView() : run.View(task_.inverse);
    int64_t* const starts = run.Piece<int64_t>(starts_);
    int64_t* const inverse = task_.inverse < 0            ? nullptr
                             : dense_inverse_.offset >= 0 ? run.Piece<int64_t>(dense_inverse_)
                                                          : inverse_view.As<int64_t>();
    whole = ParallelForAll(chunks_, 1, [&](int64_t first, int64_t last) {
      for (int64_t chunk = first; chunk < last; ++chunk) {
        int64_t group = groups[chunk] - 1;
        for (int64_t i = chunk * kChunk; i < end_of(chunk); ++i) {
          if (begins(i)) starts[++group] = i;
          if (inverse != nullptr) inverse[sorted[i].Place()] = group;
        }
      }
    });
    if (!whole) return;
    const TensorView values = run.View(task_.values);
    switch (SizeOf(order_.dtype)) {
      case 1:
        whole = WriteValues<uint8_t>(self, values, sorted, starts, all);
        break;
      case 2:
        whole = WriteValues<uint16_t>(self, values, sorted, starts, all);
        break;
      case 4:
        whole = WriteValues<uint32_t>(self, values, sorted, starts, all);
        break;
      default:
        whole = WriteValues<uint64_t>(self, values, sorted, starts, all);
    }
    if (task_.counts >= 0 && whole) {
      const TensorView counts = run.View(task_.counts);
      whole = ParallelForAll(count_, kChunk, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t next = i + 1 < all ? starts[i + 1] : count_;
          counts.As<int64_t>()[i * counts.stride[0]] = i < all ? next - starts[i] : 0;
        }
      });
    }
    if (inverse != nullptr && inverse != inverse_view.data && whole) {
      whole = copy::Copy(DenseLike(inverse_view, inverse), inverse_view);
    }
    if (!whole) return;
    shapes.Tell(task_.values, {&all, 1});
    if (task_.counts >= 0) shapes.Tell(task_.counts, {&all, 1});
  }

  template <typename T, typename Entry>
  bool WriteValues(const TensorView& self, const TensorView& values, const Entry* sorted,
                   const int64_t* starts, int64_t all) const {
    return ParallelForAll(count_, kChunk, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        values.As<T>()[i * values.stride[0]] =
            i < all ? self.As<const T>()[sorted[starts[i]].Place()] : T{0};
      }
    });
  }

  const Task task_;
  const Order order_;
  const int64_t count_;
  const int64_t chunks_;
  WorkspacePiece dense_self_;
  WorkspacePiece dense_inverse_;
  WorkspacePiece entries_;
  WorkspacePiece groups_;
  WorkspacePiece starts_;
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
