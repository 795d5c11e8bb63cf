#include "aclimb/contract/test_call.h"
#include "aclimb/ops/repeats/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_run.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::repeats_test {

ACLIMB_OPERATOR_SUITE(Repeats, repeats::kOperators);

class RepeatsRules : public DeviceTest {};

constexpr DType kFloat = DType::kFloat32;

TEST_F(RepeatsRules, Expand) {
  using namespace repeats::expand;  // NOLINT: the positions
  ContractHarness<decltype(aclnnExpandGetWorkspaceSize)> harness(
      kContract, &aclnnExpandGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {1, 3}, kFloat);
        a.Ints(kSize, {4, 2, -1});
        a.Tensor(kOut, {4, 2, 3}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  for (const std::vector<int64_t>& size : std::vector<std::vector<int64_t>>{
           {2}, {-1, 2, 3}, {4, 2, 2}, {4, 2, -2}, {1, 1, 1, 1, 1, 1, 1, 2, 3}}) {
    harness.ExpectRule("broadcasts/size", [&](CallArguments& a) { a.Ints(kSize, size); });
  }
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Tensor(kOut, {2, 4, 3}, kFloat); });
  harness.ExpectEveryRuleCovered({"expand/product"});
}

TEST_F(RepeatsRules, Repeat) {
  using namespace repeats::repeat;  // NOLINT: the positions
  ContractHarness<decltype(aclnnRepeatGetWorkspaceSize)> harness(
      kContract, &aclnnRepeatGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, kFloat);
        a.Ints(kRepeats, {4, 1, 2});
        a.Tensor(kOut, {4, 2, 6}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("count/repeats", [](CallArguments& a) { a.Ints(kRepeats, {2}); });
  harness.ExpectRule("count/repeats", [](CallArguments& a) {
    a.Ints(kRepeats, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Ints(kRepeats, {4, 2, 1}); });
  harness.ExpectRule("shape/out", [](CallArguments& a) {
    a.Ints(kRepeats, {INT64_MAX, INT64_MAX});
  });
  harness.ExpectEveryRuleCovered({"repeat/product"});
}

TEST_F(RepeatsRules, AnExtentThatOverflowsIsToldSo) {
  using namespace repeats::repeat;  // NOLINT: the positions
  contract::TestCall call(kContract);
  call.Tensor(kSelf, {int64_t{1} << 62}, DType::kInt8);
  call.Ints(kRepeats, {2});
  call.Tensor(kOut, {4}, DType::kInt8);
  EXPECT_EQ(call.What(),
            "out.shape is [4]; expected at most 2^63 - 1 elements along a dimension, but "
            "self.shape [4611686018427387904] and repeats [2] give more along dimension 0.");

  contract::TestCall all(repeats::interleave_all::kContract);
  all.Tensor(repeats::interleave_all::kSelf, {int64_t{1} << 62}, DType::kInt8);
  all.Integer(repeats::interleave_all::kRepeats, 2);
  all.Integer(repeats::interleave_all::kOutputSize, 4);
  all.Tensor(repeats::interleave_all::kOut, {4}, DType::kInt8);
  EXPECT_EQ(all.What(),
            "outputSize is 4 but self.shape is [4611686018427387904] and repeats is 2; expected "
            "fewer than 2^63 elements in all.");
}

TEST_F(RepeatsRules, RepeatInterleaveIntWithDim) {
  using namespace repeats::interleave;  // NOLINT: the positions
  ContractHarness<decltype(aclnnRepeatInterleaveIntWithDimGetWorkspaceSize)> harness(
      kContract, &aclnnRepeatInterleaveIntWithDimGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, kFloat);
        a.Integer(kRepeats, 4);
        a.Integer(kDim, -1);
        a.Integer(kOutputSize, 12);
        a.Tensor(kOut, {2, 12}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("output-size/outputSize", [](CallArguments& a) { a.Integer(kOutputSize, 8); });
  harness.ExpectRule("output-size/outputSize",
                     [](CallArguments& a) { a.Integer(kRepeats, INT64_MAX); });
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Tensor(kOut, {12, 2}, kFloat); });
  harness.ExpectEveryRuleCovered({"repeat_interleave_int_with_dim/product"});
}

TEST_F(RepeatsRules, InterleaveByTensors) {
  using namespace repeats;  // NOLINT: the operators
  ContractHarness<decltype(aclnnRepeatInterleaveIntGetWorkspaceSize)> all(
      interleave_all::kContract, &aclnnRepeatInterleaveIntGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(interleave_all::kSelf, {2, 3}, kFloat);
        a.Integer(interleave_all::kRepeats, 2);
        a.Integer(interleave_all::kOutputSize, 12);
        a.Tensor(interleave_all::kOut, {12}, kFloat);
      });
  all.ExpectAccepted();
  all.ExpectGenericRules();
  all.ExpectRule("output-size/outputSize", [](CallArguments& a) {
    a.Integer(interleave_all::kOutputSize, 11);
    a.Tensor(interleave_all::kOut, {11}, kFloat);
  });
  all.ExpectEveryRuleCovered();
  ContractHarness<decltype(aclnnRepeatInterleaveGetWorkspaceSize)> flat(
      interleave_by_tensor::kContract, &aclnnRepeatInterleaveGetWorkspaceSize,
      [](CallArguments& a) {
        a.Tensor(interleave_by_tensor::kSelf, {2, 3}, kFloat);
        a.Tensor(interleave_by_tensor::kRepeats, {6}, DType::kInt64);
        a.Integer(interleave_by_tensor::kOutputSize, 12);
        a.Tensor(interleave_by_tensor::kOut, {12}, kFloat);
      });
  flat.ExpectAccepted();
  flat.ExpectGenericRules();
  flat.ExpectRule("count/repeats", [](CallArguments& a) {
    a.Tensor(interleave_by_tensor::kRepeats, {5}, DType::kInt64);
  });
  flat.ExpectEveryRuleCovered();
  ContractHarness<decltype(aclnnRepeatInterleaveWithDimGetWorkspaceSize)> of_dim(
      interleave_dim_by_tensor::kContract, &aclnnRepeatInterleaveWithDimGetWorkspaceSize,
      [](CallArguments& a) {
        a.Tensor(interleave_dim_by_tensor::kSelf, {2, 3}, kFloat);
        a.Tensor(interleave_dim_by_tensor::kRepeats, {3}, DType::kInt32);
        a.Integer(interleave_dim_by_tensor::kDim, -1);
        a.Integer(interleave_dim_by_tensor::kOutputSize, 7);
        a.Tensor(interleave_dim_by_tensor::kOut, {2, 7}, kFloat);
      });
  of_dim.ExpectAccepted();
  of_dim.ExpectGenericRules();
  of_dim.ExpectRule("count/repeats", [](CallArguments& a) {
    a.Tensor(interleave_dim_by_tensor::kRepeats, {2}, DType::kInt32);
  });
  of_dim.ExpectRule("shape/out", [](CallArguments& a) {
    a.Tensor(interleave_dim_by_tensor::kOut, {2, 6}, kFloat);
  });
  of_dim.ExpectEveryRuleCovered();
}

// As PyTorch refuses them.
TEST_F(RepeatsRules, RepeatsThatAreNoneFailTheRun) {
  const DeviceTensor self({3}, kFloat, {1, 2, 3});
  const std::vector<double> wrong[] = {{1, -1, 4}, {1, 1, 1}, {2, 2, 2}};
  const std::vector<double> results[] = {{1, 3, 3, 3}, {1, 2, 3, 0}, {1, 1, 2, 2}};
  for (size_t i = 0; i < 3; ++i) {
    const DeviceTensor times({3}, DType::kInt64, wrong[i]), out({4}, kFloat);
    EXPECT_EQ(RunBothPhases(
                  [&](uint64_t* size, aclOpExecutor** executor) {
                    return aclnnRepeatInterleaveGetWorkspaceSize(self, times, 4, out, size,
                                                                 executor);
                  },
                  &aclnnRepeatInterleave, stream_),
              507015);
    EXPECT_NE(std::string(aclGetRecentErrMsg()).find(repeats::kWrongRepeats), std::string::npos);
    EXPECT_EQ(out.Values(), results[i]);
  }
}

// Of nothing, and into nothing.
TEST_F(RepeatsRules, RepeatsOfNoRoomFailTheRun) {
  const DeviceTensor none({0}, kFloat), two({2}, kFloat), nothing({0}, kFloat);
  const DeviceTensor three({1}, DType::kInt64, {3}), ones({2}, DType::kInt64, {1, 1});
  const DeviceTensor empty({0}, DType::kInt64);
  const DeviceTensor out({5}, kFloat, {7, 7, 7, 7, 7});
  const auto run = [&](const DeviceTensor& self, const DeviceTensor& repeats, int64_t size,
                       const DeviceTensor& to) {
    return RunBothPhases(
        [&](uint64_t* bytes, aclOpExecutor** executor) {
          return aclnnRepeatInterleaveGetWorkspaceSize(self, repeats, size, to, bytes, executor);
        },
        &aclnnRepeatInterleave, stream_);
  };
  EXPECT_EQ(run(none, three, 5, out), 507015);
  EXPECT_EQ(out.Values(), std::vector<double>(5, 0.0));
  EXPECT_EQ(run(none, empty, 5, out), 507015);
  EXPECT_EQ(run(two, ones, 0, nothing), 507015);
  ACLIMB_EXPECT_OK(run(none, empty, 0, nothing));
}

// Along a dimension of slices without elements, where numbers alone are looked at.
TEST_F(RepeatsRules, RepeatsOfEmptySlicesAreAddedUp) {
  constexpr int64_t kMany = int64_t{1} << 40;
  const auto run = [&](int64_t extent, const DeviceTensor& repeats, int64_t size) {
    const DeviceTensor self({0, extent}, kFloat), out({0, size}, kFloat);
    return RunBothPhases(
        [&](uint64_t* bytes, aclOpExecutor** executor) {
          return aclnnRepeatInterleaveWithDimGetWorkspaceSize(self, repeats, 1, size, out, bytes,
                                                              executor);
        },
        &aclnnRepeatInterleaveWithDim, stream_);
  };
  const DeviceTensor two({2}, DType::kInt32, {1, 2});
  ACLIMB_EXPECT_OK(run(2, two, 3));
  EXPECT_EQ(run(2, two, 4), 507015);
  const DeviceTensor four({1}, DType::kInt64, {4}), none({1}, DType::kInt64, {0});
  ACLIMB_EXPECT_OK(run(kMany, four, 4 * kMany));
  EXPECT_EQ(run(kMany, four, kMany), 507015);
  ACLIMB_EXPECT_OK(run(kMany, none, 0));
}

// Twice as many dimensions as kernels know, of which none can be made one with another.
TEST_F(RepeatsRules, EveryOneOfEightDimensionsIsRepeated) {
  using namespace repeats::repeat;  // NOLINT: the positions
  truth::Call call(kContract);
  std::vector<double> values;
  for (int i = 0; i < 256; ++i) values.push_back(i);
  call.SetTensor(kSelf, std::vector<int64_t>(8, 2), kFloat, values);
  call.SetInts(kRepeats, std::vector<int64_t>(8, 2));
  call.SetTensor(kOut, std::vector<int64_t>(8, 4), kFloat);
  OperatorRun run(repeats::kOperators[1], call);
  ACLIMB_ASSERT_OK(run.Run(stream_));
  run.ExpectTruth();
}

}  // namespace aclimb::testing::repeats_test
