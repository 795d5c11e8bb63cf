// Cdist, called as torch_npu calls it: both operands have a place for each pair of rows.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "acl/acl.h"
#include "tests/runtime/by_type_request.h"

namespace aclimb::testing::norm_test {
namespace {

using runtime_test::Dims;
using runtime_test::Request;
using runtime_test::Values;

class CdistByType : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(aclrtSetDevice(0), 0); }

  // Rows (0, 0), (3, 4) beside (0, 0), (0, -1), (3, 4).
  const Dims dims_ = {1, 2, 3, 2};
  const Values a_ = {0, 0, 0, 0, 0, 0, 3, 4, 3, 4, 3, 4};
  const Values b_ = {0, 0, 0, -1, 3, 4, 0, 0, 0, -1, 3, 4};
  const Dims out_dims_ = {1, 2, 3};
};

TEST_F(CdistByType, HasTheNormsOfDifferences) {
  const struct {
    float p;
    Values expected;
  } cases[] = {{2, {0, 1, 5, 5, std::sqrt(34.0), 0}},
               {1, {0, 1, 7, 7, 8, 0}},
               {0, {0, 1, 2, 2, 2, 0}},
               {3, {0, 1, std::cbrt(91.0), std::cbrt(91.0), std::cbrt(152.0), 0}},
               {-1, {0, 1, 4, 4, 5, 0}}};
  for (const auto& [p, expected] : cases) {
    SCOPED_TRACE(p);
    Request request("Cdist");
    request.Set("p", p).Input(dims_, a_).Input(dims_, b_).Output(out_dims_, expected).Run();
  }
}

TEST_F(CdistByType, RefusesOtherPowersAndShapes) {
  Request power("Cdist");
  power.Set("p", -2.f).Input(dims_, a_).Input(dims_, b_).Output(out_dims_, Values(6));
  const std::vector<unsigned char> poison = power.Bytes(24);
  power.ExpectRefused("the attribute p of 0 or more");
  EXPECT_EQ(power.Bytes(24), poison);
  Request shape("Cdist");
  shape.Set("p", 2.f).Input(dims_, a_).Input({1, 1, 3, 2}, Values(6, 1));
  shape.Output(out_dims_, Values(6)).ExpectRefused("of one dtype and shape");
  EXPECT_EQ(shape.Bytes(24), poison);
  Request result("Cdist");
  result.Set("p", 2.f).Input(dims_, a_).Input(dims_, b_);
  result.Output({1}, Values(1)).ExpectRefused("output 0 of the dtype of input 0");
}

}  // namespace
}  // namespace aclimb::testing::norm_test
