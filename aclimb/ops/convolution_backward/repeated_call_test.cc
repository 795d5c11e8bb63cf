// Calls that were made before: phase 1 takes nothing from the heap for them, and no answer serves a
// problem that it was not made for.

#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "aclimb/core/sanitized.h"
#include "aclimb/ops/convolution_backward/test_problem.h"
#include "tests/support/allocations.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::Random;

// Large enough for oneDNN.
Problem Base() {
  Problem p;
  p.input = {2, 16, 14, 14};
  p.weight = {32, 16, 3, 3};
  p.stride = p.dilation = {1, 1};
  p.padding = {1, 1};
  p.output_padding = {0, 0};
  InferGradOutput(p);
  return p;
}

using RepeatedConvolution = aclimb::testing::DeviceTest;

TEST_F(RepeatedConvolution, ARepeatedPhase1TakesNothingFromTheHeap) {
  const Problem p = Base();
  Random random(30);
  const Tensors t(p, random);
  const aclimb::testing::IntArray bias_sizes({p.grad_output[1]}), stride(p.stride),
      padding(p.padding), dilation(p.dilation), output_padding(p.output_padding);
  const aclimb::testing::BoolArray mask({true, true, true});
  uint64_t taken = 0;
  const auto phase1 = [&](uint64_t* size, aclOpExecutor** executor) {
    testing::Allocations::Count();
    const int code = aclnnConvolutionBackwardGetWorkspaceSize(
        t.grad_output, t.input, t.weight, bias_sizes, stride, padding, dilation, p.transposed,
        output_padding, p.groups, mask, p.cube_math_type, t.grad_input, t.grad_weight, t.grad_bias,
        size, executor);
    taken += testing::Allocations::Stop();
    return code;
  };
  for (int i = 0; i < 200; ++i) {
    // Objects of a call are recycled, the table of handles grows at first.
    if (i == 100) taken = 0;
    ACLIMB_ASSERT_OK(aclimb::testing::RunBothPhases(phase1, &aclnnConvolutionBackward, stream_));
  }
  if (!aclimb::kAddressSanitized) {
    EXPECT_LE(taken, 10u) << "in a hundred calls";
  }
}

// oneDNN's memory objects are kept while addresses stay: what a blocked layout pads must be written
// by each run, also where channels leave most of a block empty.
class RepeatedConvolutionAtOneAddress : public RepeatedConvolution,
                                        public ::testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(Deterministic, RepeatedConvolutionAtOneAddress, ::testing::Bool());

TEST_P(RepeatedConvolutionAtOneAddress, MemoryMayChangeBetweenRuns) {
  ACLIMB_ASSERT_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, GetParam() ? 1 : 0));
  std::vector<Problem> problems;
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    for (const bool transposed : {false, true}) {
      for (const int64_t kernel : {1, 3, 5}) {
        for (const auto& [from, to] : {std::pair{6, 16}, {20, 20}, {17, 24}, {32, 5}}) {
          Problem p;
          p.transposed = transposed;
          p.input = {2, from, 14, 14};
          p.weight = {transposed ? from : to, transposed ? to : from, kernel, kernel};
          p.stride = p.dilation = {1, 1};
          p.padding = {kernel / 2, kernel / 2};
          p.output_padding = {0, 0};
          p.dtype = dtype;
          InferGradOutput(p);
          problems.push_back(p);
        }
      }
    }
  }
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    Problem grouped = Base();
    grouped.groups = 2;
    grouped.input = {2, 40, 14, 14};
    grouped.weight = {24, 20, 3, 3};
    Problem deep = Base();
    deep.input = {2, 17, 4, 6, 6};
    deep.weight = {20, 17, 3, 3, 3};
    deep.stride = deep.dilation = deep.padding = {1, 1, 1};
    deep.output_padding = {0, 0, 0};
    for (Problem& p : {std::ref(grouped), std::ref(deep)}) {
      p.dtype = dtype;
      InferGradOutput(p);
      problems.push_back(p);
    }
  }
  Random random(33);
  for (const Problem& p : problems) {
    SCOPED_TRACE(::testing::Message()
                 << NameOf(p.dtype) << " " << p.input[1] << " to " << p.grad_output[1] << ", "
                 << p.weight[2] << (p.transposed ? " transposed" : ""));
    const Tensors t(p, random);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ACLIMB_ASSERT_OK(Phase1Of(p, t, &size, &executor));
    ACLIMB_ASSERT_OK(aclSetAclOpExecutorRepeatable(executor));
    const aclimb::testing::Workspace workspace(size);
    for (int run = 0; run < 3; ++run) {
      if (size > 0) {
        ACLIMB_ASSERT_OK(aclrtMemset(workspace.get(), size, 0xFF, size));
      }
      for (const auto* const output : {&t.grad_input, &t.grad_weight, &t.grad_bias}) {
        const size_t bytes = output->Values().size() * SizeOf(p.dtype);
        ACLIMB_ASSERT_OK(aclrtMemset(output->data(), bytes, 0xFF, bytes));
      }
      ACLIMB_ASSERT_OK(aclnnConvolutionBackward(workspace.get(), size, executor, stream_));
      ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
      EXPECT_TRUE(MeetsTruth(p, t)) << "run " << run;
    }
    ACLIMB_ASSERT_OK(aclDestroyAclOpExecutor(executor));
  }
  ACLIMB_ASSERT_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0));
}

}  // namespace
}  // namespace aclimb::convolution_backward
