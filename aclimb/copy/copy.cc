#include "aclimb/copy/copy.h"

#include <algorithm>
#include <cstring>

#include "aclimb/copy/convert.h"
#include "aclimb/copy/gather.h"
#include "aclimb/copy/transpose.h"
#include "aclimb/core/divide.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/tiles.h"

namespace aclimb::copy {
namespace {

// Bytes that a thread takes at once.
constexpr int64_t kGrainBytes = 256 * 1024;
// Rows below this length are gathered, several at a time.
constexpr int64_t kShortRow = 32;

class Copier {
 public:
  Copier(const TensorView& from, const TensorView& to)
      : walk_(Walk<2>::Make({&from, &to})),
        inner_(walk_.rank - 1),
        converter_(from.dtype, to.dtype),
        base_{static_cast<char*>(from.data), static_cast<char*>(to.data)},
        size_{static_cast<int64_t>(SizeOf(from.dtype)), static_cast<int64_t>(SizeOf(to.dtype))},
        widest_(std::max(size_[0], size_[1])) {}

  bool Run() const {
    // Rows are converted one by one.
    const int64_t least = converter_.Changes() ? 8 : 2;
    if (const int across = Tiles<2>::Across(walk_, least); across >= 0) return CopyTiles(across);
    const bool rows = walk_.rank == 1 || walk_.extent[inner_] >= kShortRow;
    return ParallelForAll(walk_.count, kGrainBytes / widest_, [&](int64_t begin, int64_t end) {
      rows ? CopyRows(begin, end) : CopyShortRows(begin, end);
    });
  }

 private:
  static constexpr int64_t kBufferBytes = 4096;
  static constexpr int64_t kTileRowBytes = 512;
  static constexpr int64_t kTileRows = 64;

  char* At(int n, int64_t element) const { return base_[n] + element * size_[n]; }

  void CopyRows(int64_t begin, int64_t end) const {
    const int64_t block = kBufferBytes / widest_;
    walk_.Visit(begin, end, [&](const int64_t* at, int64_t n) {
      const int64_t(&stride)[2] = {walk_.stride[0][inner_], walk_.stride[1][inner_]};
      if (stride[0] == 1 && stride[1] == 1) return Convert(At(0, at[0]), n, At(1, at[1]));
      for (int64_t first = 0; first < n; first += block) {
        const int64_t count = std::min(block, n - first);
        CopyBlock(RowAt(At(0, at[0] + first * stride[0]), stride[0], count),
                  RowAt(At(1, at[1] + first * stride[1]), stride[1], count), count);
      }
    });
  }

  void CopyShortRows(int64_t begin, int64_t end) const {
    const int64_t block = kBufferBytes / widest_;
    for (int64_t first = begin; first < end; first += block) {
      Place place[2];
      for (int n = 0; n < 2; ++n) {
        const bool dense = walk_.IsDense(n);
        place[n] = {.at = dense ? At(n, first) : base_[n],
                    .axes = {walk_.rank, walk_.extent, walk_.stride[n]},
                    .begin = first,
                    .consecutive = dense};
      }
      CopyBlock(place[0], place[1], std::min(block, end - first));
    }
  }

  // Elements side by side.
  void Convert(const char* from, int64_t count, char* to) const {
    if (converter_.Changes()) return converter_.Run(from, count, to);
    std::memcpy(to, from, static_cast<size_t>(count * size_[0]));
  }

  void CopyBlock(const Place& from, const Place& to, int64_t count) const {
    alignas(64) char gathered[kBufferBytes];
    alignas(64) char converted[kBufferBytes];
    const char* source = from.at;
    if (!from.consecutive) {
      // Straight to where it belongs, if that is all.
      char* const target = to.consecutive && !converter_.Changes() ? to.at : gathered;
      Gather(static_cast<size_t>(size_[0]), from, count, target);
      if (target == to.at) return;
      source = target;
    }
    if (to.consecutive) return Convert(source, count, to.at);
    if (converter_.Changes()) {
      converter_.Run(source, count, converted);
      source = converted;
    }
    Scatter(static_cast<size_t>(size_[1]), source, count, to);
  }

  bool CopyTiles(int across) const {
    // Those that go through no buffer may be as high as they are narrow.
    const int64_t high = kTileRows * kTileRowBytes / widest_ / walk_.extent[inner_];
    const int64_t rows = converter_.Changes() ? kTileRows : std::max(kTileRows, high);
    const Tiles<2> tiles(walk_, across, rows, kTileRowBytes / widest_);
    const int64_t grain =
        std::max<int64_t>(1, kGrainBytes / widest_ / CeilDivide(walk_.count, tiles.count()));
    return ParallelForAll(tiles.count(), grain, [&](int64_t begin, int64_t end) {
      for (int64_t index = begin; index < end; ++index) CopyTile(tiles.At(index), across);
    });
  }

  void CopyTile(const Tiles<2>::Tile& tile, int across) const {
    // Rows a power of two apart would share few sets of a cache.
    constexpr int64_t kPitchBytes = kTileRowBytes + 64;
    alignas(64) char buffer[kTileRows * kPitchBytes];
    const auto element = static_cast<size_t>(size_[0]);
    const char* const from = At(0, tile.at[0]);
    const int64_t step = walk_.stride[1][across];
    if (!converter_.Changes()) {
      return Transpose(element, from, walk_.stride[0][inner_], tile.columns, tile.rows,
                       At(1, tile.at[1]), step);
    }
    Transpose(element, from, walk_.stride[0][inner_], tile.columns, tile.rows, buffer,
              kPitchBytes / size_[0]);
    for (int64_t r = 0; r < tile.rows; ++r) {
      Convert(buffer + r * kPitchBytes, tile.columns, At(1, tile.at[1] + r * step));
    }
  }

  const Walk<2> walk_;
  const int inner_;
  const Converter converter_;
  char* const base_[2];
  const int64_t size_[2];
  const int64_t widest_;
};

}  // namespace

bool Copy(const TensorView& from, const TensorView& to) {
  return from.ElementCount() == 0 || Copier(from, to).Run();
}

}  // namespace aclimb::copy
