#include "aclimb/ops/norms/operators.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::norms_test {

ACLIMB_OPERATOR_SUITE(Norms, norms::kOperators);

}  // namespace aclimb::testing::norms_test
