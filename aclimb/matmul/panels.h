#pragma once

#include <algorithm>
#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/core/dtype.h"

namespace aclimb::matmul {

// A block of a factor: where its first element is, and elements from one term to the next and from
// one column to the next, of which one is 1. The columns of a left factor are its rows.
struct PanelSource {
  const void* from;
  int64_t term, column;
  int64_t terms, columns;
};

// Memory that is read soon: pieces of some lines of 64 bytes, and bytes from one to the next.
struct Ahead {
  static constexpr int64_t kLine = 64;

  const char* from = nullptr;
  int64_t pieces = 0, lines = 0, step = 0;
};

// The lines of `pieces` pieces, of so many bytes each.
inline Ahead LinesOf(const void* from, int64_t pieces, int64_t bytes, int64_t step) {
  const bool lie_alike = step % Ahead::kLine == 0;
  const int64_t before =
      lie_alike ? static_cast<int64_t>(reinterpret_cast<uintptr_t>(from) % Ahead::kLine)
                : Ahead::kLine - 1;
  return {.from = static_cast<const char*>(from),
          .pieces = pieces,
          .lines = CeilDivide(before + bytes, Ahead::kLine),
          .step = step};
}

// Columns of one factor, side by side for each term, in as many vectors as they fill: as float32,
// or as pairs of bfloat16, which are two terms of an even number. Made for the instruction set in
// use.
struct PanelKernels {
  int64_t lanes;    // columns of a vector
  int64_t columns;  // of a panel, at most
  int64_t each;     // terms of a lane: 2 for pairs
  // `panel` has room for those of all terms, and is aligned to 64 bytes.
  void (*pack)(const PanelSource& source, float* panel);
  // Columns whose terms are side by side become rows of float32, `row` elements apart, as
  // `multiply` takes them. Rows are filled up with zeros to whole vectors. Pairs need none of it.
  void (*widen)(const PanelSource& source, int64_t row, float* rows);
  // sums[r * sums_row + c] = the sum over terms of a[r * row + term] * panel[term * panel_row + c],
  // or +=, of pairs for each. `panel` is what `pack` made, of whole vectors in a row, or whole
  // vectors of float32 anywhere. Whole vectors are written: what is behind the panel's columns is
  // anything. Meanwhile `ahead` comes into a cache. `a` is float32, or bfloat16 for pairs.
  // Where `packed` is not null, the first rows meet the panel where it lies, and leave it there as
  // `pack` would for the other rows.
  void (*multiply)(const void* a, int64_t row, int64_t rows, const float* panel, int64_t panel_row,
                   int64_t terms, int64_t columns, bool add, float* sums, int64_t sums_row,
                   const Ahead& ahead, float* packed);
  // turned[c * rows + r] = sums[r * sums_row + c], of as many rows and columns.
  void (*turn)(const float* sums, int64_t sums_row, int64_t rows, int64_t columns, float* turned);
};

// For a factor of FLOAT, FLOAT16 or BFLOAT16.
//   pairs  of BFLOAT16, where HasPairs()
const PanelKernels& PanelKernelsFor(DType factor, bool pairs);

// How the columns of a factor are cut into panels: they share the vectors evenly, since a panel of
// one vector takes as long as one of two.
class PanelCut {
 public:
  PanelCut(int64_t extent, const PanelKernels& kernels)
      : extent_(extent),
        lanes_(kernels.lanes),
        vectors_(CeilDivide(extent, kernels.lanes)),
        panels_(CeilDivide(extent, kernels.columns)) {}

  int64_t Vectors() const { return vectors_; }
  int64_t Panels() const { return panels_; }
  int64_t VectorsBefore(int64_t panel) const { return vectors_ * panel / panels_; }
  int64_t Begin(int64_t panel) const { return std::min(extent_, VectorsBefore(panel) * lanes_); }
  int64_t Length(int64_t panel) const { return Begin(panel + 1) - Begin(panel); }

 private:
  // Kept, since a tiny product takes no longer than a few divisions.
  int64_t extent_, lanes_, vectors_, panels_;
};

// Terms of a panel, whose sums are added to those of the panels before, or pairs of terms.
inline constexpr int64_t kPanelTerms = 256;
// Units of work for each thread, so that the last ones end together.
inline constexpr int64_t kUnitsEach = 4;
// Multiplications that a thread takes at once, about.
inline constexpr double kPanelWork = 1024 * 1024;

inline int64_t BytesOfFloats(int64_t count) { return RoundUp(count * 4, int64_t{64}); }

}  // namespace aclimb::matmul
