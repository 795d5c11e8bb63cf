#include "aclimb/ops/convolution_backward/exact.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "aclimb/ops/convolution_backward/elements.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/ops/convolution_backward/taps.h"
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

// Places of a few numbers that are not finite. Nearly every sum that is NaN is so by these alone,
// which saves the way to them.
struct Specials {
  static constexpr int kMost = 7;
  int64_t count;
  int64_t places[kMost];

  bool IsFull() const { return count == kMost; }
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

// Of a position, behind `before` in another dimension, as one number, and back.
int64_t PlaceOf(const int64_t* extent, int64_t before, const int64_t* at) {
  return ((before * extent[0] + at[0]) * extent[1] + at[1]) * extent[2] + at[2];
}
int64_t Unpack(const int64_t* extent, int64_t place, int64_t* at) {
  for (int d = kDims - 1; d >= 0; --d) {
    at[d] = place % extent[d];
    place /= extent[d];
  }
  return place;
}

int64_t OffsetOf(const TensorView& view, int64_t first, int64_t second, const int64_t* at) {
  return first * view.stride[0] + second * view.stride[1] + at[0] * view.stride[2] +
         at[1] * view.stride[3] + at[2] * view.stride[4];
}

// Adds those of the elements (i, channel, ...) of x or y, or (channel, i, ...) of others.
template <typename Offset>
void FindSpecials(const TensorView& view, int64_t count, const Offset& offset, Specials& found,
                  Cancellation& cancellation) {
  const int64_t* const extent = view.shape + 2;
  const int64_t elements = extent[0] * extent[1] * extent[2];
  found.count = 0;
  for (int64_t i = 0; i < count && !found.IsFull(); ++i) {
    if (cancellation.AskBefore(i, elements)) return;
    EachPosition(extent, [&](const int64_t* at) {
      if (!found.IsFull() && !std::isfinite(ReadElement(view, offset(i, at)))) {
        found.places[found.count++] = PlaceOf(extent, i, at);
      }
    });
  }
}

// Sums over source channels and taps: one channel of one image of the result.
class PlaneOfSums {
 public:
  PlaneOfSums(const Geometry& g, Task task, const TensorView& source, const TensorView& result,
              const TensorView& weight, int64_t image, int64_t channel, Cancellation& cancellation)
      : g_(g),
        task_(task),
        source_(source),
        result_(result),
        weight_(weight),
        image_(image),
        channel_(channel % ResultChannels(g, task)),
        group_(channel / ResultChannels(g, task)),
        cancellation_(cancellation) {}

  void Run() {
    const int64_t channel = group_ * ResultChannels(g_, task_) + channel_;
    specials_.count = -1;
    EachPosition(result_.shape + 2, [&](const int64_t* at) {
      const int64_t offset = OffsetOf(result_, image_, channel, at);
      if (!std::isnan(ReadElement(result_, offset)) || cancellation_.Ask()) return;
      if (specials_.count < 0) FindSpecialWeights();
      const double sum = SumAt(at);
      if (!std::isnan(sum)) WriteElement(result_, offset, sum);
    });
  }

 private:
  int64_t WeightOffset(int64_t source, const int64_t* tap) const {
    const bool forward = task_ == Task::kForward;
    return OffsetOf(weight_, group_ * g_.y_channels + (forward ? channel_ : source),
                    forward ? source : channel_, tap);
  }

  void FindSpecialWeights() {
    FindSpecials(
        weight_, SourceChannels(g_, task_),
        [&](int64_t source, const int64_t* tap) { return WeightOffset(source, tap); }, specials_,
        cancellation_);
  }

  // What a tap brings from a channel, 0 where it meets padding.
  double Term(const int64_t* at, int64_t source, const int64_t* tap) const {
    int64_t met[kDims];
    for (int d = 0; d < kDims; ++d) {
      met[d] = SourceAt(g_, task_, d, at[d], tap[d]);
      if (met[d] < 0) return 0;
    }
    const int64_t from =
        OffsetOf(source_, image_, group_ * SourceChannels(g_, task_) + source, met);
    return static_cast<double>(ReadElement(weight_, WeightOffset(source, tap))) *
           static_cast<double>(ReadElement(source_, from));
  }

  // NaN too where the work was cancelled.
  double SumAt(const int64_t* at) const {
    double sum = 0;
    int64_t tap[kDims];
    for (int64_t i = 0; i < specials_.count; ++i) {
      const int64_t source = Unpack(g_.kernel, specials_.places[i], tap);
      sum += Term(at, source, tap);
    }
    if (std::isnan(sum)) return sum;
    sum = 0;
    for (int64_t source = 0; source < SourceChannels(g_, task_) && !std::isnan(sum); ++source) {
      if (cancellation_.AskBefore(source, g_.KernelSize())) return std::nan("");
      EachPosition(g_.kernel, [&](const int64_t* k) { sum += Term(at, source, k); });
    }
    return sum;
  }

  const Geometry& g_;
  const Task task_;
  const TensorView &source_, &result_, &weight_;
  const int64_t image_, channel_, group_;
  Cancellation& cancellation_;
  Specials specials_;
};

// Sums over the pixels of all images: those of one channel of y.
class RowOfWeights {
 public:
  RowOfWeights(const Geometry& g, const TensorView& x, const TensorView& y,
               const TensorView& weight, const Specials* of_x, int64_t channel,
               Cancellation& cancellation)
      : g_(g),
        x_(x),
        y_(y),
        weight_(weight),
        of_x_(of_x),
        channel_(channel),
        cancellation_(cancellation) {}

  void Run() {
    of_y_.count = -1;
    const int64_t group = channel_ / g_.y_channels;
    for (int64_t column = 0; column < g_.x_channels; ++column) {
      EachPosition(g_.kernel, [&](const int64_t* tap) {
        const int64_t offset = OffsetOf(weight_, channel_, column, tap);
        if (!std::isnan(ReadElement(weight_, offset)) || cancellation_.Ask()) return;
        if (of_y_.count < 0) FindSpecialPixels(y_, channel_, of_y_, cancellation_);
        const double sum = SumOf(group * g_.x_channels + column, tap);
        if (!std::isnan(sum)) WriteElement(weight_, offset, sum);
      });
    }
  }

  static void FindSpecialPixels(const TensorView& view, int64_t channel, Specials& found,
                                Cancellation& cancellation) {
    FindSpecials(
        view, view.shape[0],
        [&](int64_t image, const int64_t* at) { return OffsetOf(view, image, channel, at); }, found,
        cancellation);
  }

 private:
  double Term(int64_t column, int64_t image, const int64_t* of_x, const int64_t* of_y) const {
    return static_cast<double>(ReadElement(y_, OffsetOf(y_, image, channel_, of_y))) *
           static_cast<double>(ReadElement(x_, OffsetOf(x_, image, column, of_x)));
  }

  // NaN too where the work was cancelled.
  double SumOf(int64_t column, const int64_t* tap) const {
    double sum = 0;
    int64_t i[kDims], o[kDims];
    for (int64_t k = 0; k < of_y_.count; ++k) {
      const int64_t image = Unpack(g_.out, of_y_.places[k], o);
      bool meets = true;
      for (int d = 0; d < kDims; ++d) {
        i[d] = Meets(g_, d, o[d], tap[d]);
        meets = meets && i[d] >= 0 && i[d] < g_.in[d];
      }
      if (meets) sum += Term(column, image, i, o);
    }
    const Specials& of_x = of_x_[column];
    for (int64_t k = 0; k < of_x.count; ++k) {
      const int64_t image = Unpack(g_.in, of_x.places[k], i);
      bool meets = true;
      for (int d = 0; d < kDims; ++d) {
        o[d] = WindowAt(g_, d, i[d], tap[d]);
        meets = meets && o[d] >= 0;
      }
      if (meets) sum += Term(column, image, i, o);
    }
    if (std::isnan(sum)) return sum;
    sum = 0;
    Span inside[kDims];
    int64_t extent[kDims];
    for (int d = 0; d < kDims; ++d) {
      inside[d] = WindowsInside(g_, d, tap[d]);
      extent[d] = inside[d].end - inside[d].begin;
    }
    for (int64_t image = 0; image < g_.batch && !std::isnan(sum); ++image) {
      if (cancellation_.AskBefore(image, extent[0] * extent[1] * extent[2])) return std::nan("");
      EachPosition(extent, [&](const int64_t* at) {
        int64_t window[kDims], met[kDims];
        for (int d = 0; d < kDims; ++d) {
          window[d] = inside[d].begin + at[d];
          met[d] = Meets(g_, d, window[d], tap[d]);
        }
        sum += Term(column, image, met, window);
      });
    }
    return sum;
  }

  const Geometry& g_;
  const TensorView &x_, &y_, &weight_;
  const Specials* const of_x_;  // for each channel of x
  const int64_t channel_;
  Cancellation& cancellation_;
  Specials of_y_;
};

}  // namespace

int64_t ExactScratchBytes(const Geometry& g, Task task) {
  if (task != Task::kGradWeight) return 0;
  int64_t bytes;
  const bool overflows = __builtin_mul_overflow(g.groups * g.x_channels,
                                                static_cast<int64_t>(sizeof(Specials)), &bytes);
  return overflows ? -1 : bytes;
}

void ComputeNaNsAgain(const Geometry& g, Task task, const TensorView& x, const TensorView& y,
                      const TensorView& weight, void* scratch, bool parallel) {
  Cancellation cancellation;
  if (task == Task::kGradWeight) {
    auto* const of_x = static_cast<Specials*>(scratch);
    const bool found = ForEach(g.groups * g.x_channels, parallel, [&](int64_t channel) {
      RowOfWeights::FindSpecialPixels(x, channel, of_x[channel], cancellation);
    });
    // Without all of them the rows would read what was never written.
    if (!found || cancellation.Ask()) return;
    ForEach(g.groups * g.y_channels, parallel, [&](int64_t channel) {
      RowOfWeights(g, x, y, weight, of_x, channel, cancellation).Run();
    });
    return;
  }
  const bool forward = task == Task::kForward;
  const int64_t channels = g.groups * ResultChannels(g, task);
  ForEach(g.batch * channels, parallel, [&](int64_t i) {
    PlaneOfSums(g, task, forward ? x : y, forward ? y : x, weight, i / channels, i % channels,
                cancellation)
        .Run();
  });
}

}  // namespace aclimb::convolution_backward
