#include "aclimb/ops/embedding_dense_backward/index_sort.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "aclimb/core/divide.h"
#include "aclimb/ops/embedding_dense_backward/dense_rows.h"
#include "aclimb/ops/embedding_dense_backward/index_of.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::embedding_dense_backward {
namespace {

constexpr int kMaxDigitBits = 10;  // the counters of a digit fill a quarter of the first cache
// A second block, and with it a team, only for work that is too large to run on a caller's thread.
constexpr int64_t kMinBlock = 32768;
constexpr int64_t kMaxBlocks = 64;
constexpr int64_t kInsertionSort = 16;

int BitWidth(int64_t value) {
  return static_cast<int>(std::bit_width(static_cast<uint64_t>(value)));
}
int PositionBits(int64_t index_count) { return std::max(1, BitWidth(index_count - 1)); }

// How the bits of a row are spread over the passes. A row number equal to band_rows marks an index
// to be dropped, so that these end up behind all others.
struct Plan {
  int position_bits;
  int bucket_bits;  // the high bits, by which the first pass spreads
  int low_bits;     // the rest, sorted within a bucket
  int digit_bits;   // low bits per pass
  int passes;
  int64_t block;  // positions that share a histogram in the first pass
  int64_t blocks;

  Plan(int64_t index_count, int64_t band_rows) {
    position_bits = PositionBits(index_count);
    const int row_bits = BitWidth(band_rows);
    // About a thousand keys per bucket.
    const int count_bits = BitWidth(index_count);
    bucket_bits = std::min(row_bits, std::clamp(count_bits - 10, 0, kMaxDigitBits));
    low_bits = row_bits - bucket_bits;
    const int widest = std::clamp(count_bits - bucket_bits, 4, kMaxDigitBits);
    passes = CeilDivide(low_bits, widest);
    digit_bits = passes == 0 ? 0 : CeilDivide(low_bits, passes);
    block = std::max(kMinBlock, CeilDivide(index_count, kMaxBlocks));
    blocks = CeilDivide(index_count, block);
  }
  int64_t Buckets() const { return int64_t{1} << bucket_bits; }
  int BucketShift() const { return position_bits + low_bits; }
};

// The row within the band, or band.count.
uint64_t DropOutside(int64_t index, const RowBand& band) {
  const uint64_t row = static_cast<uint64_t>(index) - static_cast<uint64_t>(band.first);
  const uint64_t count = static_cast<uint64_t>(band.count);
  return row < count && index != band.skipped ? row : count;
}

// Keys of the positions [begin, end) in their own order, and how many fall into each bucket.
template <typename T>
void BuildKeys(const Walk<2>& walk, const T* data, const RowBand& band, const Plan& plan,
               int64_t begin, int64_t end, uint64_t* keys, int64_t* histogram) {
  const int position_bits = plan.position_bits;
  const int bucket_shift = plan.BucketShift();
  const int64_t stride = walk.stride[0][walk.rank - 1];
  std::fill_n(histogram, plan.Buckets(), 0);
  walk.Visit(begin, end, [&](const int64_t(&offset)[2], int64_t length) {
    const T* from = data + offset[0];
    for (int64_t i = 0; i < length; ++i) {
      const uint64_t row = DropOutside(IndexOf(from[i * stride]), band);
      const uint64_t position = static_cast<uint64_t>(begin + i);
      const uint64_t key = (row << position_bits) | position;
      keys[begin + i] = key;
      ++histogram[key >> bucket_shift];
    }
    begin += length;
  });
}

// One stable counting pass over a bucket by the digit at `shift`.
void CountingPass(const uint64_t* from, uint64_t* to, int64_t count, int shift, int bits) {
  int64_t next[1 << kMaxDigitBits];
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  std::fill_n(next, mask + 1, 0);
  for (int64_t i = 0; i < count; ++i) ++next[(from[i] >> shift) & mask];
  if (next[(from[0] >> shift) & mask] == count) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(*to));
    return;
  }
  int64_t sum = 0;
  for (uint64_t digit = 0; digit <= mask; ++digit) {
    const int64_t here = next[digit];
    next[digit] = sum;
    sum += here;
  }
  for (int64_t i = 0; i < count; ++i) to[next[(from[i] >> shift) & mask]++] = from[i];
}

// Sorts `count` keys of one bucket from `keys`; they end in `keys` after an even number of passes,
// in `other` after an odd one. No two keys are equal, since a key holds its position.
void SortBucket(uint64_t* keys, uint64_t* other, int64_t count, const Plan& plan) {
  if (count <= kInsertionSort) {
    uint64_t* to = plan.passes % 2 == 0 ? keys : other;
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t key = keys[i];
      int64_t at = i;
      for (; at > 0 && to[at - 1] > key; --at) to[at] = to[at - 1];
      to[at] = key;
    }
    return;
  }
  for (int pass = 0; pass < plan.passes; ++pass) {
    const int done = pass * plan.digit_bits;
    CountingPass(keys, other, count, plan.position_bits + done,
                 std::min(plan.digit_bits, plan.low_bits - done));
    std::swap(keys, other);
  }
}

}  // namespace

int64_t SortedIndices::LowerBound(int64_t row) const {
  const uint64_t key = static_cast<uint64_t>(row) << position_bits;
  return std::lower_bound(keys, keys + count, key) - keys;
}

int64_t MaxBandRows(int64_t index_count) {
  // One bit is left over, so that no shift by a whole key is ever 64 wide.
  const uint64_t most = ~uint64_t{0} >> (PositionBits(std::max<int64_t>(1, index_count)) + 1);
  return static_cast<int64_t>(most);
}

int64_t IndexSortScratchBytes(int64_t index_count, int64_t band_rows) {
  if (index_count == 0) return 0;
  const Plan plan(index_count, band_rows);
  int64_t words;
  int64_t bytes;
  if (__builtin_mul_overflow(index_count, 2, &words) ||
      __builtin_add_overflow(words, plan.blocks * plan.Buckets(), &words) ||
      __builtin_mul_overflow(words, 8, &bytes)) {
    return -1;
  }
  return bytes;
}

bool SortIndices(const TensorView& indices, const RowBand& band, void* scratch,
                 SortedIndices* sorted) {
  *sorted = SortedIndices{};
  const int64_t n = indices.ElementCount();
  if (n == 0) return true;
  const Plan plan(n, band.count);
  const int64_t buckets = plan.Buckets();
  uint64_t* const other = static_cast<uint64_t*>(scratch);
  uint64_t* const keys = other + n;
  int64_t* const histograms = reinterpret_cast<int64_t*>(keys + n);

  // Offsets in a dense view are positions; it keeps the walk in their order.
  const TensorView positions = DenseLike(indices, nullptr);
  const Walk<2> walk = Walk<2>::Make({&indices, &positions});
  const auto block_end = [&](int64_t block) { return std::min(n, (block + 1) * plan.block); };
  bool all = ParallelForAll(plan.blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      WithIndexType(indices, [&](const auto* data) {
        BuildKeys(walk, data, band, plan, b * plan.block, block_end(b), other,
                  histograms + b * buckets);
      });
    }
  });
  if (!all) return false;

  int64_t sum = 0;
  for (int64_t bucket = 0; bucket < buckets; ++bucket) {
    for (int64_t b = 0; b < plan.blocks; ++b) {
      int64_t& entry = histograms[b * buckets + bucket];
      const int64_t here = entry;
      entry = sum;
      sum += here;
    }
  }
  all = ParallelForAll(plan.blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      int64_t* const next = histograms + b * buckets;
      const int64_t last = block_end(b);
      for (int64_t i = b * plan.block; i < last; ++i) {
        keys[next[other[i] >> plan.BucketShift()]++] = other[i];
      }
    }
  });
  if (!all) return false;

  // The last block has advanced its starts to the ends of the buckets. A piece sorts the buckets
  // that start in its share of the keys.
  const int64_t* const ends = histograms + (plan.blocks - 1) * buckets;
  all = ParallelForAll(plan.blocks, 1, [&](int64_t begin, int64_t end) {
    const int64_t first_key = begin * plan.block;
    const int64_t last_key = block_end(end - 1);
    int64_t bucket =
        first_key == 0 ? 0 : std::lower_bound(ends, ends + buckets, first_key) - ends + 1;
    for (; bucket < buckets; ++bucket) {
      const int64_t start = bucket == 0 ? 0 : ends[bucket - 1];
      if (start >= last_key) break;
      if (ends[bucket] > start) {
        SortBucket(keys + start, other + start, ends[bucket] - start, plan);
      }
    }
  });
  if (!all) return false;

  sorted->keys = plan.passes % 2 == 0 ? keys : other;
  sorted->position_bits = plan.position_bits;
  sorted->count = n;
  sorted->count = sorted->LowerBound(band.count);
  return true;
}

}  // namespace aclimb::embedding_dense_backward
