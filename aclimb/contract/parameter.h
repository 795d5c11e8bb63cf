#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "aclimb/contract/arguments.h"
#include "aclimb/contract/shape_pattern.h"
#include "aclimb/core/dtype.h"
#include "aclimb/core/product.h"

namespace aclimb::contract {

// ---- Sets of dtypes and formats, as bit masks
// ----------------------------------------------------

using DTypeMask = uint64_t;

template <typename... T>
constexpr DTypeMask DTypes(T... dtype) {
  return ((DTypeMask{1} << static_cast<int>(dtype)) | ... | DTypeMask{0});
}
constexpr bool Has(DTypeMask mask, DType dtype) {
  return static_cast<int>(dtype) >= 0 && (mask >> static_cast<int>(dtype) & 1) != 0;
}
// The dtypes that the operators compute with: on the older chips, and on those that have bfloat16.
inline constexpr DTypeMask kHalfDTypes = DTypes(DType::kFloat32, DType::kFloat16);
inline constexpr DTypeMask kFloatDTypes =
    DTypes(DType::kFloat32, DType::kFloat16, DType::kBFloat16);
std::string Text(DTypeMask mask);  // "FLOAT, FLOAT16 or BFLOAT16"

// What one product accepts; an empty mask means that the product does not have the operator.
struct ProductDTypes {
  DTypeMask of[kProductCount] = {};
  constexpr DTypeMask operator[](Product product) const { return of[static_cast<int>(product)]; }
};
constexpr ProductDTypes OnAll(DTypeMask mask) { return {{mask, mask, mask, mask, mask}}; }
// The older chips (310P, 910) and the newer ones (A2, A3, 950) differ, most often by BFLOAT16.
constexpr ProductDTypes OnOldAndNew(DTypeMask old_chips, DTypeMask new_chips) {
  return {{old_chips, old_chips, new_chips, new_chips, new_chips}};
}
// The dtypes on all of them, and BFLOAT16 on those that have it.
template <typename... T>
constexpr ProductDTypes AndBFloat16(T... dtype) {
  return OnOldAndNew(DTypes(dtype...), DTypes(dtype..., DType::kBFloat16));
}

// aclFormat values as a mask. Blocked formats are never accepted.
using FormatMask = uint64_t;
inline constexpr int kNchw = 0, kNhwc = 1, kNd = 2, kHwcn = 16, kNdhwc = 27, kNcdhw = 30, kNc = 35,
                     kNcl = 47;
template <typename... T>
constexpr FormatMask Formats(T... format) {
  return ((FormatMask{1} << format) | ... | FormatMask{0});
}
inline constexpr FormatMask kPlainFormats =
    Formats(kNchw, kNhwc, kNd, kHwcn, kNdhwc, kNcdhw, kNc, kNcl);
std::string FormatText(int32_t format);    // "NCHW", "FRACTAL_NZ", "format 99"
std::string FormatsText(FormatMask mask);  // "NCHW or ND"

// ---- Parameters
// ----------------------------------------------------------------------------------

enum class Role : uint8_t { kInput, kOutput, kInOut, kAttribute };

constexpr bool IsRead(Role role) { return role == Role::kInput || role == Role::kInOut; }
constexpr bool IsWritten(Role role) { return role == Role::kOutput || role == Role::kInOut; }

const char* KindName(Kind kind);  // "tensor", "int array"
const char* RoleName(Role role);  // "in", "out", "in and out", "attribute"

// One parameter. What is said of a tensor holds for each tensor of a list.
struct Parameter {
  const char* name = "";  // exactly as in the header
  Kind kind = Kind::kTensor;
  Role role = Role::kInput;
  bool optional = false;         // null is allowed
  bool empty_is_absent = false;  // a tensor without elements counts as null
  ProductDTypes dtypes = {};     // tensors; all masks empty = checked by a rule instead
  FormatMask formats = kPlainFormats;
  int min_rank = 0;
  int max_rank = 8;
  const char* shape = nullptr;  // a pattern (shape_pattern.h), or null for any
  const char* shape_fix = "";   // what to do about another shape; empty: create it with this one
  uint64_t may_be = 0;          // outputs: the inputs whose view it may be, a bit each (MayBe)
  bool written_early = false;   // outputs: before all inputs are read (WrittenEarly)
  bool left_alone = false;      // outputs: no call writes it (LeftAlone)
  const char* doc = "";         // meaning, for the operator's page

  constexpr bool HasShape() const { return shape != nullptr; }
  constexpr bool MayBe(int input) const { return (may_be >> input & 1) != 0; }
  constexpr ShapePattern Shape() const { return ShapePattern(shape); }
};

constexpr Parameter Input(const char* name, ProductDTypes dtypes, const char* doc) {
  return {.name = name, .role = Role::kInput, .dtypes = dtypes, .doc = doc};
}
constexpr Parameter Output(const char* name, ProductDTypes dtypes, const char* doc) {
  return {.name = name, .role = Role::kOutput, .dtypes = dtypes, .doc = doc};
}
// A tensor that is read and overwritten, as selfRef of the functions that work in place.
constexpr Parameter InOut(const char* name, ProductDTypes dtypes, const char* doc) {
  return {.name = name, .role = Role::kInOut, .dtypes = dtypes, .doc = doc};
}
// The tensor parameter as an aclTensorList.
constexpr Parameter ListOf(Parameter parameter) {
  parameter.kind = Kind::kTensorList;
  return parameter;
}
constexpr Parameter Attribute(const char* name, Kind kind, const char* doc) {
  return {.name = name, .kind = kind, .role = Role::kAttribute, .doc = doc};
}
constexpr Parameter Optional(Parameter parameter) {
  parameter.optional = true;
  return parameter;
}
constexpr Parameter EmptyIsAbsent(Parameter parameter) {
  parameter.empty_is_absent = true;
  return parameter;
}
constexpr Parameter WithRank(Parameter parameter, int min_rank, int max_rank) {
  parameter.min_rank = min_rank;
  parameter.max_rank = max_rank;
  return parameter;
}
constexpr Parameter WithFormats(Parameter parameter, FormatMask formats) {
  parameter.formats = formats;
  return parameter;
}

// An output that the interface reserves: it stays as it is.
constexpr Parameter LeftAlone(Parameter output) {
  output.left_alone = true;
  return output;
}

// An output that may be given the memory and the view of one of these inputs, since each element is
// read before it is written: the operator works in place. A tensor of a list may be the tensor at
// its place in another list. Phase 2 refuses every other output that is the view of an input.
template <typename... Position>
constexpr Parameter MayBe(Parameter output, Position... inputs) {
  output.may_be = ((uint64_t{1} << inputs) | ...);
  return output;
}

// An output that is written while inputs that it may not be are still read. Any other output of an
// operator that has one alone may be an input of a single element.
constexpr Parameter WrittenEarly(Parameter output) {
  output.written_early = true;
  return output;
}

// A text that does not compile unless it is a pattern.
struct PatternLiteral {
  consteval PatternLiteral(const char* pattern) : text(pattern) {  // NOLINT: as texts are
    if (!IsShapePattern(pattern)) NotAShapePattern();
  }
  static void NotAShapePattern();  // not constexpr: the compiler names it where a pattern is wrong
  const char* text;
};
// The shape of a tensor, or the numbers of an int array that is a shape. A tensor's ranks follow.
constexpr Parameter WithShape(Parameter parameter, PatternLiteral shape, const char* fix = "") {
  parameter.shape = shape.text;
  parameter.shape_fix = fix;
  if (!HasTensors(parameter.kind)) return parameter;
  return WithRank(parameter, parameter.Shape().MinRank(), parameter.Shape().MaxRank());
}

}  // namespace aclimb::contract
