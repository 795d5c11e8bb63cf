#include "aclimb/core/environment.h"

#include <cstdlib>

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

}  // namespace aclimb
