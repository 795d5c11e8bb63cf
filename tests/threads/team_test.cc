// ACLIMB_THREADS, each value in a process of its own: the same bits from a team of any size, and a
// refusal of values that are none.

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace {

// What the program printed with that value; `mode` is its argument.
std::string Output(const std::string& threads, const char* mode = "") {
  const std::string command =
      "ACLIMB_THREADS='" + threads + "' '" ACLIMB_TEAM_PROGRAM "' " + mode + " 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  std::string text;
  char buffer[4096];
  for (size_t bytes; (bytes = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    text.append(buffer, bytes);
  }
  if (pclose(pipe) != 0) text += "\nthe program failed\n";
  return text;
}

// Digests before the marker, the number of threads behind it.
struct Outcome {
  std::string digests;
  int threads = 0;
};
Outcome RunWith(const std::string& threads) {
  const std::string text = Output(threads);
  const size_t at = text.find("threads ");
  if (at == std::string::npos) {
    ADD_FAILURE() << text;
    return {};
  }
  return {text.substr(0, at), std::stoi(text.substr(at + 8))};
}

TEST(Team, TheSameBitsFromAnyTeam) {
  const Outcome one = RunWith("1");
  for (const char* line :
       {"aclInit 0", "elu 0 ", "cross_entropy 0 ", "roi_align 0 ", "embedding 0 "}) {
    EXPECT_NE(one.digests.find(line), std::string::npos) << one.digests;
  }
  int before = one.threads;
  for (const char* threads : {"2", "5"}) {
    const Outcome run = RunWith(threads);
    EXPECT_EQ(run.digests, one.digests) << threads;
    // The team was there: its threads stay until the process ends.
    EXPECT_GT(run.threads, before) << threads;
    before = run.threads;
  }
  EXPECT_EQ(RunWith("0").digests, one.digests) << "all cores";
}

TEST(Team, ValuesThatAreNoneAreRefused) {
  for (const char* threads : {"abc", "-1", "1025", "2x", "1.5"}) {
    SCOPED_TRACE(threads);
    const std::string value = "ACLIMB_THREADS is \"" + std::string(threads) + "\"";
    const std::string init = Output(threads);
    EXPECT_NE(init.find("aclInit 100000\n"), std::string::npos) << init;
    EXPECT_NE(init.find(value), std::string::npos) << init;
    const std::string phase1 = Output(threads, "phase1");
    EXPECT_NE(phase1.find("phase1 161002\n"), std::string::npos) << phase1;
    EXPECT_NE(phase1.find(value), std::string::npos) << phase1;
    EXPECT_NE(phase1.find("rule: elu_backward/environment"), std::string::npos) << phase1;
  }
}

}  // namespace
