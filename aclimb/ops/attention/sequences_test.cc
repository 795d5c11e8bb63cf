#include <limits>
#include <string>
#include <vector>

#include "aclimb/ops/attention/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_run.h"

namespace aclimb::testing::attention_test {
namespace {

constexpr DType kFloat = DType::kFloat32;

char packed[] = "TND";
char batches[] = "BSND";

class AttentionOfSequences : public DeviceTest {};

// Each sequence has a triangle of its own, counted from its own last query and key.
TEST_F(AttentionOfSequences, TrianglesOfTheirOwn) {
  using namespace attention::flash_attention_var_len_score;  // NOLINT: its positions
  truth::Draw draw(5);
  truth::Call call(kContract);
  attention::DrawFloats(draw, call, kQuery, {150, 2, 8}, kFloat, 0.5);
  attention::DrawFloats(draw, call, kKey, {160, 1, 8}, kFloat, 0.5);
  attention::DrawFloats(draw, call, kValue, {160, 1, 4}, kFloat);
  call.SetTensor(kAttenMask, {2048, 2048}, DType::kBool, std::vector<double>(2048 * 2048, 1.0));
  call.SetInts(kActualSeqQLen, {5, 5, 140, 150});
  call.SetInts(kActualSeqKvLen, {9, 12, 155, 160});
  call.SetReal(kScaleValue, 0.5);
  call.SetReal(kKeepProb, 1);
  call.SetInteger(kHeadNum, 2);
  call.SetText(kInputLayout, "TND");
  call.SetInteger(kSparseMode, 3);
  for (const int statistics : {kSoftmaxMax, kSoftmaxSum}) {
    call.SetTensor(statistics, {150, 2, 8}, kFloat);
  }
  call.SetTensor(kSoftmaxOut, {0}, kFloat);
  call.SetTensor(kAttentionOut, {150, 2, 4}, kFloat);
  OperatorRun run(attention::kOperators[6], call);
  ACLIMB_ASSERT_OK(run.Run(stream_));
  run.ExpectTruth();
}

void FillCommon(CallArguments& a, const attention::SequencePlaces& places, int bias_padding) {
  const attention::Places& at = places.at;
  a.Tensor(at.query, {7, 4, 8}, kFloat);
  for (const int of_keys : {at.key, at.value}) a.Tensor(of_keys, {9, 2, 8}, kFloat);
  a.Tensor(at.kept, {15}, DType::kUInt8);
  a.Tensor(bias_padding, {0}, kFloat);
  a.Tensor(at.mask, {5, 6}, DType::kBool);
  a.Ints(places.query_ends, {2, 7});
  a.Ints(places.key_ends, {6, 9});
  a.Real(at.keep, 0.5);
  a.Integer(at.pre_tokens, 2147483647);
  a.Integer(at.next_tokens, 2147483647);
  a.Integer(at.heads, 4);
  a.String(at.layout, packed);
}

template <typename Harness>
void ExpectCommonRules(Harness& harness, const attention::SequencePlaces& places, int padding,
                       const std::string& key, const std::string& bias) {
  const attention::Places& at = places.at;
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("choice/inputLayout", [&](CallArguments& a) { a.String(at.layout, batches); });
  harness.ExpectRule("absent/" + bias, [&](CallArguments& a) {
    a.Tensor(at.bias, {1, 4, 5, 6}, kFloat);
  });
  harness.ExpectRule("absent/paddingMaskOptional",
                     [&](CallArguments& a) { a.Tensor(padding, {2}, kFloat); });
  harness.ExpectRule("shape/query", [&](CallArguments& a) { a.Integer(at.heads, 3); });
  harness.ExpectRule("shape/" + key, [&](CallArguments& a) {
    a.Tensor(at.key, {9, 3, 8}, kFloat);
  });
  harness.ExpectRule("shape/value", [&](CallArguments& a) {
    a.Tensor(at.value, {8, 2, 8}, kFloat);
  });
  for (const std::vector<int64_t>& wrong :
       std::vector<std::vector<int64_t>>{{2, 6}, {8, 7}, {-1, 7}, {}}) {
    harness.ExpectRule("ends/actualSeqQLenOptional",
                       [&](CallArguments& a) { a.Ints(places.query_ends, wrong); });
  }
  harness.ExpectRule("ends/actualSeqKvLenOptional",
                     [&](CallArguments& a) { a.Ints(places.key_ends, {9}); });
  harness.ExpectRule("needed/attenMaskOptional", [&](CallArguments& a) {
    a.Integer(at.sparse_mode, 2);
    a.Null(at.mask);
  });
  harness.ExpectRule("shape/attenMaskOptional",
                     [&](CallArguments& a) { a.Integer(at.sparse_mode, 2); });
  harness.ExpectRule("shape/attenMaskOptional", [&](CallArguments& a) {
    a.Tensor(at.mask, {5, 5}, DType::kBool);
  });
  harness.ExpectRule("band/nextTokens", [&](CallArguments& a) {
    a.Integer(at.pre_tokens, 1);
    a.Integer(at.next_tokens, -2);
  });
  harness.ExpectRule("needed/dropMaskOptional", [&](CallArguments& a) { a.Null(at.kept); });
  // 4 * (2 * 6 + 5 * 3) bits.
  harness.ExpectRule("shape/dropMaskOptional",
                     [&](CallArguments& a) { a.Tensor(at.kept, {13}, DType::kUInt8); });
}

TEST(WeightsOfSequences, WeightsAreCountedUpToTheLargestInteger) {
  constexpr int64_t kMany = int64_t{1} << 61, kMost = std::numeric_limits<int64_t>::max();
  const auto starts = [](const std::vector<int64_t>& keys) {
    const std::vector<int64_t> queries(keys.size(), 1);
    return attention::WeightStarts({.starts = {}, .counts = queries},
                                   {.starts = {}, .counts = keys}, 2);
  };
  EXPECT_EQ(starts({1, 3}), (std::vector<int64_t>{0, 2, 8}));
  EXPECT_EQ(starts({2 * kMany, 1}), (std::vector<int64_t>{0, kMost, kMost}));
  EXPECT_EQ(starts({kMany, kMany}), (std::vector<int64_t>{0, 2 * kMany, kMost}));
}

TEST(AttentionContract, FlashAttentionVarLenScore) {
  using namespace attention::flash_attention_var_len_score;  // NOLINT: its positions
  ContractHarness<decltype(aclnnFlashAttentionVarLenScoreGetWorkspaceSize)> harness(
      kContract, &aclnnFlashAttentionVarLenScoreGetWorkspaceSize, [](CallArguments& a) {
        FillCommon(a, kPlaces, kPaddingMask);
        a.Real(kScaleValue, 0.5);
        for (const int statistics : {kSoftmaxMax, kSoftmaxSum}) {
          a.Tensor(statistics, {7, 4, 8}, kFloat);
        }
        a.Tensor(kSoftmaxOut, {0}, kFloat);
        a.Tensor(kAttentionOut, {7, 4, 8}, kFloat);
      });
  ExpectCommonRules(harness, kPlaces, kPaddingMask, "key", "realShiftOptional");
  harness.ExpectRule("shape/softmaxMaxOut", [](CallArguments& a) {
    a.Tensor(kSoftmaxMax, {7, 4, 1}, kFloat);
  });
  harness.ExpectRule("shape/softmaxSumOut", [](CallArguments& a) {
    a.Tensor(kSoftmaxSum, {4, 7, 8}, kFloat);
  });
  harness.ExpectRule("shape/attentionOutOut", [](CallArguments& a) {
    a.Tensor(kAttentionOut, {7, 4, 9}, kFloat);
  });
  harness.ExpectEveryRuleCovered(
      {"flash_attention_var_len_score/product", "flash_attention_var_len_score/environment"});
}

TEST(AttentionContract, FlashAttentionUnpaddingScoreGrad) {
  using namespace attention::flash_attention_unpadding_score_grad;  // NOLINT: its positions
  ContractHarness<decltype(aclnnFlashAttentionUnpaddingScoreGradGetWorkspaceSize)> harness(
      kContract, &aclnnFlashAttentionUnpaddingScoreGradGetWorkspaceSize, [](CallArguments& a) {
        FillCommon(a, kPlaces, kPaddingMask);
        a.Real(kScaleValue, 0.5);
        for (const int of_queries : {kDy, kAttentionIn, kDq, kSoftmaxMax, kSoftmaxSum}) {
          a.Tensor(of_queries, {7, 4, 8}, kFloat);
        }
        for (const int of_keys : {kDk, kDv}) a.Tensor(of_keys, {9, 2, 8}, kFloat);
      });
  ExpectCommonRules(harness, kPlaces, kPaddingMask, "keyIn", "pseShiftOptional");
  harness.ExpectRule("shape/dy", [](CallArguments& a) { a.Tensor(kDy, {7, 4, 9}, kFloat); });
  harness.ExpectRule("shape/attentionInOptional", [](CallArguments& a) {
    a.Tensor(kAttentionIn, {6, 4, 8}, kFloat);
  });
  harness.ExpectRule("shape/softmaxMaxOptional", [](CallArguments& a) {
    a.Tensor(kSoftmaxMax, {7, 4, 1}, kFloat);
  });
  harness.ExpectRule("shape/softmaxSumOptional", [](CallArguments& a) {
    a.Tensor(kSoftmaxSum, {4, 7, 8}, kFloat);
  });
  harness.ExpectEveryRuleCovered({"flash_attention_unpadding_score_grad/product",
                                  "flash_attention_unpadding_score_grad/environment"});
}

}  // namespace
}  // namespace aclimb::testing::attention_test
