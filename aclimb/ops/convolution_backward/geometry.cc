#include "aclimb/ops/convolution_backward/geometry.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "aclimb/core/divide.h"

namespace aclimb::convolution_backward {
namespace {

// Pairs (window, tap) along one dimension that meet an element.
double TapsInside(Geometry g, int d) {
  // Windows and taps may change places: the shorter walk.
  if (g.out[d] < g.kernel[d]) {
    std::swap(g.out[d], g.kernel[d]);
    std::swap(g.stride[d], g.dilation[d]);
  }
  double pairs = 0;
  for (int64_t tap = 0; tap < g.kernel[d]; ++tap) {
    pairs += static_cast<double>(WindowsInside(g, d, tap).Count());
  }
  return pairs;
}

}  // namespace

std::optional<Attributes> Expand(int spatial_dims, const std::vector<int64_t>& stride,
                                 const std::vector<int64_t>& padding,
                                 const std::vector<int64_t>& dilation,
                                 const std::vector<int64_t>& output_padding, std::string* wrong) {
  const size_t dims = static_cast<size_t>(spatial_dims);
  const auto spread = [&](const char* name, const std::vector<int64_t>& values,
                          std::vector<int64_t>& result) {
    result = values.size() == 1 ? std::vector<int64_t>(dims, values[0]) : values;
    if (result.size() != dims && wrong != nullptr) *wrong = name;
    return result.size() == dims;
  };
  Attributes all;
  if (!spread("stride", stride, all.stride)) return std::nullopt;
  if (dims == 2 && padding.size() == 4) {
    all.pad_begin = {padding[0], padding[2]};
    all.pad_end = {padding[1], padding[3]};
  } else {
    if (!spread("padding", padding, all.pad_begin)) return std::nullopt;
    all.pad_end = all.pad_begin;
  }
  if (!spread("dilation", dilation, all.dilation)) return std::nullopt;
  if (dims == 2 && output_padding.size() == 4) {
    all.output_padding = output_padding;
  } else if (!spread("outputPadding", output_padding, all.output_padding)) {
    return std::nullopt;
  }
  return all;
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
