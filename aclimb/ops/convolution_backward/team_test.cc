// Bits and threads: every value of ACLIMB_THREADS in a process of its own, which is this program
// again, running the test that prints digests.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "aclimb/ops/convolution_backward/test_problem.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::Random;

constexpr char kDeterministic[] = "ACLIMB_TEST_DETERMINISTIC";

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
    p.Dtype(dtype);
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

uint64_t Digest(const aclimb::testing::DeviceTensor& tensor) {
  uint64_t digest = 0xCBF29CE484222325u;  // FNV-1a
  for (unsigned char byte : tensor.Bytes()) digest = (digest ^ byte) * 0x100000001B3u;
  return digest;
}

class ConvolutionTeam : public aclimb::testing::DeviceTest {};

TEST_F(ConvolutionTeam, DISABLED_PrintsDigests) {
  const char* const deterministic = std::getenv(kDeterministic);
  if (deterministic != nullptr && *deterministic == '1') {
    ACLIMB_ASSERT_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
  }
  for (const Named& named : Problems()) {
    Random random(20);
    const Tensors t(named.problem, random);
    ACLIMB_ASSERT_OK(RunProblem(named.problem, t, stream_));
    std::printf("digest %s %d: %016llx %016llx %016llx\n", named.name,
                static_cast<int>(named.problem.dtypes[0]),
                static_cast<unsigned long long>(Digest(*t.grad_input)),
                static_cast<unsigned long long>(Digest(*t.grad_weight)),
                static_cast<unsigned long long>(Digest(*t.grad_bias)));
  }
}

std::string Self() {
  char path[4096] = {};
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  return length < 0 ? "" : path;
}

// The lines that the test above prints.
std::string DigestsWith(int threads, bool deterministic) {
  const std::string command =
      "ACLIMB_THREADS=" + std::to_string(threads) + " " + kDeterministic + "=" +
      (deterministic ? "1" : "0") + " '" + Self() +
      "' --gtest_also_run_disabled_tests --gtest_filter='*DISABLED_PrintsDigests' 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << "popen failed";
    return "";
  }
  std::string all, digests;
  char line[1024];
  while (std::fgets(line, sizeof(line), pipe) != nullptr) {
    all += line;
    if (std::string(line).rfind("digest ", 0) == 0) digests += line;
  }
  EXPECT_EQ(pclose(pipe), 0) << all;
  EXPECT_EQ(std::count(digests.begin(), digests.end(), '\n'),
            static_cast<int64_t>(Problems().size()))
      << all;
  return digests;
}

TEST(ConvolutionTeams, DeterministicBitsDoNotDependOnTheTeam) {
  const std::string one = DigestsWith(1, true);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(DigestsWith(threads, true), one) << threads;
}

// Without the switch only the same team promises the same bits.
TEST(ConvolutionTeams, AFixedTeamRepeats) {
  for (int threads : {1, 3}) EXPECT_EQ(DigestsWith(threads, false), DigestsWith(threads, false));
}

}  // namespace
}  // namespace aclimb::convolution_backward
