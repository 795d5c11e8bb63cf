#pragma once

#include <string>

#include "aclimb/ops/pads/contracts.h"
#include "pads_headers.h"

// Edges that are mirrored or repeated, and the gradients: k<Name>Contract of a row.
namespace aclimb::pads {

enum class Edge { kMirrored, kRepeated };

// What is mirrored is there without the edge itself.
template <int kSelf, int kPadding>
std::optional<std::string> TooLong(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const IntArrayValue& padding = arguments.Ints(kPadding);
  for (size_t i = 0; i < padding.size(); ++i) {
    if (padding[i] < self.shape[self.shape.size() - 1 - i / 2]) continue;
    return Cat("padding is ", contract::IntsText(padding), " but self.shape is ",
               contract::ShapeText(self), "; expected less than the dimension that is mirrored.");
  }
  return std::nullopt;
}

// What is repeated is there.
template <int kSelf, int kDims>
std::optional<std::string> NoEdges(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  if (std::all_of(self.shape.end() - kDims, self.shape.end(), [](int64_t n) { return n > 0; })) {
    return std::nullopt;
  }
  return Cat("self.shape is ", contract::ShapeText(self), "; expected elements to repeat.");
}

template <int kSelf, int kPadding, int kDims>
std::optional<std::string> NothingLeft(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const IntArrayValue& padding = arguments.Ints(kPadding);
  const std::vector<int64_t> shape = ShapeAround(self, padding);
  if (std::all_of(shape.end() - kDims, shape.end(),
                  [](int64_t n) { return n > 0 || n == contract::kOverflows; })) {
    return std::nullopt;
  }
  return Cat("padding is ", contract::IntsText(padding), " but self.shape is ",
             contract::ShapeText(self),
             "; expected at least one element to be left of each dimension.");
}

// The tensor of the shape of self with all added.
template <int kSelf, int kPadding, int kAround>
std::optional<std::string> OtherShape(const contract::Arguments& arguments, const char* name) {
  return OtherShapeAround(name, arguments.Tensor(kAround), arguments.Tensor(kSelf), "padding",
                          arguments.Ints(kPadding));
}

// What padding may be: of a forward call, or of the one that a gradient belongs to.
template <Edge kEdge, int kSelf, int kPadding, int kDims, bool kForward>
inline constexpr contract::Rule kLimits[] = {
    kEdge == Edge::kMirrored
        ? contract::InRange(
              "range/padding", kPadding, contract::AtLeast(0),
              kForward ? "pass numbers from 0 on" : "pass the padding of the forward call")
        : contract::Custom(
              "edges/self", &NoEdges<kSelf, kDims>,
              "self has elements in the dimensions that are padded",
              kForward ? "pass a tensor that has elements" : "pass the input of the forward call"),
    kEdge == Edge::kMirrored
        ? contract::Custom(
              "below-extent/padding", &TooLong<kSelf, kPadding>,
              "padding is less than the dimensions of self that are mirrored",
              kForward ? "pass smaller numbers" : "pass the padding of the forward call")
        : contract::Custom("cut-off/padding", &NothingLeft<kSelf, kPadding, kDims>,
                           "padding leaves an element of each dimension that is padded",
                           kForward ? "pass numbers that leave 1 or more of each dimension"
                                    : "pass the padding of the forward call"),
};

// Of the operators on volumes, chips of Product::kInference310P have aclnnReplicationPad3d alone.
constexpr uint8_t ProductsOf(Edge edge, int dims, bool forward) {
  constexpr uint8_t kNewer = kAllProducts & ~Bit(Product::kInference310P);
  return dims < 3 || (edge == Edge::kRepeated && forward) ? kAllProducts : kNewer;
}

namespace around {

enum : int { kSelf, kPadding, kOut };

inline constexpr auto kTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8,
                          DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool);

inline std::optional<std::string> WrongShape(const contract::Arguments& arguments) {
  return OtherShape<kSelf, kPadding, kOut>(arguments, "out");
}

template <int kDims>
inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(
        contract::Input("self", kTypes, kDims == 3 ? "volumes" : "images, or rows of them"),
        kDims + 1, kDims + 2),
    contract::Attribute("padding", contract::Kind::kIntArray,
                        "what is put before and behind, the last dimension first"),
    contract::WithRank(contract::Output("out", kTypes, "the shape of self with padding added"),
                       kDims + 1, kDims + 2)};
template <Edge kEdge, int kDims>
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::Count("count/padding", kPadding, contract::Exactly(2 * kDims),
                    kEdge == Edge::kMirrored
                        ? "pass two numbers for each dimension that is mirrored"
                        : "pass two numbers for each dimension that is padded"),
    kLimits<kEdge, kSelf, kPadding, kDims, true>[0],
    kLimits<kEdge, kSelf, kPadding, kDims, true>[1],
    contract::Custom("shape/out", &WrongShape, "out has the shape of self with padding added",
                     "allocate out with that shape"),
};

}  // namespace around

namespace gradient {

enum : int { kGradOutput, kSelf, kPadding, kGradInput };

inline constexpr auto kTypes =
    contract::AndBFloat16(DType::kFloat32, DType::kFloat16, DType::kFloat64);

inline std::optional<std::string> OtherGradOutput(const contract::Arguments& arguments) {
  return OtherShape<kSelf, kPadding, kGradOutput>(arguments, "gradOutput");
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
    kLimits<kEdge, kSelf, kPadding, kDims, false>[0],
    kLimits<kEdge, kSelf, kPadding, kDims, false>[1],
    contract::Custom("shape/gradOutput", &OtherGradOutput,
                     "gradOutput has the shape of self with padding added",
                     "pass the gradient of the forward output"),
    contract::SameShape("same-shape/gradInput", kGradInput, kSelf,
                        "allocate gradInput with the shape of self"),
};

}  // namespace gradient

#define ACLIMB_PAD_CONTRACT(name, Name, sentence, space, edge, dims, forward) \
  inline constexpr contract::Contract k##Name##Contract = {                   \
      .function = "aclnn" #Name,                                              \
      .folder = #name,                                                        \
      .summary = sentence,                                                    \
      .products = ProductsOf(Edge::k##edge, dims, forward),                   \
      .parameters = space::kParameters<dims>,                                 \
      .rules = space::kRules<Edge::k##edge, dims>};                           \
  static_assert(contract::Matches<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract));
#define ACLIMB_PAD(name, Name, header, edge, dims, limits, sentence) \
  ACLIMB_PAD_CONTRACT(name, Name, sentence, around, edge, dims, true)
#define ACLIMB_PAD_BACKWARD(name, Name, header, edge, dims, sentence) \
  ACLIMB_PAD_CONTRACT(name, Name, sentence, gradient, edge, dims, false)
#include "aclimb/ops/pads/rows.inc"
#undef ACLIMB_PAD
#undef ACLIMB_PAD_BACKWARD
#undef ACLIMB_PAD_CONTRACT

}  // namespace aclimb::pads
