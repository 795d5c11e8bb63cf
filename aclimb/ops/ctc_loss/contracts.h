#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_ctc_loss.h"
#include "aclnnop/aclnn_ctc_loss_backward.h"

namespace aclimb::ctc_loss {

using contract::Arguments;
using contract::Kind;

// Positions of the parameters of the loss, and of the gradient.
struct Forward {
  enum : int {
    kLogProbs,
    kTargets,
    kInputLengths,
    kTargetLengths,
    kBlank,
    kZeroInfinity,
    kLoss,
    kLogAlpha
  };
};
struct Backward {
  enum : int {
    kGradOut,
    kLogProbs,
    kTargets,
    kInputLengths,
    kTargetLengths,
    kLoss,
    kLogAlpha,
    kBlank,
    kZeroInfinity,
    kOut
  };
};

inline constexpr auto kFloats = contract::OnAll(contract::DTypes(DType::kFloat32, DType::kFloat64));
inline constexpr auto kLabels = contract::OnAll(
    contract::DTypes(DType::kInt64, DType::kInt32, DType::kBool, DType::kFloat32, DType::kFloat16));

template <typename P>
std::optional<std::string> OtherInputLengths(const Arguments& arguments) {
  const TensorDescriptor& log_probs = arguments.Tensor(P::kLogProbs);
  const auto& lengths = arguments.Ints(P::kInputLengths);
  const int64_t steps = log_probs.shape[0], sequences = log_probs.shape[1];
  bool fits = static_cast<int64_t>(lengths.size()) == sequences;
  for (const int64_t length : lengths) fits = fits && length >= 0 && length <= steps;
  if (fits) return std::nullopt;
  return Cat("inputLengths is ", contract::IntsText(lengths), " and logProbs.shape is ",
             contract::ShapeText(log_probs), "; expected ", sequences, " numbers from 0 to ", steps,
             ".");
}
template <typename P>
std::optional<std::string> OtherTargetLengths(const Arguments& arguments) {
  const TensorDescriptor& log_probs = arguments.Tensor(P::kLogProbs);
  const TensorDescriptor& targets = arguments.Tensor(P::kTargets);
  const auto& lengths = arguments.Ints(P::kTargetLengths);
  const int64_t sequences = log_probs.shape[1], most = targets.shape.back();
  const bool padded = targets.rank() == 2;
  bool fits = static_cast<int64_t>(lengths.size()) == sequences &&
              (!padded || targets.shape[0] == sequences);
  int64_t left = most;
  for (const int64_t length : lengths) {
    fits = fits && length >= 0 && length <= (padded ? most : left);
    if (fits && !padded) left -= length;
  }
  if (fits && (padded || left == 0)) return std::nullopt;
  return Cat("targetLengths is ", contract::IntsText(lengths), ", targets.shape is ",
             contract::ShapeText(targets), " and logProbs.shape is ",
             contract::ShapeText(log_probs), "; expected ", sequences,
             padded ? " numbers from 0 to the columns of targets, which has as many rows."
                    : " numbers that add up to the length of targets.");
}
template <typename P>
std::optional<std::string> OtherBlank(const Arguments& arguments) {
  const TensorDescriptor& log_probs = arguments.Tensor(P::kLogProbs);
  const int64_t blank = arguments.Integer(P::kBlank);
  if (blank >= 0 && blank < log_probs.shape[2]) return std::nullopt;
  return Cat("blank is ", blank, " and logProbs.shape is ", contract::ShapeText(log_probs),
             "; expected a number from 0 that is below the last extent.");
}
// Callers round the last dimension up.
template <typename P>
std::optional<std::string> NarrowAlpha(const Arguments& arguments) {
  const TensorDescriptor& alpha = arguments.Tensor(P::kLogAlpha);
  const auto& lengths = arguments.Ints(P::kTargetLengths);
  int64_t most = 0;
  for (const int64_t length : lengths) most = std::max(most, length);
  if (alpha.shape[2] > 2 * most) return std::nullopt;
  return Cat(std::is_same_v<P, Forward> ? "logAlphaOut" : "logAlpha", ".shape is ",
             contract::ShapeText(alpha), " and targetLengths is ", contract::IntsText(lengths),
             "; expected ", 2 * most + 1, " or more in the last dimension.");
}

inline constexpr contract::Parameter kLogProbsParameter = contract::WithShape(
    contract::Input("logProbs", kFloats, "logarithms of probabilities"), "T N C");
inline constexpr contract::Parameter kTargetsParameter = contract::WithRank(
    contract::Input("targets", kLabels,
                    "the labels of each sequence in a row, or of all of them one behind the "
                    "other; for one outside [0, C) the run fails (507015)"),
    1, 2);
inline constexpr contract::Parameter kInputLengthsParameter =
    contract::Attribute("inputLengths", Kind::kIntArray, "the steps of each sequence");
inline constexpr contract::Parameter kTargetLengthsParameter =
    contract::Attribute("targetLengths", Kind::kIntArray, "the labels of each sequence");
inline constexpr contract::Parameter kBlankParameter =
    contract::Attribute("blank", Kind::kInteger, "the class that is no label");

template <typename P>
inline constexpr contract::Rule kInputLengthsRule = contract::Custom(
    "range/inputLengths", &OtherInputLengths<P>,
    "inputLengths has a number for each sequence of logProbs, from 0 to the steps of that",
    "pass how many steps each sequence has");
template <typename P>
inline constexpr contract::Rule kTargetLengthsRule = contract::Custom(
    "range/targetLengths", &OtherTargetLengths<P>,
    "targetLengths has a number for each sequence of logProbs: at most the columns of targets, "
    "which has a row for each; or they add up to the length of targets with one dimension",
    "pass how many labels each sequence has");
template <typename P>
inline constexpr contract::Rule kBlankRule =
    contract::Custom("range/blank", &OtherBlank<P>, "blank is one of the classes of logProbs",
                     "pass the class that stands for no label");

namespace forward {

inline constexpr contract::Parameter kParameters[] = {
    kLogProbsParameter,
    kTargetsParameter,
    kInputLengthsParameter,
    kTargetLengthsParameter,
    kBlankParameter,
    contract::Attribute("zeroInfinity", Kind::kBool, "for the gradient; no result depends on it"),
    contract::WithShape(contract::Output("negLogLikelihoodOut", kFloats, "the losses"), "N"),
    contract::WithShape(
        contract::Output("logAlphaOut", kFloats,
                         "of the beginnings of each sequence, for the gradient; -inf elsewhere"),
        "N T X")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/negLogLikelihoodOut", Forward::kLoss, Forward::kLogProbs,
                        "allocate it with the dtype of logProbs"),
    contract::SameDType("same-dtype/logAlphaOut", Forward::kLogAlpha, Forward::kLogProbs,
                        "allocate it with the dtype of logProbs"),
    kInputLengthsRule<Forward>,
    kTargetLengthsRule<Forward>,
    kBlankRule<Forward>,
    contract::Custom("wide-enough/logAlphaOut", &NarrowAlpha<Forward>,
                     "the last dimension of logAlphaOut has 2 * the largest of targetLengths + 1 "
                     "elements or more",
                     "allocate a wider one")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnCtcLoss",
    .folder = "ctc_loss",
    .summary =
        "Connectionist temporal classification (CTC) loss: negative log-likelihoods of label "
        "sequences.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnCtcLossGetWorkspaceSize)>(kContract));

}  // namespace forward

namespace backward {

inline constexpr contract::Parameter kParameters[] = {
    contract::WithShape(contract::Input("gradOut", kFloats, "of the losses"), "N"),
    kLogProbsParameter,
    kTargetsParameter,
    kInputLengthsParameter,
    kTargetLengthsParameter,
    contract::WithShape(contract::Input("negLogLikelihood", kFloats, "the losses"), "N"),
    contract::WithShape(contract::Input("logAlpha", kFloats, "result of aclnnCtcLoss"), "N T X"),
    kBlankParameter,
    contract::Attribute("zeroInfinity", Kind::kBool,
                        "whether the gradient of an infinite loss is 0"),
    contract::WithShape(contract::Output("out", kFloats, "the gradient"), "T N C")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/gradOut", Backward::kGradOut, Backward::kLogProbs,
                        "pass a gradient in the dtype of logProbs"),
    contract::SameDType("same-dtype/negLogLikelihood", Backward::kLoss, Backward::kLogProbs,
                        "pass the result of aclnnCtcLoss"),
    contract::SameDType("same-dtype/logAlpha", Backward::kLogAlpha, Backward::kLogProbs,
                        "pass the result of aclnnCtcLoss"),
    contract::SameDType("same-dtype/out", Backward::kOut, Backward::kLogProbs,
                        "allocate out with the dtype of logProbs"),
    kInputLengthsRule<Backward>,
    kTargetLengthsRule<Backward>,
    kBlankRule<Backward>,
    contract::Custom("wide-enough/logAlpha", &NarrowAlpha<Backward>,
                     "the last dimension of logAlpha has 2 * the largest of targetLengths + 1 "
                     "elements or more",
                     "pass the result of aclnnCtcLoss")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnCtcLossBackward",
    .folder = "ctc_loss_backward",
    .summary = "Gradient of aclnnCtcLoss with respect to the log-probabilities.",
    .products = kAllProducts & ~Bit(Product::kInference310P),
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnCtcLossBackwardGetWorkspaceSize)>(kContract));

}  // namespace backward

}  // namespace aclimb::ctc_loss
