#include "aclimb/ops/convolution_backward/truth.h"

#include <cmath>
#include <cstddef>

namespace aclimb::convolution_backward {
namespace {

void AddProducts(size_t count, double grad, const double* __restrict factor, double* __restrict sum,
                 double* __restrict size) {
  for (size_t i = 0; i < count; ++i) {
    const double term = grad * factor[i];
    sum[i] += term;
    size[i] += std::fabs(term);
  }
}

}  // namespace

void AddTerms(size_t count, double grad, const double* weight, const double* input,
              TermSums grad_input, TermSums grad_weight) {
  AddProducts(count, grad, weight, grad_input.sum, grad_input.size);
  AddProducts(count, grad, input, grad_weight.sum, grad_weight.size);
}

}  // namespace aclimb::convolution_backward
