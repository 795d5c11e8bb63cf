// What is particular to the operators; the suite has the rest.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "aclimb/ops/sorts/operators.h"
#include "aclimb/simd/each_target.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"
#include "tests/support/setting.h"

namespace aclimb::testing::sorts_test {

ACLIMB_OPERATOR_SUITE(Sorts, sorts::kOperators);

}  // namespace aclimb::testing::sorts_test

namespace aclimb::sorts {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::Near;
using aclimb::testing::RunBothPhases;
using aclimb::testing::Setting;

using Values = std::vector<double>;

class Sorts : public aclimb::testing::DeviceTest {
 protected:
  struct Both {
    Values values, places;
  };
  Both Sort(const DeviceTensor& self, DType dtype, int64_t dim, bool descending) {
    const DeviceTensor values(self.shape(), dtype), places(self.shape(), DType::kInt64);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnSortGetWorkspaceSize(self, false, dim, descending, values, places, size,
                                           executor);
        },
        &aclnnSort, stream_));
    return {values.Values(), places.Values()};
  }
  Both Topk(const DeviceTensor& self, DType dtype, int64_t k, bool largest) {
    std::vector<int64_t> shape = self.shape();
    shape.back() = k;
    const DeviceTensor values(shape, dtype), places(shape, DType::kInt64);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnTopkGetWorkspaceSize(self, k, -1, largest, true, values, places, size,
                                           executor);
        },
        &aclnnTopk, stream_));
    return {values.Values(), places.Values()};
  }
  Both Kth(const DeviceTensor& self, DType dtype, int64_t k) {
    const DeviceTensor values({}, dtype), places({}, DType::kInt64);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnKthvalueGetWorkspaceSize(self, k, 0, false, values, places, size, executor);
        },
        &aclnnKthvalue, stream_));
    return {values.Values(), places.Values()};
  }
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST_F(Sorts, NanIsLargestAndEqualOnesKeepTheirOrder) {
  const double nan = std::nan("");
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16}) {
    const DeviceTensor self({8}, dtype, {0.0, nan, -0.0, kInfinity, -nan, -kInfinity, 1, -1});
    const Both up = Sort(self, dtype, 0, false), down = Sort(self, dtype, 0, true);
    EXPECT_TRUE(Near(up.values, {-kInfinity, -1, 0, 0, 1, kInfinity, nan, nan}, {}));
    EXPECT_EQ(up.places, (Values{5, 7, 0, 2, 6, 3, 1, 4}));
    EXPECT_TRUE(Near(down.values, {nan, nan, kInfinity, 1, 0, 0, -1, -kInfinity}, {}));
    EXPECT_EQ(down.places, (Values{1, 4, 3, 6, 0, 2, 7, 5}));
    EXPECT_EQ(Topk(self, dtype, 3, true).places, (Values{1, 4, 3}));
    EXPECT_EQ(Topk(self, dtype, 3, false).places, (Values{5, 7, 0}));
    EXPECT_EQ(Kth(self, dtype, 4).places, (Values{2}));
  }
}

TEST_F(Sorts, IntegersAreComparedExactly) {
  const double large = 9007199254740992.0;
  const DeviceTensor self({4}, DType::kInt64, {large + 2, -large - 2, large, -large});
  EXPECT_EQ(Sort(self, DType::kInt64, -1, false).places, (Values{1, 3, 2, 0}));
  const DeviceTensor small({4}, DType::kInt8, {127, -128, 0, -1});
  EXPECT_EQ(Sort(small, DType::kInt8, -1, true).places, (Values{0, 2, 3, 1}));
}

// In blocks that are merged, and in lines that each thread sorts alone: the same.
TEST_F(Sorts, LongLines) {
  constexpr int64_t kCount = 150'000;
  for (const DType dtype : {DType::kFloat32, DType::kInt64}) {
    aclimb::testing::Random random(3);
    Values elements(kCount);
    for (double& element : elements) element = static_cast<double>(random.Integer(-20'000, 20'000));
    const DeviceTensor self({kCount}, dtype, elements);
    for (const bool descending : {false, true}) {
      Values expected;
      for (const size_t place : PlacesInOrder(elements, descending)) {
        expected.push_back(static_cast<double>(place));
      }
      for (const char* threads : {"1", "3"}) {
        const Setting setting("ACLIMB_THREADS", threads);
        EXPECT_TRUE(Sort(self, dtype, 0, descending).places == expected);
        for (const int64_t k : {int64_t{1}, int64_t{40}, kCount / 3, kCount - 1}) {
          const Values first(expected.begin(), expected.begin() + k);
          EXPECT_TRUE(Topk(self, dtype, k, descending).places == first) << k;
          if (descending) continue;
          EXPECT_TRUE(Kth(self, dtype, k).places == Values{first.back()}) << k;
        }
      }
    }
  }
}

// Lines of floats, of which vectors find those that come before the last wanted one.
TEST_F(Sorts, FirstOfLongLines) {
  constexpr int64_t kCount = 3'001;
  const int found = EachTarget([&] {
    for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kInt32}) {
      for (const int64_t kinds : {7, 100}) {
        aclimb::testing::Random random(7);
        Values elements(kCount);
        for (double& element : elements) {
          element = static_cast<double>(random.Integer(-kinds, kinds));
          if (!IsFloating(dtype)) continue;
          if (random.Integer(0, 100) == 0) element = std::nan("");
          if (element == 0 && random.Integer(0, 1) == 0) element = -0.0;
        }
        const DeviceTensor self({kCount}, dtype, elements);
        for (const bool largest : {false, true}) {
          Values expected;
          for (const size_t place : PlacesInOrder(elements, largest)) {
            expected.push_back(static_cast<double>(place));
          }
          for (const int64_t k : {1, 10, 100, 300}) {
            const Values first(expected.begin(), expected.begin() + k);
            EXPECT_TRUE(Topk(self, dtype, k, largest).places == first) << NameOf(dtype) << k;
            if (largest) continue;
            EXPECT_TRUE(Kth(self, dtype, k).places == Values{first.back()}) << NameOf(dtype) << k;
          }
        }
      }
    }
  });
  EXPECT_GT(found, 0);
}

// Lines in which fewer numbers than wanted lie between the infinities, and whose other elements are
// NaN or one infinity.
TEST_F(Sorts, FirstOfLinesWithFewNumbers) {
  constexpr int64_t kCount = 1'000, k = 10;
  const int found = EachTarget([&] {
    for (const double most : {std::nan(""), kInfinity, -kInfinity}) {
      for (const int64_t numbers : {0, 1, 9, 10, 11}) {
        Values elements(kCount, most);
        for (int64_t i = 0; i < numbers; ++i) {
          elements[static_cast<size_t>(kCount - 1 - 89 * i)] = static_cast<double>(i % 4);
        }
        const DeviceTensor self({kCount}, DType::kFloat32, elements);
        for (const bool largest : {false, true}) {
          Values expected;
          for (const size_t place : PlacesInOrder(elements, largest)) {
            expected.push_back(static_cast<double>(place));
          }
          expected.resize(k);
          EXPECT_TRUE(Topk(self, DType::kFloat32, k, largest).places == expected)
              << most << " " << numbers;
        }
      }
    }
  });
  EXPECT_GT(found, 0);
}

TEST_F(Sorts, MediansOfNanAndOfNothing) {
  const double nan = std::nan("");
  const auto median = [&](DType dtype, std::vector<int64_t> shape, const Values& elements) {
    const DeviceTensor self(std::move(shape), dtype, elements), value({1}, dtype);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnMedianGetWorkspaceSize(self, value, size, executor);
        },
        &aclnnMedian, stream_));
    return value.Values()[0];
  };
  EXPECT_EQ(median(DType::kFloat32, {2, 2}, {4, 3, 1, 2}), 2);
  EXPECT_TRUE(std::isnan(median(DType::kFloat16, {4}, {4, 3, nan, 2})));
  EXPECT_TRUE(std::isnan(median(DType::kFloat64, {0}, {})));
}

TEST_F(Sorts, UniqueElementsHaveTheShapeThatIsFound) {
  const double nan = std::nan("");
  const DeviceTensor self({2, 4}, DType::kFloat32, {3, nan, -0.0, 3, 0, 1, nan, 3});
  const DeviceTensor values({8}, DType::kFloat32), inverse({2, 4}, DType::kInt64);
  const DeviceTensor counts({8}, DType::kInt64);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnUnique2GetWorkspaceSize(self, true, true, true, values, inverse, counts, size,
                                            executor);
      },
      &aclnnUnique2, stream_));
  for (const DeviceTensor* out : {&values, &counts}) {
    int64_t* dims = nullptr;
    uint64_t rank = 0;
    ACLIMB_EXPECT_OK(aclGetViewShape(*out, &dims, &rank));
    EXPECT_EQ(std::vector<int64_t>(dims, dims + rank), (std::vector<int64_t>{5}));
    delete[] dims;
  }
  EXPECT_TRUE(Near(values.Values(), {0, 1, 3, nan, nan, 0, 0, 0}, {}));
  EXPECT_EQ(inverse.Values(), (Values{2, 3, 0, 2, 0, 1, 4, 2}));
  EXPECT_EQ(counts.Values(), (Values{2, 1, 3, 1, 1, 0, 0, 0}));
}

// What is left of parts of the line is sorted where few elements are different: seven, so many that
// the tables grow, and so many that all elements are sorted.
TEST_F(Sorts, UniqueElementsOfLongLines) {
  constexpr int64_t kCount = 100'000;
  for (const DType dtype : {DType::kFloat32, DType::kInt64, DType::kInt16}) {
    for (const int64_t kinds : {7, 5'000, 30'000}) {
      aclimb::testing::Random random(5);
      Values elements(kCount);
      for (double& element : elements) {
        element = static_cast<double>(random.Integer(-kinds / 2, kinds / 2));
        if (!IsFloating(dtype)) continue;
        if (random.Integer(0, 2'000) == 0) element = std::nan("");
        if (element == 0 && random.Integer(0, 1) == 0) element = -0.0;
      }
      Values values, inverse(kCount), counts;
      for (const size_t place : PlacesInOrder(elements, false)) {
        if (values.empty() || values.back() != elements[place]) {
          values.push_back(elements[place]);
          counts.push_back(0);
        }
        ++counts.back();
        inverse[place] = static_cast<double>(values.size() - 1);
      }
      values.resize(kCount);
      counts.resize(kCount);
      const DeviceTensor self({kCount}, dtype, elements);
      for (const char* threads : {"1", "3"}) {
        SCOPED_TRACE(kinds);
        const Setting setting("ACLIMB_THREADS", threads);
        const DeviceTensor found({kCount}, dtype), places({kCount}, DType::kInt64);
        const DeviceTensor often({kCount}, DType::kInt64);
        ACLIMB_ASSERT_OK(RunBothPhases(
            [&](uint64_t* size, aclOpExecutor** executor) {
              return aclnnUnique2GetWorkspaceSize(self, true, true, true, found, places, often,
                                                  size, executor);
            },
            &aclnnUnique2, stream_));
        EXPECT_TRUE(Near(found.Values(), values, {}));
        EXPECT_TRUE(places.Values() == inverse);
        EXPECT_TRUE(often.Values() == counts);
        // Of both zeros, the first one.
        const Values given = found.Values();
        for (size_t i = 0; i < given.size() && given[i] <= 0; ++i) {
          if (values[i] != 0) continue;
          EXPECT_EQ(std::signbit(given[i]), std::signbit(values[i]));
        }
      }
    }
  }
}

TEST_F(Sorts, RefusalsNameWhatIsWrong) {
  const DeviceTensor self({2, 3}, DType::kFloat32), values({2, 4}, DType::kFloat32);
  const DeviceTensor indices({2, 4}, DType::kInt64);
  uint64_t size;
  aclOpExecutor* executor;
  EXPECT_EQ(aclnnTopkGetWorkspaceSize(self, 4, 1, true, true, values, indices, &size, &executor),
            161002);
  EXPECT_STREQ(aclGetRecentErrMsg(),
               "aclnnTopkGetWorkspaceSize: k is 4 but self.shape is [2, 3] and dim is 1; expected "
               "0 to 3.\n"
               "  fix: ask for no more elements than there are\n"
               "  rule: topk/range/k   code: 161002 ACLNN_ERR_PARAM_INVALID");
}

TEST(SortsContract, EveryRuleOfWholeOrders) {
  ContractHarness<decltype(aclnnSortGetWorkspaceSize)> whole(
      sort::kContract, &aclnnSortGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(sort::kSelf, {2, 3}, DType::kFloat32);
        a.Bool(sort::kStable, true);
        a.Integer(sort::kDim, 1);
        a.Bool(sort::kDescending, false);
        a.Tensor(sort::kValues, {2, 3}, DType::kFloat32);
        a.Tensor(sort::kIndices, {2, 3}, DType::kInt64);
      });
  whole.ExpectAccepted();
  whole.ExpectGenericRules();
  whole.ExpectEveryRuleCovered();
  ContractHarness<decltype(aclnnArgsortGetWorkspaceSize)> places(
      argsort::kContract, &aclnnArgsortGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(argsort::kSelf, {2, 3}, DType::kFloat32);
        a.Integer(argsort::kDim, -1);
        a.Bool(argsort::kDescending, true);
        a.Tensor(argsort::kOut, {2, 3}, DType::kInt64);
      });
  places.ExpectAccepted();
  places.ExpectGenericRules();
  places.ExpectEveryRuleCovered();
}

TEST(SortsContract, EveryRuleOfTop) {
  using namespace topk;  // NOLINT: the positions
  ContractHarness<decltype(aclnnTopkGetWorkspaceSize)> top(
      kContract, &aclnnTopkGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, DType::kFloat32);
        a.Integer(kK, 2);
        a.Integer(kDim, 1);
        a.Bool(kLargest, true);
        a.Bool(kSorted, true);
        a.Tensor(kValues, {2, 2}, DType::kFloat32);
        a.Tensor(kIndices, {2, 2}, DType::kInt64);
      });
  top.ExpectAccepted();
  top.ExpectGenericRules();
  // Of a single number: it, in one dimension or in none, or nothing of it.
  const auto of_number = [](int64_t k, const std::vector<int64_t>& shape) {
    return [=](CallArguments& a) {
      a.Tensor(kSelf, {}, DType::kFloat32);
      a.Integer(kK, k);
      a.Integer(kDim, 0);
      a.Tensor(kValues, shape, DType::kFloat32);
      a.Tensor(kIndices, shape, DType::kInt64);
    };
  };
  top.ExpectAccepted(of_number(1, {}));
  top.ExpectAccepted(of_number(1, {1}));
  top.ExpectAccepted(of_number(0, {0}));
  top.ExpectRule("shape/valuesOut", of_number(0, {}));
  top.ExpectRule("range/k", [](CallArguments& a) { a.Integer(kK, -1); });
  top.ExpectRule("shape/valuesOut", [](CallArguments& a) {
    a.Tensor(kValues, {2, 3}, DType::kFloat32);
  });
  top.ExpectRule("shape/indicesOut", [](CallArguments& a) {
    a.Tensor(kIndices, {2, 3}, DType::kInt64);
  });
  top.ExpectEveryRuleCovered();
}

TEST(SortsContract, EveryRuleOfOneElement) {
  ContractHarness<decltype(aclnnKthvalueGetWorkspaceSize)> kth(
      kthvalue::kContract, &aclnnKthvalueGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kthvalue::kSelf, {2, 3}, DType::kFloat32);
        a.Integer(kthvalue::kK, 2);
        a.Integer(kthvalue::kDim, 1);
        a.Bool(kthvalue::kKeepDim, false);
        a.Tensor(kthvalue::kValues, {2}, DType::kFloat32);
        a.Tensor(kthvalue::kIndices, {2}, DType::kInt64);
      });
  kth.ExpectAccepted();
  kth.ExpectGenericRules();
  kth.ExpectRule("range/k", [](CallArguments& a) { a.Integer(kthvalue::kK, 0); });
  kth.ExpectEveryRuleCovered();
  ContractHarness<decltype(aclnnMedianDimGetWorkspaceSize)> dim(
      median_dim::kContract, &aclnnMedianDimGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(median_dim::kSelf, {2, 3}, DType::kFloat32);
        a.Integer(median_dim::kDim, 1);
        a.Bool(median_dim::kKeepDim, true);
        a.Tensor(median_dim::kValues, {2, 1}, DType::kFloat32);
        a.Tensor(median_dim::kIndices, {2, 1}, DType::kInt64);
      });
  dim.ExpectAccepted();
  dim.ExpectGenericRules();
  dim.ExpectRule("some/self", [](CallArguments& a) {
    a.Tensor(median_dim::kSelf, {2, 0}, DType::kFloat32);
  });
  dim.ExpectEveryRuleCovered();
  ContractHarness<decltype(aclnnMedianGetWorkspaceSize)> all(
      median::kContract, &aclnnMedianGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(median::kSelf, {2, 3}, DType::kFloat32);
        a.Tensor(median::kValues, {}, DType::kFloat32);
      });
  all.ExpectAccepted();
  all.ExpectGenericRules();
  all.ExpectEveryRuleCovered();
}

TEST(SortsContract, EveryRuleOfUnique) {
  using namespace unique;  // NOLINT: the positions
  ContractHarness<decltype(aclnnUniqueGetWorkspaceSize)> harness(
      kContract, &aclnnUniqueGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, DType::kFloat32);
        a.Bool(kSorted, true);
        a.Bool(kReturnInverse, true);
        a.Tensor(kValues, {6}, DType::kFloat32);
        a.Tensor(kInverse, {2, 3}, DType::kInt64);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Bool(kReturnInverse, false);
    a.Tensor(kInverse, {0}, DType::kInt64);
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("shape/valueOut",
                     [](CallArguments& a) { a.Tensor(kValues, {5}, DType::kFloat32); });
  harness.ExpectRule("shape/inverseOut",
                     [](CallArguments& a) { a.Tensor(kInverse, {6}, DType::kInt64); });
  harness.ExpectEveryRuleCovered({"unique/product"});
}

TEST(SortsContract, EveryRuleOfUnique2) {
  using namespace unique2;  // NOLINT: the positions
  ContractHarness<decltype(aclnnUnique2GetWorkspaceSize)> unique(
      kContract, &aclnnUnique2GetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, DType::kFloat32);
        a.Bool(kSorted, true);
        a.Bool(kReturnInverse, true);
        a.Bool(kReturnCounts, true);
        a.Tensor(kValues, {6}, DType::kFloat32);
        a.Tensor(kInverse, {2, 3}, DType::kInt64);
        a.Tensor(kCounts, {6}, DType::kInt64);
      });
  unique.ExpectAccepted();
  unique.ExpectAccepted([](CallArguments& a) {
    a.Bool(kReturnInverse, false);
    a.Bool(kReturnCounts, false);
    a.Tensor(kInverse, {0}, DType::kInt64);
    a.Tensor(kCounts, {0}, DType::kInt64);
  });
  unique.ExpectGenericRules();
  unique.ExpectRule("shape/valueOut",
                    [](CallArguments& a) { a.Tensor(kValues, {5}, DType::kFloat32); });
  unique.ExpectRule("shape/inverseOut",
                    [](CallArguments& a) { a.Tensor(kInverse, {6}, DType::kInt64); });
  unique.ExpectRule("shape/countsOut",
                    [](CallArguments& a) { a.Tensor(kCounts, {5}, DType::kInt64); });
  unique.ExpectEveryRuleCovered({"unique2/product"});
}

}  // namespace
}  // namespace aclimb::sorts
