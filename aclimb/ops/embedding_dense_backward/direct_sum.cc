#include "aclimb/ops/embedding_dense_backward/direct_sum.h"

#include <algorithm>
#include <atomic>

#include "aclimb/copy/copy.h"
#include "aclimb/core/divide.h"
#include "aclimb/ops/embedding_dense_backward/index_of.h"
#include "aclimb/ops/embedding_dense_backward/row_sum.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::embedding_dense_backward {
namespace {

// A sort takes 20 to 40 ns for each position, whatever the columns are, and an addition 1 to 2 ns
// for each of them while the sums stay in the second or third cache: with 8 columns and more sums
// than this both take as long.
constexpr int64_t kMostColumns = 8;
constexpr int64_t kMostSums = int64_t{1} << 19;
// All sums are cleared and read, at 0.5 ns each or 2 ns with a division: as long as the sort of a
// sixteenth as many positions.
constexpr int64_t kSumsPerPosition = 16;
// A slice is worth a team, eight of them do not crowd a cache that threads share.
constexpr int64_t kMinSlice = 32768;
constexpr int64_t kMostSlices = 8;
// Positions whose rows are looked up before any is added. A cancelled run stops after a piece.
constexpr int64_t kPiece = 1024;

// Slices of the positions, each with sums of its own, so that no sum depends on who takes part.
// Each has two positions for each row of the table: the sums of the slices then cost little to add.
int64_t SlicesOf(int64_t positions, int64_t rows) {
  return std::clamp<int64_t>(positions / std::max(kMinSlice, 2 * rows), 1, kMostSlices);
}

// The sums of a slice: for each row its columns and, if they are counted, how many rows of grad
// they have. A last row has what belongs to none.
struct Sums {
  int64_t rows;
  int64_t columns;
  bool counts;

  int64_t Width() const { return columns + (counts ? 1 : 0); }
  int64_t Size() const { return (rows + 1) * Width(); }
};

// The rows of the table for the positions [begin, end); `rows` for none.
void LookUp(const Args& args, const Walk<2>& walk, int64_t begin, int64_t end, int64_t* to) {
  const int64_t rows = args.out.shape[0];
  const int64_t padding = args.padding_idx;
  const int64_t stride = walk.stride[0][walk.rank - 1];
  WithIndexType(args.indices, [&](const auto* data) {
    walk.Visit(begin, end, [&](const int64_t(&offset)[2], int64_t length) {
      for (int64_t i = 0; i < length; ++i) {
        const int64_t row = IndexOf(data[offset[0] + i * stride]);
        const bool known = static_cast<uint64_t>(row) < static_cast<uint64_t>(rows);
        *to++ = known && row != padding ? row : rows;
      }
    });
  });
}

// Adds the rows of grad from position `begin` on to the sums of `count` rows of the table. kColumns
// is 0 where no loop is made for so many, and where rows are counted or not evenly spaced.
template <int kColumns, typename T>
void AddRows(const TensorView& grad, const RowOffsets& offsets, const Sums& sums, int64_t begin,
             const int64_t* rows, int64_t count, double* to) {
  const int64_t columns = kColumns > 0 ? kColumns : sums.columns;
  const int64_t step = columns > 1 ? grad.stride[grad.rank - 1] : 0;
  const T* const from = grad.As<const T>();
  for (int64_t i = 0; i < count; ++i) {
    const T* const row =
        from + (kColumns > 0 ? (begin + i) * offsets.stride[0] : offsets.At(begin + i));
    double* const sum = to + rows[i] * (kColumns > 0 ? kColumns : sums.Width());
    for (int64_t c = 0; c < columns; ++c) sum[c] += static_cast<double>(ToFloat(row[c * step]));
    if (kColumns == 0 && sums.counts) sum[columns] += 1;
  }
}
using Adder = decltype(&AddRows<0, float>);

template <typename T>
Adder AdderOf(int64_t columns) {
  switch (columns) {
    case 1:
      return &AddRows<1, T>;
    case 2:
      return &AddRows<2, T>;
    case 4:
      return &AddRows<4, T>;
    case 8:
      return &AddRows<8, T>;
    default:
      return &AddRows<0, T>;
  }
}
Adder AdderOf(const TensorView& grad, const RowOffsets& offsets, const Sums& sums) {
  const int64_t columns = sums.counts || offsets.rank > 1 ? 0 : sums.columns;
  switch (grad.dtype) {
    case DType::kFloat16:
      return AdderOf<Float16>(columns);
    case DType::kBFloat16:
      return AdderOf<BFloat16>(columns);
    default:
      return AdderOf<float>(columns);
  }
}

// Rows [begin, end) of the table: the slices' sums, added in their order to those of the first.
void AddSlices(const Sums& sums, int64_t slices, int64_t begin, int64_t end, double* all,
               float* to) {
  const int64_t width = sums.Width(), columns = sums.columns;
  for (int64_t s = 1; s < slices; ++s) {
    const double* const more = all + s * sums.Size();
    for (int64_t i = begin * width; i < end * width; ++i) all[i] += more[i];
  }
  if (!sums.counts) {
    for (int64_t i = begin * width; i < end * width; ++i) to[i] = static_cast<float>(all[i]);
    return;
  }
  for (int64_t row = begin; row < end; ++row) {
    const double* const sum = all + row * width;
    const double count = std::max(1.0, sum[columns]);
    for (int64_t c = 0; c < columns; ++c) {
      to[row * columns + c] = static_cast<float>(sum[c] / count);
    }
  }
}

}  // namespace

bool SumsDirectly(const TensorView& indices, const TensorView& out) {
  const int64_t positions = indices.ElementCount();
  const int64_t columns = out.shape[1];
  return positions > 0 && columns > 0 && columns <= kMostColumns &&
         out.shape[0] <= kMostSums / columns &&
         out.shape[0] * columns / kSumsPerPosition <= positions;
}

int64_t DirectSumScratchBytes(const TensorView& indices, const TensorView& out) {
  const Sums sums = {out.shape[0], out.shape[1], true};
  const int64_t slices = SlicesOf(indices.ElementCount(), sums.rows);
  return slices * sums.Size() * int64_t{sizeof(double)} +
         out.ElementCount() * int64_t{sizeof(float)};
}

void SumDirectly(const Args& args) {
  const TensorView& out = args.out;
  const Sums sums = {out.shape[0], out.shape[1], args.scale_by_freq};
  const int64_t positions = args.indices.ElementCount();
  const int64_t slices = SlicesOf(positions, sums.rows);
  const int64_t slice = CeilDivide(positions, slices);
  double* const all = static_cast<double*>(args.scratch);

  const TensorView in_order = DenseLike(args.indices, nullptr);
  const Walk<2> walk = Walk<2>::Make({&args.indices, &in_order});
  const RowOffsets offsets = RowOffsets::Of(args.grad);
  const Adder add = AdderOf(args.grad, offsets, sums);
  // The thread that called may ask; the others hear of it here.
  std::atomic<bool> cancelled = false;
  const bool added = ParallelForAll(slices, 1, [&](int64_t first, int64_t last) {
    int64_t rows[kPiece];
    for (int64_t s = first; s < last; ++s) {
      double* const own = all + s * sums.Size();
      std::fill_n(own, sums.Size(), 0.0);
      const int64_t end = std::min(positions, (s + 1) * slice);
      for (int64_t begin = s * slice; begin < end; begin += kPiece) {
        if (cancelled.load(std::memory_order_relaxed)) return;
        if (IsCancelled()) return cancelled.store(true, std::memory_order_relaxed);
        const int64_t count = std::min(kPiece, end - begin);
        LookUp(args, walk, begin, begin + count, rows);
        add(args.grad, offsets, sums, begin, rows, count, own);
      }
    }
  });
  if (!added || cancelled.load(std::memory_order_relaxed)) return;

  const bool plain = out.dtype == DType::kFloat32 && out.IsContiguous();
  TensorView single = DenseLike(out, plain ? out.data : all + slices * sums.Size());
  single.dtype = DType::kFloat32;
  const bool summed = ParallelForAll(sums.rows, kPiece, [&](int64_t begin, int64_t end) {
    AddSlices(sums, slices, begin, end, all, single.As<float>());
  });
  if (summed && !plain) (void)copy::Copy(single, out);
}

}  // namespace aclimb::embedding_dense_backward
