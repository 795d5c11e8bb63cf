#pragma once

#include "aclimb/elementwise/runs.h"

namespace aclimb::unary {

// The formulas of each file that is compiled for every instruction set, by the names of rows.
// clang-format off
#define ACLIMB_COMMON_FORMULAS(F) \
  F(Abs) F(Neg) F(Exp) F(Log) F(Sqrt) F(Rsqrt) F(Reciprocal) F(Sin) F(Cos) F(Tanh) F(Sigmoid) \
  F(Relu) F(Gelu) F(Silu) F(Mish) F(Hardswish) F(Hardsigmoid) F(Erf) F(Floor) F(Ceil) F(Round) \
  F(Trunc) F(Sign) F(LogicalNot) F(BitwiseNot) F(IsFinite)
#define ACLIMB_RARE_FORMULAS(F) \
  F(Acos) F(Acosh) F(Asin) F(Asinh) F(Atan) F(Atanh) F(Cosh) F(Sinh) F(Tan) F(Erfc) F(Erfinv) \
  F(Expm1) F(Log1p) F(Log2) F(Log10) F(Exp2) F(Signbit)
// clang-format on

#define ACLIMB_FORMULA_NUMBER(Name) k##Name,
enum class CommonNumber : int { ACLIMB_COMMON_FORMULAS(ACLIMB_FORMULA_NUMBER) };
enum class RareNumber : int { ACLIMB_RARE_FORMULAS(ACLIMB_FORMULA_NUMBER) };
#undef ACLIMB_FORMULA_NUMBER

const elementwise::Runs& CommonRuns(int number);
const elementwise::Runs& RareRuns(int number);

// kAbs, kNeg ...
#define ACLIMB_FORMULA(Name)                                    \
  inline constexpr elementwise::Formula k##Name = {&CommonRuns, \
                                                   static_cast<int>(CommonNumber::k##Name)};
ACLIMB_COMMON_FORMULAS(ACLIMB_FORMULA)
#undef ACLIMB_FORMULA
#define ACLIMB_FORMULA(Name)                                  \
  inline constexpr elementwise::Formula k##Name = {&RareRuns, \
                                                   static_cast<int>(RareNumber::k##Name)};
ACLIMB_RARE_FORMULAS(ACLIMB_FORMULA)
#undef ACLIMB_FORMULA

}  // namespace aclimb::unary
