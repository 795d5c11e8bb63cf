#include "aclimb/ops/losses/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/losses/formulas.cc"
// Operands are arrays of vectors, which scalable vectors cannot be.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <algorithm>
#include <limits>

#include "aclimb/simd/exp-inl.h"
#include "aclimb/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::losses {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: functions of float32

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr D kFloats;

HWY_INLINE V Number(float x) { return hn::Set(kFloats, x); }
HWY_INLINE V Logarithm(V x) {
  // The logarithm of what is close to 0 is no less than this; NaN stays.
  const V logarithm = Log<float>(kFloats, x), least = Number(-100);
  return hn::IfThenElse(hn::Lt(logarithm, least), least, logarithm);
}
HWY_INLINE V LogarithmOfOneMinus(V x) {
  const V logarithm = Log1p<float>(kFloats, hn::Neg(x)), least = Number(-100);
  return hn::IfThenElse(hn::Lt(logarithm, least), least, logarithm);
}
// log(1 + exp(x)); NaN goes through exp.
HWY_INLINE V SoftPlus(V x) {
  const V small = Log1p<float>(kFloats, Exp<float>(kFloats, hn::Neg(hn::Abs(x))));
  return hn::Add(small, hn::IfThenElseZero(hn::Gt(x, hn::Zero(kFloats)), x));
}

// Of one vector of each operand.
struct AbsoluteDifference {
  static constexpr int kOperands = 2;
  HWY_INLINE V operator()(const V* x, float) const { return hn::Abs(hn::Sub(x[0], x[1])); }
};
struct AbsoluteDifferenceGradient {
  static constexpr int kOperands = 3;
  HWY_INLINE V operator()(const V* x, float) const {
    const V difference = hn::Sub(x[1], x[2]), zero = hn::Zero(kFloats);
    const V one = Number(1);
    return hn::Mul(x[0], hn::Sub(hn::IfThenElseZero(hn::Gt(difference, zero), one),
                                 hn::IfThenElseZero(hn::Lt(difference, zero), one)));
  }
};
struct SmoothDifference {
  static constexpr int kOperands = 2;
  HWY_INLINE V operator()(const V* x, float beta) const {
    const V size = hn::Abs(hn::Sub(x[0], x[1])), b = Number(beta), half = Number(0.5f);
    // Squares of what is below the least normal number are 0, whatever they are divided by.
    const V inverse = Number(1 / std::max(beta, std::numeric_limits<float>::min()));
    return hn::IfThenElse(hn::Lt(size, b), hn::Mul(hn::Mul(hn::Mul(half, size), size), inverse),
                          hn::Sub(size, hn::Mul(half, b)));
  }
};
struct SmoothDifferenceGradient {
  static constexpr int kOperands = 3;
  HWY_INLINE V operator()(const V* x, float beta) const {
    const V g = x[0], difference = hn::Sub(x[1], x[2]), b = Number(beta);
    return hn::IfThenElse(
        hn::Le(difference, hn::Neg(b)), hn::Neg(g),
        hn::IfThenElse(hn::Ge(difference, b), g, hn::Div(hn::Mul(g, difference), b)));
  }
};
struct SoftMargin {
  static constexpr int kOperands = 2;
  HWY_INLINE V operator()(const V* x, float) const {
    return SoftPlus(hn::Mul(hn::Neg(x[1]), x[0]));
  }
};
struct SoftMarginGradient {
  static constexpr int kOperands = 3;
  HWY_INLINE V operator()(const V* x, float) const {
    const V t = hn::Neg(x[2]);
    return hn::Mul(hn::Mul(t, Sigmoid<float>(kFloats, hn::Mul(t, x[1]))), x[0]);
  }
};
struct CrossEntropy {
  static constexpr int kOperands = 3;
  HWY_INLINE V operator()(const V* x, float) const {
    const V p = x[0], t = x[1];
    return hn::Mul(
        hn::Sub(hn::Mul(hn::Sub(t, Number(1)), LogarithmOfOneMinus(p)), hn::Mul(t, Logarithm(p))),
        x[2]);
  }
};
struct CrossEntropyGradient {
  static constexpr int kOperands = 4;
  HWY_INLINE V operator()(const V* x, float) const {
    const V p = x[1], variance = hn::Mul(hn::Sub(Number(1), p), p), least = Number(1e-12f);
    const V divisor = hn::IfThenElse(hn::Lt(variance, least), least, variance);
    return hn::Mul(hn::Mul(x[0], hn::Div(hn::Sub(p, x[2]), divisor)), x[3]);
  }
};
struct CrossEntropyOfLogits {
  static constexpr int kOperands = 4;
  HWY_INLINE V operator()(const V* x, float) const {
    const V z = x[0], t = x[1], one = Number(1);
    const V log_weight = hn::Add(hn::Mul(hn::Sub(x[3], one), t), one);
    const V rest = hn::Mul(log_weight, SoftPlus(hn::Neg(z)));
    return hn::Mul(hn::Add(hn::Mul(hn::Sub(one, t), z), rest), x[2]);
  }
};
struct CrossEntropyOfLogitsGradient {
  static constexpr int kOperands = 5;
  HWY_INLINE V operator()(const V* x, float) const {
    const V y = x[2], t = hn::Mul(x[4], y), one = Number(1);
    const V weight = hn::Add(t, hn::Sub(one, y));
    return hn::Mul(hn::Mul(x[0], hn::Sub(hn::Mul(weight, Sigmoid<float>(kFloats, x[1])), t)), x[3]);
  }
};
struct Divergence {
  static constexpr int kOperands = 2;
  HWY_INLINE V operator()(const V* x, float) const {
    const V t = x[1], zero = hn::Zero(kFloats);
    const V own = hn::IfThenZeroElse(hn::Eq(t, zero), hn::Mul(t, Log<float>(kFloats, t)));
    return hn::Sub(own, hn::Mul(t, x[0]));
  }
};
struct DivergenceGradient {
  static constexpr int kOperands = 3;
  HWY_INLINE V operator()(const V* x, float) const { return hn::Mul(hn::Neg(x[2]), x[0]); }
};
struct DivergenceOfLogarithms {
  static constexpr int kOperands = 2;
  HWY_INLINE V operator()(const V* x, float) const {
    return hn::Mul(Exp<float>(kFloats, x[1]), hn::Sub(x[1], x[0]));
  }
};
struct DivergenceOfLogarithmsGradient {
  static constexpr int kOperands = 3;
  HWY_INLINE V operator()(const V* x, float) const {
    return hn::Mul(hn::Neg(Exp<float>(kFloats, x[2])), x[0]);
  }
};

template <class Of>
void Run(const float* const* x, int64_t count, float attribute, float* out) {
  constexpr size_t kMostLanes = HWY_MAX_BYTES / sizeof(float);
  const auto lanes = static_cast<int64_t>(hn::Lanes(kFloats));
  V operands[Of::kOperands];
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (int n = 0; n < Of::kOperands; ++n) operands[n] = hn::LoadU(kFloats, x[n] + i);
    hn::StoreU(Of()(operands, attribute), kFloats, out + i);
  }
  if (i == count) return;
  HWY_ALIGN float rest[kMostLanes] = {};
  for (int n = 0; n < Of::kOperands; ++n) {
    std::copy_n(x[n] + i, count - i, rest);
    operands[n] = hn::Load(kFloats, rest);
  }
  hn::Store(Of()(operands, attribute), kFloats, rest);
  std::copy_n(rest, count - i, out + i);
}

Formula FormulaOf(Loss loss) {
  // In the order of Loss.
  static constexpr Formula kFormulas[] = {
      &Run<AbsoluteDifference>,
      &Run<SmoothDifference>,
      &Run<SoftMargin>,
      &Run<CrossEntropy>,
      &Run<CrossEntropyOfLogits>,
      &Run<Divergence>,
      &Run<DivergenceOfLogarithms>,
      &Run<AbsoluteDifferenceGradient>,
      &Run<SmoothDifferenceGradient>,
      &Run<SoftMarginGradient>,
      &Run<CrossEntropyGradient>,
      &Run<CrossEntropyOfLogitsGradient>,
      &Run<DivergenceGradient>,
      &Run<DivergenceOfLogarithmsGradient>,
  };
  return kFormulas[static_cast<int>(loss)];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::losses
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::losses {

HWY_EXPORT(FormulaOf);

Formula FormulaOf(Loss loss) { return HWY_DYNAMIC_DISPATCH(FormulaOf)(loss); }

}  // namespace aclimb::losses
#endif
