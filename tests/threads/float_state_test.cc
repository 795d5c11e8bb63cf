// The floating-point state of the program's thread, each in a process of its own: the results are
// those of the default state, bit for bit, and the thread keeps its state.

#include "tests/support/float_state.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace aclimb::testing {
namespace {

struct Outcome {
  std::string state;    // "default", or "changed"
  std::string results;  // digests, and what was wrong
};

Outcome RunWith(const std::string& program, const std::string& state, int threads) {
  const std::string command =
      "ACLIMB_THREADS=" + std::to_string(threads) + " '" + program + "' " + state + " 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {"", "popen failed"};
  std::string text;
  char buffer[4096];
  for (size_t bytes; (bytes = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    text.append(buffer, bytes);
  }
  if (const int status = pclose(pipe); status != 0) {
    text += "the program failed: " + std::to_string(status) + "\n";
  }
  const size_t end = text.find('\n');
  return {text.substr(0, end), end == std::string::npos ? "" : text.substr(end + 1)};
}

std::string DefaultResults(int threads) {
  const Outcome outcome = RunWith(ACLIMB_FLOAT_STATE_PROGRAM, "default", threads);
  for (const char* line :
       {"elu 1001 0: 0 ", "elu 400003 27: 0 ", "cross entropy 3001 1: 0 ", "embedding 30011 1: 0 ",
        "convolution 64 3 -68 0: 0 ", "roi align 60 0: 0 ", "conversions "}) {
    EXPECT_NE(outcome.results.find(line), std::string::npos) << line << outcome.results;
  }
  EXPECT_EQ(outcome.state, "default");
  EXPECT_EQ(outcome.results.find("changed the state"), std::string::npos) << outcome.results;
  EXPECT_EQ(outcome.results.find("failed"), std::string::npos) << outcome.results;
  return outcome.results;
}

class FloatStateOfCaller : public ::testing::TestWithParam<int> {};

TEST_P(FloatStateOfCaller, ReachesNoResult) {
  const std::string expected = DefaultResults(GetParam());
  for (const NamedFloatState& row : kFloatStates) {
    if (row.state == FloatState{}) continue;
    SCOPED_TRACE(row.name);
    EXPECT_EQ(RunWith(ACLIMB_FLOAT_STATE_PROGRAM, row.name, GetParam()).results, expected);
  }
}

// What -Ofast links to the program flushes subnormal numbers in its first thread, and so in all.
TEST(FloatStateOfProgram, MayComeFromFastMath) {
  const Outcome fast = RunWith(ACLIMB_FAST_MATH_PROGRAM, "inherited", 2);
  if (fast.state == "default") GTEST_SKIP() << "this compiler's -Ofast changes no state";
  EXPECT_EQ(fast.results, DefaultResults(2));
}

INSTANTIATE_TEST_SUITE_P(Threads, FloatStateOfCaller, ::testing::Values(1, 2));

}  // namespace
}  // namespace aclimb::testing
