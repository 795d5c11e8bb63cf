#pragma once

#include <cstdint>

namespace aclimb::ctc_loss {

// What is done with arrays of double, for the instruction set in use. It is done with whole
// vectors: arrays have kVector elements more than a multiple of it needs at most.
inline constexpr int64_t kVector = 8;

struct Kernels {
  // to[i] = log(exp(a[i]) + exp(b[i]) + exp(c[i] + skips[i])) + own[i]
  void (*log_sums)(const double* a, const double* b, const double* c, const double* skips,
                   const double* own, int64_t count, double* to);
  // x[i] = exp(x[i])
  void (*exps)(double* x, int64_t count);
};
const Kernels& KernelsInUse();

}  // namespace aclimb::ctc_loss
