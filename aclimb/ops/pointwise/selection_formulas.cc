#include <bit>
#include <tuple>
#include <type_traits>

#include "aclimb/ops/pointwise/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/pointwise/selection_formulas.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::pointwise {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;       // NOLINT: the per-target toolbox
using namespace elementwise::HWY_NAMESPACE;  // NOLINT: RunsOf

// What the formulas share: float32 on vectors, few instructions beside what memory takes.
template <int kCount>
struct Of : Attributes {
  Of(const Attributes& given) : Attributes(given) {}  // NOLINT: for RunsOf
  static constexpr int kInputs = kCount;
  static constexpr float kCycles = 0.3f + 0.1f * kCount;
  using Vectors = elementwise::Floats;
  using Scalars = elementwise::Types<uint8_t, int8_t, int16_t, int32_t, int64_t, double>;
};
using TrueOrNumber = elementwise::Types<Bool, uint8_t, int8_t, int16_t, int32_t, int64_t, double>;

// Attributes: threshold, value.
struct Threshold : Of<1> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    // NaN compares false and stays, as in PyTorch.
    return hn::IfThenElse(hn::Le(x, hn::Set(d, As<float>(0))), hn::Set(d, As<float>(1)), x);
  }
  template <class T>
  T Scalar(T x) const {
    if constexpr (std::is_floating_point_v<T>) return x <= real[0] ? As<T>(1) : x;
    return static_cast<int64_t>(x) <= Whole<T>(0) ? As<T>(1) : x;
  }
};

// At least `least`, at most `most`. NaN stays, and a bound that is NaN makes NaN, as in PyTorch.
template <class D, class V>
HWY_INLINE V AtLeast(D, V x, V least) {
  return hn::IfThenElse(hn::Or(hn::Ge(x, least), hn::IsNaN(x)), x, least);
}
template <class D, class V>
HWY_INLINE V AtMost(D, V x, V most) {
  return hn::IfThenElse(hn::Or(hn::Le(x, most), hn::IsNaN(x)), x, most);
}
template <class T>
T AtLeast(T x, T least) {
  return x >= least || x != x ? x : least;
}
template <class T>
T AtMost(T x, T most) {
  return x <= most || x != x ? x : most;
}

// Attributes: the least and the most. Where bounds cross, PyTorch and this give the most.
struct Clamp : Of<1> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const float bounds[] = {As<float>(0), As<float>(1)};
    const V least = hn::Set(d, bounds[0]), most = hn::Set(d, bounds[1]);
    // A NaN that is an element stays; one that is a bound is the result.
    const bool is_nan = std::isnan(bounds[0]) || std::isnan(bounds[1]);
    const V or_nan = is_nan ? hn::NaN(d) : hn::Zero(d);
    const V raised = hn::IfThenElse(hn::Lt(x, least), least, x);
    return hn::Or(hn::IfThenElse(hn::Gt(raised, most), most, raised), or_nan);
  }
  template <class T>
  T Scalar(T x) const {
    return AtMost(AtLeast(x, As<T>(0)), As<T>(1));
  }
};

struct ClampBy : Of<3> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V least, V most) const {
    return AtMost(d, AtLeast(d, x, least), most);
  }
  template <class T>
  T Scalar(T x, T least, T most) const {
    return AtMost(AtLeast(x, least), most);
  }
};

struct ClampMinBy : Of<2> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V least) const {
    return AtLeast(d, x, least);
  }
  template <class T>
  T Scalar(T x, T least) const {
    return AtLeast(x, least);
  }
};

struct ClampMaxBy : Of<2> {
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V most) const {
    return AtMost(d, x, most);
  }
  template <class T>
  T Scalar(T x, T most) const {
    return AtMost(x, most);
  }
};

struct Where : Of<3> {
  static constexpr int kMask = 0;
  using Scalars = TrueOrNumber;
  template <class T, class D, class M, class V>
  HWY_INLINE V operator()(D, M condition, V x, V y) const {
    return hn::IfThenElse(condition, x, y);
  }
  template <class T>
  T Scalar(bool condition, T x, T y) const {
    return condition ? x : y;
  }
};

// Attribute: value.
struct MaskedFill : Of<2> {
  MaskedFill(const Attributes& given) : Of(given) {}  // NOLINT: for RunsOf
  static constexpr int kMask = 1;
  using Scalars = TrueOrNumber;
  template <class T, class D, class M, class V>
  HWY_INLINE V operator()(D d, V x, M mask) const {
    const auto bits = std::bit_cast<hn::TFromD<D>>(std::get<T>(values));
    return hn::IfThenElse(mask, hn::Set(d, bits), x);
  }
  template <class T>
  T Scalar(T x, bool mask) const {
    return mask ? As<T>(0) : x;
  }

  const std::tuple<float, Float16, BFloat16> values = {As<float>(0), ToFloat16(As<float>(0)),
                                                       ToBFloat16(As<float>(0))};
};

struct MaskedFillBy : Of<3> {
  static constexpr int kMask = 1;
  using Scalars = TrueOrNumber;
  template <class T, class D, class V, class M>
  HWY_INLINE V operator()(D, V x, M mask, V value) const {
    return hn::IfThenElse(mask, value, x);
  }
  template <class T>
  T Scalar(T x, bool mask, T value) const {
    return mask ? value : x;
  }
};

const elementwise::Runs& SelectionRunsOf(int number) {
  static constexpr elementwise::Runs kRuns[] = {
#define ACLIMB_FORMULA(Name) RunsOf<Name>(),
      ACLIMB_SELECTION_FORMULAS(ACLIMB_FORMULA)
#undef ACLIMB_FORMULA
  };
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::pointwise
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::pointwise {

HWY_EXPORT(SelectionRunsOf);

const elementwise::Runs& SelectionRuns(int number) {
  return HWY_DYNAMIC_DISPATCH(SelectionRunsOf)(number);
}

}  // namespace aclimb::pointwise
#endif
