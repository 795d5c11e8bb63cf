#pragma once

#include <string_view>

namespace aclimb::aclop {

// With ACLIMB_MISSING=1, notes that a program asked for an operator by its type name and did not
// get it; the process lists them on stderr when it ends. An operator that a program looks up by
// name with dlsym, and does not find, leaves no trace here.
//   why  what stands behind the count, such as "aclnnFoo is missing"; that of the first time stays
void NoteMissing(std::string_view type, std::string_view why) noexcept;

}  // namespace aclimb::aclop
