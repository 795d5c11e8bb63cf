#include "aclimb/core/text.h"

namespace aclimb {

std::string ShapeText(const int64_t* dims, size_t count) {
  std::string out = "[";
  for (size_t i = 0; i < count; ++i) {
    if (i != 0) out += ", ";
    out += std::to_string(dims[i]);
  }
  return out + "]";
}

}  // namespace aclimb
