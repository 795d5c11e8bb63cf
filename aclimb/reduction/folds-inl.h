// What a reduction keeps of elements while it goes through them in vectors. Included once per
// instruction set by files that use hwy/foreach_target.h.
#if defined(ACLIMB_REDUCTION_FOLDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_REDUCTION_FOLDS_INL_H_
#undef ACLIMB_REDUCTION_FOLDS_INL_H_
#else
#define ACLIMB_REDUCTION_FOLDS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "aclimb/simd/exp-inl.h"
#include "aclimb/simd/extremes-inl.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::reduction {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox

// ---- Vectors of float32 or double lanes

template <typename Lane>
using Tag = hn::ScalableTag<Lane>;
template <typename Lane>
using Vector = hn::Vec<Tag<Lane>>;

template <typename Lane>
HWY_INLINE int64_t LaneCount() {
  return static_cast<int64_t>(hn::Lanes(Tag<Lane>()));
}

template <typename Lane, typename T>
HWY_INLINE Vector<Lane> LoadLanes(const T* from) {
  const Tag<Lane> d;
  if constexpr (std::is_same_v<T, double>) {
    return hn::LoadU(d, from);
  } else if constexpr (std::is_same_v<Lane, float>) {
    return LoadF32(d, from);
  } else {
    return hn::PromoteTo(d, LoadF32(hn::Rebind<float, Tag<Lane>>(), from));
  }
}

// The first `count` lanes; `padding` in the others.
template <typename Lane, typename T>
HWY_INLINE Vector<Lane> LoadSomeLanes(const T* from, int64_t count, Vector<Lane> padding) {
  const Tag<Lane> d;
  Vector<Lane> some;
  if constexpr (std::is_same_v<T, double>) {
    HWY_ALIGN Lane lanes[HWY_MAX_BYTES / sizeof(Lane)] = {};
    std::copy_n(from, count, lanes);
    some = hn::Load(d, lanes);
  } else if constexpr (std::is_same_v<Lane, float>) {
    some = LoadFirst(d, from, count);
  } else {
    some = hn::PromoteTo(d, LoadFirst(hn::Rebind<float, Tag<Lane>>(), from, count));
  }
  return hn::IfThenElse(hn::FirstN(d, static_cast<size_t>(count)), some, padding);
}

// totals[i] = join(totals[i], lane i)
template <typename Lane, class Join>
HWY_INLINE void JoinLanes(Vector<Lane> lanes, double* totals, const Join& join) {
  const Tag<double> d;
  if constexpr (std::is_same_v<Lane, double>) {
    hn::StoreU(join(hn::LoadU(d, totals), lanes), d, totals);
  } else {
    HWY_ALIGN float all[HWY_MAX_BYTES / sizeof(float)];
    hn::Store(lanes, Tag<float>(), all);
    for (int64_t i = 0; i < LaneCount<float>(); i += LaneCount<double>()) {
      const auto wide = hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, Tag<double>>(), all + i));
      hn::StoreU(join(hn::LoadU(d, totals + i), wide), d, totals + i);
    }
  }
}

// The sum of lane i and the one in the other half of the vector, as one double.
template <typename Lane>
HWY_INLINE Vector<double> AddHalves(Vector<Lane> lanes) {
  if constexpr (std::is_same_v<Lane, double>) {
    return lanes;
  } else {
    const Tag<double> d;
#if HWY_TARGET == HWY_SCALAR
    return hn::PromoteTo(d, lanes);
#else
    const hn::Half<Tag<float>> half;
    return hn::Add(hn::PromoteTo(d, hn::LowerHalf(half, lanes)),
                   hn::PromoteTo(d, hn::UpperHalf(half, lanes)));
#endif
  }
}

// What makes one of two doubles, and of all lanes of a vector.
struct Plus {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Add(a, b);
  }
  static HWY_INLINE double OfLanes(Vector<double> lanes) {
    return hn::GetLane(hn::SumOfLanes(Tag<double>(), lanes));
  }
};

// ---- Folds on vectors. Each has
//   Lane, Kept    what a lane is; what is kept in registers
//   kMost         terms that a lane takes before it goes to the slots, which are doubles
//   kShifts       whether it reads the shift
//   Op            as Plus
//   Start, Add, Both, Join (to doubles), Store (to the slots), Padding (an element that changes
//                 nothing)

template <typename L, class Map>
struct Sums {
  using Lane = L;
  using Op = Plus;
  using V = Vector<Lane>;
  using Kept = V;
  static constexpr int kMost = std::is_same_v<Lane, float> ? 8 : 1 << 20;
  static constexpr bool kShifts = Map::kShifts;
  static HWY_INLINE Kept Start() { return hn::Zero(Tag<Lane>()); }
  static HWY_INLINE void Add(Kept& kept, V x, V shift) { kept = hn::Add(kept, Map::Of(x, shift)); }
  static HWY_INLINE Kept Both(const Kept& a, const Kept& b) { return hn::Add(a, b); }
  static HWY_INLINE void Join(const Kept& kept, Vector<double>& first, Vector<double>&) {
    first = hn::Add(first, AddHalves<Lane>(kept));
  }
  static HWY_INLINE void Store(const Kept& kept, double* first, double*) {
    JoinLanes<Lane>(kept, first, Plus());
  }
  static HWY_INLINE V Padding(V) { return hn::Set(Tag<Lane>(), static_cast<Lane>(Map::kPadding)); }
};

struct Itself {
  static constexpr bool kShifts = false;
  static constexpr float kPadding = 0;
  template <class V>
  static HWY_INLINE V Of(V x, V) {
    return x;
  }
};
struct NumberOrZero : Itself {
  template <class V>
  static HWY_INLINE V Of(V x, V) {
    return hn::IfThenElseZero(hn::Eq(x, x), x);
  }
};
struct Absolute : Itself {
  template <class V>
  static HWY_INLINE V Of(V x, V) {
    return hn::Abs(x);
  }
};
struct Square : Itself {
  template <class V>
  static HWY_INLINE V Of(V x, V) {
    return hn::Mul(x, x);
  }
};
struct Cube : Itself {
  template <class V>
  static HWY_INLINE V Of(V x, V) {
    return hn::Mul(hn::Abs(x), hn::Mul(x, x));
  }
};
struct Root : Itself {
  template <class V>
  static HWY_INLINE V Of(V x, V) {
    return hn::Sqrt(hn::Abs(x));
  }
};
struct NotZero : Itself {
  template <class V>
  static HWY_INLINE V Of(V x, V) {
    const hn::DFromV<V> d;
    return hn::IfThenZeroElse(hn::Eq(x, hn::Zero(d)), hn::Set(d, 1));
  }
};
struct Exponential {
  static constexpr bool kShifts = true;
  static constexpr float kPadding = -std::numeric_limits<float>::infinity();
  template <class V>
  static HWY_INLINE V Of(V x, V shift) {
    const hn::DFromV<V> d;
    return Exp<float>(d, hn::Sub(x, shift));
  }
};

// No lambdas: they would not have the instruction set.
struct Times {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Mul(a, b);
  }
  static HWY_INLINE double OfLanes(Vector<double> lanes) {
    HWY_ALIGN double all[HWY_MAX_BYTES / sizeof(double)];
    hn::Store(lanes, Tag<double>(), all);
    for (int64_t i = 1; i < LaneCount<double>(); ++i) all[0] *= all[i];
    return all[0];
  }
};

// |x|^exponent of a float32 x in double, which is the shift of every result, to within 2e-10 of a
// norm: 2^y for y = exponent * log2|x|.
struct Power {
  static constexpr bool kShifts = true;
  template <class V>
  static HWY_INLINE V Of(V x, V exponent) {
    const hn::DFromV<V> d;
    const V size = hn::Abs(x), infinity = hn::Inf(d);
    const V usual = hn::IfThenElse(hn::Lt(size, infinity), Logarithm(size), size);
    const V logarithm = hn::IfThenElse(hn::Eq(size, hn::Zero(d)), hn::Neg(infinity), usual);
    const V y = hn::Mul(exponent, logarithm);
    return hn::IfThenElse(hn::IsNaN(y), y, PowerOf2(y));
  }

 private:
  // log2(x) of a normal x, to within 4e-10: x = m * 2^n with m from sqrt(1/2) to sqrt(2), and
  // log2(m) is odd in z = (m - 1) / (m + 1). Of powers of 2 exactly.
  template <class V>
  static HWY_INLINE V Logarithm(V x) {
    const hn::DFromV<V> d;
    const hn::RebindToUnsigned<decltype(d)> du;
    constexpr uint64_t kOne = 0x3FF0000000000000, kLeast = 0x3FE6A09E667F3BCD;  // of m
    const auto bits = hn::Add(hn::BitCast(du, x), hn::Set(du, kOne - kLeast));
    const auto fraction = hn::And(bits, hn::Set(du, 0x000FFFFFFFFFFFFF));
    const V m = hn::BitCast(d, hn::Add(fraction, hn::Set(du, kLeast)));
    // The bits of 2^52 + n + 1023.
    const auto sum = hn::Or(hn::ShiftRight<52>(bits), hn::Set(du, 0x4330000000000000));
    const V n = hn::Sub(hn::BitCast(d, sum), hn::Set(d, 0x1p52 + 1023));
    const V one = hn::Set(d, 1.0);
    const V z = hn::Div(hn::Sub(m, one), hn::Add(m, one)), square = hn::Mul(z, z);
    V p = hn::Set(d, 0x1.ba14343ec2da3p-2);
    p = hn::MulAdd(p, square, hn::Set(d, 0x1.2747367e1dd48p-1));
    p = hn::MulAdd(p, square, hn::Set(d, 0x1.ec70e5bbf8bfdp-1));
    p = hn::MulAdd(p, square, hn::Set(d, 0x1.7154764e7aa50p+1));
    return hn::MulAdd(p, z, n);
  }
  // 2^y, to within 3e-12 of itself; beyond the normal numbers 0 or infinity, of NaN anything.
  template <class V>
  static HWY_INLINE V PowerOf2(V y) {
    const hn::DFromV<V> d;
    const hn::RebindToUnsigned<decltype(d)> du;
    // At both ends r is 0, and n makes a 0 or an infinity of the 1.
    y = hn::Min(hn::Max(y, hn::Set(d, -1023.0)), hn::Set(d, 1024.0));
    const V ones = hn::Set(d, 0x1.8p52);
    const V sum = hn::Add(y, ones), r = hn::Sub(y, hn::Sub(sum, ones));
    V p = hn::Set(d, 0x1.63b2d7971923fp-20);
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.00c0e4e15189cp-16));
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.4308c7183d6a2p-13));
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.5d877598350dep-10));
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.3b2ab70ad2565p-7));
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.c6b08da70cce3p-5));
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.ebfbdff82a734p-3));
    p = hn::MulAdd(p, r, hn::Set(d, 0x1.62e42fef9cc69p-1));
    p = hn::MulAdd(p, r, hn::Set(d, 1.0));
    return hn::BitCast(d, hn::Add(hn::BitCast(du, p), hn::ShiftLeft<52>(hn::BitCast(du, sum))));
  }
};
struct Powers : Sums<double, Power> {
  static HWY_INLINE V Padding(V exponent) {
    const Tag<double> d;
    return hn::IfThenElseZero(hn::Lt(exponent, hn::Zero(d)), hn::Inf(d));
  }
};
// A norm is the square of their sum: what that is rounded off counts twice.
struct Roots : Sums<float, Root> {
  static constexpr int kMost = 1;
};

struct Products {
  using Lane = double;
  using Op = Times;
  using V = Vector<Lane>;
  using Kept = V;
  static constexpr int kMost = 1 << 20;
  static constexpr bool kShifts = false;
  static HWY_INLINE Kept Start() { return hn::Set(Tag<Lane>(), 1); }
  static HWY_INLINE void Add(Kept& kept, V x, V) { kept = hn::Mul(kept, x); }
  static HWY_INLINE Kept Both(const Kept& a, const Kept& b) { return hn::Mul(a, b); }
  static HWY_INLINE void Join(const Kept& kept, Vector<double>& first, Vector<double>&) {
    first = Op()(first, kept);
  }
  static HWY_INLINE void Store(const Kept& kept, double* first, double*) {
    JoinLanes<Lane>(kept, first, Times());
  }
  static HWY_INLINE V Padding(V) { return Start(); }
};

struct Moments {
  using Lane = double;
  using Op = Plus;
  using V = Vector<Lane>;
  struct Kept {
    V sum;
    V squares;
  };
  static constexpr int kMost = 1 << 20;
  static constexpr bool kShifts = true;
  static HWY_INLINE Kept Start() { return {hn::Zero(Tag<Lane>()), hn::Zero(Tag<Lane>())}; }
  static HWY_INLINE void Add(Kept& kept, V x, V shift) {
    const V difference = hn::Sub(x, shift);
    kept.sum = hn::Add(kept.sum, difference);
    kept.squares = hn::MulAdd(difference, difference, kept.squares);
  }
  static HWY_INLINE Kept Both(const Kept& a, const Kept& b) {
    return {hn::Add(a.sum, b.sum), hn::Add(a.squares, b.squares)};
  }
  static HWY_INLINE void Join(const Kept& kept, Vector<double>& first, Vector<double>& second) {
    first = Op()(first, kept.sum);
    second = Op()(second, kept.squares);
  }
  static HWY_INLINE void Store(const Kept& kept, double* first, double* second) {
    JoinLanes<Lane>(kept.sum, first, Plus());
    JoinLanes<Lane>(kept.squares, second, Plus());
  }
  static HWY_INLINE V Padding(V shift) { return shift; }
};

// The largest, or the smallest; what the instruction sets make of NaN differs, so that NaN is
// looked for.
template <typename L, class Map, bool kSmallest>
struct Extremes {
  using Lane = L;
  using V = Vector<Lane>;
  struct Kept {
    V best;
    hn::Mask<Tag<Lane>> has_nan;
  };
  static constexpr int kMost = 1 << 20;
  static constexpr bool kShifts = false;
  template <class Vec>
  static HWY_INLINE Vec Better(Vec a, Vec b) {
    return kSmallest ? hn::Min(a, b) : hn::Max(a, b);
  }
  struct BetterOrNaN {
    HWY_INLINE Vector<double> operator()(Vector<double> a, Vector<double> b) const {
      const Vector<double> of_b = hn::IfThenElse(hn::IsNaN(b), b, Better(a, b));
      return hn::IfThenElse(hn::IsNaN(a), a, of_b);
    }
    // Join makes them equal.
    static HWY_INLINE double OfLanes(Vector<double> lanes) { return hn::GetLane(lanes); }
  };
  using Op = BetterOrNaN;
  static HWY_INLINE V Worst() {
    constexpr Lane kInfinity = std::numeric_limits<Lane>::infinity();
    return hn::Set(Tag<Lane>(), kSmallest ? kInfinity : -kInfinity);
  }
  static HWY_INLINE Kept Start() {
    const Tag<Lane> d;
    return {Worst(), hn::Lt(hn::Zero(d), hn::Zero(d))};
  }
  static HWY_INLINE void Add(Kept& kept, V x, V shift) {
    const V value = Map::Of(x, shift);
    kept.best = Better(kept.best, value);
    kept.has_nan = hn::Or(kept.has_nan, hn::IsNaN(value));
  }
  static HWY_INLINE Kept Both(const Kept& a, const Kept& b) {
    return {Better(a.best, b.best), hn::Or(a.has_nan, b.has_nan)};
  }
  static HWY_INLINE V BestOf(const Kept& kept) {
    const V nan = hn::Set(Tag<Lane>(), std::numeric_limits<Lane>::quiet_NaN());
    return hn::IfThenElse(kept.has_nan, nan, kept.best);
  }
  static HWY_INLINE void Join(const Kept& kept, Vector<double>& first, Vector<double>&) {
    const Tag<Lane> d;
    double best = std::numeric_limits<double>::quiet_NaN();
    if (hn::AllFalse(d, kept.has_nan)) {
      best = kSmallest ? SmallestLane(d, kept.best) : LargestLane(d, kept.best);
    }
    first = Op()(first, hn::Set(Tag<double>(), best));
  }
  static HWY_INLINE void Store(const Kept& kept, double* first, double*) {
    JoinLanes<Lane>(BestOf(kept), first, Op());
  }
  // An infinity of its own has no better absolute value than this.
  static HWY_INLINE V Padding(V) {
    if constexpr (std::is_same_v<Map, Absolute> && !kSmallest) return hn::Zero(Tag<Lane>());
    return Worst();
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::reduction
HWY_AFTER_NAMESPACE();

#endif
