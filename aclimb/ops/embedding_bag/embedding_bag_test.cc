// What is particular to the operator; the suite has the rest.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "aclimb/ops/embedding_bag/operators.h"
#include "aclimb/simd/each_target.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_run.h"
#include "tests/support/operator_suite.h"
#include "tests/support/run_failure.h"

namespace aclimb::testing::embedding_bag_test {

ACLIMB_OPERATOR_SUITE(EmbeddingBag, embedding_bag::kOperators);

namespace {

using namespace embedding_bag;  // NOLINT: the parameters' positions
using Values = std::vector<double>;

class EmbeddingBag : public DeviceTest {
 protected:
  struct Results {
    Values output, bag_of, sizes, rows;
  };
  // The table has 4 rows of 2; bags begin at `offsets`.
  aclnnStatus Bags(const Values& table, const Values& indices, const Values& offsets, int64_t mode,
                   bool with_last, int64_t padding, Results& results) {
    const auto count = static_cast<int64_t>(indices.size());
    const auto given = static_cast<int64_t>(offsets.size()), bags = given - (with_last ? 1 : 0);
    const DeviceTensor weight({4, 2}, DType::kFloat32, table);
    const DeviceTensor index({count}, DType::kInt64, indices);
    const DeviceTensor offset({given}, DType::kInt32, offsets);
    const DeviceTensor output({bags, 2}, DType::kFloat32), bag_of({count}, DType::kInt64);
    const DeviceTensor sizes({bags}, DType::kInt64);
    const DeviceTensor rows(
        mode == kLargest ? std::vector<int64_t>{bags, 2} : std::vector<int64_t>{bags},
        DType::kInt64);
    const aclnnStatus status = RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnEmbeddingBagGetWorkspaceSize(weight, index, offset, false, mode, false,
                                                   nullptr, with_last, padding, output, bag_of,
                                                   sizes, rows, size, executor);
        },
        &aclnnEmbeddingBag, stream_);
    results = {output.Values(), bag_of.Values(), sizes.Values(), rows.Values()};
    return status;
  }
};

TEST_F(EmbeddingBag, BagsOfAnySize) {
  const Values table = {1, 2, 3, 4, 5, 0, -7, 8};
  Results results;
  ACLIMB_ASSERT_OK(Bags(table, {0, 1, 2, 3, 3}, {0, 3, 3}, kSum, false, -1, results));
  EXPECT_EQ(results.output, (Values{9, 6, 0, 0, -14, 16}));
  EXPECT_EQ(results.bag_of, (Values{0, 0, 0, 2, 2}));
  EXPECT_EQ(results.sizes, (Values{3, 0, 2}));
  EXPECT_EQ(results.rows, (Values{0, 0, 0}));
  // Without padding, and what is behind the last offset.
  ACLIMB_ASSERT_OK(Bags(table, {0, 1, 2, 3, 3}, {0, 3, 4}, kMean, true, 1, results));
  EXPECT_EQ(results.output, (Values{3, 1, -7, 8}));
  EXPECT_EQ(results.bag_of, (Values{0, 0, 0, 1, -1}));
  EXPECT_EQ(results.sizes, (Values{2, 1}));
  ACLIMB_ASSERT_OK(Bags(table, {0, 2, 3, 1}, {0, 3}, kLargest, false, 1, results));
  EXPECT_EQ(results.output, (Values{5, 8, 0, 0}));
  EXPECT_EQ(results.rows, (Values{2, 3, 0, 0}));
}

// Sums in float32 alone and those that go on in double, and the largest, of which some are NaN and
// some equal: of whole vectors and what is left of them.
TEST_F(EmbeddingBag, FewRowsAndMore) {
  constexpr int64_t kRows = 100, kWidth = 257;
  Values table, indices;
  for (int64_t i = 0; i < kRows * kWidth; ++i) {
    table.push_back(static_cast<double>(i * 7919 % 1013 - 506) / 64);
  }
  table[0] = table[kWidth] = 2e38;
  for (int64_t i = 0; i < 31 + 32 + 33; ++i) indices.push_back(static_cast<double>(i));
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    for (const int64_t mode : {kSum, kMean, kLargest}) {
      truth::Call call(kContract);
      Values own = table;
      if (mode == kLargest) {
        for (const int64_t i : {int64_t{1}, 5 * kWidth + 2, 40 * kWidth + 3}) {
          own[static_cast<size_t>(i)] = std::nan("");
        }
        for (const int64_t row : {7, 9, 33, 70, 95}) {
          own[static_cast<size_t>(row * kWidth + 4)] = 100;
        }
      }
      call.SetTensor(kWeight, {kRows, kWidth}, dtype, own);
      call.SetTensor(kIndices, {31 + 32 + 33}, DType::kInt64, indices);
      call.SetTensor(kOffsets, {3}, DType::kInt64, {0, 31, 31 + 32});
      for (const int flag : {kScaleGradByFreq, kSparse, kIncludeLastOffset}) {
        call.SetInteger(flag, 0);
      }
      call.SetInteger(kMode, mode);
      call.SetInteger(kPaddingIdx, -1);
      call.SetTensor(kOutput, {3, kWidth}, dtype);
      call.SetTensor(kOffset2Bag, {31 + 32 + 33}, DType::kInt64);
      for (const int numbers : {kBagSize, kMaxIndices}) {
        call.SetTensor(numbers, {3}, DType::kInt64);
      }
      if (mode == kLargest) call.SetTensor(kMaxIndices, {3, kWidth}, DType::kInt64);
      SCOPED_TRACE(std::string(NameOf(dtype)) + " " + std::to_string(mode));
      EachTarget([&] {
        SCOPED_TRACE(hwy::TargetName(hwy::SupportedTargets()));
        OperatorRun run(kOperators[0], call);
        ACLIMB_ASSERT_OK(run.Run(stream_));
        run.ExpectTruth();
      });
    }
  }
}

TEST_F(EmbeddingBag, WhatIsNotThereFailsTheRun) {
  const Values table = {1, 2, 3, 4, 5, 0, -7, 8};
  Results results;
  constexpr auto kLeast = static_cast<double>(std::numeric_limits<int64_t>::min());
  EXPECT_TRUE(IsRunFailure(Bags(table, {0, 4, -1}, {0}, kSum, false, -2, results),
                           "indices[1] is 4, and 1 more is wrong; expected 0 to 3"));
  EXPECT_TRUE(IsRunFailure(Bags(table, {0, kLeast, 1}, {0}, kMean, false, -1, results),
                           "indices[1] is -9223372036854775808; expected 0 to 3"));
  EXPECT_TRUE(IsRunFailure(Bags(table, {0, 1, 2}, {0, 4}, kSum, false, -2, results),
                           "offsets[1] is 4; expected 0 to 3"));
  // No padding is below 0.
  EXPECT_TRUE(IsRunFailure(Bags(table, {-1}, {0}, kSum, false, -1, results),
                           "indices[0] is -1; expected 0 to 3"));
}

TEST(EmbeddingBagContract, EveryRuleIsEnforcedAndExplained) {
  ContractHarness<decltype(aclnnEmbeddingBagGetWorkspaceSize)> harness(
      kContract, &aclnnEmbeddingBagGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kWeight, {4, 3}, DType::kFloat32);
        a.Tensor(kIndices, {5}, DType::kInt64);
        a.Tensor(kOffsets, {2}, DType::kInt64);
        a.Bool(kScaleGradByFreq, false);
        a.Integer(kMode, kSum);
        a.Bool(kSparse, false);
        a.Tensor(kPerSampleWeights, {5}, DType::kFloat32);
        a.Bool(kIncludeLastOffset, false);
        a.Integer(kPaddingIdx, -1);
        a.Tensor(kOutput, {2, 3}, DType::kFloat32);
        a.Tensor(kOffset2Bag, {5}, DType::kInt64);
        a.Tensor(kBagSize, {2}, DType::kInt64);
        a.Tensor(kMaxIndices, {2}, DType::kInt64);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("null/perSampleWeights", [](CallArguments& a) { a.Integer(kMode, kMean); });
  harness.ExpectRule("shape/offsets", [](CallArguments& a) {
    a.Tensor(kOffsets, {0}, DType::kInt64);
    a.Bool(kIncludeLastOffset, true);
  });
  harness.ExpectRule("shape/output", [](CallArguments& a) { a.Bool(kIncludeLastOffset, true); });
  harness.ExpectRule("shape/offset2bag",
                     [](CallArguments& a) { a.Tensor(kOffset2Bag, {4}, DType::kInt64); });
  harness.ExpectRule("shape/bagSize",
                     [](CallArguments& a) { a.Tensor(kBagSize, {3}, DType::kInt64); });
  harness.ExpectRule("shape/maxIndices", [](CallArguments& a) {
    a.Tensor(kMaxIndices, {2, 3}, DType::kInt64);
  });
  harness.ExpectEveryRuleCovered();
}

}  // namespace
}  // namespace aclimb::testing::embedding_bag_test
