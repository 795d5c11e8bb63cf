#pragma once

#include <cstdlib>
#include <optional>
#include <string>

#include "aclimb/bridge/bridge.h"

namespace aclimb::testing {

// Sets an environment variable and has the library read it; restores both at the end of the scope.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value, 1);
    aclimb_settings_reload();
  }
  ~Setting() {
    if (old_) {
      setenv(name_, old_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
    aclimb_settings_reload();
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace aclimb::testing
