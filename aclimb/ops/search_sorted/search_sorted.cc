// aclnnSearchSorted and aclnnSearchSorteds: the loop, the plan and the C entry points.

#include <hwy/base.h>

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

// One whose elements lie side by side.
template <typename T>
struct DenseLine {
  const T* elements;
  int64_t length;

  auto operator[](int64_t i) const { return Comparable(elements[i]); }
};

// Whether an element is before a value; an equal one is if `right`. All are before NaN.
template <typename V>
bool IsBefore(V own, V value, bool right) {
  return right ? !(own > value) : !(own >= value);
}

// How many elements are before the value.
template <typename V, typename T>
int64_t Find(const Line<T>& line, V value, bool right) {
  int64_t begin = 0, end = line.length;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (IsBefore(static_cast<V>(line[middle]), value, right)) {
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
template <bool kRight, typename V, class Elements>
HWY_NOINLINE void FindTogether(const Elements line, const V (&values)[kTogether],
                               int64_t (&begin)[kTogether]) {
  uint64_t size[kTogether];  // unsigned: halves are shifts
  std::fill_n(begin, kTogether, 0);
  std::fill_n(size, kTogether, static_cast<uint64_t>(line.length));
  // The sizes differ by 1 at most.
  for (int64_t least = line.length; least > 0; least = (least - 1) / 2) {
    for (int k = 0; k < kTogether; ++k) {
      const uint64_t half = size[k] / 2;
      const auto middle = begin[k] + static_cast<int64_t>(half);
      const uint64_t before = IsBefore(line[middle], values[k], kRight) ? 1 : 0;
      begin[k] += static_cast<int64_t>(-before & (half + 1));
      size[k] = half - (before & ~size[k]);
    }
  }
  for (int k = 0; k < kTogether; ++k) {
    if (size[k] != 0 && IsBefore(line[begin[k]], values[k], kRight)) ++begin[k];
  }
}

// A number that is looked for instead of a tensor's values.
struct Number {
  bool is_whole = false;
  int64_t whole = 0;
  double real = 0;

  template <typename T>
  int64_t FindIn(const Line<T>& line, bool right) const {
    if constexpr (std::is_integral_v<T>) {
      return is_whole ? Find(line, whole, right) : Find(line, static_cast<float>(real), right);
    } else {
      return Find(line, real, right);
    }
  }
};

// Values that lie equally far apart, the lines in which they are looked for, and where the results
// go.
struct Rows {
  const void* self;  // null: the number
  Number number;
  const void* sequence;
  const int64_t* sorter;  // may be null
  void* out;
  int64_t length;  // of a line
  int64_t line_step;
  int64_t sorter_step;
  int64_t steps[4];  // from value to value, of self, lines, sorters and out
  bool right;
  bool wide;  // results of int64
};

// The row that begins at `at`.
template <typename T>
void SearchRow(const Rows& rows, const int64_t (&at)[4], int64_t count) {
  const bool right = rows.right;
  Line<T> line = {.elements = static_cast<const T*>(rows.sequence) + at[1],
                  .step = rows.line_step,
                  .sorter = rows.sorter == nullptr ? nullptr : rows.sorter + at[2],
                  .sorter_step = rows.sorter_step,
                  .length = rows.length};
  const int64_t line_step = rows.steps[1], sorter_step = rows.steps[2];
  const auto next = [&] {
    line.elements += line_step;
    if (line.sorter != nullptr) line.sorter += sorter_step;
  };
  // By value: what is written may then be none of it.
  const auto put = [wide = rows.wide, out = rows.out, first = at[3], step = rows.steps[3]](
                       int64_t i, int64_t found) {
    if (wide) {
      static_cast<int64_t*>(out)[first + i * step] = found;
    } else {
      static_cast<int32_t*>(out)[first + i * step] = static_cast<int32_t>(found);
    }
  };
  int64_t i = 0;
  if (rows.self == nullptr) {
    for (; i < count; ++i, next()) put(i, rows.number.FindIn(line, right));
    return;
  }
  const auto own = [self = static_cast<const T*>(rows.self) + at[0],
                    step = rows.steps[0]](int64_t k) { return Comparable(self[k * step]); };
  const bool one_line = line_step == 0 && sorter_step == 0;
  const bool is_dense = line.step == 1 && line.sorter == nullptr;
  for (; one_line && i + kTogether <= count; i += kTogether) {
    decltype(own(0)) values[kTogether];
    int64_t found[kTogether];
    for (int k = 0; k < kTogether; ++k) values[k] = own(i + k);
    const auto find = [&](const auto& in) {
      right ? FindTogether<true>(in, values, found) : FindTogether<false>(in, values, found);
    };
    is_dense ? find(DenseLine<T>{line.elements, line.length}) : find(line);
    for (int k = 0; k < kTogether; ++k) put(i + k, found[k]);
  }
  for (; i < count; ++i, next()) put(i, Find(line, own(i), right));
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
    Rows rows = {.self = single_ ? nullptr : run.Data(P::kSelf),
                 .number = number_,
                 .sequence = run.Data(P::kSequence),
                 .sorter = sorted_ ? nullptr : static_cast<const int64_t*>(run.Data(P::kSorter)),
                 .out = run.Data(P::kOut),
                 .length = length_,
                 .line_step = step_,
                 .sorter_step = sorter_step_,
                 .steps = {},
                 .right = right_,
                 .wide = wide_};
    for (int n = 0; n < 4; ++n) rows.steps[n] = values_.stride[n][values_.rank - 1];
    const auto search = RowSearch();
    ParallelFor(values_.count, kGrain, [&](int64_t begin, int64_t end) {
      values_.Visit(begin, end,
                    [&](const int64_t(&at)[4], int64_t count) { search(rows, at, count); });
    });
  }

 private:
  // SearchRow() of the dtype.
  auto RowSearch() const -> void (*)(const Rows&, const int64_t (&)[4], int64_t) {
    switch (dtype_) {
      case DType::kFloat32:
        return SearchRow<float>;
      case DType::kFloat16:
        return SearchRow<Float16>;
      case DType::kFloat64:
        return SearchRow<double>;
      case DType::kInt64:
        return SearchRow<int64_t>;
      case DType::kInt32:
        return SearchRow<int32_t>;
      case DType::kInt16:
        return SearchRow<int16_t>;
      case DType::kInt8:
        return SearchRow<int8_t>;
      default:
        return SearchRow<uint8_t>;
    }
  }

  // Rounded to the dtype of the sequence; of integers as it is, and a fraction in float.
  void SetValue(const ScalarValue& value) {
    double& real = number_.real;
    number_.is_whole = !IsFloating(value.dtype);
    number_.whole = value.ToInteger();
    real = value.ToDouble();
    if (!IsFloating(dtype_)) {
      real = static_cast<float>(real);
    } else if (dtype_ != DType::kFloat64) {
      alignas(8) unsigned char narrow[8];
      copy::Converter(DType::kFloat64, dtype_).Run(&real, 1, narrow);
      copy::Converter(dtype_, DType::kFloat64).Run(narrow, 1, &real);
    }
  }

  const bool right_;
  const bool wide_;
  const bool single_;  // a number is looked for
  const bool sorted_;  // by itself
  Number number_;
  DType dtype_;
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
