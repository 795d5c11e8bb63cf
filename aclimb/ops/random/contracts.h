#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclnnop/aclnn_bernoulli.h"
#include "aclnnop/aclnn_dropout_do_mask.h"
#include "aclnnop/aclnn_dropout_gen_mask.h"
#include "aclnnop/aclnn_dropout_gen_mask_v2.h"
#include "aclnnop/aclnn_multinomial.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_normal_out.h"
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

// In place of both, on the newest chips alone. One element each; one of 64 bits is what it is.
inline constexpr auto kSourceDTypes =
    contract::OnAll(contract::DTypes(DType::kInt64, DType::kUInt64));
inline constexpr contract::Parameter kSeedTensor = contract::WithShape(
    contract::Input("seedTensor", kSourceDTypes, "its element chooses the numbers"), "1");
inline constexpr contract::Parameter kOffsetTensor = contract::WithShape(
    contract::Input("offsetTensor", kSourceDTypes, "its element and offset choose others"), "1");
inline constexpr contract::Parameter kAddedOffset =
    contract::Attribute("offset", Kind::kInteger, "added to that of offsetTensor");
inline constexpr auto kNewest = static_cast<uint8_t>(
    kAllProducts & ~(Bit(Product::kInference310P) | Bit(Product::kTraining910)));

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
    .summary = "selfRef = random numbers of the normal distribution.",
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
    .summary = "selfRef = random numbers of the uniform distribution from `from` up to `to`.",
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
    .summary = "selfRef = random whole numbers from `from` to `to` - 1, all equally likely.",
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
    .summary = "Bernoulli distribution: out = 1 with a probability, else 0.",
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
    .summary = "Bernoulli distribution, in place: selfRef = 1 with a probability, else 0.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnInplaceBernoulliGetWorkspaceSize)>(kContract));

}  // namespace inplace_bernoulli

namespace randperm {

enum : int { kN, kSeed, kOffset, kOut };

// Up to which number a dtype has every whole one.
constexpr double LastOfAllWhole(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return 0x1p11;
    case DType::kBFloat16:
      return 0x1p8;
    case DType::kFloat32:
      return 0x1p24;
    case DType::kFloat64:
      return 0x1p53;
    default:
      return LimitsOf(dtype).most;
  }
}

inline std::optional<std::string> TooMany(const Arguments& arguments) {
  const int64_t n = arguments.Integer(kN);
  const DType dtype = arguments.Tensor(kOut).dtype;
  const double last = LastOfAllWhole(dtype);
  if (static_cast<double>(n - 1) <= last) return std::nullopt;
  return Cat("n is ", n, " and out.dtype is ", NameOf(dtype),
             ", which has each whole number up to ", static_cast<int64_t>(last),
             "; expected n up to ", static_cast<int64_t>(last) + 1, ".");
}

inline constexpr contract::Parameter kParameters[] = {
    contract::Attribute("n", Kind::kInteger, "how many numbers there are"),
    kSeedParameter,
    kOffsetParameter,
    contract::WithShape(
        contract::Output("out", contract::OnOldAndNew(kOldDTypes, kNewDTypes), "each number once"),
        "n"),
};
inline constexpr contract::Rule kRules[] = {
    contract::InRange("range/n", kN, contract::AtLeast(0), "pass the length of out"),
    contract::Custom("range/n-of-dtype", &TooMany, "out's dtype has each number from 0 to n - 1",
                     "allocate out with a wider dtype"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnRandperm",
    .folder = "randperm",
    .summary = "A random permutation: out = the numbers 0 to n - 1 in random order.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnRandpermGetWorkspaceSize)>(kContract));

}  // namespace randperm

inline constexpr auto kMaskDTypes = contract::OnAll(contract::DTypes(DType::kUInt8));

// How many elements a shape has, or kOverflows.
inline int64_t ElementsOf(const IntArrayValue& shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  int64_t elements = 1;
  for (const int64_t extent : shape) elements = contract::ExtentTimes(elements, extent);
  return elements;
}

inline std::optional<std::string> WrongMask(const Arguments& arguments, int shape, int mask) {
  const IntArrayValue& extents = arguments.Ints(shape);
  const int64_t elements = ElementsOf(extents);
  const bool fits = elements != contract::kOverflows;
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
    .summary = "A dropout mask: out = bits that are 0 with a probability, else 1.",
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
    .summary = "A dropout mask: out = bits that are 0 with a probability, else 1.",
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
    .summary = "Dropout by a mask: out = self / (1 - prob) where the bit of mask is 1, else 0.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnDropoutDoMaskGetWorkspaceSize)>(kContract));

}  // namespace dropout_do_mask

// ---- With seed and offset in tensors

namespace inplace_normal_tensor {
inline constexpr contract::Parameter kParameters[] = {inplace_normal::kParameters[0],
                                                      inplace_normal::kParameters[1],
                                                      inplace_normal::kParameters[2],
                                                      kSeedTensor,
                                                      kOffsetTensor,
                                                      kAddedOffset};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceNormalTensor",
    .folder = "inplace_normal_tensor",
    .summary = "selfRef = random numbers of the normal distribution, by a seed on the device.",
    .products = kNewest,
    .parameters = kParameters,
    .rules = inplace_normal::kRules,
};
static_assert(contract::Matches<decltype(aclnnInplaceNormalTensorGetWorkspaceSize)>(kContract));
}  // namespace inplace_normal_tensor

namespace inplace_uniform_tensor {
inline constexpr contract::Parameter kParameters[] = {inplace_uniform::kParameters[0],
                                                      inplace_uniform::kParameters[1],
                                                      inplace_uniform::kParameters[2],
                                                      kSeedTensor,
                                                      kOffsetTensor,
                                                      kAddedOffset};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceUniformTensor",
    .folder = "inplace_uniform_tensor",
    .summary =
        "selfRef = random numbers of the uniform distribution from `from` up to `to`, by a seed on "
        "the device.",
    .products = kNewest,
    .parameters = kParameters,
    .rules = inplace_uniform::kRules,
};
static_assert(contract::Matches<decltype(aclnnInplaceUniformTensorGetWorkspaceSize)>(kContract));
}  // namespace inplace_uniform_tensor

namespace inplace_random_tensor {
inline constexpr contract::Parameter kParameters[] = {inplace_random::kParameters[0],
                                                      inplace_random::kParameters[1],
                                                      inplace_random::kParameters[2],
                                                      kSeedTensor,
                                                      kOffsetTensor,
                                                      kAddedOffset};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceRandomTensor",
    .folder = "inplace_random_tensor",
    .summary =
        "selfRef = random whole numbers from `from` to `to` - 1, all equally likely, by a seed on "
        "the device.",
    .products = kNewest,
    .parameters = kParameters,
    .rules = inplace_random::kRules,
};
static_assert(contract::Matches<decltype(aclnnInplaceRandomTensorGetWorkspaceSize)>(kContract));
}  // namespace inplace_random_tensor

// ---- With a number of each element in tensors

inline constexpr auto kProbabilities =
    contract::OnOldAndNew(contract::kHalfDTypes | contract::DTypes(DType::kFloat64),
                          contract::kFloatDTypes | contract::DTypes(DType::kFloat64));

// Why a run fails (507015) that meets another number in prob.
inline constexpr const char* kNoProbability =
    "a number of prob is below 0, above 1 or NaN; expected probabilities from 0 to 1.";

namespace bernoulli_tensor {
enum : int { kSelf, kProb, kSeed, kOffset, kOut };
inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kBernoulliDTypes, "its shape alone matters"),
    contract::Input("prob", kProbabilities,
                    "the probability of a 1, from 0 to 1, or the run fails (507015); broadcasts to "
                    "self"),
    kSeedParameter,
    kOffsetParameter,
    contract::Output("out", kBernoulliDTypes, "shape of self"),
};
inline constexpr contract::Rule kRules[] = {
    contract::SameShape("same-shape/out", kOut, kSelf, "allocate out with the shape of self"),
    contract::Broadcasts("broadcasts/prob", kOut, kProb,
                         "pass a probability for each element, or one that broadcasts"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnBernoulliTensor",
    .folder = "bernoulli_tensor",
    .summary = "Bernoulli distribution: out = 1 with the probability in prob, else 0.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnBernoulliTensorGetWorkspaceSize)>(kContract));
}  // namespace bernoulli_tensor

namespace inplace_bernoulli_tensor {
enum : int { kSelfRef, kProb, kSeed, kOffset };
inline constexpr contract::Parameter kParameters[] = {
    contract::Output("selfRef", kBernoulliDTypes, "overwritten"),
    contract::Input("prob", kProbabilities,
                    "the probability of a 1, from 0 to 1, or the run fails (507015); broadcasts to "
                    "selfRef"),
    kSeedParameter,
    kOffsetParameter,
};
inline constexpr contract::Rule kRules[] = {
    contract::Broadcasts("broadcasts/prob", kSelfRef, kProb,
                         "pass a probability for each element, or one that broadcasts"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnInplaceBernoulliTensor",
    .folder = "inplace_bernoulli_tensor",
    .summary = "selfRef = 1 with the probability in prob, else 0.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnInplaceBernoulliTensorGetWorkspaceSize)>(kContract));
}  // namespace inplace_bernoulli_tensor

// Why a run fails (507015) that meets another number in std.
inline constexpr const char* kNegativeStd =
    "a number of std is negative or NaN; expected standard deviations of 0 or more.";

// Positions of the four functions that follow.
struct NormalOut {
  enum : int { kMean, kStd, kSeed, kOffset, kOut };
};
inline constexpr auto kNormalFloats =
    contract::OnAll(contract::kHalfDTypes | contract::DTypes(DType::kFloat64));
inline constexpr contract::Parameter kMeanNumber =
    contract::Attribute("mean", Kind::kReal, "of the distribution");
inline constexpr contract::Parameter kMeanTensor =
    contract::Input("mean", kNormalFloats, "of the distribution of each element");
inline constexpr contract::Parameter kStdNumber =
    contract::Attribute("std", Kind::kReal, "its standard deviation");
inline constexpr contract::Parameter kStdTensor =
    contract::Input("std", kNormalFloats,
                    "the standard deviation of each element, 0 or more, or the run fails (507015)");
inline constexpr contract::Parameter kNormalOut =
    contract::Output("out", kNormalFloats, "the numbers");
inline constexpr contract::Rule kStdNotNegative =
    contract::InRange("range/std", NormalOut::kStd, contract::AtLeast(0), "pass 0 or more");

namespace normal_float_float {
inline constexpr contract::Parameter kParameters[] = {kMeanNumber, kStdNumber, kSeedParameter,
                                                      kOffsetParameter, kNormalOut};
inline constexpr contract::Rule kRules[] = {kStdNotNegative};
inline constexpr contract::Contract kContract = {
    .function = "aclnnNormalFloatFloat",
    .folder = "normal_float_float",
    .summary = "out = random numbers of the normal distribution.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnNormalFloatFloatGetWorkspaceSize)>(kContract));
}  // namespace normal_float_float

namespace normal_tensor_float {
inline constexpr contract::Parameter kParameters[] = {kMeanTensor, kStdNumber, kSeedParameter,
                                                      kOffsetParameter, kNormalOut};
inline constexpr contract::Rule kRules[] = {
    kStdNotNegative, contract::SameShape("same-shape/out", NormalOut::kOut, NormalOut::kMean,
                                         "allocate out with the shape of mean")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnNormalTensorFloat",
    .folder = "normal_tensor_float",
    .summary = "out = random numbers of the normal distribution around mean.",
    .products = kNot310P,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnNormalTensorFloatGetWorkspaceSize)>(kContract));
}  // namespace normal_tensor_float

namespace normal_float_tensor {
inline constexpr contract::Parameter kParameters[] = {kMeanNumber, kStdTensor, kSeedParameter,
                                                      kOffsetParameter, kNormalOut};
inline constexpr contract::Rule kRules[] = {contract::SameShape(
    "same-shape/out", NormalOut::kOut, NormalOut::kStd, "allocate out with the shape of std")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnNormalFloatTensor",
    .folder = "normal_float_tensor",
    .summary = "out = random numbers of normal distributions with the standard deviations in std.",
    .products = kNot310P,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnNormalFloatTensorGetWorkspaceSize)>(kContract));
}  // namespace normal_float_tensor

namespace normal_tensor_tensor {
inline constexpr contract::Parameter kParameters[] = {kMeanTensor, kStdTensor, kSeedParameter,
                                                      kOffsetParameter, kNormalOut};
inline constexpr contract::Rule kRules[] = {
    contract::Broadcasts("broadcasts/out", NormalOut::kOut, NormalOut::kMean, NormalOut::kStd,
                         "allocate out with the shape that mean and std broadcast to")};
inline constexpr contract::Contract kContract = {
    .function = "aclnnNormalTensorTensor",
    .folder = "normal_tensor_tensor",
    .summary =
        "out = random numbers of normal distributions around mean with the standard deviations in "
        "std.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnNormalTensorTensorGetWorkspaceSize)>(kContract));
}  // namespace normal_tensor_tensor

// ---- Categories by their weights

namespace multinomial {

enum : int { kSelf, kNumSamples, kReplacement, kSeed, kOffset, kOut };

inline constexpr int64_t kMostCategories = int64_t{1} << 24;
// Why a run fails (507015) that meets such weights.
inline constexpr const char* kNoWeights =
    "a weight of self is negative, infinite or NaN, or all weights of a row are 0; expected finite "
    "ones of which one in each row is above 0.";

inline std::optional<std::string> WrongCount(const Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const int64_t samples = arguments.Integer(kNumSamples), categories = self.shape.back();
  const bool replacement = arguments.Bool(kReplacement);
  if (categories > 0 && categories <= kMostCategories && samples > 0 &&
      (replacement || samples <= categories)) {
    return std::nullopt;
  }
  return Cat("numSamples is ", samples, ", replacement is ", replacement, " and self.shape is ",
             contract::ShapeText(self), "; expected 1 to 2^24 categories, and numSamples from 1",
             replacement ? " on." : " to their number.");
}

inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(
        contract::WithShape(
            contract::Input(
                "self", kProbabilities,
                "weights of categories, of each row its own: finite numbers of 0 or more, "
                "not all 0, or the run fails (507015)"),
            "R... C"),
        1, 2),
    contract::Attribute("numSamples", Kind::kInteger, "how many categories are drawn"),
    contract::Attribute("replacement", Kind::kBool, "whether one may be drawn again"),
    kSeedParameter,
    kOffsetParameter,
    contract::WithRank(contract::WithShape(
                           contract::Output("out", contract::OnAll(contract::DTypes(DType::kInt64)),
                                            "numbers of categories"),
                           "R... numSamples"),
                       1, 2),
};
inline constexpr contract::Rule kRules[] = {
    contract::Custom("range/numSamples", &WrongCount,
                     "there are 1 to 2^24 categories in self, and numSamples is 1 or more, without "
                     "replacement no more than there are categories",
                     "draw no more than there are"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnMultinomial",
    .folder = "multinomial",
    .summary =
        "Multinomial distribution: out = categories that are drawn at random by their weights.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnMultinomialGetWorkspaceSize)>(kContract));

}  // namespace multinomial

}  // namespace aclimb::random
