#include "aclimb/ops/convolution_backward/operators.h"
#include "tests/support/operator_suite.h"

namespace aclimb::testing::convolution_backward_test {

// oneDNN divides its sums among the threads.
[[maybe_unused]] const bool kDependsOnThreads = OperatorSuite::DependOnThreads();

ACLIMB_OPERATOR_SUITE(Convolution, convolution_backward::kOperators);

}  // namespace aclimb::testing::convolution_backward_test
