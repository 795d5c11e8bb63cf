// What is particular to the operator; the suite has the rest.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "aclimb/ops/cross_entropy_loss/operators.h"
#include "aclimb/simd/cache.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"
#include "tests/support/run_failure.h"
#include "tests/support/setting.h"

namespace aclimb::cross_entropy_loss {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::IsRunFailure;
using aclimb::testing::Near;
using aclimb::testing::Random;
using aclimb::testing::RunBothPhases;
using aclimb::testing::Setting;

constexpr double kInf = std::numeric_limits<double>::infinity();

class CrossEntropyLoss : public aclimb::testing::DeviceTest {
 protected:
  int Run(const aclTensor* input, const aclTensor* target, const char* reduction, aclTensor* loss,
          aclTensor* log_prob) {
    return RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnCrossEntropyLossGetWorkspaceSize(input, target, nullptr, reduction, -100, 0,
                                                       0, false, loss, log_prob, nullptr, nullptr,
                                                       size, executor);
        },
        &aclnnCrossEntropyLoss, stream_);
  }
};

// Labels next to the classes, and so far away that an address would overflow.
TEST_F(CrossEntropyLoss, LabelsThatAreNoClassFailTheRunAndAreIgnored) {
  constexpr auto kLeast = static_cast<double>(std::numeric_limits<int64_t>::min());
  const DeviceTensor input({5, 2}, DType::kFloat32, {0, 0, 5, 0, 0, 5, 1, 2, 3, 4});
  const DeviceTensor target({5}, DType::kInt64, {1, 2, -1, kLeast, 1e15});
  const DeviceTensor loss({}, DType::kFloat32), log_prob({5, 2}, DType::kFloat32);
  const char* const text = "target[1] is 2, and 3 more are wrong; expected 0 to 1";
  EXPECT_TRUE(IsRunFailure(Run(input, target, "mean", loss, log_prob), text));
  EXPECT_TRUE(Near(loss.Values(), {std::log(2.0)}, {1e-6, 0}));
  const DeviceTensor each({5}, DType::kFloat32);
  EXPECT_TRUE(IsRunFailure(Run(input, target, "none", each, log_prob), text));
  EXPECT_TRUE(Near(each.Values(), {std::log(2.0), 0, 0, 0, 0}, {1e-6, 0}));
}

// Far from 0, with -inf among them, in rows of several chunks whose largest elements differ.
TEST_F(CrossEntropyLoss, LargeLogitsAndLongRows) {
  for (const int64_t columns : {3, 5000}) {
    std::vector<double> logits(static_cast<size_t>(2 * columns), -kInf);
    for (int64_t row = 0; row < 2; ++row) {
      logits[static_cast<size_t>(row * columns)] = 10000;
      logits[static_cast<size_t>((row + 1) * columns - 1)] = 10001;
    }
    const DeviceTensor input({2, columns}, DType::kFloat32, logits);
    const DeviceTensor target({2}, DType::kInt64, {0, static_cast<double>(columns - 1)});
    const DeviceTensor loss({2}, DType::kFloat32), log_prob({2, columns}, DType::kFloat32);
    ACLIMB_EXPECT_OK(Run(input, target, "none", loss, log_prob));
    const double log_sum = std::log(1 + std::exp(-1.0));
    EXPECT_TRUE(Near(loss.Values(), {1 + log_sum, log_sum}, {1e-6, 0}));
    EXPECT_EQ(log_prob.Values()[1], -kInf);
  }
}

// Equal terms: a sum in float32 would round all of them the same way.
TEST_F(CrossEntropyLoss, LongSumsOfEqualTerms) {
  constexpr int64_t kMany = 1000000;
  std::vector<double> logits(kMany, -0.1);
  logits[7] = 0;
  const DeviceTensor wide({1, kMany}, DType::kFloat32, logits), first({1}, DType::kInt64, {7});
  const DeviceTensor log_prob({1, kMany}, DType::kFloat32), loss({}, DType::kFloat32);
  ACLIMB_EXPECT_OK(Run(wide, first, "sum", loss, log_prob));
  const double terms = 1 + (kMany - 1) * std::exp(static_cast<double>(-0.1f));
  EXPECT_TRUE(Near(loss.Values(), {std::log(terms)}, {1e-6, 0}));

  const DeviceTensor tall({kMany / 2, 2}, DType::kFloat32, std::vector<double>(kMany, 0.5));
  const DeviceTensor tall_log_prob({kMany / 2, 2}, DType::kFloat32);
  const DeviceTensor all({kMany / 2}, DType::kInt64, std::vector<double>(kMany / 2, 0));
  ACLIMB_EXPECT_OK(Run(tall, all, "sum", loss, tall_log_prob));
  EXPECT_TRUE(Near(loss.Values(), {kMany / 2 * std::log(2.0)}, {1e-6, 0}));
}

// From any place in a cache line. All rows have the same logits.
TEST_F(CrossEntropyLoss, LogProbabilitiesBeyondTheCacheAreStreamedWhole) {
  constexpr int64_t kColumns = 1027;
  const int64_t rows = CacheShareBytes() / (kColumns * int64_t{sizeof(float)}) + 2;
  const DeviceTensor one({1, kColumns}, DType::kFloat32, Random(1).Reals(kColumns, -4, 4));
  const DeviceTensor target({rows}, DType::kInt32, std::vector<double>(size_t(rows), 7));
  const DeviceTensor first({1}, DType::kInt32, {7}), loss({}, DType::kFloat32);
  const DeviceTensor row({1, kColumns}, DType::kFloat32);
  ACLIMB_ASSERT_OK(Run(one, first, "mean", loss, row));
  const int64_t shape[] = {rows, kColumns}, stride[] = {0, 1};
  aclTensor* const all = aclCreateTensor(shape, 2, ACL_FLOAT, stride, 0, ACL_FORMAT_ND,
                                         one.shape().data(), 2, one.data());
  const DeviceTensor log_prob({rows, kColumns}, DType::kFloat32);
  ACLIMB_ASSERT_OK(Run(all, target, "mean", loss, log_prob));
  EXPECT_EQ(aclDestroyTensor(all), 0);
  const std::vector<unsigned char> expected = row.Bytes();
  std::vector<unsigned char> got(expected.size() * size_t(rows));
  ACLIMB_ASSERT_OK(
      aclrtMemcpy(got.data(), got.size(), log_prob.data(), got.size(), ACL_MEMCPY_DEVICE_TO_HOST));
  for (size_t at = 0; at < got.size(); at += expected.size()) {
    ASSERT_EQ(std::memcmp(&got[at], expected.data(), expected.size()), 0) << at;
  }
}

// A row of several chunks. Its labels are one class, which lies in its chunk where the vector is
// that the last chunk ends in.
TEST_F(CrossEntropyLoss, AgainstProbabilities) {
  constexpr int64_t kColumns = 5003, kClass = 2048 + 908;
  std::vector<double> logits(kColumns, 0), labels(kColumns, 0), gradient(kColumns);
  logits[kClass] = 3;
  labels[kClass] = 1;
  const double sum = std::exp(3.0) + kColumns - 1;
  for (size_t c = 0; c < kColumns; ++c) gradient[c] = std::exp(logits[c]) / sum - labels[c];
  const DeviceTensor features({1, kColumns}, DType::kFloat32, logits);
  const DeviceTensor wanted({1, kColumns}, DType::kFloat32, labels);
  const DeviceTensor loss({1}, DType::kFloat32), backprop({1, kColumns}, DType::kFloat32);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnSoftmaxCrossEntropyWithLogitsGetWorkspaceSize(features, wanted, loss, backprop,
                                                                  size, executor);
      },
      &aclnnSoftmaxCrossEntropyWithLogits, stream_));
  EXPECT_TRUE(Near(loss.Values(), {std::log(sum) - 3}, {1e-6, 0}));
  EXPECT_TRUE(Near(backprop.Values(), gradient, {5e-6, 1e-9}));
}

TEST_F(CrossEntropyLoss, RefusalsNameWhatIsWrong) {
  const DeviceTensor input({2, 3}, DType::kFloat32), target({2}, DType::kInt64);
  const DeviceTensor loss({2}, DType::kFloat32), log_prob({2, 3}, DType::kFloat32);
  EXPECT_EQ(Run(input, target, "mean", loss, log_prob), 561002);
  EXPECT_STREQ(aclGetRecentErrMsg(),
               "aclnnCrossEntropyLossGetWorkspaceSize: lossOut.shape is [2] (FLOAT) but "
               "reductionOptional is \"mean\"; expected a single element, of shape [] or [1].\n"
               "  fix: allocate lossOut with this shape\n"
               "  rule: cross_entropy_loss/shape/lossOut   code: 561002 "
               "ACLNN_ERR_INNER_TILING_ERROR");
  uint64_t size;
  aclOpExecutor* executor;
  EXPECT_EQ(
      aclnnCrossEntropyLossGetWorkspaceSize(input, target, nullptr, "none", -100, 0, 0, true, loss,
                                            log_prob, nullptr, nullptr, &size, &executor),
      161002);
  EXPECT_STREQ(aclGetRecentErrMsg(),
               "aclnnCrossEntropyLossGetWorkspaceSize: returnZloss is true; expected false, the "
               "only value that the operator's document supports so far (ACLIMB_EXTENSIONS=1 "
               "accepts true).\n"
               "  fix: pass 0, false for a flag, null for a tensor, or set ACLIMB_EXTENSIONS=1\n"
               "  rule: cross_entropy_loss/reserved/returnZloss   code: 161002 "
               "ACLNN_ERR_PARAM_INVALID");
}

void FillValidCall(CallArguments& a) {
  a.Tensor(kInput, {2, 3}, DType::kFloat32);
  a.Tensor(kTarget, {2}, DType::kInt64);
  a.Tensor(kWeight, {3}, DType::kFloat32);
  a.String(kReduction, "mean");
  a.Integer(kIgnoreIndex, -100);
  a.Real(kLabelSmoothing, 0);
  a.Real(kLseSquareScale, 0);
  a.Bool(kReturnZloss, false);
  a.Tensor(kLossOut, {1}, DType::kFloat32);
  a.Tensor(kLogProbOut, {2, 3}, DType::kFloat32);
  a.Tensor(kZlossOut, {}, DType::kFloat32);
  a.Tensor(kLseForZlossOut, {2}, DType::kFloat32);
}

TEST(CrossEntropyLossContract, EveryRule) {
  ContractHarness<decltype(aclnnCrossEntropyLossGetWorkspaceSize)> harness(
      kContract, &aclnnCrossEntropyLossGetWorkspaceSize, &FillValidCall);
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Null(kWeight);
    a.Null(kReduction);
    a.Null(kZlossOut);
    a.Null(kLseForZlossOut);
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("same-dtype/zlossOut",
                     [](CallArguments& a) { a.Tensor(kZlossOut, {}, DType::kFloat16); });
  harness.ExpectRule("same-dtype/lseForZlossOut",
                     [](CallArguments& a) { a.Tensor(kLseForZlossOut, {2}, DType::kFloat16); });
  harness.ExpectRule("shape/columns", [](CallArguments& a) {
    a.Tensor(kInput, {2, 0}, DType::kFloat32);
    a.Tensor(kWeight, {0}, DType::kFloat32);
    a.Tensor(kLogProbOut, {2, 0}, DType::kFloat32);
  });
  harness.ExpectRule(
      "shape/zlossOut",
      [](CallArguments& a) {
        a.String(kReduction, "none");
        a.Tensor(kLossOut, {2}, DType::kFloat32);
      },
      std::set<std::string>{"zlossOut", "reductionOptional", "target"});
  const Setting extensions("ACLIMB_EXTENSIONS", "1");
  harness.ExpectAccepted([](CallArguments& a) { a.Bool(kReturnZloss, true); });
  harness.ExpectRule(
      "zloss/given",
      [](CallArguments& a) {
        a.Bool(kReturnZloss, true);
        a.Null(kLseForZlossOut);
      },
      std::set<std::string>{"returnZloss", "lseForZlossOut"});
  harness.ExpectEveryRuleCovered({"cross_entropy_loss/environment", "cross_entropy_loss/product"});
}

}  // namespace
}  // namespace aclimb::cross_entropy_loss

namespace aclimb::testing::cross_entropy_loss_test {

ACLIMB_OPERATOR_SUITE(CrossEntropyLoss, cross_entropy_loss::kOperators);

}  // namespace aclimb::testing::cross_entropy_loss_test
