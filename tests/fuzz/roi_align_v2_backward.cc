// aclnnRoiAlignV2Backward from a byte string.

#include "aclnnop/aclnn_roi_align_v2_backward.h"
#include "tests/fuzz/operator_call.h"

namespace aclimb::fuzz {
namespace {

constexpr int64_t kCounts[] = {2, 1, 3, 0, 5, 8, 17, 4};
constexpr int64_t kExtents[] = {8, 1, 5, 2, 13, 32, 40, 0};
constexpr int64_t kPooled[] = {2, 1, 3, 7, 14, 5, 4, 0};

// Corners inside and around the map, and numbers of any kind.
double Coordinate(Draw& draw) {
  const uint8_t byte = draw.Byte();
  if (byte == 255) return draw.Real();
  if (byte >= 250) return 1e9 * (byte - 252);
  return byte / 4.0 - 8;
}

}  // namespace

void RunTarget(Draw& draw) {
  ChooseSettings(draw);
  const int64_t regions = draw.Pick(kCounts);
  const int64_t images = draw.Pick(kCounts);
  const int64_t channels = draw.Pick(kCounts);
  const int64_t height = draw.Pick(kExtents);
  const int64_t width = draw.Pick(kExtents);
  const int64_t pooled_h = draw.Pick(kPooled);
  const int64_t pooled_w = draw.Pick(kPooled);
  const aclFormat nchw = ACL_FORMAT_NCHW;
  View grad_output(draw,
                   {Role::kInput, {regions, channels, pooled_h, pooled_w}, DType::kFloat32, nchw});
  View boxes(draw, {Role::kInput, {regions, 5}});
  View grad_input(draw, {Role::kOutput, {images, channels, height, width}, DType::kFloat32, nchw});
  grad_output.FillReals(draw);
  for (int64_t k = 0; k < regions; ++k) {
    const uint8_t image = draw.Byte();
    boxes.Set(5 * k, image >= 240 || images == 0 ? draw.Real() : image % images);
    for (int64_t i = 1; i < 5; ++i) boxes.Set(5 * k + i, Coordinate(draw));
  }
  const double scales[] = {1, 0.25, 0.0625, 2, 1.2e-38, 3e38, 1e9, 0.5};
  double scale = draw.Pick(scales);
  if (draw.Byte() >= 248) {
    scale = draw.Real();
    draw.MarkStrange();
  }
  int64_t ratio = draw.Number(0, 4);
  // Any positive number is legal.
  if (draw.Byte() >= 240) ratio = draw.Wild();
  const bool aligned = draw.Flip();
  std::vector<int64_t> shape = grad_input.shape();
  if (draw.Byte() >= 248) {
    shape.resize(static_cast<size_t>(draw.Number(0, 5) & 7));
    if (!shape.empty()) shape.back() = draw.Wild();
    draw.MarkStrange();
  }
  const int64_t h = draw.Byte() >= 248 ? draw.Wild() : pooled_h;
  const int64_t w = draw.Byte() >= 248 ? draw.Wild() : pooled_w;
  const Ints input_shape(shape);
  const aclTensor* g = Spoilt(draw, grad_output.handle());
  const aclTensor* b = Spoilt(draw, boxes.handle());
  const aclIntArray* s = Spoilt(draw, input_shape.handle);
  aclTensor* out = Spoilt(draw, grad_input.handle());

  OperatorCall call;
  call.views = {&grad_output, &boxes, &grad_input};
  call.plan = [&](uint64_t* size, aclOpExecutor** executor) {
    return aclnnRoiAlignV2BackwardGetWorkspaceSize(g, b, s, h, w, static_cast<float>(scale), ratio,
                                                   aligned, out, size, executor);
  };
  call.run = &aclnnRoiAlignV2Backward;
  // Each bin may touch the whole map, each pixel of which takes up to a thousand samples to place.
  call.operations = static_cast<double>(regions * channels * pooled_h * pooled_w) *
                        static_cast<double>(height + width) +
                    static_cast<double>(grad_input.count());
  Check(draw, call);
}

}  // namespace aclimb::fuzz
