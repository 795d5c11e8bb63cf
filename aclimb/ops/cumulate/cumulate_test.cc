// The operators of this folder through their C interfaces.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "aclimb/ops/cumulate/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"
#include "tests/support/setting.h"

namespace aclimb::testing::cumulate_test {

ACLIMB_OPERATOR_SUITE(Cumulate, cumulate::kOperators);

}  // namespace aclimb::testing::cumulate_test

namespace aclimb::cumulate {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::Near;
using aclimb::testing::RunBothPhases;
using aclimb::testing::Scalar;
using aclimb::testing::Setting;

using Values = std::vector<double>;

class Cumsum : public aclimb::testing::DeviceTest {
 protected:
  void Run(const DeviceTensor& self, int64_t dim, DType dtype, const DeviceTensor& out) {
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnCumsumGetWorkspaceSize(self, dim, static_cast<aclDataType>(dtype), out, size,
                                             executor);
        },
        &aclnnCumsum, stream_));
  }
};

TEST_F(Cumsum, NotFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const DeviceTensor self({6}, DType::kFloat32, {1, kInfinity, 2, -kInfinity, 3, 4});
  const DeviceTensor out({6}, DType::kFloat32);
  Run(self, 0, DType::kFloat32, out);
  const double nan = std::nan("");
  EXPECT_TRUE(Near(out.Values(), {1, kInfinity, kInfinity, nan, nan, nan}, {}));
}

// A sum in order that has passed the largest number stays there.
TEST_F(Cumsum, LargestDoubles) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const DeviceTensor self({6}, DType::kFloat64, {0, 1.5e308, 1.5e308, -1.5e308, -1.5e308, 1});
  const DeviceTensor out({6}, DType::kFloat64);
  Run(self, 0, DType::kFloat64, out);
  EXPECT_EQ(out.Values(),
            (std::vector<double>{0, 1.5e308, kInfinity, kInfinity, kInfinity, kInfinity}));
}

// Sums in order are finite, those of parts of the line are not.
TEST_F(Cumsum, LongLinesOfLargeDoubles) {
  Values values(140'000, 0.0), expected(values);
  values[10] = -1.2e308;
  values[70'000] = values[70'001] = 1e308;
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) expected[i] = sum += values[i];
  const DeviceTensor self({140'000}, DType::kFloat64, values), out({140'000}, DType::kFloat64);
  Run(self, 0, DType::kFloat64, out);
  EXPECT_EQ(out.Values(), expected);
}

TEST_F(Cumsum, NarrowIntegersWrap) {
  const DeviceTensor self({3}, DType::kInt8, {100, 100, 100}), out({3}, DType::kInt8);
  Run(self, -1, DType::kInt8, out);
  EXPECT_TRUE(Near(out.Values(), {100, -56, 44}, {}));
}

// A single line, or a few side by side, go to the team in chunks.
TEST_F(Cumsum, LongLines) {
  constexpr int64_t kCount = 300'000;
  for (const int64_t lines : {1, 10}) {
    const std::vector<int64_t> shape = {kCount / lines, lines};
    const DeviceTensor self(shape, DType::kFloat32, Values(kCount, 0.1));
    Values expected;
    for (int64_t i = 0; i < kCount; ++i) {
      const int64_t terms = i / lines + 1;
      expected.push_back(static_cast<double>(terms) * double{0.1f});
    }
    std::vector<unsigned char> bytes;
    for (const char* threads : {"1", "3"}) {
      const Setting setting("ACLIMB_THREADS", threads);
      const DeviceTensor out(shape, DType::kFloat32);
      Run(self, 0, DType::kFloat32, out);
      EXPECT_TRUE(Near(out.Values(), expected, {6e-8, 0}));
      if (bytes.empty()) bytes = out.Bytes();
      EXPECT_TRUE(out.Bytes() == bytes);
    }
  }
}

// Lines lie side by side in both operands, in one of them, or in none; there are more of them than
// a tile has, and rows, too.
TEST_F(Cumsum, LinesSideBySideInOneOperand) {
  constexpr int64_t kLines = 100, kLength = 150;
  Values values, sums, signs, products;
  for (int64_t line = 0; line < kLines; ++line) {
    double sum = 0, product = 1;
    for (int64_t i = 0; i < kLength; ++i) {
      values.push_back(static_cast<double>((line * 31 + i) % 7 - 3));
      signs.push_back((line * 31 + i) % 3 == 0 ? -1.0 : 1.0);
      sums.push_back(sum += values.back());
      products.push_back(product *= signs.back());
    }
  }
  const Scalar dim(1, DType::kInt64);
  struct Types {
    DType from, to;
  };
  for (const Types types :
       {Types{DType::kFloat32, DType::kFloat32}, Types{DType::kFloat32, DType::kFloat64},
        Types{DType::kFloat64, DType::kFloat64}, Types{DType::kInt64, DType::kInt64},
        Types{DType::kInt8, DType::kInt32}, Types{DType::kFloat16, DType::kFloat16}}) {
    for (const int turned : {0, 1, 2, 3}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(types.from) << " turned " << turned);
      const auto layout = [&](int operand) {
        DeviceTensor::Options options;
        if ((turned >> operand & 1) != 0) options.stride = {1, kLines + 1};
        return options;
      };
      const DeviceTensor terms({kLines, kLength}, types.from, values, layout(0));
      const DeviceTensor factors({kLines, kLength}, types.from, signs, layout(0));
      const DeviceTensor out({kLines, kLength}, types.to, {}, layout(1));
      Run(terms, 1, types.to, out);
      EXPECT_EQ(out.Values(), sums);
      EXPECT_TRUE(out.Read().surroundings_intact);
      ACLIMB_EXPECT_OK(RunBothPhases(
          [&](uint64_t* size, aclOpExecutor** executor) {
            return aclnnCumprodGetWorkspaceSize(factors, dim, static_cast<aclDataType>(types.to),
                                                out, size, executor);
          },
          &aclnnCumprod, stream_));
      EXPECT_EQ(out.Values(), products);
      EXPECT_TRUE(out.Read().surroundings_intact);
    }
  }
}

using Cumprod = Cumsum;

// A part of a line alone would overflow, and 0 times that be NaN.
TEST_F(Cumprod, NothingTimesALongLineIsNothing) {
  constexpr int64_t kCount = 100'000;
  Values values(kCount, 1e30);
  values[1] = 0;
  const DeviceTensor self({kCount}, DType::kFloat32, values);
  const Scalar dim(-1, DType::kInt32);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnInplaceCumprodGetWorkspaceSize(self, dim, size, executor);
      },
      &aclnnInplaceCumprod, stream_));
  Values expected(kCount);
  expected[0] = double{1e30f};
  EXPECT_EQ(self.Values(), expected);
}

using Cummax = Cumsum;

// As PyTorch has them: the last of equals, and NaN over all numbers.
TEST_F(Cummax, EqualsAndNaN) {
  const double nan = std::nan("");
  const DeviceTensor self({2, 4}, DType::kFloat32, {1, 3, 3, 2, nan, 5, nan, 7});
  const DeviceTensor values({2, 4}, DType::kFloat32), indices({2, 4}, DType::kInt32);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnCummaxGetWorkspaceSize(self, -1, values, indices, size, executor);
      },
      &aclnnCummax, stream_));
  EXPECT_TRUE(Near(values.Values(), {1, 3, 3, 3, nan, nan, nan, nan}, {}));
  EXPECT_EQ(indices.Values(), (Values{0, 1, 2, 2, 0, 0, 2, 2}));
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnCumminGetWorkspaceSize(self, 0, values, indices, size, executor);
      },
      &aclnnCummin, stream_));
  EXPECT_TRUE(Near(values.Values(), {1, 3, 3, 2, nan, 3, nan, 2}, {}));
  EXPECT_EQ(indices.Values(), (Values{0, 0, 0, 0, 1, 0, 1, 0}));
}

TEST_F(Cumprod, Refusals) {
  const auto fill = [](CallArguments& arguments) {
    arguments.Tensor(kSelf, {2, 3}, DType::kFloat32);
    arguments.ScalarOf(kDim, 1, DType::kInt64);
  };
  ContractHarness<decltype(aclnnCumprodGetWorkspaceSize)> harness(
      cumprod::kContract, &aclnnCumprodGetWorkspaceSize, [&](CallArguments& arguments) {
        fill(arguments);
        arguments.Integer(kDType, ACL_FLOAT);
        arguments.Tensor(kOut, {2, 3}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("whole/dim", [](CallArguments& a) { a.ScalarOf(kDim, 1, DType::kFloat32); });
  harness.ExpectEveryRuleCovered({"cumprod/product"});
  ContractHarness<decltype(aclnnInplaceCumprodGetWorkspaceSize)> in_place(
      inplace_cumprod::kContract, &aclnnInplaceCumprodGetWorkspaceSize, fill);
  in_place.ExpectAccepted();
  in_place.ExpectGenericRules();
  in_place.ExpectRule("whole/dim", [](CallArguments& a) { a.ScalarOf(kDim, 1, DType::kBool); });
  in_place.ExpectEveryRuleCovered({"inplace_cumprod/product"});
}

TEST_F(Cummax, Refusals) {
  using P = Extremes;
  ContractHarness<decltype(aclnnCummaxGetWorkspaceSize)> harness(
      kCummaxContract, &aclnnCummaxGetWorkspaceSize, [](CallArguments& arguments) {
        arguments.Tensor(kSelf, {2, 3}, DType::kFloat32);
        arguments.Integer(kDim, 1);
        arguments.Tensor(P::kValues, {2, 3}, DType::kFloat32);
        arguments.Tensor(P::kIndices, {2, 3}, DType::kInt64);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered();
}

TEST_F(Cumsum, Refusals) {
  ContractHarness<decltype(aclnnCumsumGetWorkspaceSize)> harness(
      kContract, &aclnnCumsumGetWorkspaceSize, [](CallArguments& arguments) {
        arguments.Tensor(kSelf, {2, 3}, DType::kFloat32);
        arguments.Integer(kDim, 1);
        arguments.Integer(kDType, ACL_FLOAT);
        arguments.Tensor(kOut, {2, 3}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered();
}

}  // namespace
}  // namespace aclimb::cumulate
