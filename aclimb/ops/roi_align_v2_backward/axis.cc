// Compiled without contraction: ceil, truncation and the tests against the map's edges are
// discontinuous, so coordinates must round exactly as in the documented formula.
#include "aclimb/ops/roi_align_v2_backward/axis.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace aclimb::roi_align_v2_backward {
namespace {

// Samples no further apart than this add their weights at their mean position.
constexpr float kFine = 0x1p-10f;
// Below this many samples a loop is cheaper than looking for shortcuts.
constexpr int64_t kFew = 16;

// The samples of one bin. For finite numbers the coordinate is monotone in the index, because each
// rounded operation is, so the samples inside any interval are consecutive.
class Bin {
 public:
  Bin(const Axis& axis, const AxisPart& part, int64_t index)
      : base_(axis.start + static_cast<float>(index) * axis.bin),
        size_(axis.bin),
        grid_(axis.grid),
        extent_(static_cast<float>(part.extent)),
        last_pixel_(part.extent - 1) {}

  bool finite() const { return std::isfinite(base_) && std::isfinite(size_); }

  float Coordinate(int64_t sample) const {
    return base_ + (static_cast<float>(sample) + 0.5f) * size_ / grid_;
  }
  bool Inside(float at) const { return at >= -1.0f && at <= extent_; }

  // Where the bilinear weights are taken: this pixel gets 1 - beyond, the next one gets beyond.
  struct Place {
    int64_t pixel;
    float beyond;
  };
  Place OnMap(float at) const {
    const int64_t pixel = static_cast<int64_t>(std::max(at, 0.0f));
    if (pixel >= last_pixel_) return {last_pixel_, 0.0f};
    return {pixel, std::max(at, 0.0f) - static_cast<float>(pixel)};
  }

  // Calls add(place, count) for the samples [begin, end) that lie inside.
  template <typename Add>
  void Visit(int64_t begin, int64_t end, const Add& add) const {
    if (end - begin <= kFew) {
      for (int64_t i = begin; i < end; ++i) {
        const float at = Coordinate(i);
        if (Inside(at)) add(OnMap(at), 1.0f);
      }
      return;
    }
    const float first = Coordinate(begin);
    const float last = Coordinate(end - 1);
    const float low = std::min(first, last);
    const float high = std::max(first, last);
    if (high < -1.0f || low > extent_) return;
    if (Inside(low) && Inside(high)) {
      const Place near = OnMap(low);
      const Place far = OnMap(high);
      if (near.pixel == far.pixel && far.beyond - near.beyond <= kFine) {
        add({near.pixel, (near.beyond + far.beyond) * 0.5f}, static_cast<float>(end - begin));
        return;
      }
    }
    const int64_t middle = begin + (end - begin) / 2;
    Visit(begin, middle, add);
    Visit(middle, end, add);
  }

 private:
  float base_;
  float size_;
  float grid_;
  float extent_;
  int64_t last_pixel_;
};

// The pixels that samples of this bin may touch, cut to the part; first > last when there are none.
struct Touched {
  int64_t first;
  int64_t last;
};
Touched TouchedPixels(const Bin& bin, int64_t count, const AxisPart& part) {
  const float one = bin.Coordinate(0);
  const float other = bin.Coordinate(count - 1);
  const float low = std::min(one, other);
  const float high = std::max(one, other);
  const float extent = static_cast<float>(part.extent);
  if (high < -1.0f || low > extent) return {part.end, part.begin - 1};
  const int64_t first = bin.OnMap(std::max(low, -1.0f)).pixel;
  const int64_t last = bin.OnMap(std::min(high, extent)).pixel + 1;
  return {std::max(first, part.begin), std::min(last, part.end - 1)};
}

}  // namespace

Axis MakeAxis(float low, float high, int64_t bins, const Sampling& sampling) {
  const float offset = sampling.aligned ? 0.5f : 0.0f;
  const float start = low * sampling.spatial_scale - offset;
  const float stop = high * sampling.spatial_scale - offset;
  float size = stop - start;
  if (!sampling.aligned && size < 1.0f) size = 1.0f;  // NaN stays NaN
  Axis axis;
  axis.start = start;
  axis.bin = size / static_cast<float>(bins);
  if (!std::isfinite(axis.start) || !std::isfinite(axis.bin)) return axis;
  if (sampling.sampling_ratio > 0) {
    axis.grid = static_cast<float>(sampling.sampling_ratio);
    axis.count = sampling.sampling_ratio;
    return axis;
  }
  axis.grid = std::ceil(axis.bin);
  if (axis.grid < 1.0f) return axis;  // an empty or reversed region has no samples
  // Indices further on lie far outside every map.
  axis.count = axis.grid < 0x1p62f ? static_cast<int64_t>(axis.grid) : int64_t{1} << 62;
  return axis;
}

PixelRange FillAxisTable(const Axis& axis, const AxisPart& part, float* table) {
  if (axis.count == 0) return {};
  int64_t first = part.end;
  int64_t last = part.begin - 1;
  for (int64_t b = 0; b < part.bins; ++b) {
    const Bin bin(axis, part, part.first_bin + b);
    if (!bin.finite()) continue;
    const Touched touched = TouchedPixels(bin, axis.count, part);
    if (touched.first > touched.last) continue;
    first = std::min(first, touched.first);
    last = std::max(last, touched.last);
  }
  if (first > last) return {};
  const int64_t count = last - first + 1;
  std::memset(table, 0, static_cast<size_t>(part.bins * count) * sizeof(float));

  const float share = 1.0f / axis.grid;
  for (int64_t b = 0; b < part.bins; ++b) {
    const Bin bin(axis, part, part.first_bin + b);
    if (!bin.finite()) continue;
    const auto put = [&](int64_t pixel, float weight) {
      const int64_t at = pixel - first;
      if (at < 0 || at >= count) return;
      table[at * part.bins + b] += weight;
    };
    bin.Visit(0, axis.count, [&](Bin::Place place, float samples) {
      put(place.pixel, samples * (1.0f - place.beyond) * share);
      if (place.beyond != 0.0f) put(place.pixel + 1, samples * place.beyond * share);
    });
  }
  return {first, count};
}

}  // namespace aclimb::roi_align_v2_backward
