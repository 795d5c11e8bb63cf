#pragma once

#include <string_view>

#include "aclimb/core/codes.h"

namespace aclimb {

// Whether the refusal answers what programs ask in order to go on from there: "there is no current
// device", "aclInit was called before". The runtime drops its text once another comes.
constexpr bool IsAnswer(std::string_view function, int code) {
  return code == kRepeatInitialize ||
         (code == kRtContextNull &&
          (function == "aclrtGetDevice" || function == "aclrtGetCurrentContext"));
}

}  // namespace aclimb
