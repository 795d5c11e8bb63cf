#include "aclimb/elementwise/test_formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/elementwise/test_formulas.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::elementwise::testing {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;       // NOLINT: the per-target toolbox
using namespace elementwise::HWY_NAMESPACE;  // NOLINT: RunsOf

struct ScaledSum : Attributes {
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 0.5f;
  using Vectors = Types<float, Float16, BFloat16, double>;
  using Scalars = Integers;

  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return hn::MulAdd(hn::Set(d, static_cast<hn::TFromD<D>>(factor)), x, y);
  }
  template <class T>
  T Scalar(T x, T y) const {
    return static_cast<T>(static_cast<T>(factor) * x + y);
  }
};

struct Less {
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 0.5f;
  using Scalars = AllScalars;

  template <class T>
  bool Scalar(T x, T y) const {
    return x < y;
  }
};

struct Weighted {
  static constexpr int kInputs = 3;
  static constexpr float kCycles = 0.5f;
  using Vectors = Floats;

  template <class T, class D, class V>
  HWY_INLINE V operator()(D, V x, V y, V z) const {
    return hn::MulAdd(y, z, x);
  }
};

struct Third {
  static constexpr int kInputs = 1;
  static constexpr float kCycles = 1.0f;
  using Vectors = Floats;

  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(x, hn::Set(d, 3.0f));
  }
};

struct Choose {
  static constexpr int kInputs = 3;
  static constexpr int kMask = 0;
  static constexpr float kCycles = 0.5f;
  using Vectors = Floats;
  using Scalars = Types<Bool, uint8_t, int8_t, int16_t, int32_t, int64_t, double>;

  template <class T, class D, class M, class V>
  HWY_INLINE V operator()(D, M mask, V x, V y) const {
    return hn::IfThenElse(mask, x, y);
  }
  template <class T>
  T Scalar(bool mask, T x, T y) const {
    return mask ? x : y;
  }
};

const Runs& RunsOfNumber(int number) {
  static constexpr Runs kRuns[] = {RunsOf<ScaledSum>(), RunsOf<Less>(), RunsOf<Weighted>(),
                                   RunsOf<Third>(), RunsOf<Choose>()};
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::elementwise::testing
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::elementwise::testing {

HWY_EXPORT(RunsOfNumber);

Formula TestFormulaOf(TestFormula number) {
  const auto runs = [](int of) -> const Runs& { return HWY_DYNAMIC_DISPATCH(RunsOfNumber)(of); };
  return {runs, number};
}

}  // namespace aclimb::elementwise::testing
#endif
