#pragma once

#include <utility>
#include <vector>

#include "aclimb/ops/unary/contracts.h"
#include "aclimb/ops/unary/truths.h"
#include "aclimb/truth/compare.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::unary {

template <double (*kTruth)(double, DType), int kResult>
void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const DType in = call.DTypeOf(kSelf);
  const DType out = call.DTypeOf(kResult);
  // What has a fraction is computed from whole numbers in float32.
  const bool in_float32 = IsFloating(out) && !IsFloating(in);
  const DType computed = in_float32 ? DType::kFloat32 : in;
  truth::Allowance allowance = truths::AllowanceOf(computed);
  // Its exponent is a product, whose rounding counts as often as the exponent is large.
  if (kTruth == &truths::Gelu) allowance.relative += 7e-7;
  if (out != in) {
    // Rounded to the input's dtype, and from that to the output's.
    const truth::Allowance of_out = truths::AllowanceOf(out);
    allowance.relative += of_out.relative;
    allowance.absolute += of_out.absolute;
  }
  std::vector<double> values = truth::Each(call, {kSelf}, [in](double x) { return kTruth(x, in); });
  if (out != in && IsFloating(computed)) values = truth::InDType({values, {}}, computed).values;
  outputs.Set(kResult, std::move(values), allowance);
}

inline constexpr truth::OperatorEntry kOperators[] = {
#define ACLIMB_UNARY(name, Name, ...)                                      \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract, \
                                                        &Truth<&truths::Name, kOut>),
#define ACLIMB_UNARY_IN_PLACE(name, Name, ...)                                           \
  truth::Entry<decltype(aclnnInplace##Name##GetWorkspaceSize)>(kInplace##Name##Contract, \
                                                               &Truth<&truths::Name, kSelf>),
#include "aclimb/ops/unary/rows.inc"
#undef ACLIMB_UNARY
#undef ACLIMB_UNARY_IN_PLACE
};

}  // namespace aclimb::unary
