#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_apply_rotary_pos_emb.h"
#include "aclnnop/aclnn_rotary_position_embedding.h"
#include "aclnnop/aclnn_rotary_position_embedding_grad.h"

// The contracts of rotary position embedding.
namespace aclimb::rotary {

using Finding = std::optional<std::string>;

inline constexpr auto kFloats = contract::OnAll(contract::kFloatDTypes);
inline constexpr auto kOldAndNewFloats =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);
inline constexpr uint8_t kNewProducts = Bit(Product::kA2) | Bit(Product::kA3) | Bit(Product::k950);

constexpr contract::Parameter Rank4(contract::Parameter parameter) {
  return contract::WithRank(parameter, 4, 4);
}

// Angles are repeated along the first three dimensions alone.
inline Finding WrongAngles(const contract::Arguments& arguments, const char* name, int position,
                           const char* of_name, int of) {
  const TensorDescriptor &angles = arguments.Tensor(position), &x = arguments.Tensor(of);
  bool fits = angles.shape[3] == x.shape[3];
  for (size_t d = 0; d < 3; ++d) {
    fits = fits && (angles.shape[d] == x.shape[d] || angles.shape[d] == 1);
  }
  if (fits) return std::nullopt;
  return Cat(name, ".shape is ", contract::ShapeText(angles), " and ", of_name, ".shape is ",
             contract::ShapeText(x), "; expected the extents of ", of_name,
             ", or 1 in place of the first three.");
}
// Whether the last dimension falls into parts.
inline Finding WrongWidth(const contract::Arguments& arguments, const char* name, int position,
                          int mode) {
  const TensorDescriptor& x = arguments.Tensor(position);
  const int64_t parts = mode >= 0 && arguments.Integer(mode) == 2 ? 4 : 2;
  if (x.shape[3] % parts == 0) return std::nullopt;
  return Cat(name, ".shape is ", contract::ShapeText(x),
             mode < 0 ? std::string() : Cat(" and mode is ", arguments.Integer(mode)),
             "; expected a multiple of ", parts, " as its last extent.");
}

namespace rotary_position_embedding {

enum : int { kX, kCos, kSin, kMode, kOut };

inline constexpr contract::Parameter kParameters[] = {
    Rank4(contract::Input("x", kFloats, "pairs of elements along the last dimension")),
    Rank4(contract::Input("cos", kFloats, "shape of x, or 1 in place of the first extents")),
    Rank4(contract::Input("sin", kFloats, "shape of cos")),
    contract::Attribute("mode", contract::Kind::kInteger,
                        "which elements are pairs: 0 those of both halves, 1 neighbours, 2 those "
                        "of halves of each half, 3 neighbours, which come as 0 has them"),
    contract::MayBe(Rank4(contract::Output("out", kFloats, "shape and dtype of x")), kX),
};

inline Finding CosRule(const contract::Arguments& arguments) {
  return WrongAngles(arguments, "cos", kCos, "x", kX);
}
inline Finding WidthRule(const contract::Arguments& arguments) {
  return WrongWidth(arguments, "x", kX, kMode);
}

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/cos", kCos, kX, "pass both in one dtype"),
    contract::SameDType("same-dtype/sin", kSin, kX, "pass both in one dtype"),
    contract::SameDType("same-dtype/out", kOut, kX, "allocate out with the dtype of x"),
    contract::InRange("range/mode", kMode, contract::Between(0, 3), "pass 0 to 3"),
    contract::Custom("shape/x", &WidthRule,
                     "the last extent of x is even, a multiple of 4 where mode is 2",
                     "pass whole pairs"),
    contract::Custom("shape/cos", &CosRule,
                     "cos has the shape of x, or 1 in place of any of the first three extents",
                     "pass angles for the positions of x"),
    contract::SameShape("same-shape/sin", kSin, kCos, "pass both in one shape"),
    contract::SameShape("same-shape/out", kOut, kX, "allocate out with the shape of x"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnRotaryPositionEmbedding",
    .folder = "rotary_position_embedding",
    .summary =
        "Rotary position embedding: rotates pairs of elements by their position, x * cos + "
        "rotated(x) * sin.",
    .products = kNewProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnRotaryPositionEmbeddingGetWorkspaceSize)>(kContract));

}  // namespace rotary_position_embedding

namespace rotary_position_embedding_grad {

enum : int { kDy, kCos, kSin, kX, kMode, kDx, kDcos, kDsin };

inline constexpr contract::Parameter kParameters[] = {
    Rank4(contract::Input("dy", kFloats, "gradient of the forward result")),
    Rank4(contract::Input("cos", kFloats, "as the forward call had it")),
    Rank4(contract::Input("sin", kFloats, "as the forward call had it")),
    Rank4(contract::Optional(contract::Input(
        "xOptional", kFloats, "the forward input; null: dcosOut and dsinOut are left alone"))),
    contract::Attribute("mode", contract::Kind::kInteger, "as the forward call had it"),
    contract::MayBe(Rank4(contract::Output("dxOut", kFloats, "shape and dtype of dy")), kDy),
    contract::WithRank(contract::Optional(contract::Output(
                           "dcosOut", {}, "shape and dtype of cos; without xOptional anything")),
                       0, 8),
    contract::WithRank(contract::Optional(contract::Output(
                           "dsinOut", {}, "shape and dtype of sin; without xOptional anything")),
                       0, 8),
};

inline Finding CosRule(const contract::Arguments& arguments) {
  return WrongAngles(arguments, "cos", kCos, "dy", kDy);
}
inline Finding WidthRule(const contract::Arguments& arguments) {
  return WrongWidth(arguments, "dy", kDy, kMode);
}
inline Finding WrongGrad(const contract::Arguments& arguments, const char* name, int position,
                         const char* of_name, int of) {
  if (!arguments.Given(kX)) return std::nullopt;
  const TensorDescriptor& angles = arguments.Tensor(of);
  if (!arguments.Given(position)) {
    return Cat(name, " is null and xOptional.shape is ", contract::ShapeText(arguments.Tensor(kX)),
               "; expected a tensor.");
  }
  const TensorDescriptor& got = arguments.Tensor(position);
  if (got.shape == angles.shape && got.dtype == angles.dtype) return std::nullopt;
  return Cat(name, ".shape is ", contract::ShapeText(got), ", its dtype is ", NameOf(got.dtype),
             " and ", of_name, ".shape is ", contract::ShapeText(angles),
             "; expected that shape of ", "dtype ", NameOf(angles.dtype), ".");
}
inline Finding DcosRule(const contract::Arguments& arguments) {
  return WrongGrad(arguments, "dcosOut", kDcos, "cos", kCos);
}
inline Finding DsinRule(const contract::Arguments& arguments) {
  return WrongGrad(arguments, "dsinOut", kDsin, "sin", kSin);
}

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/cos", kCos, kDy, "pass both in one dtype"),
    contract::SameDType("same-dtype/sin", kSin, kDy, "pass both in one dtype"),
    contract::SameDType("same-dtype/xOptional", kX, kDy, "pass both in one dtype"),
    contract::SameDType("same-dtype/dxOut", kDx, kDy, "allocate dxOut with the dtype of dy"),
    contract::InRange("range/mode", kMode, contract::Between(0, 3), "pass 0 to 3"),
    contract::Custom("shape/dy", &WidthRule,
                     "the last extent of dy is even, a multiple of 4 where mode is 2",
                     "pass whole pairs"),
    contract::Custom("shape/cos", &CosRule,
                     "cos has the shape of dy, or 1 in place of any of the first three extents",
                     "pass angles for the positions of dy"),
    contract::SameShape("same-shape/sin", kSin, kCos, "pass both in one shape"),
    contract::SameShape("same-shape/xOptional", kX, kDy, "pass the forward input"),
    contract::SameShape("same-shape/dxOut", kDx, kDy, "allocate dxOut with the shape of dy"),
    contract::Custom("wanted/dcosOut", &DcosRule,
                     "dcosOut has the shape and dtype of cos when xOptional is given",
                     "allocate dcosOut as cos"),
    contract::Custom("wanted/dsinOut", &DsinRule,
                     "dsinOut has the shape and dtype of sin when xOptional is given",
                     "allocate dsinOut as sin"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnRotaryPositionEmbeddingGrad",
    .folder = "rotary_position_embedding_grad",
    .summary = "Gradients of aclnnRotaryPositionEmbedding with respect to its input and angles.",
    .products = kNewProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(
    contract::Matches<decltype(aclnnRotaryPositionEmbeddingGradGetWorkspaceSize)>(kContract));

}  // namespace rotary_position_embedding_grad

namespace apply_rotary_pos_emb {

enum : int { kQuery, kKey, kCos, kSin, kLayout };

inline constexpr contract::Parameter kParameters[] = {
    contract::WithShape(contract::InOut("queryRef", kOldAndNewFloats, "is overwritten"), "B S N D"),
    contract::WithShape(
        contract::InOut("keyRef", kOldAndNewFloats, "is overwritten; dtype of queryRef"),
        "B S Nk D", "pass keys of the same batches and positions"),
    contract::WithShape(contract::Input("cos", kOldAndNewFloats, "dtype of queryRef"), "B S 1 D",
                        "pass angles for the positions of queryRef"),
    contract::WithShape(contract::Input("sin", kOldAndNewFloats, "dtype of queryRef"), "B S 1 D",
                        "pass angles for the positions of queryRef"),
    contract::Attribute("layout", contract::Kind::kInteger, "1: positions come before heads"),
};

inline Finding WidthRule(const contract::Arguments& arguments) {
  return WrongWidth(arguments, "queryRef", kQuery, -1);
}

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/keyRef", kKey, kQuery, "pass both in one dtype"),
    contract::SameDType("same-dtype/cos", kCos, kQuery, "pass both in one dtype"),
    contract::SameDType("same-dtype/sin", kSin, kQuery, "pass both in one dtype"),
    contract::InRange("range/layout", kLayout, contract::Exactly(1),
                      "pass 1 and tensors [B, S, N, D], or others to "
                      "aclnnRotaryPositionEmbedding"),
    contract::Custom("shape/queryRef", &WidthRule, "the last extent of queryRef is even",
                     "pass whole pairs"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnApplyRotaryPosEmb",
    .folder = "apply_rotary_pos_emb",
    .summary = "Rotary position embedding of queries and keys, in place.",
    .products = kNewProducts | Bit(Product::kInference310P),
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnApplyRotaryPosEmbGetWorkspaceSize)>(kContract));

}  // namespace apply_rotary_pos_emb
}  // namespace aclimb::rotary
