// The loops, the plan of both operators and their C entry points.

#include <algorithm>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "aclimb/copy/storage.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/half.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/sized_plan.h"
#include "aclimb/ops/unique_slices/contracts.h"
#include "aclimb/ops/unique_slices/slice_order.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/chunks.h"
#include "aclimb/simd/ones.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::unique_slices {
namespace {

using contract::Arguments;

template <typename T>
bool Differ(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Bool>) {
    return (a.byte != 0) != (b.byte != 0);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return a != b;
  } else {
    return ToFloat(a) != ToFloat(b);
  }
}

// Which elements of [begin, end) are not like the one before.
template <typename T>
void NoteChanges(const T* elements, int64_t begin, int64_t end, uint8_t* changes) {
  for (int64_t i = begin; i < end; ++i) changes[i] = Differ(elements[i], elements[i - 1]) ? 1 : 0;
}

// self as [outer, length, inner], of which slices along the middle are compared: each with the one
// before it, as they lie or in order.
class UniquePlan final : public SizedPlan {
 public:
  struct Task {
    bool in_order;
    bool returns_inverse;
    bool returns_counts;
  };
  UniquePlan(const Arguments& arguments, Planner& planner, const Task& task)
      : in_order_(task.in_order),
        dtype_(arguments.Tensor(kSelf).dtype),
        size_(static_cast<int64_t>(SizeOf(dtype_))),
        by_slices_(arguments.Integer(kDim) != kNoDim && arguments.Tensor(kSelf).rank() > 0) {
    const TensorView self = arguments.Tensor(kSelf).View();
    length_ = LengthOf(arguments.Tensor(kSelf).shape, arguments.Integer(kDim));
    if (by_slices_) {
      const int64_t named = arguments.Integer(kDim);
      dim_ = static_cast<int>(named < 0 ? named + self.rank : named);
      for (int d = 0; d < self.rank; ++d)
        (d < dim_ ? outer_ : inner_) *= d == dim_ ? 1 : self.shape[d];
    }
    const auto output = [&](int parameter) {
      const TensorView view = arguments.Tensor(parameter).View();
      return rows::Dense::Output(planner, parameter, view, view.dtype);
    };
    self_ = rows::Dense::Input(planner, kSelf, self);
    values_ = output(kValues);
    if (task.returns_inverse) inverse_ = output(kInverse);
    if (task.returns_counts) counts_ = output(kCounts);
    of_elements_ = !in_order_ && outer_ * inner_ == 1;
    chunks_ = CeilDivide(length_, kChunk);
    before_ = planner.workspace().Book(chunks_, sizeof(int64_t));
    starts_ = planner.workspace().Book(length_, sizeof(int64_t));
    begins_ = planner.workspace().Book(length_);
    if (in_order_) {
      order_ = planner.workspace().Book(length_, sizeof(int64_t));
      slice_order_ = SliceOrder(planner.workspace(), dtype_, outer_, length_, inner_);
    }
    planner.Costs({.cycles = self_.CopyCycles() + values_.CopyCycles() + inverse_.CopyCycles() +
                             counts_.CopyCycles() +
                             4.0 * static_cast<double>(outer_ * length_ * inner_) +
                             (in_order_ ? 100.0 : 4.0) * static_cast<double>(length_)});
  }

  void Run(const RunContext& run, const ShapeTeller& shapes) const override {
    int64_t found = -1;
    bool whole = false;
    rows::RunDense(run, {&self_, &values_, &inverse_, &counts_}, [&] {
      found = in_order_ ? FindInOrder(run) : Find(run);
      return whole = found >= 0 && WriteValues(run, found);
    });
    if (!whole) return;
    TensorView shape = run.View(kValues);
    shape.shape[by_slices_ ? dim_ : 0] = found;
    shapes.Tell(kValues, {shape.shape, static_cast<size_t>(shape.rank)});
    if (counts_.given()) shapes.Tell(kCounts, {&found, 1});
  }

 private:
  // All that find runs return how many there are, or -1 when the run was cancelled.
  int64_t FindInOrder(const RunContext& run) const {
    const bool whole = slice_order_.Run(run, self_.Data(run), run.Piece<int64_t>(order_),
                                        run.Piece<uint8_t>(begins_));
    auto* const starts = run.Piece<int64_t>(starts_);
    return whole ? Number(run, [=](int64_t k, int64_t i) { starts[k] = i; }) : -1;
  }
  int64_t Find(const RunContext& run) const {
    switch (dtype_) {
      case DType::kFloat32:
        return FindAs<float>(run);
      case DType::kFloat64:
        return FindAs<double>(run);
      case DType::kFloat16:
        return FindAs<Float16>(run);
      case DType::kBFloat16:
        return FindAs<BFloat16>(run);
      case DType::kBool:
        return FindAs<Bool>(run);
      default:
        break;
    }
    switch (size_) {
      case 1:
        return FindAs<uint8_t>(run);
      case 2:
        return FindAs<uint16_t>(run);
      case 4:
        return FindAs<uint32_t>(run);
      default:
        return FindAs<uint64_t>(run);
    }
  }
  template <typename T>
  int64_t FindAs(const RunContext& run) const {
    const T* const self = static_cast<const T*>(self_.Data(run));
    auto* const begins = run.Piece<uint8_t>(begins_);
    auto* const starts = run.Piece<int64_t>(starts_);
    // Which slices are not like the one before.
    const auto like_before = [&](int64_t i) {
      for (int64_t o = 0; o < outer_; ++o) {
        const T* const own = self + (o * length_ + i) * inner_;
        for (int64_t k = 0; k < inner_; ++k) {
          if (Differ(own[k], own[k - inner_])) return false;
        }
      }
      return true;
    };
    const bool whole = ParallelForAll(length_, std::max<int64_t>(1, kPiece / (outer_ * inner_)),
                                      [&](int64_t begin, int64_t end) {
                                        if (begin == 0) begins[begin++] = 1;
                                        if (of_elements_)
                                          return NoteChanges(self, begin, end, begins);
                                        for (int64_t i = begin; i < end; ++i)
                                          begins[i] = like_before(i) ? 0 : 1;
                                      });
    if (!whole) return -1;
    if (!of_elements_) return Number(run, [=](int64_t k, int64_t i) { starts[k] = i; });
    T* const values = static_cast<T*>(values_.Data(run));
    return Number(run, [=](int64_t k, int64_t i) { values[k] = self[i]; });
  }

  // Calls note(number of a run, where it begins) for each run. Writes which run each slice is in,
  // and the counts.
  template <typename Note>
  int64_t Number(const RunContext& run, Note note) const {
    const auto* const begins = run.Piece<uint8_t>(begins_);
    auto* const before = run.Piece<int64_t>(before_);
    auto* const inverse = static_cast<int64_t*>(inverse_.Data(run));
    auto* const counts = static_cast<int64_t*>(counts_.Data(run));
    const int64_t* const order = OrderOf(run);
    const int64_t found = CountBefore(chunks_, before, [&](int64_t chunk) {
      return std::accumulate(begins + chunk * kChunk, begins + EndOfChunk(chunk, length_),
                             int64_t{0});
    });
    if (found < 0) return -1;
    const bool whole =
        ParallelForAll(chunks_, 1, [=, this](int64_t first_chunk, int64_t last_chunk) {
          for (int64_t chunk = first_chunk; chunk < last_chunk; ++chunk) {
            const int64_t begin = chunk * kChunk, end = EndOfChunk(chunk, length_);
            int64_t k = before[chunk];
            if (inverse != nullptr) {
              int64_t own = k - 1;
              for (int64_t i = begin; i < end; ++i) {
                inverse[order == nullptr ? i : order[i]] = own += begins[i];
              }
            }
            // Of runs that begin here, the last one goes on behind the chunk.
            int64_t start = -1;
            EachOnes(begins + begin, 1, end - begin, kAnyBit,
                     [&](const int64_t* places, int64_t some) {
                       for (int64_t j = 0; j < some; ++j) {
                         const int64_t i = begin + places[j];
                         note(k + j, i);
                         if (counts != nullptr && start >= 0) counts[k + j - 1] = i - start;
                         start = i;
                       }
                       k += some;
                     });
            if (counts == nullptr) continue;
            if (start >= 0) {
              counts[k - 1] = std::find(begins + end, begins + length_, 1) - begins - start;
            }
            // Of what lies behind the counts, each chunk clears its share.
            std::fill(counts + std::clamp(found, begin, end), counts + end, 0);
          }
        });
    return whole ? found : -1;
  }

  // Which slice stands at place i of those that are compared.
  const int64_t* OrderOf(const RunContext& run) const {
    return in_order_ ? run.Piece<int64_t>(order_) : nullptr;
  }

  bool WriteValues(const RunContext& run, int64_t found) const {
    const int64_t bytes = inner_ * size_, written = outer_ * found * bytes;
    char* const values = static_cast<char*>(values_.Data(run));
    std::memset(values + written, 0, static_cast<size_t>(outer_ * length_ * bytes - written));
    if (of_elements_) return true;
    // From here on, which slices they are.
    auto* const slices = run.Piece<int64_t>(starts_);
    if (const int64_t* const order = OrderOf(run)) {
      for (int64_t k = 0; k < found; ++k) slices[k] = order[slices[k]];
    }
    switch (bytes) {
      case 1:
        return CopySlices<uint8_t>(run, found, 1);
      case 2:
        return CopySlices<uint16_t>(run, found, 1);
      case 4:
        return CopySlices<uint32_t>(run, found, 1);
      case 8:
        return CopySlices<uint64_t>(run, found, 1);
      default:
        return CopySlices<uint8_t>(run, found, bytes);
    }
  }
  // Of the found slices, their parts of `count` T, which may begin between two of them.
  template <typename T>
  bool CopySlices(const RunContext& run, int64_t found, int64_t count) const {
    const auto bytes = static_cast<int64_t>(sizeof(T)) * count;
    const char* const self = static_cast<const char*>(self_.Data(run));
    char* const values = static_cast<char*>(values_.Data(run));
    const auto* const slices = run.Piece<int64_t>(starts_);
    return ParallelForAll(outer_ * found, std::max<int64_t>(1, kPiece / count),
                          [&](int64_t begin, int64_t end) {
                            int64_t o = begin / found, k = begin % found;
                            for (int64_t i = begin; i < end; ++i) {
                              const char* const from = self + (o * length_ + slices[k]) * bytes;
                              // A copy of a known size is one instruction.
                              std::memcpy(values + i * bytes, from,
                                          count == 1 ? sizeof(T) : static_cast<size_t>(bytes));
                              if (++k == found) ++o, k = 0;
                            }
                          });
  }

  const bool in_order_;
  const DType dtype_;
  const int64_t size_;
  const bool by_slices_;
  int dim_ = 0;
  int64_t outer_ = 1, length_ = 1, inner_ = 1;
  bool of_elements_ = false;  // compared as they lie
  int64_t chunks_ = 0;
  rows::Dense self_, values_, inverse_, counts_;
  WorkspacePiece before_;
  WorkspacePiece starts_;
  WorkspacePiece begins_;
  WorkspacePiece order_;
  SliceOrder slice_order_;
};

Result<PlanPointer> MakePlan(const Arguments& arguments, Planner& planner,
                             const UniquePlan::Task& task) {
  if (arguments.Tensor(kSelf).IsEmpty()) return PlanPointer();
  return PlanPointer(NewPlan<UniquePlan>(arguments, planner, task));
}

Result<PlanPointer> PlanUniqueConsecutive(const Arguments& arguments, Planner& planner) {
  using namespace unique_consecutive;  // NOLINT: the positions
  return MakePlan(arguments, planner,
                  {.in_order = false,
                   .returns_inverse = arguments.Bool(kReturnInverse),
                   .returns_counts = arguments.Bool(kReturnCounts)});
}
Result<PlanPointer> PlanUniqueDim(const Arguments& arguments, Planner& planner) {
  return MakePlan(arguments, planner,
                  {.in_order = true,
                   .returns_inverse = arguments.Bool(unique_dim::kReturnInverse),
                   .returns_counts = true});
}

constinit Operator unique_consecutive_operator(unique_consecutive::kContract,
                                               PlanUniqueConsecutive);
constinit Operator unique_dim_operator(unique_dim::kContract, PlanUniqueDim);

}  // namespace
}  // namespace aclimb::unique_slices

extern "C" aclnnStatus aclnnUniqueConsecutiveGetWorkspaceSize(
    const aclTensor* self, bool returnInverse, bool returnCounts, int64_t dim, aclTensor* valueOut,
    aclTensor* inverseOut, aclTensor* countsOut, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::unique_slices::unique_consecutive_operator, workspaceSize, executor,
                        self, returnInverse, returnCounts, dim, valueOut, inverseOut, countsOut);
}

extern "C" aclnnStatus aclnnUniqueConsecutive(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::unique_slices::unique_consecutive_operator, workspace,
                        workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnUniqueDimGetWorkspaceSize(const aclTensor* self, bool sorted,
                                                      bool returnInverse, int64_t dim,
                                                      aclTensor* valueOut, aclTensor* inverseOut,
                                                      aclTensor* countsOut, uint64_t* workspaceSize,
                                                      aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::unique_slices::unique_dim_operator, workspaceSize, executor, self,
                        sorted, returnInverse, dim, valueOut, inverseOut, countsOut);
}

extern "C" aclnnStatus aclnnUniqueDim(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::unique_slices::unique_dim_operator, workspace, workspaceSize,
                        executor, stream);
}
