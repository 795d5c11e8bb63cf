// What is particular to images on a cubic curve and to volumes; the suite has the rest.

#include <cmath>
#include <vector>

#include "aclimb/ops/upsample/operators.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"

namespace aclimb::testing::upsample_test {
namespace {

class Volumes : public DeviceTest {};

// Between 0 and 1 of 0, 0, 1, 1 the curve is symmetric; at a quarter it is 0.1015625 below the
// line.
TEST_F(Volumes, CubicCurvesGoThroughTheElements) {
  const DeviceTensor self({1, 1, 1, 4}, DType::kFloat32, {0, 0, 1, 1});
  const DeviceTensor out({1, 1, 1, 13}, DType::kFloat32);
  const IntArray size({1, 13});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* workspace, aclOpExecutor** executor) {
        return aclnnUpsampleBicubic2dGetWorkspaceSize(self, size, true, 0, 0, out, workspace,
                                                      executor);
      },
      &aclnnUpsampleBicubic2d, stream_));
  const std::vector<double> values = out.Values();
  const std::vector<double> elements = {0, 0, 1, 1};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(values[4 * i], elements[i], 1e-6);
  EXPECT_NEAR(values[5], 0.2265625, 1e-6);
  EXPECT_NEAR(values[6], 0.5, 1e-6);
  EXPECT_NEAR(values[5] + values[7], 1, 1e-6);
}

TEST_F(Volumes, TheMiddleOfACubeIsTheMeanOfItsCorners) {
  const DeviceTensor self({1, 1, 2, 2, 2}, DType::kFloat64, {1, 2, 3, 4, 5, 6, 7, 16});
  const DeviceTensor out({1, 1, 3, 3, 3}, DType::kFloat64);
  const IntArray size({3, 3, 3});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* workspace, aclOpExecutor** executor) {
        return aclnnUpsampleTrilinear3dGetWorkspaceSize(self, size, true, 0, 0, 0, out, workspace,
                                                        executor);
      },
      &aclnnUpsampleTrilinear3d, stream_));
  const std::vector<double> values = out.Values();
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[13], 5.5);
  EXPECT_EQ(values[26], 16);
}

TEST_F(Volumes, TheNearestKeepTheSignOfZero) {
  const DeviceTensor self({1, 1, 1, 1, 2}, DType::kFloat64, {-0.0, 1e300});
  const DeviceTensor out({1, 1, 2, 1, 4}, DType::kFloat64);
  const IntArray size({2, 1, 4});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* workspace, aclOpExecutor** executor) {
        return aclnnUpsampleNearest3dGetWorkspaceSize(self, size, 0, 0, 0, out, workspace,
                                                      executor);
      },
      &aclnnUpsampleNearest3d, stream_));
  const std::vector<double> values = out.Values();
  EXPECT_EQ(values, (std::vector<double>{0, 0, 1e300, 1e300, 0, 0, 1e300, 1e300}));
  EXPECT_TRUE(std::signbit(values[0]));
  EXPECT_TRUE(std::signbit(values[5]));
}

// PyTorch finds the nearest of DOUBLE in double and rounds to float: element 41 is 41 * 2 / 82.
TEST_F(Volumes, TheNearestOfDoubleAreFoundInDouble) {
  const DeviceTensor self({1, 1, 1, 1, 2}, DType::kFloat64, {0, 1});
  const DeviceTensor out({1, 1, 1, 1, 82}, DType::kFloat64);
  const IntArray size({1, 1, 82});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* workspace, aclOpExecutor** executor) {
        return aclnnUpsampleNearest3dGetWorkspaceSize(self, size, 0, 0, 0, out, workspace,
                                                      executor);
      },
      &aclnnUpsampleNearest3d, stream_));
  const std::vector<double> values = out.Values();
  for (size_t i = 0; i < 82; ++i) EXPECT_EQ(values[i], i < 41 ? 0 : 1) << i;
}

// PyTorch's upsample_nearest3d has the factor in volumes of any size. Its gradient has none where
// the output is as large as the input or twice as large.
TEST_F(Volumes, FactorsCountWhereTheSizeStaysButNotInItsGradient) {
  const DeviceTensor self({1, 1, 1, 1, 4}, DType::kFloat32, {0, 1, 2, 3});
  const auto forward = [&](int64_t width) {
    const DeviceTensor out({1, 1, 1, 1, width}, DType::kFloat32);
    const IntArray size({1, 1, width});
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* workspace, aclOpExecutor** executor) {
          return aclnnUpsampleNearest3dGetWorkspaceSize(self, size, 0, 0, 4, out, workspace,
                                                        executor);
        },
        &aclnnUpsampleNearest3d, stream_));
    return out.Values();
  };
  const auto gradient = [&](int64_t width) {
    const DeviceTensor grad({1, 1, 1, 1, width}, DType::kFloat32,
                            std::vector<double>(static_cast<size_t>(width), 1));
    const DeviceTensor result({1, 1, 1, 1, 4}, DType::kFloat32);
    const IntArray size({1, 1, width}), input({1, 1, 1, 1, 4});
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* workspace, aclOpExecutor** executor) {
          return aclnnUpsampleNearest3dBackwardGetWorkspaceSize(grad, size, input, 0, 0, 4, result,
                                                                workspace, executor);
        },
        &aclnnUpsampleNearest3dBackward, stream_));
    return result.Values();
  };
  EXPECT_EQ(forward(4), (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(gradient(4), (std::vector<double>{1, 1, 1, 1}));
  EXPECT_EQ(forward(8), (std::vector<double>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(gradient(8), (std::vector<double>{2, 2, 2, 2}));
  EXPECT_EQ(gradient(7), (std::vector<double>{4, 3, 0, 0}));
}

using Dims = std::vector<int64_t>;

// What all have: an input, the size of the output, in gradients that of the input, then factors,
// alignCorners where it matters, and an output.
enum : int { kInput, kOutputSize, kInputSize };

// Two channels of an image.
Dims WithSize(const Dims& size) {
  Dims shape = {1, 2};
  shape.insert(shape.end(), size.begin(), size.end());
  return shape;
}

void SetCall(CallArguments& a, const contract::Contract& contract, const Dims& from,
             const Dims& to) {
  const int output = static_cast<int>(contract.parameters.size()) - 1;
  a.Tensor(kInput, from, DType::kFloat32);
  a.Tensor(output, to, DType::kFloat32);
  for (int i = kOutputSize; i < output; ++i) {
    const contract::Kind kind = contract.parameters[static_cast<size_t>(i)].kind;
    if (kind == contract::Kind::kBool) a.Bool(i, true);
    if (kind == contract::Kind::kReal) a.Real(i, 0);
  }
}

// Between the sizes, whose numbers are above 1.
template <typename Phase1>
void ExpectForwardRules(const contract::Contract& contract, Phase1& phase1, const Dims& in,
                        const Dims& out) {
  ContractHarness<Phase1> harness(contract, &phase1, [&](CallArguments& a) {
    SetCall(a, contract, WithSize(in), WithSize(out));
    a.Ints(kOutputSize, out);
  });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  Dims empty = in, other = out;
  empty[empty.size() - 2] = 0;
  other.back() -= 1;
  harness.ExpectRule("images/self",
                     [&](CallArguments& a) { a.Tensor(kInput, WithSize(empty), DType::kFloat32); });
  harness.ExpectRule("shape/out", [&](CallArguments& a) { a.Ints(kOutputSize, other); });
  harness.ExpectEveryRuleCovered({Cat(contract.folder, "/product")});
}

template <typename Phase1>
void ExpectBackwardRules(const contract::Contract& contract, Phase1& phase1, const Dims& in,
                         const Dims& out) {
  ContractHarness<Phase1> harness(contract, &phase1, [&](CallArguments& a) {
    SetCall(a, contract, WithSize(out), WithSize(in));
    a.Ints(kOutputSize, out);
    a.Ints(kInputSize, WithSize(in));
  });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  Dims empty = in, other_in = in, other_out = out;
  empty[empty.size() - 2] = 0;
  other_in[other_in.size() - 2] += 1;
  other_out.back() -= 1;
  const int gradient = static_cast<int>(contract.parameters.size()) - 1;
  harness.ExpectRule("images/inputSize", [&](CallArguments& a) {
    a.Ints(kInputSize, WithSize(empty));
    a.Tensor(gradient, WithSize(empty), DType::kFloat32);
  });
  harness.ExpectRule("shape/gradOut", [&](CallArguments& a) { a.Ints(kOutputSize, other_out); });
  harness.ExpectRule(Cat("shape/", contract.At(gradient).name),
                     [&](CallArguments& a) { a.Ints(kInputSize, WithSize(other_in)); });
  harness.ExpectEveryRuleCovered({Cat(contract.folder, "/product")});
}

TEST(VolumesContract, Bicubic) {
  ExpectForwardRules(upsample::bicubic::kContract, aclnnUpsampleBicubic2dGetWorkspaceSize, {2, 3},
                     {4, 5});
}

TEST(VolumesContract, BicubicBackward) {
  ExpectBackwardRules(upsample::bicubic_backward::kContract,
                      aclnnUpsampleBicubic2dBackwardGetWorkspaceSize, {2, 3}, {4, 5});
}

TEST(VolumesContract, Trilinear) {
  ExpectForwardRules(upsample::trilinear::kContract, aclnnUpsampleTrilinear3dGetWorkspaceSize,
                     {2, 2, 3}, {3, 4, 5});
}

TEST(VolumesContract, TrilinearBackward) {
  ExpectBackwardRules(upsample::trilinear_backward::kContract,
                      aclnnUpsampleTrilinear3dBackwardGetWorkspaceSize, {2, 2, 3}, {3, 4, 5});
}

TEST(VolumesContract, Nearest) {
  ExpectForwardRules(upsample::nearest3d::kContract, aclnnUpsampleNearest3dGetWorkspaceSize,
                     {2, 2, 3}, {3, 4, 5});
}

TEST(VolumesContract, NearestBackward) {
  ExpectBackwardRules(upsample::nearest3d_backward::kContract,
                      aclnnUpsampleNearest3dBackwardGetWorkspaceSize, {2, 2, 3}, {3, 4, 5});
}

}  // namespace
}  // namespace aclimb::testing::upsample_test
