#include "aclimb/ops/ctc_loss/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/ctc_loss/kernels.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/contrib/math/math-inl.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace aclimb::ctc_loss {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, kVector>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void LogSums(const double* a, const double* b, const double* c, const double* skips,
             const double* own, int64_t count, double* to) {
  const Tag d;
  const auto infinity = hn::Set(d, kInfinity);
  for (int64_t i = 0; i < count; i += static_cast<int64_t>(hn::Lanes(d))) {
    const auto x = hn::LoadU(d, a + i), y = hn::LoadU(d, b + i);
    const auto z = hn::Add(hn::LoadU(d, c + i), hn::LoadU(d, skips + i));
    const auto larger = hn::Max(x, y), smaller = hn::Min(x, y);
    const auto most = hn::Max(larger, z), less = hn::Min(larger, z);
    // Of three that are -inf no differences are formed, but -inf stays.
    const auto shift = hn::IfThenZeroElse(hn::Eq(most, hn::Neg(infinity)), most);
    const auto terms =
        hn::Add(hn::Exp(d, hn::Sub(smaller, shift)), hn::Exp(d, hn::Sub(less, shift)));
    const auto sum = hn::Add(most, hn::Log(d, hn::Add(terms, hn::Set(d, 1.0))));
    // NaN and +inf give NaN.
    const auto usual = hn::Lt(hn::Add(hn::Add(x, y), z), infinity);
    const auto nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
    hn::StoreU(hn::Add(hn::IfThenElse(usual, sum, nan), hn::LoadU(d, own + i)), d, to + i);
  }
}

void Exps(double* x, int64_t count) {
  const Tag d;
  for (int64_t i = 0; i < count; i += static_cast<int64_t>(hn::Lanes(d))) {
    const auto value = hn::LoadU(d, x + i);
    // Above there is infinity alone, and Highway's function is not made for what is far above.
    const auto power = hn::Exp(d, hn::Min(value, hn::Set(d, 1000.0)));
    hn::StoreU(hn::IfThenElse(hn::IsNaN(value), value, power), d, x + i);
  }
}

const Kernels* Table() {
  static constexpr Kernels kKernels = {.log_sums = LogSums, .exps = Exps};
  return &kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::ctc_loss
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::ctc_loss {

HWY_EXPORT(Table);

const Kernels& KernelsInUse() { return *HWY_DYNAMIC_DISPATCH(Table)(); }

}  // namespace aclimb::ctc_loss
#endif
