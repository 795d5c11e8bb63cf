#include "aclimb/copy/copy.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "aclimb/copy/convert.h"
#include "aclimb/copy/gather.h"
#include "aclimb/copy/stream.h"
#include "aclimb/copy/transpose.h"
#include "aclimb/core/divide.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/tiles.h"

namespace aclimb::copy {
namespace {

// Bytes that a thread takes at once.
constexpr int64_t kGrainBytes = 256 * 1024;
// Rows below this length are gathered, several at a time; from it on, those of one element are
// written as a pattern.
constexpr int64_t kShortRow = 32;

constexpr int64_t kBufferBytes = 4096;
constexpr int64_t kTileRowBytes = 512;
constexpr int64_t kTileRows = 64;

// Rows are converted one by one: short ones are not worth tiles.
int AcrossOf(const Walk<2>& walk, const Converter& converter) {
  return Tiles<2>::Across(walk, converter.Changes() ? 8 : 2);
}

}  // namespace

Job::Job(const TensorView& from, const TensorView& to)
    : walk_(Walk<2>::Make({&from, &to})),
      inner_(walk_.rank - 1),
      converter_(from.dtype, to.dtype),
      base_{static_cast<char*>(from.data), static_cast<char*>(to.data)},
      size_{static_cast<int64_t>(SizeOf(from.dtype)), static_cast<int64_t>(SizeOf(to.dtype))},
      widest_(std::max(size_[0], size_[1])),
      streams_(walk_.Elements(0) * size_[0] + walk_.count * size_[1] > CacheShareBytes()),
      across_(AcrossOf(walk_, converter_)),
      parts_(walk_.count),
      grain_(kGrainBytes / widest_) {
  if (across_ >= 0) {
    // Those that go through no buffer may be as high as they are narrow.
    const int64_t high = kTileRows * kTileRowBytes / widest_ / walk_.extent[inner_];
    tile_rows_ = converter_.Changes() ? kTileRows : std::max(kTileRows, high);
    parts_ = Tiles<2>(walk_, across_, tile_rows_, kTileRowBytes / widest_).count();
    grain_ = std::max<int64_t>(1, grain_ / CeilDivide(walk_.count, parts_));
  }
  chunks_ = CeilDivide(parts_, grain_);
}

void Job::Run(int64_t chunk) const {
  const int64_t begin = chunk * grain_;
  const int64_t end = std::min(parts_, begin + grain_);
  if (across_ >= 0) return CopyTiles(begin, end);
  const int64_t step = walk_.stride[0][inner_];
  const bool side_by_side = !IsStraight() || step == 0 || step == 1;
  const bool rows = walk_.rank == 1 || (walk_.extent[inner_] >= kShortRow && side_by_side);
  rows ? CopyRows(begin, end) : CopySeveralRows(begin, end);
}

void Job::CopyRows(int64_t begin, int64_t end) const {
  const int64_t block = kBufferBytes / widest_;
  const RowCopier copier(streams_);
  walk_.Visit(begin, end, [&](const int64_t* at, int64_t n) {
    const int64_t(&stride)[2] = {walk_.stride[0][inner_], walk_.stride[1][inner_]};
    if (stride[0] == 0 && stride[1] == 1 && n >= kShortRow) {
      return RepeatElement(At(0, at[0]), n, At(1, at[1]));
    }
    if (stride[0] == 1 && stride[1] == 1) {
      if (converter_.Changes()) {
        return streams_ && n * size_[1] >= kStreamedRow
                   ? converter_.Stream(At(0, at[0]), n, At(1, at[1]))
                   : converter_.Run(At(0, at[0]), n, At(1, at[1]));
      }
      return copier.Copy(At(0, at[0]), n * size_[0], At(1, at[1]));
    }
    for (int64_t first = 0; first < n; first += block) {
      const int64_t count = std::min(block, n - first);
      CopyBlock(RowAt(At(0, at[0] + first * stride[0]), stride[0], count),
                RowAt(At(1, at[1] + first * stride[1]), stride[1], count), count);
    }
  });
}

void Job::CopySeveralRows(int64_t begin, int64_t end) const {
  const int64_t block = IsStraight() ? end - begin : kBufferBytes / widest_;
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

// One element to all of a row. Some processors write zeros faster; around the caches they do
// so by streaming stores, and memset in chunks would go through the caches.
void Job::RepeatElement(const char* from, int64_t count, char* to) const {
  const int64_t bytes = count * size_[1];
  const bool streams = streams_ && bytes >= kStreamedRow;
  uint64_t element = 0;
  if (converter_.Changes()) {
    converter_.Run(from, 1, &element);
  } else {
    std::memcpy(&element, from, static_cast<size_t>(size_[1]));
  }
  if (!streams && element == 0) {
    std::memset(to, 0, static_cast<size_t>(bytes));
    return;
  }
  for (int64_t bits = 8 * size_[1]; bits < 64; bits *= 2) element |= element << bits;
  alignas(64) uint64_t repeated[kPatternBytes / sizeof(uint64_t)];
  std::fill(std::begin(repeated), std::end(repeated), element);
  RepeatBytes(repeated, bytes, to, streams);
}

void Job::CopyBlock(const Place& from, const Place& to, int64_t count) const {
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
  if (to.consecutive && converter_.Changes()) return converter_.Run(source, count, to.at);
  if (to.consecutive) return RowCopier(streams_).Copy(source, count * size_[0], to.at);
  if (converter_.Changes()) {
    converter_.Run(source, count, converted);
    source = converted;
  }
  Scatter(static_cast<size_t>(size_[1]), source, count, to);
}

void Job::CopyTiles(int64_t begin, int64_t end) const {
  // Rows a power of two apart would share few sets of a cache.
  constexpr int64_t kPitchBytes = kTileRowBytes + 64;
  alignas(64) char buffer[kTileRows * kPitchBytes];
  const Tiles<2> tiles(walk_, across_, tile_rows_, kTileRowBytes / widest_);
  const auto element = static_cast<size_t>(size_[0]);
  const int64_t step = walk_.stride[1][across_];
  for (int64_t index = begin; index < end; ++index) {
    const Tiles<2>::Tile tile = tiles.At(index);
    const char* const from = At(0, tile.at[0]);
    if (!converter_.Changes()) {
      Transpose(element, from, walk_.stride[0][inner_], tile.columns, tile.rows, At(1, tile.at[1]),
                step);
      continue;
    }
    Transpose(element, from, walk_.stride[0][inner_], tile.columns, tile.rows, buffer,
              kPitchBytes / size_[0]);
    for (int64_t r = 0; r < tile.rows; ++r) {
      converter_.Run(buffer + r * kPitchBytes, tile.columns, At(1, tile.at[1] + r * step));
    }
  }
}

bool Copy(const TensorView& from, const TensorView& to) {
  if (from.ElementCount() == 0) return true;
  const Job job(from, to);
  return ParallelForAll(job.chunks(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; ++chunk) job.Run(chunk);
  });
}

}  // namespace aclimb::copy
