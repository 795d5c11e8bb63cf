#pragma once

#include <vector>

#include "aclnn/acl_meta.h"

namespace aclimb {

// Lists own their members: destroying the list destroys them.
struct TensorListValue {
  std::vector<const aclTensor*> members;
};
struct ScalarListValue {
  std::vector<const aclScalar*> members;
};

}  // namespace aclimb
