#include "aclimb/contract/check.h"

#include <algorithm>
#include <iterator>

#include "aclimb/contract/promotion.h"
#include "aclimb/core/text.h"

namespace aclimb::contract {
namespace {

std::string Id(const Contract& contract, const char* kind, const char* name) {
  return Cat(contract.folder, "/", kind, "/", name);
}

bool HasDTypes(const Parameter& parameter) {
  for (DTypeMask mask : parameter.dtypes.of) {
    if (mask != 0) return true;
  }
  return false;
}

const char* KindText(Kind kind) {
  switch (kind) {
    case Kind::kTensor:
      return "aclTensor";
    case Kind::kScalar:
      return "aclScalar";
    case Kind::kIntArray:
      return "aclIntArray";
    case Kind::kBoolArray:
      return "aclBoolArray";
    default:
      return "string";
  }
}

const char* CreateText(Kind kind) {
  switch (kind) {
    case Kind::kTensor:
      return "aclCreateTensor";
    case Kind::kScalar:
      return "aclCreateScalar";
    case Kind::kIntArray:
      return "aclCreateIntArray";
    default:
      return "aclCreateBoolArray";
  }
}

std::string DTypeText(const TensorDescriptor& tensor) {
  if (IsKnown(tensor.dtype)) return std::string(NameOf(tensor.dtype));
  return Cat("number ", static_cast<int>(tensor.dtype));
}

std::string Shape(const TensorDescriptor& tensor) {
  return ShapeText(tensor.shape.data(), tensor.shape.size());
}

// The tensor that the checks look at; null for other kinds, and for what counts as not given.
const TensorDescriptor* GivenTensor(const Parameter& parameter, const Arguments& arguments,
                                    size_t index) {
  if (parameter.kind != Kind::kTensor) return nullptr;
  const TensorDescriptor* tensor = arguments.TensorOrNull(static_cast<int>(index));
  if (tensor != nullptr && parameter.empty_is_absent && tensor->IsEmpty()) return nullptr;
  return tensor;
}

Status CheckHandles(const Contract& contract, const Arguments& arguments) {
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const Parameter& parameter = contract.parameters[i];
    const Argument& argument = arguments.At(static_cast<int>(i));
    if (!IsPointer(parameter.kind) || parameter.kind == Kind::kString) continue;
    if (argument.handle == nullptr || argument.object != nullptr) continue;
    return Refuse(
        kAclnnInvalid,
        Cat(parameter.name, " is ", AddressText(argument.handle), ", which is not a live ",
            KindText(parameter.kind), " (", argument.handle_state, "); expected one made by ",
            CreateText(parameter.kind), " and not yet destroyed."),
        argument.handle_fix, Id(contract, "handle", parameter.name));
  }
  return Ok();
}

// Whether any product accepts the dtype.
bool HasElsewhere(const Parameter& parameter, DType dtype) {
  return std::any_of(std::begin(parameter.dtypes.of), std::end(parameter.dtypes.of),
                     [dtype](DTypeMask mask) { return Has(mask, dtype); });
}

Status CheckDTypes(const Contract& contract, const Arguments& arguments) {
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const Parameter& parameter = contract.parameters[i];
    const TensorDescriptor* tensor = GivenTensor(parameter, arguments, i);
    if (tensor == nullptr || !HasDTypes(parameter)) continue;
    const DTypeMask mask = parameter.dtypes[arguments.product()];
    if (Has(mask, tensor->dtype)) continue;
    const char* const remedy =
        parameter.role == Role::kOutput
            ? "create the tensor with a dtype that is expected"
            : "convert the data before it is copied to the device, and create the "
              "tensor with a dtype that is expected";
    const char* const elsewhere =
        HasElsewhere(parameter, tensor->dtype) ? ", or choose another product with ACLIMB_SOC" : "";
    return Refuse(kAclnnInvalid,
                  Cat(parameter.name, ".dtype is ", DTypeText(*tensor), "; expected ", Text(mask),
                      " on ", NameOf(arguments.product()), "."),
                  Cat(remedy, elsewhere), Id(contract, "dtype", parameter.name));
  }
  return Ok();
}

Status CheckFormats(const Contract& contract, const Arguments& arguments) {
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const Parameter& parameter = contract.parameters[i];
    const TensorDescriptor* tensor = GivenTensor(parameter, arguments, i);
    if (tensor == nullptr) continue;
    const int format = tensor->format;
    if (format >= 0 && format < 64 && (parameter.formats >> format & 1) != 0) continue;
    return Refuse(kAclnnInvalid,
                  Cat(parameter.name, ".format is ", FormatText(format), "; expected ",
                      FormatsText(parameter.formats), "."),
                  "lay the data out so (or describe them with strides), and pass that format to "
                  "aclCreateTensor",
                  Id(contract, "format", parameter.name));
  }
  return Ok();
}

std::string RankText(const Parameter& parameter) {
  if (parameter.min_rank == parameter.max_rank) return Cat("rank ", parameter.min_rank);
  return Cat("rank ", parameter.min_rank, " to ", parameter.max_rank);
}

Status CheckRanks(const Contract& contract, const Arguments& arguments) {
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const Parameter& parameter = contract.parameters[i];
    const TensorDescriptor* tensor = GivenTensor(parameter, arguments, i);
    if (tensor == nullptr) continue;
    const int rank = tensor->rank();
    if (rank < parameter.min_rank || rank > parameter.max_rank) {
      return Refuse(contract.rank_code,
                    Cat(parameter.name, ".shape is ", Shape(*tensor), " (rank ", rank,
                        "); expected ", RankText(parameter), "."),
                    "reshape the tensor", Id(contract, "rank", parameter.name));
    }
  }
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const Parameter& parameter = contract.parameters[i];
    const TensorDescriptor* tensor = GivenTensor(parameter, arguments, i);
    if (tensor == nullptr || tensor->Footprint().has_value()) continue;
    return Refuse(
        kAclnnInvalid,
        Cat(parameter.name, " with shape ", Shape(*tensor), ", strides ",
            ShapeText(tensor->stride.data(), tensor->stride.size()), " and offset ", tensor->offset,
            " reaches past 2^63 bytes; expected addresses that fit in 63 bits."),
        "check the strides: they count elements, not bytes",
        Id(contract, "extent", parameter.name));
  }
  return Ok();
}

std::optional<std::string> Violation(const Contract& contract, const Rule& rule,
                                     const Arguments& arguments) {
  if (rule.kind == RuleKind::kCustom) return rule.violated(arguments);
  const char* subject = contract.parameters[static_cast<size_t>(rule.subject)].name;
  if (rule.kind == RuleKind::kConvertsToFloat) {
    const ScalarValue& scalar = arguments.Scalar(rule.subject);
    if (ResultConverts(scalar.dtype, DType::kFloat32)) return std::nullopt;
    return Cat(subject, ".dtype is ", NameOf(scalar.dtype),
               "; expected a dtype that converts to FLOAT (any integer, BOOL, FLOAT16, BFLOAT16, "
               "FLOAT or DOUBLE).");
  }
  const auto given = [&](int index) {
    const auto at = static_cast<size_t>(index);
    return GivenTensor(contract.parameters[at], arguments, at);
  };
  const TensorDescriptor* a = given(rule.subject);
  const TensorDescriptor* b = given(rule.other);
  if (a == nullptr || b == nullptr) return std::nullopt;
  const char* other = contract.parameters[static_cast<size_t>(rule.other)].name;
  switch (rule.kind) {
    case RuleKind::kSameDType:
      if (a->dtype == b->dtype) return std::nullopt;
      return Cat(subject, ".dtype is ", DTypeText(*a), " but ", other, ".dtype is ", DTypeText(*b),
                 "; expected equal dtypes.");
    case RuleKind::kSameShape:
      if (a->shape == b->shape) return std::nullopt;
      return Cat(subject, ".shape is ", Shape(*a), " but ", other, ".shape is ", Shape(*b),
                 "; expected equal shapes.");
    case RuleKind::kConvertsTo:
      if (ResultConverts(a->dtype, b->dtype)) return std::nullopt;
      return Cat(other, ".dtype is ", DTypeText(*b), " but ", subject, ".dtype is ", DTypeText(*a),
                 "; expected an output dtype that ", DTypeText(*a), " converts to.");
    default:
      return std::nullopt;
  }
}

// When a rule is looked at: missing arguments with the nulls, dtypes with the dtypes, the rest
// last.
enum class Stage { kNulls, kDTypes, kRest };

Stage StageOf(const Rule& rule) {
  if (rule.code == kAclnnNullptr) return Stage::kNulls;
  return rule.kind == RuleKind::kCustom || rule.kind == RuleKind::kSameShape ? Stage::kRest
                                                                             : Stage::kDTypes;
}

Status CheckRules(const Contract& contract, const Arguments& arguments, Stage stage) {
  for (const Rule& rule : contract.rules) {
    if (StageOf(rule) != stage) continue;
    if (auto what = Violation(contract, rule, arguments)) {
      return Refuse(rule.code, std::move(*what), rule.fix, Cat(contract.folder, "/", rule.id));
    }
  }
  return Ok();
}

}  // namespace

Status CheckNulls(const Contract& contract, const Arguments& arguments) {
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const Parameter& parameter = contract.parameters[i];
    if (!IsPointer(parameter.kind) || parameter.optional) continue;
    if (arguments.At(static_cast<int>(i)).handle != nullptr) continue;
    return Refuse(kAclnnNullptr,
                  Cat(parameter.name, " is null; expected an ", KindText(parameter.kind), "."),
                  Cat("check that ",
                      parameter.kind == Kind::kString ? "the text" : CreateText(parameter.kind),
                      " succeeded and that the arguments are in the right order"),
                  Id(contract, "null", parameter.name));
  }
  return Ok();
}

Status Check(const Contract& contract, const Arguments& arguments) {
  if (Status status = CheckHandles(contract, arguments); !status.ok()) return status;
  if ((contract.products & Bit(arguments.product())) == 0) {
    return Refuse(kAclnnInvalid,
                  Cat(contract.function, " does not exist on ", NameOf(arguments.product()),
                      "; expected a product that has it."),
                  "choose another product with ACLIMB_SOC, for example Ascend910B3",
                  Cat(contract.folder, "/product"));
  }
  // Rules about missing arguments count as null checks, which precede all others.
  if (Status status = CheckRules(contract, arguments, Stage::kNulls); !status.ok()) return status;
  if (Status status = CheckDTypes(contract, arguments); !status.ok()) return status;
  if (Status status = CheckRules(contract, arguments, Stage::kDTypes); !status.ok()) return status;
  if (Status status = CheckFormats(contract, arguments); !status.ok()) return status;
  if (Status status = CheckRanks(contract, arguments); !status.ok()) return status;
  return CheckRules(contract, arguments, Stage::kRest);
}

std::vector<std::string> RuleIds(const Contract& contract) {
  std::vector<std::string> ids;
  const auto each = [&](auto&& applies, const char* kind) {
    for (const Parameter& parameter : contract.parameters) {
      if (applies(parameter)) ids.push_back(Id(contract, kind, parameter.name));
    }
  };
  const auto is_tensor = [](const Parameter& p) { return p.kind == Kind::kTensor; };
  each([](const Parameter& p) { return IsPointer(p.kind) && !p.optional; }, "null");
  each([](const Parameter& p) { return IsPointer(p.kind) && p.kind != Kind::kString; }, "handle");
  if (contract.products != kAllProducts) ids.push_back(Cat(contract.folder, "/product"));
  each([&](const Parameter& p) { return is_tensor(p) && HasDTypes(p); }, "dtype");
  each(is_tensor, "format");
  each(is_tensor, "rank");
  each(is_tensor, "extent");
  for (const Rule& rule : contract.rules) ids.push_back(Cat(contract.folder, "/", rule.id));
  return ids;
}

}  // namespace aclimb::contract
