// Runs over lists of tensors: an operator that exists here alone doubles each tensor of a list.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "aclimb/contract/signature.h"
#include "aclimb/executor/phase.h"
#include "tests/support/compare.h"
#include "tests/support/device.h"

namespace aclimb {
namespace {

using testing::DeviceTensor;
using testing::Near;

enum : int { kBefore, kX, kAfter, kOut };

constexpr auto kFloat = contract::OnAll(contract::DTypes(DType::kFloat32));
constexpr contract::Parameter kParameters[] = {
    contract::Optional(contract::Input("before", kFloat, "has no effect")),
    contract::ListOf(contract::Input("x", kFloat, "tensors to double")),
    contract::Input("after", kFloat, "has no effect"),
    contract::ListOf(contract::Output("out", kFloat, "the double of each"))};
constexpr contract::Rule kRules[] = {
    contract::SameShape("same-shape/out", kOut, kX, "allocate each with the shape of its x")};
constexpr contract::Contract kContract = {.function = "aclnnTestDouble",
                                          .folder = "test_double",
                                          .summary = "Doubles.",
                                          .parameters = kParameters,
                                          .rules = kRules};

struct DoublePlan final : Plan {
  explicit DoublePlan(size_t elements) : count(elements) {}
  void Run(const RunContext& run) const override {
    for (size_t e = 0; e < count; ++e) {
      const auto* const from = static_cast<const float*>(run.Data(kX, e));
      const TensorView to = run.View(kOut, e);
      for (int64_t i = 0; i < to.ElementCount(); ++i) {
        static_cast<float*>(to.data)[i] = 2 * from[i];
      }
    }
  }
  size_t count;
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  planner.Reads(kX);
  planner.Writes(kOut);
  return PlanPointer(NewPlan<DoublePlan>(arguments.ElementCount(kX)));
}

constinit Operator test_operator(kContract, &MakePlan);

aclnnStatus DoubleGetWorkspaceSize(const aclTensor* before, const aclTensorList* x,
                                   const aclTensor* after, aclTensorList* out,
                                   uint64_t* workspaceSize, aclOpExecutor** executor) {
  return Phase1(test_operator, workspaceSize, executor, before, x, after, out);
}
static_assert(contract::Matches<decltype(DoubleGetWorkspaceSize)>(kContract));

aclnnStatus Double(aclOpExecutor* executor, aclrtStream stream) {
  return Phase2(test_operator, nullptr, 0, executor, stream);
}

// Fewer tensors than an executor has room for, and more.
class ListRun : public testing::DeviceTest, public ::testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    for (int i = 0; i < GetParam(); ++i) {
      const int64_t extent = i % 5;  // some are empty
      std::vector<double> values, doubled;
      for (int64_t k = 0; k < extent; ++k) {
        values.push_back(static_cast<double>(10 * i + k));
        doubled.push_back(2 * values.back());
      }
      doubled_.push_back(doubled);
      x_.emplace_back(std::vector<int64_t>{extent}, DType::kFloat32, values);
      out_.emplace_back(std::vector<int64_t>{extent}, DType::kFloat32);
    }
    after_ = std::make_unique<DeviceTensor>(std::vector<int64_t>{1}, DType::kFloat32);
    x_list_ = ListOf(x_);
    out_list_ = ListOf(out_);
  }
  void TearDown() override {
    x_.clear();
    out_.clear();
    after_.reset();
    (void)aclDestroyTensorList(x_list_);
    (void)aclDestroyTensorList(out_list_);
    DeviceTest::TearDown();
  }

  static aclTensorList* ListOf(const std::vector<DeviceTensor>& tensors) {
    std::vector<const aclTensor*> members;
    for (const DeviceTensor& tensor : tensors) members.push_back(tensor);
    return aclCreateTensorList(members.data(), members.size());
  }
  aclOpExecutor* PhaseOne() {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ACLIMB_EXPECT_OK(
        DoubleGetWorkspaceSize(nullptr, x_list_, *after_, out_list_, &size, &executor));
    return executor;
  }
  void ExpectDoubled() {
    ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
    for (size_t i = 0; i < out_.size(); ++i) {
      EXPECT_TRUE(Near(out_[i].Values(), doubled_[i], {})) << i;
      EXPECT_TRUE(out_[i].SurroundingsIntact()) << i;
    }
  }

  std::vector<DeviceTensor> x_, out_;
  std::vector<std::vector<double>> doubled_;
  std::unique_ptr<DeviceTensor> after_;
  aclTensorList* x_list_ = nullptr;
  aclTensorList* out_list_ = nullptr;
};

TEST_P(ListRun, EachTensorIsReadAndWritten) {
  for (int i = 0; i < 2; ++i) {  // the second call is a known one
    for (DeviceTensor& out : out_) out.Poison();
    ACLIMB_ASSERT_OK(Double(PhaseOne(), stream_));
    ExpectDoubled();
  }
}

TEST_P(ListRun, ATensorGetsAnotherAddress) {
  aclOpExecutor* executor = PhaseOne();
  ACLIMB_ASSERT_OK(aclSetAclOpExecutorRepeatable(executor));
  const size_t last = x_.size() - 1;
  const std::vector<double> values(doubled_[last].size(), 7);
  const DeviceTensor other({static_cast<int64_t>(values.size())}, DType::kFloat32, values);
  // Inputs: before, x, after. Outputs: out.
  ACLIMB_ASSERT_OK(aclSetDynamicInputTensorAddr(executor, 1, last, x_list_, other.data()));
  doubled_[last].assign(values.size(), 14);
  ACLIMB_ASSERT_OK(Double(executor, stream_));
  ExpectDoubled();
  ACLIMB_ASSERT_OK(aclSetDynamicTensorAddr(executor, 1, last, x_list_, x_[last].data()));
  ACLIMB_ASSERT_OK(aclSetDynamicOutputTensorAddr(executor, 0, last, out_list_, other.data()));
  // Members of lists count one by one here.
  ACLIMB_ASSERT_OK(aclSetInputTensorAddr(executor, 1 + x_.size(), *after_, after_->data()));
  ACLIMB_ASSERT_OK(aclSetTensorAddr(executor, 2 + x_.size(), out_[0], out_[0].data()));
  ACLIMB_ASSERT_OK(Double(executor, stream_));
  ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(other.Values().size(), values.size());
  EXPECT_NE(other.Values(), values);
  // Not a list; no such tensor; another list.
  EXPECT_EQ(aclSetDynamicInputTensorAddr(executor, 2, 0, x_list_, nullptr), 161002);
  EXPECT_EQ(aclSetDynamicInputTensorAddr(executor, 1, last + 1, x_list_, nullptr), 161002);
  EXPECT_EQ(aclSetDynamicInputTensorAddr(executor, 1, last, out_list_, nullptr), 161002);
  EXPECT_EQ(aclSetInputTensorAddr(executor, 1, *after_, nullptr), 161002);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
}

TEST_P(ListRun, ATensorOutsideDeviceMemoryIsNamed) {
  const size_t last = out_.size() - 1;
  float host[8] = {};
  ACLIMB_ASSERT_OK(aclSetRawTensorAddr(out_[last], host));
  EXPECT_EQ(Double(PhaseOne(), stream_), 161002);
  const std::string text = aclGetRecentErrMsg();
  EXPECT_NE(text.find("out[" + std::to_string(last) + "]"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(Lengths, ListRun, ::testing::Values(2, 8, 9, 200));

}  // namespace
}  // namespace aclimb
