#include <string>
#include <vector>

#include "aclimb/ops/trans_matmul_weight/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::trans_matmul_weight_test {

ACLIMB_OPERATOR_SUITE(TransMatmulWeight, trans_matmul_weight::kOperators);

namespace {

using namespace trans_matmul_weight;  // NOLINT: the parameter's position

TEST(TransMatmulWeightContract, EveryRuleIsEnforcedAndExplained) {
  ContractHarness<decltype(aclnnTransMatmulWeightGetWorkspaceSize)> harness(
      kContract, &aclnnTransMatmulWeightGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kWeight, {5, 3}, DType::kFloat16);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) { a.Tensor(kWeight, {2, 5, 3}, DType::kInt8); });
  harness.ExpectGenericRules();
  harness.ExpectRule("rank-of-floats", [](CallArguments& a) {
    a.Tensor(kWeight, {2, 5, 3}, DType::kBFloat16);
  });
  harness.ExpectRule("not-empty", [](CallArguments& a) {
    a.Tensor(kWeight, {5, 0}, DType::kInt8);
  });
  harness.ExpectEveryRuleCovered({"trans_matmul_weight/product"});
}

// The documents' two examples, and a batch.
TEST(CalculateMatmulWeightSize, RoundsTheMatrixUp) {
  uint64_t size = 0;
  const IntArray square({510, 510}), flat({510, 270}), batch({3, 2, 510, 270});
  ACLIMB_EXPECT_OK(aclnnCalculateMatmulWeightSizeV2(square, ACL_FLOAT16, &size));
  EXPECT_EQ(size, 262144u);
  ACLIMB_EXPECT_OK(aclnnCalculateMatmulWeightSizeV2(flat, ACL_INT8, &size));
  EXPECT_EQ(size, 147456u);
  ACLIMB_EXPECT_OK(aclnnCalculateMatmulWeightSizeV2(batch, ACL_BF16, &size));
  EXPECT_EQ(size, 6u * 512 * 272);
  ACLIMB_EXPECT_OK(aclnnCalculateMatmulWeightSize(flat, &size));
  EXPECT_EQ(size, 512u * 272);
}

TEST(CalculateMatmulWeightSize, Refuses) {
  constexpr uint64_t kUntouched = 77;
  uint64_t size = kUntouched;
  const auto says = [&](int code, int expected, const std::string& part) {
    EXPECT_EQ(code, expected);
    const std::string text = aclGetRecentErrMsg();
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(size, kUntouched);
  };
  const auto of = [&](std::vector<int64_t> shape, aclDataType dtype) {
    const IntArray extents(std::move(shape));
    return aclnnCalculateMatmulWeightSizeV2(extents, dtype, &size);
  };
  const IntArray shape({2, 3});
  says(aclnnCalculateMatmulWeightSizeV2(nullptr, ACL_FLOAT16, &size), 161001,
       "tensorShape is null");
  says(aclnnCalculateMatmulWeightSizeV2(shape, ACL_FLOAT16, nullptr), 161001,
       "weightTensorSize is null");
  says(of({2, 3}, ACL_FLOAT), 161002, "dataType is FLOAT; expected FLOAT16, BFLOAT16 or INT8.");
  says(of({2, 3}, ACL_DT_UNDEFINED), 161002, "dataType is -1");
  says(of({2}, ACL_FLOAT16), 161002, "tensorShape is [2]; expected 2 to 6 extents.");
  says(of({1, 1, 1, 1, 1, 2, 3}, ACL_FLOAT16), 161002, "expected 2 to 6 extents.");
  says(of({2, 0}, ACL_INT8), 161002, "tensorShape is [2, 0]; expected extents above 0.");
  says(of({int64_t{1} << 62, 3}, ACL_INT8), 161002, "expected a product below 2^63.");
  const auto* const dead = aclCreateIntArray(nullptr, 0);
  ACLIMB_ASSERT_OK(aclDestroyIntArray(dead));
  says(aclnnCalculateMatmulWeightSizeV2(dead, ACL_INT8, &size), 161002,
       "which is not a live aclIntArray");
}

}  // namespace
}  // namespace aclimb::testing::trans_matmul_weight_test
