#pragma once

#include <cstdint>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mse_loss_backward.h"

namespace aclimb::mse_loss {

// Positions of the parameters of the loss, and of its gradient.
struct Forward {
  enum : int { kSelf, kTarget, kReduction, kOut };
};
struct Backward {
  enum : int { kGradOutput, kSelf, kTarget, kReduction, kOut };
};

enum Reduction : int64_t { kNone, kMean, kSum };

inline constexpr auto kFloats =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);
inline constexpr const char* kReductionDoc = "0 none, 1 mean, 2 sum";

inline constexpr contract::Parameter kForwardParameters[] = {
    contract::Input("self", kFloats, "any shape"),
    contract::Input("target", kFloats, "broadcasts with self"),
    contract::Attribute("reduction", contract::Kind::kInteger, kReductionDoc),
    contract::MayBe(
        contract::Output("out", kFloats, "the squared differences, their mean or their sum"),
        Forward::kSelf, Forward::kTarget),
};
inline constexpr contract::Rule kForwardRules[] = {
    contract::InRange("range/reduction", Forward::kReduction, contract::Between(0, 2),
                      "pass 0 for none, 1 for mean or 2 for sum"),
    contract::ReducesLoss("shape/out", Forward::kOut, Forward::kSelf, Forward::kTarget,
                          Forward::kReduction,
                          "pass tensors that broadcast, and an out of that shape"),
};
inline constexpr contract::Contract kMseLossContract = {
    .function = "aclnnMseLoss",
    .folder = "mse_loss",
    .summary =
        "Mean squared error loss: the squared difference of two tensors, its mean or its sum.",
    .parameters = kForwardParameters,
    .rules = kForwardRules,
};
static_assert(contract::Matches<decltype(aclnnMseLossGetWorkspaceSize)>(kMseLossContract));

inline constexpr contract::Parameter kBackwardParameters[] = {
    contract::Input("gradOutput", kFloats, "gradient of the loss; broadcasts with the others"),
    contract::Input("self", kFloats, "any shape"),
    contract::Input("target", kFloats, "broadcasts with the others"),
    contract::Attribute("reduction", contract::Kind::kInteger, kReductionDoc),
    contract::MayBe(contract::Output("out", kFloats, "the shape that the others broadcast to"),
                    Backward::kGradOutput, Backward::kSelf, Backward::kTarget),
};
inline constexpr contract::Rule kBackwardRules[] = {
    contract::SameDType("same-dtype/gradOutput", Backward::kGradOutput, Backward::kSelf,
                        "pass a gradient of the dtype of self"),
    contract::SameDType("same-dtype/target", Backward::kTarget, Backward::kSelf,
                        "pass a target of the dtype of self"),
    contract::SameDType("same-dtype/out", Backward::kOut, Backward::kSelf,
                        "allocate out with the dtype of self"),
    contract::InRange("range/reduction", Backward::kReduction, contract::Between(0, 2),
                      "pass 0 for none, 1 for mean or 2 for sum"),
    contract::Broadcasts("broadcasts/out", Backward::kOut, Backward::kGradOutput, Backward::kSelf,
                         Backward::kTarget,
                         "pass tensors that broadcast, and an out of that shape"),
};
inline constexpr contract::Contract kMseLossBackwardContract = {
    .function = "aclnnMseLossBackward",
    .folder = "mse_loss_backward",
    .summary = "Gradient of aclnnMseLoss with respect to self.",
    .products = static_cast<uint8_t>(kAllProducts & ~Bit(Product::kInference310P)),
    .parameters = kBackwardParameters,
    .rules = kBackwardRules,
};
static_assert(
    contract::Matches<decltype(aclnnMseLossBackwardGetWorkspaceSize)>(kMseLossBackwardContract));

}  // namespace aclimb::mse_loss
