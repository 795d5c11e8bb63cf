#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "aclimb/ops/pooling/adaptive_max_contracts.h"
#include "aclimb/ops/pooling/average_contracts.h"
#include "aclimb/ops/pooling/max_contracts.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::pooling {

inline Windows WindowsOf(const truth::Call& call, const Places& places) {
  return WindowsOf(call.Shape(places.self.at),
                   {.kernel = call.Ints(places.kernel.at),
                    .stride = call.Ints(places.stride.at),
                    .padding = call.Ints(places.padding.at),
                    .dilation = places.dilation.at < 0 ? nullptr : &call.Ints(places.dilation.at),
                    .ceil = call.Integer(places.ceil.at) != 0});
}

// ---- The largest of each window

struct Maximum {
  double value = -std::numeric_limits<double>::infinity();
  int64_t index = -1;  // in the plane
};

// As PyTorch looks for it: element by element, a NaN replaces what was found before.
inline std::vector<Maximum> MaximaOf(const Windows& windows, const std::vector<double>& values) {
  std::vector<Maximum> maxima;
  const Axis &height = windows.height, &width = windows.width;
  for (int64_t plane = 0; plane < windows.planes; ++plane) {
    for (int64_t o = 0; o < height.out * width.out; ++o) {
      Maximum best;
      for (int64_t i = 0; i < height.kernel; ++i) {
        for (int64_t j = 0; j < width.kernel; ++j) {
          const int64_t y = height.Start(o / width.out) + i * height.dilation;
          const int64_t x = width.Start(o % width.out) + j * width.dilation;
          if (y < 0 || y >= height.in || x < 0 || x >= width.in) continue;
          const int64_t index = y * width.in + x;
          const double value = values[static_cast<size_t>(plane * height.in * width.in + index)];
          if (best.index < 0 || value > best.value || std::isnan(value)) best = {value, index};
        }
      }
      maxima.push_back(best);
    }
  }
  return maxima;
}

// A mask's bytes: the indices of a plane's maxima as INT32, the lowest byte first, then zeros.
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

// What the operators write as indices.
inline std::vector<double> IndicesOf(const truth::Call& call, const Places& places,
                                     const Windows& windows, const std::vector<Maximum>& maxima) {
  const std::vector<int64_t>& shape = call.Shape(places.indices.at);
  if (call.DTypeOf(places.indices.at) == DType::kInt8) {
    return MaskOf(windows, maxima, shape[shape.size() - 2] * shape.back());
  }
  std::vector<double> indices;
  for (const Maximum& maximum : maxima) indices.push_back(static_cast<double>(maximum.index));
  return indices;
}

template <const Places& kPlaces>
void MaxTruth(const truth::Call& call, truth::Outputs& outputs) {
  const Windows windows = WindowsOf(call, kPlaces);
  const std::vector<Maximum> maxima = MaximaOf(windows, call.Values(kPlaces.self.at));
  std::vector<double> values;
  for (const Maximum& maximum : maxima) values.push_back(maximum.value);
  outputs.Set(kPlaces.pooled.at, values, truth::Allowance{});
  if (kPlaces.indices.at < 0) return;
  outputs.Set(kPlaces.indices.at, IndicesOf(call, kPlaces, windows, maxima), truth::Allowance{});
}

// Sums, and how far the kernel's may be off: sums of a few terms in float32, or in double.
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

inline void MaxGradientTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace backward;  // NOLINT: the positions
  const Windows windows = WindowsOf(call, kPlaces);
  const Axis &height = windows.height, &width = windows.width;
  const int64_t count = height.out * width.out, elements = height.in * width.in;
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
      index = height.Start(o / width.out) * width.in + width.Start(o % width.out);
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

// ---- The mean of each window

// Calls use(window, y, x, divisor) for each element of each window of a plane.
template <typename Use>
void EachSliding(const Windows& windows, bool with_padding, int64_t divisor_override, Use use) {
  const Axis &height = windows.height, &width = windows.width;
  const auto end = [](const Axis& axis, int64_t o) {
    return std::min(axis.Start(o) + axis.kernel, axis.in + axis.pad_end);
  };
  const auto inside = [](const Axis& axis, int64_t o) {
    return std::min(axis.Start(o) + axis.kernel, axis.in) - std::max<int64_t>(0, axis.Start(o));
  };
  for (int64_t o = 0; o < height.out * width.out; ++o) {
    const int64_t row = o / width.out, column = o % width.out;
    const int64_t padded =
        (end(height, row) - height.Start(row)) * (end(width, column) - width.Start(column));
    const int64_t whole = inside(height, row) * inside(width, column);
    const int64_t divisor = divisor_override != 0 ? divisor_override
                            : with_padding        ? padded
                                                  : whole;
    for (int64_t y = height.Start(row); y < height.Start(row) + height.kernel; ++y) {
      for (int64_t x = width.Start(column); x < width.Start(column) + width.kernel; ++x) {
        if (y < 0 || y >= height.in || x < 0 || x >= width.in) continue;
        use(o, y * width.in + x, static_cast<double>(divisor));
      }
    }
  }
}

template <typename Use>
void EachAdaptive(const std::vector<int64_t>& planes, const std::vector<int64_t>& pooled, Use use) {
  const size_t h = planes.size() - 2, w = h + 1;
  for (int64_t o = 0; o < pooled[h] * pooled[w]; ++o) {
    const auto bounds = [](int64_t index, int64_t in, int64_t out) {
      return Range{index * in / out, CeilDivide((index + 1) * in, out)};
    };
    const Range rows = bounds(o / pooled[w], planes[h], pooled[h]);
    const Range columns = bounds(o % pooled[w], planes[w], pooled[w]);
    for (int64_t y = rows.begin; y < rows.end; ++y) {
      for (int64_t x = columns.begin; x < columns.end; ++x) {
        use(o, y * planes[w] + x, static_cast<double>(rows.size() * columns.size()));
      }
    }
  }
}

// As PyTorch looks for them in windows that share planes equally.
inline std::vector<Maximum> SharedMaxima(const std::vector<int64_t>& planes,
                                         const std::vector<int64_t>& pooled,
                                         const std::vector<double>& values) {
  const auto elements = static_cast<size_t>(planes[planes.size() - 2] * planes.back());
  const auto windows = static_cast<size_t>(pooled[pooled.size() - 2] * pooled.back());
  std::vector<Maximum> maxima(values.size() / elements * windows);
  for (size_t plane = 0; plane * elements < values.size(); ++plane) {
    EachAdaptive(planes, pooled, [&](int64_t window, int64_t index, double /*divisor*/) {
      Maximum& best = maxima[plane * windows + static_cast<size_t>(window)];
      const double value = values[plane * elements + static_cast<size_t>(index)];
      if (best.index < 0 || value > best.value || std::isnan(value)) best = {value, index};
    });
  }
  return maxima;
}

inline void AdaptiveMaxTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace adaptive_max;  // NOLINT: the positions
  std::vector<double> values, indices;
  for (const Maximum& maximum :
       SharedMaxima(call.Shape(kSelf), call.Shape(kOutputOut), call.Values(kSelf))) {
    values.push_back(maximum.value);
    indices.push_back(static_cast<double>(maximum.index));
  }
  outputs.Set(kOutputOut, values, truth::Allowance{});
  outputs.Set(kIndicesOut, indices, truth::Allowance{});
}

inline int64_t PlaneSize(const std::vector<int64_t>& shape) {
  return shape[shape.size() - 2] * shape.back();
}

// `each` calls for the elements of all windows of a plane. Forward they are added to the windows,
// backward windows are added to them.
template <typename Each>
void MeanTruth(const truth::Call& call, truth::Outputs& outputs, int from, int to, bool backward,
               Each each) {
  const int64_t read = PlaneSize(call.Shape(from)), written = PlaneSize(call.Shape(to));
  Sums sums(call.ElementCount(to));
  for (int64_t plane = 0; plane * written < call.ElementCount(to); ++plane) {
    each([&](int64_t window, int64_t element, double divisor) {
      const int64_t source = backward ? window : element, target = backward ? element : window;
      sums.Add(plane * written + target,
               call.Values(from)[static_cast<size_t>(plane * read + source)] / divisor);
    });
  }
  sums.Put(call, to, outputs);
}

inline void AdaptiveMaxGradientTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace adaptive_max_backward;  // NOLINT: the positions
  const int64_t elements = PlaneSize(call.Shape(kSelf));
  const int64_t count = PlaneSize(call.Shape(kGradOutput));
  Sums sums(call.ElementCount(kGradInput));
  for (int64_t n = 0; n < call.ElementCount(kGradOutput); ++n) {
    const int64_t index = call.Ints(kIndices)[static_cast<size_t>(n)];
    if (index < 0 || index >= elements) continue;
    sums.Add(n / count * elements + index, call.Values(kGradOutput)[static_cast<size_t>(n)]);
  }
  sums.Put(call, kGradInput, outputs);
}

inline void AverageTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace average;  // NOLINT: the positions
  MeanTruth(call, outputs, kSelf, kOut, false, [&](auto use) {
    EachSliding(WindowsOf(call, kPlaces), call.Bool(kCountIncludePad),
                call.Integer(kDivisorOverride), use);
  });
}
inline void AverageGradientTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace average_backward;  // NOLINT: the positions
  MeanTruth(call, outputs, kGradOutput, kGradInput, true, [&](auto use) {
    EachSliding(WindowsOf(call, kPlaces), call.Bool(kCountIncludePad),
                call.Integer(kDivisorOverride), use);
  });
}
inline void AdaptiveTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace adaptive;  // NOLINT: the positions
  MeanTruth(call, outputs, kSelf, kOut, false,
            [&](auto use) { EachAdaptive(call.Shape(kSelf), call.Shape(kOut), use); });
}
inline void AdaptiveGradientTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace adaptive_backward;  // NOLINT: the positions
  MeanTruth(call, outputs, kGradOutput, kOut, true,
            [&](auto use) { EachAdaptive(call.Shape(kSelf), call.Shape(kGradOutput), use); });
}

}  // namespace aclimb::pooling
