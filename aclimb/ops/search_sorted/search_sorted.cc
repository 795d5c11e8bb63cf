// aclnnSearchSorted and aclnnSearchSorteds: the loop, the plan and the C entry points.

#include <algorithm>
#include <type_traits>

#include "aclimb/copy/convert.h"
#include "aclimb/copy/storage.h"
#include "aclimb/core/half.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/search_sorted/contracts.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::search_sorted {
namespace {

using contract::Arguments;

using P = Searched;

// Values that a thread takes at once.
constexpr int64_t kGrain = 2048;

template <typename T>
auto Comparable(T x) {
  if constexpr (std::is_same_v<T, Float16>) {
    return ToFloat(x);
  } else {
    return x;
  }
}

// A sequence: elements in ascending order, by themselves or where the sorter has them.
template <typename T>
struct Line {
  const T* elements;
  int64_t step;
  const int64_t* sorter;  // may be null
  int64_t sorter_step;
  int64_t length;

  auto operator[](int64_t i) const {
    if (sorter == nullptr) return Comparable(elements[i * step]);
    const int64_t place = sorter[i * sorter_step];
    return place < 0 || place >= length ? decltype(Comparable(T())){}
                                        : Comparable(elements[place * step]);
  }
};

// Whether an element is before a value; an equal one is if kRight. All are before NaN.
template <bool kRight, typename V>
bool IsBefore(V own, V value) {
  return kRight ? !(own > value) : !(own >= value);
}

// How many elements are before the value.
template <bool kRight, typename V, typename T>
int64_t Find(const Line<T>& line, V value) {
  int64_t begin = 0, end = line.length;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (IsBefore<kRight>(static_cast<V>(line[middle]), value)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

// Values of one line that are looked for together: the steps of a search wait for each other, not
// for those of the others.
constexpr int kTogether = 8;

// As Find(), of each value, without branches, of which half are guessed wrong.
template <bool kRight, typename V, typename T>
void FindTogether(const Line<T>& line, const V (&values)[kTogether], int64_t (&begin)[kTogether]) {
  int64_t size[kTogether];
  std::fill_n(begin, kTogether, 0);
  std::fill_n(size, kTogether, line.length);
  // The sizes differ by 1 at most.
  for (int64_t least = line.length; least > 0; least = (least - 1) / 2) {
    for (int k = 0; k < kTogether; ++k) {
      const int64_t half = size[k] / 2;
      const auto own = static_cast<V>(line[begin[k] + half]);
      const int64_t before = IsBefore<kRight>(own, values[k]) ? 1 : 0;
      begin[k] += -before & (half + 1);
      size[k] = half - (before & ~size[k]);
    }
  }
  for (int k = 0; k < kTogether; ++k) {
    if (size[k] != 0 && IsBefore<kRight>(static_cast<V>(line[begin[k]]), values[k])) ++begin[k];
  }
}

class SearchPlan final : public Plan {
 public:
  // value: the number that is looked for, if it is one.
  SearchPlan(const Arguments& arguments, Planner& planner, const ScalarValue* value)
      : right_(arguments.Bool(P::kRight)),
        wide_(!arguments.Bool(P::kOutInt32)),
        single_(value != nullptr),
        sorted_(!arguments.Given(P::kSorter)) {
    const TensorView sequence = arguments.Tensor(P::kSequence).View();
    const TensorView out = arguments.Tensor(P::kOut).View();
    dtype_ = sequence.dtype;
    const int last = sequence.rank - 1;
    length_ = sequence.shape[last];
    step_ = sequence.stride[last];
    TensorView self = out, lines = out, sorters = out;
    if (single_) {
      SetValue(*value);
      std::fill_n(self.stride, self.rank, 0);
    } else {
      self = arguments.Tensor(P::kSelf).View();
      planner.Reads(P::kSelf);
    }
    // Where the line of each value begins.
    std::fill_n(lines.stride, lines.rank, 0);
    std::fill_n(sorters.stride, sorters.rank, 0);
    std::copy_n(sequence.stride, last, lines.stride);
    if (!sorted_) {
      const TensorView sorter = arguments.Tensor(P::kSorter).View();
      sorter_step_ = sorter.stride[last];
      std::copy_n(sorter.stride, last, sorters.stride);
    }
    values_ = Walk<4>::Make({&self, &lines, &sorters, &out});
    if (length_ != 0) {
      planner.Reads(P::kSequence);
      if (!sorted_) planner.Reads(P::kSorter);
    }
    planner.Writes(P::kOut);
    int steps = 1;
    while (steps < 63 && length_ >> steps != 0) ++steps;
    planner.Costs({.cycles = 8.0 * steps * static_cast<double>(values_.count)});
  }

  void Run(const RunContext& run) const override {
    switch (dtype_) {
      case DType::kFloat32:
        return Search<float>(run);
      case DType::kFloat16:
        return Search<Float16>(run);
      case DType::kFloat64:
        return Search<double>(run);
      case DType::kInt64:
        return Search<int64_t>(run);
      case DType::kInt32:
        return Search<int32_t>(run);
      case DType::kInt16:
        return Search<int16_t>(run);
      case DType::kInt8:
        return Search<int8_t>(run);
      default:
        return Search<uint8_t>(run);
    }
  }

 private:
  // Rounded to the dtype of the sequence; of integers as it is, and a fraction in float.
  void SetValue(const ScalarValue& value) {
    is_whole_ = !IsFloating(value.dtype);
    whole_ = value.ToInteger();
    real_ = value.ToDouble();
    if (!IsFloating(dtype_)) {
      real_ = static_cast<float>(real_);
    } else if (dtype_ != DType::kFloat64) {
      alignas(8) unsigned char narrow[8];
      copy::Converter(DType::kFloat64, dtype_).Run(&real_, 1, narrow);
      copy::Converter(dtype_, DType::kFloat64).Run(narrow, 1, &real_);
    }
  }

  template <typename T>
  void Search(const RunContext& run) const {
    if (!single_) return Search<T>(run, [](T value) { return Comparable(value); });
    if constexpr (std::is_integral_v<T>) {
      if (is_whole_) return Search<T>(run, [this](T) { return whole_; });
      return Search<T>(run, [this](T) { return static_cast<float>(real_); });
    } else {
      return Search<T>(run, [this](T) { return real_; });
    }
  }
  template <typename T, typename Value>
  void Search(const RunContext& run, Value value) const {
    if (wide_) {
      right_ ? Search<T, int64_t, true>(run, value) : Search<T, int64_t, false>(run, value);
    } else {
      right_ ? Search<T, int32_t, true>(run, value) : Search<T, int32_t, false>(run, value);
    }
  }

  template <typename T, typename Index, bool kRight, typename Value>
  void Search(const RunContext& run, Value value) const {
    const T* const self = single_ ? nullptr : static_cast<const T*>(run.Data(P::kSelf));
    const T* const sequences = static_cast<const T*>(run.Data(P::kSequence));
    const auto* const sorters =
        sorted_ ? nullptr : static_cast<const int64_t*>(run.Data(P::kSorter));
    auto* const out = static_cast<Index*>(run.Data(P::kOut));
    const int inner = values_.rank - 1;
    int64_t steps[4];
    for (int n = 0; n < 4; ++n) steps[n] = values_.stride[n][inner];
    ParallelFor(values_.count, kGrain, [&](int64_t begin, int64_t end) {
      values_.Visit(begin, end, [&](const int64_t(&at)[4], int64_t count) {
        const auto line = [&](int64_t i) {
          return Line<T>{.elements = sequences + at[1] + i * steps[1],
                         .step = step_,
                         .sorter = sorted_ ? nullptr : sorters + at[2] + i * steps[2],
                         .sorter_step = sorter_step_,
                         .length = length_};
        };
        const auto own = [&](int64_t i) {
          return value(self == nullptr ? T() : self[at[0] + i * steps[0]]);
        };
        const auto put = [&](int64_t i, int64_t found) {
          out[at[3] + i * steps[3]] = static_cast<Index>(found);
        };
        int64_t i = 0;
        const bool one_line = steps[1] == 0 && steps[2] == 0;
        for (; one_line && i + kTogether <= count; i += kTogether) {
          decltype(value(T())) values[kTogether];
          int64_t found[kTogether];
          for (int k = 0; k < kTogether; ++k) values[k] = own(i + k);
          FindTogether<kRight>(line(0), values, found);
          for (int k = 0; k < kTogether; ++k) put(i + k, found[k]);
        }
        for (; i < count; ++i) put(i, Find<kRight>(line(i), own(i)));
      });
    });
  }

  const bool right_;
  const bool wide_;
  const bool single_;  // a number is looked for
  const bool sorted_;  // by itself
  bool is_whole_ = false;
  DType dtype_;
  int64_t whole_ = 0;
  double real_ = 0;
  int64_t length_;  // of a line
  int64_t step_;
  int64_t sorter_step_ = 0;
  Walk<4> values_;  // of self, lines, sorters and out
};

Result<PlanPointer> PlanTensor(const Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(P::kOut).IsEmpty()) return PlanPointer();
  return PlanPointer(NewPlan<SearchPlan>(arguments, planner, nullptr));
}
Result<PlanPointer> PlanNumber(const Arguments& arguments, Planner& planner) {
  return PlanPointer(NewPlan<SearchPlan>(arguments, planner, &arguments.Scalar(P::kSelf)));
}

constinit Operator search_sorted_operator(tensor::kContract, PlanTensor);
constinit Operator search_sorteds_operator(number::kContract, PlanNumber);

}  // namespace
}  // namespace aclimb::search_sorted

#define ACLIMB_SEARCH(Name, name, Value)                                                         \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                          \
      const aclTensor* sortedSequence, const Value* self, const bool outInt32, const bool right, \
      const aclTensor* sorter, aclTensor* out, uint64_t* workspaceSize,                          \
      aclOpExecutor** executor) {                                                                \
    return aclimb::Phase1(aclimb::search_sorted::name##_operator, workspaceSize, executor,       \
                          sortedSequence, self, outInt32, right, sorter, out);                   \
  }                                                                                              \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                    \
                                     aclOpExecutor* executor, aclrtStream stream) {              \
    return aclimb::Phase2(aclimb::search_sorted::name##_operator, workspace, workspaceSize,      \
                          executor, stream);                                                     \
  }
ACLIMB_SEARCH(SearchSorted, search_sorted, aclTensor)
ACLIMB_SEARCH(SearchSorteds, search_sorteds, aclScalar)
#undef ACLIMB_SEARCH
