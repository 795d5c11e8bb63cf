#include "aclimb/ops/unary/operators.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing {

ACLIMB_OPERATOR_SUITE(Unary, unary::kOperators);

}  // namespace aclimb::testing
