// What is particular to the operators; the suite has the rest.

#include <cmath>
#include <vector>

#include "aclimb/ops/unique_slices/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::unique_slices_test {

ACLIMB_OPERATOR_SUITE(UniqueSlices, unique_slices::kOperators);

namespace {

using Values = std::vector<double>;

class UniqueSlices : public DeviceTest {
 protected:
  struct Found {
    Values values, inverse, counts;
    std::vector<int64_t> shape;
  };
  // Along a dimension, in order.
  Found UniqueDim(const DeviceTensor& self, DType dtype, int64_t dim, int64_t length) {
    const DeviceTensor values(self.shape(), dtype), inverse({length}, DType::kInt64);
    const DeviceTensor counts({length}, DType::kInt64);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnUniqueDimGetWorkspaceSize(self, true, true, dim, values, inverse, counts,
                                                size, executor);
        },
        &aclnnUniqueDim, stream_));
    int64_t* shape = nullptr;
    uint64_t rank = 0;
    ACLIMB_EXPECT_OK(aclGetViewShape(values, &shape, &rank));
    Found found = {values.Values(), inverse.Values(), counts.Values(), {shape, shape + rank}};
    delete[] shape;
    return found;
  }
};

TEST_F(UniqueSlices, ElementsAreComparedInRowMajorOrder) {
  const double nan = std::nan("");
  const DeviceTensor self({2, 4}, DType::kFloat32, {1, 1, 2, 0.0, -0.0, nan, nan, 1});
  const DeviceTensor values({8}, DType::kFloat32), inverse({2, 4}, DType::kInt64);
  const DeviceTensor counts({8}, DType::kInt64);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnUniqueConsecutiveGetWorkspaceSize(self, true, true, 1000, values, inverse,
                                                      counts, size, executor);
      },
      &aclnnUniqueConsecutive, stream_));
  EXPECT_TRUE(Near(values.Values(), {1, 2, 0, nan, nan, 1, 0, 0}, {}));
  EXPECT_EQ(inverse.Values(), (Values{0, 0, 1, 2, 2, 3, 4, 5}));
  EXPECT_EQ(counts.Values(), (Values{2, 1, 2, 1, 1, 1, 0, 0}));
  int64_t* shape = nullptr;
  uint64_t rank = 0;
  ACLIMB_ASSERT_OK(aclGetViewShape(values, &shape, &rank));
  ASSERT_EQ(rank, 1u);
  EXPECT_EQ(shape[0], 6);
  delete[] shape;
}

TEST_F(UniqueSlices, WhatIsNotZeroIsTrue) {
  const DeviceTensor self({6}, DType::kUInt8, {1, 2, 3, 0, 0, 5});
  int64_t length = 6;
  aclTensor* const flags =
      aclCreateTensor(&length, 1, ACL_BOOL, nullptr, 0, ACL_FORMAT_ND, &length, 1, self.data());
  const DeviceTensor values({6}, DType::kBool), inverse({6}, DType::kInt64);
  const DeviceTensor counts({6}, DType::kInt64);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnUniqueConsecutiveGetWorkspaceSize(flags, true, true, 1000, values, inverse,
                                                      counts, size, executor);
      },
      &aclnnUniqueConsecutive, stream_));
  EXPECT_EQ(inverse.Values(), (Values{0, 0, 0, 1, 1, 2}));
  EXPECT_EQ(counts.Values(), (Values{3, 2, 1, 0, 0, 0}));
  ACLIMB_EXPECT_OK(aclDestroyTensor(flags));
}

// An output with gaps has its own strides again when nothing is left out any more.
TEST_F(UniqueSlices, ARepeatedRunTellsTheStridesAgain) {
  const std::vector<int64_t> stride = {10, 1};
  const DeviceTensor self({2, 3}, DType::kInt64, {1, 1, 2, 4, 4, 5});
  const DeviceTensor values({2, 3}, DType::kInt64, {}, {.stride = stride});
  const DeviceTensor inverse({3}, DType::kInt64), counts({3}, DType::kInt64);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ACLIMB_ASSERT_OK(aclnnUniqueDimGetWorkspaceSize(self, true, true, 1, values, inverse, counts,
                                                  &size, &executor));
  ACLIMB_ASSERT_OK(aclSetAclOpExecutorRepeatable(executor));
  const Workspace workspace(size);
  const auto told_strides = [&] {
    EXPECT_EQ(aclnnUniqueDim(workspace.get(), size, executor, stream_), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    int64_t* told = nullptr;
    uint64_t rank = 0;
    EXPECT_EQ(aclGetViewStrides(values, &told, &rank), ACL_SUCCESS);
    std::vector<int64_t> strides(told, told + rank);
    delete[] told;
    return strides;
  };
  EXPECT_EQ(told_strides(), (std::vector<int64_t>{2, 1}));
  const int64_t all[] = {1, 2, 3, 4, 5, 6};
  ACLIMB_ASSERT_OK(
      aclrtMemcpy(self.data(), sizeof(all), all, sizeof(all), ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_EQ(told_strides(), stride);
  EXPECT_EQ(values.Values(), (Values{1, 2, 3, 4, 5, 6}));
  ACLIMB_EXPECT_OK(aclDestroyAclOpExecutor(executor));
}

TEST_F(UniqueSlices, SlicesAlongADimensionLieWithoutGaps) {
  const DeviceTensor self({2, 3}, DType::kInt16, {1, 1, 3, 4, 4, 6});
  const DeviceTensor values({2, 3}, DType::kInt16), inverse({3}, DType::kInt64);
  const DeviceTensor counts({3}, DType::kInt64);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnUniqueConsecutiveGetWorkspaceSize(self, true, true, -1, values, inverse, counts,
                                                      size, executor);
      },
      &aclnnUniqueConsecutive, stream_));
  EXPECT_EQ(values.Values(), (Values{1, 3, 4, 6, 0, 0}));
  EXPECT_EQ(inverse.Values(), (Values{0, 0, 1}));
  EXPECT_EQ(counts.Values(), (Values{2, 1, 0}));
}

// Of elements, and of slices of two: runs within the pieces that threads take, and beyond them.
TEST_F(UniqueSlices, LongRuns) {
  for (const int64_t width : {1, 2}) {
    Values elements, values, inverse, counts;
    for (const int64_t length : {1, 3, 40'000, 1, 1, 20'000, 16'000, 385, 16'384, 2}) {
      values.resize(values.size() + static_cast<size_t>(width), 5.0 + counts.size() % 3);
      inverse.resize(inverse.size() + static_cast<size_t>(length), counts.size());
      counts.push_back(static_cast<double>(length));
      elements.resize(inverse.size() * static_cast<size_t>(width), values.back());
    }
    const auto rows = static_cast<int64_t>(inverse.size()),
               found = static_cast<int64_t>(counts.size());
    values.resize(elements.size());
    counts.resize(inverse.size());
    for (const DType dtype : {DType::kInt64, DType::kFloat16, DType::kInt8}) {
      const DeviceTensor self({rows, width}, dtype, elements), given({rows, width}, dtype);
      const DeviceTensor places({rows}, DType::kInt64), often({rows}, DType::kInt64);
      ACLIMB_ASSERT_OK(RunBothPhases(
          [&](uint64_t* size, aclOpExecutor** executor) {
            return aclnnUniqueConsecutiveGetWorkspaceSize(self, true, true, 0, given, places, often,
                                                          size, executor);
          },
          &aclnnUniqueConsecutive, stream_));
      EXPECT_TRUE(given.Values() == values);
      EXPECT_TRUE(places.Values() == inverse);
      EXPECT_TRUE(often.Values() == counts);
      int64_t* shape = nullptr;
      uint64_t rank = 0;
      ACLIMB_ASSERT_OK(aclGetViewShape(given, &shape, &rank));
      EXPECT_EQ(std::vector<int64_t>(shape, shape + rank), (std::vector<int64_t>{found, width}));
      delete[] shape;
    }
  }
}

TEST_F(UniqueSlices, SlicesInOrderLieWithoutGaps) {
  const DeviceTensor self({2, 4}, DType::kInt16, {4, 1, 4, 1, 5, -6, 5, 7});
  const Found found = UniqueDim(self, DType::kInt16, 1, 4);
  EXPECT_EQ(found.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(found.values, (Values{1, 1, 4, -6, 7, 5, 0, 0}));
  EXPECT_EQ(found.inverse, (Values{2, 0, 2, 1}));
  EXPECT_EQ(found.counts, (Values{1, 1, 2, 0}));
}

TEST_F(UniqueSlices, NaNIsLargerThanAllNumbersAndLikeNoOther) {
  const double nan = std::nan("");
  const DeviceTensor self({4, 2}, DType::kFloat32, {nan, 1, 0.0, 2, nan, 1, -0.0, 2});
  const Found found = UniqueDim(self, DType::kFloat32, -2, 4);
  EXPECT_EQ(found.shape, (std::vector<int64_t>{3, 2}));
  EXPECT_TRUE(Near(found.values, {0, 2, nan, 1, nan, 1, 0, 0}, {}));
  EXPECT_EQ(found.inverse, (Values{1, 0, 2, 0}));
  EXPECT_EQ(found.counts, (Values{2, 1, 1, 0}));
}

// So many that they are sorted by counting, by elements that stand far apart and need words of
// their own.
TEST_F(UniqueSlices, ManySlicesAreSortedByAllTheirElements) {
  constexpr int64_t kLength = 3000, kInner = 100, kMiddle = kInner / 2;
  constexpr double kMany = 4e15;
  Values elements;
  for (int64_t i = 0; i < kLength; ++i) {
    for (int64_t k = 0; k < kInner; ++k) {
      const auto odd = static_cast<double>(i % 2);
      elements.push_back(k == kMiddle       ? odd * kMany
                         : k == kMiddle + 1 ? odd * -kMany
                         : k == kInner - 1  ? static_cast<double>(i * 7 % 11)
                                            : 3);
    }
  }
  const DeviceTensor self({kLength, kInner}, DType::kInt64, elements);
  const Found found = UniqueDim(self, DType::kInt64, 0, kLength);
  ASSERT_EQ(found.shape, (std::vector<int64_t>{22, kInner}));
  for (int64_t i = 0; i < 22; ++i) {
    const auto odd = static_cast<double>(i / 11);
    EXPECT_EQ(found.values[static_cast<size_t>(i * kInner + kMiddle)], odd * kMany);
    EXPECT_EQ(found.values[static_cast<size_t>(i * kInner + kMiddle + 1)], odd * -kMany);
    EXPECT_EQ(found.values[static_cast<size_t>(i * kInner + kInner - 1)], i % 11);
  }
  double all = 0;
  for (const double count : found.counts) all += count;
  EXPECT_EQ(all, kLength);
  for (int64_t i = 0; i < kLength; ++i) {
    EXPECT_EQ(found.inverse[static_cast<size_t>(i)], i % 2 * 11 + i * 7 % 11);
  }
}

TEST(UniqueSlicesContract, EveryRuleOfUniqueConsecutive) {
  using namespace unique_slices;                      // NOLINT: the parameters' positions
  using namespace unique_slices::unique_consecutive;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnUniqueConsecutiveGetWorkspaceSize)> harness(
      kContract, &aclnnUniqueConsecutiveGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, DType::kFloat32);
        a.Bool(kReturnInverse, true);
        a.Bool(kReturnCounts, true);
        a.Integer(kDim, 1);
        a.Tensor(kValues, {2, 3}, DType::kFloat32);
        a.Tensor(kInverse, {3}, DType::kInt64);
        a.Tensor(kCounts, {3}, DType::kInt64);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Integer(kDim, 1000);
    a.Tensor(kValues, {6}, DType::kFloat32);
    a.Tensor(kInverse, {2, 3}, DType::kInt64);
    a.Tensor(kCounts, {6}, DType::kInt64);
  });
  harness.ExpectAccepted([](CallArguments& a) {
    a.Bool(kReturnInverse, false);
    a.Bool(kReturnCounts, false);
    a.Tensor(kInverse, {0}, DType::kInt64);
    a.Tensor(kCounts, {0}, DType::kInt64);
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("range/dim", [](CallArguments& a) { a.Integer(kDim, 2); });
  harness.ExpectRule("slices/self", [](CallArguments& a) {
    a.Tensor(kSelf, {0, 3}, DType::kFloat32);
    a.Tensor(kValues, {0, 3}, DType::kFloat32);
  });
  harness.ExpectRule("shape/valueOut",
                     [](CallArguments& a) { a.Tensor(kValues, {6}, DType::kFloat32); });
  harness.ExpectRule("shape/inverseOut",
                     [](CallArguments& a) { a.Tensor(kInverse, {2}, DType::kInt64); });
  harness.ExpectRule("shape/countsOut",
                     [](CallArguments& a) { a.Tensor(kCounts, {2}, DType::kInt64); });
  harness.ExpectEveryRuleCovered({"unique_consecutive/product"});
}

TEST(UniqueSlicesContract, EveryRuleOfUniqueDim) {
  using namespace unique_slices;              // NOLINT: the parameters' positions
  using namespace unique_slices::unique_dim;  // NOLINT: the parameters' positions
  ContractHarness<decltype(aclnnUniqueDimGetWorkspaceSize)> harness(
      kContract, &aclnnUniqueDimGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, DType::kFloat32);
        a.Bool(kSorted, true);
        a.Bool(kReturnInverse, true);
        a.Integer(kDim, 1);
        a.Tensor(kValues, {2, 3}, DType::kFloat32);
        a.Tensor(kInverse, {3}, DType::kInt64);
        a.Tensor(kCounts, {3}, DType::kInt64);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Bool(kReturnInverse, false);
    a.Tensor(kInverse, {0}, DType::kInt64);
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("slices/self", [](CallArguments& a) {
    a.Tensor(kSelf, {0, 3}, DType::kFloat32);
    a.Tensor(kValues, {0, 3}, DType::kFloat32);
  });
  harness.ExpectRule("shape/inverseOut",
                     [](CallArguments& a) { a.Tensor(kInverse, {2}, DType::kInt64); });
  harness.ExpectRule("shape/countsOut",
                     [](CallArguments& a) { a.Tensor(kCounts, {2}, DType::kInt64); });
  harness.ExpectEveryRuleCovered({"unique_dim/product"});
}

}  // namespace
}  // namespace aclimb::testing::unique_slices_test
