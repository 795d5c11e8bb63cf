#include "aclimb/ops/gather_rows/cpu.h"

#include <algorithm>
#include <cstring>

#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::gather_rows {
namespace {

constexpr int64_t kPiece = 32768;

// The dimensions [first, first + rank) of a view.
TensorView Part(const TensorView& view, int first, int rank) {
  TensorView part;
  part.rank = rank;
  std::copy_n(view.shape + first, rank, part.shape);
  std::copy_n(view.stride + first, rank, part.stride);
  return part;
}

// The slices of out one after the other: where each begins in out and in self.
class Slices {
 public:
  explicit Slices(const Args& args)
      : args_(args), rank_(args.dim + args.index_rank), extent_(args.self.shape[args.dim]) {
    for (int d = args.dim; d < rank_; ++d) indices_ *= args.out.shape[d];
  }

  void Seek(int64_t slice) {
    index_ = slice % indices_;
    at_out_ = at_self_ = 0;
    for (int d = rank_ - 1; d >= 0; --d) {
      place_[d] = slice % args_.out.shape[d];
      slice /= args_.out.shape[d];
      at_out_ += place_[d] * args_.out.stride[d];
      at_self_ += place_[d] * SelfStride(d);
    }
  }
  void Next() {
    if (++index_ == indices_) index_ = 0;
    for (int d = rank_ - 1; d >= 0; --d) {
      at_out_ += args_.out.stride[d];
      at_self_ += SelfStride(d);
      if (++place_[d] < args_.out.shape[d]) return;
      at_out_ -= place_[d] * args_.out.stride[d];
      at_self_ -= place_[d] * SelfStride(d);
      place_[d] = 0;
    }
  }

  int64_t Out() const { return at_out_; }
  // False when self does not have the slice.
  bool Self(int64_t* at) const {
    int64_t index = args_.index[index_];
    if (args_.counts_from_end && index < 0 && index >= -extent_) index += extent_;
    if (index < 0 || index >= extent_) return false;
    *at = at_self_ + index * args_.self.stride[args_.dim];
    return true;
  }

 private:
  int64_t SelfStride(int d) const { return d < args_.dim ? args_.self.stride[d] : 0; }

  const Args& args_;
  const int rank_;  // of the dimensions that slices are counted in
  const int64_t extent_;
  int64_t indices_ = 1;
  int64_t index_ = 0;
  int64_t at_out_ = 0;
  int64_t at_self_ = 0;
  int64_t place_[kMaxRank] = {};
};

template <typename T>
void Gather(const Args& args) {
  const int inner_rank = args.self.rank - args.dim - 1;
  const TensorView from = Part(args.self, args.dim + 1, inner_rank);
  const TensorView to = Part(args.out, args.dim + args.index_rank, inner_rank);
  const Walk<2> walk = Walk<2>::Make({&from, &to});
  const bool consecutive = walk.rank == 1 && walk.InnerIsContiguous();
  const int64_t length = walk.count;
  const int64_t from_step = walk.stride[0][walk.rank - 1], to_step = walk.stride[1][walk.rank - 1];
  const T* const self = args.self.As<const T>();
  T* const out = args.out.As<T>();

  ParallelFor(args.out.ElementCount(), kPiece, [&](int64_t begin, int64_t end) {
    Slices slices(args);
    slices.Seek(begin / length);
    for (int64_t first = begin % length; begin < end; first = 0, slices.Next()) {
      const int64_t last = std::min(length, first + end - begin);
      begin += last - first;
      T* const write = out + slices.Out();
      int64_t at;
      if (!slices.Self(&at)) {
        walk.Visit(first, last, [&](const int64_t* offset, int64_t count) {
          for (int64_t i = 0; i < count; ++i) write[offset[1] + i * to_step] = 0;
        });
        continue;
      }
      const T* const read = self + at;
      if (length == 1) {
        *write = *read;
      } else if (consecutive) {
        std::memcpy(write + first, read + first, static_cast<size_t>(last - first) * sizeof(T));
      } else {
        walk.Visit(first, last, [&](const int64_t* offset, int64_t count) {
          const T* const source = read + offset[0];
          T* const target = write + offset[1];
          for (int64_t i = 0; i < count; ++i) target[i * to_step] = source[i * from_step];
        });
      }
    }
  });
}

}  // namespace

void RunOnCpu(const Args& args) {
  switch (SizeOf(args.out.dtype)) {
    case 1:
      return Gather<uint8_t>(args);
    case 2:
      return Gather<uint16_t>(args);
    case 4:
      return Gather<uint32_t>(args);
    default:
      return Gather<uint64_t>(args);
  }
}

}  // namespace aclimb::gather_rows
