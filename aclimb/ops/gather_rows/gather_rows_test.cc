#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "aclimb/ops/gather_rows/operators.h"
#include "aclimb/ops/gather_rows/truth.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"
#include "tests/support/run_failure.h"
#include "tests/support/setting.h"

namespace aclimb::gather_rows {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::IsRunFailure;
using aclimb::testing::RunBothPhases;

class GatherRows : public aclimb::testing::DeviceTest {
 protected:
  // By each of the three operators: rows of [3, 2] by six indices. The run fails and says `text`.
  template <typename Phase1>
  std::vector<double> Rows(Phase1 phase1,
                           aclnnStatus (*phase2)(void*, uint64_t, aclOpExecutor*, aclrtStream),
                           const char* text) {
    constexpr auto kLeast = static_cast<double>(std::numeric_limits<int64_t>::min());
    const DeviceTensor table({3, 2}, DType::kFloat32, {1, 2, 3, 4, 5, 6});
    const DeviceTensor index({6}, DType::kInt64, {2, 3, -1, kLeast, 1e15, -4});
    const DeviceTensor out({6, 2}, DType::kFloat32);
    EXPECT_TRUE(IsRunFailure(RunBothPhases(
                                 [&](uint64_t* size, aclOpExecutor** executor) {
                                   return phase1(table, index, out, size, executor);
                                 },
                                 phase2, stream_),
                             text));
    EXPECT_TRUE(out.SurroundingsIntact());
    return out.Values();
  }
};

// Next to the ends, and so far away that an address would overflow.
TEST_F(GatherRows, SlicesThatAreNotThereAreZeros) {
  const std::vector<double> from_begin = {5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<double> from_both_ends = {5, 6, 0, 0, 5, 6, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(Rows(&aclnnEmbeddingGetWorkspaceSize, &aclnnEmbedding,
                 "failed with 507015 ACL_ERROR_RT_AICORE_EXCEPTION: "
                 "indices[1] is 3, and 4 more are wrong; expected 0 to 2 (dimension 0 of weight "
                 "has 3 elements)."),
            from_begin);
  EXPECT_EQ(Rows(
                [](const aclTensor* self, const aclTensor* index, aclTensor* out, uint64_t* size,
                   aclOpExecutor** executor) {
                  return aclnnIndexSelectGetWorkspaceSize(self, 0, index, out, size, executor);
                },
                &aclnnIndexSelect, "index[1] is 3, and 4 more are wrong; expected 0 to 2"),
            from_begin);
  EXPECT_EQ(Rows(
                [](const aclTensor* self, const aclTensor* index, aclTensor* out, uint64_t* size,
                   aclOpExecutor** executor) {
                  return aclnnGatherV2GetWorkspaceSize(self, -2, index, out, size, executor);
                },
                &aclnnGatherV2, "index[1] is 3, and 3 more are wrong; expected -3 to 2"),
            from_both_ends);
}

TEST_F(GatherRows, SlicesThatAreNotThereAreNotReplaced) {
  constexpr auto kLeast = static_cast<double>(std::numeric_limits<int64_t>::min());
  const DeviceTensor self({3, 2}, DType::kFloat16, {1, 2, 3, 4, 5, 6});
  const DeviceTensor index({5}, DType::kInt64, {2, 3, -1, kLeast, 1e15});
  const DeviceTensor source({5, 2}, DType::kFloat16, {7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  EXPECT_TRUE(IsRunFailure(RunBothPhases(
                               [&](uint64_t* size, aclOpExecutor** executor) {
                                 return aclnnInplaceIndexCopyGetWorkspaceSize(
                                     self, 0, index, source, size, executor);
                               },
                               &aclnnInplaceIndexCopy, stream_),
                           "index[1] is 3, and 3 more are wrong; expected 0 to 2"));
  EXPECT_TRUE(self.SurroundingsIntact());
  EXPECT_EQ(self.Values(), (std::vector<double>{1, 2, 3, 4, 7, 8}));
  const DeviceTensor none({0, 2}, DType::kFloat16);
  EXPECT_TRUE(IsRunFailure(RunBothPhases(
                               [&](uint64_t* size, aclOpExecutor** executor) {
                                 return aclnnInplaceIndexCopyGetWorkspaceSize(
                                     none, 0, index, source, size, executor);
                               },
                               &aclnnInplaceIndexCopy, stream_),
                           "index[0] is 2, and 4 more are wrong; expected none"));
}

// Enough to be shared out among threads.
TEST_F(GatherRows, OfEqualIndicesTheLastCounts) {
  constexpr int64_t kSlices = 3000, kLength = 50;
  std::vector<double> wanted, values;
  for (int64_t k = 0; k < kSlices; ++k) {
    wanted.push_back(static_cast<double>(k % 7));
    values.insert(values.end(), kLength, static_cast<double>(k));
  }
  const DeviceTensor self({7, kLength}, DType::kInt32);
  const DeviceTensor index({kSlices}, DType::kInt32, wanted);
  const DeviceTensor source({kSlices, kLength}, DType::kInt32, values);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnInplaceIndexCopyGetWorkspaceSize(self, -2, index, source, size, executor);
      },
      &aclnnInplaceIndexCopy, stream_));
  std::vector<double> expected(7 * kLength);
  for (int64_t k = kSlices - 7; k < kSlices; ++k) {
    std::fill_n(expected.begin() + k % 7 * kLength, kLength, static_cast<double>(k));
  }
  EXPECT_EQ(self.Values(), expected);
}

// Slices whose elements lie apart and whose neighbours lie side by side, in several blocks of which
// the last one is narrower.
TEST_F(GatherRows, SlicesOfTransposedViews) {
  constexpr int64_t kOuter = 3, kExtent = 40, kLength = 1100, kIndices = 21;
  std::vector<double> values, wanted;
  for (int64_t i = 0; i < kOuter * kExtent * kLength; ++i) {
    values.push_back(static_cast<double>(i * i % 127));
  }
  for (int64_t i = 0; i < kIndices; ++i) wanted.push_back(static_cast<double>(i * 17 % kExtent));
  const std::vector<double> matrix(values.begin(), values.begin() + kExtent * kLength);
  std::vector<double> from_end = wanted;
  for (double& k : from_end) k -= static_cast<double>(kExtent);
  const auto truth = [](const std::vector<double>& self, int64_t outer,
                        const std::vector<double>& index) {
    return Truth(self, outer, kExtent, kLength, {index.begin(), index.end()}, true);
  };
  for (const DType dtype :
       {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt64,
        DType::kInt32, DType::kInt16, DType::kInt8, DType::kUInt8}) {
    for (const char* threads : {"1", "2"}) {
      SCOPED_TRACE(::testing::Message() << NameOf(dtype) << ' ' << threads);
      const aclimb::testing::Setting team("ACLIMB_THREADS", threads);
      const DeviceTensor table({kExtent, kLength}, dtype, matrix, {.stride = {1, kExtent}});
      const DeviceTensor index({7, 3}, DType::kInt32, wanted);
      const DeviceTensor out({7, 3, kLength}, dtype, {},
                             {.stride = {3 * (kLength + 5), kLength + 5, 1}, .offset = 1});
      ACLIMB_EXPECT_OK(RunBothPhases(
          [&](uint64_t* size, aclOpExecutor** executor) {
            return aclnnEmbeddingGetWorkspaceSize(table, index, out, size, executor);
          },
          &aclnnEmbedding, stream_));
      EXPECT_EQ(out.Values(), truth(matrix, 1, wanted));
      EXPECT_TRUE(out.SurroundingsIntact());

      const DeviceTensor self({kOuter, kExtent, kLength}, dtype, values,
                              {.stride = {kExtent * kLength + 3, 1, kExtent}});
      const DeviceTensor backwards({kIndices}, DType::kInt64, from_end);
      const DeviceTensor slices({kOuter, kIndices, kLength}, dtype);
      ACLIMB_EXPECT_OK(RunBothPhases(
          [&](uint64_t* size, aclOpExecutor** executor) {
            return aclnnGatherV2GetWorkspaceSize(self, 1, backwards, slices, size, executor);
          },
          &aclnnGatherV2, stream_));
      EXPECT_EQ(slices.Values(), truth(values, kOuter, from_end));

      std::vector<double> some = wanted;
      some[5] = kExtent;
      some[6] = -1;
      const DeviceTensor outside({kIndices}, DType::kInt64, some);
      EXPECT_TRUE(IsRunFailure(RunBothPhases(
                                   [&](uint64_t* size, aclOpExecutor** executor) {
                                     return aclnnIndexSelectGetWorkspaceSize(
                                         self, 1, outside, slices, size, executor);
                                   },
                                   &aclnnIndexSelect, stream_),
                               "index[5] is 40, and 1 more is wrong; expected 0 to 39"));
      EXPECT_EQ(slices.Values(),
                Truth(values, kOuter, kExtent, kLength, {some.begin(), some.end()}, false));
    }
  }
}

// Few indices of many slices: each element is read on its own, and no workspace is needed.
TEST_F(GatherRows, FewSlicesOfTransposedViewsAreNotTransposed) {
  for (const auto& [count, blocks] : {std::pair<int64_t, bool>{24, false}, {25, true}}) {
    const DeviceTensor table({100, 64}, DType::kFloat32, {}, {.stride = {1, 100}});
    const DeviceTensor index({count}, DType::kInt64), out({count, 64}, DType::kFloat32);
    uint64_t size;
    aclOpExecutor* executor;
    EXPECT_EQ(aclnnEmbeddingGetWorkspaceSize(table, index, out, &size, &executor), 0);
    EXPECT_EQ(size > 0, blocks);
  }
}

// One block of all slices and many indices: each thread fills the block and takes a part of them.
TEST_F(GatherRows, ManyShortSlicesOfATransposedViewAreSharedOut) {
  constexpr int64_t kExtent = 96, kLength = 50, kIndices = 12007;
  std::vector<double> values, wanted;
  for (int64_t i = 0; i < kExtent * kLength; ++i) values.push_back(static_cast<double>(i));
  for (int64_t i = 0; i < kIndices; ++i) wanted.push_back(static_cast<double>(i * i % kExtent));
  const std::vector<double> truth =
      Truth(values, 1, kExtent, kLength, {wanted.begin(), wanted.end()}, false);
  const DeviceTensor table({kExtent, kLength}, DType::kFloat32, values, {.stride = {1, kExtent}});
  const DeviceTensor index({kIndices}, DType::kInt64, wanted);
  constexpr uint64_t kBlock = kExtent * kLength * sizeof(float), kLine = 64;
  for (const auto& [threads, blocks] :
       {std::pair<const char*, uint64_t>{"1", 1}, {"3", 3}, {"16", 16}}) {
    SCOPED_TRACE(threads);
    const aclimb::testing::Setting team("ACLIMB_THREADS", threads);
    const DeviceTensor out({kIndices, kLength}, DType::kFloat32);
    uint64_t bytes = 0;
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          const aclnnStatus status =
              aclnnEmbeddingGetWorkspaceSize(table, index, out, size, executor);
          bytes = *size;
          return status;
        },
        &aclnnEmbedding, stream_));
    EXPECT_EQ(bytes, blocks * kBlock + kLine);
    EXPECT_EQ(out.Values(), truth);
  }
}

// Slices of one line each, of which a block has so many that few threads fill one in the time in
// which all of them read the elements on their own.
TEST_F(GatherRows, WideBlocksForFewThreadsAreNotTaken) {
  constexpr int64_t kExtent = 65536, kLength = 16;
  for (const auto& [count, threads, blocks] :
       {std::tuple<int64_t, const char*, bool>{kExtent, "1", true},
        {kExtent, "16", false},
        {4 * kExtent, "16", true}}) {
    const aclimb::testing::Setting team("ACLIMB_THREADS", threads);
    const DeviceTensor table({kExtent, kLength}, DType::kFloat32, {}, {.stride = {1, kExtent}});
    const DeviceTensor index({count}, DType::kInt64), out({count, kLength}, DType::kFloat32);
    uint64_t size;
    aclOpExecutor* executor;
    EXPECT_EQ(aclnnEmbeddingGetWorkspaceSize(table, index, out, &size, &executor), 0);
    EXPECT_EQ(size > 0, blocks) << threads << ' ' << count;
  }
}

TEST_F(GatherRows, AnotherShapeIsRefused) {
  const DeviceTensor self({3, 2}, DType::kFloat32), index({2, 2}, DType::kInt32);
  const DeviceTensor out({3, 4}, DType::kFloat32);
  uint64_t size;
  aclOpExecutor* executor;
  EXPECT_EQ(aclnnGatherV2GetWorkspaceSize(self, -1, index, out, &size, &executor), 161002);
  EXPECT_STREQ(aclGetRecentErrMsg(),
               "aclnnGatherV2GetWorkspaceSize: out.shape is [3, 4] but self.shape is [3, 2], dim "
               "is -1 and index.shape is [2, 2]; expected [3, 2, 2].\n"
               "  fix: allocate out with this shape\n"
               "  rule: gather_v2/shape/out   code: 161002 ACLNN_ERR_PARAM_INVALID");
}

TEST(GatherRowsContract, EveryRule) {
  ContractHarness<decltype(aclnnEmbeddingGetWorkspaceSize)> embedding(
      kEmbeddingContract, &aclnnEmbeddingGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kWeight, {5, 2}, DType::kFloat32);
        a.Tensor(kIndices, {3}, DType::kInt64);
        a.Tensor(kRows, {3, 2}, DType::kFloat32);
      });
  embedding.ExpectAccepted();
  embedding.ExpectGenericRules();
  embedding.ExpectEveryRuleCovered({"embedding/environment"});

  const auto fill = [](CallArguments& a) {
    a.Tensor(kSelf, {5, 2}, DType::kFloat32);
    a.Integer(kDim, 0);
    a.Tensor(kIndex, {3}, DType::kInt32);
    a.Tensor(kOut, {3, 2}, DType::kFloat32);
  };
  ContractHarness<decltype(aclnnIndexSelectGetWorkspaceSize)> index_select(
      kIndexSelectContract, &aclnnIndexSelectGetWorkspaceSize, fill);
  ContractHarness<decltype(aclnnGatherV2GetWorkspaceSize)> gather_v2(
      kGatherV2Contract, &aclnnGatherV2GetWorkspaceSize, fill);
  for (auto* const harness : {&index_select, &gather_v2}) {
    harness->ExpectAccepted();
    harness->ExpectGenericRules();
    harness->ExpectRule("shape/out", [](CallArguments& a) {
      a.Tensor(kOut, {2, 3}, DType::kFloat32);
    });
  }
  index_select.ExpectEveryRuleCovered({"index_select/environment"});
  gather_v2.ExpectEveryRuleCovered({"gather_v2/environment", "gather_v2/product"});
}

TEST(GatherRowsContract, EveryRuleOfReplacements) {
  const auto fill = [](CallArguments& a) {
    a.Tensor(kSelf, {5, 2}, DType::kFloat32);
    a.Integer(kDim, -2);
    a.Tensor(kIndex, {3}, DType::kInt32);
    a.Tensor(kSource, {3, 2}, DType::kFloat32);
  };
  const auto other_source = [](CallArguments& a) { a.Tensor(kSource, {4, 2}, DType::kFloat32); };
  ContractHarness<decltype(aclnnInplaceIndexCopyGetWorkspaceSize)> in_place(
      kInplaceIndexCopyContract, &aclnnInplaceIndexCopyGetWorkspaceSize, fill);
  in_place.ExpectAccepted();
  in_place.ExpectGenericRules();
  in_place.ExpectRule("shape/source", other_source);
  in_place.ExpectEveryRuleCovered({"inplace_index_copy/environment", "inplace_index_copy/product"});

  ContractHarness<decltype(aclnnIndexCopyGetWorkspaceSize)> index_copy(
      kIndexCopyContract, &aclnnIndexCopyGetWorkspaceSize, [fill](CallArguments& a) {
        fill(a);
        a.Tensor(kOutRef, {5, 2}, DType::kFloat32);
      });
  index_copy.ExpectAccepted();
  index_copy.ExpectGenericRules();
  index_copy.ExpectRule("shape/source", other_source);
  index_copy.ExpectEveryRuleCovered({"index_copy/environment", "index_copy/product"});
}

}  // namespace
}  // namespace aclimb::gather_rows

namespace aclimb::testing::gather_rows_test {

ACLIMB_OPERATOR_SUITE(GatherRows, gather_rows::kOperators);

}  // namespace aclimb::testing::gather_rows_test
