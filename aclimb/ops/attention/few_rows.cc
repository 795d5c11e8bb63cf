#include "aclimb/ops/attention/few_rows.h"

#include <algorithm>

namespace aclimb::attention {
namespace {

// Bytes that the first row brings into the second cache for the others.
constexpr int64_t kChunkBytes = 128 * 1024;

// Keys or values that all rows meet before the next ones.
int64_t ChunkOf(const TileRows& tile, int64_t size) {
  const int64_t fit = kChunkBytes / std::max<int64_t>(1, size * tile.width);
  return std::max(fit / matmul::kTogether, int64_t{1}) * matmul::kTogether;
}

// Rows that meet each key or value together; the others come one after the other.
int64_t SharedRows(int64_t rows, const TileRows& tile) {
  return tile.width <= matmul::kMostShared ? rows / matmul::kTogether * matmul::kTogether : 0;
}

}  // namespace

FewRows::FewRows(DType key, DType value)
    : key_size_(static_cast<int64_t>(SizeOf(key))),
      value_size_(static_cast<int64_t>(SizeOf(value))),
      score_(matmul::SumsAlongTerms(key, matmul::kTogether)),
      sum_(matmul::SumsAlongResults(value)),
      shared_score_(matmul::SharedSumsAlongTerms(key)),
      shared_sum_(matmul::SharedSumsAlongResults(value)) {}

void FewRows::Score(const float* queries, int64_t rows, const TileRows& keys, float* scores,
                    int64_t scores_row, double* totals) const {
  const int64_t chunk = ChunkOf(keys, key_size_);
  for (int64_t first = 0; first < keys.count; first += chunk) {
    const int64_t count = std::min(chunk, keys.count - first);
    const char* const from = keys.data + first * keys.row * key_size_;
    const int64_t shared = SharedRows(rows, keys);
    for (int64_t r = 0; r < shared; r += matmul::kTogether) {
      shared_score_(from, keys.row, queries + r * keys.width, keys.width, keys.width, count,
                    scores + r * scores_row + first, scores_row);
    }
    for (int64_t r = shared; r < rows; ++r) {
      score_(from, keys.row, queries + r * keys.width, keys.width, count, totals);
      std::copy_n(totals, count, scores + r * scores_row + first);
    }
  }
}

void FewRows::AddValues(const float* weights, int64_t weights_row, int64_t rows,
                        const TileRows& values, float* out, double* totals) const {
  const int64_t chunk = ChunkOf(values, value_size_);
  for (int64_t first = 0; first < values.count; first += chunk) {
    const int64_t count = std::min(chunk, values.count - first);
    const char* const from = values.data + first * values.row * value_size_;
    const int64_t shared = SharedRows(rows, values);
    for (int64_t r = 0; r < shared; r += matmul::kTogether) {
      shared_sum_(from, values.row, weights + r * weights_row + first, weights_row, count,
                  values.width, out + r * values.width, values.width);
    }
    for (int64_t r = shared; r < rows; ++r) {
      sum_(from, values.row, weights + r * weights_row + first, count, values.width, totals);
      float* const to = out + r * values.width;
      for (int64_t i = 0; i < values.width; ++i) to[i] += static_cast<float>(totals[i]);
    }
  }
}

}  // namespace aclimb::attention
