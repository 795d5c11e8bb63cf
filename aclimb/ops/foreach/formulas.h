#pragma once

#include <cstdint>
#include <type_traits>

#include "aclimb/elementwise/runs.h"

namespace aclimb::foreach {

// What formulas are told beside the tensors.
struct Attributes {
  double real = 0;  // the scalar
  int64_t whole = 0;
  uint32_t* found = nullptr;  // becomes 1 where an element is no finite number

  template <typename T>
  T As() const {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(real);
    } else {
      return static_cast<T>(whole);
    }
  }
};

// clang-format off
#define ACLIMB_FOREACH_FORMULAS(F) \
  F(AddList) F(AddScalar) F(MulList) F(MulScalar) F(DivList) F(DivScalar) F(MaximumList) F(MinimumList) \
  F(MaximumScalar) F(MinimumScalar) F(Addcmul) F(Addcdiv) F(LerpScalar) F(LerpList) \
  F(Sqrt) F(Neg) F(Reciprocal) F(Abs) F(Exp) F(Tanh) F(Sigmoid) F(Zero) F(Unscale)
// clang-format on

enum Number : int {
#define ACLIMB_FORMULA(Name) k##Name,
  ACLIMB_FOREACH_FORMULAS(ACLIMB_FORMULA)
#undef ACLIMB_FORMULA
};

const elementwise::Runs& FormulaRuns(int number);

}  // namespace aclimb::foreach
