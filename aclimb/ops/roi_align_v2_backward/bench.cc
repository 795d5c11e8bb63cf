#include <algorithm>
#include <cmath>

#include "aclnnop/aclnn_roi_align_v2.h"
#include "aclnnop/aclnn_roi_align_v2_backward.h"
#include "bench/case.h"
#include "bench/device_tensor.h"

namespace aclimb::roi_align_v2_backward {
namespace {

struct Shape {
  int64_t regions;
  int64_t images;
  int64_t channels;
  int64_t pooled_height;
  int64_t pooled_width;
  int64_t height;
  int64_t width;
  double spatial_scale;
  int64_t sampling_ratio;
  bool aligned;
  double smallest_box;
  double largest_box;
};

// Rows (image, x1, y1, x2, y2), as cases.inc describes them; regions of one image lie together.
std::vector<float> MakeBoxes(const Shape& shape) {
  bench::Random random(3);
  const auto between = [&random](double low, double high) {
    return low + (high - low) * random.Unit();
  };
  const double width = static_cast<double>(shape.width) / shape.spatial_scale;
  const double height = static_cast<double>(shape.height) / shape.spatial_scale;
  std::vector<float> boxes;
  for (int64_t k = 0; k < shape.regions; ++k) {
    const double size =
        std::exp(between(std::log(shape.smallest_box), std::log(shape.largest_box)));
    const double aspect = std::exp(between(-std::log(2.0), std::log(2.0)));
    const double w = std::min(size * std::sqrt(aspect), width);
    const double h = std::min(size / std::sqrt(aspect), height);
    const double x = between(0, width - w);
    const double y = between(0, height - h);
    const double image = static_cast<double>(k * shape.images / shape.regions);
    for (const double value : {image, x, y, x + w, y + h}) {
      boxes.push_back(static_cast<float>(value));
    }
  }
  return boxes;
}

// Marks the pixels of one axis from which the samples of a box are interpolated.
std::vector<bool> PixelsOfAxis(double low, double high, int64_t bins, int64_t extent,
                               const Shape& shape) {
  const double start = low * shape.spatial_scale - (shape.aligned ? 0.5 : 0.0);
  double length = (high - low) * shape.spatial_scale;
  if (!shape.aligned) length = std::max(length, 1.0);
  const double bin = length / static_cast<double>(bins);
  const int64_t grid =
      shape.sampling_ratio > 0 ? shape.sampling_ratio : static_cast<int64_t>(std::ceil(bin));
  std::vector<bool> met(static_cast<size_t>(extent), false);
  for (int64_t i = 0; i < bins * grid; ++i) {
    const double at = start + (static_cast<double>(i) + 0.5) * bin / static_cast<double>(grid);
    if (at < -1 || at > static_cast<double>(extent)) continue;
    const auto pixel = static_cast<int64_t>(std::max(at, 0.0));
    for (const int64_t each : {pixel, pixel + 1}) {
      met[static_cast<size_t>(std::min(each, extent - 1))] = true;
    }
  }
  return met;
}

// How many pixels of the maps, which have them in each channel, the pooled regions are made of.
int64_t PixelsMet(const Shape& shape) {
  std::vector<bool> met(static_cast<size_t>(shape.images * shape.height * shape.width), false);
  const std::vector<float> boxes = MakeBoxes(shape);
  for (size_t k = 0; k < boxes.size(); k += 5) {
    const auto image = static_cast<int64_t>(boxes[k]);
    const std::vector<bool> columns =
        PixelsOfAxis(boxes[k + 1], boxes[k + 3], shape.pooled_width, shape.width, shape);
    const std::vector<bool> rows =
        PixelsOfAxis(boxes[k + 2], boxes[k + 4], shape.pooled_height, shape.height, shape);
    for (size_t y = 0; y < rows.size(); ++y) {
      const size_t row = (static_cast<size_t>(image) * rows.size() + y) * columns.size();
      for (size_t x = 0; rows[y] && x < columns.size(); ++x) {
        if (columns[x]) met[row + x] = true;
      }
    }
  }
  return std::count(met.begin(), met.end(), true);
}

// The regions of feature maps, or the gradient of the maps from that of the regions.
class RoiAlignProblem : public bench::Problem {
 public:
  RoiAlignProblem(const Shape& shape, bool gradient)
      : shape_(shape),
        gradient_(gradient),
        regions_({shape.regions, shape.channels, shape.pooled_height, shape.pooled_width},
                 "float32", {}, ACL_FORMAT_NCHW),
        boxes_({shape.regions, 5}, "float32"),
        maps_({shape.images, shape.channels, shape.height, shape.width}, "float32", {},
              ACL_FORMAT_NCHW),
        shape_of_maps_({shape.images, shape.channels, shape.height, shape.width}) {
    (gradient ? regions_ : maps_).FillNormal(1);
    boxes_.Upload(MakeBoxes(shape));
  }

  aclnnStatus Phase1(uint64_t* workspace_size, aclOpExecutor** executor) override {
    const auto scale = static_cast<float>(shape_.spatial_scale);
    if (gradient_) {
      return aclnnRoiAlignV2BackwardGetWorkspaceSize(
          regions_, boxes_, shape_of_maps_, shape_.pooled_height, shape_.pooled_width, scale,
          shape_.sampling_ratio, shape_.aligned, maps_, workspace_size, executor);
    }
    return aclnnRoiAlignV2GetWorkspaceSize(maps_, boxes_, shape_.pooled_height, shape_.pooled_width,
                                           scale, shape_.sampling_ratio, shape_.aligned, regions_,
                                           workspace_size, executor);
  }
  aclnnStatus Phase2(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                     aclrtStream stream) override {
    const auto phase2 = gradient_ ? &aclnnRoiAlignV2Backward : &aclnnRoiAlignV2;
    return phase2(workspace, workspace_size, executor, stream);
  }
  void PoisonOutputs() override { (gradient_ ? maps_ : regions_).Poison(); }
  bool PoisonShows() const override { return (gradient_ ? maps_ : regions_).PoisonShows(); }

 private:
  Shape shape_;
  const bool gradient_;
  bench::DeviceTensor regions_;
  bench::DeviceTensor boxes_;
  bench::DeviceTensor maps_;
  const bench::IntArray shape_of_maps_;
};

bench::Cost CostOf(const Shape& shape, bool gradient) {
  const double channels = 4.0 * static_cast<double>(shape.channels);
  const double regions =
      channels * static_cast<double>(shape.regions * shape.pooled_height * shape.pooled_width);
  if (gradient) {
    return {
        .read_bytes = regions,
        .write_bytes = channels * static_cast<double>(shape.images * shape.height * shape.width)};
  }
  return {.read_bytes = channels * static_cast<double>(PixelsMet(shape)), .write_bytes = regions};
}

bench::Case Make(const std::string& name, const Shape& shape, bool gradient) {
  return {gradient ? "roi_align_v2_backward" : "roi_align_v2",
          name,
          "float32",
          {{"dtype", "float32"},
           {"regions", std::to_string(shape.regions)},
           {"images", std::to_string(shape.images)},
           {"channels", std::to_string(shape.channels)},
           {"pooled_height", std::to_string(shape.pooled_height)},
           {"pooled_width", std::to_string(shape.pooled_width)},
           {"height", std::to_string(shape.height)},
           {"width", std::to_string(shape.width)},
           {"spatial_scale", std::to_string(shape.spatial_scale)},
           {"sampling_ratio", std::to_string(shape.sampling_ratio)},
           {"aligned", shape.aligned ? "1" : "0"},
           {"smallest_box", std::to_string(shape.smallest_box)},
           {"largest_box", std::to_string(shape.largest_box)}},
          CostOf(shape, gradient),
          [shape, gradient] { return std::make_unique<RoiAlignProblem>(shape, gradient); }};
}

}  // namespace

// Each problem twice: first the gradients, then the forward functions.
std::vector<bench::Case> BenchCases() {
  const std::pair<const char*, Shape> problems[] = {
#define ACLIMB_CASE(name, ...) {#name, {__VA_ARGS__}},
#include "aclimb/ops/roi_align_v2_backward/cases.inc"
#undef ACLIMB_CASE
  };
  std::vector<bench::Case> cases;
  for (const bool gradient : {true, false}) {
    for (const auto& [name, shape] : problems) cases.push_back(Make(name, shape, gradient));
  }
  return cases;
}

}  // namespace aclimb::roi_align_v2_backward
