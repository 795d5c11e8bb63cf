#pragma once

#include "aclimb/ops/pads/contracts.h"
#include "pads_headers.h"

// Edges that are repeated, and the gradients: k<Name>Contract of a row.
namespace aclimb::pads {

enum class Edge { kMirrored, kRepeated };

namespace replication {

enum : int { kSelf, kPadding, kOut };

// What is repeated is there.
template <int kAt, int kDims>
std::optional<std::string> NoEdges(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kAt);
  if (std::all_of(self.shape.end() - kDims, self.shape.end(), [](int64_t n) { return n > 0; })) {
    return std::nullopt;
  }
  return Cat("self.shape is ", contract::ShapeText(self), "; expected elements to repeat.");
}

template <int kAt, int kPaddingAt, int kDims>
std::optional<std::string> NothingLeft(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kAt);
  const IntArrayValue& padding = arguments.Ints(kPaddingAt);
  const std::vector<int64_t> shape = ShapeAround(self, padding);
  if (std::all_of(shape.end() - kDims, shape.end(),
                  [](int64_t n) { return n > 0 || n == kOverflows; })) {
    return std::nullopt;
  }
  return Cat("padding is ", contract::IntsText(padding), " but self.shape is ",
             contract::ShapeText(self),
             "; expected at least one element to be left of each dimension.");
}

template <int kDims>
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::Count("count/padding", kPadding, contract::Exactly(2 * kDims),
                    "pass two numbers for each dimension that is padded"),
    contract::Custom("edges/self", &NoEdges<kSelf, kDims>,
                     "self has elements in the dimensions that are padded",
                     "pass a tensor that has elements"),
    contract::Custom("cut-off/padding", &NothingLeft<kSelf, kPadding, kDims>,
                     "padding leaves an element of each dimension that is padded",
                     "pass numbers that leave 1 or more of each dimension"),
    contract::Custom("shape/out", &reflection::WrongShape,
                     "out has the shape of self with padding added",
                     "allocate out with that shape"),
};

}  // namespace replication

namespace gradient {

enum : int { kGradOutput, kSelf, kPadding, kGradInput };

inline constexpr auto kTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64);

inline std::optional<std::string> OtherGradOutput(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const IntArrayValue& padding = arguments.Ints(kPadding);
  return contract::OtherShape(
      "gradOutput", arguments.Tensor(kGradOutput), ShapeAround(self, padding),
      Cat("self.shape ", contract::ShapeText(self), " and padding ", contract::IntsText(padding)));
}

template <int kDims>
inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(
        contract::Input("gradOutput", kTypes, "gradient of the forward output, of its shape"),
        kDims + 1, kDims + 2),
    contract::WithRank(
        contract::Input("self", kTypes, "the forward input: its shape alone matters"), kDims + 1,
        kDims + 2),
    contract::Attribute("padding", contract::Kind::kIntArray, "of the forward call"),
    contract::WithRank(contract::Output("gradInput", kTypes, "shape and dtype of self"), kDims + 1,
                       kDims + 2)};

template <Edge kEdge, int kDims>
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/self", kSelf, kGradOutput,
                        "pass both in the dtype of the forward call"),
    contract::SameDType("same-dtype/gradInput", kGradInput, kSelf,
                        "allocate gradInput with the dtype of self"),
    contract::Count("count/padding", kPadding, contract::Exactly(2 * kDims),
                    "pass the padding of the forward call"),
    kEdge == Edge::kMirrored
        ? contract::InRange("range/padding", kPadding, contract::AtLeast(0),
                            "pass the padding of the forward call")
        : contract::Custom("edges/self", &replication::NoEdges<kSelf, kDims>,
                           "self has elements in the dimensions that are padded",
                           "pass the input of the forward call"),
    kEdge == Edge::kMirrored
        ? contract::Custom("below-extent/padding", &TooLong<kSelf, kPadding>,
                           "padding is less than the dimensions of self that are mirrored",
                           "pass the padding of the forward call")
        : contract::Custom("cut-off/padding", &replication::NothingLeft<kSelf, kPadding, kDims>,
                           "padding leaves an element of each dimension that is padded",
                           "pass the padding of the forward call"),
    contract::Custom("shape/gradOutput", &OtherGradOutput,
                     "gradOutput has the shape of self with padding added",
                     "pass the gradient of the forward output"),
    contract::SameShape("same-shape/gradInput", kGradInput, kSelf,
                        "allocate gradInput with the shape of self"),
};

}  // namespace gradient

#define ACLIMB_PAD_CONTRACT(name, Name, sentence, parameter_list, ...)                   \
  inline constexpr contract::Contract k##Name##Contract = {.function = "aclnn" #Name,    \
                                                           .folder = #name,              \
                                                           .summary = sentence,          \
                                                           .parameters = parameter_list, \
                                                           .rules = __VA_ARGS__};        \
  static_assert(contract::Matches<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract));
#define ACLIMB_PAD(name, Name, header, dims, sentence)                     \
  ACLIMB_PAD_CONTRACT(name, Name, sentence, reflection::kParameters<dims>, \
                      replication::kRules<dims>)
#define ACLIMB_PAD_BACKWARD(name, Name, header, edge, dims, sentence)    \
  ACLIMB_PAD_CONTRACT(name, Name, sentence, gradient::kParameters<dims>, \
                      gradient::kRules<Edge::k##edge, dims>)
#include "aclimb/ops/pads/rows.inc"
#undef ACLIMB_PAD
#undef ACLIMB_PAD_BACKWARD
#undef ACLIMB_PAD_CONTRACT

}  // namespace aclimb::pads
