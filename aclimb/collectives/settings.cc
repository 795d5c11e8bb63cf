#include "aclimb/collectives/settings.h"

#include <atomic>
#include <string_view>
#include <utility>

#include "aclimb/core/environment.h"
#include "aclimb/core/parse.h"
#include "aclimb/core/text.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {
namespace {

// -1: the variable decides.
constinit std::atomic<int> set_deterministic{-1};

Status Wrong(const char* name, std::string_view value) {
  const EnvironmentVariable* const row = FindEnvironmentVariable(name);
  return Refuse(HCCL_E_PARA,
                Cat("the environment variable ", name, " is \"", value, "\"; expected ",
                    row != nullptr ? row->values : "another value", "."),
                "correct the variable, or unset it", "collective/environment");
}

// Leaves *value alone when the variable is not set.
void ReadNumber(const char* name, uint64_t least, uint64_t most, uint64_t* value,
                std::vector<Status>& wrong) {
  const auto text = ReadEnvironment(name);
  if (!text) return;
  uint64_t read = 0;
  if (!ParseWhole(*text, &read) || read < least || read > most) {
    wrong.push_back(Wrong(name, *text));
  } else {
    *value = read;
  }
}

// Adds one status for each variable that has a wrong value.
Settings Read(std::vector<Status>& wrong) {
  Settings settings;
  // The size of the buffer is checked alone: Gloo has none to be set.
  uint64_t connect = 120, exec = 1836, port = 0, open = 1, buffer = 200;
  struct Number {
    const char* name;
    uint64_t least, most;
    uint64_t* value;
  };
  const Number numbers[] = {{"HCCL_CONNECT_TIMEOUT", 1, 7200, &connect},
                            {"HCCL_EXEC_TIMEOUT", 0, 2147483647, &exec},
                            {"HCCL_IF_BASE_PORT", 0, 65504, &port},
                            {"HCCL_WHITELIST_DISABLE", 0, 1, &open},
                            {"HCCL_BUFFSIZE", 1, 1u << 20, &buffer}};
  for (const Number& number : numbers) {
    ReadNumber(number.name, number.least, number.most, number.value, wrong);
  }
  settings.connect_timeout = std::chrono::seconds(connect);
  settings.exec_timeout =
      exec == 0 ? kForever : std::chrono::milliseconds(std::chrono::seconds(exec));
  settings.base_port = static_cast<uint16_t>(port);
  const std::string_view order = ReadEnvironment("HCCL_DETERMINISTIC").value_or("false");
  if (order != "false" && order != "true" && order != "strict") {
    wrong.push_back(Wrong("HCCL_DETERMINISTIC", order));
  }
  settings.deterministic = IsDeterministic();
  const std::string_view family = ReadEnvironment("HCCL_SOCKET_FAMILY").value_or("AF_INET");
  if (family != "AF_INET" && family != "AF_INET6") {
    wrong.push_back(Wrong("HCCL_SOCKET_FAMILY", family));
  }
  settings.ipv6 = family == "AF_INET6";
  settings.address = ReadEnvironment("HCCL_IF_IP").value_or("");
  settings.interfaces = ReadEnvironment("HCCL_SOCKET_IFNAME").value_or("");
  if (open == 0) {
    settings.whitelist = ReadEnvironment("HCCL_WHITELIST_FILE").value_or("");
    if (settings.whitelist.empty()) wrong.push_back(Wrong("HCCL_WHITELIST_FILE", ""));
  }
  return settings;
}

}  // namespace

Result<Settings> ReadSettings() {
  std::vector<Status> wrong;
  Settings settings = Read(wrong);
  if (!wrong.empty()) return std::move(wrong.front());
  return settings;
}

std::vector<std::string> SettingsProblems() {
  std::vector<Status> wrong;
  Read(wrong);
  std::vector<std::string> problems;
  for (const Status& status : wrong) problems.push_back(status.refusal().what);
  return problems;
}

void SetDeterministic(bool deterministic) {
  set_deterministic.store(deterministic ? 1 : 0, std::memory_order_relaxed);
}

bool IsDeterministic() {
  const int set = set_deterministic.load(std::memory_order_relaxed);
  if (set >= 0) return set != 0;
  return ReadEnvironment("HCCL_DETERMINISTIC").value_or("false") != "false";
}

}  // namespace aclimb::collectives
