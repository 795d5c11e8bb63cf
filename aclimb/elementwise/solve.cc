#include <hwy/cache_control.h>

#include <algorithm>

#include "aclimb/copy/transpose.h"
#include "aclimb/core/divide.h"
#include "aclimb/elementwise/problem.h"
#include "aclimb/elementwise/worker.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/tiles.h"

namespace aclimb::elementwise {
namespace {

class Solver {
 public:
  Solver(const Problem& problem, const Addresses& addresses)
      : problem_(problem), walk_(problem.walk), inner_(problem.walk.rank - 1) {
    // As the problem, so that every offset is one of memory that is there.
    const void* last = nullptr;
    for (int n = 0; n < kMostInputs; ++n) {
      if (n < problem.inputs) last = addresses.input[n];
      base_[n] = const_cast<char*>(static_cast<const char*>(last));
    }
    base_[kOutput] = static_cast<char*>(addresses.output);
  }

  void Solve() const {
    if (problem_.is_direct) return SolveDirectly();
    if (problem_.across >= 0) return SolveTiles();
    SolveBlocks();
  }

 private:
  char* At(int n, int64_t element) const { return base_[n] + element * problem_.size[n]; }

  // What a loop reads and writes does not fit, so that the output does not stay until somebody
  // reads it: stores go around the caches. Fewer than four bytes an element take longer to compute
  // than to write, and gain nothing so early.
  bool Streams() const {
    if (problem_.streams) return true;
    const int64_t size = problem_.size[kOutput];
    if (size < 4) return walk_.count * size > LastLevelCacheBytes();
    int64_t bytes = walk_.count * size;
    for (int n = 0; n < problem_.inputs; ++n) {
      const bool in_place = base_[n] == base_[kOutput];
      if (!in_place) bytes += walk_.Elements(n) * problem_.size[n];
    }
    return bytes > CacheShareBytes();
  }

  void SolveDirectly() const {
    const bool stream = Streams();
    ParallelFor(walk_.count, problem_.grain, [&](int64_t begin, int64_t end) {
      if (walk_.rank == 1) {
        SolveRun({begin, begin, begin, begin}, end - begin, stream);
      } else {
        walk_.Visit(begin, end,
                    [&](const int64_t(&at)[kOperands], int64_t n) { SolveRun(at, n, stream); });
      }
      if (stream) hwy::FlushStream();
    });
  }

  void SolveRun(const int64_t (&at)[kOperands], int64_t count, bool stream) const {
    const void* const in[] = {At(0, at[0]), At(1, at[1]), At(2, at[2])};
    problem_.run(in, At(kOutput, at[kOutput]), count, stream, problem_.attributes);
  }

  // Any strides and dtypes: rows that are long a part at a time, several short ones at once.
  void SolveBlocks() const {
    const bool rows = walk_.rank == 1 || walk_.extent[inner_] >= kShortRow;
    const bool stream = Streams();
    ParallelFor(walk_.count, problem_.grain, [&](int64_t begin, int64_t end) {
      Worker worker(problem_);
      rows ? SolveRows(worker, begin, end, stream) : SolveShortRows(worker, begin, end, stream);
      if (stream) hwy::FlushStream();
    });
  }

  void SolveRows(Worker& worker, int64_t begin, int64_t end, bool stream) const {
    walk_.Visit(begin, end, [&](const int64_t* at, int64_t n) {
      int64_t count = 0;
      Place place[kOperands];
      for (int k = 0; k < kOperands; ++k) {
        place[k] = copy::RowAt(At(k, at[k]), walk_.stride[k][inner_], count);
      }
      for (int64_t first = 0; first < n; first += count) {
        count = std::min(worker.block(), n - first);
        worker.Compute(place, count, stream);
        for (int k = 0; k < kOperands; ++k) {
          place[k].at += count * walk_.stride[k][inner_] * problem_.size[k];
        }
      }
    });
  }

  void SolveShortRows(Worker& worker, int64_t begin, int64_t end, bool stream) const {
    Place place[kOperands];
    for (int k = 0; k < kOperands; ++k) {
      place[k] = {.at = base_[k],
                  .axes = {walk_.rank, walk_.extent, walk_.stride[k]},
                  .consecutive = walk_.IsDense(k),
                  .repeats = problem_.IsOneRow(k)};
    }
    // Blocks that begin at the same place of a row find in the buffer what all rows have.
    const int64_t row = walk_.extent[inner_], block = worker.block() / row * row;
    for (int64_t first = begin; first < end; first += block) {
      for (int k = 0; k < kOperands; ++k) {
        place[k].begin = first;
        if (place[k].consecutive) place[k].at = At(k, first);
      }
      worker.Compute(place, std::min(block, end - first), stream);
    }
  }

  static constexpr int64_t kTileRowBytes = 512;
  // Rows a power of two apart would share few sets of a cache.
  static constexpr int64_t kTilePitchBytes = kTileRowBytes + 64;
  static constexpr int64_t kTileRows = 128;
  // Of two operands that are transposed; if three are, tiles are half as high.
  static constexpr int64_t kTileBytes = 2 * kTileRows * kTilePitchBytes;

  bool IsTransposed(int n) const {
    return walk_.stride[n][inner_] != 1 && walk_.stride[n][inner_] != 0;
  }

  void SolveTiles() const {
    int64_t widest = problem_.size[kOutput], transposed = 0;
    bool repeats = false;
    for (int n = 0; n < problem_.inputs; ++n) {
      widest = std::max(widest, problem_.size[n]);
      if (IsTransposed(n)) ++transposed;
      repeats = repeats || walk_.stride[n][inner_] == 0;
    }
    const int64_t rows = transposed > 2 ? kTileRows / 2 : kTileRows;
    const Tiles<kOperands> tiles(walk_, problem_.across, rows, kTileRowBytes / widest);
    const int64_t each = CeilDivide(walk_.count, tiles.count());
    const int64_t grain = std::max<int64_t>(1, problem_.grain / each);
    const bool stream = Streams();
    ParallelFor(tiles.count(), grain, [&](int64_t begin, int64_t end) {
      Worker worker(problem_);
      for (int64_t index = begin; index < end; ++index) {
        SolveTile(worker, tiles.At(index), repeats, stream);
      }
      if (stream) hwy::FlushStream();
    });
  }

  void SolveTile(Worker& worker, const Tiles<kOperands>::Tile& tile, bool repeats,
                 bool stream) const {
    alignas(64) char buffer[kTileBytes];
    char* free = buffer;
    char* row[kOperands];
    int64_t step[kOperands];  // bytes from row to row
    for (int n = 0; n < kOperands; ++n) {
      row[n] = At(n, tile.at[n]);
      step[n] = walk_.stride[n][problem_.across] * problem_.size[n];
      if (n >= problem_.inputs || !IsTransposed(n)) continue;
      copy::Transpose(static_cast<size_t>(problem_.size[n]), row[n], walk_.stride[n][inner_],
                      tile.columns, tile.rows, free, kTilePitchBytes / problem_.size[n]);
      row[n] = free;
      step[n] = kTilePitchBytes;
      free += tile.rows * kTilePitchBytes;
    }
    const bool plain = worker.IsPlain() && !repeats;
    for (int64_t r = 0; r < tile.rows; ++r) {
      const int64_t ahead = std::min<int64_t>(4, tile.rows - 1 - r);
      for (int n = 0; n < problem_.inputs; ++n) {
        if (IsTransposed(n)) continue;
        PrefetchRow(row[n] + ahead * step[n], tile.columns * problem_.size[n]);
      }
      plain ? worker.RunSideBySide(row, tile.columns, stream)
            : ComputeRow(worker, row, tile.columns, stream);
      for (int n = 0; n < kOperands; ++n) row[n] += step[n];
    }
  }

  void ComputeRow(Worker& worker, char* const (&row)[kOperands], int64_t columns,
                  bool stream) const {
    static constexpr int64_t kSideBySide = 1, kRepeated = 0;
    Place place[kOperands];
    for (int n = 0; n < kOperands; ++n) {
      const bool repeated = n != kOutput && walk_.stride[n][inner_] == 0;
      place[n] = copy::RowAt(row[n], repeated ? kRepeated : kSideBySide, columns);
    }
    worker.Compute(place, columns, stream);
  }

  // The processor's own prefetcher does not see where the next rows begin.
  static void PrefetchRow(const char* from, int64_t bytes) {
    for (int64_t k = 0; k < bytes; k += 64) hwy::Prefetch(from + k);
  }

  const Problem& problem_;
  const Walk<kOperands>& walk_;
  const int inner_;
  char* base_[kOperands];
};

}  // namespace

void Solve(const Problem& problem, const Addresses& addresses) {
  Solver(problem, addresses).Solve();
}

}  // namespace aclimb::elementwise
