// aclimb info: what this toolkit is and what it finds on this machine.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "aclimb/core/cores.h"
#include "aclimb/core/product.h"
#include "aclimb/runtime/settings.h"
#include "aclimb/version.h"
#include "backends/cpu/capacity.h"
#include "tools/aclimb/command.h"
#include "tools/aclimb/output.h"
#include "tools/aclimb/processor.h"
#include "tools/aclimb/runtime_library.h"
#include "tools/aclimb/settings_problems.h"
#include "tools/aclimb/toolkit.h"

namespace aclimb::cli {
namespace {

using Json = nlohmann::ordered_json;

// One line of the answer: the value as programs want it, and as people do; no text where another
// line has it.
struct Fact {
  const char* label;
  const char* key;
  Json value;
  std::string text;
};

Fact Text(const char* label, const char* key, const std::string& value) {
  return {label, key, value, value};
}
Fact Bytes(const char* label, const char* key, uint64_t value) {
  return {label, key, value, BytesText(value)};
}
Fact Number(const char* label, const char* key, int64_t value) {
  return {label, key, value, std::to_string(value)};
}
Fact List(const char* label, const char* key, const std::vector<std::string>& values) {
  return {label, key, values, fmt::format("{}", fmt::join(values, ", "))};
}

// "2 of 8: CPU quota of cgroup /foo".
std::string WithReason(const std::string& number, const std::string& reason) {
  return reason.empty() ? number : number + ": " + reason;
}

void AddToolkit(const std::string& root, std::vector<Fact>& facts) {
  facts.push_back(Text("version", "version", ACLIMB_VERSION_STRING));
  facts.push_back(Text("toolkit", "toolkit_version", ACLIMB_TOOLKIT_VERSION_STRING));
  facts.push_back(Text("root", "root", root));
  facts.push_back(Text("libraries", "libraries", root + "/lib64"));
}

void AddDevices(const RuntimeAnswers& runtime, std::vector<Fact>& facts) {
  const Settings& settings = CurrentSettings();
  const auto product = ProductOfSoc(settings.soc_name);
  facts.push_back(Text("chip", "soc", settings.soc_name));
  facts.push_back(Text("product", "product", product ? std::string(NameOf(*product)) : "unknown"));
  facts.push_back(Text("backend", "device", settings.device));
  if (!runtime.problem.empty()) return;
  facts.push_back(Number("devices", "devices", runtime.devices));
  facts.push_back(Bytes("memory", "memory_total", runtime.memory_total));
  facts.push_back(Bytes("free", "memory_free", runtime.memory_free));
}

void AddMachine(std::vector<Fact>& facts) {
  const CoreLimit& cores = UsableCores();
  const CoreLimit team = TeamOf(CurrentSettings().shared.threads);
  facts.push_back(Text("processor", "cpu", ProcessorName()));
  facts.push_back({"cores", "cores", cores.count,
                   WithReason(fmt::format("{} of {}", cores.count, MachineCores()), cores.reason)});
  facts.push_back(
      {"threads", "threads", team.count, WithReason(std::to_string(team.count), team.reason)});
  if (!cores.reason.empty()) facts.push_back({"", "cores_limit", cores.reason, ""});
  if (!team.reason.empty()) facts.push_back({"", "threads_limit", team.reason, ""});
  facts.push_back(List("vectors", "vector_targets", VectorTargets()));
  Json sizes = Json::object();
  std::vector<std::string> texts;
  for (const Cache& cache : Caches()) {
    sizes[cache.name] = cache.bytes;
    texts.push_back(fmt::format("{} {}", cache.name, BytesText(cache.bytes)));
  }
  facts.push_back({"caches", "caches", sizes, fmt::format("{}", fmt::join(texts, ", "))});
  facts.push_back(Bytes("limit", "machine_memory", cpu::UsableMachineMemory()));
}

int Info(bool json) {
  const std::string root = ToolkitRoot();
  std::vector<std::string> problems = EnvironmentProblems();
  const RuntimeAnswers runtime = AskRuntimeLibrary(root);
  // A runtime that was given a bad environment says again what is wrong with it.
  if (problems.empty() && !runtime.problem.empty()) problems.push_back(runtime.problem);
  std::vector<Fact> facts;
  AddToolkit(root, facts);
  AddDevices(runtime, facts);
  AddMachine(facts);
  if (json) {
    Json all = Json::object();
    for (const Fact& fact : facts) all[fact.key] = fact.value;
    all["problems"] = problems;
    Print(all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  } else {
    Print(Bold("Aclimb") + "\n");
    for (const Fact& fact : facts) {
      if (!fact.text.empty()) PrintField(fact.label, fact.text);
    }
    for (const std::string& problem : problems) PrintField("problem", Alarm(problem));
  }
  return problems.empty() ? kDone : kFailed;
}

}  // namespace

Command AddInfo(CLI::App& tool) {
  CLI::App* app =
      AddSubcommand(tool, "info", "[--json]", "Show versions, devices, processor and memory");
  app->footer(
      "Loads the runtime and asks it, as a program would. Behind \"cores\" and \"threads\" stands\n"
      "what leaves the process fewer; \"limit\" is the memory that the machine or the control "
      "group\n"
      "gives it. Exit status 1 when something is wrong with the libraries or the environment.\n\n"
      "Examples:\n"
      "  aclimb info\n"
      "  ACLIMB_SOC=Ascend310P3 aclimb info --json");
  auto json = std::make_shared<bool>(false);
  app->add_flag("--json", *json, "print JSON; sizes are bytes");
  return {app, [json](const std::vector<std::string>&) { return Info(*json); }};
}

}  // namespace aclimb::cli
