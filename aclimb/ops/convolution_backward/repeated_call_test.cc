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

class RepeatedConvolution : public aclimb::testing::DeviceTest {
 protected:
  void ExpectMeetsTruth(const Problem& p, const Tensors::Views& views = {}) {
    Random random(31);
    const Tensors t(p, random, views);
    ACLIMB_ASSERT_OK(RunProblem(p, t, stream_));
    EXPECT_TRUE(MeetsTruth(p, t));
  }
};

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
        *t.grad_output, *t.input, *t.weight, bias_sizes, stride, padding, dilation, p.transposed,
        output_padding, p.groups, mask, p.cube_math_type, *t.grad_input, *t.grad_weight,
        *t.grad_bias, size, executor);
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

TEST_F(RepeatedConvolution, EqualProblemsKeepTheirOwnTensors) {
  const Problem p = Base();
  Random random(32);
  const Tensors a(p, random), b(p, random);
  ACLIMB_ASSERT_OK(RunProblem(p, a, stream_));
  ACLIMB_ASSERT_OK(RunProblem(p, b, stream_));
  EXPECT_TRUE(MeetsTruth(p, a));
  EXPECT_TRUE(MeetsTruth(p, b));
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
          p.Dtype(dtype);
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
      p.Dtype(dtype);
      InferGradOutput(p);
      problems.push_back(p);
    }
  }
  Random random(33);
  for (const Problem& p : problems) {
    SCOPED_TRACE(::testing::Message()
                 << NameOf(p.dtypes[0]) << " " << p.input[1] << " to " << p.grad_output[1] << ", "
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
      for (const auto* const output : {t.grad_input.get(), t.grad_weight.get()}) {
        const size_t bytes = output->Values().size() * SizeOf(p.dtypes[0]);
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

TEST_F(RepeatedConvolution, WhatDiffersIsPlannedAnew) {
  const std::function<void(Problem&)> changes[] = {
      [](Problem& p) {
        p.stride = {2, 1};
      },
      [](Problem& p) {
        p.stride = {1, 2};
      },
      [](Problem& p) {
        p.padding = {0, 1};
      },
      [](Problem& p) {
        p.padding = {1, 1, 0, 2};
      },
      [](Problem& p) {
        p.dilation = {2, 1};
      },
      [](Problem& p) {
        p.dilation = {1, 2};
      },
      [](Problem& p) {
        p.input = {2, 16, 15, 14};
      },
      [](Problem& p) {
        p.weight = {16, 16, 3, 3};
      },
      [](Problem& p) {
        p.groups = 2;
        p.weight = {32, 8, 3, 3};
      },
      [](Problem& p) {
        p.transposed = true;
        p.weight = {16, 32, 3, 3};
      },
      [](Problem& p) { p.mask[0] = false; },
      [](Problem& p) { p.mask[1] = false; },
      [](Problem& p) { p.mask[2] = false; },
      [](Problem& p) { p.dtypes[0] = DType::kFloat16; },
      [](Problem& p) { p.dtypes[1] = DType::kBFloat16; },
      [](Problem& p) { p.dtypes[2] = DType::kFloat16; },
      [](Problem& p) { p.Dtype(DType::kBFloat16); },
  };
  ExpectMeetsTruth(Base());
  for (size_t i = 0; i < std::size(changes); ++i) {
    SCOPED_TRACE(i);
    Problem p = Base();
    changes[i](p);
    InferGradOutput(p);
    ExpectMeetsTruth(p);
    ExpectMeetsTruth(Base());
  }
}

// Strides alone: each tensor once with its last two dimensions exchanged in memory.
TEST_F(RepeatedConvolution, OtherStridesArePlannedAnew) {
  const Problem p = Base();
  ExpectMeetsTruth(p);
  const auto exchanged = [](const std::vector<int64_t>& shape) {
    Options options;
    options.stride = {shape[1] * shape[2] * shape[3], shape[2] * shape[3], 1, shape[2]};
    return options;
  };
  for (int i = 0; i < 5; ++i) {
    SCOPED_TRACE(i);
    Tensors::Views views;
    Options* const view[] = {&views.grad_output, &views.input, &views.weight, &views.grad_input,
                             &views.grad_weight};
    const std::vector<int64_t>* const shape[] = {&p.grad_output, &p.input, &p.weight, &p.input,
                                                 &p.weight};
    *view[i] = exchanged(*shape[i]);
    ExpectMeetsTruth(p, views);
  }
  ExpectMeetsTruth(p);
}

TEST_F(RepeatedConvolution, DeterministicSumsArePlannedAnew) {
  ExpectMeetsTruth(Base());
  ACLIMB_ASSERT_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
  ExpectMeetsTruth(Base());
  ACLIMB_ASSERT_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0));
  ExpectMeetsTruth(Base());
}

}  // namespace
}  // namespace aclimb::convolution_backward
