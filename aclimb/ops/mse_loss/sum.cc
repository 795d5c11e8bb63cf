#include "aclimb/ops/mse_loss/sum.h"

#include <algorithm>
#include <cstring>

#include "aclimb/copy/convert.h"
#include "aclimb/copy/gather.h"
#include "aclimb/core/divide.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::mse_loss {
namespace {

// A lane adds up 32 squares at most, so that float32 is precise enough.
constexpr int64_t kLanes = 32;
constexpr int64_t kChunk = 32 * kLanes;
// The chunks are summed in at most so many blocks.
constexpr int64_t kBlocks = 256;

// One operand, which is read as float32 a chunk at a time.
class Reader {
 public:
  Reader(const TensorView& view, const Walk<2>& walk, int operand)
      : data_(view.As<char>()),
        size_(SizeOf(view.dtype)),
        to_float_(view.dtype, DType::kFloat32),
        axes_{walk.rank, walk.extent, walk.stride[operand]},
        dense_(walk.IsDense(operand)) {}

  // Elements [begin, begin + count), in `buffer` or where they are.
  const float* Read(int64_t begin, int64_t count, float* buffer) const {
    alignas(64) char gathered[kChunk * sizeof(float)];
    const char* from = data_ + begin * static_cast<int64_t>(size_);
    if (!dense_) {
      char* const to = to_float_.Changes() ? gathered : reinterpret_cast<char*>(buffer);
      copy::Gather(size_, {.at = data_, .axes = axes_, .begin = begin}, count, to);
      from = to;
    }
    if (!to_float_.Changes()) return reinterpret_cast<const float*>(from);
    to_float_.Run(from, count, buffer);
    return buffer;
  }

 private:
  char* data_;
  size_t size_;
  copy::Converter to_float_;
  copy::Axes axes_;
  bool dense_;
};

double SumOfChunk(const float* a, const float* b, int64_t count) {
  float lanes[kLanes] = {};
  const int64_t whole = count / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    for (int64_t k = 0; k < kLanes; ++k) {
      const float difference = a[i + k] - b[i + k];
      lanes[k] += difference * difference;
    }
  }
  for (int64_t i = whole; i < count; ++i) {
    const float difference = a[i] - b[i];
    lanes[i - whole] += difference * difference;
  }
  double sum = 0;
  for (const float lane : lanes) sum += static_cast<double>(lane);
  return sum;
}

}  // namespace

double SumOfSquares(const TensorView& a, const TensorView& b) {
  const Walk<2> walk = Walk<2>::Make({&a, &b});
  const Reader read_a(a, walk, 0), read_b(b, walk, 1);
  const int64_t chunks = CeilDivide(walk.count, kChunk);
  const int64_t length = std::max<int64_t>(32, CeilDivide(chunks, kBlocks));
  const int64_t blocks = CeilDivide(chunks, length);
  double sums[kBlocks] = {};
  ParallelFor(blocks, 1, [&](int64_t first, int64_t last) {
    alignas(64) float buffers[2][kChunk];
    for (int64_t block = first; block < last; ++block) {
      const int64_t end = std::min(chunks, (block + 1) * length);
      for (int64_t chunk = block * length; chunk < end; ++chunk) {
        const int64_t begin = chunk * kChunk, count = std::min(kChunk, walk.count - begin);
        sums[block] += SumOfChunk(read_a.Read(begin, count, buffers[0]),
                                  read_b.Read(begin, count, buffers[1]), count);
      }
    }
  });
  double total = 0;
  for (int64_t block = 0; block < blocks; ++block) total += sums[block];
  return total;
}

}  // namespace aclimb::mse_loss
