#pragma once

#include <algorithm>
#include <cstdint>

#include "aclimb/copy/convert.h"
#include "aclimb/copy/gather.h"
#include "aclimb/simd/walk.h"

// What comparisons of elements share.
namespace aclimb::selection {

inline constexpr int64_t kGrain = 16 * 1024;  // elements
// Elements that are converted and compared at once.
inline constexpr int64_t kPiece = 512;

// The wider dtype in which numbers of a dtype can be compared exactly.
inline DType WideFor(DType dtype) {
  if (!IsFloating(dtype)) return DType::kInt64;
  return dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
}

// Converts elements of a dtype to the one that they are compared as, and that to a wide one.
class Operand {
 public:
  Operand(DType from, DType as, DType wide)
      : bytes_(static_cast<int64_t>(SizeOf(from))), first_(from, as), second_(as, wide) {}

  struct Room {
    alignas(64) char gathered[kPiece * sizeof(double)];
    alignas(64) char converted[kPiece * sizeof(double)];
    alignas(64) char widened[kPiece * sizeof(double)];
  };

  // `count` elements, `stride` apart, from element `begin` on.
  const void* Load(const void* base, int64_t begin, int64_t stride, int64_t count,
                   Room& room) const {
    char* const at = static_cast<char*>(const_cast<void*>(base)) + begin * bytes_;
    const void* x = at;
    if (stride != 1) {
      copy::Gather(static_cast<size_t>(bytes_), copy::RowAt(at, stride, count), count,
                   room.gathered);
      x = room.gathered;
    }
    if (first_.Changes()) {
      first_.Run(x, count, room.converted);
      x = room.converted;
    }
    if (second_.Changes()) {
      second_.Run(x, count, room.widened);
      x = room.widened;
    }
    return x;
  }

 private:
  int64_t bytes_;
  copy::Converter first_;
  copy::Converter second_;
};

// Walks N tensors in pieces: body(places, count), with the place of the first element in each.
template <int N, typename Body>
void EachPiece(const Walk<N>& walk, int64_t begin, int64_t end, Body&& body) {
  walk.Visit(begin, end, [&](const int64_t(&at)[N], int64_t n) {
    for (int64_t done = 0; done < n; done += kPiece) {
      int64_t places[N];
      for (int i = 0; i < N; ++i) places[i] = at[i] + done * walk.stride[i][walk.rank - 1];
      body(places, std::min(kPiece, n - done));
    }
  });
}

}  // namespace aclimb::selection
