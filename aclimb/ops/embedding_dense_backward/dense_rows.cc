#include "aclimb/ops/embedding_dense_backward/dense_rows.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/core/half.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::embedding_dense_backward {
namespace {

constexpr int64_t kTile = 64;

// The dimension, other than the last, along which the source is read most cheaply.
int CheapestDimension(const TensorView& from) {
  int best = -1;
  for (int d = 0; d < from.rank - 1; ++d) {
    if (from.shape[d] == 1) continue;
    if (best < 0 || from.stride[d] < from.stride[best]) best = d;
  }
  return best;
}

template <typename T>
bool CopyTiles(const TensorView& from, const TensorView& to) {
  const int column = from.rank - 1;
  const int cheap = CheapestDimension(from);
  const int64_t columns = from.shape[column];
  const int64_t rows = cheap < 0 ? 1 : from.shape[cheap];
  const int64_t read_step = cheap < 0 ? 0 : from.stride[cheap];
  const int64_t write_step = cheap < 0 ? 0 : to.stride[cheap];
  const int64_t bands = CeilDivide(rows, kTile);
  const int64_t planes = from.ElementCount() / (rows * columns);

  const auto copy_band = [&](int64_t piece) {
    int64_t plane = piece / bands;
    const int64_t row0 = piece % bands * kTile;
    const int64_t height = std::min(kTile, rows - row0);
    const T* source = from.As<T>() + row0 * read_step;
    T* target = to.As<T>() + row0 * write_step;
    for (int d = column - 1; d >= 0; --d) {
      if (d == cheap) continue;
      const int64_t index = plane % from.shape[d];
      plane /= from.shape[d];
      source += index * from.stride[d];
      target += index * to.stride[d];
    }
    for (int64_t column0 = 0; column0 < columns; column0 += kTile) {
      const int64_t end = std::min(columns, column0 + kTile);
      for (int64_t c = column0; c < end; ++c) {
        const T* read = source + c * from.stride[column];
        T* write = target + c;
        for (int64_t r = 0; r < height; ++r) write[r * write_step] = read[r * read_step];
      }
    }
  };
  const int64_t grain = std::max<int64_t>(1, 65536 / (kTile * columns));
  return ParallelForAll(planes * bands, grain, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) copy_band(piece);
  });
}

}  // namespace

bool RowsAreScattered(const TensorView& grad) {
  const int last = grad.rank - 1;
  return grad.shape[last] > 1 && grad.stride[last] != 1 && grad.ElementCount() > 0;
}

bool CopyDense(const TensorView& from, void* to) {
  const TensorView dense = DenseLike(from, to);
  switch (from.dtype) {
    case DType::kFloat16:
      return CopyTiles<Float16>(from, dense);
    case DType::kBFloat16:
      return CopyTiles<BFloat16>(from, dense);
    default:
      return CopyTiles<float>(from, dense);
  }
}

}  // namespace aclimb::embedding_dense_backward
