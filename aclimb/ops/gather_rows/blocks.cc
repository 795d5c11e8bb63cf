#include "aclimb/ops/gather_rows/blocks.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "aclimb/copy/stream.h"
#include "aclimb/copy/transpose.h"
#include "aclimb/core/divide.h"
#include "aclimb/ops/gather_rows/naming.h"
#include "aclimb/ops/gather_rows/part.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::gather_rows {
namespace {

constexpr int64_t kLine = 64;
// Half of a small second-level cache. Of many slices, single lines of each may take more, in the
// third-level cache.
constexpr int64_t kSmallBlock = 256 << 10;
constexpr int64_t kLargestBlock = 4 << 20;
constexpr int64_t kWidest = 512;
// An element that is read on its own takes as long as the transpose of so many: four in the first
// cache, and more further away.
constexpr int64_t kSlicesPerIndex = 4;

// How the slices are cut.
struct Cut {
  int64_t element = 0;  // bytes
  int64_t extent = 0;   // slices of self
  int64_t length = 0;   // elements of a slice
  int64_t step = 0;     // from one to the next in self
  int64_t width = 0;    // of them in a block; 0: no blocks
  int64_t indices = 0;
  int64_t index_step = 0;  // from one slice of out to the next
  int64_t outer = 0;
  int64_t parts = 1;  // of the indices
  bool pays = false;

  explicit Cut(const Args& args) {
    const int rank = args.self.rank - args.dim - 1;
    if (rank == 0 || args.self.stride[args.dim] != 1) return;
    const TensorView from = Part(args.self, args.dim + 1, rank);
    const TensorView to = Part(args.out, args.dim + args.index_rank, rank);
    const Walk<2> slice = Walk<2>::Make({&from, &to});
    // Beside a dense view the walk keeps the order of the indices.
    const TensorView places = Part(args.out, args.dim, args.index_rank);
    const TensorView in_order = DenseLike(places, nullptr);
    const Walk<2> index = Walk<2>::Make({&places, &in_order});
    element = static_cast<int64_t>(SizeOf(args.out.dtype));
    extent = args.self.shape[args.dim];
    length = slice.count;
    step = slice.stride[0][0];
    indices = index.count;
    index_step = index.stride[0][0];
    const bool lies_so = slice.rank == 1 && step != 1 && slice.stride[1][0] == 1 && index.rank == 1;
    const bool may_pay = length >= kLine / element &&
                         CeilDivide(extent, kSlicesPerIndex) <= indices &&
                         extent >= kSlicesPerIndex && extent <= kLargestBlock / kLine;
    if (!lies_so || !may_pay) return;
    const int64_t bytes = std::clamp(kSmallBlock / extent / kLine * kLine, kLine, kWidest);
    width = std::min(length, bytes / element);
    outer = args.out.ElementCount() / (indices * length);
    const int64_t blocks = outer * Blocks();
    const int64_t pieces = CeilDivide(args.out.ElementCount(), kPiece);
    const int64_t readers = std::min(int64_t{TeamSize()}, pieces);
    parts = std::clamp<int64_t>(readers / blocks, 1, indices);
    // The longest time of a thread, in units of a block's width.
    const int64_t filled = CeilDivide(blocks * parts, int64_t{TeamSize()});
    pays = filled * CeilDivide(extent, kSlicesPerIndex) <= blocks * indices / readers;
  }
  // Of the slices with the same outer index.
  int64_t Blocks() const { return CeilDivide(length, width); }
};

}  // namespace

int64_t BlockBytes(const Args& args) {
  const Cut cut(args);
  return cut.pays ? cut.extent * cut.width * cut.element : 0;
}

int64_t BlockCount(const Args& args) {
  const Cut cut(args);
  return cut.outer * cut.Blocks() * cut.parts;
}

bool GatherInBlocks(const Args& args) {
  const Cut cut(args);
  const Naming naming = Naming::Of(args);
  const TensorView outer_from = Part(args.self, 0, args.dim),
                   outer_to = Part(args.out, 0, args.dim);
  const Walk<2> outer = Walk<2>::Make({&outer_from, &outer_to});
  const copy::RowCopier copier(false);
  const int64_t blocks = cut.Blocks(), parts = cut.parts;
  std::atomic<bool> unknown = false;
  (void)ForEachUnit(cut.outer * blocks * parts, 1, args.blocks, [&](int64_t unit, char* block) {
    const int64_t part = unit % parts, at = unit / parts;
    const int64_t first = at % blocks * cut.width;
    const int64_t width = std::min(cut.width, cut.length - first);
    const int64_t bytes = width * cut.element;
    const char* from = nullptr;
    char* to = nullptr;
    outer.Visit(at / blocks, at / blocks + 1, [&](const int64_t* offset, int64_t) {
      from = args.self.As<const char>() + (offset[0] + first * cut.step) * cut.element;
      to = args.out.As<char>() + (offset[1] + first) * cut.element;
    });
    copy::Transpose(static_cast<size_t>(cut.element), from, cut.step, width, cut.extent, block,
                    width);
    const int64_t end = cut.indices * (part + 1) / parts;
    for (int64_t i = cut.indices * part / parts; i < end; ++i) {
      const int64_t place = naming.Place(args.index[i]);
      char* const slice = to + i * cut.index_step * cut.element;
      if (naming.Has(place)) [[likely]] {
        copier.Copy(block + place * bytes, bytes, slice);
      } else {
        std::memset(slice, 0, static_cast<size_t>(bytes));
        unknown.store(true, std::memory_order_relaxed);
      }
    }
  });
  return !unknown.load(std::memory_order_relaxed);
}

}  // namespace aclimb::gather_rows
