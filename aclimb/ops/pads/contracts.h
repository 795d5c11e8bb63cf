#pragma once

#include <algorithm>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclimb/copy/storage.h"
#include "aclnnop/aclnn_constant_pad_nd.h"

// Operators that put something around a tensor.
namespace aclimb::pads {

// What is put before and behind a dimension; the pairs begin with the last one.
struct Pair {
  int64_t before = 0;
  int64_t behind = 0;
};
inline Pair PairOf(const std::vector<int64_t>& pads, size_t rank, size_t d) {
  const size_t at = 2 * (rank - 1 - d);
  return at + 1 < pads.size() ? Pair{pads[at], pads[at + 1]} : Pair{};
}

// The shape of self with all added.
inline std::vector<int64_t> ShapeAround(const TensorDescriptor& self,
                                        const std::vector<int64_t>& pads) {
  std::vector<int64_t> shape = self.shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    const Pair pair = PairOf(pads, shape.size(), d);
    if (__builtin_add_overflow(shape[d], pair.before, &shape[d]) ||
        __builtin_add_overflow(shape[d], pair.behind, &shape[d])) {
      shape[d] = pair.before < 0 && pair.behind < 0 ? -1 : contract::kOverflows;
    }
  }
  return shape;
}

// For predicates of rules: what is wrong with a tensor that has to have the shape of self with
// `pads` added.
inline std::optional<std::string> OtherShapeAround(const char* name, const TensorDescriptor& tensor,
                                                   const TensorDescriptor& self,
                                                   const char* pads_name,
                                                   const IntArrayValue& pads) {
  return contract::OtherShape(name, tensor, ShapeAround(self, pads),
                              Cat("self.shape ", contract::ShapeText(self), " and ", pads_name, " ",
                                  contract::IntsText(pads)));
}

namespace constant {

enum : int { kSelf, kPad, kValue, kOut };

inline std::optional<std::string> OtherCount(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const IntArrayValue& pad = arguments.Ints(kPad);
  if (pad.size() % 2 == 0 && pad.size() <= 2 * self.shape.size()) return std::nullopt;
  return Cat("pad is ", contract::IntsText(pad), " but self.shape is ", contract::ShapeText(self),
             "; expected pairs of numbers, one for each dimension at most.");
}
inline std::optional<std::string> OtherValue(const contract::Arguments& arguments) {
  const DType self = arguments.Tensor(kSelf).dtype;
  const DType value = arguments.Scalar(kValue).dtype;
  const bool fits =
      IsComplex(value) ? IsComplex(self) && value != DType::kComplex32 : StorageIndex(value) >= 0;
  if (fits) return std::nullopt;
  return Cat("value is ", arguments.Scalar(kValue).Text(), " and self.dtype is ", NameOf(self),
             "; expected a value that converts to that dtype.");
}
inline std::optional<std::string> CutOff(const contract::Arguments& arguments) {
  const TensorDescriptor& self = arguments.Tensor(kSelf);
  const IntArrayValue& pad = arguments.Ints(kPad);
  for (size_t d = 0; d < self.shape.size(); ++d) {
    const Pair pair = PairOf(pad, self.shape.size(), d);
    const int64_t rest =
        self.shape[d] + std::max(-self.shape[d] - 1, std::min<int64_t>(0, pair.before));
    if (rest >= 0 && rest + std::max(-rest - 1, std::min<int64_t>(0, pair.behind)) >= 0) continue;
    return Cat("pad is ", contract::IntsText(pad), " but self.shape is ", contract::ShapeText(self),
               "; expected no more to be cut off than there is.");
  }
  return std::nullopt;
}
inline std::optional<std::string> WrongShape(const contract::Arguments& arguments) {
  return OtherShapeAround("out", arguments.Tensor(kOut), arguments.Tensor(kSelf), "pad",
                          arguments.Ints(kPad));
}

inline constexpr auto kTypes = contract::AndBFloat16(
    DType::kFloat32, DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt16, DType::kInt32,
    DType::kInt64, DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64, DType::kBool,
    DType::kComplex64, DType::kComplex128);
inline constexpr contract::Parameter kParameters[] = {
    contract::Input("self", kTypes, "any shape"),
    contract::Attribute("pad", contract::Kind::kIntArray,
                        "pairs of what is put before and behind, the last dimension first"),
    contract::Attribute("value", contract::Kind::kScalar, "what is put around self"),
    contract::Output("out", kTypes, "the shape of self with pad added")};
inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kSelf, "allocate out with the dtype of self"),
    contract::Custom("converts/value", &OtherValue, "value is real unless self is complex",
                     "pass a real scalar"),
    contract::InDType("in-dtype/value", kValue, kSelf, "pass a number that the dtype of self has"),
    contract::Custom("count/pad", &OtherCount, "pad has pairs for dimensions of self",
                     "pass two numbers for each dimension from the last on"),
    contract::Custom("cut-off/pad", &CutOff, "what pad cuts off is there in self",
                     "pass numbers that leave 0 or more of each dimension"),
    contract::Custom("shape/out", &WrongShape, "out has the shape of self with pad added",
                     "allocate out with that shape"),
};
inline constexpr contract::Contract kContract = {
    .function = "aclnnConstantPadNd",
    .folder = "constant_pad_nd",
    .summary = "Constant padding: out = self with a number around it.",
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnConstantPadNdGetWorkspaceSize)>(kContract));

}  // namespace constant

}  // namespace aclimb::pads
