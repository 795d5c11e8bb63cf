// The operators of two operands through their C interface: the suite, and what is particular.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "aclimb/ops/binary/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::binary_test {

ACLIMB_OPERATOR_SUITE(Binary, binary::kOperators);

namespace {

using Numbers = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

class Binary : public DeviceTest {
 protected:
  template <typename Phase1, typename Phase2, typename... Arguments>
  void Run(Phase1 phase1, Phase2 phase2, const Arguments&... arguments) {
    ACLIMB_ASSERT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return phase1(arguments..., size, executor);
        },
        phase2, stream_));
  }
};

DeviceTensor Vector(DType dtype, const Numbers& values) {
  return DeviceTensor({static_cast<int64_t>(values.size())}, dtype, values);
}
DeviceTensor Empty(DType dtype, size_t count) {
  return DeviceTensor({static_cast<int64_t>(count)}, dtype);
}

#define ACLIMB_RUN(function, ...) Run(&function##GetWorkspaceSize, &function, __VA_ARGS__)

TEST_F(Binary, LogarithmsOfSumsDoNotOverflow) {
  const DeviceTensor x = Vector(DType::kFloat32, {1000, -1000, -kInf, kInf, 5, kNaN});
  const DeviceTensor y = Vector(DType::kFloat32, {1000, -1001, -kInf, -kInf, -kInf, 1});
  const DeviceTensor out = Empty(DType::kFloat32, 6);
  ACLIMB_RUN(aclnnLogAddExp, x, y, out);
  EXPECT_TRUE(Near(out.Values(),
                   {1000 + std::log(2.0), -1000 + std::log1p(std::exp(-1.0)), -kInf, kInf, 5, kNaN},
                   {2e-7, 0}));
  ACLIMB_RUN(aclnnLogAddExp2, x, y, out);
  EXPECT_TRUE(Near(out.Values(), {1001, -1000 + std::log2(1.5), -kInf, kInf, 5, kNaN}, {2e-7, 0}));
}

// The larger exponent and what the other adds: all but a few digits of float32 cancel.
TEST_F(Binary, LogarithmsOfSumsThatAreNearlyOneOfHalfTypes) {
  const Numbers larger = {-0.57177734375, -0.50390625, -0.6064453125};
  const Numbers smaller = {-0.83154296875, -0.9267578125, -0.7880859375};
  const DeviceTensor out = Empty(DType::kFloat16, larger.size());
  ACLIMB_RUN(aclnnLogAddExp, Vector(DType::kFloat16, larger), Vector(DType::kFloat16, smaller),
             out);
  Numbers expected;
  for (size_t i = 0; i < larger.size(); ++i) {
    expected.push_back(larger[i] + std::log1p(std::exp(smaller[i] - larger[i])));
  }
  EXPECT_TRUE(Near(out.Values(), expected, {5e-4, 2 * 0x1p-24}));
}

TEST_F(Binary, NothingTimesALogarithmIsNothing) {
  const DeviceTensor x = Vector(DType::kInt32, {0, 0, 0, 2});
  const DeviceTensor y = Vector(DType::kFloat32, {0, -1, kNaN, 3});
  const DeviceTensor out = Empty(DType::kFloat32, 4);
  ACLIMB_RUN(aclnnXLogYTensor, x, y, out);
  EXPECT_TRUE(Near(out.Values(), {0, 0, kNaN, 2 * std::log(3.0)}, {2e-7, 0}));
}

TEST_F(Binary, IntegersWrap) {
  const Scalar one(1, DType::kInt64), two(2, DType::kInt32);
  const DeviceTensor bytes = Vector(DType::kInt8, {100, -100, 3});
  const DeviceTensor sum = Empty(DType::kInt8, 3);
  ACLIMB_RUN(aclnnAdd, bytes, bytes, one, sum);
  EXPECT_EQ(sum.Values(), (Numbers{-56, 56, 6}));
  ACLIMB_RUN(aclnnMuls, bytes, two, sum);
  EXPECT_EQ(sum.Values(), (Numbers{-56, 56, 6}));
  const DeviceTensor unsigned_bytes = Vector(DType::kUInt8, {1, 255});
  ACLIMB_RUN(aclnnInplaceSubs, unsigned_bytes, two, one);
  EXPECT_EQ(unsigned_bytes.Values(), (Numbers{255, 253}));
  const DeviceTensor wide = Vector(DType::kInt64, {-0x1p63, 0x1p62, 3});
  ACLIMB_RUN(aclnnInplaceMul, wide, Vector(DType::kInt64, {-1, 2, 5}));
  EXPECT_EQ(wide.Values(), (Numbers{-0x1p63, -0x1p63, 15}));
  const DeviceTensor base = Vector(DType::kInt32, {3, -2, 0, 2, 1, -1, 7});
  ACLIMB_RUN(aclnnInplacePowTensorTensor, base, Vector(DType::kInt32, {21, 31, 0, -1, -5, -3, 30}));
  EXPECT_EQ(base.Values(), (Numbers{1870418611, -0x1p31, 1, 0, 1, -1, 1878557649}));
}

TEST_F(Binary, IntegersDividedByZeroAndByMinusOne) {
  for (const DType dtype : {DType::kInt32, DType::kInt64}) {
    const double lowest = dtype == DType::kInt32 ? -0x1p31 : -0x1p63;
    const DeviceTensor x = Vector(dtype, {7, -7, 0, lowest, lowest});
    const DeviceTensor y = Vector(dtype, {0, 0, 0, -1, 0});
    const DeviceTensor out = Empty(dtype, 5);
    for (const int mode : {1, 2}) {
      ACLIMB_RUN(aclnnDivMod, x, y, mode, out);
      EXPECT_EQ(out.Values(), (Numbers{0, 0, 0, lowest, 0})) << mode;
    }
    ACLIMB_RUN(aclnnFloorDivide, x, y, out);
    EXPECT_EQ(out.Values(), (Numbers{0, 0, 0, lowest, 0}));
    ACLIMB_RUN(aclnnRemainderTensorTensor, x, y, out);
    EXPECT_EQ(out.Values(), (Numbers{7, -7, 0, 0, lowest}));
    ACLIMB_RUN(aclnnFmodTensor, x, y, out);
    EXPECT_EQ(out.Values(), (Numbers{7, -7, 0, 0, lowest}));
    ACLIMB_RUN(aclnnFmodScalar, x, Scalar(0, DType::kInt64), out);
    EXPECT_EQ(out.Values(), (Numbers{7, -7, 0, lowest, lowest}));
  }
}

TEST_F(Binary, SignsOfQuotientsAndRemainders) {
  for (const DType dtype : {DType::kInt32, DType::kFloat32, DType::kFloat64, DType::kFloat16}) {
    const DeviceTensor x = Vector(dtype, {7, -7, 7, -7, 6, -6});
    const DeviceTensor y = Vector(dtype, {3, 3, -3, -3, 3, -3});
    const DeviceTensor out = Empty(dtype, 6);
    ACLIMB_RUN(aclnnRemainderTensorTensor, x, y, out);
    EXPECT_EQ(out.Values(), (Numbers{1, 2, -2, -1, 0, 0})) << NameOf(dtype);
    ACLIMB_RUN(aclnnFmodTensor, x, y, out);
    EXPECT_EQ(out.Values(), (Numbers{1, -1, 1, -1, 0, 0})) << NameOf(dtype);
    ACLIMB_RUN(aclnnFloorDivide, x, y, out);
    EXPECT_EQ(out.Values(), (Numbers{2, -3, -3, 2, 2, 2})) << NameOf(dtype);
    ACLIMB_RUN(aclnnDivMod, x, y, 1, out);
    EXPECT_EQ(out.Values(), (Numbers{2, -2, -2, 2, 2, 2})) << NameOf(dtype);
  }
}

// 0.1f is a little above a tenth: it goes into 1 nine times, although 1 / 0.1f rounds to 10.
TEST_F(Binary, FloorOfAQuotientThatRoundsUp) {
  const DeviceTensor x = Vector(DType::kFloat32, {1, -1, 1e30, 5, -5, kInf, 5, 0});
  const DeviceTensor y = Vector(DType::kFloat32, {0.1, 0.1, 7, kInf, kInf, 2, 0, 0});
  const DeviceTensor out = Empty(DType::kFloat32, 8);
  ACLIMB_RUN(aclnnFloorDivide, x, y, out);
  EXPECT_TRUE(Near(out.Values(), {9, -10, 1e30 / 7, 0, -1, kNaN, kInf, kNaN}, {1e-7, 0}));
  ACLIMB_RUN(aclnnRemainderTensorTensor, x, y, out);
  const double big = std::fmod(static_cast<double>(1e30f), 7);
  EXPECT_TRUE(Near(out.Values(),
                   {0.09999998658895493, 1.4901161e-8, big, 5, kInf, kNaN, kNaN, kNaN}, {1e-7, 0}));
}

TEST_F(Binary, Int64IsComparedExactly) {
  const int64_t next = (int64_t{1} << 53) + 1;
  aclScalar* const other = aclCreateScalar(const_cast<int64_t*>(&next), ACL_INT64);
  const DeviceTensor x = Vector(DType::kInt64, {0x1p53, 0x1p53 + 2});
  const DeviceTensor out = Empty(DType::kBool, 2);
  ACLIMB_RUN(aclnnEqScalar, x, other, out);
  EXPECT_EQ(out.Values(), (Numbers{0, 0}));
  ACLIMB_RUN(aclnnLtScalar, x, other, out);
  EXPECT_EQ(out.Values(), (Numbers{1, 0}));
  ACLIMB_RUN(aclnnLeScalar, x, other, out);
  EXPECT_EQ(out.Values(), (Numbers{1, 0}));
  ACLIMB_RUN(aclnnGeScalar, x, other, out);
  EXPECT_EQ(out.Values(), (Numbers{0, 1}));
  ACLIMB_RUN(aclnnInplaceAdds, x, other, Scalar(1, DType::kInt64));
  ACLIMB_RUN(aclnnInplaceSubs, x, Scalar(0x1p53, DType::kInt64), Scalar(2, DType::kInt64));
  EXPECT_EQ(x.Values(), (Numbers{1, 3}));
  EXPECT_EQ(aclDestroyScalar(other), 0);
}

TEST_F(Binary, ScalarsOf64BitsWithoutASignKeepTheirBits) {
  uint64_t ones = ~uint64_t{0};
  aclScalar* const all = aclCreateScalar(&ones, ACL_UINT64);
  const DeviceTensor x = Vector(DType::kInt64, {-1, 5}), out = Empty(DType::kInt64, 2);
  ACLIMB_RUN(aclnnBitwiseAndScalar, x, all, out);
  EXPECT_EQ(out.Values(), (Numbers{-1, 5}));
  ACLIMB_RUN(aclnnMuls, x, all, out);
  EXPECT_EQ(out.Values(), (Numbers{1, -5}));
  const DeviceTensor equal = Empty(DType::kBool, 2);
  ACLIMB_RUN(aclnnEqScalar, x, all, equal);
  EXPECT_EQ(equal.Values(), (Numbers{1, 0}));
  EXPECT_EQ(aclDestroyScalar(all), 0);
}

TEST_F(Binary, Bools) {
  const DeviceTensor x = Vector(DType::kBool, {0, 0, 1, 1}), y = Vector(DType::kBool, {0, 1, 0, 1});
  const DeviceTensor out = Empty(DType::kBool, 4), real = Empty(DType::kFloat32, 4);
  const Scalar one(1, DType::kInt64), no(0, DType::kBool);
  ACLIMB_RUN(aclnnAdd, x, y, one, out);
  EXPECT_EQ(out.Values(), (Numbers{0, 1, 1, 1}));
  ACLIMB_RUN(aclnnAdd, x, y, no, out);
  EXPECT_EQ(out.Values(), (Numbers{0, 0, 1, 1}));
  ACLIMB_RUN(aclnnSub, x, y, one, out);
  EXPECT_EQ(out.Values(), (Numbers{0, 1, 1, 0}));
  ACLIMB_RUN(aclnnMul, x, y, out);
  EXPECT_EQ(out.Values(), (Numbers{0, 0, 0, 1}));
  ACLIMB_RUN(aclnnDiv, x, y, real);
  EXPECT_TRUE(Near(real.Values(), {kNaN, 0, kInf, 1}, {}));
  ACLIMB_RUN(aclnnBitwiseXorTensor, x, y, out);
  EXPECT_EQ(out.Values(), (Numbers{0, 1, 1, 0}));
  ACLIMB_RUN(aclnnGtTensor, x, y, out);
  EXPECT_EQ(out.Values(), (Numbers{0, 0, 1, 0}));
  ACLIMB_RUN(aclnnMaximum, x, y, out);
  EXPECT_EQ(out.Values(), (Numbers{0, 1, 1, 1}));
}

// A comparison rounds the scalar to the tensor's dtype, a calculation does not.
TEST_F(Binary, ScalarsOfHalfTensors) {
  const DeviceTensor x = Vector(DType::kFloat16, {0.1, 3});
  const DeviceTensor is = Empty(DType::kBool, 2), out = Empty(DType::kFloat32, 2);
  ACLIMB_RUN(aclnnEqScalar, x, Scalar(0.1f), is);
  EXPECT_EQ(is.Values(), (Numbers{1, 0}));
  ACLIMB_RUN(aclnnMuls, Vector(DType::kFloat16, {1024, 3}), Scalar(0.1f), out);
  EXPECT_EQ(out.Values()[0], 102.375) << "102.34375 would be the product of the rounded scalar";
  // As in PyTorch: the scalar of a remainder is rounded.
  const DeviceTensor numbers = Vector(DType::kBFloat16, {1, 2, 0.5, 3});
  const DeviceTensor result = Empty(DType::kBFloat16, 4);
  const Numbers rests = {0.09912109375, 0.09814453125, 0.099609375, 0.09716796875};
  ACLIMB_RUN(aclnnRemainderTensorScalar, numbers, Scalar(0.1f), result);
  EXPECT_EQ(result.Values(), rests);
  ACLIMB_RUN(aclnnFmodScalar, numbers, Scalar(0.1f), result);
  EXPECT_EQ(result.Values(), rests);
  ACLIMB_RUN(aclnnFloorDivides, Vector(DType::kFloat16, {1, 2, 0.5, 3}), Scalar(0.1f), result);
  EXPECT_EQ(result.Values(), (Numbers{9, 19, 4, 29})) << "a rounded scalar would give 10, 20, 5";
}

TEST_F(Binary, IntegersThatMeetAHalfTypeAreRoundedToIt) {
  const DeviceTensor whole = Vector(DType::kInt32, {2049, -100'000});
  const DeviceTensor half = Vector(DType::kFloat16, {2048, 0.5});
  const DeviceTensor is = Empty(DType::kBool, 2), out = Empty(DType::kFloat32, 2);
  ACLIMB_RUN(aclnnEqTensor, whole, half, is);
  EXPECT_EQ(is.Values(), (Numbers{1, 0}));
  ACLIMB_RUN(aclnnMul, whole, half, out);
  EXPECT_EQ(out.Values()[1], -kInf) << "65504 is the largest number of FLOAT16";
  ACLIMB_RUN(aclnnFloorDivide, whole, half, out);
  EXPECT_EQ(out.Values()[0], 1);
}

TEST_F(Binary, NaNIsNotEqualAndStaysInExtrema) {
  const DeviceTensor x = Vector(DType::kFloat32, {kNaN, 1, kNaN, 2, -kInf});
  const DeviceTensor y = Vector(DType::kFloat32, {1, kNaN, kNaN, 3, 1});
  const DeviceTensor out = Empty(DType::kFloat32, 5);
  ACLIMB_RUN(aclnnMaximum, x, y, out);
  EXPECT_TRUE(Near(out.Values(), {kNaN, kNaN, kNaN, 3, 1}, {}));
  ACLIMB_RUN(aclnnMinimum, x, y, out);
  EXPECT_TRUE(Near(out.Values(), {kNaN, kNaN, kNaN, 2, -kInf}, {}));
  ACLIMB_RUN(aclnnNeTensor, x, y, out);
  EXPECT_EQ(out.Values(), (Numbers{1, 1, 1, 1, 1}));
  ACLIMB_RUN(aclnnLeTensor, x, y, out);
  EXPECT_EQ(out.Values(), (Numbers{0, 0, 0, 1, 1}));
  ACLIMB_RUN(aclnnLogicalAnd, x, y, out);
  EXPECT_EQ(out.Values(), (Numbers{1, 1, 1, 1, 1}));
}

TEST_F(Binary, PowersThatHaveFormulasOfTheirOwn) {
  const Numbers values = {2, -3, 0.25, 0.0, -0.0, kInf, -kInf, kNaN};
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const DeviceTensor x = Vector(dtype, values), out = Empty(dtype, values.size());
    for (const double exponent : {2.0, 3.0, 0.5, -1.0, -0.5, 0.0, 1.0, 1.5, -2.0}) {
      Numbers expected;
      for (const double value : values) {
        const double root = std::sqrt(value);
        expected.push_back(exponent == 0.5    ? root
                           : exponent == -0.5 ? 1 / root
                                              : std::pow(value, exponent));
      }
      ACLIMB_RUN(aclnnPowTensorScalar, x, Scalar(exponent, DType::kFloat64), out);
      EXPECT_TRUE(Near(out.Values(), expected, {3e-7, 0})) << exponent;
    }
  }
}

TEST_F(Binary, WholeNumbersAreDividedAsFloats) {
  const DeviceTensor x = Vector(DType::kInt32, {7, -7, 1, 0}),
                     y = Vector(DType::kInt32, {2, 2, 0, 0});
  const DeviceTensor real = Empty(DType::kFloat32, 4), whole = Empty(DType::kInt32, 4);
  ACLIMB_RUN(aclnnDiv, x, y, real);
  EXPECT_TRUE(Near(real.Values(), {3.5, -3.5, kInf, kNaN}, {}));
  ACLIMB_RUN(aclnnDiv, x, y, whole);
  EXPECT_EQ(whole.Values(), (Numbers{3, -3, -0x1p31, -0x1p31}));
}

TEST_F(Binary, AFloorThatIsZeroHasTheQuotientsSign) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kFloat64}) {
    const DeviceTensor x = Vector(dtype, {-0.0, 0.0, -0.0, 0.0, 1, -1, -1}),
                       y = Vector(dtype, {3, 3, -3, -3, 3, -3, 3});
    const DeviceTensor out = Empty(dtype, 7);
    ACLIMB_RUN(aclnnFloorDivide, x, y, out);
    const Numbers floors = out.Values();
    EXPECT_EQ(floors, (Numbers{0, 0, 0, 0, 0, 0, -1}));
    const bool is_negative[] = {true, false, false, true, false, false};
    for (size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(std::signbit(floors[i]), is_negative[i]) << NameOf(dtype) << " " << i;
    }
  }
}

// ---- Refusals

void FillAdd(CallArguments& a) {
  for (const int p : {0, 1, 3}) a.Tensor(p, {{2, 3}, DType::kFloat32});
  a.ScalarOf(2, 1, DType::kInt64);
}

TEST_F(Binary, RulesOfAdd) {
  ContractHarness<decltype(aclnnAddGetWorkspaceSize)> harness(binary::kAddContract,
                                                              &aclnnAddGetWorkspaceSize, FillAdd);
  harness.ExpectGenericRules();
  // PyTorch takes integers for BOOLs too.
  harness.ExpectAccepted([](CallArguments& a) {
    for (const int p : {0, 1, 3}) a.Tensor(p, {{2, 3}, DType::kBool});
  });
  harness.ExpectAccepted([](CallArguments& a) {
    a.Tensor(1, {{3}, DType::kFloat16});
    a.ScalarOf(2, 0.5, DType::kFloat32);
    a.Tensor(3, {{2, 3}, DType::kFloat32});
  });
  harness.ExpectEveryRuleCovered();
}

TEST_F(Binary, RulesOfAddsInPlace) {
  const auto fill = [](CallArguments& a) {
    a.Tensor(0, {{2, 3}, DType::kInt32});
    a.ScalarOf(1, 3, DType::kInt64);
    a.ScalarOf(2, 1, DType::kInt64);
  };
  ContractHarness<decltype(aclnnInplaceAddsGetWorkspaceSize)> harness(
      binary::kInplaceAddsContract, &aclnnInplaceAddsGetWorkspaceSize, fill);
  harness.ExpectGenericRules();
  harness.ExpectRule("promotes/result",
                     [](CallArguments& a) { a.ScalarOf(1, 0.5, DType::kFloat32); });
  harness.ExpectEveryRuleCovered();
}

TEST_F(Binary, RulesOfDivMods) {
  const auto fill = [](CallArguments& a) {
    a.Tensor(0, {{2, 3}, DType::kFloat32});
    a.ScalarOf(1, 3, DType::kFloat32);
    a.Integer(2, 1);
    a.Tensor(3, {{2, 3}, DType::kFloat32});
  };
  ContractHarness<decltype(aclnnDivModsGetWorkspaceSize)> harness(
      binary::kDivModsContract, &aclnnDivModsGetWorkspaceSize, fill);
  harness.ExpectGenericRules();
  harness.ExpectRule("promotes/result", [](CallArguments& a) {
    a.Tensor(3, {{2, 3}, DType::kInt32});
  });
  harness.ExpectEveryRuleCovered();
}

TEST_F(Binary, RulesOfEqScalar) {
  const auto fill = [](CallArguments& a) {
    a.Tensor(0, {{2, 3}, DType::kFloat32});
    a.ScalarOf(1, 3, DType::kFloat32);
    a.Tensor(2, {{2, 3}, DType::kInt32});
  };
  ContractHarness<decltype(aclnnEqScalarGetWorkspaceSize)> harness(
      binary::kEqScalarContract, &aclnnEqScalarGetWorkspaceSize, fill);
  harness.ExpectGenericRules();
  harness.ExpectRule("promotes/operands", [](CallArguments& a) {
    a.Tensor(0, {{2, 3}, DType::kBool});
    a.ScalarOf(1, 3, DType::kUInt32);
  });
  harness.ExpectEveryRuleCovered();
}

TEST_F(Binary, TheMessageOfAnAlphaThatDoesNotFit) {
  CallArguments a(4);
  for (const int p : {0, 1, 3}) a.Tensor(p, {{2, 3}, DType::kInt32});
  a.ScalarOf(2, 0.5, DType::kFloat32);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const auto tensor = [&](int p) {
    return static_cast<aclTensor*>(const_cast<void*>(a.At(p).handle));
  };
  EXPECT_EQ(
      aclnnAddGetWorkspaceSize(tensor(0), tensor(1), static_cast<const aclScalar*>(a.At(2).handle),
                               tensor(3), &size, &executor),
      161002);
  EXPECT_STREQ(
      aclGetRecentErrMsg(),
      "aclnnAddGetWorkspaceSize: alpha is FLOAT 0.5 but self.dtype is INT32 (shape [2, 3]) "
      "and other.dtype is INT32 (shape [2, 3]), which promote to INT32; expected an "
      "integer or a BOOL.\n  fix: pass alpha as an integer\n  rule: add/fits/alpha   code: "
      "161002 ACLNN_ERR_PARAM_INVALID");
}

}  // namespace
}  // namespace aclimb::testing::binary_test
