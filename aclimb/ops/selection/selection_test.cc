#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "aclimb/ops/selection/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::selection_test {

ACLIMB_OPERATOR_SUITE(Selection, selection::kOperators);

namespace {

using Values = std::vector<double>;
constexpr DType kFloat = DType::kFloat32;
const double kNan = std::nan("");
const double kInfinity = std::numeric_limits<double>::infinity();

class Selection : public DeviceTest {
 protected:
  static std::vector<int64_t> ViewShape(const aclTensor* tensor) {
    int64_t* extents = nullptr;
    uint64_t count = 0;
    ACLIMB_EXPECT_OK(aclGetViewShape(tensor, &extents, &count));
    const std::unique_ptr<int64_t[]> owned(extents);
    return {extents, extents + count};
  }
  int Select(const aclTensor* self, const aclTensor* mask, aclTensor* out) {
    return RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnMaskedSelectGetWorkspaceSize(self, mask, out, size, executor);
        },
        &aclnnMaskedSelect, stream_);
  }
  Values Equal(const aclTensor* self, const aclTensor* other) {
    const DeviceTensor out({1}, DType::kBool);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnEqualGetWorkspaceSize(self, other, out, size, executor);
        },
        &aclnnEqual, stream_));
    return out.Values();
  }
};

// As torch_npu does it: room for all, both phases, the wait, then the shape of the same tensor.
TEST_F(Selection, TheShapeIsThatOfTheSelectedElements) {
  const DeviceTensor self({2, 3}, kFloat, {1, 2, 3, 4, 5, 6});
  const DeviceTensor mask({2, 3}, DType::kBool, {0, 1, 1, 0, 0, 1});
  const DeviceTensor out({6}, kFloat);
  ACLIMB_ASSERT_OK(Select(self, mask, out));
  EXPECT_EQ(ViewShape(out), (std::vector<int64_t>{3}));
  EXPECT_EQ(out.Values(), Values({2, 3, 6, 0, 0, 0}));
  // The tensor now has room for three, which another call needs not be content with.
  EXPECT_EQ(Select(self, mask, out), 161002);
}

TEST_F(Selection, NothingIsSelected) {
  const DeviceTensor self({4}, kFloat, {1, 2, 3, 4});
  const DeviceTensor mask({1}, DType::kBool, {0}), out({4}, kFloat);
  ACLIMB_ASSERT_OK(Select(self, mask, out));
  EXPECT_EQ(ViewShape(out), (std::vector<int64_t>{0}));
}

// An executor that is used again says each time how many there were.
TEST_F(Selection, ARepeatedRunTellsTheShapeAgain) {
  const DeviceTensor self({4}, kFloat, {1, 2, 3, 4});
  const DeviceTensor mask({4}, DType::kUInt8, {1, 0, 2, 0}), out({4}, kFloat);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ACLIMB_ASSERT_OK(aclnnMaskedSelectGetWorkspaceSize(self, mask, out, &size, &executor));
  ACLIMB_ASSERT_OK(aclSetAclOpExecutorRepeatable(executor));
  const Workspace workspace(size);
  ACLIMB_ASSERT_OK(aclnnMaskedSelect(workspace.get(), size, executor, stream_));
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(ViewShape(out), (std::vector<int64_t>{2}));
  const uint8_t all[] = {1, 1, 1, 0};
  ACLIMB_ASSERT_OK(
      aclrtMemcpy(mask.data(), sizeof(all), all, sizeof(all), ACL_MEMCPY_HOST_TO_DEVICE));
  ACLIMB_ASSERT_OK(aclnnMaskedSelect(workspace.get(), size, executor, stream_));
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(ViewShape(out), (std::vector<int64_t>{3}));
  ACLIMB_EXPECT_OK(aclDestroyAclOpExecutor(executor));
}

// A descriptor that is destroyed before the run ends is nobody's any more.
TEST_F(Selection, ADestroyedTensorIsLeftAlone) {
  const DeviceTensor self({4}, kFloat, {1, 2, 3, 4});
  const DeviceTensor mask({4}, DType::kBool, {1, 0, 1, 0});
  DeviceTensor out({4}, kFloat);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ACLIMB_ASSERT_OK(aclnnMaskedSelectGetWorkspaceSize(self, mask, out, &size, &executor));
  out.DestroyDescriptor();
  const Workspace workspace(size);
  ACLIMB_ASSERT_OK(aclnnMaskedSelect(workspace.get(), size, executor, stream_));
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(out.Values(), Values({1, 3, 0, 0}));
}

TEST_F(Selection, EqualComparesShapesAndPromotedElements) {
  const DeviceTensor floats({2}, kFloat, {1, -0.0}), zeros({2}, kFloat, {1, 0});
  const DeviceTensor integers({2}, DType::kInt64, {1, 0}), column({2, 1}, kFloat, {1, 0});
  const DeviceTensor nan({1}, kFloat, {kNan});
  const DeviceTensor none({0, 2}, kFloat), nothing({0, 2}, DType::kInt8), other({0, 3}, kFloat);
  EXPECT_EQ(Equal(floats, zeros), Values{1});
  EXPECT_EQ(Equal(floats, integers), Values{1});
  EXPECT_EQ(Equal(floats, column), Values{0});
  EXPECT_EQ(Equal(nan, nan), Values{0});
  EXPECT_EQ(Equal(none, nothing), Values{1});
  EXPECT_EQ(Equal(none, other), Values{0});
  // These are one number as FLOAT, which two INT64 do not become.
  const DeviceTensor big({1}, DType::kInt64, {0x1p53}), bigger({1}, DType::kInt64, {0x1p53 + 2});
  const DeviceTensor rounded({1}, kFloat, {0x1p53});
  EXPECT_EQ(Equal(big, bigger), Values{0});
  EXPECT_EQ(Equal(bigger, rounded), Values{1});
}

TEST_F(Selection, CloseToInfinitiesAndNaN) {
  const DeviceTensor self({5}, kFloat, {kInfinity, kInfinity, 1, kNan, 1.01});
  const DeviceTensor other({5}, kFloat, {kInfinity, -kInfinity, kInfinity, kNan, 1});
  for (const bool equal_nan : {false, true}) {
    const DeviceTensor out({5}, DType::kBool);
    ACLIMB_ASSERT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnIsCloseGetWorkspaceSize(self, other, 0.02, 0, equal_nan, out, size, executor);
        },
        &aclnnIsClose, stream_));
    EXPECT_EQ(out.Values(), Values({1, 0, 0, equal_nan ? 1. : 0., 1}));
  }
}

// As PyTorch: 0.1 is a FLOAT, too, and a distance that is no FLOAT is none.
TEST_F(Selection, FloatsAreCloseByTheDistanceInFloat) {
  const DeviceTensor self({2}, kFloat, {0.1F, 3e38}), other({2}, kFloat, {0, -3e38});
  const DeviceTensor out({2}, DType::kBool);
  const auto close = [&](double rtol, double atol) {
    EXPECT_EQ(RunBothPhases(
                  [&](uint64_t* size, aclOpExecutor** executor) {
                    return aclnnIsCloseGetWorkspaceSize(self, other, rtol, atol, false, out, size,
                                                        executor);
                  },
                  &aclnnIsClose, stream_),
              0);
    return out.Values();
  };
  EXPECT_EQ(close(0, 0.1), Values({1, 0}));
  EXPECT_EQ(close(2.5, 0), Values({0, 0}));
}

TEST_F(Selection, NeighboursThatNoDoubleTellsApartAreNotClose) {
  const int64_t big = int64_t{1} << 53, next = big + 1;
  const DeviceTensor self({1}, DType::kInt64, {0}), other({1}, DType::kInt64, {0});
  const DeviceTensor out({1}, DType::kBool);
  for (const auto& [tensor, value] : {std::pair(&self, &next), std::pair(&other, &big)}) {
    ACLIMB_ASSERT_OK(
        aclrtMemcpy(tensor->data(), sizeof(big), value, sizeof(big), ACL_MEMCPY_HOST_TO_DEVICE));
  }
  for (const double atol : {0.0, 0.5, 1.0}) {
    ACLIMB_ASSERT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnIsCloseGetWorkspaceSize(self, other, 0, atol, false, out, size, executor);
        },
        &aclnnIsClose, stream_));
    EXPECT_EQ(out.Values(), Values({atol < 1 ? 0. : 1.}));
  }
}

TEST_F(Selection, IndicesOfNumbersThatAreNotZero) {
  const DeviceTensor self({2, 3}, kFloat, {0, 2, kNan, -0.0, 0, -1});
  const DeviceTensor rows({6, 2}, DType::kInt64), columns({2, 6}, DType::kInt64);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnNonzeroGetWorkspaceSize(self, rows, size, executor);
      },
      &aclnnNonzero, stream_));
  EXPECT_EQ(ViewShape(rows), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(rows.Values(), Values({0, 1, 0, 2, 1, 2, 0, 0, 0, 0, 0, 0}));
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnNonzeroV2GetWorkspaceSize(self, columns, size, executor);
      },
      &aclnnNonzeroV2, stream_));
  EXPECT_EQ(ViewShape(columns), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(columns.Values(), Values({0, 0, 1, 1, 2, 2, 0, 0, 0, 0, 0, 0}));
}

// There is a shape to tell even if there is no index to write.
TEST_F(Selection, IndicesIntoASingleNumber) {
  for (const auto& [number, rows] : {std::pair{0.0, int64_t{1}}, {0.0, 0}, {3.0, 1}}) {
    const DeviceTensor self({}, kFloat, {number}), out({rows, 0}, DType::kInt64);
    ACLIMB_ASSERT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnNonzeroGetWorkspaceSize(self, out, size, executor);
        },
        &aclnnNonzero, stream_));
    EXPECT_EQ(ViewShape(out), (std::vector<int64_t>{number == 0 ? 0 : 1, 0}));
  }
}

TEST_F(Selection, ASourceThatEndsLeavesTheRest) {
  const DeviceTensor self({2, 3}, kFloat, {1, 2, 3, 4, 5, 6}), source({2}, kFloat, {10, 20});
  const DeviceTensor mask({3}, DType::kBool, {1, 0, 1});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnInplaceMaskedScatterGetWorkspaceSize(self, mask, source, size, executor);
      },
      &aclnnInplaceMaskedScatter, stream_));
  EXPECT_EQ(self.Values(), Values({10, 2, 20, 4, 5, 6}));
}

TEST_F(Selection, TheTruthStopsWhereTheSourceEnds) {
  using namespace selection::inplace_masked_scatter;  // NOLINT: the positions
  truth::Call call(kContract);
  call.SetTensor(kSelf, {4}, kFloat, {1, 2, 3, 4});
  call.SetTensor(kMask, {4}, DType::kBool, {1, 1, 1, 1});
  call.SetTensor(kSource, {2}, kFloat, {10, 20});
  truth::Outputs outputs;
  selection::MaskedScatterTruth(call, outputs);
  EXPECT_EQ(outputs.Find(kSelf)->values, Values({10, 20, 3, 4}));
}

TEST(SelectionContracts, MaskedScatter) {
  using namespace selection::inplace_masked_scatter;  // NOLINT: the positions
  ContractHarness<decltype(aclnnInplaceMaskedScatterGetWorkspaceSize)> harness(
      kContract, &aclnnInplaceMaskedScatterGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, kFloat);
        a.Tensor(kMask, {3}, DType::kBool);
        a.Tensor(kSource, {6}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered({"inplace_masked_scatter/product"});
}

TEST(SelectionContracts, Nonzero) {
  using P = selection::Nonzero;
  ContractHarness<decltype(aclnnNonzeroGetWorkspaceSize)> rows(
      selection::nonzero::kContract, &aclnnNonzeroGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(P::kSelf, {2, 3}, kFloat);
        a.Tensor(P::kOut, {6, 2}, DType::kInt64);
      });
  rows.ExpectAccepted();
  rows.ExpectGenericRules();
  rows.ExpectRule("shape/out", [](CallArguments& a) { a.Tensor(P::kOut, {2, 6}, DType::kInt64); });
  rows.ExpectEveryRuleCovered({"nonzero/product"});
  ContractHarness<decltype(aclnnNonzeroV2GetWorkspaceSize)> columns(
      selection::nonzero_v2::kContract, &aclnnNonzeroV2GetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(P::kSelf, {2, 3}, kFloat);
        a.Tensor(P::kOut, {2, 6}, DType::kInt64);
      });
  columns.ExpectAccepted();
  columns.ExpectGenericRules();
  columns.ExpectRule("shape/out", [](CallArguments& a) {
    a.Tensor(P::kOut, {6, 2}, DType::kInt64);
  });
  columns.ExpectEveryRuleCovered({"nonzero_v2/product"});
}

TEST_F(Selection, NumbersAreLookedForInTheCommonDType) {
  const auto among = [&](float number, const DeviceTensor& elements, bool invert) {
    const DeviceTensor out({}, DType::kBool);
    aclScalar* const scalar = aclCreateScalar(&number, ACL_FLOAT);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnIsInScalarTensorGetWorkspaceSize(scalar, elements, false, invert, out, size,
                                                       executor);
        },
        &aclnnIsInScalarTensor, stream_));
    aclDestroyScalar(scalar);
    return out.Values()[0] != 0;
  };
  const DeviceTensor whole({3}, DType::kInt32, {0, 1, 2}), nothing({0}, kFloat, {});
  EXPECT_TRUE(among(2, whole, false));
  EXPECT_FALSE(among(0.5f, whole, false));
  EXPECT_FALSE(among(2, whole, true));
  EXPECT_TRUE(among(2, nothing, true));
  const auto nan = static_cast<float>(kNan);
  EXPECT_FALSE(among(nan, DeviceTensor({1}, kFloat, {kNan}), false));
}

TEST(SelectionContracts, Equal) {
  using namespace selection::equal;  // NOLINT: the positions
  ContractHarness<decltype(aclnnEqualGetWorkspaceSize)> harness(
      kContract, &aclnnEqualGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, kFloat);
        a.Tensor(kOther, {3}, DType::kInt32);
        a.Tensor(kOut, {1}, DType::kBool);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("one-element/out",
                     [](CallArguments& a) { a.Tensor(kOut, {2}, DType::kBool); });
  harness.ExpectEveryRuleCovered({"equal/product"});
}

TEST(SelectionContracts, IsClose) {
  using namespace selection::is_close;  // NOLINT: the positions
  ContractHarness<decltype(aclnnIsCloseGetWorkspaceSize)> harness(
      kContract, &aclnnIsCloseGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, kFloat);
        a.Tensor(kOther, {3}, kFloat);
        a.Real(kRtol, 0.1);
        a.Real(kAtol, 0);
        a.Bool(kEqualNan, false);
        a.Tensor(kOut, {2, 3}, DType::kBool);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered({"is_close/product"});
}

TEST(SelectionContracts, IsInTensorScalar) {
  using namespace selection::is_in_tensor_scalar;  // NOLINT: the positions
  ContractHarness<decltype(aclnnIsInTensorScalarGetWorkspaceSize)> harness(
      kContract, &aclnnIsInTensorScalarGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kElement, {2, 3}, kFloat);
        a.ScalarOf(kTestElement, 2, kFloat);
        a.Bool(kAssumeUnique, false);
        a.Bool(kInvert, false);
        a.Tensor(kOut, {2, 3}, DType::kBool);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered({"is_in_tensor_scalar/product"});
}

TEST(SelectionContracts, IsInScalarTensor) {
  using namespace selection::is_in_scalar_tensor;  // NOLINT: the positions
  ContractHarness<decltype(aclnnIsInScalarTensorGetWorkspaceSize)> harness(
      kContract, &aclnnIsInScalarTensorGetWorkspaceSize, [](CallArguments& a) {
        a.ScalarOf(kElement, 2, kFloat);
        a.Tensor(kTestElements, {2, 3}, kFloat);
        a.Bool(kAssumeUnique, false);
        a.Bool(kInvert, false);
        a.Tensor(kOut, {}, DType::kBool);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("one-element/out",
                     [](CallArguments& a) { a.Tensor(kOut, {2}, DType::kBool); });
  harness.ExpectEveryRuleCovered({"is_in_scalar_tensor/product"});
}

TEST(SelectionContracts, MaskedSelect) {
  using namespace selection::masked_select;  // NOLINT: the positions
  ContractHarness<decltype(aclnnMaskedSelectGetWorkspaceSize)> harness(
      kContract, &aclnnMaskedSelectGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, kFloat);
        a.Tensor(kMask, {3}, DType::kBool);
        a.Tensor(kOut, {6}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("broadcast/mask",
                     [](CallArguments& a) { a.Tensor(kMask, {2}, DType::kBool); });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Tensor(kOut, {3}, kFloat); });
  harness.ExpectEveryRuleCovered({"masked_select/product"});
}

}  // namespace
}  // namespace aclimb::testing::selection_test
