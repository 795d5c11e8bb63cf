#include "tools/check/check.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <optional>

#include "tools/check/checker.h"

namespace aclimb::check {
namespace {

std::atomic<Checker*> running{nullptr};
pid_t process = 0;

// After the program's own exit handlers and the destructors of its static objects, which may still
// give things back: libraries end after those that use them.
__attribute__((destructor)) void EndOfProcess() {
  Checker* checker = running.exchange(nullptr);
  // A forked child has its parent's books, and is not the one to judge them.
  if (checker == nullptr || getpid() != process) return;
  int status = 0;
  try {
    status = checker->Finish();
  } catch (...) {  // No memory left to report with.
  }
  if (status == 0) return;
  std::fflush(nullptr);
  // The status is the last word: exit() is on its way already, and has called all it had to call.
  _exit(status);
}

}  // namespace

observe::Observer* MakeChecker() {
  const std::optional<Settings> settings = ReadSettings(nullptr);
  if (!settings) return nullptr;
  tools::JsonFile* file = tools::JsonFile::Open("ACLIMB_CHECK_OUT", /*at_exit=*/false);
  auto* checker = new Checker(*settings, file);
  process = getpid();
  running.store(checker);
  return checker;
}

}  // namespace aclimb::check
