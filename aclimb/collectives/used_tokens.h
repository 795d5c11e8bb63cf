#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "aclimb/collectives/token.h"

namespace aclimb::collectives {

// What a rank is told that comes too late: the group is complete, or will never be.
struct TooLate {
  uint32_t code = 0;
  std::string text;
};

// Of the root infos that this process gave out: nobody joins by the secret any more. The most
// recent ones are kept.
void NoteUsed(const Secret& secret, const TooLate& why);
std::optional<TooLate> FindUsed(const Secret& secret);

}  // namespace aclimb::collectives
