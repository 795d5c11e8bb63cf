#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "aclimb/elementwise/runs.h"

namespace aclimb::pointwise {

// The numbers that a formula is given besides its inputs, as programs gave them.
struct Attributes {
  double real[3] = {};
  int64_t whole[3] = {};
  bool wraps[3] = {};  // where it is an integer

  // In a T without a sign integers below 0 are what a conversion makes of them, as in PyTorch.
  template <typename T>
  int64_t Whole(int i) const {
    if (std::is_unsigned_v<T> && whole[i] < 0 && wraps[i]) return static_cast<T>(whole[i]);
    return whole[i];
  }

  // The nearest number that T has, without its fraction where T has none.
  template <typename T>
  T As(int i) const {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(real[i]);
    } else if constexpr (std::is_same_v<T, bool>) {
      return real[i] != 0;
    } else {
      return static_cast<T>(std::clamp<int64_t>(Whole<T>(i), std::numeric_limits<T>::min(),
                                                std::numeric_limits<T>::max()));
    }
  }
};

// The formulas of each file that is compiled for every instruction set.
// clang-format off
#define ACLIMB_ACTIVATION_FORMULAS(F) \
  F(Elu) F(GeluByErf) F(GeluByTanh) F(LeakyRelu) F(Softplus) F(Hardshrink)
#define ACLIMB_SELECTION_FORMULAS(F) \
  F(Threshold) F(Clamp) F(ClampBy) F(ClampMinBy) F(ClampMaxBy) F(Where) \
  F(MaskedFill) F(MaskedFillBy)
#define ACLIMB_COMBINATION_FORMULAS(F) F(Addcmul) F(Addcdiv) F(Lerp) F(LerpBy)
#define ACLIMB_GRADIENT_FORMULAS(F) \
  F(ThresholdBackward) F(GeluBackwardByErf) F(GeluBackwardByTanh) F(TanhBackward) F(SiluBackward) \
  F(SigmoidBackward) F(HardswishBackward) F(HardsigmoidBackward) F(HardtanhBackward) \
  F(LeakyReluBackward) F(MishBackward) F(ShrinkBackward) F(SoftplusBackward)
#define ACLIMB_RARE_FORMULAS(F) F(LogSigmoid) F(LogSigmoidBackward) F(RoundDecimals) F(NanToNum)
// clang-format on

#define ACLIMB_FORMULA_NUMBER(Name) k##Name,
enum class ActivationNumber : int { ACLIMB_ACTIVATION_FORMULAS(ACLIMB_FORMULA_NUMBER) };
enum class SelectionNumber : int { ACLIMB_SELECTION_FORMULAS(ACLIMB_FORMULA_NUMBER) };
enum class CombinationNumber : int { ACLIMB_COMBINATION_FORMULAS(ACLIMB_FORMULA_NUMBER) };
enum class GradientNumber : int { ACLIMB_GRADIENT_FORMULAS(ACLIMB_FORMULA_NUMBER) };
enum class RareNumber : int { ACLIMB_RARE_FORMULAS(ACLIMB_FORMULA_NUMBER) };
#undef ACLIMB_FORMULA_NUMBER

const elementwise::Runs& ActivationRuns(int number);
const elementwise::Runs& SelectionRuns(int number);
const elementwise::Runs& CombinationRuns(int number);
const elementwise::Runs& GradientRuns(int number);
const elementwise::Runs& RareRuns(int number);

// kElu, kGeluByErf ...
#define ACLIMB_FORMULA(Name)                                        \
  inline constexpr elementwise::Formula k##Name = {&ActivationRuns, \
                                                   static_cast<int>(ActivationNumber::k##Name)};
ACLIMB_ACTIVATION_FORMULAS(ACLIMB_FORMULA)
#undef ACLIMB_FORMULA
#define ACLIMB_FORMULA(Name)                                       \
  inline constexpr elementwise::Formula k##Name = {&SelectionRuns, \
                                                   static_cast<int>(SelectionNumber::k##Name)};
ACLIMB_SELECTION_FORMULAS(ACLIMB_FORMULA)
#undef ACLIMB_FORMULA
#define ACLIMB_FORMULA(Name)                                         \
  inline constexpr elementwise::Formula k##Name = {&CombinationRuns, \
                                                   static_cast<int>(CombinationNumber::k##Name)};
ACLIMB_COMBINATION_FORMULAS(ACLIMB_FORMULA)
#undef ACLIMB_FORMULA
#define ACLIMB_FORMULA(Name)                                      \
  inline constexpr elementwise::Formula k##Name = {&GradientRuns, \
                                                   static_cast<int>(GradientNumber::k##Name)};
ACLIMB_GRADIENT_FORMULAS(ACLIMB_FORMULA)
#undef ACLIMB_FORMULA
#define ACLIMB_FORMULA(Name)                                  \
  inline constexpr elementwise::Formula k##Name = {&RareRuns, \
                                                   static_cast<int>(RareNumber::k##Name)};
ACLIMB_RARE_FORMULAS(ACLIMB_FORMULA)
#undef ACLIMB_FORMULA

}  // namespace aclimb::pointwise
