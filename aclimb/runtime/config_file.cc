#include "aclimb/runtime/config_file.h"

#include <cstdint>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "acl/acl_base.h"
#include "aclimb/core/json_depth.h"
#include "aclimb/core/parse.h"
#include "aclimb/runtime/refusals.h"

namespace aclimb {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 10;

Status Wrong(int code, std::string what, std::string_view rule) {
  return Refuse(code, std::move(what), "correct the file, or pass null to aclInit",
                Cat("runtime/config/", rule));
}

// Device numbers are strings in this file; a plain number is understood too.
bool ReadDevice(const Json& value, int* device) {
  if (value.is_number_unsigned()) {
    const uint64_t number = value.get<uint64_t>();
    if (number > static_cast<uint64_t>(std::numeric_limits<int>::max())) return false;
    *device = static_cast<int>(number);
    return true;
  }
  if (!value.is_string()) return false;
  return ParseWhole(value.get_ref<const std::string&>(), device) && *device >= 0;
}

// Nothing when it cannot be read, as a folder cannot.
std::optional<std::string> ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char part[4096];
  while (file.read(part, sizeof(part)), file.gcount() > 0) {
    text.append(part, static_cast<size_t>(file.gcount()));
  }
  return file.eof() ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace

Result<Config> ReadConfig(const std::string& path) {
  const std::optional<std::string> read = ReadText(path);
  if (!read) {
    return Wrong(kInvalidFile, Cat("configPath is \"", path, "\"; expected a readable file."),
                 "unreadable");
  }
  const std::string& text = *read;
  if (JsonDepth(text) > kDeepest) {
    return Wrong(kParseFile,
                 Cat("configPath is \"", path, "\", nested deeper than ", kDeepest,
                     " levels; expected at most ", kDeepest, "."),
                 "depth");
  }
  const Json root = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) {
    return Wrong(kParseFile, Cat("configPath is \"", path, "\"; expected a JSON object."), "json");
  }
  if (root.contains("dump") && !root["dump"].is_object()) {
    return Wrong(
        ACL_ERROR_INVALID_DUMP_CONFIG,
        Cat("dump in \"", path, "\" is ", root["dump"].type_name(), "; expected an object."),
        "dump");
  }
  if (root.contains("profiler") && !root["profiler"].is_object()) {
    return Wrong(ACL_ERROR_INVALID_PROFILING_CONFIG,
                 Cat("profiler in \"", path, "\" is ", root["profiler"].type_name(),
                     "; expected an object."),
                 "profiler");
  }
  Config config;
  if (root.contains("err_msg_mode")) {
    const Json& mode = root["err_msg_mode"];
    if (mode != "0" && mode != "1" && mode != 0 && mode != 1) {
      return Wrong(
          kInvalidParam,
          Cat("err_msg_mode in \"", path, "\" is ", mode.dump(), "; expected \"0\" or \"1\"."),
          "err-msg-mode");
    }
    config.share_messages = mode == "1" || mode == 1;
  }
  if (root.contains("defaultDevice")) {
    const Json& section = root["defaultDevice"];
    const bool good = section.is_object() && section.contains("default_device") &&
                      ReadDevice(section["default_device"], &config.default_device);
    if (!good) {
      return Wrong(kInvalidParam,
                   Cat("defaultDevice in \"", path, "\" is ", section.dump(),
                       "; expected {\"default_device\": \"<number>\"}."),
                   "default-device");
    }
  }
  return config;
}

}  // namespace aclimb
