#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_bernoulli.h"
#include "aclnnop/aclnn_dropout_do_mask.h"
#include "aclnnop/aclnn_dropout_gen_mask.h"
#include "aclnnop/aclnn_dropout_gen_mask_v2.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_random.h"
#include "aclnnop/aclnn_randperm.h"
#include "aclnnop/aclnn_uniform.h"

// Operators whose results are chance: Philox by seed and offset (philox.h).
namespace aclimb::random {

using contract::Arguments;
using contract::Kind;

inline constexpr contract::DTypeMask kIntegers =
    contract::DTypes(DType::kInt64, DType::kInt32, DType::kInt16, DType::kInt8, DType::kUInt8);
inline constexpr contract::DTypeMask kOldDTypes =
    contract::kHalfDTypes | contract::DTypes(DType::kFloat64) | kIntegers;
inline constexpr contract::DTypeMask kNewDTypes = kOldDTypes | contract::DTypes(DType::kBFloat16);
inline constexpr contract::DTypeMask kBool = contract::DTypes(DType::kBool);

inline constexpr uint8_t kNot310P = kAllProducts & ~Bit(Product::kInference310P);

inline constexpr contract::Parameter kSeedParameter =
    contract::Attribute("seed", Kind::kInteger, "chooses the numbers");
inline constexpr contract::Parameter kOffsetParameter =
    contract::Attribute("offset", Kind::kInteger, "chooses others of the same seed");

// The least and the greatest number of a dtype.
struct Limits {
  double least;
  double most;
};
template <typename T>
constexpr Limits LimitsOf() {
  return {static_cast<double>(std::numeric_limits<T>::lowest()),
          static_cast<double>(std::numeric_limits<T>::max())};
}
constexpr Limits LimitsOf(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return {0, 1};
    case DType::kUInt8:
      return LimitsOf<uint8_t>();
    case DType::kInt8:
      return LimitsOf<int8_t>();
    case DType::kInt16:
      return LimitsOf<int16_t>();
    case DType::kInt32:
      return LimitsOf<int32_t>();
    case DType::kInt64:
      return LimitsOf<int64_t>();
    case DType::kFloat16:
      return {-65504, 65504};
    case DType::kFloat32:
      return LimitsOf<float>();
    case DType::kBFloat16:
      return {-0x1.FEp127, 0x1.FEp127};
    default:
      return LimitsOf<double>();
  }
}

// How long the mask of so many elements is: bits in whole pieces of 128.
constexpr int64_t MaskBytes(int64_t elements) {
  return (elements / 128 + (elements % 128 != 0)) * 16;
}

namespace inplace_normal {

enum : int { kSelfRef, kMean, kStd, kSeed, kOffset };

inline constexpr contract::Parameter kParameters[] = {
    contract::Output("selfRef", contract::OnAll(kNewDTypes | kBool),
                     "overwritten; integers lose the fraction"),
    contract::Attribute("mean", Kind::kReal, "of the distribution"),
    contract::Attribute("std", Kind::kReal, "its standard deviation"),
    kSeedParameter,
    kOffsetParameter,
};
inline constexpr contract::Rule kRules[] = {
    contract::InRange("range/std", kStd, contract::AtLeast(0), "pass 0 or more"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceNormal",
    .folder = "inplace_normal",
    .summary = "selfRef = numbers of the normal distribution.",
    .products = kNot310P,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnInplaceNormalGetWorkspaceSize)>(kContract));

}  // namespace inplace_normal

namespace inplace_uniform {

enum : int { kSelfRef, kFrom, kTo, kSeed, kOffset };

inline std::optional<std::string> WrongRange(const Arguments& arguments) {
  const double from = arguments.Real(kFrom), to = arguments.Real(kTo);
  const DType dtype = arguments.Tensor(kSelfRef).dtype;
  const Limits limits = LimitsOf(dtype);
  if (from >= limits.least && from <= to && to <= limits.most && std::isfinite(to - from)) {
    return std::nullopt;
  }
  return Cat("from is ", from, ", to is ", to, " and selfRef.dtype is ", NameOf(dtype),
             "; expected numbers of that dtype, to not below from.");
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Output("selfRef", contract::OnOldAndNew(kOldDTypes, kNewDTypes),
                     "overwritten; integers lose the fraction"),
    contract::Attribute("from", Kind::kReal, "the least number"),
    contract::Attribute("to", Kind::kReal, "above all numbers, unless it is `from`"),
    kSeedParameter,
    kOffsetParameter,
};
inline constexpr contract::Rule kRules[] = {
    contract::Custom("range/from-to", &WrongRange,
                     "from and to are numbers of the dtype of selfRef, from is not above to",
                     "pass the lower end first"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceUniform",
    .folder = "inplace_uniform",
    .summary = "selfRef = numbers from `from` up to `to`, all equally likely.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnInplaceUniformGetWorkspaceSize)>(kContract));

}  // namespace inplace_uniform

namespace inplace_random {

enum : int { kSelfRef, kFrom, kTo, kSeed, kOffset };

inline std::optional<std::string> WrongRange(const Arguments& arguments) {
  const int64_t from = arguments.Integer(kFrom), to = arguments.Integer(kTo);
  const DType dtype = arguments.Tensor(kSelfRef).dtype;
  const Limits limits = LimitsOf(dtype);
  if (from < to && static_cast<double>(from) >= limits.least &&
      static_cast<double>(to - 1) <= limits.most) {
    return std::nullopt;
  }
  return Cat("from is ", from, ", to is ", to, " and selfRef.dtype is ", NameOf(dtype),
             "; expected from < to, and from and to - 1 to be numbers of that dtype.");
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Output("selfRef", contract::OnOldAndNew(kOldDTypes | kBool, kNewDTypes | kBool),
                     "overwritten; numbers that it has not are rounded"),
    contract::Attribute("from", Kind::kInteger, "the least number"),
    contract::Attribute("to", Kind::kInteger, "one more than the greatest"),
    kSeedParameter,
    kOffsetParameter,
};
inline constexpr contract::Rule kRules[] = {
    contract::Custom("range/from-to", &WrongRange,
                     "from is below to, and from and to - 1 are numbers of the dtype of selfRef",
                     "pass the lower end first, and what the dtype can hold"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceRandom",
    .folder = "inplace_random",
    .summary = "selfRef = whole numbers from `from` to `to` - 1, all equally likely.",
    .products = kNot310P,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnInplaceRandomGetWorkspaceSize)>(kContract));

}  // namespace inplace_random

inline constexpr auto kBernoulliDTypes =
    contract::OnOldAndNew(kOldDTypes | kBool, kNewDTypes | kBool);

namespace bernoulli {

enum : int { kSelf, kProb, kSeed, kOffset, kOut };

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kBernoulliDTypes, "its shape alone matters"),
    contract::Attribute("prob", Kind::kScalar, "of a 1"),
    kSeedParameter,
    kOffsetParameter,
    contract::MayBe(contract::Output("out", kBernoulliDTypes, "shape of self"), kSelf),
};
inline constexpr contract::Rule kRules[] = {
    contract::ConvertsToFloat("real/prob", kProb, "pass a real scalar"),
    contract::InRange("range/prob", kProb, contract::Between(0, 1), "pass a probability"),
    contract::SameShape("same-shape/out", kOut, kSelf, "allocate out with the shape of self"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnBernoulli",
    .folder = "bernoulli",
    .summary = "out = 1 with a probability, else 0.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnBernoulliGetWorkspaceSize)>(kContract));

}  // namespace bernoulli

namespace inplace_bernoulli {

enum : int { kSelfRef, kProb, kSeed, kOffset };

inline constexpr contract::Parameter kParameters[] = {
    contract::Output("selfRef", kBernoulliDTypes, "overwritten"),
    contract::Attribute("prob", Kind::kScalar, "of a 1"),
    kSeedParameter,
    kOffsetParameter,
};
inline constexpr contract::Rule kRules[] = {
    contract::ConvertsToFloat("real/prob", kProb, "pass a real scalar"),
    contract::InRange("range/prob", kProb, contract::Between(0, 1), "pass a probability"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceBernoulli",
    .folder = "inplace_bernoulli",
    .summary = "selfRef = 1 with a probability, else 0.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnInplaceBernoulliGetWorkspaceSize)>(kContract));

}  // namespace inplace_bernoulli

namespace randperm {

enum : int { kN, kSeed, kOffset, kOut };

inline constexpr contract::Parameter kParameters[] = {
    contract::Attribute("n", Kind::kInteger, "how many numbers there are"),
    kSeedParameter,
    kOffsetParameter,
    contract::WithShape(contract::Output("out", contract::OnOldAndNew(kOldDTypes, kNewDTypes),
                                         "each number once; one that it has not is converted"),
                        "n"),
};
inline constexpr contract::Rule kRules[] = {
    contract::InRange("range/n", kN, contract::AtLeast(0), "pass the length of out"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnRandperm",
    .folder = "randperm",
    .summary = "out = the numbers 0 to n - 1 in random order.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnRandpermGetWorkspaceSize)>(kContract));

}  // namespace randperm

inline constexpr auto kMaskDTypes = contract::OnAll(contract::DTypes(DType::kUInt8));

inline std::optional<std::string> WrongMask(const Arguments& arguments, int shape, int mask) {
  const IntArrayValue& extents = arguments.Ints(shape);
  int64_t elements = 1;
  bool fits = true;
  for (const int64_t extent : extents) {
    fits = fits && !__builtin_mul_overflow(elements, extent, &elements);
  }
  const TensorDescriptor& out = arguments.Tensor(mask);
  if (fits && out.shape[0] == MaskBytes(elements)) return std::nullopt;
  return Cat("out.shape is ", contract::ShapeText(out), " and shape is ",
             contract::IntsText(extents), "; expected ",
             fits ? Cat("[", MaskBytes(elements), "]") : "fewer elements", ".");
}

namespace dropout_gen_mask {

enum : int { kShape, kProb, kSeed, kOffset, kOut };

inline std::optional<std::string> WrongLength(const Arguments& arguments) {
  return WrongMask(arguments, kShape, kOut);
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Attribute("shape", Kind::kIntArray, "of the tensor that the mask is for"),
    contract::Attribute("prob", Kind::kReal, "of an element to be dropped"),
    kSeedParameter,
    kOffsetParameter,
    contract::WithRank(contract::Output("out", kMaskDTypes,
                                        "a bit for each element, the first one lowest in a byte"),
                       1, 1),
};
inline constexpr contract::Rule kRules[] = {
    contract::InRange("range/shape", kShape, contract::AtLeast(0), "pass a shape"),
    contract::InRange("range/prob", kProb, contract::Between(0, 1), "pass a probability"),
    contract::Custom("shape/out", &WrongLength,
                     "out has a byte for 8 elements, whose number is rounded up to 128",
                     "allocate out with that length"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnDropoutGenMask",
    .folder = "dropout_gen_mask",
    .summary = "out = bits that are 0 with a probability, else 1.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnDropoutGenMaskGetWorkspaceSize)>(kContract));

}  // namespace dropout_gen_mask

namespace dropout_gen_mask_v2 {

enum : int { kShape, kProb, kSeed, kOffset, kProbDataType, kOut };

inline std::optional<std::string> WrongLength(const Arguments& arguments) {
  return WrongMask(arguments, kShape, kOut);
}
inline std::optional<std::string> WrongDType(const Arguments& arguments) {
  const auto dtype = static_cast<DType>(arguments.Integer(kProbDataType));
  const bool is_old = arguments.product() == Product::kInference310P ||
                      arguments.product() == Product::kTraining910;
  const contract::DTypeMask mask = is_old ? contract::kHalfDTypes : contract::kFloatDTypes;
  if (arguments.Integer(kProbDataType) < 64 && contract::Has(mask, dtype)) return std::nullopt;
  return Cat("probDataType is ", NameOf(dtype), "; expected ", contract::Text(mask), ".");
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Attribute("shape", Kind::kIntArray, "of the tensor that the mask is for"),
    contract::Attribute("prob", Kind::kReal, "of an element to be dropped"),
    kSeedParameter,
    kOffsetParameter,
    contract::Attribute("probDataType", Kind::kInteger, "prob is rounded to it"),
    contract::WithRank(contract::Output("out", kMaskDTypes,
                                        "a bit for each element, the first one lowest in a byte"),
                       1, 1),
};
inline constexpr contract::Rule kRules[] = {
    contract::InRange("range/shape", kShape, contract::AtLeast(0), "pass a shape"),
    contract::InRange("range/prob", kProb, contract::Between(0, 1), "pass a probability"),
    contract::Custom("dtype/probDataType", &WrongDType,
                     "probDataType is FLOAT or FLOAT16, on newer chips also BFLOAT16",
                     "pass the dtype of the tensor that the mask is for"),
    contract::Custom("shape/out", &WrongLength,
                     "out has a byte for 8 elements, whose number is rounded up to 128",
                     "allocate out with that length"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnDropoutGenMaskV2",
    .folder = "dropout_gen_mask_v2",
    .summary = "out = bits that are 0 with a probability, else 1.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnDropoutGenMaskV2GetWorkspaceSize)>(kContract));

}  // namespace dropout_gen_mask_v2

namespace dropout_do_mask {

enum : int { kSelf, kMask, kProb, kOut };

inline constexpr auto kDTypes =
    contract::OnOldAndNew(contract::kHalfDTypes, contract::kFloatDTypes);

inline std::optional<std::string> WrongLength(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const TensorDescriptor& mask = arguments.Tensor(kMask);
  return contract::OtherShape("mask", mask, {MaskBytes(self.ElementCount())},
                              Cat("self.shape ", contract::ShapeText(self)));
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kDTypes, "any shape"),
    contract::WithRank(contract::Input("mask", kMaskDTypes, "as aclnnDropoutGenMaskV2 makes it"), 1,
                       1),
    contract::Attribute("prob", Kind::kReal, "with which elements are dropped"),
    contract::MayBe(contract::Output("out", kDTypes, "shape of self"), kSelf),
};
inline constexpr contract::Rule kRules[] = {
    contract::InRange("range/prob", kProb, contract::Between(0, 1), "pass a probability"),
    contract::SameShape("same-shape/out", kOut, kSelf, "allocate out with the shape of self"),
    contract::Custom("shape/mask", &WrongLength,
                     "mask has a byte for 8 elements of self, whose number is rounded up to 128",
                     "pass the mask of a tensor with as many elements"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnDropoutDoMask",
    .folder = "dropout_do_mask",
    .summary = "out = self / (1 - prob) where the bit of mask is 1, else 0.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnDropoutDoMaskGetWorkspaceSize)>(kContract));

}  // namespace dropout_do_mask

}  // namespace aclimb::random
