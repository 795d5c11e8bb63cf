#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_softmax_cross_entropy_with_logits.h"

namespace aclimb::cross_entropy_loss {

// Parameter positions of aclnnSoftmaxCrossEntropyWithLogits.
struct Probabilities {
  enum : int { kFeatures, kLabels, kLoss, kBackprop };
};

inline constexpr auto kProbabilitiesTypes =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);

inline constexpr contract::Parameter kProbabilitiesParameters[] = {
    contract::WithShape(contract::Input("features", kProbabilitiesTypes, "logits of N rows"),
                        "N C"),
    contract::WithShape(contract::Input("labels", kProbabilitiesTypes,
                                        "probability of each class; dtype of features"),
                        "N C", "pass one probability for each logit"),
    contract::WithShape(
        contract::Output("loss", kProbabilitiesTypes, "of each row; dtype of features"), "N",
        "allocate loss with one element for each row"),
    contract::MayBe(contract::WithShape(contract::Output("backprop", kProbabilitiesTypes,
                                                         "gradient of features; dtype of features"),
                                        "N C", "allocate backprop with the shape of features"),
                    Probabilities::kFeatures, Probabilities::kLabels),
};

inline constexpr contract::Rule kProbabilitiesRules[] = {
    contract::SameDType("same-dtype/labels", Probabilities::kLabels, Probabilities::kFeatures,
                        "pass labels of the dtype of features"),
    contract::SameDType("same-dtype/loss", Probabilities::kLoss, Probabilities::kFeatures,
                        "allocate loss with the dtype of features"),
    contract::SameDType("same-dtype/backprop", Probabilities::kBackprop, Probabilities::kFeatures,
                        "allocate backprop with the dtype of features"),
};

inline constexpr contract::Contract kProbabilitiesContract = {
    .function = "aclnnSoftmaxCrossEntropyWithLogits",
    .folder = "softmax_cross_entropy_with_logits",
    .summary = "Cross-entropy loss of logits against probabilities, with its gradient.",
    .parameters = kProbabilitiesParameters,
    .rules = kProbabilitiesRules,
};

static_assert(contract::Matches<decltype(aclnnSoftmaxCrossEntropyWithLogitsGetWorkspaceSize)>(
    kProbabilitiesContract));

}  // namespace aclimb::cross_entropy_loss
