#include <type_traits>

#include "aclimb/ops/binary/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/binary/comparison.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"
#include "aclimb/ops/binary/forms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::binary {
namespace HWY_NAMESPACE {

struct Test : Attributes {
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 1;
  using Scalars = elementwise::AllScalars;
};

struct Eq : Test {
  template <class T>
  bool Scalar(T x, T y) const {
    return x == y;
  }
};

struct Ne : Test {
  template <class T>
  bool Scalar(T x, T y) const {
    return x != y;
  }
};

struct Gt : Test {
  template <class T>
  bool Scalar(T x, T y) const {
    return x > y;
  }
};

struct Ge : Test {
  template <class T>
  bool Scalar(T x, T y) const {
    return x >= y;
  }
};

// Without a branch between the two.
struct LogicalAnd : Test {
  template <class T>
  bool Scalar(T x, T y) const {
    return ((x != T{0}) & (y != T{0})) != 0;
  }
};

struct LogicalOr : Test {
  template <class T>
  bool Scalar(T x, T y) const {
    return ((x != T{0}) | (y != T{0})) != 0;
  }
};

struct LogicalXor : Test {
  template <class T>
  bool Scalar(T x, T y) const {
    return (x != T{0}) != (y != T{0});
  }
};

const elementwise::Runs& ComparisonOfNumber(int number) {
  static constexpr elementwise::Runs kRuns[] = {RunsOf<Eq>(),
                                                RunsOf<WithScalar<Eq>>(),
                                                {},
                                                RunsOf<Ne>(),
                                                RunsOf<WithScalar<Ne>>(),
                                                {},
                                                RunsOf<Gt>(),
                                                RunsOf<WithScalar<Gt>>(),
                                                RunsOf<AfterScalar<Gt>>(),
                                                RunsOf<Ge>(),
                                                RunsOf<WithScalar<Ge>>(),
                                                RunsOf<AfterScalar<Ge>>(),
                                                RunsOf<LogicalAnd>(),
                                                {},
                                                {},
                                                RunsOf<LogicalOr>(),
                                                {},
                                                {},
                                                RunsOf<LogicalXor>(),
                                                {},
                                                {}};
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::binary
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::binary {

HWY_EXPORT(ComparisonOfNumber);

const elementwise::Runs& ComparisonRuns(int number) {
  return HWY_DYNAMIC_DISPATCH(ComparisonOfNumber)(number);
}

}  // namespace aclimb::binary
#endif
