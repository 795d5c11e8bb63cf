#include "aclimb/core/environment.h"

#include <cstdlib>

#include "aclimb/core/parse.h"

namespace aclimb {

const EnvironmentVariable* FindEnvironmentVariable(std::string_view name) {
  for (const EnvironmentVariable& variable : kEnvironment) {
    if (variable.name == name) return &variable;
  }
  return nullptr;
}

std::optional<std::string_view> ReadEnvironment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || value[0] == '\0') return std::nullopt;
  return std::string_view(value);
}

std::optional<uint64_t> ParseByteSize(std::string_view text) {
  if (text.empty()) return std::nullopt;
  int shift = 0;
  constexpr std::string_view kUnits = "KMGT";
  const size_t unit = kUnits.find(static_cast<char>(text.back() & ~0x20));
  if (unit != std::string_view::npos && text.size() > 1) {
    shift = 10 * (static_cast<int>(unit) + 1);
    text.remove_suffix(1);
  }
  uint64_t value = 0;
  constexpr uint64_t kMost = uint64_t{1} << 50;
  if (!ParseWhole(text, &value) || value > kMost >> shift) return std::nullopt;
  return value << shift;
}

}  // namespace aclimb
