#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/core/dtype.h"
#include "aclimb/core/text.h"
#include "aclimb/ops/convolution_backward/layer.h"
#include "aclimb/ops/convolution_backward/test_geometry.h"

// The problems of bench_choice.cc: drawn ones and the named ones.
namespace aclimb::convolution_backward {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  bool Chance(double p) { return Unit() < p; }
  int64_t Integer(int64_t low, int64_t high) {  // both inclusive
    return low + static_cast<int64_t>(Next() % static_cast<uint64_t>(high - low + 1));
  }
  int64_t OneOf(std::initializer_list<int64_t> values) {
    return values.begin()[Next() % values.size()];
  }

 private:
  uint64_t state_;
};

struct Sample {
  Geometry geometry;
  bool transposed = false;
  DType dtype = DType::kFloat32;

  Task InputTask() const { return transposed ? Task::kForward : Task::kGradX; }
};

inline int64_t XElements(const Geometry& g) {
  return g.batch * g.groups * g.x_channels * g.InSize();
}
inline int64_t YElements(const Geometry& g) {
  return g.batch * g.groups * g.y_channels * g.OutSize();
}
inline int64_t Weights(const Geometry& g) {
  return g.groups * g.x_channels * g.y_channels * g.KernelSize();
}
inline constexpr int64_t kMostElements = int64_t{8} << 20;  // of a tensor

inline int64_t DrawChannels(Random& random) {
  if (random.Chance(0.2)) return random.Integer(5, 200);
  return random.OneOf({8,   16,  24,  32,  32,  48,  64,  64,  64,  96,  128, 128,
                       128, 160, 192, 256, 256, 320, 384, 512, 512, 768, 1024});
}

// Something that a network might have, of 0.3 to 130 million multiplications. Nothing where the
// numbers do not fit together.
inline std::optional<Sample> Draw(Random& random) {
  Sample p;
  Geometry& g = p.geometry;
  p.dtype = random.Chance(0.5)   ? DType::kFloat32
            : random.Chance(0.6) ? DType::kBFloat16
                                 : DType::kFloat16;
  p.transposed = random.Chance(0.25);
  const double kind = random.Unit();
  if (kind < 0.12) {  // groups
    g.groups = random.OneOf({2, 4, 8, 16, 32});
    g.x_channels = random.OneOf({3, 4, 8, 8, 12, 16, 16, 32, 48, 64});
    g.y_channels = random.Chance(0.8) ? g.x_channels : random.OneOf({4, 8, 16, 32});
  } else if (kind < 0.2) {  // depthwise
    g.groups = DrawChannels(random);
    g.x_channels = 1;
    g.y_channels = random.Chance(0.9) ? 1 : 2;
  } else {
    g.x_channels = random.Chance(0.12) ? random.OneOf({1, 3, 3, 4}) : DrawChannels(random);
    g.y_channels = random.Chance(0.04) ? random.OneOf({1, 2, 3}) : DrawChannels(random);
  }
  const double dims = random.Unit();
  const int first = dims < 0.7 ? 1 : dims < 0.88 ? 2 : 0;
  const bool one_size = random.Chance(0.92);
  const bool patches = random.Chance(0.06);
  for (int d = first; d < kDims; ++d) {
    if (one_size && d > first) {
      g.kernel[d] = g.kernel[first];
      g.stride[d] = g.stride[first];
      g.dilation[d] = g.dilation[first];
      g.pad_begin[d] = g.pad_end[d] = g.pad_begin[first];
      continue;
    }
    g.kernel[d] = first == 0 ? random.OneOf({1, 2, 3, 3, 3, 4})
                             : random.OneOf({1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 3, 4, 5, 5, 7});
    g.stride[d] = patches ? g.kernel[d] : random.OneOf({1, 1, 1, 1, 1, 1, 1, 2, 2, 2});
    g.dilation[d] = g.kernel[d] > 1 && !patches ? random.OneOf({1, 1, 1, 1, 1, 1, 1, 1, 2, 4}) : 1;
    const int64_t reach = (g.kernel[d] - 1) * g.dilation[d];
    const int64_t pad = patches || random.Chance(0.2) ? 0 : reach / 2;
    g.pad_begin[d] = g.pad_end[d] = pad;
  }
  // So many windows that the work is what was drawn.
  const double work = std::exp2(18.2 + 8.8 * random.Unit());
  const double pairs = static_cast<double>(g.groups * g.x_channels * g.y_channels);
  const double windows = work / pairs / static_cast<double>(g.KernelSize());
  const int64_t side = random.OneOf({4, 7, 7, 8, 12, 14, 14, 16, 20, 28, 28, 33, 48, 56, 64, 112});
  for (int d = kDims - 1; d >= first; --d) g.out[d] = d == 0 ? random.Integer(2, 16) : side;
  if (first == 2) g.out[2] = side * random.Integer(2, 12);
  if (random.Chance(0.2)) g.out[2] += random.Integer(1, 9);
  g.batch = static_cast<int64_t>(std::lround(windows / static_cast<double>(g.OutSize())));
  if (g.batch < 1 || g.batch > 64) return std::nullopt;
  for (int d = first; d < kDims; ++d) {
    const int64_t reach = (g.kernel[d] - 1) * g.dilation[d];
    g.in[d] = (g.out[d] - 1) * g.stride[d] + reach + 1 - 2 * g.pad_begin[d];
    if (g.stride[d] > 1) g.in[d] += random.Integer(0, g.stride[d] - 1);
    if (g.in[d] < 1) return std::nullopt;
  }
  const bool fits = std::max({XElements(g), YElements(g), Weights(g)}) <= kMostElements / 2;
  return fits ? std::optional(p) : std::nullopt;
}

inline std::vector<Sample> DrawAll(int count, uint64_t seed) {
  Random random(seed);
  std::vector<Sample> all;
  while (static_cast<int>(all.size()) < count) {
    if (const std::optional<Sample> problem = Draw(random)) all.push_back(*problem);
  }
  return all;
}

// Each named problem in each dtype, with a quarter of the images and one more.
inline std::vector<Sample> NamedProblems() {
  std::vector<Sample> all;
  for (auto& [name, layer] : NamedLayers()) {
    Sample p = {GeometryOf(layer), layer.transposed};
    p.geometry.batch = layer.batch / 4 + 1;
    if (std::max(XElements(p.geometry), YElements(p.geometry)) > kMostElements) continue;
    for (const DType dtype : {DType::kFloat32, DType::kBFloat16, DType::kFloat16}) {
      p.dtype = dtype;
      all.push_back(p);
    }
  }
  return all;
}

inline std::string Text(const Sample& p, Task task) {
  constexpr const char* kNames[] = {"y", "grad x", "grad weight"};
  return Cat(kNames[static_cast<int>(task)], " ", NameOf(p.dtype), " ", Text(p.geometry));
}

}  // namespace aclimb::convolution_backward
