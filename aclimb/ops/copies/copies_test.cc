#include "aclimb/ops/copies/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::copies_test {

ACLIMB_OPERATOR_SUITE(Copies, copies::kOperators);

class CopiesRules : public DeviceTest {};

TEST_F(CopiesRules, InplaceCopy) {
  using namespace copies::inplace_copy;  // NOLINT: the positions
  ContractHarness<decltype(aclnnInplaceCopyGetWorkspaceSize)> harness(
      kContract, &aclnnInplaceCopyGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelfRef, {2, 3}, DType::kFloat32);
        a.Tensor(kSrc, {3}, DType::kInt32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("complex-to-bool/src", [](CallArguments& a) {
    a.Tensor(kSelfRef, {3}, DType::kBool);
    a.Tensor(kSrc, {3}, DType::kComplex64);
  });
  harness.ExpectEveryRuleCovered({"inplace_copy/product"});
}

TEST_F(CopiesRules, Cast) {
  using namespace copies::cast;  // NOLINT: the positions
  ContractHarness<decltype(aclnnCastGetWorkspaceSize)> harness(
      kContract, &aclnnCastGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, DType::kInt32);
        a.Integer(kDType, ACL_FLOAT);
        a.Tensor(kOut, {2, 3}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("dtype/dtype", [](CallArguments& a) { a.Integer(kDType, ACL_INT64); });
  harness.ExpectRule("dtype/dtype", [](CallArguments& a) { a.Integer(kDType, 99); });
  harness.ExpectRule("complex-to-bool/self", [](CallArguments& a) {
    a.Tensor(kSelf, {3}, DType::kComplex64);
    a.Integer(kDType, ACL_BOOL);
    a.Tensor(kOut, {3}, DType::kBool);
  });
  harness.ExpectEveryRuleCovered({"cast/product"});
}

TEST_F(CopiesRules, Permute) {
  using namespace copies::permute;  // NOLINT: the positions
  ContractHarness<decltype(aclnnPermuteGetWorkspaceSize)> harness(
      kContract, &aclnnPermuteGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3, 4}, DType::kFloat32);
        a.Ints(kDims, {-1, 0, 1});
        a.Tensor(kOut, {4, 2, 3}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("count/dims", [](CallArguments& a) { a.Ints(kDims, {0, 1}); });
  harness.ExpectRule("shape/out", [](CallArguments& a) {
    a.Tensor(kOut, {4, 3, 2}, DType::kFloat32);
  });
  harness.ExpectEveryRuleCovered({"permute/product"});
}

// Complex numbers keep both parts where the suite sees the real one alone.
TEST_F(CopiesRules, ComplexNumbersKeepTheirImaginaryPart) {
  const int64_t extents[] = {2, 2}, turned[] = {1, 2};
  const double values[] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (const aclDataType to : {ACL_COMPLEX128, ACL_COMPLEX64}) {
    void* memory = nullptr;
    ACLIMB_ASSERT_OK(aclrtMalloc(&memory, 256, ACL_MEM_MALLOC_HUGE_FIRST));
    ACLIMB_ASSERT_OK(aclrtMemcpy(memory, 256, values, sizeof(values), ACL_MEMCPY_HOST_TO_DEVICE));
    char* const result = static_cast<char*>(memory) + 128;
    aclTensor* const self =
        aclCreateTensor(extents, 2, ACL_COMPLEX128, turned, 0, ACL_FORMAT_ND, extents, 2, memory);
    aclTensor* const out =
        aclCreateTensor(extents, 2, to, nullptr, 0, ACL_FORMAT_ND, extents, 2, result);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnCastGetWorkspaceSize(self, to, out, size, executor);
        },
        &aclnnCast, stream_));
    unsigned char got[64];
    ACLIMB_ASSERT_OK(aclrtMemcpy(got, 64, result, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    const double expected[] = {1, 2, 5, 6, 3, 4, 7, 8};
    const DType part = to == ACL_COMPLEX128 ? DType::kFloat64 : DType::kFloat32;
    for (size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(ReadElement(got + i * SizeOf(part), part), expected[i]) << i;
    }
    ACLIMB_EXPECT_OK(aclDestroyTensor(self));
    ACLIMB_EXPECT_OK(aclDestroyTensor(out));
    ACLIMB_EXPECT_OK(aclrtFree(memory));
  }
}

}  // namespace aclimb::testing::copies_test
