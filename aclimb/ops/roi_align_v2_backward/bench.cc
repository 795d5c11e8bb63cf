#include <algorithm>
#include <cmath>

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

class RoiAlignProblem : public bench::Problem {
 public:
  explicit RoiAlignProblem(const Shape& shape)
      : shape_(shape),
        grad_({shape.regions, shape.channels, shape.pooled_height, shape.pooled_width}, "float32",
              {}, ACL_FORMAT_NCHW),
        boxes_({shape.regions, 5}, "float32"),
        out_({shape.images, shape.channels, shape.height, shape.width}, "float32", {},
             ACL_FORMAT_NCHW),
        input_shape_({shape.images, shape.channels, shape.height, shape.width}) {
    grad_.FillNormal(1);
    boxes_.Upload(MakeBoxes(shape));
  }

  aclnnStatus Phase1(uint64_t* workspace_size, aclOpExecutor** executor) override {
    return aclnnRoiAlignV2BackwardGetWorkspaceSize(
        grad_, boxes_, input_shape_, shape_.pooled_height, shape_.pooled_width,
        static_cast<float>(shape_.spatial_scale), shape_.sampling_ratio, shape_.aligned, out_,
        workspace_size, executor);
  }
  aclnnStatus Phase2(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                     aclrtStream stream) override {
    return aclnnRoiAlignV2Backward(workspace, workspace_size, executor, stream);
  }
  void PoisonOutputs() override { out_.Poison(); }
  bool PoisonShows() const override { return out_.PoisonShows(); }

 private:
  Shape shape_;
  bench::DeviceTensor grad_;
  bench::DeviceTensor boxes_;
  bench::DeviceTensor out_;
  const bench::IntArray input_shape_;
};

bench::Case Make(const std::string& name, const Shape& shape) {
  return {"roi_align_v2_backward",
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
          {.read_bytes = 4.0 * static_cast<double>(shape.regions * shape.channels *
                                                   shape.pooled_height * shape.pooled_width),
           .write_bytes = 4.0 * static_cast<double>(shape.images * shape.channels * shape.height *
                                                    shape.width)},
          [shape] { return std::make_unique<RoiAlignProblem>(shape); }};
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, regions, images, channels, pooled_height, pooled_width, height, width, \
                    scale, ratio, aligned, smallest, largest)                                    \
  Make(#name, {regions, images, channels, pooled_height, pooled_width, height, width, scale,     \
               ratio, aligned, smallest, largest}),
#include "aclimb/ops/roi_align_v2_backward/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::roi_align_v2_backward
