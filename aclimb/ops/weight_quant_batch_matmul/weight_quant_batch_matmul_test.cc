#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/ops/weight_quant_batch_matmul/operators.h"
#include "aclimb/simd/each_target.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_run.h"
#include "tests/support/operator_suite.h"
#include "tests/support/setting.h"

namespace aclimb::testing::weight_quant_batch_matmul_test {

ACLIMB_OPERATOR_SUITE(WeightQuantBatchMatmul, weight_quant_batch_matmul::kOperators);

namespace {

using namespace weight_quant_batch_matmul;  // NOLINT: the parameters' positions

constexpr DType kF16 = DType::kFloat16, kF32 = DType::kFloat32;

class WeightQuant : public DeviceTest {
 protected:
  int Multiply(const DeviceTensor& x, const DeviceTensor& weight, const DeviceTensor& scale,
               int group, const DeviceTensor& y) {
    return RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnWeightQuantBatchMatmulV2GetWorkspaceSize(
              x, weight, scale, nullptr, nullptr, nullptr, nullptr, group, y, size, executor);
        },
        &aclnnWeightQuantBatchMatmulV2, stream_);
  }

  // Of groups of 32 terms. All dtypes and layouts have one truth, which is taken from `known` or
  // becomes it.
  void ExpectProduct(DType dtype, int64_t rows, int64_t terms, bool transposed,
                     int64_t columns = 300, std::optional<truth::Outputs>* known = nullptr) {
    const int64_t groups = (terms + 31) / 32;
    truth::Call call(kContractOfV2);
    const auto fill = [](int64_t count, int64_t range) {
      std::vector<double> values;
      for (int64_t i = 0; i < count; ++i) {
        values.push_back(static_cast<double>(i * 7919 % range - range / 2));
      }
      return values;
    };
    call.SetTensor(kX, {rows, terms}, kF16, fill(rows * terms, 13));
    call.SetTensor(kWeight, {terms, columns}, dtype, fill(terms * columns, 15));
    std::vector<double> scales = fill(groups * columns, 11);
    for (double& scale : scales) scale = std::exp2(-scale - 6);
    call.SetTensor(kScale, {groups, columns}, kF16, scales);
    call.SetInteger(kGroupSize, 32);
    call.SetTensor(kY, {rows, columns}, kF16);
    OperatorRun run(kOperators[0], call, [&](truth::Slot slot) {
      DeviceTensor::Options options;
      if (transposed && slot.parameter == kWeight) options.stride = {1, terms};
      if (transposed && slot.parameter == kScale) options.stride = {1, groups};
      return options;
    });
    SCOPED_TRACE(std::string(NameOf(dtype)) + " " + std::to_string(rows) + " " +
                 std::to_string(columns));
    ACLIMB_ASSERT_OK(run.Run(stream_));
    std::optional<truth::Outputs> own;
    std::optional<truth::Outputs>& outputs = known != nullptr ? *known : own;
    if (!outputs) outputs = run.Truth();
    run.Expect(*outputs);
  }
};

// Two elements share a byte, the even one in its low half.
TEST_F(WeightQuant, NibblesInTheirOrder) {
  const DeviceTensor weight({3, 2}, DType::kInt4, {1, 2, 3, -4, 7, -8});
  const unsigned char expected[] = {0x21, 0xC3, 0x87};
  unsigned char bytes[3] = {};
  ACLIMB_ASSERT_OK(aclrtMemcpy(bytes, 3, weight.data(), 3, ACL_MEMCPY_DEVICE_TO_HOST));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bytes[i], expected[i]) << i;
  const DeviceTensor x({1, 3}, kF16, {1, 10, 100}), scale({1}, kF16, {0.5}), y({1, 2}, kF16);
  ACLIMB_ASSERT_OK(Multiply(x, weight, scale, 0, y));
  EXPECT_EQ(y.Values(), (std::vector<double>{365.5, -419}));
}

// As llama.cpp has its weights: a transposed view behind which the scales stand.
TEST_F(WeightQuant, LargeWeightsOfBothLayouts) {
  for (const int64_t rows : {1, 3, 530}) {
    std::optional<truth::Outputs> known;
    for (const DType dtype : {DType::kInt8, DType::kInt4}) {
      for (const bool transposed : {false, true}) {
        ExpectProduct(dtype, rows, 1100, transposed, 300, &known);
      }
    }
  }
}

// Columns of which the last tile has some, or one, and terms of which the last group has some.
TEST_F(WeightQuant, FewRowsMeetManyColumns) {
  for (const DType dtype : {DType::kInt8, DType::kInt4}) {
    for (const int64_t rows : {1, 2, 3, 4}) {
      for (const int64_t columns : {2049, 2200}) ExpectProduct(dtype, rows, 599, false, columns);
    }
  }
}

// Each set has calls of its own, since a plan keeps the kernels that it was made with.
TEST_F(WeightQuant, FewRowsInEveryInstructionSet) {
  int64_t terms = 70;
  EachTarget([&] {
    SCOPED_TRACE(hwy::TargetName(hwy::SupportedTargets()));
    for (const DType dtype : {DType::kInt8, DType::kInt4}) {
      for (const int64_t rows : {1, 2, 3, 4}) {
        ExpectProduct(dtype, rows, terms += 2, true);
        ExpectProduct(dtype, rows, terms, false, 77);
      }
    }
  });
}

// Blocks are scaled after they were added up, where a sum may be too large though the scaled one is
// not, and a scale that is infinite meets no 0.
TEST_F(WeightQuant, NumbersAtTheEnds) {
  constexpr int64_t kTerms = 70, kColumns = 3;
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> codes(kTerms * kColumns, 7);
  codes[0] = 0;
  for (const DType dtype : {DType::kInt8, DType::kInt4}) {
    truth::Call call(kContractOfV2);
    std::vector<double> x(kTerms, 0x1p126);
    x.resize(2 * kTerms, 1);  // a row whose sums are as they should be
    call.SetTensor(kX, {2, kTerms}, DType::kBFloat16, x);
    call.SetTensor(kWeight, {kTerms, kColumns}, dtype, codes);
    call.SetTensor(kScale, {kColumns}, DType::kBFloat16, {infinity, 0x1p-100, 0x1p-133});
    call.SetInteger(kGroupSize, 0);
    call.SetTensor(kY, {2, kColumns}, DType::kBFloat16);
    OperatorRun run(kOperators[0], call, [](truth::Slot slot) {
      DeviceTensor::Options options;
      if (slot.parameter == kWeight) options.stride = {1, kTerms};
      return options;
    });
    SCOPED_TRACE(NameOf(dtype));
    ACLIMB_ASSERT_OK(run.Run(stream_));
    run.Expect(run.Truth());
    EXPECT_TRUE(std::isnan(run.Tensor(kY).Values()[0]));
    EXPECT_NEAR(run.Tensor(kY).Values()[1], 0x1p26 * 490, 0x1p27);
  }
}

TEST_F(WeightQuant, RefusesATensorThatBeginsWithinAByte) {
  const DeviceTensor x({1, 2}, kF16, {1, 1}), scale({1}, kF16, {1}), y({1, 2}, kF16);
  const DeviceTensor weight({2, 2}, DType::kInt4, {1, 2, 3, 4}, {.stride = {}, .offset = 3});
  EXPECT_EQ(Multiply(x, weight, scale, 0, y), 161002);
  const std::string text = aclGetRecentErrMsg();
  EXPECT_NE(text.find("weight.offset is 3 and its dtype is INT4, of which 2 elements share a byte; "
                      "expected a multiple of 2."),
            std::string::npos)
      << text;
  const DeviceTensor even({2, 2}, DType::kInt4, {1, 2, 3, 4}, {.stride = {}, .offset = 4});
  ACLIMB_ASSERT_OK(Multiply(x, even, scale, 0, y));
  EXPECT_EQ(y.Values(), (std::vector<double>{4, 6}));
}

// Half a byte an element: a byte less is too few.
TEST_F(WeightQuant, TheMemoryOfNibbles) {
  void* memory = nullptr;
  ACLIMB_ASSERT_OK(aclrtMalloc(&memory, 64 * 64 / 2 - 32, ACL_MEM_MALLOC_HUGE_FIRST));
  const int64_t shape[] = {64, 65}, fits[] = {64, 64};
  const DeviceTensor x({1, 64}, kF16, std::vector<double>(64, 1)), scale({1}, kF16, {1});
  for (const auto& [dims, code] : {std::pair{fits, 0}, std::pair{shape, 161002}}) {
    const DeviceTensor y({1, dims[1]}, kF16);
    aclTensor* weight =
        aclCreateTensor(dims, 2, ACL_INT4, nullptr, 0, ACL_FORMAT_ND, dims, 2, memory);
    const int got = RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnWeightQuantBatchMatmulV2GetWorkspaceSize(
              x, weight, scale, nullptr, nullptr, nullptr, nullptr, 0, y, size, executor);
        },
        &aclnnWeightQuantBatchMatmulV2, stream_);
    EXPECT_EQ(got, code) << aclGetRecentErrMsg();
    ACLIMB_EXPECT_OK(aclDestroyTensor(weight));
  }
  ACLIMB_EXPECT_OK(aclrtFree(memory));
}

TEST(WeightQuantContract, EveryRuleIsEnforcedAndExplained) {
  ContractHarness<decltype(aclnnWeightQuantBatchMatmulV3GetWorkspaceSize)> harness(
      kContractOfV3, &aclnnWeightQuantBatchMatmulV3GetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kX, {2, 100}, kF16);
        a.Tensor(kWeight, {100, 6}, DType::kInt8);
        a.Tensor(kScale, {4, 6}, kF16);
        a.Tensor(kOffset, {4, 6}, kF16);
        a.Tensor(kBias, {6}, kF16);
        a.Integer(kGroupSize, 32);
        a.Integer(kInnerPrecise, 1);
        a.Tensor(kYOfV3, {2, 6}, kF16);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Tensor(kWeight, {100, 6}, DType::kInt4, ACL_FORMAT_FRACTAL_NZ);
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("absent/quantisation",
                     [](CallArguments& a) { a.Tensor(kQuantScale, {6}, DType::kUInt64); });
  harness.ExpectRule("absent/quantisation",
                     [](CallArguments& a) { a.Tensor(kQuantOffset, {6}, kF32); });
  harness.ExpectRule("bias-dtype", [](CallArguments& a) { a.Tensor(kBias, {6}, kF32); });
  for (const int64_t group : {-32, 16, 33, 100, 128}) {
    harness.ExpectRule("group-size", [&](CallArguments& a) { a.Integer(kGroupSize, group); });
  }
  harness.ExpectRule("scale-shape", [](CallArguments& a) { a.Tensor(kScale, {6, 4}, kF16); });
  harness.ExpectRule("scale-shape", [](CallArguments& a) { a.Integer(kGroupSize, 0); });
  harness.ExpectRule("bias-shape", [](CallArguments& a) { a.Tensor(kBias, {2, 6}, kF16); });
  harness.ExpectRule("bias-shape", [](CallArguments& a) { a.Tensor(kBias, {5}, kF16); });
  harness.ExpectEveryRuleCovered({"weight_quant_batch_matmul_v3/product"});
}

TEST(WeightQuantContract, OldChips) {
  ContractHarness<decltype(aclnnWeightQuantBatchMatmulV2GetWorkspaceSize)> harness(
      kContractOfV2, &aclnnWeightQuantBatchMatmulV2GetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kX, {2, 100}, kF16);
        a.Tensor(kWeight, {100, 6}, DType::kInt8);
        a.Tensor(kScale, {6}, kF16);
        a.Integer(kGroupSize, 0);
        a.Tensor(kY, {2, 6}, kF16);
      });
  harness.ExpectAccepted();
  {
    const Setting chip("ACLIMB_SOC", "Ascend310P3");
    harness.ExpectAccepted();
    harness.ExpectRule("group-size",
                       [](CallArguments& a) {
                         a.Tensor(kScale, {4, 6}, kF16);
                         a.Integer(kGroupSize, 32);
                       },
                       {{"antiquantGroupSize"}});
  }
  const Setting chip("ACLIMB_SOC", "Ascend910A");
  harness.ExpectViolation("weight_quant_batch_matmul_v2/product", 161002, [](CallArguments&) {});
}

}  // namespace
}  // namespace aclimb::testing::weight_quant_batch_matmul_test
