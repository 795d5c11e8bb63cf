#pragma once

#include <string>

#include "aclimb/collectives/settings.h"
#include "aclimb/core/status.h"
#include "hccl/hccl.h"

namespace aclimb::collectives {

// What a program asks of one communicator, and the environment of all.
struct Wishes {
  Settings settings;
  std::string name;  // empty: none was asked for
};

// The environment, and over it the options, which may be null. Takes the structure of release 8.1
// and, of later ones, what begins like it.
//   errors  HCCL_E_PARA names the field or the variable
Result<Wishes> ReadWishes(const HcclCommConfig* config);

}  // namespace aclimb::collectives
