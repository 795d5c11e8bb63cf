// What is particular to the operators; the suite has the rest.

#include <cmath>
#include <limits>
#include <vector>

#include "aclimb/ops/search_sorted/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::search_sorted_test {

ACLIMB_OPERATOR_SUITE(SearchSorted, search_sorted::kOperators);

namespace {

using search_sorted::Searched;
using Values = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class SearchSorted : public DeviceTest {};

// Each row of `width` values so many times side by side: eight values are looked for together,
// those that are left one by one.
Values Repeated(const Values& values, int64_t width, int times) {
  Values all;
  for (auto row = values.begin(); row != values.end(); row += width) {
    for (int i = 0; i < times; ++i) all.insert(all.end(), row, row + width);
  }
  return all;
}

TEST_F(SearchSorted, PlacesInSequences) {
  const double nan = std::nan("");
  const auto search = [&](const DeviceTensor& sequence, const DeviceTensor& self, bool right,
                          const aclTensor* sorter) {
    const DeviceTensor out(self.shape(), right ? DType::kInt32 : DType::kInt64);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnSearchSortedGetWorkspaceSize(sequence, self, right, right, sorter, out, size,
                                                   executor);
        },
        &aclnnSearchSorted, stream_));
    return out.Values();
  };
  const DeviceTensor sequence({5}, DType::kFloat32, {-kInfinity, 1, 3, 3, 7});
  const DeviceTensor self({14}, DType::kFloat32,
                          Repeated({3, 1, 0, 8, nan, kInfinity, -kInfinity}, 7, 2));
  EXPECT_EQ(search(sequence, self, false, nullptr), Repeated({2, 1, 1, 5, 5, 5, 0}, 7, 2));
  EXPECT_EQ(search(sequence, self, true, nullptr), Repeated({4, 2, 1, 5, 5, 5, 1}, 7, 2));
  // One for each line, and a sorter; a place that is not there is an element 0.
  const DeviceTensor lines({2, 3}, DType::kInt8, {5, 1, 3, 30, 20, 10});
  const DeviceTensor values({2, 10}, DType::kInt8, Repeated({3, 0, 3, 30}, 2, 5));
  const DeviceTensor sorter({2, 3}, DType::kInt64, {1, 2, 0, 2, 1, 0});
  EXPECT_EQ(search(lines, values, false, sorter), Repeated({1, 0, 0, 2}, 2, 5));
  const DeviceTensor wrong({2, 3}, DType::kInt64, {-1, 3, 1'000'000, 2, 1, 0});
  EXPECT_EQ(search(lines, values, true, wrong), Repeated({3, 3, 0, 3}, 2, 5));
  const DeviceTensor none({0}, DType::kFloat32);
  EXPECT_EQ(search(none, self, true, nullptr), Values(14));
}

TEST_F(SearchSorted, PlacesOfNumbers) {
  const auto search = [&](const DeviceTensor& sequence, double value, DType dtype) {
    const Scalar self(value, dtype);
    const DeviceTensor out({}, DType::kInt64);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnSearchSortedsGetWorkspaceSize(sequence, self, false, true, nullptr, out, size,
                                                    executor);
        },
        &aclnnSearchSorteds, stream_));
    return out.Values()[0];
  };
  // In the dtype of the sequence.
  const DeviceTensor halves({3}, DType::kFloat16, {0.0999755859375, 0.5, 1});
  EXPECT_EQ(search(halves, 0.1, DType::kFloat64), 1);
  // Of integers as the number is.
  const DeviceTensor bytes({3}, DType::kInt8, {-128, 44, 127});
  EXPECT_EQ(search(bytes, 300, DType::kInt64), 3);
  EXPECT_EQ(search(bytes, 44.5, DType::kFloat32), 2);
}

TEST(SearchSortedContract, EveryRuleIsEnforcedAndExplained) {
  ContractHarness<decltype(aclnnSearchSortedGetWorkspaceSize)> tensors(
      search_sorted::tensor::kContract, &aclnnSearchSortedGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(Searched::kSequence, {2, 3}, DType::kFloat32);
        a.Tensor(Searched::kSelf, {2, 4}, DType::kFloat32);
        a.Bool(Searched::kOutInt32, false);
        a.Bool(Searched::kRight, false);
        a.Tensor(Searched::kSorter, {2, 3}, DType::kInt64);
        a.Tensor(Searched::kOut, {2, 4}, DType::kInt64);
      });
  tensors.ExpectAccepted();
  tensors.ExpectGenericRules();
  tensors.ExpectRule("same-dtype/self", [](CallArguments& a) {
    a.Tensor(Searched::kSelf, {2, 4}, DType::kFloat16);
  });
  tensors.ExpectRule("dtype/out", [](CallArguments& a) { a.Bool(Searched::kOutInt32, true); });
  tensors.ExpectRule("shape/sortedSequence", [](CallArguments& a) {
    a.Tensor(Searched::kSequence, {3, 3}, DType::kFloat32);
  });
  tensors.ExpectRule("same-shape/sorter", [](CallArguments& a) {
    a.Tensor(Searched::kSorter, {2, 4}, DType::kInt64);
  });
  tensors.ExpectRule("same-shape/out", [](CallArguments& a) {
    a.Tensor(Searched::kOut, {2, 3}, DType::kInt64);
  });
  tensors.ExpectEveryRuleCovered({"search_sorted/product"});
  ContractHarness<decltype(aclnnSearchSortedsGetWorkspaceSize)> number(
      search_sorted::number::kContract, &aclnnSearchSortedsGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(Searched::kSequence, {3}, DType::kFloat32);
        a.ScalarOf(Searched::kSelf, 1.0, DType::kFloat32);
        a.Bool(Searched::kOutInt32, false);
        a.Bool(Searched::kRight, false);
        a.Tensor(Searched::kSorter, {3}, DType::kInt64);
        a.Tensor(Searched::kOut, {}, DType::kInt64);
      });
  number.ExpectAccepted();
  number.ExpectGenericRules();
  number.ExpectRule("dtype/out", [](CallArguments& a) { a.Bool(Searched::kOutInt32, true); });
  number.ExpectRule("same-shape/sorter",
                    [](CallArguments& a) { a.Tensor(Searched::kSorter, {4}, DType::kInt64); });
  number.ExpectRule("shape/out",
                    [](CallArguments& a) { a.Tensor(Searched::kOut, {2}, DType::kInt64); });
  number.ExpectEveryRuleCovered({"search_sorteds/product"});
}

}  // namespace
}  // namespace aclimb::testing::search_sorted_test
