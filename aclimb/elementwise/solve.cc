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
    const int last = problem.formula.Get().inputs - 1;
    for (int n = 0; n < kMostInputs; ++n) {
      const void* const input = addresses.input[std::min(n, last)];
      base_[n] = const_cast<char*>(static_cast<const char*>(input));
      size_[n] = static_cast<int64_t>(SizeOf(problem.dtype[n]));
    }
    base_[kOutput] = static_cast<char*>(addresses.output);
    size_[kOutput] = static_cast<int64_t>(SizeOf(problem.dtype[kOutput]));
  }

  void Solve() const {
    if (problem_.is_direct) return SolveDirectly();
    if (const int across = Tiles<kOperands>::Across(walk_); across >= 0) return SolveTiles(across);
    SolveBlocks();
  }

 private:
  // The output does not stay until somebody reads it: stores go around the caches. Fewer than four
  // bytes an element take longer to compute than to write, and gain nothing so early.
  bool Streams() const {
    const int64_t cache = size_[kOutput] >= 4 ? CacheShareBytes() : LastLevelCacheBytes();
    return walk_.count * size_[kOutput] > cache;
  }

  // Elements of a piece, in whole vectors.
  int64_t Grain() const {
    const double all = problem_.Cycles();
    const double piece = std::clamp(all / kPieces, kLeastPieceCycles, kMostPieceCycles);
    const double each = all / static_cast<double>(walk_.count);
    return RoundUp(static_cast<int64_t>(piece / each) + 1, int64_t{1024});
  }

  void SolveDirectly() const {
    const Runs& runs = problem_.formula.Get();
    const Run run = runs.of[StorageIndex(problem_.compute)];
    const bool stream = Streams();
    ParallelFor(walk_.count, Grain(), [&](int64_t begin, int64_t end) {
      walk_.Visit(begin, end, [&](const int64_t* at, int64_t n) {
        const void* in[kMostInputs];
        for (int k = 0; k < kMostInputs; ++k) in[k] = At(k, at[k]);
        run(in, At(kOutput, at[kOutput]), n, stream, problem_.attributes);
      });
      if (stream) hwy::FlushStream();
    });
  }

  char* At(int n, int64_t element) const { return base_[n] + element * size_[n]; }

  // Any strides and dtypes: rows that are long a part at a time, several short ones at once.
  void SolveBlocks() const {
    const bool rows = walk_.rank == 1 || walk_.extent[inner_] >= kShortRow;
    const bool stream = Streams();
    ParallelFor(walk_.count, Grain(), [&](int64_t begin, int64_t end) {
      Worker worker(problem_);
      rows ? SolveRows(worker, begin, end, stream) : SolveShortRows(worker, begin, end, stream);
      if (stream) hwy::FlushStream();
    });
  }

  void SolveRows(Worker& worker, int64_t begin, int64_t end, bool stream) const {
    walk_.Visit(begin, end, [&](const int64_t* at, int64_t n) {
      for (int64_t first = 0; first < n; first += worker.block()) {
        const int64_t count = std::min(worker.block(), n - first);
        Place place[kOperands];
        for (int k = 0; k < kOperands; ++k) {
          const int64_t& stride = walk_.stride[k][inner_];
          place[k] = copy::RowAt(At(k, at[k] + first * stride), stride, count);
        }
        worker.Compute(place, count, stream);
      }
    });
  }

  void SolveShortRows(Worker& worker, int64_t begin, int64_t end, bool stream) const {
    Place place[kOperands];
    for (int k = 0; k < kOperands; ++k) {
      place[k] = {.at = base_[k],
                  .axes = {walk_.rank, walk_.extent, walk_.stride[k]},
                  .consecutive = walk_.IsDense(k)};
    }
    for (int64_t first = begin; first < end; first += worker.block()) {
      for (int k = 0; k < kOperands; ++k) {
        place[k].begin = first;
        if (place[k].consecutive) place[k].at = At(k, first);
      }
      worker.Compute(place, std::min(worker.block(), end - first), stream);
    }
  }

  // Rows a power of two apart would share few sets of a cache: they are a cache line further apart
  // than they are long.
  static constexpr int64_t kTileRowBytes = 512;
  static constexpr int64_t kTilePitchBytes = kTileRowBytes + 64;
  static constexpr int64_t kTileRows = 128;
  // Of tiles that are transposed at the same time; three are less high.
  static constexpr int64_t kTileBytes = 2 * kTileRows * kTilePitchBytes;

  bool IsTransposed(int n) const {
    return walk_.stride[n][inner_] != 1 && walk_.stride[n][inner_] != 0;
  }

  void SolveTiles(int across) const {
    const int inputs = problem_.formula.Get().inputs;
    int64_t widest = size_[kOutput], transposed = 0;
    for (int n = 0; n < inputs; ++n) {
      widest = std::max(widest, size_[n]);
      if (IsTransposed(n)) ++transposed;
    }
    const int64_t rows = transposed > 2 ? kTileRows / 2 : kTileRows;
    const Tiles<kOperands> tiles(walk_, across, rows, kTileRowBytes / widest);
    const int64_t grain = std::max<int64_t>(1, Grain() / CeilDivide(walk_.count, tiles.count()));
    const bool stream = Streams();
    ParallelFor(tiles.count(), grain, [&](int64_t begin, int64_t end) {
      Worker worker(problem_);
      for (int64_t index = begin; index < end; ++index) {
        SolveTile(worker, tiles.At(index), across, inputs, stream);
      }
      if (stream) hwy::FlushStream();
    });
  }

  void SolveTile(Worker& worker, const Tiles<kOperands>::Tile& tile, int across, int inputs,
                 bool stream) const {
    alignas(64) char buffer[kTileBytes];
    char* free = buffer;
    char* row[kOperands] = {};
    int64_t step[kOperands] = {};  // bytes from row to row
    for (int n = 0; n < inputs; ++n) {
      row[n] = At(n, tile.at[n]);
      step[n] = walk_.stride[n][across] * size_[n];
      if (!IsTransposed(n)) continue;
      copy::Transpose(static_cast<size_t>(size_[n]), row[n], walk_.stride[n][inner_], tile.columns,
                      tile.rows, free, kTilePitchBytes / size_[n]);
      row[n] = free;
      step[n] = kTilePitchBytes;
      free += tile.rows * kTilePitchBytes;
    }
    row[kOutput] = At(kOutput, tile.at[kOutput]);
    step[kOutput] = walk_.stride[kOutput][across] * size_[kOutput];
    static constexpr int64_t kSideBySide = 1, kRepeated = 0;
    for (int64_t r = 0; r < tile.rows; ++r) {
      Place place[kOperands];
      for (int n = 0; n < kOperands; ++n) {
        const bool repeated = n < inputs && walk_.stride[n][inner_] == 0;
        place[n] = copy::RowAt(row[n], repeated ? kRepeated : kSideBySide, tile.columns);
        row[n] += step[n];
        if (n < inputs && !IsTransposed(n) && r + 3 < tile.rows) {
          Prefetch(row[n] + 3 * step[n], repeated ? 1 : tile.columns * size_[n]);
        }
      }
      worker.Compute(place, tile.columns, stream);
    }
  }

  // The processor's own prefetcher does not see where the next rows begin.
  static void Prefetch(const char* from, int64_t bytes) {
    for (int64_t k = 0; k < bytes; k += 64) hwy::Prefetch(from + k);
  }

  const Problem& problem_;
  const Walk<kOperands>& walk_;
  const int inner_;
  char* base_[kOperands];
  int64_t size_[kOperands];
};

}  // namespace

void Solve(const Problem& problem, const Addresses& addresses) {
  Solver(problem, addresses).Solve();
}

}  // namespace aclimb::elementwise
