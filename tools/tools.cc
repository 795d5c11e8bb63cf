#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "aclimb/observe/observe.h"
#include "tools/check/check.h"
#include "tools/fault/fault.h"
#include "tools/problems.h"
#include "tools/record/record.h"
#include "tools/schedule/schedule.h"
#include "tools/trace/trace.h"

namespace aclimb::observe {
namespace {

// A forked child is not the one to judge.
const pid_t process = getpid();
std::atomic<bool> made{false};

// A program that calls nothing of the runtime gets none of what was asked for.
__attribute__((destructor)) void TellThatNothingWasCalled() {
  if (made || getpid() != process) return;
  constexpr struct {
    const char* variable;
    const char* effect;
  } kAsked[] = {{"ACLIMB_CHECK", "nothing was checked"},
                {"ACLIMB_TRACE", "nothing was traced, and no file was made"},
                {"ACLIMB_RECORD", "nothing was recorded"},
                {"ACLIMB_FAULT", "nothing failed"}};
  for (const auto& [variable, effect] : kAsked) {
    const char* value = secure_getenv(variable);
    if (value == nullptr || value[0] == '\0' || std::strcmp(value, "0") == 0) continue;
    std::fprintf(stderr, "aclimb: %s: the program made no call of the runtime, so %s.\n", variable,
                 effect);
  }
}

}  // namespace

Observers MakeTools() noexcept {
  made = true;
  Observers tools;
  try {
    for (const tools::Problem& problem : tools::ValueProblems()) {
      std::fprintf(stderr, "aclimb: %s %s\n", problem.what.c_str(), problem.effect.c_str());
    }
  } catch (...) {
    // Out of memory this early: nothing is told.
  }
  for (Observer* (*const make)() :
       {&tools::MakeTrace, &tools::MakeFault, &check::MakeChecker, &tools::MakeRecord}) {
    try {
      Observer* tool = make();
      if (tool != nullptr) tools.list[tools.count++] = tool;
    } catch (...) {
      // Out of memory this early: the program runs without the tool.
    }
  }
  return tools;
}

const AclimbBackend* Ordered(const AclimbBackend* backend) noexcept {
  return tools::WrapSchedule(backend);
}

}  // namespace aclimb::observe
