#include "aclimb/ops/convolution_backward/exact.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "aclimb/copy/cast.h"
#include "aclimb/ops/convolution_backward/elements.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::convolution_backward {
namespace {

// Whether the work was cancelled. The thread that called may ask; the others hear of it here.
class Cancellation {
 public:
  bool Ask() {
    if (!cancelled_.load(std::memory_order_relaxed) && IsCancelled()) {
      cancelled_.store(true, std::memory_order_relaxed);
    }
    return cancelled_.load(std::memory_order_relaxed);
  }
  // Before part `i` of a long sum, whose parts have `terms` terms each: asks once in a few hundred.
  bool AskBefore(int64_t i, int64_t terms) {
    constexpr int64_t kTerms = 256;
    return i % std::max<int64_t>(1, kTerms / std::max<int64_t>(1, terms)) == 0 && Ask();
  }

 private:
  std::atomic<bool> cancelled_{false};
};

// Calls body(position) for all of a box, the last dimension fastest.
template <typename Body>
void EachPosition(const int64_t* extent, const Body& body) {
  int64_t at[kDims];
  for (at[0] = 0; at[0] < extent[0]; ++at[0]) {
    for (at[1] = 0; at[1] < extent[1]; ++at[1]) {
      for (at[2] = 0; at[2] < extent[2]; ++at[2]) body(at);
    }
  }
}

// Places of a few numbers that are not finite. Nearly every sum that is NaN is so by these alone,
// which saves the way to them.
class Specials {
 public:
  // Of value(i, position) for i < count, in a box.
  template <typename Value>
  void Find(int64_t count, const int64_t* extent, Cancellation& cancellation, const Value& value) {
    count_ = 0;
    for (int64_t i = 0; i < count && count_ < kMost; ++i) {
      if (cancellation.AskBefore(i, extent[0] * extent[1] * extent[2])) return;
      EachPosition(extent, [&](const int64_t* at) {
        if (count_ == kMost || std::isfinite(value(i, at))) return;
        places_[count_++] = ((i * extent[0] + at[0]) * extent[1] + at[1]) * extent[2] + at[2];
      });
    }
  }
  // Calls body(i, position) for them.
  template <typename Body>
  void Each(const int64_t* extent, const Body& body) const {
    for (int64_t k = 0; k < count_; ++k) {
      int64_t at[kDims], place = places_[k];
      for (int d = kDims - 1; d >= 0; --d) {
        at[d] = place % extent[d];
        place /= extent[d];
      }
      body(place, at);
    }
  }

 private:
  static constexpr int kMost = 7;
  int64_t count_ = 0;
  int64_t places_[kMost];
};

int64_t OffsetOf(const TensorView& view, int64_t first, int64_t second, const int64_t* at) {
  return first * view.stride[0] + second * view.stride[1] + at[0] * view.stride[2] +
         at[1] * view.stride[3] + at[2] * view.stride[4];
}

// An element of x and one of y that a tap brings together.
struct Term {
  int64_t image, x_channel, y_channel, in[kDims], out[kDims], tap[kDims];
};

// The terms of one element of a result are numbered: by a channel and a tap, for the gradient of
// the weight by an image and a window.
class Sums {
 public:
  Sums(const Geometry& g, Task task, const TensorView& x, const TensorView& y,
       const TensorView& weight, const Specials* of_x, const float* bias,
       Cancellation& cancellation)
      : g_(g),
        task_(task),
        x_(x),
        y_(y),
        weight_(weight),
        of_x_(of_x),
        bias_(bias),
        cancellation_(cancellation),
        count_(GivesWeight() ? g.batch : SourceChannels(g, task)),
        extent_(GivesWeight() ? g.out : g.kernel) {}

  // A channel of an image of the result; of the gradient of the weight those of a channel of y.
  void Mend(int64_t row) {
    Term term = {};
    found_ = false;
    if (GivesWeight()) {
      term.y_channel = row;
      group_ = row / g_.y_channels;
      for (int64_t column = 0; column < g_.x_channels; ++column) {
        term.x_channel = group_ * g_.x_channels + column;
        EachPosition(g_.kernel, [&](const int64_t* at) {
          std::copy_n(at, kDims, term.tap);
          Mend(term, weight_, OffsetOf(weight_, row, column, at));
        });
      }
      return;
    }
    const bool forward = task_ == Task::kForward;
    const TensorView& result = forward ? y_ : x_;
    const int64_t channels = g_.groups * ResultChannels(g_, task_), channel = row % channels;
    group_ = channel / ResultChannels(g_, task_);
    term.image = row / channels;
    (forward ? term.y_channel : term.x_channel) = channel;
    row_bias_ = bias_ == nullptr ? 0 : static_cast<double>(bias_[channel]);
    if (std::isnan(row_bias_)) return;  // no sum mends that
    EachPosition(result.shape + 2, [&](const int64_t* at) {
      std::copy_n(at, kDims, forward ? term.out : term.in);
      Mend(term, result, OffsetOf(result, term.image, channel, at));
    });
  }

 private:
  bool GivesWeight() const { return task_ == Task::kGradWeight; }

  void Mend(Term& term, const TensorView& result, int64_t offset) {
    if (!std::isnan(ReadElement(result, offset)) || cancellation_.Ask()) return;
    if (!found_) FindSpecials(term);
    const double sum = SumOf(term);
    if (!std::isnan(sum)) StoreRoundedOnce(sum, result, offset);
  }

  void Number(Term& term, int64_t i, const int64_t* at) const {
    if (task_ == Task::kForward) term.x_channel = group_ * g_.x_channels + i;
    if (task_ == Task::kGradX) term.y_channel = group_ * g_.y_channels + i;
    if (GivesWeight()) term.image = i;
    std::copy_n(at, kDims, GivesWeight() ? term.out : term.tap);
  }
  // The element of x, or else of y, that the tap brings to the other one; false where there is
  // none.
  bool FindOther(Term& term, bool of_x) const {
    bool meets = true;
    for (int d = 0; d < kDims; ++d) {
      int64_t& at = of_x ? term.in[d] : term.out[d];
      at = of_x ? Meets(g_, d, term.out[d], term.tap[d]) : WindowAt(g_, d, term.in[d], term.tap[d]);
      meets = meets && at >= 0 && at < (of_x ? g_.in[d] : g_.out[d]);
    }
    return meets;
  }

  static double Read(const TensorView& view, int64_t first, int64_t second, const int64_t* at) {
    return static_cast<double>(ReadElement(view, OffsetOf(view, first, second, at)));
  }
  double X(const Term& t) const { return Read(x_, t.image, t.x_channel, t.in); }
  double Y(const Term& t) const { return Read(y_, t.image, t.y_channel, t.out); }
  double Weight(const Term& t) const {
    return Read(weight_, t.y_channel, t.x_channel % g_.x_channels, t.tap);
  }
  double Value(const Term& t) const {
    return task_ == Task::kForward ? X(t) * Weight(t) : Y(t) * (GivesWeight() ? X(t) : Weight(t));
  }
  double NumberedValue(Term& term) const {
    return FindOther(term, task_ != Task::kGradX) ? Value(term) : 0;
  }

  // In what a row's elements have in common: their weights, or y.
  void FindSpecials(Term term) {
    specials_.Find(count_, extent_, cancellation_, [&](int64_t i, const int64_t* at) {
      Number(term, i, at);
      return GivesWeight() ? Y(term) : Weight(term);
    });
    found_ = true;
  }

  // With the bias; NaN too where the work was cancelled.
  double SumOf(Term term) const {
    double sum = row_bias_;
    specials_.Each(extent_, [&](int64_t i, const int64_t* at) {
      Number(term, i, at);
      sum += NumberedValue(term);
    });
    if (of_x_ != nullptr) {
      of_x_[term.x_channel].Each(g_.in, [&](int64_t image, const int64_t* at) {
        term.image = image;
        std::copy_n(at, kDims, term.in);
        if (FindOther(term, false)) sum += Value(term);
      });
    }
    if (std::isnan(sum)) return sum;
    sum = row_bias_;
    for (int64_t i = 0; i < count_ && !std::isnan(sum); ++i) {
      if (cancellation_.AskBefore(i, extent_[0] * extent_[1] * extent_[2])) return std::nan("");
      EachPosition(extent_, [&](const int64_t* at) {
        Number(term, i, at);
        sum += NumberedValue(term);
      });
    }
    return sum;
  }

  const Geometry& g_;
  const Task task_;
  const TensorView &x_, &y_, &weight_;
  const Specials* const of_x_;  // for each channel of x, where x is summed over
  const float* const bias_;  // for each channel of the result: of y for kForward, of x for kGradX
  Cancellation& cancellation_;
  const int64_t count_;
  const int64_t* const extent_;
  int64_t group_ = 0;
  double row_bias_ = 0;
  bool found_ = false;
  Specials specials_;
};

}  // namespace

int64_t ExactScratchBytes(const Geometry& g, Task task) {
  if (task != Task::kGradWeight) return 0;
  return SaturatedProduct(g.groups * g.x_channels, sizeof(Specials));
}

void ComputeNaNsAgain(const Geometry& g, Task task, const TensorView& x, const TensorView& y,
                      const TensorView& weight, void* scratch, const float* bias) {
  Cancellation cancellation;
  Specials* of_x = nullptr;
  int64_t rows = g.groups * g.y_channels;
  if (task == Task::kGradWeight) {
    of_x = static_cast<Specials*>(scratch);
    const bool found = ParallelForAll(g.groups * g.x_channels, 1, [&](int64_t channel, int64_t) {
      of_x[channel].Find(g.batch, g.in, cancellation, [&](int64_t image, const int64_t* at) {
        return ReadElement(x, OffsetOf(x, image, channel, at));
      });
    });
    // Without all of them the rows would read what was never written.
    if (!found || cancellation.Ask()) return;
  } else {
    rows = g.batch * g.groups * ResultChannels(g, task);
  }
  ParallelFor(rows, 1, [&](int64_t row, int64_t) {
    Sums(g, task, x, y, weight, of_x, bias, cancellation).Mend(row);
  });
}

}  // namespace aclimb::convolution_backward
