#pragma once

#include <cstdint>

#include "aclimb/copy/convert.h"
#include "aclimb/copy/gather.h"
#include "aclimb/core/tensor_view.h"
#include "aclimb/simd/walk.h"

namespace aclimb::copy {

// Copies `from` to `to`, equally shaped views of any strides (those of `from` may be 0 or negative)
// and of any two dtypes that StorageIndex() knows; Converter says how elements are converted. Equal
// dtypes may be any of 1, 2, 4 or 8 bytes. The two do not overlap. The threads that the calling one
// may have take part. False when the run was cancelled.
[[nodiscard]] bool Copy(const TensorView& from, const TensorView& to);

// The same copy in chunks: who has several to make runs the chunks of all of them in one loop.
class Job {
 public:
  // Views that are not empty.
  Job(const TensorView& from, const TensorView& to);

  // As many for the same shapes, strides and dtypes, whatever the addresses are.
  int64_t chunks() const { return chunks_; }
  // On any thread, in any order.
  void Run(int64_t chunk) const;

 private:
  char* At(int n, int64_t element) const { return base_[n] + element * size_[n]; }
  // Whether elements are gathered where they belong.
  bool IsStraight() const { return !converter_.Changes() && walk_.IsDense(1); }
  void CopyRows(int64_t begin, int64_t end) const;
  void CopySeveralRows(int64_t begin, int64_t end) const;
  void RepeatElement(const char* from, int64_t count, char* to) const;
  void CopyBlock(const Place& from, const Place& to, int64_t count) const;
  void CopyTiles(int64_t begin, int64_t end) const;

  const Walk<2> walk_;
  const int inner_;
  const Converter converter_;
  char* const base_[2];
  const int64_t size_[2];
  const int64_t widest_;
  const bool streams_;  // no cache holds the output
  const int across_;    // the dimension of tiles (simd/tiles.h), or -1
  int64_t tile_rows_;   // elements, if there are tiles
  int64_t parts_;       // elements, or tiles
  int64_t grain_;       // of a chunk, in parts
  int64_t chunks_;
};

}  // namespace aclimb::copy
