#include <cstdio>

#include "aclimb/observe/observe.h"
#include "tools/check/check.h"
#include "tools/fault/fault.h"
#include "tools/problems.h"
#include "tools/record/record.h"
#include "tools/schedule/schedule.h"
#include "tools/trace/trace.h"

namespace aclimb::observe {

Observers MakeTools() noexcept {
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
