#include "aclimb/ops/sorts/line_plan.h"

#include <algorithm>
#include <cstring>

#include "aclimb/core/lines.h"
#include "aclimb/ops/sorts/sorter.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::sorts {
namespace {

// Elements that one thread takes at once.
constexpr int64_t kGrain = 16 * 1024;

// Of an output that may have dropped the dimension.
TensorView LinesOf(const TensorView& view, int dim, int line_rank) {
  return view.rank > line_rank ? Without(view, dim) : view;
}

class LinePlan final : public Plan {
 public:
  LinePlan(const contract::Arguments& arguments, Planner& planner, const LineTask& task)
      : task_(task) {
    TensorView self = arguments.Tensor(task.self).View();
    if (task.flat) {
      dense_ = rows::Dense::Input(planner, task.self, self);
      self = AsOneLine(self);
    }
    length_ = self.rank == 0 ? 1 : self.shape[task.dim];
    self_stride_ = self.rank == 0 ? 1 : self.stride[task.dim];
    const TensorView lines = Without(self, task.dim);
    const auto output = [&](int parameter, int64_t& stride) {
      if (parameter < 0 || task.flat) return lines;
      const TensorView view = arguments.Tensor(parameter).View();
      stride = view.rank == 0 ? 1 : view.stride[task.dim];
      return LinesOf(view, task.dim, lines.rank);
    };
    const TensorView values = output(task.values, values_stride_);
    const TensorView indices = output(task.indices, indices_stride_);
    lines_ = Walk<3>::Make({&lines, &values, task.indices < 0 ? &values : &indices});

    planner.Reads(task.self);
    if (task.values >= 0) planner.Writes(task.values);
    if (task.indices >= 0) planner.Writes(task.indices);
    const double elements = static_cast<double>(lines_.count) * static_cast<double>(length_);
    planner.Costs({.cycles = 40 * elements});
    wide_ = NeedsWideEntries(task.order.dtype, length_);
    // The lines, or if they are too few what is in each, are shared out: the results are the same.
    together_ = length_ > Sorter<WideEntry>::kLeastBlock && lines_.count < TeamSize();
    slots_ = together_ ? 1 : std::min<int64_t>({lines_.count, TeamSize(), Slots::kMost});
    entries_ = planner.workspace().Book(2 * slots_, EntryBytes(task.order.dtype, length_));
  }

  void Run(const RunContext& run) const override {
    const void* const self = dense_.given() ? dense_.Read(run) : run.Data(task_.self);
    if (self == nullptr) return;
    wide_ ? RunAs<WideEntry>(run, self) : RunAs<NarrowEntry>(run, self);
  }

 private:
  template <typename Entry>
  void RunAs(const RunContext& run, const void* self) const {
    const Sorter<Entry> sorter(task_.order, length_, task_.wanted, task_.last_alone);
    const auto size = static_cast<int64_t>(SizeOf(task_.order.dtype));
    Entry* const entries = run.Piece<Entry>(entries_);
    char* const values = task_.values < 0 ? nullptr : static_cast<char*>(run.Data(task_.values));
    auto* const indices =
        task_.indices < 0 ? nullptr : static_cast<int64_t*>(run.Data(task_.indices));
    // Where a line and its results begin.
    struct Place {
      const char* self;
      char* values;
      int64_t* indices;
    };
    const auto place_of = [&](int64_t line) {
      Place place = {};
      lines_.Visit(line, line + 1, [&](const int64_t(&at)[3], int64_t) {
        place = {static_cast<const char*>(self) + at[0] * size,
                 values == nullptr ? nullptr : values + at[1] * size,
                 indices == nullptr ? nullptr : indices + at[2]};
      });
      return place;
    };
    if (together_) {
      for (int64_t line = 0; line < lines_.count; ++line) {
        const Place place = place_of(line);
        const Entry* const sorted =
            sorter.SortTogether(place.self, self_stride_, entries, entries + length_);
        if (sorted == nullptr) return;
        if (task_.last_alone) {
          Write(place, Chosen(sorted), 1);
          continue;
        }
        const bool written = ParallelForAll(task_.wanted, kGrain, [&](int64_t begin, int64_t end) {
          Write(Place{place.self,
                      place.values == nullptr ? nullptr
                                              : place.values + begin * values_stride_ * size,
                      place.indices == nullptr ? nullptr : place.indices + begin * indices_stride_},
                sorted + begin, end - begin);
        });
        if (!written) return;
      }
      return;
    }
    const int64_t grain = std::max<int64_t>(1, kGrain / length_);
    const SlotMemory memory = {entries, slots_, 2 * length_ * static_cast<int64_t>(sizeof(Entry))};
    (void)ForEachUnit(lines_.count, grain, memory, [&](int64_t line, char* scratch) {
      auto* const buffer = reinterpret_cast<Entry*>(scratch);
      const Place place = place_of(line);
      const Entry* const sorted =
          sorter.SortAlone(place.self, self_stride_, buffer, buffer + length_);
      task_.last_alone ? Write(place, Chosen(sorted), 1) : Write(place, sorted, task_.wanted);
    });
  }

  // Of the first entries, the last; or the first NaN, which is the least one.
  template <typename Entry>
  const Entry* Chosen(const Entry* sorted) const {
    if (task_.nan_first && IsFloating(task_.order.dtype)) {
      const Entry* const least = std::min_element(sorted, sorted + task_.wanted);
      if (least->Key() == KeyOfNan(task_.order)) return least;
    }
    return sorted + task_.wanted - 1;
  }

  template <typename Place, typename Entry>
  void Write(const Place& place, const Entry* sorted, int64_t count) const {
    if (place.indices != nullptr) {
      for (int64_t i = 0; i < count; ++i) place.indices[i * indices_stride_] = sorted[i].Place();
    }
    if (place.values == nullptr) return;
    switch (SizeOf(task_.order.dtype)) {
      case 1:
        return CopyElements<uint8_t>(place, sorted, count);
      case 2:
        return CopyElements<uint16_t>(place, sorted, count);
      case 4:
        return CopyElements<uint32_t>(place, sorted, count);
      default:
        return CopyElements<uint64_t>(place, sorted, count);
    }
  }
  template <typename T, typename Place, typename Entry>
  void CopyElements(const Place& place, const Entry* sorted, int64_t count) const {
    const T* const self = reinterpret_cast<const T*>(place.self);
    T* const values = reinterpret_cast<T*>(place.values);
    for (int64_t i = 0; i < count; ++i) {
      values[i * values_stride_] = self[sorted[i].Place() * self_stride_];
    }
  }

  const LineTask task_;
  rows::Dense dense_;
  int64_t length_;
  int64_t self_stride_;
  int64_t values_stride_ = 1;
  int64_t indices_stride_ = 1;
  Walk<3> lines_;  // self, values, indices
  bool wide_;
  bool together_;
  int64_t slots_;
  WorkspacePiece entries_;
};

}  // namespace

int64_t EntryBytes(DType dtype, int64_t length) {
  const int64_t size = NeedsWideEntries(dtype, length) ? sizeof(WideEntry) : sizeof(NarrowEntry);
  int64_t bytes;
  return __builtin_mul_overflow(length, size, &bytes) ? -1 : bytes;
}

PlanPointer MakeLinePlan(const contract::Arguments& arguments, Planner& planner,
                         const LineTask& task) {
  return NewPlan<LinePlan>(arguments, planner, task);
}

}  // namespace aclimb::sorts
