#pragma once

#include <array>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "softmax_headers.h"

// The contracts of the rows: k<Name>Contract.
namespace aclimb::softmax {

// Parameter positions.
enum : int { kSelf, kDim, kOut };
enum : int { kGradOutput, kOutput, kBackwardDim, kGradInput };

inline constexpr auto kForwardDTypes = contract::OnOldAndNew(
    contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kFloat64),
    contract::DTypes(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kBFloat16));
inline constexpr auto kBackwardDTypes =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);

inline constexpr std::array<contract::Parameter, 3> kForwardParameters = {
    contract::Input("self", kForwardDTypes, "any shape"),
    contract::Attribute("dim", contract::Kind::kInteger, "dimension of self, -1 is the last"),
    contract::MayBe(contract::Output("out", kForwardDTypes, "shape of self, any of its dtypes"),
                    kSelf),
};
inline constexpr contract::Rule kForwardRules[] = {
    contract::InRange("range/dim", kDim, contract::DimensionOf(kSelf), "pass a dimension of self"),
    contract::SameShape("same-shape/out", kOut, kSelf, "allocate out with the shape of self"),
};

inline constexpr std::array<contract::Parameter, 4> kBackwardParameters = {
    contract::Input("gradOutput", kBackwardDTypes, "gradient of the forward output, any shape"),
    contract::Input("output", kBackwardDTypes, "the forward output"),
    contract::Attribute("dim", contract::Kind::kInteger, "dimension of gradOutput, -1 is the last"),
    contract::MayBe(
        contract::Output("out", kBackwardDTypes, "shape of gradOutput, any of its dtypes"),
        kGradOutput, kOutput),
};
inline constexpr contract::Rule kBackwardRules[] = {
    contract::SameDType("same-dtype/output", kOutput, kGradOutput,
                        "pass what the forward call returned, in the dtype of gradOutput"),
    contract::InRange("range/dim", kBackwardDim, contract::DimensionOf(kGradOutput),
                      "pass the dimension of the forward call"),
    contract::SameShape("same-shape/output", kOutput, kGradOutput,
                        "pass what the forward call returned"),
    contract::SameShape("same-shape/out", kGradInput, kGradOutput,
                        "allocate out with the shape of gradOutput"),
};

#define ACLIMB_SOFTMAX_CONTRACT(name, Name, sentence, parameter_list, rule_list)         \
  inline constexpr contract::Contract k##Name##Contract = {.function = "aclnn" #Name,    \
                                                           .folder = #name,              \
                                                           .summary = sentence,          \
                                                           .parameters = parameter_list, \
                                                           .rules = rule_list};          \
  static_assert(contract::Matches<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract));
#define ACLIMB_SOFTMAX(name, Name, header, logarithm, sentence) \
  ACLIMB_SOFTMAX_CONTRACT(name, Name, sentence, kForwardParameters, kForwardRules)
#define ACLIMB_SOFTMAX_BACKWARD(name, Name, header, logarithm, sentence) \
  ACLIMB_SOFTMAX_CONTRACT(name, Name, sentence, kBackwardParameters, kBackwardRules)
#include "aclimb/ops/softmax/rows.inc"
#undef ACLIMB_SOFTMAX
#undef ACLIMB_SOFTMAX_BACKWARD
#undef ACLIMB_SOFTMAX_CONTRACT

}  // namespace aclimb::softmax
