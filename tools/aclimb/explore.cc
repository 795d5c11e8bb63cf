// aclimb explore: runs a program in many legal orders of its streams, and finds the first one that
// changes what it does.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>

#include "tools/aclimb/command.h"
#include "tools/aclimb/number.h"
#include "tools/aclimb/output.h"
#include "tools/aclimb/report/findings.h"
#include "tools/aclimb/report/problem.h"
#include "tools/aclimb/settings_problems.h"
#include "tools/aclimb/toolkit.h"

namespace aclimb::cli {
namespace {

namespace fs = std::filesystem;
using report::Json;

struct ExploreOptions {
  uint64_t seeds = 0;
  uint64_t first = 0;
  double timeout = 0;  // seconds
  bool no_check = false;
  bool ignore_output = false;
  bool force = false;
  std::string order;
  // As they were given.
  std::string seeds_text = "100";
  std::string first_text = "1";
  std::string timeout_text = "60";
};

constexpr const char* kSuccess = "exit status 0";

// What one run of the program did.
struct Outcome {
  std::string end;  // kSuccess, "signal 11 (Segmentation fault)"
  bool in_time = true;
  bool checked = false;  // the runtime was called: there is a list of findings
  bool ordered = false;  // it opened a device: there is an order
  std::string output;    // stdout
  std::set<std::string> findings;

  bool Succeeds() const { return end == kSuccess && findings.empty(); }
};

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "aclimb-explore-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw std::runtime_error(fmt::format("{}: {}", pattern, std::strerror(errno)));
    }
    path = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  fs::path path;
};

// Signals that ask the tool to end.
constexpr int kInterrupts[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// One of them on its way to where nothing is left behind.
struct Interrupted {
  int signal = 0;
};

// The last such signal; 0 before the first.
volatile std::sig_atomic_t interrupted_by = 0;

// While it lives, those signals are noted instead of ending the tool; those that the tool was
// started to ignore, as by nohup, it ignores.
class NotedInterrupts {
 public:
  NotedInterrupts() {
    for (const int signal : kInterrupts) {
      const auto note = [](int number) { interrupted_by = number; };
      if (std::signal(signal, note) == SIG_IGN) std::signal(signal, SIG_IGN);
    }
  }
  ~NotedInterrupts() {
    for (const int signal : kInterrupts) {
      if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
    }
  }
  NotedInterrupts(const NotedInterrupts&) = delete;
  NotedInterrupts& operator=(const NotedInterrupts&) = delete;

  static void ThrowIfAny() {
    if (interrupted_by != 0) throw Interrupted{interrupted_by};
  }
};

std::string Content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// "check/stream/race at Step(int) (train.cc:17)"
std::set<std::string> FindingsOf(const fs::path& path) {
  std::set<std::string> texts;
  if (!fs::exists(path) || fs::file_size(path) == 0) return texts;
  for (const Json& finding : report::ReadFindings(path.string())) {
    if (finding["note"].get<bool>()) continue;
    const Json& involved = finding["involved"];
    const bool placed = !involved.empty() && !involved[0]["frames"].empty();
    texts.insert(fmt::format(
        "{}{}{}", finding["rule"].get<std::string>(), placed ? " at " : ": ",
        placed ? involved[0]["frames"][0].get<std::string>() : finding["what"].get<std::string>()));
  }
  return texts;
}

// In the child: never returns.
[[noreturn]] void Start(const std::vector<std::string>& program, const ExploreOptions& wanted,
                        const std::string& schedule, const fs::path& folder) {
  setpgid(0, 0);
  setenv("ACLIMB_SCHEDULE", schedule.c_str(), 1);
  setenv("ACLIMB_SCHEDULE_OUT", (folder / "order").c_str(), 1);
  if (!wanted.no_check) {
    setenv("ACLIMB_CHECK", "1", 1);
    setenv("ACLIMB_CHECK_OUT", (folder / "findings.json").c_str(), 1);
  }
  const int in = open("/dev/null", O_RDONLY);
  const int out = open((folder / "stdout").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err = open((folder / "stderr").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  _exit(Become(program));
}

// The child, if it has not ended, and what it started. Returns the child's status.
int Kill(pid_t child) {
  kill(-child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// The child stays to be waited for, so that its number is no other process's yet.
bool HasEnded(pid_t child) {
  siginfo_t ended = {};
  return waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         ended.si_pid != 0;
}

// How the child ended; it is killed when its time is up, or the tool is to end. What it started
// ends with it.
std::string EndOf(pid_t child, double seconds, bool* in_time) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!HasEnded(child)) {
    if (interrupted_by != 0) Kill(child);
    NotedInterrupts::ThrowIfAny();
    if (std::chrono::steady_clock::now() > deadline) {
      Kill(child);
      *in_time = false;
      return fmt::format("no end within {} s", seconds);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const int status = Kill(child);
  if (WIFSIGNALED(status)) {
    return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

Outcome RunOnce(const std::vector<std::string>& program, const ExploreOptions& wanted,
                const std::string& schedule, const fs::path& folder) {
  fs::remove(folder / "order");
  fs::remove(folder / "findings.json");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
  if (child == 0) Start(program, wanted, schedule, folder);
  setpgid(child, child);  // also here, since the child may be killed before it has come to it
  Outcome outcome;
  outcome.end = EndOf(child, wanted.timeout, &outcome.in_time);
  NotedInterrupts::ThrowIfAny();
  // Our own words about a program that cannot be run.
  if (outcome.end == "exit status 127" || outcome.end == "exit status 126") {
    const std::string said = Content(folder / "stderr");
    if (said.starts_with("aclimb: " + program[0] + ":")) {
      throw std::runtime_error(said.substr(std::strlen("aclimb: "), said.find('\n') - 8));
    }
  }
  outcome.output = Content(folder / "stdout");
  outcome.findings = FindingsOf(folder / "findings.json");
  outcome.checked = fs::exists(folder / "findings.json");
  outcome.ordered = fs::exists(folder / "order");
  return outcome;
}

std::string LineAt(const std::string& text, size_t at) {
  const size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  return begin >= text.size() ? "(end)" : text.substr(begin, text.find('\n', begin) - begin);
}

// What differs, a line each; empty when nothing does.
std::string Differences(const Outcome& plain, const Outcome& other, bool ignore_output,
                        const char* with) {
  std::string text;
  if (plain.end != other.end) {
    text += fmt::format("  end: {}; {}: {}\n", plain.end, with, other.end);
  }
  if (!ignore_output && plain.output != other.output) {
    const auto [a, b] = std::mismatch(plain.output.begin(), plain.output.end(),
                                      other.output.begin(), other.output.end());
    const auto at = static_cast<size_t>(a - plain.output.begin());
    text += fmt::format("  output, line {}: {}; {}: {}\n",
                        std::count(plain.output.begin(), a, '\n') + 1, LineAt(plain.output, at),
                        with, LineAt(other.output, at));
  }
  for (const std::string& finding : other.findings) {
    if (plain.findings.count(finding) == 0) {
      text += fmt::format("  finding only {}: {}\n", with, finding);
    }
  }
  for (const std::string& finding : plain.findings) {
    if (other.findings.count(finding) == 0) {
      text += fmt::format("  finding not {}: {}\n", with, finding);
    }
  }
  return text;
}

void ShowProgress(uint64_t done, uint64_t seeds) {
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\rexplore: %lu of %lu ", done, seeds);
}

[[noreturn]] void RefuseWithoutOrder(const Outcome& plain,
                                     const std::vector<std::string>& program) {
  throw std::runtime_error(
      fmt::format("the program made no call of the runtime that opens a device, so it has no order "
                  "to change; expected one that queues work. Its end: {}. See what it says by "
                  "`aclimb run -- {}`.",
                  plain.end, fmt::join(program, " ")));
}

int Explore(const ExploreOptions& wanted, const std::vector<std::string>& program) {
  if (!wanted.order.empty()) CheckNewFile("--order", wanted.order, wanted.force);
  const NotedInterrupts noted;
  const TemporaryFolder folder;
  const Outcome plain = RunOnce(program, wanted, "roundrobin", folder.path);
  if (!plain.in_time) {
    throw std::runtime_error(
        fmt::format("the program has no end within {} s in the usual order; expected one, to "
                    "compare others with. Give it longer with --timeout, or less to do.",
                    wanted.timeout));
  }
  // Without the checker the first seed tells.
  if (!wanted.no_check && !plain.checked) RefuseWithoutOrder(plain, program);
  const Outcome again = RunOnce(program, wanted, "roundrobin", folder.path);
  if (const std::string unsteady =
          Differences(plain, again, wanted.ignore_output, "the second time");
      !unsteady.empty()) {
    throw std::runtime_error(fmt::format(
        "two runs in the usual order differ already:\n{}  --ignore-output leaves stdout "
        "out of the comparison",
        unsteady));
  }
  for (const std::string& finding : plain.findings) {
    Print(fmt::format("in the usual order: {}\n", finding));
  }
  for (uint64_t i = 0; i < wanted.seeds; ++i) {
    ShowProgress(i, wanted.seeds);
    const std::string schedule = fmt::format("random:{}", wanted.first + i);
    const Outcome other = RunOnce(program, wanted, schedule, folder.path);
    const std::string differs = Differences(plain, other, wanted.ignore_output, "with the seed");
    if (differs.empty() && !other.ordered) RefuseWithoutOrder(plain, program);
    if (differs.empty()) continue;
    ShowProgress(i + 1, wanted.seeds);
    Print(fmt::format("{}\n{}  again: aclimb run{} --schedule {} -- {}\n",
                      Alarm(fmt::format("seed {} differs from the usual order", wanted.first + i)),
                      differs, wanted.no_check ? "" : " --check", schedule,
                      fmt::join(program, " ")));
    if (!wanted.order.empty()) {
      WriteNewFile("--order", wanted.order, wanted.force, Content(folder.path / "order"));
    }
    return kFailed;
  }
  ShowProgress(wanted.seeds, wanted.seeds);
  Print(fmt::format("{} orders, none differs from the usual one: {}\n", wanted.seeds, plain.end));
  if (plain.Succeeds()) return kDone;
  Print(fmt::format("{}\n  see: aclimb run{} -- {}\n",
                    Alarm("the program fails in every order, the usual one too"),
                    wanted.no_check ? "" : " --check", fmt::join(program, " ")));
  return kFailed;
}

int Run(ExploreOptions& wanted, const std::vector<std::string>& program) {
  try {
    wanted.seeds = WholeNumber("--seeds", wanted.seeds_text, 1);
    wanted.first = WholeNumber("--first", wanted.first_text, 0);
    wanted.timeout = Seconds("--timeout", wanted.timeout_text);
    if (program.empty()) {
      std::fputs("aclimb explore: no program is given\nTry: aclimb explore --help\n", stderr);
      return kWrongUse;
    }
    TellUnknownVariables();
    ExportToolkit(ToolkitRoot());
    return Explore(wanted, program);
  } catch (const Interrupted& by) {
    // Whoever waits for the tool sees that it ended by the signal.
    std::raise(by.signal);
    return kWrongUse;
  } catch (const std::exception& error) {
    // 1 would say that an order differs.
    std::fprintf(stderr, "aclimb explore: %s\n", error.what());
    return kWrongUse;
  }
}

}  // namespace

Command AddExplore(CLI::App& tool) {
  CLI::App* app = AddSubcommand(tool, "explore", "[OPTIONS] [--] PROGRAM [ARGUMENTS]",
                                "Run a program in many legal orders of its streams");
  app->footer(
      "Compares each run's exit status, stdout and findings of the checker with those of the "
      "usual\n"
      "order, and stops at the first that differs. The exit status is 0 when all are alike and "
      "right,\n"
      "1 when one differs or all fail alike, 2 when the program cannot be compared.\n\n"
      "Examples:\n"
      "  aclimb explore ./train --steps 2\n"
      "  aclimb explore --seeds 1000 --order wrong.order -- ./train\n"
      "  aclimb run --check --schedule replay:wrong.order ./train");
  auto wanted = std::make_shared<ExploreOptions>();
  app->add_option("--seeds", wanted->seeds_text, "how many orders to try (100)")->type_name("N");
  app->add_option("--first", wanted->first_text, "the first seed (1)")->type_name("SEED");
  app->add_option("--timeout", wanted->timeout_text, "seconds that a run may take (60)")
      ->type_name("S");
  app->add_option("--order", wanted->order, "write the order that differs, for replay")
      ->type_name("FILE");
  app->add_flag("--force", wanted->force, "replace that file");
  app->add_flag("--no-check", wanted->no_check, "leave the checker off, which is faster");
  app->add_flag("--ignore-output", wanted->ignore_output, "do not compare stdout");
  return {app, [wanted](const std::vector<std::string>& program) { return Run(*wanted, program); },
          true};
}

}  // namespace aclimb::cli
