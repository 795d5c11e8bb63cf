#include "aclimb/ops/cross_entropy_loss/cpu.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <type_traits>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/cross_entropy_loss/cpu.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include "aclimb/copy/stream.h"
#include "aclimb/core/divide.h"
#include "aclimb/ops/cross_entropy_loss/row-inl.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::cross_entropy_loss {
namespace HWY_NAMESPACE {
// The rows are summed in at most so many blocks.
constexpr int64_t kBlocks = 256;
// Elements of a piece of the parallel loop.
constexpr int64_t kPiece = 32768;

inline bool Given(const TensorView& view) { return view.dtype != DType::kUndefined; }

// What the rows of a block add up to.
struct Totals {
  double loss = 0;
  double weights = 0;
  double zloss = 0;
  int64_t kept = 0;

  void operator+=(const Totals& other) {
    loss += other.loss;
    weights += other.weights;
    zloss += other.zloss;
    kept += other.kept;
  }
};

template <class T>
class Rows {
 public:
  explicit Rows(const Args& args)
      : args_(args),
        row_(args.input),
        columns_(args.input.shape[1]),
        weight_(args.weight.As<const float>()),
        streams_(std::is_same_v<T, float> && args.log_prob.stride[1] == 1 &&
                 columns_ >= kLeastStreamed &&
                 args.log_prob.ElementCount() * int64_t{sizeof(T)} > CacheShareBytes()) {}

  Totals Run(int64_t begin, int64_t end) {
    if (columns_ <= kFew) return RunAcross(begin, end);
    // Of short rows, several are reduced at a time: each by itself would wait for its logarithm.
    const int64_t together = columns_ <= kShort ? kTogether : 1;
    Totals totals;
    Reduced rows[kTogether];
    for (int64_t first = begin; first < end; first += together) {
      const int64_t count = std::min(together, end - first);
      for (int64_t k = 0; k < count; ++k) rows[k] = Reduce(first + k);
      for (int64_t k = 0; k < count; ++k) rows[k].log_sum = std::log(rows[k].sum);
      for (int64_t k = 0; k < count; ++k) {
        const int64_t n = first + k;
        const double smooth =
            Write(n, static_cast<float>(rows[k].largest), static_cast<float>(rows[k].log_sum));
        totals += Finish(n, rows[k], smooth);
      }
    }
    return totals;
  }
  // False once a target was no class.
  bool all_known() const { return all_known_; }

 private:
  // Up to this many columns, a vector has one column of several rows.
  static constexpr int64_t kFew = 16;
  static constexpr int64_t kShort = 256;
  // Lines of the memory that shorter rows share would be written in parts.
  static constexpr int64_t kLeastStreamed = 1024;
  static constexpr int64_t kTogether = 16;

  // What is known of a row before it is overwritten, which may be in place.
  struct Reduced {
    int64_t target;
    bool kept;
    double of_target, largest, sum, log_sum;
  };

  Reduced Begin(int64_t n) {
    Reduced row = {};
    row.target = Target(n);
    row.kept = row.target != args_.ignore_index && row.target >= 0 && row.target < columns_;
    all_known_ = all_known_ && (row.kept || row.target == args_.ignore_index);
    if (row.kept) row.of_target = ToFloat(From(n)[row.target * args_.input.stride[1]]);
    return row;
  }

  Reduced Reduce(int64_t n) {
    Reduced row = Begin(n);
    row_.Reduce(n);
    row.largest = row_.largest();
    row.sum = row_.sum();
    return row;
  }

  // Of few columns: a vector has the elements of a column in as many rows.
  Totals RunAcross(int64_t begin, int64_t end) {
    const F32 d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const int64_t step = args_.input.stride[1], out_step = args_.log_prob.stride[1];
    HWY_ALIGN float columns[kFew * kMostLanes] = {};
    HWY_ALIGN float largest[kMostLanes], sums[kMostLanes], logs[kMostLanes] = {};
    Reduced rows[kMostLanes];
    Totals totals;
    for (int64_t first = begin; first < end; first += lanes) {
      const int64_t count = std::min(lanes, end - first);
      for (int64_t r = 0; r < count; ++r) {
        const T* const from = From(first + r);
        for (int64_t c = 0; c < columns_; ++c) columns[c * lanes + r] = ToFloat(from[c * step]);
      }
      VF maxima = hn::Set(d, -kInfinity), sum = hn::Zero(d), other = sum;
      for (int64_t c = 0; c < columns_; ++c) {
        maxima = hn::Max(hn::Load(d, columns + c * lanes), maxima);
      }
      const VF shift = ShiftOf(maxima);
      for (int64_t c = 0; c < columns_; ++c) {
        sum = hn::Add(sum, Exp<T, false>(d, hn::Sub(hn::Load(d, columns + c * lanes), shift)));
        std::swap(sum, other);
      }
      hn::Store(maxima, d, largest);
      hn::Store(hn::Add(sum, other), d, sums);
      for (int64_t r = 0; r < count; ++r) {
        rows[r] = Begin(first + r);
        rows[r].largest = largest[r];
        rows[r].sum = sums[r];
        rows[r].log_sum = std::log(rows[r].sum);
        logs[r] = static_cast<float>(rows[r].log_sum);
      }
      for (int64_t c = 0; c < columns_; ++c) {
        float* const column = columns + c * lanes;
        hn::Store(hn::Sub(hn::Sub(hn::Load(d, column), maxima), hn::Load(d, logs)), d, column);
      }
      for (int64_t r = 0; r < count; ++r) {
        T* const to = args_.log_prob.As<T>() + (first + r) * args_.log_prob.stride[0];
        double smooth = 0;
        for (int64_t c = 0; c < columns_; ++c) {
          const float log_p = columns[c * lanes + r];
          to[c * out_step] = FromFloat<T>(log_p);
          if (args_.label_smoothing != 0) smooth += Weight(c) * static_cast<double>(log_p);
        }
        totals += Finish(first + r, rows[r], smooth);
      }
    }
    return totals;
  }

  // Writes what there is for a row but its log-softmax, of which `smooth` is the weighted sum;
  // answers with what the row adds to the sums.
  Totals Finish(int64_t n, const Reduced& row, double smooth) {
    const double lse = row.largest + row.log_sum;
    if (Given(args_.lse)) StoreNumber<T>(args_.lse, n, lse);
    Totals own;
    if (row.kept) {
      const double smoothing = args_.label_smoothing;
      own.weights = Weight(row.target);
      own.loss = -(1 - smoothing) * own.weights * (row.of_target - row.largest - row.log_sum);
      if (smoothing != 0) own.loss -= smoothing / static_cast<double>(columns_) * smooth;
      if (args_.lse_square_scale != 0) own.zloss = args_.lse_square_scale * lse * lse;
      own.kept = 1;
    }
    if (args_.reduction == Reduction::kNone) {
      StoreNumber<T>(args_.loss, n, own.loss + own.zloss);
      if (Given(args_.zloss)) StoreNumber<T>(args_.zloss, n, own.zloss);
    }
    return own;
  }

  int64_t Target(int64_t n) const {
    const int64_t at = n * args_.target.stride[0];
    return args_.target.dtype == DType::kInt64 ? args_.target.As<const int64_t>()[at]
                                               : args_.target.As<const int32_t>()[at];
  }
  double Weight(int64_t c) const {
    return Given(args_.weight) ? weight_[c * args_.weight.stride[0]] : 1.0;
  }
  const T* From(int64_t n) const { return args_.input.As<const T>() + n * args_.input.stride[0]; }
  // Writes the row's log-softmax; answers with its sum, weighted, for label smoothing.
  double Write(int64_t n, float largest, float log_sum) {
    const F32 d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    const int64_t stride = args_.log_prob.stride[1];
    T* const to = args_.log_prob.As<T>() + n * args_.log_prob.stride[0];
    const VF shift = hn::Set(d, largest), less = hn::Set(d, log_sum);
    double total = 0;
    for (int64_t first = 0; first < columns_; first += kChunk) {
      const int64_t count = std::min(kChunk, columns_ - first);
      float* const chunk = row_.Chunk(n, first, count);
      T* const out = to + first * stride;
      for (int64_t i = 0; i < count; i += lanes) {
        const VF log_p = hn::Sub(hn::Sub(hn::Load(d, chunk + i), shift), less);
        hn::Store(log_p, d, chunk + i);
        if (stride != 1 || streams_) continue;
        if (i + lanes <= count) {
          StoreF32(d, log_p, out + i);
        } else {
          StoreFirst(d, log_p, out + i, count - i);
        }
      }
      if (streams_) {
        copy::StreamBytes(chunk, count * int64_t{sizeof(float)}, out);
      } else if (stride != 1) {
        ScatterF32(chunk, count, out, stride);
      }
      if (args_.label_smoothing == 0) continue;
      for (int64_t i = 0; i < count; ++i) {
        total += Weight(first + i) * static_cast<double>(chunk[i]);
      }
    }
    return total;
  }

  const Args& args_;
  Row<T> row_;
  const int64_t columns_;
  const float* const weight_;
  const bool streams_;  // no cache holds the log-softmax
  bool all_known_ = true;
};

template <class T>
bool RunTyped(const Args& args) {
  const int64_t rows = args.input.shape[0];
  const int64_t length = std::max<int64_t>(1, CeilDivide(rows, kBlocks));
  const int64_t blocks = CeilDivide(rows, length);
  Totals partials[kBlocks];
  const int64_t grain = std::max<int64_t>(1, kPiece / (length * args.input.shape[1]));
  std::atomic<bool> unknown = false;
  ParallelFor(blocks, grain, [&](int64_t first, int64_t last) {
    Rows<T> row(args);
    for (int64_t block = first; block < last; ++block) {
      partials[block] = row.Run(block * length, std::min(rows, (block + 1) * length));
    }
    if (!row.all_known()) unknown.store(true, std::memory_order_relaxed);
  });
  const bool all_known = !unknown.load(std::memory_order_relaxed);
  if (args.reduction == Reduction::kNone) return all_known;
  Totals totals;
  for (int64_t block = 0; block < blocks; ++block) totals += partials[block];
  const bool mean = args.reduction == Reduction::kMean;
  const bool has_zloss = args.lse_square_scale != 0;
  const double zloss =
      mean && has_zloss ? totals.zloss / static_cast<double>(totals.kept) : totals.zloss;
  const double loss = mean ? totals.loss / totals.weights : totals.loss;
  StoreNumber<T>(args.loss, 0, loss + zloss);
  if (Given(args.zloss)) StoreNumber<T>(args.zloss, 0, zloss);
  return all_known;
}

bool RunAnyType(const Args& args) {
  switch (args.input.dtype) {
    case DType::kFloat16:
      return RunTyped<Float16>(args);
    case DType::kBFloat16:
      return RunTyped<BFloat16>(args);
    default:
      return RunTyped<float>(args);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::cross_entropy_loss
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::cross_entropy_loss {
namespace {
HWY_EXPORT(RunAnyType);
}  // namespace

bool RunOnCpu(const Args& args) { return HWY_DYNAMIC_DISPATCH(RunAnyType)(args); }

}  // namespace aclimb::cross_entropy_loss
#endif
