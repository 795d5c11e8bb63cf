// Reductions to one number through their C interface: what is particular to each.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "aclimb/ops/reduce/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::reduce_test {

ACLIMB_OPERATOR_SUITE(Reduce, reduce::kOperators);

}  // namespace aclimb::testing::reduce_test

namespace aclimb::reduce {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::IntArray;
using aclimb::testing::Near;
using aclimb::testing::RunBothPhases;

using Values = std::vector<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

class Reduce : public aclimb::testing::DeviceTest {
 protected:
  using Function = aclnnStatus (*)(const aclTensor*, const aclIntArray*, bool, aclTensor*,
                                   uint64_t*, aclOpExecutor**);
  using Phase2 = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

  Values Run(Function phase1, Phase2 phase2, const DeviceTensor& self, std::vector<int64_t> dims,
             const DeviceTensor& out) {
    const IntArray dim(std::move(dims));
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return phase1(self, dim, false, out, size, executor);
        },
        phase2, stream_));
    return out.Values();
  }
  Values Sum(const DeviceTensor& self, std::vector<int64_t> dims, DType dtype,
             const DeviceTensor& out) {
    const IntArray dim(std::move(dims));
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnReduceSumGetWorkspaceSize(self, dim, false, static_cast<aclDataType>(dtype),
                                                out, size, executor);
        },
        &aclnnReduceSum, stream_));
    return out.Values();
  }
};

TEST_F(Reduce, NaNWinsWhereverItIs) {
  for (size_t at = 0; at < 70; at += 3) {
    Values values(70, 1);
    values[at] = kNaN;
    const DeviceTensor self({70}, DType::kFloat32, values), out({}, DType::kFloat32);
    EXPECT_TRUE(Near(Run(&aclnnAmaxGetWorkspaceSize, &aclnnAmax, self, {}, out), {kNaN}, {}));
    EXPECT_TRUE(Near(Run(&aclnnAminGetWorkspaceSize, &aclnnAmin, self, {0}, out), {kNaN}, {}));
  }
}

TEST_F(Reduce, InfinitiesOfLogSumExp) {
  const DeviceTensor self({4, 2}, DType::kFloat32,
                          {-kInfinity, -kInfinity, kInfinity, 1, kNaN, 1, 1000, 1000});
  const DeviceTensor out({4}, DType::kFloat32);
  EXPECT_TRUE(Near(Run(&aclnnLogSumExpGetWorkspaceSize, &aclnnLogSumExp, self, {-1}, out),
                   {-kInfinity, kInfinity, kNaN, 1000 + std::log(2.0)}, {1e-7, 0}));
}

TEST_F(Reduce, OfNothing) {
  const DeviceTensor self({2, 0}, DType::kFloat32, {}), floats({2}, DType::kFloat32);
  const DeviceTensor flags({2}, DType::kBool);
  EXPECT_TRUE(Near(Sum(self, {1}, DType::kFloat32, floats), {0, 0}, {}));
  EXPECT_TRUE(Near(Run(&aclnnAllGetWorkspaceSize, &aclnnAll, self, {1}, flags), {1, 1}, {}));
  EXPECT_TRUE(Near(Run(&aclnnAnyGetWorkspaceSize, &aclnnAny, self, {1}, flags), {0, 0}, {}));
  EXPECT_TRUE(Near(Run(&aclnnLogSumExpGetWorkspaceSize, &aclnnLogSumExp, self, {1}, floats),
                   {-kInfinity, -kInfinity}, {}));
  const IntArray dim({1});
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnMeanGetWorkspaceSize(self, dim, false, ACL_FLOAT, floats, size, executor);
      },
      &aclnnMean, stream_));
  EXPECT_TRUE(Near(floats.Values(), {kNaN, kNaN}, {}));
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnProdDimGetWorkspaceSize(self, 1, false, ACL_FLOAT, floats, size, executor);
      },
      &aclnnProdDim, stream_));
  EXPECT_TRUE(Near(floats.Values(), {1, 1}, {}));
}

TEST_F(Reduce, SumsOfIntegersAreExactAndWrap) {
  const DeviceTensor self({3}, DType::kInt32, {2147483647, 2147483647, 1});
  const DeviceTensor wide({}, DType::kInt64), narrow({}, DType::kInt32);
  EXPECT_TRUE(Near(Sum(self, {}, DType::kInt64, wide), {4294967295.0}, {}));
  EXPECT_TRUE(Near(Sum(self, {}, DType::kInt32, narrow), {-1}, {}));
}

// In float16 itself the sum would stay at 2048.
TEST_F(Reduce, HalfTypesAreSummedInFloat32) {
  const DeviceTensor self({5000}, DType::kFloat16, Values(5000, 1)), out({}, DType::kFloat16);
  EXPECT_TRUE(Near(Sum(self, {0}, DType::kFloat16, out), {5000}, {}));
}

TEST_F(Reduce, AHundredMillionEqualTerms) {
  const DeviceTensor one({1}, DType::kFloat32, {0.1});
  const int64_t shape[] = {100, 1'000'000}, strides[] = {0, 0}, storage[] = {1};
  aclTensor* const self =
      aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, storage, 1, one.data());
  const DeviceTensor out({}, DType::kFloat32);
  const IntArray dims(std::vector<int64_t>{0, 1});
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnReduceSumGetWorkspaceSize(self, dims, false, ACL_FLOAT, out, size, executor);
      },
      &aclnnReduceSum, stream_));
  EXPECT_TRUE(Near(out.Values(), {1e8 * double{0.1f}}, {3e-7, 0}));
  (void)aclDestroyTensor(self);
}

// ---- Refusals

TEST_F(Reduce, RefusalsOfReduceSum) {
  ContractHarness<decltype(aclnnReduceSumGetWorkspaceSize)> harness(
      kReduceSumContract, &aclnnReduceSumGetWorkspaceSize, [](CallArguments& arguments) {
        arguments.Tensor(kSelf, {2, 3}, DType::kFloat32);
        arguments.Ints(kDims, {1});
        arguments.Bool(kKeep, true);
        arguments.Integer(kAttribute, ACL_FLOAT);
        arguments.Tensor(kOutAfterAttribute, {2, 1}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered();
}

TEST_F(Reduce, RefusalsOfAmax) {
  ContractHarness<decltype(aclnnAmaxGetWorkspaceSize)> harness(
      kAmaxContract, &aclnnAmaxGetWorkspaceSize, [](CallArguments& arguments) {
        arguments.Tensor(kSelf, {2, 3}, DType::kFloat32);
        arguments.Ints(kDims, {-1});
        arguments.Bool(kKeep, false);
        arguments.Tensor(kOut, {2}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  // Nothing along a dimension that stays is no harm.
  harness.ExpectAccepted([](CallArguments& arguments) {
    arguments.Tensor(kSelf, {0, 3}, DType::kFloat32);
    arguments.Tensor(kOut, {0}, DType::kFloat32);
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("some/self", [](CallArguments& arguments) {
    arguments.Tensor(kSelf, {2, 0}, DType::kFloat32);
  });
  harness.ExpectEveryRuleCovered();
}

TEST_F(Reduce, AminmaxGivesBoth) {
  const double nan = std::nan("");
  const DeviceTensor self({2, 3}, DType::kFloat32, {3, -1, 2, 4, nan, 0});
  const DeviceTensor least({2}, DType::kFloat32), greatest({2}, DType::kFloat32);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnAminmaxDimGetWorkspaceSize(self, -1, false, least, greatest, size, executor);
      },
      &aclnnAminmaxDim, stream_));
  EXPECT_TRUE(Near(least.Values(), {-1, nan}, {}));
  EXPECT_TRUE(Near(greatest.Values(), {3, nan}, {}));
}

TEST_F(Reduce, RefusalsOfAminmax) {
  ContractHarness<decltype(aclnnAminmaxGetWorkspaceSize)> harness(
      aminmax::kContract, &aclnnAminmaxGetWorkspaceSize, [](CallArguments& arguments) {
        arguments.Tensor(kSelf, {2, 3}, DType::kFloat32);
        arguments.Ints(kDims, {0});
        arguments.Bool(kKeep, true);
        arguments.Tensor(Both::kMinOut, {1, 3}, DType::kFloat32);
        arguments.Tensor(Both::kMaxOut, {1, 3}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("some/self", [](CallArguments& a) {
    a.Tensor(kSelf, {0, 3}, DType::kFloat32);
  });
  harness.ExpectEveryRuleCovered();
  ContractHarness<decltype(aclnnAminmaxDimGetWorkspaceSize)> of_one(
      aminmax_dim::kContract, &aclnnAminmaxDimGetWorkspaceSize, [](CallArguments& arguments) {
        arguments.Tensor(kSelf, {2, 3}, DType::kFloat32);
        arguments.Integer(kDims, 0);
        arguments.Bool(kKeep, true);
        arguments.Tensor(Both::kMinOut, {1, 3}, DType::kFloat32);
        arguments.Tensor(Both::kMaxOut, {1, 3}, DType::kFloat32);
      });
  of_one.ExpectAccepted();
  of_one.ExpectGenericRules();
  of_one.ExpectRule("some/self", [](CallArguments& a) {
    a.Tensor(kSelf, {0, 3}, DType::kFloat32);
  });
  of_one.ExpectEveryRuleCovered();
  ContractHarness<decltype(aclnnAminmaxAllGetWorkspaceSize)> of_all(
      aminmax_all::kContract, &aclnnAminmaxAllGetWorkspaceSize, [](CallArguments& arguments) {
        arguments.Tensor(kSelf, {2, 3}, DType::kFloat32);
        arguments.Tensor(BothOfAll::kMinOut, {}, DType::kFloat32);
        arguments.Tensor(BothOfAll::kMaxOut, {1}, DType::kFloat32);
      });
  of_all.ExpectAccepted();
  of_all.ExpectGenericRules();
  of_all.ExpectRule("some/self", [](CallArguments& a) {
    a.Tensor(kSelf, {0, 3}, DType::kFloat32);
  });
  of_all.ExpectEveryRuleCovered();
}

TEST_F(Reduce, RefusalsOfMaxAndProd) {
  ContractHarness<decltype(aclnnMaxGetWorkspaceSize)> max(
      kMaxContract, &aclnnMaxGetWorkspaceSize, [](CallArguments& arguments) {
        arguments.Tensor(kSelf, {2, 3}, DType::kFloat32);
        arguments.Tensor(kOutOfAll, {1}, DType::kFloat32);
      });
  max.ExpectAccepted();
  max.ExpectGenericRules();
  max.ExpectRule("some/self", [](CallArguments& arguments) {
    arguments.Tensor(kSelf, {2, 0}, DType::kFloat32);
  });
  max.ExpectEveryRuleCovered();
  ContractHarness<decltype(aclnnProdGetWorkspaceSize)> prod(
      kProdContract, &aclnnProdGetWorkspaceSize, [](CallArguments& arguments) {
        arguments.Tensor(kSelf, {2, 3}, DType::kFloat32);
        arguments.Integer(kDTypeOfAll, ACL_FLOAT);
        arguments.Tensor(kOutOfProduct, {}, DType::kFloat32);
      });
  prod.ExpectAccepted();
  prod.ExpectGenericRules();
  prod.ExpectEveryRuleCovered();
}

TEST_F(Reduce, MeanV2OfNoDimensions) {
  ContractHarness<decltype(aclnnMeanV2GetWorkspaceSize)> harness(
      kMeanV2Contract, &aclnnMeanV2GetWorkspaceSize, [](CallArguments& arguments) {
        arguments.Tensor(kSelf, {2, 3}, DType::kFloat32);
        arguments.Ints(kDims, {});
        arguments.Bool(kKeep, false);
        arguments.Bool(kAttribute, true);
        arguments.Tensor(kOutAfterAttribute, {2, 3}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("shape/out", [](CallArguments& arguments) {
    arguments.Tensor(kOutAfterAttribute, {}, DType::kFloat32);
  });
  harness.ExpectEveryRuleCovered({"mean_v2/product"});
}

}  // namespace
}  // namespace aclimb::reduce
