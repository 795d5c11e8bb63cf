#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_prelu.h"
#include "aclnnop/aclnn_prelu_backward.h"

// What is not above 0 times the weight of its channel, and the gradients.
namespace aclimb::prelu {

inline constexpr auto kDTypes =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);

inline int64_t ChannelsOf(const std::vector<int64_t>& shape) {
  return shape.size() < 2 ? 1 : shape[1];
}

template <int kSelf, int kWeight>
std::optional<std::string> OtherWeights(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const TensorDescriptor& weight = arguments.Tensor(kWeight);
  const int64_t channels = ChannelsOf(self.shape), count = weight.ElementCount();
  const auto longer = std::count_if(weight.shape.begin(), weight.shape.end(),
                                    [](int64_t extent) { return extent != 1; });
  if ((count == 1 || count == channels) && longer <= 1) return std::nullopt;
  return Cat("weight.shape is ", contract::ShapeText(weight), " but self.shape is ",
             contract::ShapeText(self), "; expected 1 or ", channels,
             " elements along one dimension.");
}
template <int kSelf, int kWeight>
inline constexpr contract::Rule kChannels = contract::Custom(
    "channels/weight", &OtherWeights<kSelf, kWeight>,
    "weight has one element, or one for each of self.shape[1], along one dimension",
    "pass a weight for all channels, or one for each");

namespace forward {

enum : int { kSelf, kWeight, kOut };

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kDTypes, "of any shape"),
    contract::Input("weight", kDTypes,
                    "one element, or one for each channel: for self.shape[1], or 1 if self has "
                    "fewer than two dimensions"),
    contract::Output("out", kDTypes, "shape of self")};
inline constexpr contract::Rule kRules[] = {
    contract::Promotes("promotes/weight", kSelf, kWeight, kOut,
                       "pass tensors whose dtypes have one in common"),
    kChannels<kSelf, kWeight>,
    contract::SameShape("same-shape/out", kOut, kSelf, "allocate out with the shape of self")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnPrelu",
    .folder = "prelu",
    .summary =
        "Parametric ReLU: what is not above 0 is multiplied by the weight of its channel, element "
        "by element.",
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnPreluGetWorkspaceSize)>(kContract));

}  // namespace forward

namespace backward {

enum : int { kGradOutput, kSelf, kWeight, kGradInput, kGradWeight };

inline std::optional<std::string> OtherGradWeight(const contract::Arguments& arguments) {
  const TensorDescriptor& weight = arguments.Tensor(kWeight);
  const int64_t count = weight.ElementCount();
  return contract::OtherShape("gradWeight", arguments.Tensor(kGradWeight),
                              count == 1 ? weight.shape : std::vector<int64_t>{count},
                              Cat("weight.shape ", contract::ShapeText(weight)));
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("gradOutput", kDTypes, "gradient of the forward result"),
    contract::Input("self", kDTypes, "input of the forward call, of any shape"),
    contract::Input("weight", kDTypes, "weight of the forward call"),
    contract::Output("gradInput", kDTypes, "gradient of self"),
    contract::Output("gradWeight", kDTypes, "gradient of weight")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/self", kSelf, kGradOutput,
                        "convert self to the dtype of gradOutput"),
    contract::SameDType("same-dtype/weight", kWeight, kGradOutput,
                        "convert weight to the dtype of gradOutput"),
    contract::SameDType("same-dtype/gradInput", kGradInput, kGradOutput,
                        "create gradInput with the dtype of gradOutput"),
    contract::SameDType("same-dtype/gradWeight", kGradWeight, kGradOutput,
                        "create gradWeight with the dtype of gradOutput"),
    contract::SameShape("same-shape/gradInput", kGradInput, kSelf,
                        "allocate gradInput with the shape of self"),
    contract::Broadcasts("shape/gradOutput", kGradInput, kGradOutput,
                         "pass a gradient that broadcasts to the shape of self"),
    kChannels<kSelf, kWeight>,
    contract::Custom("shape/gradWeight", &OtherGradWeight,
                     "gradWeight has the shape of a weight of one element, else one dimension of "
                     "as many elements as weight",
                     "allocate gradWeight with that shape")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnPreluBackward",
    .folder = "prelu_backward",
    .summary = "Gradients of aclnnPrelu with respect to its input and its weight.",
    .products = kAllProducts & ~Bit(Product::kInference310P),
    .parameters = kParameters,
    .rules = kRules};
static_assert(contract::Matches<decltype(aclnnPreluBackwardGetWorkspaceSize)>(kContract));

}  // namespace backward

}  // namespace aclimb::prelu
