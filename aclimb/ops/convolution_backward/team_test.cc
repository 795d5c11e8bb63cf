// Bits and teams: of every way, with the sums of each cut in pieces.

#include "aclimb/ops/convolution_backward/test_problem.h"
#include "tests/support/setting.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::Random;
using Bytes = std::vector<unsigned char>;

struct Named {
  const char* name;
  Problem problem;
};

// Large enough for oneDNN and for a team.
std::vector<Named> Problems() {
  std::vector<Named> problems;
  const auto add = [&](const char* name, DType dtype, const std::vector<int64_t>& input,
                       const std::vector<int64_t>& weight, int64_t stride, int64_t padding,
                       int groups = 1) {
    Problem p;
    p.groups = groups;
    p.input = input;
    p.weight = weight;
    p.stride = {stride, stride};
    p.padding = {padding, padding};
    p.dilation = {1, 1};
    p.output_padding = {0, 0};
    p.dtype = dtype;
    InferGradOutput(p);
    problems.push_back({name, p});
  };
  for (DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    add("dense", dtype, {4, 64, 14, 14}, {64, 64, 3, 3}, 1, 1);
    add("stem", dtype, {2, 3, 56, 56}, {32, 3, 7, 7}, 2, 3);
    add("many images", dtype, {40, 16, 29, 29}, {32, 16, 3, 3}, 2, 1);
    add("pointwise", dtype, {4, 64, 14, 14}, {128, 64, 1, 1}, 1, 0);
    // Products of matrices, and channels last.
    add("wide pointwise", dtype, {3, 64, 28, 28}, {128, 64, 1, 1}, 1, 0);
    add("heavy weight", dtype, {2, 256, 14, 14}, {512, 256, 3, 3}, 2, 1);
    add("odd channels", dtype, {3, 20, 28, 28}, {24, 20, 3, 3}, 1, 1);
    add("more odd channels", dtype, {3, 40, 28, 28}, {40, 40, 3, 3}, 1, 1);
    add("few channels", dtype, {3, 12, 28, 28}, {24, 12, 3, 3}, 2, 1);
    add("long window", dtype, {2, 32, 1, 400}, {32, 32, 1, 64}, 1, 0);
    // Long sums for few results, which products cut among the threads.
    add("long sums", dtype, {1, 20, 1, 60}, {1000, 20, 1, 30}, 1, 0);
    add("long pointwise sums", dtype, {1, 32, 12, 12}, {1024, 32, 1, 1}, 1, 0);
    add("many weights", dtype, {8, 64, 2, 2}, {2048, 64, 1, 1}, 1, 0);
    add("pointwise with strides", dtype, {2, 64, 30, 30}, {128, 64, 1, 1}, 2, 0);
    add("patches", dtype, {4, 8, 32, 32}, {64, 8, 4, 4}, 4, 0);
    add("depthwise", dtype, {4, 48, 40, 40}, {48, 1, 3, 3}, 1, 1, 48);
    add("depthwise of a few channels", dtype, {6, 3, 80, 80}, {3, 1, 5, 5}, 2, 2, 3);
    add("groups of four", dtype, {6, 36, 28, 28}, {36, 4, 3, 3}, 1, 1, 9);
    add("groups of eight", dtype, {4, 32, 28, 28}, {32, 8, 3, 3}, 1, 1, 4);
    add("groups of sixteen", dtype, {70, 32, 14, 14}, {32, 16, 3, 3}, 1, 1, 2);
    add("wide patches", dtype, {8, 8, 16, 16}, {96, 8, 8, 8}, 8, 0);
  }
  return problems;
}

class ConvolutionTeam : public aclimb::testing::DeviceTest {
 protected:
  void TearDown() override {
    ACLIMB_EXPECT_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0));
    DeviceTest::TearDown();
  }

  // The outputs of a team of so many.
  std::vector<Bytes> BytesWith(int threads, const Problem& p, Tensors& t) {
    const aclimb::testing::Setting team("ACLIMB_THREADS", std::to_string(threads).c_str());
    for (auto* output : {&t.grad_input, &t.grad_weight, &t.grad_bias}) output->Poison();
    ACLIMB_EXPECT_OK(RunProblem(p, t, stream_));
    return {t.grad_input.Bytes(), t.grad_weight.Bytes(), t.grad_bias.Bytes()};
  }
};

TEST_F(ConvolutionTeam, DeterministicBitsDoNotDependOnTheTeam) {
  ACLIMB_ASSERT_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
  for (const auto& [name, problem] : Problems()) {
    SCOPED_TRACE(::testing::Message() << name << ", " << NameOf(problem.dtype));
    Random random(20);
    Tensors tensors(problem, random);
    const std::vector<Bytes> one = BytesWith(1, problem, tensors);
    for (const int threads : {2, 3, 8}) {
      EXPECT_TRUE(BytesWith(threads, problem, tensors) == one) << threads;
    }
  }
}

// Without the switch only the same team promises the same bits.
TEST_F(ConvolutionTeam, AFixedTeamRepeats) {
  for (const auto& [name, problem] : Problems()) {
    SCOPED_TRACE(::testing::Message() << name << ", " << NameOf(problem.dtype));
    Random random(20);
    Tensors tensors(problem, random);
    for (const int threads : {1, 3}) {
      const std::vector<Bytes> once = BytesWith(threads, problem, tensors);
      EXPECT_TRUE(BytesWith(threads, problem, tensors) == once) << threads;
    }
  }
}

}  // namespace
}  // namespace aclimb::convolution_backward
