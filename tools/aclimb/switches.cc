#include "tools/aclimb/switches.h"

#include <algorithm>

#include "aclimb/core/environment.h"
#include "tools/aclimb/exported_functions.h"
#include "tools/aclimb/near.h"
#include "tools/aclimb/settings_problems.h"
#include "tools/aclimb/toolkit.h"
#include "tools/fault/fault_spec.h"
#include "tools/schedule/settings.h"

namespace aclimb::cli {
namespace {

// The runtime that will read the variable is the one that knows what it may be.
std::optional<std::string> AskRuntime(const Switch& row) { return ProblemOf(row.variable); }

// The usual order is nowhere decided, so there is nothing to write down.
std::optional<std::string> AskForOrder(const Switch& row) {
  if (auto problem = AskRuntime(row)) return problem;
  const Result<std::unique_ptr<tools::Order>> order = tools::ReadOrder();
  if (!order.ok() || order.value() != nullptr) return std::nullopt;
  return "only other orders than the usual one are written; expected --schedule random:SEED or "
         "--schedule replay:FILE beside it.";
}

// A function that is misspelled would never fail.
std::optional<std::string> AskForFunctions(const Switch& row) {
  if (auto problem = AskRuntime(row)) return problem;
  const Result<std::vector<tools::FaultOrder>> orders = tools::ReadFaults();
  if (!orders.ok()) return std::nullopt;
  const std::vector<std::string> known = ExportedFunctions(ToolkitRoot());
  for (const tools::FaultOrder& order : orders.value()) {
    if (order.function == "*") continue;
    if (std::find(known.begin(), known.end(), order.function) != known.end()) continue;
    const std::vector<std::string> near = NearMatches(order.function, known, 1);
    // A name of which the text is a small part has nothing to do with it.
    const bool is_near = !near.empty() && near[0].size() <= 2 * order.function.size();
    return "there is no function " + order.function +
           (!is_near ? "; expected one of the public interface, or *."
                     : "; " + near[0] + " is meant?");
  }
  return std::nullopt;
}

// A new switch is one line here, beside its variable in aclimb/core/environment.h.
constexpr Switch kSwitches[] = {
    {"--soc", "ACLIMB_SOC", "NAME", "the chip to imitate, as Ascend910B3", AskRuntime,
     "Ascend910B1 Ascend910B2 Ascend910B3 Ascend910B4 Ascend910_9391 Ascend950 Ascend910A "
     "Ascend310P3"},
    {"--devices", "ACLIMB_DEVICES", "N", "number of devices", AskRuntime},
    {"--device", "ACLIMB_DEVICE", "BACKEND", "the backend: cpu, or an installed plug-in",
     AskRuntime, "cpu"},
    {"--threads", "ACLIMB_THREADS", "N", "size of the compute team; 0: all cores", AskRuntime},
    {"--memory", "ACLIMB_MEMORY", "SIZE", "memory of one device, as 4G", AskRuntime},
    {"--log", "ACLIMB_LOG", "TOPICS", "what to log and where: plan, stderr, file=PATH", AskRuntime,
     "plan stderr file="},
    {"--trace", "ACLIMB_TRACE", "FILE", "write a timeline of calls and work", AskRuntime},
    {"--record", "ACLIMB_RECORD", "DIR", "write every operator call with its data, for replay",
     AskRuntime},
    {"--fault", "ACLIMB_FAULT", "ORDERS", "make calls or tasks fail, as aclrtMalloc:3=207001",
     AskForFunctions},
    {"--seed", "ACLIMB_FAULT_SEED", "N", "seed of the faults that have a probability", AskRuntime},
    {"--schedule", "ACLIMB_SCHEDULE", "ORDER",
     "run streams in another legal order: random:SEED or replay:FILE", AskRuntime,
     "roundrobin random: replay:"},
    {"--schedule-out", "ACLIMB_SCHEDULE_OUT", "FILE", "write the order in which work ran",
     AskForOrder},
    {"--check", "ACLIMB_CHECK", "[or --check=LIST]",
     "find misuse of memory, streams and objects; =all: more of it", AskRuntime},
    {"--launch-blocking", "ASCEND_LAUNCH_BLOCKING", nullptr,
     "each launch waits, and its call reports the failure", AskRuntime},
    {"--host-access", "ACLIMB_HOST_ACCESS", nullptr, "the host may dereference device addresses",
     AskRuntime},
    {"--strict", "ACLIMB_STRICT", nullptr, "refuse runtime calls before aclInit", AskRuntime},
    {"--extensions", "ACLIMB_EXTENSIONS", nullptr,
     "accept argument values that the documents reserve", AskRuntime},
    {"--force", "ACLIMB_FORCE", nullptr, "replace files and recordings that exist", AskRuntime},
};

constexpr bool AllExist() {
  for (const Switch& row : kSwitches) {
    bool found = false;
    for (const EnvironmentVariable& variable : kEnvironment) {
      found = found || variable.name == row.variable;
    }
    if (!found) return false;
  }
  return true;
}
static_assert(AllExist(), "a switch sets a variable that kEnvironment does not have");

}  // namespace

std::span<const Switch> Switches() { return kSwitches; }

}  // namespace aclimb::cli
