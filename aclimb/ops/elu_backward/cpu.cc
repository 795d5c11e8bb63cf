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

// One problem with its dtypes resolved: In is the dtype of both inputs, Out that of the output.
template <typename In, typename Out, bool kIsResult>
class Problem {
 public:
  explicit Problem(const Args& args)
      : args_(args),
        walk_(Walk<3>::Make({&args.grad_output, &args.self_or_result, &args.grad_input})),
        inner_(walk_.rank - 1) {}

  void Solve() {
    if constexpr (std::is_same_v<In, Out>) {
      if (walk_.InnerIsContiguous()) return SolveDirectly();
      if (const int across = TransposedDimension(); across >= 0) return SolveInTiles(across);
    }
    ParallelFor(walk_.count, kGrain, [&](int64_t begin, int64_t end) {
      walk_.Visit(begin, end, [&](const int64_t* at, int64_t n) { StridedRun(at, n); });
    });
  }

 private:
  const In* Grad(int64_t at) const { return args_.grad_output.template As<In>() + at; }
  const In* Value(int64_t at) const { return args_.self_or_result.template As<In>() + at; }
  Out* Result(int64_t at) const { return args_.grad_input.template As<Out>() + at; }

  // The output then does not stay until somebody reads it: stores go around the caches.
  bool IsLargerThan(int64_t cache_bytes) const {
    return walk_.count * static_cast<int64_t>(sizeof(Out)) > cache_bytes;
  }

  void SolveDirectly() const {
    // Two bytes an element take longer to compute than to write, and gain nothing so early.
    const int64_t cache = sizeof(Out) == sizeof(float) ? CacheShareBytes() : LastLevelCacheBytes();
    const bool stream = IsLargerThan(cache);
    const bool shared = walk_.count >= kSharedCount && walk_.count <= kGrain;
    ParallelFor(walk_.count, shared ? kSharedGrain : kGrain, [&](int64_t begin, int64_t end) {
      walk_.Visit(begin, end, [&](const int64_t* at, int64_t n) {
        Run<kIsResult>(Grad(at[0]), Value(at[1]), Result(at[2]), n, stream, args_);
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
      GatherF32(Grad(at[0] + begin * stride[0]), stride[0], count, grad);
      GatherF32(Value(at[1] + begin * stride[1]), stride[1], count, value);
      Run<kIsResult>(grad, value, grad, count, false, args_);
      if constexpr (!std::is_same_v<In, Out> && !std::is_same_v<In, float>) {
        // The result has the dtype of grad_output before it is converted.
        for (int64_t i = 0; i < count; ++i) grad[i] = ToFloat(FromFloat<In>(grad[i]));
      }
      ScatterF32(grad, count, Result(at[2] + begin * stride[2]), stride[2]);
    }
  }

  // Tiles of kTile x kTile elements are transposed in registers when the output runs along the
  // inner dimension and an input along another one, which is returned; -1 otherwise.
  static constexpr int64_t kTile = 64;

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

  void SolveInTiles(int across) const {
    const int64_t row_tiles = CeilDivide(walk_.extent[across], kTile);
    const int64_t column_tiles = CeilDivide(walk_.extent[inner_], kTile);
    const int64_t planes = walk_.count / (walk_.extent[across] * walk_.extent[inner_]);
    // Its elements take several times as long.
    const int64_t grain = std::max<int64_t>(1, kGrain / 4 / (kTile * kTile));
    const bool stream = IsLargerThan(LastLevelCacheBytes());
    ParallelFor(planes * row_tiles * column_tiles, grain, [&](int64_t begin, int64_t end) {
      Tile tile = TileOf(begin, across);
      for (int64_t index = begin; index < end; ++index) {
        const Tile next = TileOf(std::min(index + 1, end - 1), across);
        if (stream) PrefetchColumns(next);
        SolveTile(tile, across, stream);
        tile = next;
      }
      if (stream) hwy::FlushStream();
    });
  }

  // Tiles are numbered along the inner dimension first.
  Tile TileOf(int64_t index, int across) const {
    Tile tile;
    const auto cut = [&](int d, int64_t tiles) {
      const int64_t first = index % tiles * kTile;
      index /= tiles;
      for (int n = 0; n < 3; ++n) tile.at[n] += first * walk_.stride[n][d];
      return std::min(kTile, walk_.extent[d] - first);
    };
    tile.columns = cut(inner_, CeilDivide(walk_.extent[inner_], kTile));
    tile.rows = cut(across, CeilDivide(walk_.extent[across], kTile));
    for (int d = inner_ - 1; d >= 0; --d) {
      if (d == across) continue;
      for (int n = 0; n < 3; ++n) tile.at[n] += index % walk_.extent[d] * walk_.stride[n][d];
      index /= walk_.extent[d];
    }
    return tile;
  }

  // The processor's own prefetcher does not see where the next columns begin. Inline, because gcc
  // drops calls of a function that does nothing but prefetch.
  HWY_INLINE void PrefetchColumns(const Tile& tile) const {
    constexpr int64_t kLine = 64 / sizeof(In);
    for (int n = 0; n < 2; ++n) {
      const int64_t stride = walk_.stride[n][inner_];
      if (stride == 1) continue;
      const In* const from = n == 0 ? Grad(tile.at[n]) : Value(tile.at[n]);
      for (int64_t i = 0; i < tile.columns; ++i) {
        for (int64_t k = 0; k < tile.rows; k += kLine) {
          __builtin_prefetch(from + i * stride + k, 0, 2);
        }
      }
    }
  }

  void SolveTile(const Tile& tile, int across, bool stream) const {
    HWY_ALIGN float buffer[2][kTile * kTile];
    const Rows grad = Load(0, Grad(tile.at[0]), across, tile, buffer[0]);
    const Rows value = Load(1, Value(tile.at[1]), across, tile, buffer[1]);
    for (int64_t r = 0; r < tile.rows; ++r) {
      Run<kIsResult>(grad.data + r * grad.stride, value.data + r * value.stride,
                     Result(tile.at[2] + r * walk_.stride[2][across]), tile.columns, stream, args_);
    }
  }

  // A tile of operand n as float32 rows: in place where it lies so already, else in the buffer.
  struct Rows {
    const float* data;
    int64_t stride;
  };
  Rows Load(int n, const In* from, int across, const Tile& tile, float* to) const {
    const int64_t row_stride = walk_.stride[n][across];
    if (walk_.stride[n][inner_] != 1) {
      TransposeToF32(from, walk_.stride[n][inner_], tile.columns, tile.rows, to, kTile);
      return {to, kTile};
    }
    if constexpr (std::is_same_v<In, float>) {
      return {from, row_stride};
    } else {
      for (int64_t r = 0; r < tile.rows; ++r) {
        GatherF32(from + r * row_stride, 1, tile.columns, to + r * kTile);
      }
      return {to, kTile};
    }
  }

  const Args& args_;
  const Walk<3> walk_;
  const int inner_;
};

template <typename In, typename Out>
void WithOutput(const Args& args) {
  args.is_result ? Problem<In, Out, true>(args).Solve() : Problem<In, Out, false>(args).Solve();
}

template <typename In>
void WithInput(const Args& args) {
  switch (args.grad_input.dtype) {
    case DType::kFloat16:
      return WithOutput<In, Float16>(args);
    case DType::kBFloat16:
      return WithOutput<In, BFloat16>(args);
    case DType::kFloat64:
      return WithOutput<In, double>(args);
    default:
      return WithOutput<In, float>(args);
  }
}

void AnyDType(const Args& args) {
  switch (args.grad_output.dtype) {
    case DType::kFloat16:
      return WithInput<Float16>(args);
    case DType::kBFloat16:
      return WithInput<BFloat16>(args);
    default:
      return WithInput<float>(args);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::elu_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::elu_backward {

HWY_EXPORT(AnyDType);

void RunOnCpu(const Args& args) { HWY_DYNAMIC_DISPATCH(AnyDType)(args); }

}  // namespace aclimb::elu_backward
#endif
