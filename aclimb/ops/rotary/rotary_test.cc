#include <vector>

#include "aclimb/ops/rotary/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::rotary_test {

ACLIMB_OPERATOR_SUITE(Rotary, rotary::kOperators);

namespace {

constexpr DType kFloat = DType::kFloat32;

class Rotary : public DeviceTest {};

// x = 1, 2, 3, 4 turned by a quarter of a circle: cos 0 and sin 1.
TEST_F(Rotary, ModesSayWhichElementsArePairs) {
  const std::vector<std::vector<double>> turned = {
      {-3, -4, 1, 2}, {-2, 1, -4, 3}, {-2, 1, -4, 3}, {-2, -4, 1, 3}};
  const DeviceTensor x({1, 1, 1, 4}, kFloat, {1, 2, 3, 4});
  const DeviceTensor cos({1, 1, 1, 4}, kFloat, {0, 0, 0, 0});
  const DeviceTensor sin({1, 1, 1, 4}, kFloat, {1, 1, 1, 1});
  for (int64_t mode = 0; mode < 4; ++mode) {
    const DeviceTensor out({1, 1, 1, 4}, kFloat);
    ACLIMB_ASSERT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnRotaryPositionEmbeddingGetWorkspaceSize(x, cos, sin, mode, out, size,
                                                              executor);
        },
        &aclnnRotaryPositionEmbedding, stream_));
    EXPECT_EQ(out.Values(), turned[static_cast<size_t>(mode)]) << mode;
  }
}

TEST(RotaryContract, RotaryPositionEmbedding) {
  using namespace rotary::rotary_position_embedding;  // NOLINT: its positions
  ContractHarness<decltype(aclnnRotaryPositionEmbeddingGetWorkspaceSize)> harness(
      kContract, &aclnnRotaryPositionEmbeddingGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kX, {2, 3, 4, 8}, kFloat);
        a.Tensor(kCos, {1, 3, 1, 8}, kFloat);
        a.Tensor(kSin, {1, 3, 1, 8}, kFloat);
        a.Integer(kMode, 2);
        a.Tensor(kOut, {2, 3, 4, 8}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("shape/x", [](CallArguments& a) { a.Tensor(kX, {2, 3, 4, 6}, kFloat); });
  harness.ExpectRule("shape/cos", [](CallArguments& a) { a.Tensor(kCos, {1, 3, 2, 8}, kFloat); });
  harness.ExpectRule("shape/cos", [](CallArguments& a) { a.Tensor(kCos, {1, 3, 1, 1}, kFloat); });
  harness.ExpectEveryRuleCovered(
      {"rotary_position_embedding/product", "rotary_position_embedding/environment"});
}

TEST(RotaryContract, RotaryPositionEmbeddingGrad) {
  using namespace rotary::rotary_position_embedding_grad;  // NOLINT: its positions
  ContractHarness<decltype(aclnnRotaryPositionEmbeddingGradGetWorkspaceSize)> harness(
      kContract, &aclnnRotaryPositionEmbeddingGradGetWorkspaceSize, [](CallArguments& a) {
        for (const int rows : {kDy, kX, kDx}) a.Tensor(rows, {2, 3, 4, 8}, kFloat);
        for (const int angles : {kCos, kSin, kDcos, kDsin}) {
          a.Tensor(angles, {2, 3, 1, 8}, kFloat);
        }
        a.Integer(kMode, 2);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    for (const int optional : {kX, kDcos, kDsin}) a.Null(optional);
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("shape/dy", [](CallArguments& a) { a.Tensor(kDy, {2, 3, 4, 6}, kFloat); });
  harness.ExpectRule("shape/cos", [](CallArguments& a) { a.Tensor(kCos, {3, 3, 1, 8}, kFloat); });
  harness.ExpectRule("wanted/dcosOut", [](CallArguments& a) { a.Null(kDcos); });
  harness.ExpectRule("wanted/dcosOut", [](CallArguments& a) {
    a.Tensor(kDcos, {2, 3, 4, 8}, kFloat);
  });
  harness.ExpectRule("wanted/dsinOut", [](CallArguments& a) {
    a.Tensor(kDsin, {2, 3, 1, 8}, DType::kFloat16);
  });
  harness.ExpectEveryRuleCovered(
      {"rotary_position_embedding_grad/product", "rotary_position_embedding_grad/environment"});
}

TEST(RotaryContract, ApplyRotaryPosEmb) {
  using namespace rotary::apply_rotary_pos_emb;  // NOLINT: its positions
  ContractHarness<decltype(aclnnApplyRotaryPosEmbGetWorkspaceSize)> harness(
      kContract, &aclnnApplyRotaryPosEmbGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kQuery, {2, 3, 4, 8}, kFloat);
        a.Tensor(kKey, {2, 3, 2, 8}, kFloat);
        a.Tensor(kCos, {2, 3, 1, 8}, kFloat);
        a.Tensor(kSin, {2, 3, 1, 8}, kFloat);
        a.Integer(kLayout, 1);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("shape/queryRef", [](CallArguments& a) {
    a.Tensor(kQuery, {2, 3, 4, 7}, kFloat);
    a.Tensor(kKey, {2, 3, 2, 7}, kFloat);
    a.Tensor(kCos, {2, 3, 1, 7}, kFloat);
    a.Tensor(kSin, {2, 3, 1, 7}, kFloat);
  });
  harness.ExpectEveryRuleCovered(
      {"apply_rotary_pos_emb/product", "apply_rotary_pos_emb/environment"});
}

}  // namespace
}  // namespace aclimb::testing::rotary_test
