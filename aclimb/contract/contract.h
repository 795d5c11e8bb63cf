#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "aclimb/contract/arguments.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/dtype.h"
#include "aclimb/core/product.h"

// The contract of an operator: one constexpr table of its parameters and of the rules that relate
// them. Phase 1 checks it, the messages quote it, the negative tests walk it and the operator's
// page under docs/ops/ is printed from it.
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

enum class Role : uint8_t { kInput, kOutput, kAttribute };

const char* KindName(Kind kind);  // "tensor", "int array"
const char* RoleName(Role role);  // "in", "out", "attribute"

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
  const char* doc = "";  // shape and meaning, for the operator's page
};

constexpr Parameter Input(const char* name, ProductDTypes dtypes, const char* doc) {
  return {.name = name, .role = Role::kInput, .dtypes = dtypes, .doc = doc};
}
constexpr Parameter Output(const char* name, ProductDTypes dtypes, const char* doc) {
  return {.name = name, .role = Role::kOutput, .dtypes = dtypes, .doc = doc};
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

// ---- Rules
// ---------------------------------------------------------------------------------------

// Looks at the arguments, all of which passed the checks before it. Returns nothing when the rule
// holds, else what is wrong: "alpha is FLOAT -1 and isResult is true; expected alpha >= 0." naming
// every argument it relates with its value. Looks at no address and no handle, and at nothing but
// the arguments: it is not asked again for an equal call.
using Predicate = std::optional<std::string> (*)(const Arguments& arguments);

enum class RuleKind : uint8_t { kSameDType, kSameShape, kConvertsToFloat, kConvertsTo, kCustom };

struct Rule {
  const char* id = "";  // stable; "same-shape/selfOrResult"
  RuleKind kind = RuleKind::kCustom;
  int subject = -1;  // parameter index
  int other = -1;
  int code = kAclnnInvalid;
  Predicate violated = nullptr;
  const char* statement = "";  // one sentence for the operator's page
  const char* fix = "";
};

// subject.dtype == other.dtype
constexpr Rule SameDType(const char* id, int subject, int other, const char* fix) {
  return {.id = id, .kind = RuleKind::kSameDType, .subject = subject, .other = other, .fix = fix};
}
// subject.shape == other.shape
constexpr Rule SameShape(const char* id, int subject, int other, const char* fix,
                         int code = kAclnnInvalid) {
  return {.id = id,
          .kind = RuleKind::kSameShape,
          .subject = subject,
          .other = other,
          .code = code,
          .fix = fix};
}
// The scalar has a real dtype.
constexpr Rule ConvertsToFloat(const char* id, int subject, const char* fix) {
  return {.id = id, .kind = RuleKind::kConvertsToFloat, .subject = subject, .fix = fix};
}
// subject.dtype can be cast to other.dtype, as results are cast to outputs.
constexpr Rule ConvertsTo(const char* id, int subject, int other, const char* fix) {
  return {.id = id, .kind = RuleKind::kConvertsTo, .subject = subject, .other = other, .fix = fix};
}
constexpr Rule Custom(const char* id, Predicate violated, const char* statement, const char* fix,
                      int code = kAclnnInvalid) {
  return {.id = id, .code = code, .violated = violated, .statement = statement, .fix = fix};
}

struct Contract {
  const char* function = "";  // "aclnnEluBackward"
  const char* folder = "";    // "elu_backward", first part of every rule id
  const char* summary = "";   // one sentence
  uint8_t products = kAllProducts;
  int rank_code = kAclnnInvalid;  // of rank violations
  std::span<const Parameter> parameters;
  std::span<const Rule> rules;
};

// "selfOrResult has the shape of gradOutput": what a rule of the contract demands.
std::string StatementOf(const Contract& contract, const Rule& rule);

}  // namespace aclimb::contract
