#pragma once

#include <algorithm>
#include <cstdint>

#include "aclimb/core/divide.h"
#include "aclimb/simd/walk.h"

namespace aclimb {

// The planes of a walk in tiles, where the last operand (the output) runs along the inner dimension
// and some others along another one, `across`. An operand's part of a tile then is transposed while
// it stays in the second-level cache.
template <int N>
class Tiles {
 public:
  // Where a tile begins in each operand, in elements, and its extents.
  struct Tile {
    int64_t at[N] = {};
    int64_t rows;     // along `across`
    int64_t columns;  // along the inner dimension
  };

  // The dimension that calls for tiles; -1: none does, or rows are shorter than `least`.
  static int Across(const Walk<N>& walk, int64_t least) {
    constexpr int64_t kLeastRows = 4;
    const int inner = walk.rank - 1;
    if (walk.stride[N - 1][inner] != 1 || walk.extent[inner] < least) return -1;
    for (int d = inner - 1; d >= 0; --d) {
      bool one = false;
      bool all = walk.extent[d] >= kLeastRows;
      for (int n = 0; n < N - 1; ++n) {
        const bool along_inner = walk.stride[n][inner] == 1 || walk.stride[n][inner] == 0;
        const bool along_d = walk.stride[n][d] == 1;
        one = one || (along_d && !along_inner);
        all = all && (along_inner || along_d);
      }
      if (one && all) return d;
    }
    return -1;
  }

  // Tiles of at most `rows` times `columns` elements.
  Tiles(const Walk<N>& walk, int across, int64_t rows, int64_t columns)
      : walk_(walk),
        inner_(walk.rank - 1),
        across_(across),
        rows_(rows),
        columns_(columns),
        row_tiles_(CeilDivide(walk.extent[across], rows)),
        column_tiles_(CeilDivide(walk.extent[inner_], columns)) {}

  int64_t count() const {
    const int64_t planes = walk_.count / (walk_.extent[across_] * walk_.extent[inner_]);
    return planes * row_tiles_ * column_tiles_;
  }

  // Tiles are numbered along the inner dimension first, in bands of a few: the next tiles then read
  // and write on in the pages of memory that the last ones touched, whichever way an operand lies.
  Tile At(int64_t index) const {
    constexpr int64_t kBand = 8;
    int64_t plane = index / (row_tiles_ * column_tiles_);
    index %= row_tiles_ * column_tiles_;
    const int64_t band = index / (row_tiles_ * kBand) * kBand;
    index -= band * row_tiles_;
    const int64_t width = std::min(kBand, column_tiles_ - band);
    Tile tile;
    const auto cut = [&](int d, int64_t first, int64_t length) {
      for (int n = 0; n < N; ++n) tile.at[n] += first * walk_.stride[n][d];
      return std::min(length, walk_.extent[d] - first);
    };
    tile.columns = cut(inner_, (band + index % width) * columns_, columns_);
    tile.rows = cut(across_, index / width * rows_, rows_);
    for (int d = inner_ - 1; d >= 0; --d) {
      if (d == across_) continue;
      cut(d, plane % walk_.extent[d], 1);
      plane /= walk_.extent[d];
    }
    return tile;
  }

 private:
  const Walk<N>& walk_;
  const int inner_;
  const int across_;
  const int64_t rows_;
  const int64_t columns_;
  const int64_t row_tiles_;
  const int64_t column_tiles_;
};

}  // namespace aclimb
