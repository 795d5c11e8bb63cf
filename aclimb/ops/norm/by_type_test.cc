// Cdist, called as torch_npu calls it: both operands have a place for each pair of rows.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_op.h"
#include "acl/acl_op_compiler.h"

namespace aclimb::testing {
namespace {

class Floats {
 public:
  Floats(const std::vector<int64_t>& dims, const std::vector<float>& values) : host_(values) {
    EXPECT_EQ(aclrtMalloc(&memory_, Bytes(), ACL_MEM_MALLOC_HUGE_FIRST), 0);
    EXPECT_EQ(aclrtMemcpy(memory_, Bytes(), host_.data(), Bytes(), ACL_MEMCPY_HOST_TO_DEVICE), 0);
    desc_ =
        aclCreateTensorDesc(ACL_FLOAT, static_cast<int>(dims.size()), dims.data(), ACL_FORMAT_ND);
    buffer_ = aclCreateDataBuffer(memory_, Bytes());
  }
  ~Floats() {
    aclDestroyTensorDesc(desc_);
    EXPECT_EQ(aclDestroyDataBuffer(buffer_), 0);
    EXPECT_EQ(aclrtFree(memory_), 0);
  }
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;

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

class CdistByType : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(aclrtSetDevice(0), 0); }

  static int Execute(float p, const Floats& a, const Floats& b, const Floats& out) {
    aclopAttr* const attributes = aclopCreateAttr();
    aclopSetAttrFloat(attributes, "p", p);
    const aclTensorDesc* const inputs[] = {a.desc(), b.desc()};
    const aclDataBuffer* const input_buffers[] = {a.buffer(), b.buffer()};
    const aclTensorDesc* const outputs[] = {out.desc()};
    aclDataBuffer* const output_buffers[] = {out.buffer()};
    const int code =
        aclopCompileAndExecute("Cdist", 2, inputs, input_buffers, 1, outputs, output_buffers,
                               attributes, ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, nullptr);
    aclopDestroyAttr(attributes);
    return code;
  }

  // Rows (0, 0), (3, 4) beside (0, 0), (0, -1), (3, 4).
  Floats a_{{1, 2, 3, 2}, {0, 0, 0, 0, 0, 0, 3, 4, 3, 4, 3, 4}};
  Floats b_{{1, 2, 3, 2}, {0, 0, 0, -1, 3, 4, 0, 0, 0, -1, 3, 4}};
  Floats out_{{1, 2, 3}, std::vector<float>(6, -77)};
};

TEST_F(CdistByType, HasTheNormsOfDifferences) {
  const struct {
    float p;
    std::vector<float> expected;
  } cases[] = {{2, {0, 1, 5, 5, std::sqrt(34.f), 0}},
               {1, {0, 1, 7, 7, 8, 0}},
               {0, {0, 1, 2, 2, 2, 0}},
               {3, {0, 1, std::cbrt(91.f), std::cbrt(91.f), std::cbrt(152.f), 0}},
               {-1, {0, 1, 4, 4, 5, 0}}};
  for (const auto& [p, expected] : cases) {
    SCOPED_TRACE(p);
    ASSERT_EQ(Execute(p, a_, b_, out_), 0) << aclGetRecentErrMsg();
    const std::vector<float>& values = out_.Read();
    for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 2e-6) << i;
  }
}

TEST_F(CdistByType, RefusesOtherPowersAndShapes) {
  EXPECT_NE(Execute(-2, a_, b_, out_), 0);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("the attribute p of 0 or more"),
            std::string::npos);
  const Floats one_row({1, 1, 3, 2}, std::vector<float>(6, 1));
  EXPECT_NE(Execute(2, a_, one_row, out_), 0);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("of one dtype and shape"), std::string::npos);
  for (const float value : out_.Read()) EXPECT_EQ(value, -77);
}

}  // namespace
}  // namespace aclimb::testing
