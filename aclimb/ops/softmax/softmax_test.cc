#include "aclimb/ops/softmax/operators.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing {

ACLIMB_OPERATOR_SUITE(Softmax, softmax::kOperators);

}  // namespace aclimb::testing
