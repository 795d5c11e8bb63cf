#pragma once

#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/core/tensor_view.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/simd/slots.h"

// Matrices, units and slots of vector_windows.h.
namespace aclimb::convolution_backward {

// Whether a product takes a tensor as it is: x or y with the pixels of each channel side by side,
// images and channels anywhere; weights with those of an output channel side by side, and
// the elements of each window.
bool HasDensePlanes(const TensorView& channels);
bool HasDenseRows(const TensorView& weight);

// A matrix, or one for each image, with the elements of a row side by side. Strides in elements.
struct Matrix {
  char* data;
  DType dtype;
  int64_t image, row;

  void* At(int64_t i, int64_t r, int64_t c = 0) const {
    return data + (i * image + r * row + c) * static_cast<int64_t>(SizeOf(dtype));
  }
  template <typename T>
  T* As(int64_t i, int64_t r, int64_t c = 0) const {
    return static_cast<T*>(At(i, r, c));
  }
};

// Of x or y: a row for each channel. Of a weight: a row for each output channel.
Matrix ChannelsOf(const TensorView& view);
Matrix WeightsOf(const TensorView& view);

// Calls size(down, across), which cuts a plan into so many units each way and returns the size of
// one, for all numbers of the two ranges, and leaves the plan with the least time by a model: every
// thread takes as many units as the busiest one, and a unit reads its operands in the time of
// multiplying a few more rows and columns.
//   late  threads do not begin together: by this part of a unit
struct Range {
  int64_t first, last;
};
struct UnitSize {
  int64_t units, rows, columns;
};
template <typename Size>
void CutUnits(const Range& downs, const Range& acrosses, int threads, double late,
              const Size& size) {
  constexpr double kReading = 16;
  double least = 0;
  int64_t best_down = downs.first, best_across = acrosses.first;
  for (int64_t down = downs.first; down <= downs.last; ++down) {
    for (int64_t across = acrosses.first; across <= acrosses.last; ++across) {
      const UnitSize unit = size(down, across);
      const double rounds = static_cast<double>(CeilDivide(unit.units, int64_t{threads}));
      const double time = (rounds + late) * (static_cast<double>(unit.rows) + kReading) *
                          (static_cast<double>(unit.columns) + kReading);
      if (least > 0 && time >= least) continue;
      least = time;
      best_down = down;
      best_across = across;
    }
  }
  size(best_down, best_across);
}

// Calls body(unit, memory) for all units of a plan, each with the memory of a slot of its own.
template <typename Plan, typename Body>
void RunUnits(const Plan& plan, char* memory, const Body& body) {
  Slots slots(plan.slots);
  const int64_t bytes = plan.SlotBytes();
  ForEach(plan.Units(), plan.slots > 1, [&](int64_t unit) {
    const Slots::Lease slot(slots);
    body(unit, static_cast<void*>(memory + slot.number() * bytes));
  });
}

// Runs a plan of a product: the weights are packed to the beginning of the scratch, unless they are
// its result, then all units are computed.
//   pack()                              the weights
//   sums(unit, memory)                  a unit of kGradWeight
//   rows(unit, source, result, memory)  a unit of the others
template <typename Plan, typename Pack, typename Sums, typename Rows>
void RunPlan(const Plan& plan, const Matrix& x, const Matrix& y, void* scratch, const Pack& pack,
             const Sums& sums, const Rows& rows) {
  const bool gives_weight = plan.task == Task::kGradWeight, forward = plan.task == Task::kForward;
  if (!gives_weight) pack();
  if (plan.slots > 1 && IsCancelled()) return;
  RunUnits(plan, static_cast<char*>(scratch) + plan.WeightBytes(), [&](int64_t unit, void* own) {
    gives_weight ? sums(unit, own) : rows(unit, forward ? x : y, forward ? y : x, own);
  });
}

}  // namespace aclimb::convolution_backward
