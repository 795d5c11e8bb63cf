#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "aclimb/ops/attention/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_run.h"

namespace aclimb::testing::attention_test {
namespace {

constexpr DType kHalf = DType::kFloat16;

class AttentionForInference : public DeviceTest {};

// As a llama decodes a token: one query, keys of which a mask leaves some, and heads in groups.
// Of these a tile has few rows, or some more, and few rows meet wide keys in several chunks. What
// the cache holds behind the keys, NaN too, has no part.
TEST_F(AttentionForInference, OneQueryOfManyHeads) {
  using namespace attention::fused_infer_attention_score_v2;  // NOLINT: its positions
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  struct Heads {
    int64_t keys, width;
  };
  for (const auto& [key_heads, width] :
       {Heads{2, 16}, Heads{4, 16}, Heads{4, 512}, Heads{3, 16}, Heads{3, 112}, Heads{3, 512}}) {
    truth::Draw draw(3);
    truth::Call call(kContract);
    attention::DrawFloats(draw, call, kQuery, {1, 1, 12, width}, kHalf, 0.5);
    for (const int list : {kKey, kValue}) {
      call.SetList(list, 1);
      attention::DrawFloats(draw, call, {list, 0}, {1, 700, key_heads, width}, kHalf);
    }
    std::vector<double> mask(700);
    for (size_t i = 0; i < mask.size(); ++i) mask[i] = i % 5 == 1 || i < 300 ? -kInfinity : 0;
    std::vector<double> of_heads;
    for (int h = 0; h < 12; ++h) of_heads.insert(of_heads.end(), mask.begin(), mask.end());
    call.SetTensor(kPseShift, {1, 12, 1, 700}, kHalf, of_heads);
    call.SetInteger(kNumHeads, 12);
    call.SetInteger(kNumKeyValueHeads, key_heads);
    call.SetReal(kScaleValue, 1 / std::sqrt(static_cast<double>(width)));
    call.SetInteger(kPreTokens, 65535);
    call.SetInteger(kNextTokens, 65535);
    call.SetText(kInputLayout, "BSND");
    call.SetTensor(kAttentionOut, {1, 1, 12, width}, kHalf);
    for (const bool counted : {false, true}) {
      if (counted) {
        call.SetInts(kActualSeqLengthsKv, {651});
        for (const int list : {kKey, kValue}) {
          std::vector<double> values = call.Values({list, 0});
          std::fill(values.begin() + 651 * key_heads * width, values.end(), std::nan(""));
          call.SetTensor({list, 0}, {1, 700, key_heads, width}, kHalf, values);
        }
      }
      OperatorRun run(attention::kOperators[3], call);
      ACLIMB_ASSERT_OK(run.Run(stream_));
      run.ExpectTruth();
    }
  }
}

// As a llama reads a prompt: a bias leaves out what comes later and what pads the cache, by whole
// tiles and by parts of them, and all keys of some queries. NaN in what no query meets has no part.
TEST_F(AttentionForInference, PromptWithABiasOfMinusInfinity) {
  using namespace attention::fused_infer_attention_score_v2;  // NOLINT: its positions
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr int64_t kQueries = 150, kKeys = 512, kWhole = 256;
  truth::Draw draw(5);
  truth::Call call(kContract);
  attention::DrawFloats(draw, call, kQuery, {1, kQueries, 4, 16}, kHalf, 0.5);
  for (const int list : {kKey, kValue}) {
    call.SetList(list, 1);
    attention::DrawFloats(draw, call, {list, 0}, {1, kKeys, 2, 16}, kHalf);
  }
  call.SetInteger(kNumHeads, 4);
  call.SetInteger(kNumKeyValueHeads, 2);
  call.SetReal(kScaleValue, 0.25);
  call.SetInteger(kPreTokens, 65535);
  call.SetInteger(kNextTokens, 65535);
  call.SetText(kInputLayout, "BSND");
  call.SetTensor(kAttentionOut, {1, kQueries, 4, 16}, kHalf);
  // Later keys, keys of another window for each head, and all but a hole.
  for (int kind = 0; kind < 3; ++kind) {
    std::vector<double> bias;
    for (int64_t h = 0; h < 4; ++h) {
      for (int64_t q = 0; q < kQueries; ++q) {
        for (int64_t k = 0; k < kKeys; ++k) {
          const bool stays = kind == 0   ? k <= q
                             : kind == 1 ? k / 64 == h && q % 40 != 7
                                         : k < 20 || (k > 200 && k < kWhole);
          bias.push_back(stays ? 0.125 * static_cast<double>(k % 5) : -kInfinity);
        }
      }
    }
    call.SetTensor(kPseShift, {1, 4, kQueries, kKeys}, kHalf, bias);
    OperatorRun run(attention::kOperators[3], call);
    ACLIMB_ASSERT_OK(run.Run(stream_));
    run.ExpectTruth();
    const std::vector<double> out = run.Tensor(kAttentionOut).Values();
    for (const int list : {kKey, kValue}) {
      std::vector<double> values = call.Values({list, 0});
      std::fill(values.begin() + kWhole * 2 * 16, values.end(), std::nan(""));
      truth::Call with_nan = call;
      with_nan.SetTensor({list, 0}, {1, kKeys, 2, 16}, kHalf, values);
      OperatorRun again(attention::kOperators[3], with_nan);
      ACLIMB_ASSERT_OK(again.Run(stream_));
      EXPECT_EQ(again.Tensor(kAttentionOut).Values(), out);
    }
  }
}

// Counted from the last of the keys and queries that a batch has.
TEST_F(AttentionForInference, TriangleOfCounts) {
  using namespace attention::fused_infer_attention_score;  // NOLINT: its positions
  truth::Draw draw(4);
  truth::Call call(kContract);
  attention::DrawFloats(draw, call, kQuery, {3, 2, 9, 8}, kHalf, 0.5);
  for (const int list : {kKey, kValue}) {
    call.SetList(list, 1);
    attention::DrawFloats(draw, call, {list, 0}, {3, 2, 20, 8}, kHalf);
  }
  call.SetTensor(kAttenMask, {2048, 2048}, DType::kBool, std::vector<double>(2048 * 2048, 1.0));
  call.SetInts(kActualSeqLengths, {9, 5, 8});
  call.SetInts(kActualSeqLengthsKv, {20, 11, 3});
  call.SetInteger(kNumHeads, 2);
  call.SetReal(kScaleValue, 0.25);
  call.SetText(kInputLayout, "BNSD");
  call.SetInteger(kSparseMode, 3);
  call.SetTensor(kAttentionOut, {3, 2, 9, 8}, kHalf);
  call.SetInteger(kSoftmaxLseFlag, 1);
  call.SetTensor(kSoftmaxLse, {3, 2, 9, 1}, DType::kFloat32);
  OperatorRun run(attention::kOperators[2], call);
  ACLIMB_ASSERT_OK(run.Run(stream_));
  run.ExpectTruth();
}

char layout[] = "BNSD";
char sequences[] = "TND";

// The parameters that both forms have, by the same names of positions.
#define FILL_INFERENCE(a)                                                         \
  a.Tensor(kQuery, {2, 4, 3, 8}, kHalf);                                          \
  for (const int list : {kKey, kValue}) a.Tensors(list, {{{2, 2, 5, 8}, kHalf}}); \
  a.Tensor(kPseShift, {2, 4, 3, 5}, kHalf);                                       \
  a.Tensor(kAttenMask, {3, 5}, DType::kBool);                                     \
  a.Ints(kActualSeqLengths, {3, 2});                                              \
  a.Ints(kActualSeqLengthsKv, {5});                                               \
  a.Integer(kNumHeads, 4);                                                        \
  a.Real(kScaleValue, 0.5);                                                       \
  a.Integer(kPreTokens, 65535);                                                   \
  a.Integer(kNextTokens, 65535);                                                  \
  a.String(kInputLayout, layout);                                                 \
  a.Integer(kNumKeyValueHeads, 2);                                                \
  a.Bool(kSoftmaxLseFlag, true);                                                  \
  a.Tensor(kAttentionOut, {2, 4, 3, 8}, kHalf);                                   \
  a.Tensor(kSoftmaxLse, {2, 4, 3, 1}, DType::kFloat32)

#define EXPECT_RULES_OF_INFERENCE(O)                                                          \
  harness.ExpectAccepted();                                                                   \
  harness.ExpectAccepted([](CallArguments& a) {                                               \
    for (const int optional :                                                                 \
         {kPseShift, kAttenMask, kActualSeqLengths, kActualSeqLengthsKv, kSoftmaxLse}) {      \
      a.Null(optional);                                                                       \
    }                                                                                         \
    a.Bool(kSoftmaxLseFlag, false);                                                           \
  });                                                                                         \
  harness.ExpectGenericRules();                                                               \
  for (const int place : {kQuantScale2, kAntiquantOffset}) {                                  \
    harness.ExpectRule("absent/quantisation",                                                 \
                       [place](CallArguments& a) { a.Tensor(place, {1}, DType::kFloat32); }); \
  }                                                                                           \
  harness.ExpectRule("absent/blockTable" O, [](CallArguments& a) {                            \
    a.Tensor(kBlockTable, {2, 3}, DType::kInt32);                                             \
  });                                                                                         \
  harness.ExpectRule("absent/kvPaddingSize" O,                                                \
                     [](CallArguments& a) { a.Tensor(kKvPaddingSize, {1}, DType::kInt64); }); \
  harness.ExpectRule("choice/inputLayout",                                                    \
                     [](CallArguments& a) { a.String(kInputLayout, sequences); });            \
  harness.ExpectRule("shape/query", [](CallArguments& a) { a.Integer(kNumHeads, 3); });       \
  harness.ExpectRule("shape/key", [](CallArguments& a) { a.Integer(kNumKeyValueHeads, 0); }); \
  harness.ExpectRule("shape/key", [](CallArguments& a) {                                      \
    a.Tensors(kKey, {{{2, 2, 5, 7}, kHalf}});                                                 \
  });                                                                                         \
  harness.ExpectRule("shape/value", [](CallArguments& a) {                                    \
    a.Tensors(kValue, {{{2, 2, 4, 8}, kHalf}});                                               \
  });                                                                                         \
  harness.ExpectRule("shape/pseShift" O, [](CallArguments& a) {                               \
    a.Tensor(kPseShift, {2, 4, 3, 4}, kHalf);                                                 \
  });                                                                                         \
  harness.ExpectRule("needed/attenMask" O, [](CallArguments& a) {                             \
    a.Integer(kSparseMode, 1);                                                                \
    a.Null(kAttenMask);                                                                       \
  });                                                                                         \
  harness.ExpectRule("shape/attenMask" O, [](CallArguments& a) {                              \
    a.Tensor(kAttenMask, {2, 5}, DType::kBool);                                               \
  });                                                                                         \
  harness.ExpectRule("band/nextTokens", [](CallArguments& a) {                                \
    a.Integer(kPreTokens, 1);                                                                 \
    a.Integer(kNextTokens, -2);                                                               \
  });                                                                                         \
  harness.ExpectRule("counts/actualSeqLengths" O, [](CallArguments& a) {                      \
    a.Ints(kActualSeqLengths, {3, 4});                                                        \
  });                                                                                         \
  harness.ExpectRule("counts/actualSeqLengthsKv" O, [](CallArguments& a) {                    \
    a.Ints(kActualSeqLengthsKv, {3, 3, 3});                                                   \
  });                                                                                         \
  harness.ExpectRule("shape/attentionOut", [](CallArguments& a) {                             \
    a.Tensor(kAttentionOut, {2, 3, 4, 8}, kHalf);                                             \
  });                                                                                         \
  harness.ExpectRule("needed/softmaxLse", [](CallArguments& a) { a.Null(kSoftmaxLse); });     \
  harness.ExpectRule("shape/softmaxLse", [](CallArguments& a) {                               \
    a.Tensor(kSoftmaxLse, {2, 4, 3, 8}, DType::kFloat32);                                     \
  });                                                                                         \
  harness.ExpectEveryRuleCovered({std::string(kContract.folder) + "/product",                 \
                                  std::string(kContract.folder) + "/environment"})

TEST(AttentionContract, FusedInferAttentionScore) {
  using namespace attention::fused_infer_attention_score;  // NOLINT: its positions
  ContractHarness<decltype(aclnnFusedInferAttentionScoreGetWorkspaceSize)> harness(
      kContract, &aclnnFusedInferAttentionScoreGetWorkspaceSize,
      [](CallArguments& a) { FILL_INFERENCE(a); });
  EXPECT_RULES_OF_INFERENCE("");
}

TEST(AttentionContract, FusedInferAttentionScoreV2) {
  using namespace attention::fused_infer_attention_score_v2;  // NOLINT: its positions
  ContractHarness<decltype(aclnnFusedInferAttentionScoreV2GetWorkspaceSize)> harness(
      kContract, &aclnnFusedInferAttentionScoreV2GetWorkspaceSize,
      [](CallArguments& a) { FILL_INFERENCE(a); });
  harness.ExpectRule("absent/keySharedPrefixOptional", [](CallArguments& a) {
    a.Tensor(kValueSharedPrefix, {1, 2}, kHalf);
  });
  EXPECT_RULES_OF_INFERENCE("Optional");
}

TEST(AttentionContract, FusedInferAttentionScoreV3) {
  using namespace attention::fused_infer_attention_score_v3;  // NOLINT: its positions
  ContractHarness<decltype(aclnnFusedInferAttentionScoreV3GetWorkspaceSize)> harness(
      kContract, &aclnnFusedInferAttentionScoreV3GetWorkspaceSize,
      [](CallArguments& a) { FILL_INFERENCE(a); });
  harness.ExpectRule("absent/keySharedPrefixOptional", [](CallArguments& a) {
    a.Tensor(kValueSharedPrefix, {1, 2}, kHalf);
  });
  harness.ExpectRule("absent/keyRopeOptional", [](CallArguments& a) {
    a.Tensor(kKeyRope, {1, 2}, kHalf);
  });
  EXPECT_RULES_OF_INFERENCE("Optional");
}

TEST(AttentionContract, PromptFlashAttentionV3) {
  using namespace attention::prompt_flash_attention_v3;  // NOLINT: its positions
  ContractHarness<decltype(aclnnPromptFlashAttentionV3GetWorkspaceSize)> harness(
      kContract, &aclnnPromptFlashAttentionV3GetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kQuery, {2, 4, 3, 8}, kHalf);
        for (const int of_keys : {kKey, kValue}) a.Tensor(of_keys, {2, 2, 5, 8}, kHalf);
        a.Tensor(kPseShift, {2, 4, 3, 5}, kHalf);
        a.Tensor(kAttenMask, {3, 5}, DType::kBool);
        a.Ints(kActualSeqLengths, {3, 2});
        a.Ints(kActualSeqLengthsKv, {5});
        a.Integer(kNumHeads, 4);
        a.Real(kScaleValue, 0.5);
        a.Integer(kPreTokens, 65535);
        a.Integer(kNextTokens, 65535);
        a.String(kInputLayout, layout);
        a.Integer(kNumKeyValueHeads, 2);
        a.Tensor(kAttentionOut, {2, 4, 3, 8}, kHalf);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("absent/quantisation",
                     [](CallArguments& a) { a.Tensor(kDeqScale1, {1}, DType::kFloat32); });
  harness.ExpectRule("choice/inputLayout",
                     [](CallArguments& a) { a.String(kInputLayout, sequences); });
  harness.ExpectRule("shape/query", [](CallArguments& a) { a.Integer(kNumHeads, 3); });
  harness.ExpectRule("shape/key", [](CallArguments& a) { a.Integer(kNumKeyValueHeads, 4); });
  harness.ExpectRule("shape/value", [](CallArguments& a) {
    a.Tensor(kValue, {2, 2, 4, 8}, kHalf);
  });
  harness.ExpectRule("shape/pseShift", [](CallArguments& a) {
    a.Tensor(kPseShift, {2, 3, 3, 5}, kHalf);
  });
  harness.ExpectRule("needed/attenMask", [](CallArguments& a) {
    a.Integer(kSparseMode, 1);
    a.Null(kAttenMask);
  });
  harness.ExpectRule("shape/attenMask", [](CallArguments& a) {
    a.Tensor(kAttenMask, {2, 5}, DType::kBool);
  });
  harness.ExpectRule("band/nextTokens", [](CallArguments& a) {
    a.Integer(kPreTokens, -2);
    a.Integer(kNextTokens, 1);
  });
  harness.ExpectRule("counts/actualSeqLengths",
                     [](CallArguments& a) { a.Ints(kActualSeqLengths, {-1}); });
  harness.ExpectRule("counts/actualSeqLengthsKv",
                     [](CallArguments& a) { a.Ints(kActualSeqLengthsKv, {6}); });
  harness.ExpectRule("shape/attentionOut", [](CallArguments& a) {
    a.Tensor(kAttentionOut, {2, 4, 3, 7}, kHalf);
  });
  harness.ExpectEveryRuleCovered(
      {"prompt_flash_attention_v3/product", "prompt_flash_attention_v3/environment"});
}

TEST(AttentionContract, IncreFlashAttentionV4) {
  using namespace attention::incre_flash_attention_v4;  // NOLINT: its positions
  ContractHarness<decltype(aclnnIncreFlashAttentionV4GetWorkspaceSize)> harness(
      kContract, &aclnnIncreFlashAttentionV4GetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kQuery, {2, 4, 1, 8}, kHalf);
        for (const int list : {kKey, kValue}) a.Tensors(list, {{{2, 2, 5, 8}, kHalf}});
        a.Tensor(kPseShift, {2, 4, 1, 5}, kHalf);
        a.Tensor(kAttenMask, {2, 5}, DType::kBool);
        a.Ints(kActualSeqLengthsKv, {5, 3});
        a.Integer(kNumHeads, 4);
        a.Real(kScaleValue, 0.5);
        a.String(kInputLayout, layout);
        a.Integer(kNumKeyValueHeads, 2);
        a.Tensor(kAttentionOut, {2, 4, 1, 8}, kHalf);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("absent/quantisation",
                     [](CallArguments& a) { a.Tensor(kAntiquantScale, {1}, DType::kFloat32); });
  harness.ExpectRule("absent/blocktable", [](CallArguments& a) {
    a.Tensor(kBlockTable, {2, 3}, DType::kInt32);
  });
  harness.ExpectRule("absent/kvPaddingSize",
                     [](CallArguments& a) { a.Tensor(kKvPaddingSize, {1}, DType::kInt64); });
  harness.ExpectRule("choice/inputLayout",
                     [](CallArguments& a) { a.String(kInputLayout, sequences); });
  harness.ExpectRule("shape/query", [](CallArguments& a) { a.Integer(kNumHeads, 3); });
  harness.ExpectRule("shape/key", [](CallArguments& a) { a.Integer(kNumKeyValueHeads, 4); });
  harness.ExpectRule("shape/value", [](CallArguments& a) {
    a.Tensors(kValue, {{{2, 2, 4, 8}, kHalf}});
  });
  harness.ExpectRule("one/query", [](CallArguments& a) { a.Tensor(kQuery, {2, 4, 2, 8}, kHalf); });
  harness.ExpectRule("shape/pseShift", [](CallArguments& a) {
    a.Tensor(kPseShift, {2, 3, 1, 5}, kHalf);
  });
  harness.ExpectRule("shape/attenMask", [](CallArguments& a) {
    a.Tensor(kAttenMask, {3, 5}, DType::kBool);
  });
  harness.ExpectRule("counts/actualSeqLengths",
                     [](CallArguments& a) { a.Ints(kActualSeqLengthsKv, {6}); });
  harness.ExpectRule("shape/attentionOut", [](CallArguments& a) {
    a.Tensor(kAttentionOut, {2, 4, 1, 7}, kHalf);
  });
  harness.ExpectEveryRuleCovered(
      {"incre_flash_attention_v4/product", "incre_flash_attention_v4/environment"});
}

}  // namespace
}  // namespace aclimb::testing::attention_test
