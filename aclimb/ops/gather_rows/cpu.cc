#include "aclimb/ops/gather_rows/cpu.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "aclimb/copy/stream.h"
#include "aclimb/ops/gather_rows/blocks.h"
#include "aclimb/ops/gather_rows/naming.h"
#include "aclimb/ops/gather_rows/part.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/prefetch.h"
#include "aclimb/simd/walk.h"

namespace aclimb::gather_rows {
namespace {

// The slices of out in runs, along each of which everything is evenly spaced.
class Runs {
 public:
  explicit Runs(const Args& args)
      : args_(args), rank_(args.dim + args.index_rank), inner_(std::max(0, rank_ - 1)) {
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
  // Slices from here to the end of the run.
  int64_t Length() const { return rank_ == 0 ? 1 : args_.out.shape[inner_] - place_[inner_]; }
  // Goes on by `count` slices, not past the end of the run.
  void Skip(int64_t count) {
    if (rank_ == 0) return;
    index_ += count * IndexStep();
    place_[inner_] += count;
    at_out_ += count * args_.out.stride[inner_];
    at_self_ += count * SelfStride(inner_);
    for (int d = inner_; d >= 0 && place_[d] == args_.out.shape[d]; --d) {
      at_out_ -= place_[d] * args_.out.stride[d];
      at_self_ -= place_[d] * SelfStride(d);
      place_[d] = 0;
      if (d == args_.dim) index_ = 0;
      if (d == 0) break;
      ++place_[d - 1];
      at_out_ += args_.out.stride[d - 1];
      at_self_ += SelfStride(d - 1);
    }
  }

  // Where the run is, and its steps from slice to slice. In self without the index.
  int64_t Out() const { return at_out_; }
  int64_t Self() const { return at_self_; }
  const int64_t* Index() const { return args_.index + index_; }
  int64_t OutStep() const { return rank_ == 0 ? 0 : args_.out.stride[inner_]; }
  int64_t SelfStep() const { return rank_ == 0 ? 0 : SelfStride(inner_); }
  int64_t IndexStep() const { return inner_ >= args_.dim ? 1 : 0; }

 private:
  int64_t SelfStride(int d) const { return d < args_.dim ? args_.self.stride[d] : 0; }

  const Args& args_;
  const int rank_;  // of the dimensions that slices are counted in
  const int inner_;
  int64_t indices_ = 1;
  int64_t index_ = 0;
  int64_t at_out_ = 0;
  int64_t at_self_ = 0;
  int64_t place_[kMaxRank] = {};
};

// Elements of slices, consecutive ones or not.
template <typename T>
class Slices {
 public:
  explicit Slices(const Args& args)
      : from_(Part(args.self, args.dim + 1, args.self.rank - args.dim - 1)),
        to_(Part(args.out, args.dim + args.index_rank, from_.rank)),
        walk_(Walk<2>::Make({&from_, &to_})),
        consecutive_(walk_.rank == 1 && walk_.InnerIsContiguous()),
        copier_(args.out.ElementCount() * int64_t{sizeof(T)} > CacheShareBytes()) {}

  int64_t Length() const { return walk_.count; }
  bool IsConsecutive() const { return consecutive_; }
  void CopyConsecutive(const T* from, int64_t count, T* to) const {
    constexpr int64_t kShort = 128, kBlock = 16;
    const int64_t bytes = count * int64_t{sizeof(T)};
    if (bytes > kShort || bytes < kBlock) return copier_.Copy(from, bytes, to);
    // A call would take as long as the copy. The last block may cover some of the one before.
    const auto* const source = reinterpret_cast<const char*>(from);
    auto* const target = reinterpret_cast<char*>(to);
    for (int64_t i = 0; i < bytes - kBlock; i += kBlock) {
      std::memcpy(target + i, source + i, kBlock);
    }
    std::memcpy(target + bytes - kBlock, source + bytes - kBlock, kBlock);
  }

  // Elements [first, last) of a slice; from null they are zeros.
  void Copy(const T* from, T* to, int64_t first, int64_t last) const {
    const int64_t from_step = walk_.stride[0][walk_.rank - 1];
    const int64_t to_step = walk_.stride[1][walk_.rank - 1];
    walk_.Visit(first, last, [&](const int64_t* offset, int64_t count) {
      T* const write = to + offset[1];
      if (from == nullptr) {
        for (int64_t i = 0; i < count; ++i) write[i * to_step] = 0;
      } else if (consecutive_) {
        CopyConsecutive(from + offset[0], count, write);
      } else {
        const T* const read = from + offset[0];
        for (int64_t i = 0; i < count; ++i) write[i * to_step] = read[i * from_step];
      }
    });
  }

 private:
  const TensorView from_, to_;
  const Walk<2> walk_;
  const bool consecutive_;
  const copy::RowCopier copier_;
};

// Slices of this many indices later are on their way to the cache meanwhile.
constexpr int64_t kAhead = 16;

// Brings a row into the cache in order, of which `count` elements are read in any order.
template <typename T>
void FetchRow(const Naming& naming, const T* row, int64_t count) {
  constexpr int64_t kMost = 16 * 1024 / sizeof(T);
  const int64_t extent = naming.extent;
  if (naming.stride != 1 || extent == 0 || extent > std::min(kMost, 2 * count)) return;
  PrefetchLines(row, extent);
}

// Evenly spaced indices, and elements that they are counted from and those that they name go to.
template <typename T>
struct Elements {
  const int64_t* index;
  int64_t index_step;
  const T* from;
  int64_t from_step;
  T* to;
  int64_t to_step;
  int64_t count;
};

// False when self lacks one; kKnown says that it does not, and that none is negative, kDense that
// all steps are 1. Several are read before the first one is written: a read waits for a write whose
// address ends alike.
template <bool kKnown, bool kDense, typename T>
bool GatherElements(Naming naming, Elements<T> elements) {
  constexpr int64_t kAtOnce = 4;
  if constexpr (kDense) naming.stride = elements.index_step = elements.to_step = 1;
  bool all_known = true;
  const auto read = [&, naming, elements](int64_t i) {
    if constexpr (kKnown) {
      return elements.from[elements.index[i * elements.index_step] * naming.stride];
    }
    const int64_t place = naming.Place(elements.index[i * elements.index_step]);
    if (naming.Has(place)) [[likely]] {
      return elements.from[i * elements.from_step + place * naming.stride];
    }
    all_known = false;
    return T{0};
  };
  int64_t i = 0;
  for (; i + kAtOnce <= elements.count; i += kAtOnce) {
    const T values[kAtOnce] = {read(i), read(i + 1), read(i + 2), read(i + 3)};
    for (int64_t k = 0; k < kAtOnce; ++k) elements.to[(i + k) * elements.to_step] = values[k];
  }
  for (; i < elements.count; ++i) elements.to[i * elements.to_step] = read(i);
  return all_known;
}

template <typename T>
bool Gather(const Args& args) {
  const Naming naming = Naming::Of(args);
  const Slices<T> slices(args);
  const int64_t length = slices.Length();
  const T* const self = args.self.As<const T>();
  T* const out = args.out.As<T>();
  std::atomic<bool> unknown = false;
  if (length > kPiece) {
    ParallelFor(args.out.ElementCount(), kPiece, [&](int64_t begin, int64_t end) {
      Runs runs(args);
      runs.Seek(begin / length);
      for (int64_t first = begin % length; begin < end; first = 0, runs.Skip(1)) {
        const int64_t last = std::min(length, first + end - begin);
        begin += last - first;
        const T* const from = naming.Slice(*runs.Index(), self + runs.Self());
        if (from == nullptr) unknown.store(true, std::memory_order_relaxed);
        slices.Copy(from, out + runs.Out(), first, last);
      }
    });
    return !unknown.load(std::memory_order_relaxed);
  }
  // Indices that many rows share are looked at once.
  int64_t indices = 1;
  for (int d = args.dim; d < args.dim + args.index_rank; ++d) indices *= args.out.shape[d];
  const bool shared = length == 1 && args.out.ElementCount() > indices;
  const bool known = shared && std::all_of(args.index, args.index + indices,
                                           [naming](int64_t i) { return naming.Has(i); });
  ParallelFor(args.out.ElementCount() / length, kPiece / length, [&](int64_t begin, int64_t end) {
    Runs runs(args);
    runs.Seek(begin);
    bool all_known = true;
    while (begin < end) {
      const int64_t count = std::min(end - begin, runs.Length());
      const int64_t* const index = runs.Index();
      const int64_t index_step = runs.IndexStep(), self_step = runs.SelfStep();
      const int64_t out_step = runs.OutStep();
      const T* const read = self + runs.Self();
      T* const write = out + runs.Out();
      begin += count;
      runs.Skip(count);
      if (length == 1) {
        if (self_step == 0 && begin < end) FetchRow(naming, self + runs.Self(), count);
        const Elements<T> elements = {.index = index,
                                      .index_step = index_step,
                                      .from = read,
                                      .from_step = self_step,
                                      .to = write,
                                      .to_step = out_step,
                                      .count = count};
        const bool is_known = known && self_step == 0;
        const bool is_dense = naming.stride == 1 && index_step == 1 && out_step == 1;
        all_known &= !is_known  ? GatherElements<false, false>(naming, elements)
                     : is_dense ? GatherElements<true, true>(naming, elements)
                                : GatherElements<true, false>(naming, elements);
      } else {
        const auto slice = [&](int64_t i) {
          return naming.Slice(index[i * index_step], read + i * self_step);
        };
        for (int64_t i = 0; i < count; ++i) {
          if (i + kAhead < count) __builtin_prefetch(slice(i + kAhead));
          const T* const from = slice(i);
          T* const to = write + i * out_step;
          if (from != nullptr && slices.IsConsecutive()) {
            slices.CopyConsecutive(from, length, to);
          } else {
            if (from == nullptr) all_known = false;
            slices.Copy(from, to, 0, length);
          }
        }
      }
    }
    if (!all_known) unknown.store(true, std::memory_order_relaxed);
  });
  return !unknown.load(std::memory_order_relaxed);
}

}  // namespace

bool RunOnCpu(const Args& args) {
  if (args.blocks.bytes > 0) return GatherInBlocks(args);
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
