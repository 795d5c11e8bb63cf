#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/elu_backward/cpu.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/core/divide.h"
#include "aclimb/ops/elu_backward/cpu.h"
#include "aclimb/ops/elu_backward/formula-inl.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/transpose-inl.h"
#include "aclimb/simd/walk.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::elu_backward {
namespace HWY_NAMESPACE {

// A run with its dtypes resolved: In is the dtype of both inputs, Out that of the output.
template <typename In, typename Out, bool kIsResult>
class Solver {
 public:
  Solver(const Problem& problem, const Addresses& addresses)
      : grad_(static_cast<const In*>(addresses.grad_output)),
        value_(static_cast<const In*>(addresses.self_or_result)),
        result_(static_cast<Out*>(addresses.grad_input)),
        problem_(problem),
        attributes_(problem.attributes),
        walk_(problem.walk),
        inner_(walk_.rank - 1) {}

  void Solve() const {
    if constexpr (std::is_same_v<In, Out>) {
      if (problem_.IsDirect()) return SolveDirectly();
      if (const int across = TransposedDimension(); across >= 0) return SolveInTiles(across);
    }
    ParallelFor(walk_.count, kTeamGrain, [&](int64_t begin, int64_t end) {
      walk_.Visit(begin, end, [&](const int64_t* at, int64_t n) { StridedRun(at, n); });
    });
  }

 private:
  // The output does not stay until somebody reads it: stores go around the caches. Two bytes an
  // element take longer to compute than to write, and gain nothing so early.
  bool Streams() const {
    const int64_t cache = sizeof(Out) == sizeof(float) ? CacheShareBytes() : LastLevelCacheBytes();
    return walk_.count * static_cast<int64_t>(sizeof(Out)) > cache;
  }

  void SolveDirectly() const {
    const bool stream = Streams();
    const int64_t grain = problem_.IsShared() && TeamSize() > 1 ? kSharedGrain : kTeamGrain;
    ParallelFor(walk_.count, grain, [&](int64_t begin, int64_t end) {
      walk_.Visit(begin, end, [&](const int64_t* at, int64_t n) {
        Run<kIsResult>(grad_ + at[0], value_ + at[1], result_ + at[2], n, stream, attributes_);
      });
      if (stream) hwy::FlushStream();
    });
  }

  // Any strides, any output dtype, through float32 buffers that stay in the first-level cache.
  void StridedRun(const int64_t* at, int64_t n) const {
    constexpr int64_t kChunk = 1024;
    HWY_ALIGN float grad[kChunk];
    HWY_ALIGN float value[kChunk];
    const int64_t stride[] = {walk_.stride[0][inner_], walk_.stride[1][inner_],
                              walk_.stride[2][inner_]};
    for (int64_t begin = 0; begin < n; begin += kChunk) {
      const int64_t count = std::min(kChunk, n - begin);
      GatherF32(grad_ + at[0] + begin * stride[0], stride[0], count, grad);
      GatherF32(value_ + at[1] + begin * stride[1], stride[1], count, value);
      Run<kIsResult>(grad, value, grad, count, false, attributes_);
      if constexpr (!std::is_same_v<In, Out> && !std::is_same_v<In, float>) {
        // The result has the dtype of grad_output before it is converted.
        for (int64_t i = 0; i < count; ++i) grad[i] = ToFloat(FromFloat<In>(grad[i]));
      }
      ScatterF32(grad, count, result_ + at[2] + begin * stride[2], stride[2]);
    }
  }

  // Tiles, of 64 KiB an operand, are transposed in registers when the output runs along the inner
  // dimension and an input along another one, which is returned; -1 otherwise.
  static constexpr int64_t kTileRows = 128;
  static constexpr int64_t kTileColumns = 512 / sizeof(In);
  // Rows a power of two apart would share few sets of a cache.
  static constexpr int64_t kTilePitch = 576 / sizeof(In);

  int TransposedDimension() const {
    if (walk_.stride[2][inner_] != 1) return -1;
    for (int d = inner_ - 1; d >= 0; --d) {
      bool one = false;
      bool all = true;
      for (int n = 0; n < 2; ++n) {
        const bool along_inner = walk_.stride[n][inner_] == 1;
        const bool along_d = walk_.stride[n][d] == 1;
        one = one || (along_d && !along_inner);
        all = all && (along_inner || along_d);
      }
      if (one && all && walk_.extent[d] >= 4 && walk_.extent[inner_] >= 4) return d;
    }
    return -1;
  }

  // Where a tile begins in each operand, in elements, and its extents.
  struct Tile {
    int64_t at[3] = {};
    int64_t rows;  // along the dimension that is not the inner one
    int64_t columns;
  };

  // Of a plane.
  int64_t RowTiles(int across) const { return CeilDivide(walk_.extent[across], kTileRows); }
  int64_t ColumnTiles() const { return CeilDivide(walk_.extent[inner_], kTileColumns); }

  void SolveInTiles(int across) const {
    const int64_t row_tiles = RowTiles(across), column_tiles = ColumnTiles();
    const int64_t planes = walk_.count / (walk_.extent[across] * walk_.extent[inner_]);
    const int64_t tiles = planes * row_tiles * column_tiles;
    const int64_t grain = std::max<int64_t>(1, kTeamGrain / CeilDivide(walk_.count, tiles));
    const bool stream = Streams();
    ParallelFor(tiles, grain, [&](int64_t begin, int64_t end) {
      for (int64_t index = begin; index < end; ++index) {
        SolveTile(TileOf(index, across), across, stream);
      }
      if (stream) hwy::FlushStream();
    });
  }

  // Tiles are numbered along the inner dimension first, in bands of a few: the next tiles then read
  // and write on in the pages of memory that the last ones touched, whichever way an operand lies.
  Tile TileOf(int64_t index, int across) const {
    constexpr int64_t kBand = 8;
    const int64_t row_tiles = RowTiles(across), column_tiles = ColumnTiles();
    int64_t plane = index / (row_tiles * column_tiles);
    index %= row_tiles * column_tiles;
    const int64_t band = index / (row_tiles * kBand) * kBand;
    index -= band * row_tiles;
    const int64_t width = std::min(kBand, column_tiles - band);
    Tile tile;
    const auto cut = [&](int d, int64_t first, int64_t length) {
      for (int n = 0; n < 3; ++n) tile.at[n] += first * walk_.stride[n][d];
      return std::min(length, walk_.extent[d] - first);
    };
    tile.columns = cut(inner_, (band + index % width) * kTileColumns, kTileColumns);
    tile.rows = cut(across, index / width * kTileRows, kTileRows);
    for (int d = inner_ - 1; d >= 0; --d) {
      if (d == across) continue;
      cut(d, plane % walk_.extent[d], 1);
      plane /= walk_.extent[d];
    }
    return tile;
  }

  void SolveTile(const Tile& tile, int across, bool stream) const {
    HWY_ALIGN In buffer[2][kTileRows * kTilePitch];
    const Rows grad = Load(0, grad_ + tile.at[0], across, tile, buffer[0]);
    const Rows value = Load(1, value_ + tile.at[1], across, tile, buffer[1]);
    for (int64_t r = 0; r < tile.rows; ++r) {
      // The processor's own prefetcher does not see where the next rows begin.
      const int64_t ahead = std::min(r + 4, tile.rows - 1);
      for (int64_t k = 0; k < tile.columns; k += 64 / static_cast<int64_t>(sizeof(In))) {
        hwy::Prefetch(grad.data + ahead * grad.stride + k);
        hwy::Prefetch(value.data + ahead * value.stride + k);
      }
      Run<kIsResult>(grad.data + r * grad.stride, value.data + r * value.stride,
                     result_ + tile.at[2] + r * walk_.stride[2][across], tile.columns, stream,
                     attributes_);
    }
  }

  // The rows of operand n in a tile: in place where they lie so already, else in the buffer.
  struct Rows {
    const In* data;
    int64_t stride;
  };
  Rows Load(int n, const In* from, int across, const Tile& tile, In* to) const {
    if (walk_.stride[n][inner_] == 1) return {from, walk_.stride[n][across]};
    Transpose(Stored(from), walk_.stride[n][inner_], tile.columns, tile.rows, Stored(to),
              kTilePitch);
    return {to, kTilePitch};
  }

  const In* const grad_;
  const In* const value_;
  Out* const result_;
  const Problem& problem_;
  const Attributes& attributes_;
  const Walk<3>& walk_;
  const int inner_;
};

template <typename In, typename Out>
void WithOutput(const Problem& problem, const Addresses& addresses) {
  if (problem.attributes.is_result) {
    Solver<In, Out, true>(problem, addresses).Solve();
  } else {
    Solver<In, Out, false>(problem, addresses).Solve();
  }
}

template <typename In>
void WithInput(const Problem& problem, const Addresses& addresses) {
  switch (problem.output) {
    case DType::kFloat16:
      return WithOutput<In, Float16>(problem, addresses);
    case DType::kBFloat16:
      return WithOutput<In, BFloat16>(problem, addresses);
    case DType::kFloat64:
      return WithOutput<In, double>(problem, addresses);
    default:
      return WithOutput<In, float>(problem, addresses);
  }
}

void AnyDType(const Problem& problem, const Addresses& addresses) {
  switch (problem.input) {
    case DType::kFloat16:
      return WithInput<Float16>(problem, addresses);
    case DType::kBFloat16:
      return WithInput<BFloat16>(problem, addresses);
    default:
      return WithInput<float>(problem, addresses);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::elu_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::elu_backward {

HWY_EXPORT(AnyDType);

void RunOnCpu(const Problem& problem, const Addresses& addresses) {
  HWY_DYNAMIC_DISPATCH(AnyDType)(problem, addresses);
}

}  // namespace aclimb::elu_backward
#endif
