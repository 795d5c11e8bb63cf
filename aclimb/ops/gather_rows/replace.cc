#include "aclimb/ops/gather_rows/replace.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "aclimb/ops/gather_rows/part.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/shares.h"
#include "aclimb/simd/walk.h"

namespace aclimb::gather_rows {
namespace {

// From so many elements on, of fewer lines than this, the indices are shared out.
constexpr int64_t kManyElements = 65536;
constexpr int64_t kFewLines = 8;

template <typename T>
bool ReplaceElements(const Replacement& r) {
  const int inner_rank = r.self.rank - r.dim - 1;
  const TensorView from = Part(r.source, r.dim + 1, inner_rank);
  const TensorView to = Part(r.self, r.dim + 1, inner_rank);
  const Walk<2> walk = Walk<2>::Make({&from, &to});
  const TensorView outer_from = Part(r.source, 0, r.dim), outer_to = Part(r.self, 0, r.dim);
  const Walk<2> outer = Walk<2>::Make({&outer_from, &outer_to});
  const bool consecutive = walk.rank == 1 && walk.InnerIsContiguous();
  const int64_t from_step = walk.stride[0][walk.rank - 1], to_step = walk.stride[1][walk.rank - 1];
  const int64_t count = r.source.shape[r.dim], extent = r.self.shape[r.dim];

  const auto replace = [&](const T* read, T* write) {
    if (consecutive) {
      std::memcpy(write, read, static_cast<size_t>(walk.count) * sizeof(T));
    } else {
      walk.Visit(0, walk.count, [&](const int64_t* offset, int64_t length) {
        const T* const source = read + offset[0];
        T* const target = write + offset[1];
        for (int64_t i = 0; i < length; ++i) target[i * to_step] = source[i * from_step];
      });
    }
  };
  // A share has all indices with the same remainder, so that equal ones stay in their order.
  const bool whole = outer.count >= kFewLines || r.source.ElementCount() < kManyElements;
  const int64_t shares = int64_t{1} << (whole ? 0 : ShareBits());
  const int64_t grain = std::max<int64_t>(1, kManyElements / 2 / (walk.count * count));
  std::atomic<bool> unknown = false;
  ParallelFor(outer.count * shares, grain, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t share = piece % shares;
      int64_t at[2];
      outer.Visit(piece / shares, piece / shares + 1, [&](const int64_t* offset, int64_t) {
        at[0] = offset[0];
        at[1] = offset[1];
      });
      const T* const source = r.source.As<const T>() + at[0];
      T* const self = r.self.As<T>() + at[1];
      const int64_t* const indices = r.index;
      const int64_t source_stride = r.source.stride[r.dim], self_stride = r.self.stride[r.dim];
      const auto each = [=, note = &unknown](auto&& copy) {
        for (int64_t k = 0; k < count; ++k) {
          const int64_t index = indices[k];
          if (index < 0 || index >= extent) [[unlikely]] {
            note->store(true, std::memory_order_relaxed);
            continue;
          }
          if ((index & (shares - 1)) != share) continue;
          copy(source + k * source_stride, self + index * self_stride);
        }
      };
      if (walk.count == 1) {
        each([](const T* read, T* write) { *write = *read; });
      } else {
        each(replace);
      }
    }
  });
  return !unknown.load(std::memory_order_relaxed);
}

}  // namespace

bool Replace(const Replacement& replacement) {
  switch (SizeOf(replacement.self.dtype)) {
    case 1:
      return ReplaceElements<uint8_t>(replacement);
    case 2:
      return ReplaceElements<uint16_t>(replacement);
    case 4:
      return ReplaceElements<uint32_t>(replacement);
    default:
      return ReplaceElements<uint64_t>(replacement);
  }
}

}  // namespace aclimb::gather_rows
