// The operators of this folder through their C interfaces: the suite, and what is particular.

#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "aclimb/ops/foreach/operators.h"
#include "aclimb/simd/cache.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::foreach_test {

ACLIMB_OPERATOR_SUITE(Foreach, foreach::kOperators);

class ForeachRules : public DeviceTest {};

constexpr DType kFloat = DType::kFloat32;
const std::vector<TensorSpec> kTensors = {{{2, 3}, kFloat}};

// Two tensors in each list, of which the first is of another dtype.
std::function<void(CallArguments&)> Mixed(std::vector<int> lists) {
  return [lists = std::move(lists)](CallArguments& a) {
    for (const int list : lists) a.Tensors(list, {{{2}, DType::kFloat16}, {{2}, kFloat}});
  };
}

TEST_F(ForeachRules, Unary) {
  ContractHarness<decltype(aclnnForeachSqrtGetWorkspaceSize)> harness(
      foreach::kForeachSqrtContract, &aclnnForeachSqrtGetWorkspaceSize, [](CallArguments& a) {
        a.Tensors(0, kTensors);
        a.Tensors(1, kTensors);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules({"one-dtype/x"});
  harness.ExpectRule("one-dtype/x", Mixed({0, 1}));
  harness.ExpectRule("same-shape/out", [](CallArguments& a) { a.Tensors(1, {{{3, 2}, kFloat}}); });
  harness.ExpectEveryRuleCovered({"foreach_sqrt/product"});
}

TEST_F(ForeachRules, Alpha) {
  ContractHarness<decltype(aclnnForeachAddListV2GetWorkspaceSize)> harness(
      foreach::kForeachAddListV2Contract, &aclnnForeachAddListV2GetWorkspaceSize,
      [](CallArguments& a) {
        a.Tensors(0, kTensors);
        a.Tensors(1, kTensors);
        a.ScalarOf(2, 0.5, DType::kFloat64);
        a.Tensors(3, kTensors);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules({"fits/alpha", "one-dtype/x1"});
  harness.ExpectRule("one-dtype/x1", Mixed({0, 1, 3}));
  harness.ExpectRule("fits/alpha", [](CallArguments& a) {
    for (const int list : {0, 1, 3}) a.Tensors(list, {{{2}, DType::kInt32}});
  });
  harness.ExpectEveryRuleCovered({"foreach_add_list_v2/product"});
}

TEST_F(ForeachRules, ScalarList) {
  ContractHarness<decltype(aclnnForeachMulScalarListGetWorkspaceSize)> harness(
      foreach::kForeachMulScalarListContract, &aclnnForeachMulScalarListGetWorkspaceSize,
      [](CallArguments& a) {
        a.Tensors(0, kTensors);
        a.Scalars(1, {0.5}, kFloat);
        a.Tensors(2, kTensors);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules({"fits/scalars", "count/scalars", "one-dtype/x"});
  harness.ExpectRule("one-dtype/x", Mixed({0, 2}));
  harness.ExpectRule("fits/scalars", [](CallArguments& a) {
    for (const int list : {0, 2}) a.Tensors(list, {{{2}, DType::kInt32}});
  });
  harness.ExpectRule("count/scalars", [](CallArguments& a) { a.Scalars(1, {1, 2}, kFloat); });
  harness.ExpectEveryRuleCovered({"foreach_mul_scalar_list/product"});
}

TEST_F(ForeachRules, ScalarsInATensor) {
  ContractHarness<decltype(aclnnForeachAddcmulScalarListGetWorkspaceSize)> harness(
      foreach::kForeachAddcmulScalarListContract, &aclnnForeachAddcmulScalarListGetWorkspaceSize,
      [](CallArguments& a) {
        for (const int list : {0, 1, 2, 4}) a.Tensors(list, kTensors);
        a.Tensor(3, {1}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules({"length/scalars", "fits/scalars", "one-dtype/x1"});
  harness.ExpectRule("one-dtype/x1", Mixed({0, 1, 2, 4}));
  harness.ExpectRule("length/scalars", [](CallArguments& a) { a.Tensor(3, {3}, kFloat); });
  harness.ExpectRule("fits/scalars",
                     [](CallArguments& a) {
                       for (const int list : {0, 1, 2, 4}) a.Tensors(list, {{{2}, DType::kInt32}});
                     },
                     {{"scalars", "x1"}});
  harness.ExpectEveryRuleCovered({"foreach_addcmul_scalar_list/product"});
}

TEST_F(ForeachRules, Bound) {
  ContractHarness<decltype(aclnnForeachMaximumScalarV2GetWorkspaceSize)> harness(
      foreach::kForeachMaximumScalarV2Contract, &aclnnForeachMaximumScalarV2GetWorkspaceSize,
      [](CallArguments& a) {
        a.Tensors(0, kTensors);
        a.ScalarOf(1, 0.5, DType::kFloat64);
        a.Tensors(2, kTensors);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules({"fits/scalar", "one-dtype/x"});
  harness.ExpectRule("one-dtype/x", Mixed({0, 2}));
  const auto whole = [](double bound) {
    return [bound](CallArguments& a) {
      for (const int list : {0, 2}) a.Tensors(list, {{{2}, DType::kInt32}});
      a.ScalarOf(1, bound, DType::kInt64);
    };
  };
  harness.ExpectAccepted(whole(0x1p31 - 1));
  harness.ExpectRule("in-dtype/scalar", whole(0x1p31));
  harness.ExpectRule("in-dtype/scalar", whole(-0x1p40));
  harness.ExpectRule("fits/scalar", [](CallArguments& a) {
    for (const int list : {0, 2}) a.Tensors(list, {{{2}, DType::kInt32}});
  });
  harness.ExpectEveryRuleCovered({"foreach_maximum_scalar_v2/product"});
}

TEST_F(ForeachRules, Norm) {
  ContractHarness<decltype(aclnnForeachNormGetWorkspaceSize)> harness(
      foreach::kForeachNormContract, &aclnnForeachNormGetWorkspaceSize, [](CallArguments& a) {
        a.Tensors(0, kTensors);
        a.ScalarOf(1, 2, kFloat);
        a.Tensors(2, {{{}, kFloat}});
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules({"one-dtype/x"});
  harness.ExpectRule("one-dtype/x", Mixed({0, 2}));
  harness.ExpectRule("shape/out",
                     [](CallArguments& a) {
                       a.Tensors(2, {{{2}, kFloat}});
                     },
                     {{"out"}});
  harness.ExpectRule("some/x", [](CallArguments& a) {
    a.Tensors(0, {{{0}, kFloat}});
    a.ScalarOf(1, -1, kFloat);
  });
  harness.ExpectEveryRuleCovered({"foreach_norm/product"});
}

// An infinity or a NaN is found in any list, and nothing found leaves the number as it was.
TEST_F(ForeachRules, WhatIsNotFiniteIsFound) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double spoiled : {1.0, inf, -inf, std::nan("")}) {
    for (const DType dtype : {kFloat, DType::kFloat16, DType::kBFloat16}) {
      std::vector<double> values(1000, 2), all(1000, 1);
      values[937] = 2 * spoiled;
      all[937] = spoiled;
      DeviceTensor first({3}, dtype, {2, 4, 6}), second({1000}, dtype, values);
      const DeviceTensor found({1}, kFloat, {0.25}), scale({}, kFloat, {0.5});
      const aclTensor* const members[] = {first.TakeDescriptor(), second.TakeDescriptor()};
      aclTensorList* const list = aclCreateTensorList(members, 2);
      EXPECT_EQ(RunBothPhases(
                    [&](uint64_t* size, aclOpExecutor** executor) {
                      return aclnnForeachNonFiniteCheckAndUnscaleGetWorkspaceSize(
                          list, found, scale, size, executor);
                    },
                    &aclnnForeachNonFiniteCheckAndUnscale, stream_),
                0);
      EXPECT_TRUE(Near(first.Values(), {1, 2, 3}, {}));
      EXPECT_TRUE(Near(second.Values(), all, {}));
      EXPECT_TRUE(Near(found.Values(), {spoiled == 1 ? 0.25 : 1}, {}));
      EXPECT_EQ(aclDestroyTensorList(list), 0);
    }
  }
}

TEST_F(ForeachRules, EmptyListsAreDone) {
  aclTensorList* const none = aclCreateTensorList(nullptr, 0);
  if (none == nullptr) GTEST_SKIP() << "no list is empty";
  const Scalar two(2.0f);
  EXPECT_EQ(RunBothPhases(
                [&](uint64_t* size, aclOpExecutor** executor) {
                  return aclnnForeachMulScalarV2GetWorkspaceSize(none, two, none, size, executor);
                },
                &aclnnForeachMulScalarV2, stream_),
            0);
  EXPECT_EQ(aclDestroyTensorList(none), 0);
}

// Tensors that share a loop, those that have one each, strided ones and empty ones.
TEST_F(ForeachRules, LongListsOfAnyTensors) {
  std::vector<std::unique_ptr<DeviceTensor>> tensors;
  std::vector<const aclTensor*> members;
  std::vector<std::vector<double>> expected;
  for (int i = 0; i < 60; ++i) {
    const int64_t count = i == 7 ? 900'000 : i % 5 == 0 ? 0 : 1 + 997 * i % 20'000;
    std::vector<double> values;
    for (int64_t k = 0; k < count; ++k) values.push_back(static_cast<double>((k + i) % 100));
    DeviceTensor::Options options;
    if (i % 7 == 3) options.stride = {3};
    tensors.push_back(
        std::make_unique<DeviceTensor>(std::vector<int64_t>{count}, kFloat, values, options));
    for (double& value : values) value *= 2;
    expected.push_back(values);
    members.push_back(tensors.back()->TakeDescriptor());
  }
  aclTensorList* const list = aclCreateTensorList(members.data(), members.size());
  const Scalar two(2.0, DType::kFloat64);
  EXPECT_EQ(RunBothPhases(
                [&](uint64_t* size, aclOpExecutor** executor) {
                  return aclnnForeachMulScalarV2GetWorkspaceSize(list, two, list, size, executor);
                },
                &aclnnForeachMulScalarV2, stream_),
            0)
      << aclGetRecentErrMsg();
  for (size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_TRUE(tensors[i]->Values() == expected[i]) << i;
    EXPECT_TRUE(tensors[i]->SurroundingsIntact()) << i;
  }
  EXPECT_EQ(aclDestroyTensorList(list), 0);
}

// Stores then go around the caches, those of tensors that share a loop too, wherever they begin in
// a cache line.
TEST_F(ForeachRules, ListsThatNoCacheHolds) {
  if (CacheShareBytes() > int64_t{256} << 20) GTEST_SKIP() << "a large cache";
  std::vector<std::unique_ptr<DeviceTensor>> in, out;
  std::vector<const aclTensor*> in_members, out_members;
  int64_t bytes = 0;
  for (int64_t i = 0; bytes <= CacheShareBytes(); ++i) {
    const std::vector<int64_t> shape = {i % 97 == 5 ? 1'000'003 : 5003 + i % 37};
    std::vector<double> values;
    for (int64_t k = 0; k < shape[0]; ++k) values.push_back(static_cast<double>((k + i) % 101));
    DeviceTensor::Options options;
    options.offset = i * 5 % 16;
    in.push_back(std::make_unique<DeviceTensor>(shape, kFloat, values));
    out.push_back(std::make_unique<DeviceTensor>(shape, kFloat, std::vector<double>(), options));
    in_members.push_back(in.back()->TakeDescriptor());
    out_members.push_back(out.back()->TakeDescriptor());
    bytes += 2 * 4 * shape[0];
  }
  aclTensorList* const x = aclCreateTensorList(in_members.data(), in_members.size());
  aclTensorList* const y = aclCreateTensorList(out_members.data(), out_members.size());
  const Scalar two(2.0, DType::kFloat64);
  EXPECT_EQ(RunBothPhases(
                [&](uint64_t* size, aclOpExecutor** executor) {
                  return aclnnForeachMulScalarV2GetWorkspaceSize(x, two, y, size, executor);
                },
                &aclnnForeachMulScalarV2, stream_),
            0)
      << aclGetRecentErrMsg();
  for (size_t i = 0; i < in.size(); ++i) {
    std::vector<double> expected = in[i]->Values();
    for (double& value : expected) value *= 2;
    EXPECT_TRUE(out[i]->Values() == expected) << i;
    EXPECT_TRUE(out[i]->SurroundingsIntact()) << i;
  }
  EXPECT_EQ(aclDestroyTensorList(x), 0);
  EXPECT_EQ(aclDestroyTensorList(y), 0);
}

}  // namespace aclimb::testing::foreach_test
