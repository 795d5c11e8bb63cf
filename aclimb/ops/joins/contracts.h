#pragma once

#include <algorithm>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/promotion.h"
#include "aclimb/contract/signature.h"
#include "aclimb/contract/told.h"
#include "aclimb/core/dimensions.h"
#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_split_tensor.h"
#include "aclnnop/aclnn_split_with_size.h"
#include "aclnnop/aclnn_stack.h"

// Tensors joined along a dimension, and split again.
namespace aclimb::joins {

inline constexpr auto kCatTypes = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt16, DType::kInt32,
    DType::kInt64, DType::kUInt8, DType::kBool, DType::kComplex64);
inline constexpr auto kStackTypes = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt16, DType::kInt32,
    DType::kInt64, DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64, DType::kBool,
    DType::kComplex64, DType::kComplex128);
inline constexpr auto kSplitTypes = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt16, DType::kInt32,
    DType::kInt64, DType::kUInt8, DType::kBool, DType::kComplex64, DType::kComplex128);

// ---- Cat and Stack

namespace join {

enum : int { kTensors, kDim, kOut };

inline std::string Told(const contract::Arguments& arguments, size_t element) {
  return contract::DTypeTold(Cat("tensors[", element, "]"), arguments.Tensor(kTensors, element));
}

inline std::optional<std::string> NoCommonDType(const contract::Arguments& arguments) {
  DType common = arguments.Tensor(kTensors, 0).dtype;
  size_t leader = 0;  // the last one that changed it
  for (size_t i = 1; i < arguments.ElementCount(kTensors); ++i) {
    const std::optional<DType> promoted =
        contract::PromoteTensors(common, arguments.Tensor(kTensors, i).dtype);
    if (!promoted) {
      return Cat(
          Told(arguments, i), " but ", Told(arguments, leader),
          leader == 0 ? std::string() : Cat(" and with those before promotes to ", NameOf(common)),
          "; expected dtypes that promote to a common one.");
    }
    if (*promoted != common) leader = i;
    common = *promoted;
  }
  const TensorDescriptor& out = arguments.Tensor(kOut);
  if (contract::ResultConverts(common, out.dtype)) return std::nullopt;
  return Cat(contract::DTypeTold("out", out), " but ", Told(arguments, leader),
             " and all promote to ", NameOf(common), "; expected an output dtype that ",
             NameOf(common), " converts to.");
}

}  // namespace join

namespace cat {

using namespace join;  // NOLINT: the positions

inline std::optional<std::string> OtherShapes(const contract::Arguments& arguments) {
  const TensorDescriptor& first = arguments.Tensor(kTensors, 0);
  const size_t dim = WrapDimension(arguments.Integer(kDim), first.rank());
  for (size_t i = 1; i < arguments.ElementCount(kTensors); ++i) {
    const TensorDescriptor& next = arguments.Tensor(kTensors, i);
    std::vector<int64_t> expected = first.shape;
    if (next.shape.size() == expected.size()) expected[dim] = next.shape[dim];
    if (next.shape == expected) continue;
    return Cat("tensors[", i, "].shape is ", contract::ShapeText(next), " but tensors[0].shape is ",
               contract::ShapeText(first), " and dim is ", arguments.Integer(kDim),
               "; expected equal shapes but for that dimension.");
  }
  return std::nullopt;
}
inline std::optional<std::string> WrongShape(const contract::Arguments& arguments) {
  const TensorDescriptor& first = arguments.Tensor(kTensors, 0);
  const size_t dim = WrapDimension(arguments.Integer(kDim), first.rank());
  std::vector<int64_t> expected = first.shape;
  for (size_t i = 1; i < arguments.ElementCount(kTensors); ++i) {
    if (__builtin_add_overflow(expected[dim], arguments.Tensor(kTensors, i).shape[dim],
                               &expected[dim])) {
      expected[dim] = contract::kOverflows;
      break;
    }
  }
  return contract::OtherShape(
      "out", arguments.Tensor(kOut), expected,
      Cat("tensors[0].shape ", contract::ShapeText(first), ", ", arguments.ElementCount(kTensors),
          " tensors and dim ", arguments.Integer(kDim)));
}

inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(contract::ListOf(contract::Input("tensors", kCatTypes,
                                                        "equally shaped but for dimension dim")),
                       1, 8),
    contract::Attribute("dim", contract::Kind::kInteger, "along which they are joined"),
    contract::WithRank(contract::Output("out", kCatTypes, "as long as all of them together"), 1, 8),
};
inline constexpr contract::Rule kRules[] = {
    contract::Count("count/tensors", kTensors, contract::AtLeast(1), "pass one tensor or more"),
    contract::InRange("range/dim", kDim, contract::DimensionOf(kTensors),
                      "pass a dimension of the tensors"),
    contract::Custom(
        "promotes/tensors", &NoCommonDType,
        "tensors have dtypes that promote to one, which converts to that of out",
        "give tensors dtypes that promote to one, and out that one, or a dtype it converts to"),
    contract::Custom("shape/tensors", &OtherShapes,
                     "tensors have equal shapes but for dimension dim",
                     "pass as dim the one dimension in which the tensors differ"),
    contract::Custom("shape/out", &WrongShape,
                     "out has the shape of tensors, as long in dimension dim as all together",
                     "allocate out with that shape"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnCat",
    .folder = "cat",
    .summary = "out = the tensors one after another along a dimension.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnCatGetWorkspaceSize)>(kContract));

}  // namespace cat

namespace stack {

using namespace join;  // NOLINT: the positions

inline std::optional<std::string> WrongShape(const contract::Arguments& arguments) {
  const TensorDescriptor& first = arguments.Tensor(kTensors, 0);
  std::vector<int64_t> expected = first.shape;
  const size_t dim = WrapDimension(arguments.Integer(kDim), first.rank() + 1);
  expected.insert(expected.begin() + static_cast<ptrdiff_t>(dim),
                  static_cast<int64_t>(arguments.ElementCount(kTensors)));
  return contract::OtherShape(
      "out", arguments.Tensor(kOut), expected,
      Cat("tensors[0].shape ", contract::ShapeText(first), ", ", arguments.ElementCount(kTensors),
          " tensors and dim ", arguments.Integer(kDim)));
}

inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(contract::ListOf(contract::Input("tensors", kStackTypes, "equally shaped")),
                       0, 7),
    contract::Attribute("dim", contract::Kind::kInteger, "of out, in which they follow each other"),
    contract::WithRank(contract::Output("out", kStackTypes, "a dimension more than each of them"),
                       1, 8),
};
inline constexpr contract::Rule kRules[] = {
    contract::Count("count/tensors", kTensors, contract::AtLeast(1), "pass one tensor or more"),
    contract::InRange("range/dim", kDim, contract::NewDimensionOf(kTensors),
                      "pass a dimension of out"),
    contract::Custom(
        "promotes/tensors", &NoCommonDType,
        "tensors have dtypes that promote to one, which converts to that of out",
        "give tensors dtypes that promote to one, and out that one, or a dtype it converts to"),
    contract::SameShape("same-shape/tensors", kTensors, kTensors, "stack tensors of equal shapes"),
    contract::Custom("shape/out", &WrongShape,
                     "out has the shape of tensors, with their number inserted at dimension dim",
                     "allocate out with that shape"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnStack",
    .folder = "stack",
    .summary = "out = the tensors one after another along a new dimension.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnStackGetWorkspaceSize)>(kContract));

}  // namespace stack

// ---- SplitTensor and SplitWithSize

namespace split {
enum : int { kSelf, kSizes, kDim, kOut };
}

// What is wrong with the parts, of which part i has the length length(i).
template <typename Length>
std::optional<std::string> OtherParts(const contract::Arguments& arguments, int64_t parts,
                                      const std::string& sizes, Length length) {
  const TensorDescriptor& self = arguments.Tensor(split::kSelf);
  const size_t dim = WrapDimension(arguments.Integer(split::kDim), self.rank());
  const std::string reason = Cat("self.shape ", contract::ShapeText(self), ", ", sizes, " and dim ",
                                 arguments.Integer(split::kDim));
  const size_t count = arguments.ElementCount(split::kOut);
  if (static_cast<int64_t>(count) != parts) {
    return Cat("out has ", count, count == 1 ? " tensor" : " tensors", "; expected ", parts,
               " from ", reason, ".");
  }
  for (size_t i = 0; i < count; ++i) {
    std::vector<int64_t> expected = self.shape;
    expected[dim] = length(i);
    auto wrong = contract::OtherShape(Cat("out[", i, "]").c_str(), arguments.Tensor(split::kOut, i),
                                      expected, reason);
    if (wrong) return wrong;
  }
  return std::nullopt;
}

inline constexpr contract::Parameter kSplitSelf =
    contract::WithRank(contract::Input("self", kSplitTypes, "rank of 1 or more"), 1, 8);
inline constexpr contract::Parameter kSplitDim =
    contract::Attribute("dim", contract::Kind::kInteger, "along which self is split");
inline constexpr contract::Parameter kSplitOut = contract::WithRank(
    contract::ListOf(contract::Output("out", kSplitTypes, "the parts in order")), 1, 8);

namespace split_tensor {

using namespace split;  // NOLINT: the positions

inline std::optional<std::string> NoLength(const contract::Arguments& arguments) {
  if (arguments.Integer(kSizes) != 0) return std::nullopt;
  return std::string("splitSections is 0; expected the length of a part, at least 1.");
}
inline std::optional<std::string> WrongParts(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const int64_t length = self.shape[WrapDimension(arguments.Integer(kDim), self.rank())];
  // A part is not longer than all.
  const auto section = static_cast<uint64_t>(arguments.Integer(kSizes));
  const auto most =
      static_cast<int64_t>(std::min(section, static_cast<uint64_t>(std::max<int64_t>(1, length))));
  // One part without elements, if there are none.
  const int64_t parts = std::max<int64_t>(1, length / most + (length % most != 0 ? 1 : 0));
  return OtherParts(arguments, parts, Cat("splitSections ", section), [&](size_t i) {
    return std::min(most, length - static_cast<int64_t>(i) * most);
  });
}

inline constexpr contract::Parameter kParameters[] = {
    kSplitSelf,
    contract::Attribute("splitSections", contract::Kind::kInteger,
                        "how long a part is; the last one may be shorter"),
    kSplitDim, kSplitOut};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::InRange("range/dim", kDim, contract::DimensionOf(kSelf), "pass a dimension of self"),
    contract::Custom("above-0/splitSections", &NoLength, "splitSections is above 0",
                     "pass the length of a part"),
    contract::Custom("shape/out", &WrongParts,
                     "out has the parts of self of splitSections along dim",
                     "allocate as many tensors with that shape"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnSplitTensor",
    .folder = "split_tensor",
    .summary = "out[i] = part i of self along a dimension, in parts of equal length.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnSplitTensorGetWorkspaceSize)>(kContract));

}  // namespace split_tensor

namespace split_with_size {

using namespace split;  // NOLINT: the positions

inline std::optional<std::string> OtherSum(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const IntArrayValue& sizes = arguments.Ints(kSizes);
  int64_t rest = self.shape[WrapDimension(arguments.Integer(kDim), self.rank())];
  for (const int64_t size : sizes) rest = rest < size ? -1 : rest - size;
  if (rest == 0) return std::nullopt;
  return Cat("splitSize is ", contract::IntsText(sizes), " but self.shape is ",
             contract::ShapeText(self), " and dim is ", arguments.Integer(kDim),
             "; expected sizes whose sum is that dimension.");
}
inline std::optional<std::string> WrongParts(const contract::Arguments& arguments) {
  const IntArrayValue& sizes = arguments.Ints(kSizes);
  return OtherParts(arguments, static_cast<int64_t>(sizes.size()),
                    Cat("splitSize ", contract::IntsText(sizes)),
                    [&](size_t i) { return sizes[i]; });
}

inline constexpr contract::Parameter kParameters[] = {
    kSplitSelf,
    contract::Attribute("splitSize", contract::Kind::kIntArray, "how long each part is"), kSplitDim,
    kSplitOut};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::InRange("range/splitSize", kSizes, contract::AtLeast(0), "pass lengths"),
    contract::InRange("range/dim", kDim, contract::DimensionOf(kSelf), "pass a dimension of self"),
    contract::Custom("sum/splitSize", &OtherSum, "splitSize adds up to dimension dim of self",
                     "pass lengths that cover self"),
    contract::Custom("shape/out", &WrongParts, "out has the parts of self of splitSize along dim",
                     "allocate as many tensors with that shape"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnSplitWithSize",
    .folder = "split_with_size",
    .summary = "out[i] = part i of self along a dimension, in parts of given lengths.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnSplitWithSizeGetWorkspaceSize)>(kContract));

}  // namespace split_with_size

}  // namespace aclimb::joins
