#include "aclimb/ops/embedding_dense_backward/cpu.h"

#include <algorithm>

#include "aclimb/ops/embedding_dense_backward/dense_rows.h"
#include "aclimb/ops/embedding_dense_backward/direct_sum.h"
#include "aclimb/ops/embedding_dense_backward/index_sort.h"
#include "aclimb/ops/embedding_dense_backward/row_sum.h"
#include "aclimb/ops/embedding_dense_backward/work_split.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::embedding_dense_backward {
namespace {

constexpr int64_t kAlignment = 64;
// Larger outputs are stored around the caches.
constexpr int64_t kStreamBytes = int64_t{16} << 20;
// Work below this stays on the calling thread; a cancelled run stops after about a piece.
constexpr int64_t kMinShareBytes = 64 << 10;
constexpr int64_t kPieceBytes = int64_t{8} << 20;
// Two threads that read columns of the same rows take lines from each other where their parts are
// narrower: the processor's prefetchers do not stop at the cut (measured: half as fast at 128).
constexpr int64_t kColumnBytes = 512;

// Rounded up, so that the sort's scratch behind it is aligned too; negative past int64.
int64_t DenseGradBytes(const TensorView& grad) {
  if (!RowsAreScattered(grad)) return 0;
  int64_t bytes;
  const int64_t size = static_cast<int64_t>(SizeOf(grad.dtype));
  if (__builtin_mul_overflow(grad.ElementCount(), size, &bytes)) return -1;
  return __builtin_add_overflow(bytes, kAlignment - 1, &bytes) ? -1
                                                               : bytes / kAlignment * kAlignment;
}

// Each thread's share of the band is one stretch of the output, cut into pieces between rows.
void SumBand(const RowSumJob& job, int64_t columns) {
  const int64_t grad_size = static_cast<int64_t>(SizeOf(job.grad.dtype));
  const int64_t out_size = static_cast<int64_t>(SizeOf(job.out.dtype));
  WorkLine line;
  line.sorted = job.sorted;
  line.rows = job.out.shape[0];
  line.columns = columns;
  line.column_grain = kColumnBytes / std::min(grad_size, out_size);
  const int64_t bytes = columns * (line.rows * out_size + job.sorted.count * grad_size);
  const int64_t shares = std::clamp<int64_t>(bytes / kMinShareBytes, 1, TeamSize());
  const int64_t pieces = std::clamp<int64_t>(bytes / shares / kPieceBytes, 1, 256);

  ParallelFor(shares * pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t share = piece / pieces;
      const int64_t share_begin = line.ElementAt(share, shares, true);
      const int64_t share_end = line.ElementAt(share + 1, shares, true);
      const auto cut = [&](int64_t at) {
        if (at == share * pieces) return share_begin;
        if (at == (share + 1) * pieces) return share_end;
        return std::clamp(line.ElementAt(at, shares * pieces, false), share_begin, share_end);
      };
      SumRows(job, cut(piece), cut(piece + 1));
    }
  });
}

}  // namespace

int64_t ScratchBytes(const TensorView& grad, const TensorView& indices, const TensorView& out) {
  const int64_t index_count = indices.ElementCount();
  if (out.ElementCount() == 0 || index_count == 0) return 0;
  if (SumsDirectly(indices, out)) return DirectSumScratchBytes(indices, out);
  const int64_t band_rows = std::min(out.shape[0], MaxBandRows(index_count));
  const int64_t sort = IndexSortScratchBytes(index_count, band_rows);
  const int64_t dense = DenseGradBytes(grad);
  int64_t sum;
  return sort < 0 || dense < 0 || __builtin_add_overflow(sort, dense, &sum) ? -1 : sum;
}

void RunInBands(const Args& args, int64_t max_band_rows) {
  const int64_t rows = args.out.shape[0];
  const int64_t columns = args.out.shape[1];
  if (rows == 0 || columns == 0) return;

  RowSumJob job;
  job.grad = args.grad;
  job.scale_by_freq = args.scale_by_freq;
  job.stream = rows * columns * static_cast<int64_t>(SizeOf(args.out.dtype)) >= kStreamBytes;
  char* scratch = static_cast<char*>(args.scratch);
  if (args.indices.ElementCount() > 0) {
    if (RowsAreScattered(args.grad)) {
      if (!CopyDense(args.grad, scratch)) return;
      job.grad = DenseLike(args.grad, scratch);
      scratch += DenseGradBytes(args.grad);
    }
    job.offsets = RowOffsets::Of(job.grad);
  }
  for (int64_t first = 0; first < rows; first += max_band_rows) {
    const RowBand band{first, std::min(max_band_rows, rows - first), args.padding_idx};
    if (!SortIndices(args.indices, band, scratch, &job.sorted)) return;
    job.out = args.out;
    job.out.shape[0] = band.count;
    job.out.data = static_cast<char*>(args.out.data) +
                   first * args.out.stride[0] * static_cast<int64_t>(SizeOf(args.out.dtype));
    SumBand(job, columns);
  }
}

void RunOnCpu(const Args& args) {
  if (SumsDirectly(args.indices, args.out)) return SumDirectly(args);
  RunInBands(args, MaxBandRows(args.indices.ElementCount()));
}

}  // namespace aclimb::embedding_dense_backward
