// Dot products of shifted planes, for the gradient of the weight.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/convolution_backward/direct/direct_outer.cc"
// Register blocks are arrays of vectors, which scalable vectors cannot be.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/ahead.h"
#include "aclimb/ops/convolution_backward/direct/direct.h"
#include "aclimb/ops/convolution_backward/direct/flat_planes-inl.h"
#include "aclimb/ops/convolution_backward/elements.h"
#include "aclimb/simd/factors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb {
namespace convolution_backward {
namespace HWY_NAMESPACE {

using Tag = hn::ScalableTag<float>;
using aclimb::HWY_NAMESPACE::MultiplyAdd, aclimb::HWY_NAMESPACE::WithFactors;

// sums[r * stride + c] += dot(row r, column c) over `length` elements of planes, up to a vector
// more. The numbers of rows and columns are the function's.
using DotFunction = void (*)(const void* const* rows, const void* const* columns, int64_t length,
                             double* sums, int64_t stride);

// The highest block of sums, and the widest, that the registers hold beside its rows and one
// operand more.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr int kMaxDotRows = 4;
constexpr int kMaxColumns[kMaxDotRows + 1] = {0, 7, 7, 7, 6};
#else
constexpr int kMaxDotRows = 3;
constexpr int kMaxColumns[kMaxDotRows + 1] = {0, 7, 6, 4};
#endif
constexpr int kMaxDotColumns = 7;
constexpr int MaxColumns(int64_t rows) { return rows <= kMaxDotRows ? kMaxColumns[rows] : 0; }

// Elements of planes, which pairs take two at a time.
template <Factors kFactors>
using Element = std::conditional_t<kFactors == Factors::kPairs, BFloat16, float>;

template <Factors kFactors, int kRows, int kColumns>
HWY_NOINLINE void Dot(const void* const* rows, const void* const* columns, int64_t length,
                      double* sums, int64_t stride) {
  if constexpr (kColumns <= MaxColumns(kRows)) {
    const Tag d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto load = [d](const void* from, int64_t t) HWY_ATTR {
      const auto* const at = static_cast<const Element<kFactors>*>(from) + t;
      return hn::LoadU(d, reinterpret_cast<const float*>(at));
    };
    hn::Vec<Tag> sum[kRows][kColumns];
    const void* row[kRows];
    const void* column[kColumns];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      row[r] = rows[r];
#pragma GCC unroll 8
      for (int c = 0; c < kColumns; ++c) sum[r][c] = hn::Zero(d);
    }
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) column[c] = columns[c];
    for (int64_t t = 0; t < length; t += lanes * PerElement(kFactors)) {
      hn::Vec<Tag> left[kRows];
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        left[r] = load(row[r], t);
        if constexpr (kColumns > 1) KeepInRegister(left[r]);
      }
#pragma GCC unroll 8
      for (int c = 0; c < kColumns; ++c) {
        auto right = load(column[c], t);
        if constexpr (kRows > 1) KeepInRegister(right);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
          sum[r][c] = MultiplyAdd<kFactors>(d, left[r], right, sum[r][c]);
        }
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (int c = 0; c < kColumns; ++c) {
        sums[r * stride + c] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum[r][c])));
      }
    }
  }
}

template <Factors kFactors, int kRows>
constexpr DotFunction kDotRow[kMaxDotColumns] = {Dot<kFactors, kRows, 1>, Dot<kFactors, kRows, 2>,
                                                 Dot<kFactors, kRows, 3>, Dot<kFactors, kRows, 4>,
                                                 Dot<kFactors, kRows, 5>, Dot<kFactors, kRows, 6>,
                                                 Dot<kFactors, kRows, 7>};
template <Factors kFactors>
constexpr const DotFunction* kDots[] = {kDotRow<kFactors, 1>, kDotRow<kFactors, 2>,
                                        kDotRow<kFactors, 3>, kDotRow<kFactors, 4>};

// About so many products of rows and columns are one call of a DotFunction.
constexpr int64_t kDotsOfBlock = 24;

// sums[r][c] += dot(rows[r], columns[c]) for all pairs.
template <Factors kFactors>
void AllDots(const void* const* rows, int64_t row_count, const void* const* columns,
             int64_t column_count, int64_t length, double* sums, Ahead& ahead) {
  const int64_t down = CeilDivide(row_count, int64_t{kMaxDotRows});
  const int64_t most_columns = MaxColumns(CeilDivide(row_count, down));
  const int64_t across = CeilDivide(column_count, most_columns);
  for (int64_t i = 0; i < down; ++i) {
    const int64_t r = row_count * i / down;
    const int64_t r_end = row_count * (i + 1) / down;
    for (int64_t j = 0; j < across; ++j) {
      const int64_t c = column_count * j / across;
      const int64_t c_end = column_count * (j + 1) / across;
      ahead.Ask();
      kDots<kFactors>[r_end - r - 1][c_end - c - 1](rows + r, columns + c, length,
                                                    sums + r * column_count + c, column_count);
    }
  }
}

// One unit's scratch: sums [phase][y channel][x channel, tap], the pointers of a phase's rows
// (planes of y) and columns (planes of x, shifted by taps), then the planes.
struct OuterSlot {
  double* sums;
  const void** rows;
  const void** columns;
  char* y_planes;
  char* x_planes;
  int64_t element;  // bytes of one in a plane

  OuterSlot(const DirectPlan& plan, void* slot) {
    const auto& outer = plan.outer;
    const int64_t kernel = plan.geometry.KernelSize();
    element = plan.UsesPairs() ? sizeof(BFloat16) : sizeof(float);
    sums = static_cast<double*>(slot);
    rows = reinterpret_cast<const void**>(sums + outer.y_per_unit * outer.x_per_unit * kernel);
    columns = rows + outer.y_per_unit;
    y_planes =
        static_cast<char*>(slot) + 4 * plan.slot_elements -
        (outer.y_per_unit + outer.x_per_unit * plan.flat.Phases()) * plan.plane_stride * element;
    x_planes = y_planes + outer.y_per_unit * plan.plane_stride * element;
  }
};

// What a unit works on: some channels of a group, and a block of steps.
struct OuterBounds {
  int64_t group;
  Range x, y, steps;

  OuterBounds(const DirectPlan& plan, int64_t unit) {
    const auto& outer = plan.outer;
    const Geometry& g = plan.geometry;
    const auto block_of = [&unit](int64_t blocks, int64_t size, int64_t all) {
      const int64_t first = unit % blocks * size;
      unit /= blocks;
      return Range{first, std::min(first + size, all)};
    };
    const int64_t block = unit % outer.step_blocks, all = plan.image_blocks * plan.flat.blocks;
    steps = {all * block / outer.step_blocks, all * (block + 1) / outer.step_blocks};
    unit /= outer.step_blocks;
    x = block_of(outer.x_blocks, outer.x_per_unit, g.x_channels);
    y = block_of(outer.y_blocks, outer.y_per_unit, g.y_channels);
    group = unit;
  }
};

// The planes of a step.
void WantStep(const DirectPlan& plan, const OuterBounds& bounds, int64_t step, const TensorView& x,
              const TensorView& y, Ahead& ahead) {
  const FlatPlace at(plan, step);
  ahead.Want(StretchesOf(YWindow(plan.flat, at.start, false), y,
                         at.Of(bounds.group, plan.geometry.y_channels, bounds.y)));
  ahead.Want(StretchesOf(XWindow(plan.flat, 0, at.start), x,
                         at.Of(bounds.group, plan.geometry.x_channels, bounds.x)));
}

// Planes of x, one for each phase, or those of y. One function for both, since packing rows of all
// types takes longer to compile than the products.
HWY_NOINLINE void PackStep(const DirectPlan& plan, const TensorView& view, const Channels& of,
                           const int64_t (&start)[kDims], bool of_x, void* to) {
  const FlatGeometry& flat = plan.flat;
  const auto window_of = [&](int64_t phase) HWY_ATTR {
    return of_x ? XWindow(flat, phase, start) : YWindow(flat, start, false);
  };
  PackPlanes<Form::kHalves>(plan, view, of, of_x ? flat.Phases() : 1, window_of, to);
}

void OuterUnit(const DirectPlan& plan, int64_t unit, const TensorView& x, const TensorView& y,
               const DirectTap* taps, double* all_sums, void* slot_memory) {
  const FlatGeometry& flat = plan.flat;
  const Geometry& g = plan.geometry;
  const OuterBounds bounds(plan, unit);
  const int64_t x_count = bounds.x.Count(), y_count = bounds.y.Count();
  const int64_t kernel = g.KernelSize(), x_stride = flat.Phases() * plan.plane_stride;
  const OuterSlot slot(plan, slot_memory);
  std::fill_n(slot.sums, y_count * x_count * kernel, 0.0);
  // Elements whose products make a block in each lane: whole vectors, of pairs too.
  const int64_t most = kBlockTerms / 4 * 4 * static_cast<int64_t>(hn::Lanes(Tag()));

  Ahead ahead;
  for (int64_t step = bounds.steps.first; step < bounds.steps.last; ++step) {
    const FlatPlace at(plan, step);
    PackStep(plan, y, at.Of(bounds.group, g.y_channels, bounds.y), at.start, false, slot.y_planes);
    PackStep(plan, x, at.Of(bounds.group, g.x_channels, bounds.x), at.start, true, slot.x_planes);
    // What comes next, in this unit or in the next one.
    const int64_t next = unit + plan.slots;
    ahead.Clear();
    if (step + 1 < bounds.steps.last) {
      WantStep(plan, bounds, step + 1, x, y, ahead);
    } else if (next < plan.units) {
      const OuterBounds following(plan, next);
      WantStep(plan, following, following.steps.first, x, y, ahead);
    }
    ahead.Begin(y_count * x_count * kernel / kDotsOfBlock);
    for (int64_t from = 0; from < at.length; from += most) {
      double* sums = slot.sums;
      const DirectTap* tap = taps;
      for (int64_t p = 0; p < flat.Phases(); ++p) {
        const FlatPhase phase = flat.Phase(p);
        const void** row = slot.rows;
        for (int64_t c = 0; c < y_count; ++c) {
          *row++ = slot.y_planes + (c * plan.plane_stride + from) * slot.element;
        }
        const void** column = slot.columns;
        for (int64_t c = 0; c < x_count; ++c) {
          for (int64_t i = 0; i < phase.Taps(); ++i) {
            *column++ = slot.x_planes + (c * x_stride + tap[i].shift + from) * slot.element;
          }
        }
        WithFactors(plan.factors, [&](auto of) HWY_ATTR {
          AllDots<of()>(slot.rows, row - slot.rows, slot.columns, column - slot.columns,
                        std::min(most, at.length - from), sums, ahead);
        });
        sums += (row - slot.rows) * (column - slot.columns);
        tap += phase.Taps();
      }
    }
  }

  // To the order of the weight. Taps that only meet padding have no sum and stay zero.
  const int64_t block = unit % plan.outer.step_blocks;
  const int64_t first = (block * g.groups + bounds.group) * g.y_channels + bounds.y.first;
  const auto weights_of = [&](int64_t y_channel) {
    return all_sums + ((first + y_channel) * g.x_channels + bounds.x.first) * kernel;
  };
  for (int64_t yc = 0; yc < y_count; ++yc) std::fill_n(weights_of(yc), x_count * kernel, 0.0);
  const double* sum = slot.sums;
  const DirectTap* tap = taps;
  for (int64_t p = 0; p < flat.Phases(); ++p) {
    const FlatPhase phase = flat.Phase(p);
    for (int64_t yc = 0; yc < y_count; ++yc) {
      double* to = weights_of(yc);
      for (int64_t xc = 0; xc < x_count; ++xc, to += kernel) {
        for (int64_t i = 0; i < phase.Taps(); ++i) to[tap[i].weight] = *sum++;
      }
    }
    tap += phase.Taps();
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace convolution_backward
}  // namespace aclimb
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::convolution_backward {

HWY_EXPORT(OuterUnit);

void OuterUnit(const DirectPlan& plan, int64_t unit, const TensorView& x, const TensorView& y,
               const DirectTap* taps, double* all_sums, void* slot) {
  HWY_DYNAMIC_DISPATCH(OuterUnit)(plan, unit, x, y, taps, all_sums, slot);
}

}  // namespace aclimb::convolution_backward
#endif
