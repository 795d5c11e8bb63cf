#include <cmath>
#include <limits>
#include <vector>

#include "aclimb/ops/unary/operators.h"
#include "tests/support/compare.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::unary_test {

ACLIMB_OPERATOR_SUITE(Unary, unary::kOperators);

namespace {

using Values = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();

class Unary : public DeviceTest {
 protected:
  template <typename Phase1, typename Phase2>
  Values Of(const Values& x, Phase1 phase1, Phase2 phase2, DType out_dtype = DType::kFloat32) {
    const std::vector<int64_t> shape = {static_cast<int64_t>(x.size())};
    const DeviceTensor self(shape, DType::kFloat32, x), out(shape, out_dtype);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) { return phase1(self, out, size, executor); },
        phase2, stream_));
    return out.Values();
  }
  // To within a few units of the last place, wherever the numbers lie.
  template <typename Phase1, typename Phase2>
  void Expect(const Values& x, double (*function)(double), Phase1 phase1, Phase2 phase2) {
    Values expected;
    for (const double number : x) expected.push_back(function(static_cast<float>(number)));
    EXPECT_TRUE(Near(Of(x, phase1, phase2), expected, {5e-7, 0}));
  }
};
#define ACLIMB_PHASES(Name) &aclnn##Name##GetWorkspaceSize, &aclnn##Name

TEST_F(Unary, HyperbolicFunctionsHaveAllDigitsFromTinyToHuge) {
  const Values x = {1e-30, -1e-4, 0.1, -0.69, 0.71, 3, 79.9, 80.1, -88.9, 89.4};
  Expect(x, std::sinh, ACLIMB_PHASES(Sinh));
  Expect(x, std::cosh, ACLIMB_PHASES(Cosh));
  Expect({1e-30, -1e-4, 0.5, -3, 9e8, -2e9, 3e38}, std::asinh, ACLIMB_PHASES(Asinh));
  Expect({1, 1.0000001, 1.5, 20, 9e8, 2e9, 3e38}, std::acosh, ACLIMB_PHASES(Acosh));
  Expect({1e-30, -1e-4, 0.5, -0.9, 0.9999999}, std::atanh, ACLIMB_PHASES(Atanh));
}

TEST_F(Unary, InverseFunctionsHaveAllDigits) {
  Expect({-1, -0.99999994, -0.6, -0.4, -1e-20, 0.3, 0.7, 1}, std::asin, ACLIMB_PHASES(Asin));
  Expect({-1, -0.99999994, -0.6, 0.4, 0.7, 0.99999994}, std::acos, ACLIMB_PHASES(Acos));
  Expect({-kInf, -1e30, -1, -1e-20, 0.7, 3, kInf}, std::atan, ACLIMB_PHASES(Atan));
  Expect({1e-30, 0.8, -1.57, 1.5707963, 3, 1e4, -1e30}, std::tan, ACLIMB_PHASES(Tan));
}

TEST_F(Unary, ErrorFunctionsHaveAllDigitsAtTheirEnds) {
  Expect({-5, -1, 0, 1, 4, 9}, std::erfc, ACLIMB_PHASES(Erfc));
  EXPECT_TRUE(Near(Of({0.5, -0.75, 1, -1, 0.99999994}, ACLIMB_PHASES(Erfinv)),
                   {0.4769362762, -0.8134198476, kInf, -kInf, 3.832506856}, {1e-7, 0}));
}

TEST_F(Unary, LogarithmsAndPowersHaveAllDigits) {
  Expect({-1, -0.5, 1e-30, 1e-4, 3e38}, std::log1p, ACLIMB_PHASES(Log1p));
  Expect({-kInf, -100, -1e-30, 1e-4, 0.69, 88}, std::expm1, ACLIMB_PHASES(Expm1));
  Expect({0, 1e-40, 0.9999999, 1, 1024, 3e38, kInf}, std::log2, ACLIMB_PHASES(Log2));
  Expect({0, 1e-38, 0.9999999, 1, 1000, kInf}, std::log10, ACLIMB_PHASES(Log10));
  Expect({-kInf, -126, -0.5, 0, 3, 127.5}, std::exp2, ACLIMB_PHASES(Exp2));
}

// Who takes the floor of a logarithm counts digits.
TEST_F(Unary, LogarithmsOfPowersAreWhole) {
  Values twos, exponents, tens, digits;
  for (int n = -149; n < 128; ++n) {
    twos.push_back(std::ldexp(1.0, n));
    exponents.push_back(n);
  }
  for (int n = -37; n < 39; ++n) {
    tens.push_back(std::pow(10.0, n));
    digits.push_back(n);
  }
  EXPECT_EQ(Of(twos, ACLIMB_PHASES(Log2)), exponents);
  EXPECT_EQ(Of(tens, ACLIMB_PHASES(Log10)), digits);
}

TEST_F(Unary, TheSignOfZeroCounts) {
  for (const double zero : Of({-0.0, -0.0}, ACLIMB_PHASES(Relu))) EXPECT_TRUE(std::signbit(zero));
  EXPECT_EQ(Of({-0.0, 0, -1, kInf, -kInf}, ACLIMB_PHASES(Signbit), DType::kBool),
            (Values{1, 0, 1, 0, 1}));
}

}  // namespace
}  // namespace aclimb::testing::unary_test
