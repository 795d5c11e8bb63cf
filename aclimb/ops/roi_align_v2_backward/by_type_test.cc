// ROIAlign and ROIAlignGrad, called as torch_npu calls them, on maps whose values rise evenly:
// there a bin has the value at its middle, and its gradient is spread about its middle.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_op.h"
#include "acl/acl_op_compiler.h"

namespace aclimb::testing::roi_align_v2_backward_test {
namespace {

constexpr int64_t kSide = 12, kPooled = 2;
constexpr float kScale = 0.5f;

double Rising(double y, double x) { return 1 + 3 * y + 0.25 * x; }

class DeviceTensor {
 public:
  DeviceTensor(const std::vector<int64_t>& dims, const std::vector<float>& values) : host_(values) {
    EXPECT_EQ(aclrtMalloc(&memory_, Bytes(), ACL_MEM_MALLOC_HUGE_FIRST), 0);
    EXPECT_EQ(aclrtMemcpy(memory_, Bytes(), host_.data(), Bytes(), ACL_MEMCPY_HOST_TO_DEVICE), 0);
    desc_ =
        aclCreateTensorDesc(ACL_FLOAT, static_cast<int>(dims.size()), dims.data(), ACL_FORMAT_NCHW);
    buffer_ = aclCreateDataBuffer(memory_, Bytes());
  }
  ~DeviceTensor() {
    aclDestroyTensorDesc(desc_);
    EXPECT_EQ(aclDestroyDataBuffer(buffer_), 0);
    EXPECT_EQ(aclrtFree(memory_), 0);
  }
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;

  const std::vector<float>& Read() {
    EXPECT_EQ(aclrtSynchronizeDevice(), 0);
    EXPECT_EQ(aclrtMemcpy(host_.data(), Bytes(), memory_, Bytes(), ACL_MEMCPY_DEVICE_TO_HOST), 0);
    return host_;
  }
  const aclTensorDesc* desc() const { return desc_; }
  aclDataBuffer* buffer() const { return buffer_; }

 private:
  size_t Bytes() const { return host_.size() * sizeof(float); }

  std::vector<float> host_;
  void* memory_ = nullptr;
  aclTensorDesc* desc_ = nullptr;
  aclDataBuffer* buffer_ = nullptr;
};

class RoiAlignByType : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), 0);
    const int64_t shape[] = {1, 1, kSide, kSide};
    for (aclopAttr** attributes : {&attributes_, &gradient_attributes_}) {
      *attributes = aclopCreateAttr();
      aclopSetAttrFloat(*attributes, "spatial_scale", kScale);
      aclopSetAttrInt(*attributes, "pooled_height", kPooled);
      aclopSetAttrInt(*attributes, "pooled_width", kPooled);
      aclopSetAttrInt(*attributes, "sample_num", 2);
    }
    aclopSetAttrListInt(gradient_attributes_, "xdiff_shape", 4, shape);
  }
  void TearDown() override {
    aclopDestroyAttr(attributes_);
    aclopDestroyAttr(gradient_attributes_);
  }

  static int Execute(const char* type, const DeviceTensor& a, const DeviceTensor& b,
                     const DeviceTensor& out, const aclopAttr* attributes) {
    const aclTensorDesc* const inputs[] = {a.desc(), b.desc()};
    const aclDataBuffer* const input_buffers[] = {a.buffer(), b.buffer()};
    const aclTensorDesc* const outputs[] = {out.desc()};
    aclDataBuffer* const output_buffers[] = {out.buffer()};
    return aclopCompileAndExecute(type, 2, inputs, input_buffers, 1, outputs, output_buffers,
                                  attributes, ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, nullptr);
  }

  // Both types on two boxes, whose places on the map are told: start and size, y before x.
  void Expect(int mode, const std::vector<float>& boxes, const double (&places)[2][4]) {
    aclopSetAttrInt(attributes_, "roi_end_mode", mode);
    aclopSetAttrInt(gradient_attributes_, "roi_end_mode", mode);
    std::vector<float> map;
    for (int64_t y = 0; y < kSide; ++y) {
      for (int64_t x = 0; x < kSide; ++x) {
        map.push_back(static_cast<float>(Rising(static_cast<double>(y), static_cast<double>(x))));
      }
    }
    constexpr size_t kBins = size_t{2} * kPooled * kPooled;
    const std::vector<float> poison(kBins, -77);
    DeviceTensor features({1, 1, kSide, kSide}, map), rois({2, 5}, boxes);
    DeviceTensor pooled({2, 1, kPooled, kPooled}, poison);
    ASSERT_EQ(Execute("ROIAlign", features, rois, pooled, attributes_), 0) << aclGetRecentErrMsg();

    std::vector<float> grad;
    double total = 0, about_y = 0, about_x = 0;
    for (size_t n = 0; n < kBins; ++n) {
      const double(&place)[4] = places[n / (kPooled * kPooled)];
      const auto middle = [&](int axis, size_t bin) {
        return place[axis] + place[2 + axis] * (static_cast<double>(bin) + 0.5) / kPooled;
      };
      const double y = middle(0, n / kPooled % kPooled), x = middle(1, n % kPooled);
      EXPECT_NEAR(pooled.Read()[n], Rising(y, x), 1e-5) << "mode " << mode << ", bin " << n;
      grad.push_back(static_cast<float>(n) - 2.5f);
      total += grad.back();
      about_y += grad.back() * y;
      about_x += grad.back() * x;
    }
    DeviceTensor pooled_grad({2, 1, kPooled, kPooled}, grad);
    DeviceTensor map_grad({1, 1, kSide, kSide}, std::vector<float>(map.size(), -77));
    ASSERT_EQ(Execute("ROIAlignGrad", pooled_grad, rois, map_grad, gradient_attributes_), 0)
        << aclGetRecentErrMsg();
    for (size_t n = 0; n < map.size(); ++n) {
      const double value = map_grad.Read()[n];
      total -= value;
      about_y -= value * static_cast<double>(n / kSide);
      about_x -= value * static_cast<double>(n % kSide);
    }
    EXPECT_NEAR(total, 0, 1e-4) << mode;
    EXPECT_NEAR(about_y, 0, 1e-3) << mode;
    EXPECT_NEAR(about_x, 0, 1e-3) << mode;
  }

  aclopAttr* attributes_ = nullptr;
  aclopAttr* gradient_attributes_ = nullptr;
};

// The second box is half a pixel high on the map, and a quarter wide.
const std::vector<float> kBoxes = {0, 4, 2, 16, 12, 0, 8, 6, 8.5f, 7};

TEST_F(RoiAlignByType, ModesDecideTheLeastSizeAndTheAlignment) {
  Expect(0, kBoxes, {{1, 2, 5, 6}, {3, 4, 1, 1}});
  Expect(2, kBoxes, {{0.5, 1.5, 5, 6}, {2.5, 3.5, 0.5, 0.25}});
  Expect(3, kBoxes, {{0.5, 1.5, 5, 6}, {2.5, 3.5, 1, 1}});
}

TEST_F(RoiAlignByType, OtherModesAreRefused) {
  DeviceTensor features({1, 1, kSide, kSide}, std::vector<float>(kSide * kSide));
  DeviceTensor rois({2, 5}, kBoxes), pooled({2, 1, kPooled, kPooled}, std::vector<float>(8));
  EXPECT_EQ(Execute("ROIAlign", features, rois, pooled, attributes_), ACL_ERROR_API_NOT_SUPPORT);
  const std::string text = aclGetRecentErrMsg();
  EXPECT_NE(text.find("expected the attribute roi_end_mode to be 0, 2 or 3"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace aclimb::testing::roi_align_v2_backward_test
