#include <algorithm>
#include <cmath>
#include <limits>

#include "aclimb/ops/pooling/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::pooling_test {

ACLIMB_OPERATOR_SUITE(Pooling, pooling::kOperators);

namespace {

constexpr DType kFloat = DType::kFloat32;

class Pooling : public DeviceTest {
 protected:
  struct Result {
    std::vector<double> out;
    std::vector<double> indices;
  };

  // Windows of one kind over [1, H, W].
  Result Maxima(const std::vector<int64_t>& plane, const std::vector<double>& values,
                const std::vector<int64_t>& kernel, const std::vector<int64_t>& stride,
                const std::vector<int64_t>& padding, const std::vector<int64_t>& dilation,
                bool ceil, const std::vector<int64_t>& pooled) {
    const DeviceTensor self(plane, kFloat, values);
    const DeviceTensor out(pooled, kFloat), indices(pooled, DType::kInt32);
    const IntArray kernel_size(kernel), strides(stride), paddings(padding), dilations(dilation);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnMaxPool2dWithIndicesGetWorkspaceSize(
              self, kernel_size, strides, paddings, dilations, ceil, out, indices, size, executor);
        },
        &aclnnMaxPool2dWithIndices, stream_));
    return {out.Values(), indices.Values()};
  }
};

// The suite runs MaxPool with another padding at the end than at the beginning.
TEST(PoolingDraw, EndsHavePaddingsOfTheirOwn) {
  using namespace pooling::plain;  // NOLINT: the positions
  int different = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    truth::Draw draw(seed);
    truth::Call call(kContract);
    pooling::DrawMax<kPlaces>(draw, call);
    const std::vector<int64_t>& pads = call.Ints(kPads);
    different += pads.size() == 4 && (pads[0] != pads[1] || pads[2] != pads[3]) ? 1 : 0;
  }
  EXPECT_GT(different, 10);
}

// Of equal numbers the first counts, of NaNs the last.
TEST_F(Pooling, IndicesAreThoseOfPyTorch) {
  const double nan = std::nan("");
  const Result ties =
      Maxima({1, 2, 4}, {3, 3, nan, 1, 3, 3, 2, nan}, {2}, {}, {0}, {1}, false, {1, 1, 2});
  EXPECT_EQ(ties.out[0], 3);
  EXPECT_TRUE(std::isnan(ties.out[1]));
  EXPECT_EQ(ties.indices, (std::vector<double>{0, 7}));
}

TEST_F(Pooling, InfinitiesBelowAllNumbersHaveIndices) {
  const double least = -std::numeric_limits<double>::infinity();
  const Result all =
      Maxima({1, 1, 3}, {least, least, least}, {1, 2}, {1}, {0, 1}, {1}, false, {1, 1, 4});
  EXPECT_EQ(all.out, std::vector<double>(4, least));
  EXPECT_EQ(all.indices, (std::vector<double>{0, 0, 1, 2}));
}

// Both elements of the window lie in the padding.
TEST_F(Pooling, WindowsWithoutElementsHaveNoIndex) {
  const Result none = Maxima({1, 1, 2}, {5, 6}, {1, 2}, {1}, {0, 1}, {1, 3}, false, {1, 1, 1});
  EXPECT_EQ(none.out, std::vector<double>{-std::numeric_limits<double>::infinity()});
  EXPECT_EQ(none.indices, std::vector<double>{-1});
}

// A window that would begin behind the last element is none, even when ceilMode asks for it.
TEST_F(Pooling, CeilModeTakesWhatIsLeftOver) {
  const Result left = Maxima({1, 1, 5}, {1, 2, 3, 4, 5}, {1, 2}, {1, 2}, {0}, {1}, true, {1, 1, 3});
  EXPECT_EQ(left.out, (std::vector<double>{2, 4, 5}));
  const Result padded =
      Maxima({1, 1, 4}, {1, 2, 3, 4}, {1, 2}, {1, 5}, {0, 1}, {1}, true, {1, 1, 1});
  EXPECT_EQ(padded.out, std::vector<double>{1});
}

// Four million terms of one size.
TEST_F(Pooling, LongSumsAreExactEnough) {
  constexpr int64_t kSide = 2048;
  const auto value = static_cast<double>(0.1f);
  const DeviceTensor self({1, kSide, kSide}, kFloat, std::vector<double>(kSide * kSide, value));
  const DeviceTensor out({1, 1, 1}, kFloat);
  const IntArray size_of_all({kSide}), none({}), zero({0}), one({1, 1});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnAvgPool2dGetWorkspaceSize(self, size_of_all, none, zero, false, true, 0, 0, out,
                                              size, executor);
      },
      &aclnnAvgPool2d, stream_));
  EXPECT_NEAR(out.Values()[0], value, 1e-8);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnAdaptiveAvgPool2dGetWorkspaceSize(self, one, out, size, executor);
      },
      &aclnnAdaptiveAvgPool2d, stream_));
  EXPECT_NEAR(out.Values()[0], value, 1e-8);
}

// Two thousand terms of one size, in rows of windows that overlap.
TEST_F(Pooling, LongSumsAlongRowsAreExactEnough) {
  constexpr int64_t kTerms = 2000;
  const auto value = static_cast<double>(0.1f);
  for (const int64_t stride : {1, 2}) {
    // The element in the middle is in as many windows as one has elements, or in half of them.
    const int64_t in = 2 * kTerms, out = kTerms / stride + 1;
    const IntArray kernel({1, kTerms}), strides({stride}), zero({0});
    const DeviceTensor self({1, 1, in}, kFloat, std::vector<double>(in, value));
    const DeviceTensor means({1, 1, out}, kFloat, std::vector<double>(out, value));
    const DeviceTensor pooled({1, 1, out}, kFloat), grad_input({1, 1, in}, kFloat);
    ACLIMB_ASSERT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnAvgPool2dGetWorkspaceSize(self, kernel, strides, zero, false, true, 0, 0,
                                                pooled, size, executor);
        },
        &aclnnAvgPool2d, stream_));
    EXPECT_NEAR(pooled.Values()[1], value, 1e-8);
    ACLIMB_ASSERT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnAvgPool2dBackwardGetWorkspaceSize(means, self, kernel, strides, zero, false,
                                                        true, 0, 0, grad_input, size, executor);
        },
        &aclnnAvgPool2dBackward, stream_));
    EXPECT_NEAR(grad_input.Values()[kTerms], value / static_cast<double>(stride), 1e-8);
  }
}

// Seven thousand rows of windows have the same row of elements.
TEST_F(Pooling, LongSumsOfSharingWindowsAreExactEnough) {
  constexpr int64_t kRows = 3, kWindows = 20'000, kColumns = 8;
  const auto value = static_cast<double>(0.1f);
  const DeviceTensor self({1, kRows, kColumns}, kFloat), grad_input({1, kRows, kColumns}, kFloat);
  const DeviceTensor grad_output({1, kWindows, kColumns}, kFloat,
                                 std::vector<double>(kWindows * kColumns, value));
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(grad_output, self, grad_input, size,
                                                              executor);
      },
      &aclnnAdaptiveAvgPool2dBackward, stream_));
  // Two windows have two elements each, all others one.
  EXPECT_NEAR(grad_input.Values()[0], value * (6666 + 0.5), 1e-4);
  EXPECT_NEAR(grad_input.Values()[kColumns], value * (6666 + 1), 1e-4);
}

// The sum of two of the terms is infinite in float32.
TEST_F(Pooling, SumsThatCancelAreFinite) {
  const IntArray kernel({1, 3}), one({1}), zero({0});
  // One plane, and planes that lie side by side.
  for (const int64_t planes : {1, 4}) {
    std::vector<double> values;
    for (int64_t plane = 0; plane < planes; ++plane) {
      values.insert(values.end(), {3e38, 3e38, -3e38});
    }
    const DeviceTensor self({planes, 1, 3}, kFloat, values, {.stride = {1, 3 * planes, planes}});
    const DeviceTensor out({planes, 1, 1}, kFloat);
    ACLIMB_ASSERT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnAvgPool2dGetWorkspaceSize(self, kernel, one, zero, false, true, 1, 0, out,
                                                size, executor);
        },
        &aclnnAvgPool2d, stream_));
    for (const double x : out.Values()) EXPECT_EQ(x, static_cast<double>(3e38f)) << planes;
  }
}

// All windows have the same maximum.
TEST_F(Pooling, LongSumsOfGradientsAreExactEnough) {
  constexpr int64_t kWindows = 20'000;
  const auto value = static_cast<double>(0.1f);
  const DeviceTensor grad_output({1, 1, kWindows}, kFloat, std::vector<double>(kWindows, value));
  const DeviceTensor self({1, 1, 2 * kWindows - 1}, kFloat);
  const DeviceTensor indices({1, 1, kWindows}, DType::kInt32,
                             std::vector<double>(kWindows, kWindows - 1));
  const DeviceTensor grad_input({1, 1, 2 * kWindows - 1}, kFloat);
  const IntArray kernel({1, kWindows}), one({1}), zero({0});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
            grad_output, self, indices, kernel, one, zero, one, false, grad_input, size, executor);
      },
      &aclnnMaxPool2dWithIndicesBackward, stream_));
  EXPECT_NEAR(grad_input.Values()[kWindows - 1], value * kWindows, 1e-4);
}

// Windows far wider than the planes, and steps far longer, take no longer than others.
TEST_F(Pooling, LargeWindowsAreCutToThePlane) {
  constexpr int64_t kHuge = (int64_t{1} << 31) - 1;
  const Result wide =
      Maxima({1, 2, 2}, {1, 2, 3, 4}, {kHuge}, {kHuge}, {kHuge / 2}, {1}, true, {1, 1, 1});
  EXPECT_EQ(wide.out, std::vector<double>{4});
  EXPECT_EQ(wide.indices, std::vector<double>{3});
}

class PoolingRules : public DeviceTest {
 protected:
  // What the operators on windows share.
  template <typename Harness>
  static void ExpectWindowRules(Harness& harness, const pooling::Places& places) {
    const auto rule = [](const char* kind, const pooling::Place& place) {
      return std::string(kind) + place.name;
    };
    harness.ExpectRule(rule("planes/", places.self), [&](CallArguments& a) {
      a.Tensor(places.self.at, {1, 4, 0}, kFloat);
    });
    harness.ExpectRule(rule("half/", places.padding), [&](CallArguments& a) {
      a.Ints(places.padding.at, {0, 2});
    });
    harness.ExpectRule(rule("shape/", places.pooled),
                       [&](CallArguments& a) { a.Ints(places.kernel.at, {1}); });
    // No window fits.
    harness.ExpectRule(rule("shape/", places.pooled),
                       [&](CallArguments& a) { a.Ints(places.kernel.at, {5}); });
  }
};

TEST_F(PoolingRules, OfMaxima) {
  const auto test = [](const contract::Contract& contract, auto* phase1, DType index,
                       const std::vector<int64_t>& indices) {
    using namespace pooling::forward;  // NOLINT: the positions
    ContractHarness<std::remove_pointer_t<decltype(phase1)>> harness(
        contract, phase1, [&](CallArguments& a) {
          a.Tensor(kSelf, {1, 4, 6}, kFloat);
          a.Ints(kKernelSize, {2});
          a.Ints(kStride, {});
          a.Ints(kPadding, {0});
          a.Ints(kDilation, {1, 1});
          a.Bool(kCeilMode, false);
          a.Tensor(kOut, {1, 2, 3}, kFloat);
          a.Tensor(kIndices, indices, index);
        });
    harness.ExpectAccepted();
    harness.ExpectGenericRules();
    ExpectWindowRules(harness, kPlaces);
    harness.ExpectRule("planes/self", [](CallArguments& a) {
      a.Tensor(kSelf, {1, 1 << 16, 1 << 15}, kFloat);
    });
    if (index == DType::kInt8) {
      harness.ExpectRule("shape/indices", [](CallArguments& a) {
        a.Tensor(kIndices, {1, 4, 32}, DType::kInt8);
      });
    }
    harness.ExpectEveryRuleCovered({std::string(contract.folder) + "/product"});
  };
  test(pooling::kMaxPool2dWithMaskContract, &aclnnMaxPool2dWithMaskGetWorkspaceSize, DType::kInt8,
       {1, 4, 64});
  test(pooling::kMaxPool2dWithIndicesContract, &aclnnMaxPool2dWithIndicesGetWorkspaceSize,
       DType::kInt32, {1, 2, 3});
}

TEST_F(PoolingRules, OfGradientsOfMaxima) {
  const auto test = [](const contract::Contract& contract, auto* phase1, DType index,
                       const std::vector<int64_t>& indices) {
    using namespace pooling::backward;  // NOLINT: the positions
    ContractHarness<std::remove_pointer_t<decltype(phase1)>> harness(
        contract, phase1, [&](CallArguments& a) {
          a.Tensor(kGradOutput, {1, 2, 3}, kFloat);
          a.Tensor(kSelf, {1, 4, 6}, kFloat);
          a.Tensor(kIndices, indices, index);
          a.Ints(kKernelSize, {2});
          a.Ints(kStride, {});
          a.Ints(kPadding, {0});
          a.Ints(kDilation, {1, 1});
          a.Bool(kCeilMode, false);
          a.Tensor(kGradInput, {1, 4, 6}, kFloat);
        });
    harness.ExpectAccepted();
    harness.ExpectGenericRules();
    ExpectWindowRules(harness, kPlaces);
    if (index == DType::kInt8) {
      harness.ExpectRule("shape/indices", [](CallArguments& a) {
        a.Tensor(kIndices, {1, 4, 32}, DType::kInt8);
      });
    }
    harness.ExpectEveryRuleCovered({std::string(contract.folder) + "/product"});
  };
  test(pooling::kMaxPool2dWithMaskBackwardContract, &aclnnMaxPool2dWithMaskBackwardGetWorkspaceSize,
       DType::kInt8, {1, 4, 64});
  test(pooling::kMaxPool2dWithIndicesBackwardContract,
       &aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize, DType::kInt32, {1, 2, 3});
}

TEST_F(PoolingRules, OfMaximaAlone) {
  using namespace pooling::plain;  // NOLINT: the positions
  ContractHarness<decltype(aclnnMaxPoolGetWorkspaceSize)> harness(
      kContract, &aclnnMaxPoolGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {1, 4, 6}, kFloat);
        a.Ints(kKernelShape, {2});
        a.Ints(kStrides, {});
        a.Integer(kAutoPad, 0);
        a.Ints(kPads, {0, 0, 0, 0});
        a.Ints(kDilations, {1});
        a.Integer(kCeilMode, 0);
        a.Tensor(kOut, {1, 2, 3}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Ints(kPads, {1, 1, 0, 0});
    a.Tensor(kOut, {1, 3, 3}, kFloat);
  });
  harness.ExpectGenericRules();
  ExpectWindowRules(harness, kPlaces);
  harness.ExpectRule("count/pads", [](CallArguments& a) { a.Ints(kPads, {0, 0, 0}); });
  harness.ExpectRule("count/dilations", [](CallArguments& a) { a.Ints(kDilations, {1, 1, 1}); });
  harness.ExpectEveryRuleCovered({"max_pool/product"});
}

TEST_F(PoolingRules, OfMeans) {
  using namespace pooling::average;  // NOLINT: the positions
  ContractHarness<decltype(aclnnAvgPool2dGetWorkspaceSize)> harness(
      kContract, &aclnnAvgPool2dGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {1, 4, 6}, kFloat);
        a.Ints(kKernelSize, {2});
        a.Ints(kStrides, {});
        a.Ints(kPaddings, {0});
        a.Bool(kCeilMode, false);
        a.Bool(kCountIncludePad, false);
        a.Integer(kDivisorOverride, 0);
        a.Integer(kCubeMathType, 1);
        a.Tensor(kOut, {1, 2, 3}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  ExpectWindowRules(harness, kPlaces);
  harness.ExpectEveryRuleCovered({"avg_pool2d/product"});
}

TEST_F(PoolingRules, OfGradientsOfMeans) {
  using namespace pooling::average_backward;  // NOLINT: the positions
  ContractHarness<decltype(aclnnAvgPool2dBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnAvgPool2dBackwardGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kGradOutput, {1, 2, 3}, kFloat);
        a.Tensor(kSelf, {1, 4, 6}, kFloat);
        a.Ints(kKernelSize, {2});
        a.Ints(kStride, {});
        a.Ints(kPadding, {0});
        a.Bool(kCeilMode, false);
        a.Bool(kCountIncludePad, false);
        a.Integer(kDivisorOverride, 0);
        a.Integer(kCubeMathType, 1);
        a.Tensor(kGradInput, {1, 4, 6}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  ExpectWindowRules(harness, kPlaces);
  harness.ExpectEveryRuleCovered({"avg_pool2d_backward/product"});
}

// [C, H, W] of 4 and 6, or [C, D, H, W] of 5, 4 and 6. No two dimensions have as many windows.
template <size_t kDims>
struct Sharing {
  static std::vector<int64_t> Shape(int64_t channels) {
    return kDims == 2 ? std::vector<int64_t>{channels, 4, 6}
                      : std::vector<int64_t>{channels, 5, 4, 6};
  }
  static std::vector<int64_t> None() {
    return kDims == 2 ? std::vector<int64_t>{1, 0, 6} : std::vector<int64_t>{1, 5, 0, 6};
  }
  static std::vector<int64_t> Size() {
    return kDims == 2 ? std::vector<int64_t>{2, 3} : std::vector<int64_t>{4, 2, 3};
  }
  static std::vector<int64_t> Reversed() {
    std::vector<int64_t> size = Size();
    std::ranges::reverse(size);
    return size;
  }
  static std::vector<int64_t> Pooled(int64_t channels) {
    std::vector<int64_t> shape = Size();
    shape.insert(shape.begin(), channels);
    return shape;
  }
  static std::vector<int64_t> TooMany() {
    std::vector<int64_t> shape(kDims + 1, 0);
    shape[0] = 1;
    shape[1] = pooling::kMost + 1;
    return shape;
  }
  static constexpr const char* kPlanesRule = kDims == 2 ? "planes/self" : "volumes/self";
};

template <size_t kDims, typename Phase1>
void TestAdaptiveMeans(Phase1* phase1) {
  using namespace pooling::adaptive;  // NOLINT: the positions
  using Of = Sharing<kDims>;
  ContractHarness<Phase1> harness(kContract<kDims>, phase1, [](CallArguments& a) {
    a.Tensor(kSelf, Of::Shape(1), kFloat);
    a.Ints(kOutputSize, Of::Size());
    a.Tensor(kOut, Of::Pooled(1), kFloat);
  });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule(Of::kPlanesRule,
                     [](CallArguments& a) { a.Tensor(kSelf, Of::None(), kFloat); });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kOutputSize, Of::Reversed()); });
  harness.ExpectEveryRuleCovered({std::string(kContract<kDims>.folder) + "/product"});
}

TEST_F(PoolingRules, OfAdaptiveMeans) {
  TestAdaptiveMeans<2>(&aclnnAdaptiveAvgPool2dGetWorkspaceSize);
  TestAdaptiveMeans<3>(&aclnnAdaptiveAvgPool3dGetWorkspaceSize);
}

template <size_t kDims, typename Phase1>
void TestGradientsOfAdaptiveMeans(Phase1* phase1) {
  using namespace pooling::adaptive_backward;  // NOLINT: the positions
  using Of = Sharing<kDims>;
  ContractHarness<Phase1> harness(kContract<kDims>, phase1, [](CallArguments& a) {
    a.Tensor(kGradOutput, Of::Pooled(1), kFloat);
    a.Tensor(kSelf, Of::Shape(1), kFloat);
    a.Tensor(kOut, Of::Shape(1), kFloat);
  });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule(Of::kPlanesRule,
                     [](CallArguments& a) { a.Tensor(kSelf, Of::None(), kFloat); });
  harness.ExpectRule("planes/gradOutput",
                     [](CallArguments& a) { a.Tensor(kGradOutput, Of::Pooled(2), kFloat); });
  harness.ExpectRule("planes/gradOutput",
                     [](CallArguments& a) { a.Tensor(kGradOutput, Of::TooMany(), kFloat); });
  harness.ExpectEveryRuleCovered({std::string(kContract<kDims>.folder) + "/product"});
}

TEST_F(PoolingRules, OfGradientsOfAdaptiveMeans) {
  TestGradientsOfAdaptiveMeans<2>(&aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize);
  TestGradientsOfAdaptiveMeans<3>(&aclnnAdaptiveAvgPool3dBackwardGetWorkspaceSize);
}

template <size_t kDims, typename Phase1>
void TestAdaptiveMaxima(Phase1* phase1) {
  using namespace pooling::adaptive_max;  // NOLINT: the positions
  using Of = Sharing<kDims>;
  ContractHarness<Phase1> harness(kContract<kDims>, phase1, [](CallArguments& a) {
    a.Tensor(kSelf, Of::Shape(1), kFloat);
    a.Ints(kOutputSize, Of::Size());
    a.Tensor(kOutputOut, Of::Pooled(1), kFloat);
    a.Tensor(kIndicesOut, Of::Pooled(1), kDims == 2 ? DType::kInt64 : DType::kInt32);
  });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule(Of::kPlanesRule,
                     [](CallArguments& a) { a.Tensor(kSelf, Of::None(), kFloat); });
  harness.ExpectRule("shape/outputOut",
                     [](CallArguments& a) { a.Ints(kOutputSize, Of::Reversed()); });
  harness.ExpectEveryRuleCovered({std::string(kContract<kDims>.folder) + "/product"});
}

TEST_F(PoolingRules, OfAdaptiveMaxima) {
  TestAdaptiveMaxima<2>(&aclnnAdaptiveMaxPool2dGetWorkspaceSize);
  TestAdaptiveMaxima<3>(&aclnnAdaptiveMaxPool3dGetWorkspaceSize);
}

template <size_t kDims, typename Phase1>
void TestGradientsOfAdaptiveMaxima(Phase1* phase1) {
  using namespace pooling::adaptive_max_backward;  // NOLINT: the positions
  using Of = Sharing<kDims>;
  ContractHarness<Phase1> harness(kContract<kDims>, phase1, [](CallArguments& a) {
    a.Tensor(kGradOutput, Of::Pooled(1), kFloat);
    a.Tensor(kSelf, Of::Shape(1), kFloat);
    a.Tensor(kIndices, Of::Pooled(1), kDims == 2 ? DType::kInt64 : DType::kInt32);
    a.Tensor(kGradInput, Of::Shape(1), kFloat);
  });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule(Of::kPlanesRule,
                     [](CallArguments& a) { a.Tensor(kSelf, Of::None(), kFloat); });
  harness.ExpectRule("planes/gradOutput",
                     [](CallArguments& a) { a.Tensor(kGradOutput, Of::Pooled(2), kFloat); });
  harness.ExpectRule("planes/gradOutput",
                     [](CallArguments& a) { a.Tensor(kGradOutput, Of::TooMany(), kFloat); });
  harness.ExpectEveryRuleCovered({std::string(kContract<kDims>.folder) + "/product"});
}

TEST_F(PoolingRules, OfGradientsOfAdaptiveMaxima) {
  TestGradientsOfAdaptiveMaxima<2>(&aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize);
  TestGradientsOfAdaptiveMaxima<3>(&aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize);
}

TEST_F(PoolingRules, OfColumns) {
  using namespace pooling::columns;  // NOLINT: the positions
  ContractHarness<decltype(aclnnIm2colGetWorkspaceSize)> harness(
      kContract, &aclnnIm2colGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 4, 6}, kFloat);
        a.Ints(kKernelSize, {2, 3});
        a.Ints(kDilation, {1, 1});
        a.Ints(kPadding, {0, 0});
        a.Ints(kStride, {1, 1});
        a.Tensor(kOut, {12, 12}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("planes/self", [](CallArguments& a) { a.Tensor(kSelf, {2, 0, 6}, kFloat); });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kKernelSize, {3, 2}); });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kKernelSize, {5, 1}); });
  harness.ExpectRule("shape/out", [](CallArguments& a) {
    a.Ints(kPadding, {pooling::kMost, pooling::kMost});
  });
  harness.ExpectEveryRuleCovered({"im2col/product"});
}

TEST_F(PoolingRules, OfSumsOfColumns) {
  using namespace pooling::columns_backward;  // NOLINT: the positions
  ContractHarness<decltype(aclnnIm2colBackwardGetWorkspaceSize)> harness(
      kContract, &aclnnIm2colBackwardGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kGradOutput, {12, 12}, kFloat);
        a.Ints(kInputSize, {4, 6});
        a.Ints(kKernelSize, {2, 3});
        a.Ints(kDilation, {1, 1});
        a.Ints(kPadding, {0, 0});
        a.Ints(kStride, {1, 1});
        a.Tensor(kOut, {2, 4, 6}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("shape/gradOutput", [](CallArguments& a) { a.Ints(kInputSize, {4, 7}); });
  harness.ExpectRule("shape/gradOutput", [](CallArguments& a) { a.Ints(kInputSize, {1, 6}); });
  harness.ExpectRule("shape/gradOutput", [](CallArguments& a) {
    a.Tensor(kGradOutput, {13, 12}, kFloat);
  });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Tensor(kOut, {3, 4, 6}, kFloat); });
  harness.ExpectEveryRuleCovered({"im2col_backward/product"});
}

}  // namespace
}  // namespace aclimb::testing::pooling_test
