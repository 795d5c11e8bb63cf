#include "aclimb/runtime/settings.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string_view>

#include "aclimb/backend/loader.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/cpu_target.h"
#include "aclimb/core/environment.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/parse.h"
#include "aclimb/core/product.h"
#include "aclimb/core/text.h"
#include "aclimb/core/writable.h"

namespace aclimb {
namespace {

class Reader {
 public:
  explicit Reader(std::string* problem) : problem_(problem) {}

  void Complain(const char* name, std::string_view value) {
    const EnvironmentVariable* row = FindEnvironmentVariable(name);
    Complain(name, value, row != nullptr ? row->values : "another value");
  }
  void Complain(const char* name, std::string_view value, std::string_view expected) {
    if (!problem_->empty()) *problem_ += ' ';
    *problem_ +=
        Cat("the environment variable ", name, " is \"", value, "\"; expected ", expected, ".");
  }
  int Integer(const char* name, int fallback, uint64_t least, uint64_t most) {
    const auto text = ReadEnvironment(name);
    if (!text) return fallback;
    uint64_t value;
    if (ParseWhole(*text, &value) && value >= least && value <= most) {
      return static_cast<int>(value);
    }
    Complain(name, *text);
    return fallback;
  }
  bool Flag(const char* name, bool fallback) { return Integer(name, fallback ? 1 : 0, 0, 1) != 0; }
  // Bytes, or a number with K, M, G or T (powers of 1024).
  uint64_t Bytes(const char* name) {
    const auto text = ReadEnvironment(name);
    if (!text) return 0;
    constexpr uint64_t kLeast = 4096;
    const std::optional<uint64_t> size = ParseByteSize(*text);
    if (size && *size >= kLeast) return *size;
    Complain(name, *text);
    return 0;
  }

 private:
  std::string* problem_;
};

void ReadLog(Reader& reader, Settings& settings) {
  settings.log_level = reader.Integer("ASCEND_GLOBAL_LOG_LEVEL", 3, 0, 4);
  settings.app_log_level = settings.log_level;
  settings.log_stdout = reader.Flag("ASCEND_SLOG_PRINT_TO_STDOUT", false);
  settings.log_stdout = reader.Flag("ASCEND_LOG_PRINT_TO_STDOUT", settings.log_stdout);
  if (const auto modules = ReadEnvironment("ASCEND_MODULE_LOG_LEVEL")) {
    // Other modules than ours are the toolkit's and mean nothing here.
    for (std::string_view rest = *modules; !rest.empty();) {
      const std::string_view token = rest.substr(0, rest.find(':'));
      rest.remove_prefix(std::min(rest.size(), token.size() + 1));
      const size_t equals = token.find('=');
      uint64_t level;
      if (equals == std::string_view::npos || !ParseWhole(token.substr(equals + 1), &level) ||
          level > 4) {
        reader.Complain("ASCEND_MODULE_LOG_LEVEL", *modules);
        break;
      }
      if (token.substr(0, equals) == "APP") settings.app_log_level = static_cast<int>(level);
      if (token.substr(0, equals) == "ASCENDCL") settings.log_level = static_cast<int>(level);
    }
  }
  const auto topics = ReadEnvironment("ACLIMB_LOG");
  if (!topics) return;
  for (std::string_view rest = *topics; !rest.empty();) {
    const std::string_view token = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), token.size() + 1));
    if (token == "plan") {
      settings.shared.log_plan = 1;
    } else if (token == "stderr") {
      settings.log_stderr = true;
    } else if (token.starts_with("file=") && token.size() > 5) {
      settings.log_file = token.substr(5);
      if (const int error = WritingError(settings.log_file); error != 0) {
        reader.Complain("ACLIMB_LOG", *topics,
                        Cat("a file that can be written (", std::strerror(error), ")"));
      }
    } else {
      reader.Complain("ACLIMB_LOG", *topics);
      break;
    }
  }
}

Settings* Read() {
  auto* settings = new Settings;
  Reader reader(&settings->problem);
  settings->soc_name = ReadEnvironment("ACLIMB_SOC").value_or("Ascend910B3");
  const auto product = ProductOfSoc(settings->soc_name);
  settings->shared.product = product ? static_cast<int32_t>(*product) : -1;
  if (!product) {
    settings->problem = Cat("the environment variable ACLIMB_SOC is \"", settings->soc_name,
                            "\"; expected one of ", SocNamesText(), ".");
  }
  settings->device = ReadEnvironment("ACLIMB_DEVICE").value_or("cpu");
  if (!HasBackend(settings->device)) {
    reader.Complain("ACLIMB_DEVICE", settings->device);
  }
  settings->devices = reader.Integer("ACLIMB_DEVICES", 1, 1, 64);
  settings->memory_bytes = reader.Bytes("ACLIMB_MEMORY");
  settings->host_access = reader.Flag("ACLIMB_HOST_ACCESS", false);
  settings->strict = reader.Flag("ACLIMB_STRICT", false);
  settings->missing = reader.Flag("ACLIMB_MISSING", false);
  settings->shared.extensions = reader.Flag("ACLIMB_EXTENSIONS", false);
  settings->shared.launch_blocking = reader.Flag("ASCEND_LAUNCH_BLOCKING", false);
  settings->shared.threads = reader.Integer("ACLIMB_THREADS", 0, 0, 1024);
  const auto target = ReadEnvironment("ACLIMB_CPU_TARGET");
  if (target && !ParseCpuTarget(*target)) reader.Complain("ACLIMB_CPU_TARGET", *target);
  settings->visible_devices = ReadEnvironment("ASCEND_RT_VISIBLE_DEVICES").value_or("");
  ReadLog(reader, *settings);
  settings->shared.soc_name = settings->soc_name.c_str();
  settings->shared.problem = settings->problem.empty() ? nullptr : settings->problem.c_str();
  return settings;
}

std::atomic<const Settings*> current{nullptr};
constinit std::mutex read_mutex;
ForkLock read_lock(read_mutex);

}  // namespace

const Settings& CurrentSettings() {
  const Settings* settings = current.load(std::memory_order_acquire);
  if (settings != nullptr) return *settings;
  ForkParts::NoteUse();
  std::lock_guard<std::mutex> lock(read_mutex);
  settings = current.load(std::memory_order_relaxed);
  if (settings == nullptr) {
    settings = Read();
    current.store(settings, std::memory_order_release);
  }
  return *settings;
}

Status CheckEnvironment() {
  const Settings& settings = CurrentSettings();
  if (settings.problem.empty()) return Ok();
  return Refuse(kInvalidParam, settings.problem, "set it to one of these values, or unset it",
                "runtime/environment");
}

std::vector<int> VisibleDevices(const std::string& list, int count) {
  std::vector<int> devices;
  if (list.empty()) {
    for (int i = 0; i < count; ++i) devices.push_back(i);
    return devices;
  }
  for (std::string_view rest = list; !rest.empty();) {
    const std::string_view token = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), token.size() + 1));
    uint64_t id;
    if (!ParseWhole(token, &id) || id >= static_cast<uint64_t>(count)) break;
    if (!devices.empty() && static_cast<int>(id) <= devices.back()) break;
    devices.push_back(static_cast<int>(id));
  }
  return devices;
}

}  // namespace aclimb

extern "C" {

const AclimbSettings* aclimb_settings() {
  try {
    return &aclimb::CurrentSettings().shared;
  } catch (...) {
    static constexpr AclimbSettings kNoMemory = {
        -1, "", 0, 0, 0, 0, "host memory is exhausted: the environment cannot be read."};
    return &kNoMemory;
  }
}

void aclimb_settings_reload() {
  try {
    std::lock_guard<std::mutex> lock(aclimb::read_mutex);
    aclimb::Settings* settings = aclimb::Read();
    settings->older = aclimb::current.load(std::memory_order_relaxed);
    aclimb::current.store(settings, std::memory_order_release);
  } catch (...) {  // The old ones stay.
  }
}

}  // extern "C"
