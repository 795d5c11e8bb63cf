#include "aclimb/ops/convolution_backward/truth.h"

#include <cmath>
#include <cstddef>

namespace aclimb::convolution_backward {
namespace {

template <bool kNotFiniteAlone>
void AddProducts(int64_t count, double number, const double* __restrict factor,
                 double* __restrict sum, double* __restrict size) {
  for (int64_t i = 0; i < count; ++i) {
    const double term = number * factor[i];
    const double added = kNotFiniteAlone && std::isfinite(term) ? 0 : term;
    sum[i] += added;
    size[i] += std::fabs(added);
  }
}

template <bool kNotFiniteAlone>
void Add(const Meeting& m) {
  for (int64_t channel = 0; channel < m.channels; ++channel) {
    const double grad = m.grad_output[channel];
    const int64_t group = channel / m.outputs, x = group * m.inputs, w = channel * m.inputs;
    const bool is_finite = kNotFiniteAlone && std::isfinite(grad);
    if (m.grad_input.sum != nullptr && !(is_finite && m.weight_finite[channel])) {
      AddProducts<kNotFiniteAlone>(m.inputs, grad, m.weight + w, m.grad_input.sum + x,
                                   m.grad_input.size + x);
    }
    if (m.grad_weight.sum != nullptr && !(is_finite && m.input_finite[group])) {
      AddProducts<kNotFiniteAlone>(m.inputs, grad, m.input + x, m.grad_weight.sum + w,
                                   m.grad_weight.size + w);
    }
  }
}

}  // namespace

void AddTerms(const Meeting& meeting) {
  meeting.weight_finite == nullptr ? Add<false>(meeting) : Add<true>(meeting);
}

}  // namespace aclimb::convolution_backward
