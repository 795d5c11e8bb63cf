#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/matmul/triangle.cc"
// Blocks of registers are arrays of vectors, which scalable vectors cannot be.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include <hwy/highway.h>

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/matmul/panels.h"
#include "aclimb/matmul/triangle.h"
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/panel-inl.h"
#include "aclimb/simd/prefetch.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::matmul {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using aclimb::HWY_NAMESPACE::AddProducts;
using aclimb::HWY_NAMESPACE::Clear;
using aclimb::HWY_NAMESPACE::kHeldRows;
using aclimb::HWY_NAMESPACE::kMostPanelVectors;
using aclimb::HWY_NAMESPACE::LoadFirst;
using aclimb::HWY_NAMESPACE::PanelTag;
using aclimb::HWY_NAMESPACE::PanelVector;
using aclimb::HWY_NAMESPACE::StoreFirst;

// Rows [first, first + count) of those [begin, end) whose other solutions the panel has: behind
// these for upper triangles, before them for lower ones.
template <bool kUpper, int kVectors>
HWY_INLINE void SolveRows(const Triangle& t, int64_t begin, int64_t end, int64_t first,
                          int64_t count, float* panel) {
  const PanelTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t width = kVectors * lanes, from = kUpper ? first + count : begin;
  // The last row stands in for those that are not there.
  const float* row_of[kHeldRows];
  for (int64_t r = 0; r < kHeldRows; ++r) {
    row_of[r] = t.matrix + (first + HWY_MIN(r, count - 1)) * t.row + from;
  }
  PanelVector sum[kHeldRows][kVectors];
  Clear(sum);
  AddProducts<kVectors>(row_of, panel + from * width, width, kUpper ? end - from : first - from,
                        sum);
  // A large right side comes last, so that it takes one rounding of its size, not one for each
  // term.
#pragma GCC unroll 8
  for (int64_t r = 0; r < kHeldRows; ++r) {
    const float* const sides = panel + (first + HWY_MIN(r, count - 1)) * width;
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) {
      sum[r][v] = hn::Add(hn::LoadU(d, sides + v * lanes), sum[r][v]);
    }
  }
#pragma GCC unroll 8
  for (int64_t n = 0; n < kHeldRows; ++n) {
    const int64_t i = kUpper ? kHeldRows - 1 - n : n;
    if (i >= count) continue;
    const float* const column = t.matrix + first * t.row + first + i;
    const auto divisor = hn::Set(d, t.unit_diagonal ? 1 : column[i * t.row]);
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) {
      if (!t.unit_diagonal) sum[i][v] = hn::Div(sum[i][v], divisor);
      hn::StoreU(hn::Neg(sum[i][v]), d, panel + (first + i) * width + v * lanes);
    }
#pragma GCC unroll 8
    for (int64_t r = 0; r < kHeldRows; ++r) {
      if (kUpper ? r >= i : r <= i || r >= count) continue;
      const auto factor = hn::Set(d, column[r * t.row]);
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) {
        sum[r][v] = hn::NegMulAdd(factor, sum[i][v], sum[r][v]);
      }
    }
  }
}

template <bool kUpper, int kVectors>
void SolveBlock(const Triangle& t, int64_t begin, int64_t end, float* panel) {
  for (int64_t n = 0; n < end - begin; n += kHeldRows) {
    const int64_t count = HWY_MIN(kHeldRows, end - begin - n);
    SolveRows<kUpper, kVectors>(t, begin, end, kUpper ? end - n - count : begin + n, count, panel);
  }
}

// Rows [begin, end), of whose other elements of the matrix nothing counts.
void Solve(const Triangle& triangle, int64_t begin, int64_t end, const SidePanel& sides) {
  static_assert(kMostPanelVectors == 3);
  constexpr decltype(&SolveBlock<true, 1>) kFunctions[][2] = {
      {&SolveBlock<false, 1>, &SolveBlock<true, 1>},
      {&SolveBlock<false, 2>, &SolveBlock<true, 2>},
      {&SolveBlock<false, 3>, &SolveBlock<true, 3>}};
  const int64_t vectors = CeilDivide(sides.columns, static_cast<int64_t>(hn::Lanes(PanelTag())));
  kFunctions[vectors - 1][triangle.upper ? 1 : 0](triangle, begin, end, sides.panel);
}

// Calls body(at(sides, row), its columns, row of the panel) for each row of each panel whose sides
// are elsewhere. Row by row, since those of one panel may share a few sets of a cache.
template <class At, class Body>
HWY_INLINE void ForEachRow(int64_t rows, std::span<const SidePanel> panels, const At& at,
                           const Body& body) {
  constexpr int64_t kAhead = 16;
  const auto lanes = static_cast<int64_t>(hn::Lanes(PanelTag()));
  for (int64_t r = 0; r < rows; ++r) {
    for (const SidePanel& sides : panels) {
      if (at(sides, r) == nullptr) continue;
      if (r + kAhead < rows) PrefetchLines(at(sides, r + kAhead), sides.columns);
      body(at(sides, r), sides.columns, sides.panel + r * RoundUp(sides.columns, lanes));
    }
  }
}

void ReadSides(int64_t rows, std::span<const SidePanel> panels) {
  const PanelTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto at = [](const SidePanel& sides, int64_t row) {
    return sides.from == nullptr ? nullptr : sides.from + row * sides.from_row;
  };
  ForEachRow(rows, panels, at, [&](const float* from, int64_t columns, float* row) HWY_ATTR {
    int64_t c = 0;
    for (; c + lanes <= columns; c += lanes) hn::StoreU(hn::LoadU(d, from + c), d, row + c);
    if (c < columns) hn::StoreU(LoadFirst(d, from + c, columns - c), d, row + c);
  });
}

void WriteSolutions(int64_t rows, std::span<const SidePanel> panels) {
  const PanelTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto at = [](const SidePanel& sides, int64_t row) {
    return sides.to == nullptr ? nullptr : sides.to + row * sides.to_row;
  };
  ForEachRow(rows, panels, at, [&](float* to, int64_t columns, const float* row) HWY_ATTR {
    int64_t c = 0;
    for (; c + lanes <= columns; c += lanes) {
      hn::StoreU(hn::Neg(hn::LoadU(d, row + c)), d, to + c);
    }
    if (c < columns) StoreFirst(d, hn::Neg(hn::LoadU(d, row + c)), to + c, columns - c);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::matmul
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::matmul {

HWY_EXPORT(ReadSides);
HWY_EXPORT(Solve);
HWY_EXPORT(WriteSolutions);

namespace {

// Rows that are solved between two products. With kPanelTerms columns of the matrix they stay in a
// second cache while several panels meet them.
constexpr int64_t kRowsBetween = 64;

// Rows [first, end) of the triangle, and its columns [from, to) whose rows are solved before.
struct Block {
  int64_t first, end, from, to;
};

// The block behind so many solved rows.
Block BlockOf(const Triangle& t, int64_t begin, int64_t solved) {
  const int64_t count = std::min(kRowsBetween, t.rows - solved);
  const int64_t first = t.upper ? t.rows - solved - count : solved, end = first + count;
  return {first, end, t.upper ? end : begin, t.upper ? t.rows : first};
}

// The block's rows of the panels += its columns times the same rows of them. The last columns come
// first, so that sums are cut at the same places where rows are left out at the beginning.
void AddSolved(const Triangle& t, const Block& block, std::span<const SidePanel> panels) {
  const PanelKernels& kernels = PanelKernelsFor(DType::kFloat32, false);
  for (int64_t to = block.to; to > block.from; to -= kPanelTerms) {
    const int64_t k = std::max(block.from, to - kPanelTerms);
    for (const SidePanel& sides : panels) {
      const int64_t width = RoundUp(sides.columns, kernels.lanes);
      kernels.multiply(t.matrix + block.first * t.row + k, t.row, block.end - block.first,
                       sides.panel + k * width, width, to - k, sides.columns, true,
                       sides.panel + block.first * width, width, {}, nullptr);
    }
  }
}

}  // namespace

void SolveTriangle(const Triangle& triangle, int64_t zeros, std::span<const SidePanel> panels) {
  // Whole blocks, so that the others begin where they always do.
  const int64_t begin = zeros / kRowsBetween * kRowsBetween;
  HWY_DYNAMIC_DISPATCH(ReadSides)(triangle.rows, panels);
  for (int64_t solved = begin; solved < triangle.rows; solved += kRowsBetween) {
    const Block block = BlockOf(triangle, begin, solved);
    AddSolved(triangle, block, panels);
    for (const SidePanel& sides : panels) {
      HWY_DYNAMIC_DISPATCH(Solve)(triangle, block.first, block.end, sides);
    }
  }
  HWY_DYNAMIC_DISPATCH(WriteSolutions)(triangle.rows, panels);
}

}  // namespace aclimb::matmul
#endif
