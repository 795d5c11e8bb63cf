#include "aclimb/observe/observe.h"

namespace aclimb::observe {

Observers MakeTools() noexcept {
  Observers tools;
  return tools;
}

}  // namespace aclimb::observe
