#include "aclimb/ops/reduce/operators.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing {

ACLIMB_OPERATOR_SUITE(Reduce, reduce::kOperators);

}  // namespace aclimb::testing
