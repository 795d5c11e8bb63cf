#include "aclimb/ops/convolution_backward/geometry.h"

#include <algorithm>
#include <numeric>

#include "aclimb/core/divide.h"

namespace aclimb::convolution_backward {
namespace {

std::optional<std::vector<int64_t>> PerDimension(const std::vector<int64_t>& values, size_t dims) {
  if (values.size() == dims) return values;
  if (values.size() == 1) return std::vector<int64_t>(dims, values[0]);
  return std::nullopt;
}

// Of `count` numbers first, first + step, ..., how many lie in [0, end). `step` is at least 1.
int64_t CountInside(int64_t first, int64_t step, int64_t count, int64_t end) {
  const int64_t skipped = first < 0 ? CeilDivide(-first, step) : 0;
  const int64_t before_end = end > first ? CeilDivide(end - first, step) : 0;
  return std::max<int64_t>(std::min(before_end, count) - skipped, 0);
}

// Pairs (window, tap) along one dimension that meet an element.
double TapsInside(const Geometry& g, int d) {
  double taps = 0;
  const bool by_window = g.out[d] < g.kernel[d];  // the shorter walk
  for (int64_t i = 0; i < (by_window ? g.out[d] : g.kernel[d]); ++i) {
    const int64_t first = i * (by_window ? g.stride[d] : g.dilation[d]) - g.pad_begin[d];
    taps += static_cast<double>(by_window ? CountInside(first, g.dilation[d], g.kernel[d], g.in[d])
                                          : CountInside(first, g.stride[d], g.out[d], g.in[d]));
  }
  return taps;
}

}  // namespace

std::optional<Attributes> Expand(int spatial_dims, const std::vector<int64_t>& stride,
                                 const std::vector<int64_t>& padding,
                                 const std::vector<int64_t>& dilation,
                                 const std::vector<int64_t>& output_padding, std::string* wrong) {
  const size_t dims = static_cast<size_t>(spatial_dims);
  const auto fail = [&](const char* name) {
    if (wrong != nullptr) *wrong = name;
    return std::nullopt;
  };
  Attributes result;
  const auto strides = PerDimension(stride, dims);
  if (!strides) return fail("stride");
  result.stride = *strides;
  if (dims == 2 && padding.size() == 4) {
    result.pad_begin = {padding[0], padding[2]};
    result.pad_end = {padding[1], padding[3]};
  } else {
    const auto pads = PerDimension(padding, dims);
    if (!pads) return fail("padding");
    result.pad_begin = *pads;
    result.pad_end = *pads;
  }
  const auto dilations = PerDimension(dilation, dims);
  if (!dilations) return fail("dilation");
  result.dilation = *dilations;
  if (dims == 2 && output_padding.size() == 4) {
    result.output_padding = output_padding;
  } else {
    const auto output_paddings = PerDimension(output_padding, dims);
    if (!output_paddings) return fail("outputPadding");
    result.output_padding = *output_paddings;
  }
  return result;
}

std::optional<int64_t> WindowCount(int64_t in, int64_t pad_begin, int64_t pad_end, int64_t kernel,
                                   int64_t dilation, int64_t stride) {
  int64_t reach = 0;
  if (__builtin_mul_overflow(dilation, kernel - 1, &reach)) return std::nullopt;
  int64_t padded = 0;
  if (__builtin_add_overflow(in, pad_begin, &padded)) return std::nullopt;
  if (__builtin_add_overflow(padded, pad_end, &padded)) return std::nullopt;
  if (reach >= padded) return std::nullopt;
  return (padded - reach - 1) / stride + 1;
}

Geometry MakeGeometry(const std::vector<int64_t>& x, const std::vector<int64_t>& y,
                      const std::vector<int64_t>& weight, int64_t groups,
                      const Attributes& attributes) {
  Geometry g;
  g.batch = x[0];
  g.groups = groups;
  g.x_channels = weight[1];
  g.y_channels = weight[0] / groups;
  const size_t dims = x.size() - 2;
  for (size_t i = 0; i < dims; ++i) {
    const size_t at = kDims - dims + i;
    g.in[at] = x[2 + i];
    g.out[at] = y[2 + i];
    g.kernel[at] = weight[2 + i];
    g.stride[at] = attributes.stride[i];
    g.dilation[at] = attributes.dilation[i];
    g.pad_begin[at] = attributes.pad_begin[i];
    g.pad_end[at] = attributes.pad_end[i];
  }
  return g;
}

Geometry ShortDimensionsFirst(const Geometry& geometry) {
  Geometry g = geometry;
  for (int turn = 1; turn < kDims; ++turn) {
    if (g.in[2] > 1 || g.out[2] > 1 || g.kernel[2] > 1) return g;
    for (int64_t* values : {g.in, g.out, g.kernel, g.stride, g.dilation, g.pad_begin, g.pad_end}) {
      std::rotate(values, values + 2, values + kDims);
    }
  }
  return g;
}

double FlopsOf(const Geometry& g) {
  double flops = 2 * static_cast<double>(g.batch) * static_cast<double>(g.groups) *
                 static_cast<double>(g.x_channels) * static_cast<double>(g.y_channels);
  for (int d = 0; d < kDims; ++d) flops *= TapsInside(g, d);
  return flops;
}

int64_t SumTerms(const Geometry& g, Task task) {
  if (task == Task::kGradWeight) return SaturatedProduct(g.batch, g.OutSize());
  int64_t terms = SourceChannels(g, task);
  for (int d = 0; d < kDims; ++d) {
    // Every so many taps bring elements of y to the same of x.
    const int64_t cycle = g.stride[d] / std::gcd(g.stride[d], g.dilation[d]);
    terms = SaturatedProduct(terms,
                             task == Task::kGradX ? CeilDivide(g.kernel[d], cycle) : g.kernel[d]);
  }
  return terms;
}

TensorView Embed(const TensorView& view) {
  TensorView result;
  result.data = view.data;
  result.dtype = view.dtype;
  result.rank = 2 + kDims;
  for (int i = 0; i < result.rank; ++i) {
    result.shape[i] = 1;
    result.stride[i] = 0;
  }
  for (int i = 0; i < 2; ++i) {
    result.shape[i] = view.shape[i];
    result.stride[i] = view.stride[i];
  }
  for (int i = 2; i < view.rank; ++i) {
    const int at = result.rank - view.rank + i;
    result.shape[at] = view.shape[i];
    result.stride[at] = view.stride[i];
  }
  return result;
}

}  // namespace aclimb::convolution_backward
