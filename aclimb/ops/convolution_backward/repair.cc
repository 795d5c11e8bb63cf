#include "aclimb/ops/convolution_backward/repair.h"

#include <cmath>

#include "aclimb/core/half.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::convolution_backward {
namespace {

double Read(const TensorView& view, int64_t offset) {
  switch (view.dtype) {
    case DType::kFloat16:
      return static_cast<double>(ToFloat(view.As<Float16>()[offset]));
    case DType::kBFloat16:
      return static_cast<double>(ToFloat(view.As<BFloat16>()[offset]));
    default:
      return static_cast<double>(view.As<float>()[offset]);
  }
}

void Write(const TensorView& view, int64_t offset, double value) {
  const float rounded = static_cast<float>(value);
  switch (view.dtype) {
    case DType::kFloat16:
      view.As<Float16>()[offset] = ToFloat16(rounded);
      return;
    case DType::kBFloat16:
      view.As<BFloat16>()[offset] = ToBFloat16(rounded);
      return;
    default:
      view.As<float>()[offset] = rounded;
  }
}

// Positions in three dimensions, and their offset in a view.
struct Position {
  int64_t at[kDims];

  static Position Of(int64_t index, const int64_t (&extent)[kDims]) {
    return {{index / extent[2] / extent[1], index / extent[2] % extent[1], index % extent[2]}};
  }
  int64_t Offset(const TensorView& view) const {
    return at[0] * view.stride[2] + at[1] * view.stride[3] + at[2] * view.stride[4];
  }
};

// Where tap `tap` of the window at `window` meets x; false in the padding.
bool Meets(const Geometry& g, const Position& window, const Position& tap, Position* at) {
  for (int d = 0; d < kDims; ++d) {
    at->at[d] = window.at[d] * g.stride[d] - g.pad_begin[d] + tap.at[d] * g.dilation[d];
    if (at->at[d] < 0 || at->at[d] >= g.in[d]) return false;
  }
  return true;
}

// The window whose tap `tap` meets x at `at`; false when there is none.
bool WindowOf(const Geometry& g, const Position& at, const Position& tap, Position* window) {
  for (int d = 0; d < kDims; ++d) {
    const int64_t scaled = at.at[d] + g.pad_begin[d] - tap.at[d] * g.dilation[d];
    if (scaled < 0 || scaled % g.stride[d] != 0) return false;
    window->at[d] = scaled / g.stride[d];
    if (window->at[d] >= g.out[d]) return false;
  }
  return true;
}

// Calls body on pieces of [0, count).
template <typename F>
void ForEach(int64_t count, bool parallel, F&& body) {
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  };
  if (parallel) {
    ParallelFor(count, 1, run);
  } else {
    run(0, count);
  }
}

double GradWeightElement(const Geometry& g, const TensorView& x, const TensorView& y, int64_t row,
                         int64_t column, const Position& tap) {
  const int64_t x_channel = row / g.y_channels * g.x_channels + column;
  double sum = 0;
  for (int64_t o = 0; o < g.OutSize(); ++o) {
    const Position window = Position::Of(o, g.out);
    Position at;
    if (!Meets(g, window, tap, &at)) continue;
    for (int64_t n = 0; n < g.batch; ++n) {
      sum += Read(y, n * y.stride[0] + row * y.stride[1] + window.Offset(y)) *
             Read(x, n * x.stride[0] + x_channel * x.stride[1] + at.Offset(x));
    }
    if (std::isnan(sum)) break;
  }
  return sum;
}

// One element of x or of y, `position` in channel `channel` of its group.
double SumElement(const Geometry& g, Task task, const TensorView& source, const TensorView& weight,
                  int64_t image, int64_t group, int64_t channel, const Position& position) {
  const bool forward = task == Task::kForward;
  const int64_t sources = forward ? g.x_channels : g.y_channels;
  double sum = 0;
  for (int64_t k = 0; k < g.KernelSize(); ++k) {
    const Position tap = Position::Of(k, g.kernel);
    Position at;
    if (!(forward ? Meets(g, position, tap, &at) : WindowOf(g, position, tap, &at))) continue;
    for (int64_t s = 0; s < sources; ++s) {
      const int64_t row = group * g.y_channels + (forward ? channel : s);
      const int64_t column = forward ? s : channel;
      sum += Read(weight, row * weight.stride[0] + column * weight.stride[1] + tap.Offset(weight)) *
             Read(source, image * source.stride[0] + (group * sources + s) * source.stride[1] +
                              at.Offset(source));
    }
    if (std::isnan(sum)) break;
  }
  return sum;
}

}  // namespace

void RepairGradWeight(const Geometry& g, const TensorView& x, const TensorView& y,
                      const TensorView& weight, bool parallel) {
  ForEach(weight.shape[0], parallel, [&](int64_t row) {
    for (int64_t column = 0; column < weight.shape[1]; ++column) {
      for (int64_t k = 0; k < g.KernelSize(); ++k) {
        const Position tap = Position::Of(k, g.kernel);
        const int64_t at = row * weight.stride[0] + column * weight.stride[1] + tap.Offset(weight);
        if (!std::isnan(Read(weight, at))) continue;
        Write(weight, at, GradWeightElement(g, x, y, row, column, tap));
      }
    }
  });
}

void RepairSums(const Geometry& g, Task task, const TensorView& x, const TensorView& y,
                const TensorView& weight, bool parallel) {
  const bool forward = task == Task::kForward;
  const TensorView& source = forward ? x : y;
  const TensorView& target = forward ? y : x;
  const int64_t channels = forward ? g.y_channels : g.x_channels;
  ForEach(g.batch * g.groups * channels, parallel, [&](int64_t i) {
    const int64_t channel = i % channels, group = i / channels % g.groups;
    const int64_t image = i / channels / g.groups;
    const int64_t base = image * target.stride[0] + (group * channels + channel) * target.stride[1];
    for (int64_t p = 0; p < (forward ? g.OutSize() : g.InSize()); ++p) {
      const Position position = Position::Of(p, forward ? g.out : g.in);
      const int64_t at = base + position.Offset(target);
      if (!std::isnan(Read(target, at))) continue;
      Write(target, at, SumElement(g, task, source, weight, image, group, channel, position));
    }
  });
}

}  // namespace aclimb::convolution_backward
