#pragma once

#include <optional>
#include <string>

#include "tools/check/accesses.h"
#include "tools/check/book.h"
#include "tools/check/finding.h"
#include "tools/check/objects.h"

namespace aclimb::check {

// The mistake behind a call that was refused with the message `text`, together with what is known
// of the memory and the objects that the message names. Nothing for refusals that are no mistake in
// the use of memory, streams or objects.
//   is_device  whether an address can be device memory at all
std::optional<Finding> FindingOf(const Here& here, const std::string& text, Book& book,
                                 const Objects& objects, bool (*is_device)(const void*));

// Refused calls since the program last asked for a text or for the last error.
class Unread {
 public:
  void Add(const Here& here, int code, const std::string& text);
  void Clear() { count_ = 0; }
  // The first of them; nothing when there is none.
  std::optional<Finding> Told() const;

 private:
  uint64_t count_ = 0;
  Finding first_;
};

}  // namespace aclimb::check
