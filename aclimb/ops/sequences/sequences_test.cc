#include "aclimb/contract/test_call.h"
#include "aclimb/ops/sequences/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::sequences_test {

ACLIMB_OPERATOR_SUITE(Sequences, sequences::kOperators);

class SequencesRules : public DeviceTest {};

using namespace sequences;  // NOLINT: the positions

TEST_F(SequencesRules, ArangeAndRange) {
  const auto fill = [](int64_t count) {
    return [count](CallArguments& a) {
      a.ScalarOf(kStart, 1, DType::kFloat32);
      a.ScalarOf(kEnd, 2, DType::kInt64);
      a.ScalarOf(kStep, 0.25, DType::kFloat64);
      a.Tensor(kOut, {count}, DType::kFloat32);
    };
  };
  const auto expect = [](auto& harness, const char* folder) {
    harness.ExpectAccepted();
    harness.ExpectGenericRules();
    harness.ExpectRule("leads/step",
                       [](CallArguments& a) { a.ScalarOf(kStep, 0, DType::kFloat32); });
    harness.ExpectRule("leads/step",
                       [](CallArguments& a) { a.ScalarOf(kStep, -1, DType::kFloat32); });
    harness.ExpectRule("leads/step",
                       [](CallArguments& a) { a.ScalarOf(kEnd, HUGE_VAL, DType::kFloat32); });
    harness.ExpectRule("leads/step", [](CallArguments& a) {
      a.ScalarOf(kEnd, 1, DType::kFloat32);
      a.ScalarOf(kStep, 0, DType::kFloat32);
    });
    harness.ExpectRule("least/step", [](CallArguments& a) {
      a.Tensor(kOut, {4}, DType::kInt64);
      return a.ScalarOf(kStep, 0.5, DType::kFloat32);
    });
    harness.ExpectRule("count/out", [](CallArguments& a) { a.Tensor(kOut, {3}, DType::kFloat32); });
    harness.ExpectRule("count/out", [](CallArguments& a) { a.Tensor(kOut, {6}, DType::kFloat32); });
    harness.ExpectEveryRuleCovered({std::string(folder) + "/product"});
  };
  ContractHarness<decltype(aclnnArangeGetWorkspaceSize)> arange(
      kArange, &aclnnArangeGetWorkspaceSize, fill(4));
  // PyTorch has no numbers between equal ones.
  for (const double step : {1, -1}) {
    arange.ExpectAccepted([=](CallArguments& a) {
      a.ScalarOf(kEnd, 1, DType::kFloat32);
      a.ScalarOf(kStep, step, DType::kFloat32);
      a.Tensor(kOut, {0}, DType::kFloat32);
    });
  }
  arange.ExpectRule("count/out", [](CallArguments& a) {
    a.ScalarOf(kEnd, 1, DType::kFloat32);
    a.Tensor(kOut, {1}, DType::kFloat32);
  });
  expect(arange, "arange");
  ContractHarness<decltype(aclnnRangeGetWorkspaceSize)> range(kRange, &aclnnRangeGetWorkspaceSize,
                                                              fill(5));
  range.ExpectRule("leads/step", [](CallArguments& a) { a.ScalarOf(kEnd, 1, DType::kFloat32); });
  expect(range, "range");
}

TEST(Sequences, MoreNumbersThanATensorCanHaveAreToldSo) {
  for (const contract::Contract* each : {&kArange, &kRange}) {
    contract::TestCall call(*each);
    call.Scalar(kStart, 0);
    call.ScalarBits(kEnd, 1e300, DType::kFloat64);
    call.Scalar(kStep, 1);
    call.Tensor(kOut, {4});
    EXPECT_EQ(call.What(),
              "out.shape is [4] but start is FLOAT 0, end is DOUBLE 1e+300 and step is FLOAT 1; "
              "expected more elements than a tensor can have.");
  }
}

TEST_F(SequencesRules, Linspace) {
  ContractHarness<decltype(aclnnLinspaceGetWorkspaceSize)> harness(
      kLinspace, &aclnnLinspaceGetWorkspaceSize, [](CallArguments& a) {
        a.ScalarOf(kStart, 1, DType::kFloat32);
        a.ScalarOf(kEnd, 2, DType::kInt64);
        a.Integer(kStep, 5);
        a.Tensor(kOut, {5}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("count/out", [](CallArguments& a) { a.Integer(kStep, 6); });
  harness.ExpectEveryRuleCovered({"linspace/product"});
}

TEST_F(SequencesRules, FractionsAreLostBeforeIntegersAreAdded) {
  const Scalar start(0.9, DType::kFloat64), end(5.9, DType::kFloat64), step(1.9, DType::kFloat64);
  const DeviceTensor out({3}, DType::kInt32);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnArangeGetWorkspaceSize(start, end, step, out, size, executor);
      },
      &aclnnArange, stream_));
  EXPECT_EQ(out.Values(), (std::vector<double>{0, 1, 2}));
}

TEST_F(SequencesRules, LargeIntegersStayExact) {
  const int64_t first = (int64_t{1} << 53) + 1, last = first + 2, one = 1;
  aclScalar* const start = aclCreateScalar(const_cast<int64_t*>(&first), ACL_INT64);
  aclScalar* const end = aclCreateScalar(const_cast<int64_t*>(&last), ACL_INT64);
  aclScalar* const step = aclCreateScalar(const_cast<int64_t*>(&one), ACL_INT64);
  const DeviceTensor out({2}, DType::kInt64);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnArangeGetWorkspaceSize(start, end, step, out, size, executor);
      },
      &aclnnArange, stream_));
  const std::vector<unsigned char> bytes = out.Bytes();
  EXPECT_EQ(truth::ReadInteger(bytes.data(), DType::kInt64), first);
  EXPECT_EQ(truth::ReadInteger(bytes.data() + 8, DType::kInt64), first + 1);
  for (aclScalar* scalar : {start, end, step}) ACLIMB_EXPECT_OK(aclDestroyScalar(scalar));
}

// A product that is fused with the sum would leave some of them just below a whole number.
TEST_F(SequencesRules, LinspaceCutsOffExactSums) {
  const auto linspace = [&](double from, double to, int64_t steps, DType dtype) {
    const Scalar start(from, DType::kInt64), end(to, DType::kInt64);
    const DeviceTensor out({steps}, dtype);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnLinspaceGetWorkspaceSize(start, end, steps, out, size, executor);
        },
        &aclnnLinspace, stream_));
    return out.Values();
  };
  EXPECT_EQ(linspace(-9, 5, 11, DType::kInt32),
            (std::vector<double>{-9, -7, -6, -4, -3, -2, 0, 0, 2, 3, 5}));
  EXPECT_EQ(linspace(-2, 5, 50, DType::kInt64)[21], 1);
}

TEST_F(SequencesRules, LinspaceMeetsBothEnds) {
  const Scalar start(0.1, DType::kFloat64), end(0.7, DType::kFloat64);
  const DeviceTensor out({7}, DType::kFloat64);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnLinspaceGetWorkspaceSize(start, end, 7, out, size, executor);
      },
      &aclnnLinspace, stream_));
  EXPECT_EQ(out.Values().front(), 0.1);
  EXPECT_EQ(out.Values().back(), 0.7);
}

}  // namespace aclimb::testing::sequences_test
