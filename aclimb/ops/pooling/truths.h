#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "aclimb/ops/pooling/adaptive_max_contracts.h"
#include "aclimb/ops/pooling/average_contracts.h"
#include "aclimb/ops/pooling/max3d_contracts.h"
#include "aclimb/ops/pooling/max_contracts.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::pooling {

// The windows of a call, read without the code of the kernels: an attribute has a number for each
// dimension, one for all or none.
inline Windows CalledWindows(const truth::Call& call, const Places& places) {
  const auto entry = [&](const Place& place, size_t d, int64_t if_none) {
    const int64_t count = place.at < 0 ? 0 : static_cast<int64_t>(call.Ints(place.at).size());
    return count == 0 ? if_none : call.Ints(place.at)[count == 1 ? 0 : d];
  };
  const std::vector<int64_t>&in = call.Shape(places.self.at), &out = call.Shape(places.pooled.at),
        &padding = call.Ints(places.padding.at);
  Windows windows;
  const size_t first = in.size() - places.dims;
  for (size_t d = 0; d < first; ++d) windows.planes *= in[d];
  for (size_t d = 0; d < places.dims; ++d) {
    Axis& axis = windows.*kAxes[kAxes.size() - places.dims + d];
    axis = {.in = in[first + d], .out = out[first + d], .kernel = entry(places.kernel, d, 1)};
    axis.stride = entry(places.stride, d, axis.kernel);
    axis.dilation = entry(places.dilation, d, 1);
    const bool both_ends = padding.size() == 4;
    axis.pad_begin = both_ends ? padding[2 * d] : entry(places.padding, d, 0);
    axis.pad_end = both_ends ? padding[2 * d + 1] : axis.pad_begin;
  }
  return windows;
}

// Window `o` begins here, below 0 where that is in the padding.
inline int64_t FirstOf(const Axis& axis, int64_t o) { return o * axis.stride - axis.pad_begin; }

// Calls use(element of the plane) for those of a window of it, in their order.
template <typename Use>
void EachOfWindow(const Windows& windows, int64_t o, Use use) {
  const Axis &depth = windows.depth, &height = windows.height, &width = windows.width;
  const auto in = [](const Axis& axis, int64_t at) { return at >= 0 && at < axis.in; };
  for (int64_t i = 0; i < depth.kernel; ++i) {
    for (int64_t j = 0; j < height.kernel; ++j) {
      for (int64_t k = 0; k < width.kernel; ++k) {
        const int64_t z = FirstOf(depth, o / (height.out * width.out)) + i * depth.dilation;
        const int64_t y = FirstOf(height, o / width.out % height.out) + j * height.dilation;
        const int64_t x = FirstOf(width, o % width.out) + k * width.dilation;
        if (in(depth, z) && in(height, y) && in(width, x)) {
          use((z * height.in + y) * width.in + x);
        }
      }
    }
  }
}

// EachOfSharing is EachOfWindow for windows that share a plane equally.
template <typename Use>
void EachOfSharing(const Windows& windows, int64_t o, Use use) {
  const Axis &depth = windows.depth, &height = windows.height, &width = windows.width;
  const auto bounds = [](const Axis& axis, int64_t window) {
    return Range{window * axis.in / axis.out, CeilDivide((window + 1) * axis.in, axis.out)};
  };
  const Range layers = bounds(depth, o / (height.out * width.out));
  const Range rows = bounds(height, o / width.out % height.out);
  const Range columns = bounds(width, o % width.out);
  for (int64_t z = layers.begin; z < layers.end; ++z) {
    for (int64_t y = rows.begin; y < rows.end; ++y) {
      for (int64_t x = columns.begin; x < columns.end; ++x) {
        use((z * height.in + y) * width.in + x);
      }
    }
  }
}

// ---- The largest of each window

struct Maximum {
  double value = -std::numeric_limits<double>::infinity();
  int64_t index = -1;  // in the plane
};

// The maxima are found as PyTorch does it, element by element: a NaN replaces what was found
// before. `each` is one of the two functions above.
template <typename Each>
std::vector<Maximum> MaximaOf(const Windows& windows, const std::vector<double>& values,
                              Each each) {
  std::vector<Maximum> maxima;
  for (int64_t n = 0; n < windows.planes * windows.Out(); ++n) {
    Maximum best;
    each(windows, n % windows.Out(), [&](int64_t index) {
      const double value = values[static_cast<size_t>(n / windows.Out() * windows.In() + index)];
      if (best.index < 0 || value > best.value || std::isnan(value)) best = {value, index};
    });
    maxima.push_back(best);
  }
  return maxima;
}
inline std::vector<Maximum> MaximaOf(const Windows& windows, const std::vector<double>& values) {
  return MaximaOf(windows, values, [](auto... args) { EachOfWindow(args...); });
}
inline std::vector<Maximum> SharedMaxima(const Windows& windows,
                                         const std::vector<double>& values) {
  return MaximaOf(windows, values, [](auto... args) { EachOfSharing(args...); });
}

// A mask has the indices of a plane's maxima as INT32, the lowest byte first, then zeros.
inline std::vector<double> MaskOf(const Windows& windows, const std::vector<Maximum>& maxima,
                                  int64_t bytes_of_plane) {
  const auto count = static_cast<size_t>(windows.height.out * windows.width.out);
  const auto bytes = static_cast<size_t>(bytes_of_plane);
  std::vector<double> mask(static_cast<size_t>(windows.planes) * bytes, 0.0);
  if (windows.height.kernel * windows.width.kernel == 1) return mask;
  for (size_t n = 0; n < maxima.size(); ++n) {
    for (size_t byte = 0; byte < 4; ++byte) {
      const auto bits = static_cast<uint32_t>(maxima[n].index) >> (8 * byte);
      mask[n / count * bytes + n % count * 4 + byte] = static_cast<int8_t>(bits & 0xFF);
    }
  }
  return mask;
}

inline std::vector<double> ValuesOf(const std::vector<Maximum>& maxima) {
  std::vector<double> values;
  for (const Maximum& maximum : maxima) values.push_back(maximum.value);
  return values;
}
inline std::vector<double> IndicesOf(const std::vector<Maximum>& maxima) {
  std::vector<double> indices;
  for (const Maximum& maximum : maxima) indices.push_back(static_cast<double>(maximum.index));
  return indices;
}
// The operators write these as indices.
inline std::vector<double> IndicesOf(const truth::Call& call, const Places& places,
                                     const Windows& windows, const std::vector<Maximum>& maxima) {
  const std::vector<int64_t>& shape = call.Shape(places.indices.at);
  if (call.DTypeOf(places.indices.at) == DType::kInt8) {
    return MaskOf(windows, maxima, shape[shape.size() - 2] * shape.back());
  }
  return IndicesOf(maxima);
}

template <const Places& kPlaces>
void MaxTruth(const truth::Call& call, truth::Outputs& outputs) {
  const Windows windows = CalledWindows(call, kPlaces);
  const std::vector<Maximum> maxima = MaximaOf(windows, call.Values(kPlaces.self.at));
  outputs.Set(kPlaces.pooled.at, ValuesOf(maxima), truth::Allowance{});
  if (kPlaces.indices.at < 0) return;
  outputs.Set(kPlaces.indices.at, IndicesOf(call, kPlaces, windows, maxima), truth::Allowance{});
}

// The kernel makes sums of a few terms in float32, others in double. Put() allows for that.
struct Sums {
  explicit Sums(int64_t count)
      : values(static_cast<size_t>(count), 0.0), sizes(static_cast<size_t>(count), 0.0) {}
  void Add(int64_t at, double term) {
    values[static_cast<size_t>(at)] += term;
    sizes[static_cast<size_t>(at)] += std::fabs(term);
  }
  void Put(const truth::Call& call, int output, truth::Outputs& outputs) {
    const DType dtype = call.DTypeOf(output);
    for (size_t i = 0; i < values.size(); ++i) {
      sizes[i] = 1.2e-6 * sizes[i] + truth::RoundingOf(dtype) * std::fabs(values[i]) +
                 truth::LeastOf(dtype);
    }
    outputs.Set(output, std::move(values), std::move(sizes));
  }

  std::vector<double> values, sizes;
};

template <const Places& kPlaces>
void MaxGradientTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace backward;  // NOLINT: the positions
  const Windows windows = CalledWindows(call, kPlaces);
  const Axis &height = windows.height, &width = windows.width;
  const int64_t count = windows.Out(), elements = windows.In();
  const std::vector<int64_t>& indices = call.Ints(kIndices);
  const std::vector<int64_t>& shape = call.Shape(kIndices);
  const bool mask = call.DTypeOf(kIndices) == DType::kInt8;
  Sums sums(windows.planes * elements);
  for (int64_t n = 0; n < windows.planes * count; ++n) {
    const int64_t plane = n / count, o = n % count;
    int64_t index = 0;
    if (!mask) {
      index = indices[static_cast<size_t>(n)];
    } else if (height.kernel * width.kernel == 1) {
      index = FirstOf(height, o / width.out) * width.in + FirstOf(width, o % width.out);
    } else {
      const int64_t at = plane * shape[shape.size() - 2] * shape.back() + o * 4;
      uint32_t bits = 0;
      for (int64_t byte = 3; byte >= 0; --byte) {
        bits = bits << 8 | static_cast<uint8_t>(indices[static_cast<size_t>(at + byte)]);
      }
      index = static_cast<int32_t>(bits);
    }
    if (index < 0 || index >= elements) continue;
    sums.Add(plane * elements + index, call.Values(kGradOutput)[static_cast<size_t>(n)]);
  }
  sums.Put(call, kGradInput, outputs);
}

template <size_t kDims>
void AdaptiveMaxTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace adaptive_max;  // NOLINT: the positions
  const std::vector<Maximum> maxima = SharedMaxima(
      SharingWindows(call.Shape(kSelf), kDims, call.Shape(kOutputOut)), call.Values(kSelf));
  outputs.Set(kOutputOut, ValuesOf(maxima), truth::Allowance{});
  outputs.Set(kIndicesOut, IndicesOf(maxima), truth::Allowance{});
}

template <size_t kDims>
void AdaptiveMaxGradientTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace adaptive_max_backward;  // NOLINT: the positions
  const Windows windows = SharingWindows(call.Shape(kSelf), kDims, call.Shape(kGradOutput));
  Sums sums(call.ElementCount(kGradInput));
  for (int64_t n = 0; n < call.ElementCount(kGradOutput); ++n) {
    const int64_t index = call.Ints(kIndices)[static_cast<size_t>(n)];
    if (index < 0 || index >= windows.In()) continue;
    sums.Add(n / windows.Out() * windows.In() + index,
             call.Values(kGradOutput)[static_cast<size_t>(n)]);
  }
  sums.Put(call, kGradInput, outputs);
}

// ---- The mean of each window

// The sum of a window of a plane is divided by this.
inline double DivisorOf(const Windows& windows, int64_t o, bool with_padding, int64_t instead) {
  if (instead != 0) return static_cast<double>(instead);
  const auto size = [&](const Axis& axis, int64_t window) {
    const int64_t start = FirstOf(axis, window), end = start + axis.kernel;
    if (with_padding) return std::min(end, axis.in + axis.pad_end) - start;
    return std::min(end, axis.in) - std::max<int64_t>(0, start);
  };
  const Axis &height = windows.height, &width = windows.width;
  return static_cast<double>(size(windows.depth, o / (height.out * width.out)) *
                             size(height, o / width.out % height.out) * size(width, o % width.out));
}

// Forward the elements of windows are added to these, backward windows are added to their elements.
// `each` finds the elements of a window of a plane, whose sum is divided by divisor(window).
template <typename Each, typename Divisor>
void MeanTruth(const truth::Call& call, truth::Outputs& outputs, const Windows& windows, int from,
               int to, bool backward, Each each, Divisor divisor) {
  Sums sums(call.ElementCount(to));
  for (int64_t n = 0; n < windows.planes * windows.Out(); ++n) {
    const double share = 1 / divisor(n % windows.Out());
    each(windows, n % windows.Out(), [&](int64_t index) {
      const int64_t element = n / windows.Out() * windows.In() + index;
      sums.Add(backward ? element : n,
               call.Values(from)[static_cast<size_t>(backward ? n : element)] * share);
    });
  }
  sums.Put(call, to, outputs);
}

// The operator's attributes on divisors stand behind ceilMode.
template <const Places& kPlaces, int kTo>
void AverageTruth(const truth::Call& call, truth::Outputs& outputs) {
  const Windows windows = CalledWindows(call, kPlaces);
  const bool backward = kTo != kPlaces.pooled.at;
  MeanTruth(
      call, outputs, windows, backward ? kPlaces.pooled.at : kPlaces.self.at, kTo, backward,
      [](auto... args) { EachOfWindow(args...); },
      [&](int64_t o) {
        return DivisorOf(windows, o, call.Bool(kPlaces.ceil.at + 1),
                         call.Integer(kPlaces.ceil.at + 2));
      });
}

template <const Places& kPlaces, int kTo>
void SharingTruth(const truth::Call& call, truth::Outputs& outputs) {
  const Windows windows =
      SharingWindows(call.Shape(kPlaces.self.at), kPlaces.dims, call.Shape(kPlaces.pooled.at));
  const bool backward = kTo != kPlaces.pooled.at;
  MeanTruth(
      call, outputs, windows, backward ? kPlaces.pooled.at : kPlaces.self.at, kTo, backward,
      [](auto... args) { EachOfSharing(args...); },
      [&](int64_t o) {
        double size = 0;
        EachOfSharing(windows, o, [&](int64_t) { ++size; });
        return size;
      });
}

}  // namespace aclimb::pooling
