#pragma once

#include "aclimb/ops/unary/contracts.h"
#include "aclimb/ops/unary/truths.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::unary {

template <double (*kTruth)(double, DType), int kResult>
void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const DType in = call.DTypeOf(kSelf);
  // Whole numbers are computed in float32 where the result has a fraction.
  const truth::Allowance of_in = truths::AllowanceOf(in);
  const truth::Allowance of_out = truths::AllowanceOf(call.DTypeOf(kResult));
  outputs.Set(kResult, truth::Each(call, {kSelf}, [in](double x) { return kTruth(x, in); }),
              of_in.relative > of_out.relative ? of_in : of_out);
}

inline constexpr truth::InPlace kInPlace[] = {{kOut, kSelf}};

inline constexpr truth::OperatorEntry kOperators[] = {
#define ACLIMB_UNARY(name, Name, ...)                    \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>( \
      k##Name##Contract, &Truth<&truths::Name, kOut>, &truth::DrawFromContract, kInPlace),
#define ACLIMB_UNARY_IN_PLACE(name, Name, ...)                                           \
  truth::Entry<decltype(aclnnInplace##Name##GetWorkspaceSize)>(kInplace##Name##Contract, \
                                                               &Truth<&truths::Name, kSelf>),
#include "aclimb/ops/unary/rows.inc"
#undef ACLIMB_UNARY
#undef ACLIMB_UNARY_IN_PLACE
};

}  // namespace aclimb::unary
