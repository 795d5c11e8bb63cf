#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/ops/attention/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_run.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::attention_test {

ACLIMB_OPERATOR_SUITE(Attention, attention::kOperators);

namespace {

class Attention : public DeviceTest {
 protected:
  // A drawn call of the forward function without bias, mask and dropout: BNSD, two heads of keys
  // for four of queries.
  static truth::Call Plain(int64_t queries, int64_t keys) {
    using namespace attention::flash_attention_score;  // NOLINT: its positions
    truth::Draw draw(7);
    truth::Call call(kContract);
    const auto fill = [&](int place, std::vector<int64_t> shape) {
      attention::DrawFloats(draw, call, place, std::move(shape), DType::kFloat32, 0.5);
    };
    fill(kQuery, {2, 4, queries, 8});
    fill(kKey, {2, 2, keys, 8});
    fill(kValue, {2, 2, keys, 8});
    call.SetReal(kScaleValue, 0.5);
    call.SetReal(kKeepProb, 1);
    call.SetInteger(kPreTokens, 2147483647);
    call.SetInteger(kNextTokens, 2147483647);
    call.SetInteger(kHeadNum, 4);
    call.SetText(kInputLayout, "BNSD");
    call.SetInteger(kInnerPrecise, 0);
    call.SetInteger(kSparseMode, 0);
    call.SetTensor(kSoftmaxMax, {2, 4, queries, 8}, DType::kFloat32);
    call.SetTensor(kSoftmaxSum, {2, 4, queries, 8}, DType::kFloat32);
    call.SetTensor(kSoftmaxOut, {0}, DType::kFloat32);
    call.SetTensor(kAttentionOut, {2, 4, queries, 8}, DType::kFloat32);
    return call;
  }

  // Runs the forward function on one head. Bias and mask may be null.
  void Forward(aclTensor* query, aclTensor* key, aclTensor* value, aclTensor* bias, aclTensor* mask,
               aclTensor* max, aclTensor* sum, aclTensor* out) {
    const DeviceTensor unused({0}, DType::kFloat32);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnFlashAttentionScoreGetWorkspaceSize(
              query, key, value, bias, nullptr, nullptr, mask, nullptr, 1, 1, 100, 100, 1, layout_,
              0, 0, max, sum, unused, out, size, executor);
        },
        &aclnnFlashAttentionScore, stream_));
  }
  // Computes the gradients from what Forward() returned.
  void Gradient(aclTensor* query, aclTensor* key, aclTensor* value, aclTensor* dy, aclTensor* bias,
                aclTensor* max, aclTensor* sum, aclTensor* out, aclTensor* dq, aclTensor* dk,
                aclTensor* dv) {
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnFlashAttentionScoreGradGetWorkspaceSize(
              query, key, value, dy, bias, nullptr, nullptr, nullptr, max, sum, nullptr, out,
              nullptr, 1, 1, 100, 100, 1, layout_, 0, 0, dq, dk, dv, nullptr, size, executor);
        },
        &aclnnFlashAttentionScoreGrad, stream_));
  }

  void ExpectTruth(const truth::Call& call) {
    SCOPED_TRACE(TextOf(call));
    OperatorRun run(attention::kOperators[0], call);
    ACLIMB_ASSERT_OK(run.Run(stream_));
    run.ExpectTruth();
  }

  char layout_[5] = "BNSD";
};

// More queries than keys and fewer: some have no key at all, some tiles are left out.
TEST_F(Attention, ModesOfTheTriangle) {
  using namespace attention::flash_attention_score;  // NOLINT: its positions
  const std::pair<int64_t, int64_t> lengths[] = {{20, 300}, {300, 20}};
  for (const auto& [queries, keys] : lengths) {
    truth::Call call = Plain(queries, keys);
    call.SetTensor(kAttenMask, {2048, 2048}, DType::kBool, std::vector<double>(2048 * 2048, 1.0));
    call.SetInteger(kPreTokens, 15);
    call.SetInteger(kNextTokens, -3);
    for (const int64_t mode : {2, 3, 4}) {
      if (mode != 3 && queries > keys) continue;
      call.SetInteger(kSparseMode, mode);
      ExpectTruth(call);
    }
  }
}

TEST_F(Attention, BandOfManyTiles) {
  using namespace attention::flash_attention_score;  // NOLINT: its positions
  truth::Call call = Plain(300, 600);
  call.SetTensor(kAttenMask, {300, 600}, DType::kBool, std::vector<double>(300 * 600, 0.0));
  call.SetInteger(kPreTokens, 2);
  call.SetInteger(kNextTokens, 270);
  ExpectTruth(call);
  call.SetInteger(kPreTokens, -290);
  call.SetInteger(kNextTokens, 300);
  ExpectTruth(call);
}

// A NaN is in all that its query or its key has a part in, an infinite bias leaves its key out.
TEST_F(Attention, NumbersThatAreNotFinite) {
  using namespace attention::flash_attention_score;  // NOLINT: its positions
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  truth::Call call = Plain(3, 300);
  std::vector<double> bias(4 * 3 * 300, 0.0);
  for (size_t i = 0; i < bias.size(); ++i) {
    if (i % 3 != 0 || (i >= 600 && i < 900)) bias[i] = -kInfinity;
  }
  call.SetTensor(kRealShift, {1, 4, 3, 300}, DType::kFloat32, bias);
  ExpectTruth(call);

  call = Plain(2, 300);
  std::vector<double> query = call.Values(kQuery);
  query[8] = std::nan("");
  call.SetTensor(kQuery, call.Shape(kQuery), DType::kFloat32, query);
  OperatorRun run(attention::kOperators[0], call);
  ACLIMB_ASSERT_OK(run.Run(stream_));
  const std::vector<double> out = run.Tensor(kAttentionOut).Values();
  for (size_t i = 0; i < out.size(); ++i) EXPECT_EQ(std::isnan(out[i]), i / 8 == 1) << i;
}

// Of a query that is NaN and has one key: the gradients are NaN as the result is.
TEST_F(Attention, GradientsOfARowOfNaN) {
  const double nan = std::nan("");
  const auto tensor = [](const std::vector<double>& values) {
    const auto width = static_cast<int64_t>(values.size());
    return DeviceTensor({1, 1, 1, width}, DType::kFloat32, values);
  };
  const auto poisoned = [](int64_t width) {
    return DeviceTensor({1, 1, 1, width}, DType::kFloat32);
  };
  const DeviceTensor query = tensor({nan, 1}), key = tensor({1, 2}), value = tensor({3, 4});
  const DeviceTensor max = poisoned(8), sum = poisoned(8);
  const DeviceTensor out = poisoned(2);
  Forward(query, key, value, nullptr, nullptr, max, sum, out);
  EXPECT_TRUE(std::isnan(sum.Values()[0]));
  const DeviceTensor gradient = tensor({1, 1});
  const DeviceTensor dq = poisoned(2), dk = poisoned(2), dv = poisoned(2);
  Gradient(query, key, value, gradient, nullptr, max, sum, out, dq, dk, dv);
  for (const DeviceTensor* each : {&dq, &dk, &dv}) {
    for (const double element : each->Values()) EXPECT_TRUE(std::isnan(element)) << element;
  }
}

// Biases of the lowest float, as programs pad with them, shift all scores of a query alike where
// all keys have one. A mask counts beside scores of any size.
TEST_F(Attention, LargeScores) {
  const double lowest = std::numeric_limits<float>::lowest();
  const auto tensor = [](std::vector<int64_t> shape, const std::vector<double>& values) {
    return DeviceTensor(std::move(shape), DType::kFloat32, values);
  };
  const DeviceTensor query = tensor({1, 1, 1, 1}, {1}), key = tensor({1, 1, 3, 1}, {0.1, 0.1, 0.3});
  const DeviceTensor value = tensor({1, 1, 3, 1}, {1, 10, 100});
  const DeviceTensor bias = tensor({1, 1, 1, 3}, {lowest, lowest, lowest});
  const DeviceTensor mask({1, 3}, DType::kBool, {0, 1, 1});
  const DeviceTensor max({1, 1, 1, 8}, DType::kFloat32), sum({1, 1, 1, 8}, DType::kFloat32);
  const DeviceTensor out({1, 1, 1, 1}, DType::kFloat32);
  const auto forward = [&](aclTensor* keys, aclTensor* values, aclTensor* biases,
                           aclTensor* masked) {
    Forward(query, keys, values, biases, masked, max, sum, out);
    return out.Values()[0];
  };
  EXPECT_EQ(forward(key, value, bias, mask), 1);
  EXPECT_EQ(forward(key, value, bias, nullptr), 37);
  // Floats near these scores are 8 apart, 32 above and 64 below, and 128.
  const DeviceTensor huge = tensor({1, 1, 3, 1}, {1, 1e30, 1e30});
  for (const double score : {100'000'008.0, -536'870'880.0, 2e9}) {
    const DeviceTensor large = tensor({1, 1, 3, 1}, {score, 1, 1});
    EXPECT_EQ(forward(large, huge, nullptr, mask), 1) << score;
  }
  EXPECT_EQ(forward(key, value, bias, nullptr), 37);
  const DeviceTensor gradient = tensor({1, 1, 1, 1}, {1});
  const DeviceTensor dq({1, 1, 1, 1}, DType::kFloat32), dk({1, 1, 3, 1}, DType::kFloat32),
      dv({1, 1, 3, 1}, DType::kFloat32);
  Gradient(query, key, value, gradient, bias, max, sum, out, dq, dk, dv);
  EXPECT_NEAR(dq.Values()[0], 4.2, 1e-5);
  const double keys[] = {-12, -9, 21};
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(dk.Values()[k], keys[k], 1e-5);
    EXPECT_NEAR(dv.Values()[k], 1.0 / 3, 1e-6);
  }
}

// Keys and values that a bias, a mask or a band leaves out have no part, whatever they are: whether
// others of their tile stay, for any query or for this one alone.
TEST_F(Attention, WhatIsLeftOutMayBeAnyNumber) {
  using namespace attention::flash_attention_score;  // NOLINT: its positions
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr int64_t kQueries = 70, kKeys = 600;
  const auto spoil = [](truth::Call& call, int place, const auto& is_out, double number) {
    std::vector<double> values = call.Values(place);
    for (size_t i = 0; i < values.size(); ++i) {
      if (is_out(static_cast<int64_t>(i / 8) % kKeys)) values[i] = number;
    }
    call.SetTensor(place, call.Shape(place), DType::kFloat32, values);
  };
  // Some of a tile, and a whole one.
  const auto is_out = [](int64_t k) { return k % 7 == 3 || (k >= 256 && k < 512); };
  std::vector<double> mask, bias;
  for (int64_t i = 0; i < kQueries * kKeys; ++i) {
    // The second query has no key.
    mask.push_back(is_out(i % kKeys) || i / kKeys == 1 ? 1 : 0);
    bias.push_back(mask.back() != 0 ? -kInfinity : 0.25);
  }
  for (const bool by_mask : {true, false}) {
    for (const int place : {kKey, kValue}) {
      for (const double number : {std::nan(""), kInfinity}) {
        truth::Call call = Plain(kQueries, kKeys);
        if (by_mask) {
          call.SetTensor(kAttenMask, {kQueries, kKeys}, DType::kBool, mask);
        } else {
          std::vector<double> of_heads;
          for (int h = 0; h < 4; ++h) of_heads.insert(of_heads.end(), bias.begin(), bias.end());
          call.SetTensor(kRealShift, {1, 4, kQueries, kKeys}, DType::kFloat32, of_heads);
        }
        spoil(call, place, is_out, number);
        ExpectTruth(call);
      }
    }
  }
  // Later keys are out by the band: a query meets the number that its own key has, and no other.
  truth::Call call = Plain(kQueries, kKeys);
  call.SetTensor(kAttenMask, {kQueries, kKeys}, DType::kBool,
                 std::vector<double>(static_cast<size_t>(kQueries * kKeys), 0.0));
  call.SetInteger(kNextTokens, 0);
  spoil(
      call, kValue, [](int64_t k) { return k >= 40; }, std::nan(""));
  OperatorRun run(attention::kOperators[0], call);
  ACLIMB_ASSERT_OK(run.Run(stream_));
  run.ExpectTruth();
  const std::vector<double> out = run.Tensor(kAttentionOut).Values();
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(std::isnan(out[i]), static_cast<int64_t>(i / 8) % kQueries >= 40) << i;
  }
}

TEST(AttentionContract, FlashAttentionScore) {
  using namespace attention::flash_attention_score;  // NOLINT: its positions
  static char layout[] = "BNSD";
  static char triangle[] = "TND";
  static char rows[] = "BSH";
  constexpr DType kFloat = DType::kFloat32;
  ContractHarness<decltype(aclnnFlashAttentionScoreGetWorkspaceSize)> harness(
      kContract, &aclnnFlashAttentionScoreGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kQuery, {2, 4, 3, 8}, kFloat);
        a.Tensor(kKey, {2, 2, 5, 8}, kFloat);
        a.Tensor(kValue, {2, 2, 5, 8}, kFloat);
        a.Tensor(kRealShift, {2, 4, 3, 5}, kFloat);
        a.Tensor(kDropMask, {15}, DType::kUInt8);
        a.Tensor(kPaddingMask, {0}, kFloat);
        a.Tensor(kAttenMask, {3, 5}, DType::kBool);
        a.Ints(kPrefix, {});
        a.Real(kScaleValue, 0.5);
        a.Real(kKeepProb, 0.5);
        a.Integer(kPreTokens, 2147483647);
        a.Integer(kNextTokens, 2147483647);
        a.Integer(kHeadNum, 4);
        a.String(kInputLayout, layout);
        a.Integer(kInnerPrecise, 0);
        a.Integer(kSparseMode, 0);
        a.Tensor(kSoftmaxMax, {2, 4, 3, 8}, kFloat);
        a.Tensor(kSoftmaxSum, {2, 4, 3, 8}, kFloat);
        a.Tensor(kSoftmaxOut, {0}, kFloat);
        a.Tensor(kAttentionOut, {2, 4, 3, 8}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("choice/inputLayout",
                     [](CallArguments& a) { a.String(kInputLayout, triangle); });
  harness.ExpectRule("absent/paddingMaskOptional",
                     [](CallArguments& a) { a.Tensor(kPaddingMask, {2}, kFloat); });
  harness.ExpectRule("shape/query", [](CallArguments& a) { a.Integer(kHeadNum, 3); });
  harness.ExpectRule("shape/query", [](CallArguments& a) { a.Tensor(kQuery, {2, 3, 32}, kFloat); });
  harness.ExpectRule("shape/key", [](CallArguments& a) { a.Tensor(kKey, {2, 3, 5, 8}, kFloat); });
  harness.ExpectRule("shape/key", [](CallArguments& a) { a.Tensor(kKey, {2, 2, 5, 7}, kFloat); });
  harness.ExpectRule("shape/value", [](CallArguments& a) {
    a.Tensor(kValue, {2, 2, 6, 8}, kFloat);
  });
  harness.ExpectRule("shape/value", [](CallArguments& a) {
    a.Tensor(kValue, {2, 2, 5, 0}, kFloat);
  });
  harness.ExpectRule("shape/realShiftOptional", [](CallArguments& a) {
    a.Tensor(kRealShift, {2, 1, 3, 5}, kFloat);
  });
  harness.ExpectRule("needed/attenMaskOptional", [](CallArguments& a) {
    a.Integer(kSparseMode, 3);
    a.Null(kAttenMask);
  });
  harness.ExpectRule("shape/attenMaskOptional", [](CallArguments& a) {
    a.Tensor(kAttenMask, {5, 3}, DType::kBool);
  });
  harness.ExpectRule("shape/attenMaskOptional",
                     [](CallArguments& a) { a.Integer(kSparseMode, 2); });
  harness.ExpectRule("band/nextTokens", [](CallArguments& a) {
    a.Integer(kPreTokens, 1);
    a.Integer(kNextTokens, -2);
  });
  harness.ExpectRule("needed/dropMaskOptional", [](CallArguments& a) { a.Null(kDropMask); });
  harness.ExpectRule("shape/dropMaskOptional",
                     [](CallArguments& a) { a.Tensor(kDropMask, {14}, DType::kUInt8); });
  harness.ExpectRule("shape/softmaxMaxOut", [](CallArguments& a) {
    a.Tensor(kSoftmaxMax, {2, 4, 3, 1}, kFloat);
  });
  harness.ExpectRule("shape/softmaxSumOut", [](CallArguments& a) {
    a.Tensor(kSoftmaxSum, {2, 3, 4, 8}, kFloat);
  });
  harness.ExpectRule("shape/attentionOutOut", [](CallArguments& a) {
    a.Tensor(kAttentionOut, {2, 3, 4, 8}, kFloat);
  });
  // The heads of a row of results are more than an extent can tell.
  harness.ExpectRule("shape/attentionOutOut", [](CallArguments& a) {
    a.String(kInputLayout, rows);
    a.Integer(kHeadNum, 16);
    a.Real(kKeepProb, 1);
    for (const int optional : {kRealShift, kDropMask, kAttenMask}) a.Null(optional);
    for (const int result : {kQuery, kAttentionOut}) a.Tensor(result, {1, 4, 16}, kFloat);
    a.Tensor(kKey, {1, 0, 1}, kFloat);
    a.Tensor(kValue, {1, 0, (int64_t{1} << 60) + 1}, kFloat);
    for (const int statistics : {kSoftmaxMax, kSoftmaxSum}) {
      a.Tensor(statistics, {1, 16, 4, 8}, kFloat);
    }
  });
  harness.ExpectEveryRuleCovered(
      {"flash_attention_score/product", "flash_attention_score/environment"});
}

TEST(AttentionContract, FlashAttentionScoreGrad) {
  using namespace attention::flash_attention_score_grad;  // NOLINT: its positions
  static char layout[] = "BSND";
  static char sequences[] = "TND";
  constexpr DType kFloat = DType::kFloat32;
  ContractHarness<decltype(aclnnFlashAttentionScoreGradGetWorkspaceSize)> harness(
      kContract, &aclnnFlashAttentionScoreGradGetWorkspaceSize, [](CallArguments& a) {
        for (const int of_queries : {kQuery, kDy, kAttentionIn, kDq}) {
          a.Tensor(of_queries, {2, 3, 4, 8}, kFloat);
        }
        for (const int of_keys : {kKey, kValue, kDk, kDv}) a.Tensor(of_keys, {2, 5, 2, 8}, kFloat);
        a.Tensor(kPseShift, {1, 4, 3, 5}, kFloat);
        a.Tensor(kDropMask, {15}, DType::kUInt8);
        a.Tensor(kPaddingMask, {0}, kFloat);
        a.Tensor(kAttenMask, {2, 1, 3, 5}, DType::kUInt8);
        a.Tensor(kSoftmaxMax, {2, 4, 3, 8}, kFloat);
        a.Tensor(kSoftmaxSum, {2, 4, 3, 8}, kFloat);
        a.Tensor(kSoftmaxIn, {0}, kFloat);
        a.Ints(kPrefix, {});
        a.Real(kScaleValue, 0.5);
        a.Real(kKeepProb, 0.5);
        a.Integer(kPreTokens, 2147483647);
        a.Integer(kNextTokens, 2147483647);
        a.Integer(kHeadNum, 4);
        a.String(kInputLayout, layout);
        a.Integer(kInnerPrecise, 0);
        a.Integer(kSparseMode, 0);
        a.Tensor(kDpse, {1, 4, 3, 5}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) { a.Tensor(kDpse, {0}, kFloat); });
  harness.ExpectGenericRules();
  harness.ExpectRule("choice/inputLayout",
                     [](CallArguments& a) { a.String(kInputLayout, sequences); });
  harness.ExpectRule("absent/paddingMaskOptional",
                     [](CallArguments& a) { a.Tensor(kPaddingMask, {2}, kFloat); });
  harness.ExpectRule("shape/query", [](CallArguments& a) { a.Integer(kHeadNum, 3); });
  harness.ExpectRule("shape/keyIn", [](CallArguments& a) { a.Tensor(kKey, {3, 5, 2, 8}, kFloat); });
  harness.ExpectRule("shape/value", [](CallArguments& a) {
    a.Tensor(kValue, {2, 5, 1, 8}, kFloat);
  });
  harness.ExpectRule("shape/pseShiftOptional", [](CallArguments& a) {
    a.Tensor(kPseShift, {1, 4, 1, 5}, kFloat);
  });
  harness.ExpectRule("needed/attenMaskOptional", [](CallArguments& a) {
    a.Integer(kSparseMode, 1);
    a.Null(kAttenMask);
  });
  harness.ExpectRule("shape/attenMaskOptional", [](CallArguments& a) {
    a.Tensor(kAttenMask, {2, 2, 3, 5}, DType::kBool);
  });
  harness.ExpectRule("band/nextTokens", [](CallArguments& a) {
    a.Integer(kPreTokens, -4);
    a.Integer(kNextTokens, 3);
  });
  harness.ExpectRule("needed/dropMaskOptional", [](CallArguments& a) { a.Null(kDropMask); });
  harness.ExpectRule("shape/dropMaskOptional", [](CallArguments& a) {
    a.Tensor(kDropMask, {2, 7}, DType::kUInt8);
  });
  harness.ExpectRule("shape/dy", [](CallArguments& a) { a.Tensor(kDy, {2, 3, 4, 9}, kFloat); });
  harness.ExpectRule("shape/attentionInOptional", [](CallArguments& a) {
    a.Tensor(kAttentionIn, {2, 3, 4, 7}, kFloat);
  });
  harness.ExpectRule("shape/softmaxMaxOptional", [](CallArguments& a) {
    a.Tensor(kSoftmaxMax, {2, 4, 3, 1}, kFloat);
  });
  harness.ExpectRule("shape/softmaxSumOptional", [](CallArguments& a) {
    a.Tensor(kSoftmaxSum, {2, 3, 4, 8}, kFloat);
  });
  harness.ExpectRule("shape/dpseOut", [](CallArguments& a) {
    a.Tensor(kDpse, {2, 4, 3, 5}, kFloat);
  });
  harness.ExpectRule("shape/dpseOut", [](CallArguments& a) { a.Null(kPseShift); });
  harness.ExpectEveryRuleCovered(
      {"flash_attention_score_grad/product", "flash_attention_score_grad/environment"});
}

}  // namespace
}  // namespace aclimb::testing::attention_test
