#include "aclimb/contract/check.h"

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "aclimb/contract/given.h"
#include "aclimb/contract/shapes.h"
#include "aclimb/contract/violation.h"
#include "aclimb/core/overlap.h"
#include "aclimb/core/packed.h"
#include "aclimb/core/text.h"

namespace aclimb::contract {
namespace {

std::string TextOf(const std::vector<int64_t>& numbers) {
  return ShapeText(numbers.data(), numbers.size());
}

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
    case Kind::kFloatArray:
      return "aclFloatArray";
    case Kind::kBoolArray:
      return "aclBoolArray";
    case Kind::kTensorList:
      return "aclTensorList";
    case Kind::kScalarList:
      return "aclScalarList";
    case Kind::kString:
    case Kind::kBool:
    case Kind::kInteger:
    case Kind::kReal:
      break;
  }
  return KindName(kind);
}

// "aclCreateTensor"; "the text" of a string.
std::string CreateText(Kind kind) {
  return kind == Kind::kString ? "the text" : Cat("aclCreate", KindText(kind) + 3);
}

// The argument, or each element of the list.
template <typename Each>
Status ForEachElement(const Argument& argument, Each&& each) {
  for (size_t i = 0; i < argument.elements.size(); ++i) {
    Status status = each(argument.elements[i], static_cast<int>(i));
    if (!status.ok()) return status;
  }
  return Ok();
}

// Calls each(parameter, given) for the tensors that were given.
template <typename Each>
Status ForEachTensor(const Contract& contract, const Arguments& arguments, Each&& each) {
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const int index = static_cast<int>(i);
    const size_t count = TensorCount(contract, arguments, index);
    for (size_t e = 0; e < count; ++e) {
      const GivenTensor given = TensorAt(contract, arguments, index, e);
      if (!given) continue;
      Status status = each(contract.At(index), given);
      if (!status.ok()) return status;
    }
  }
  return Ok();
}

Status CheckHandle(const Contract& contract, const Argument& argument, int index, int element) {
  if (argument.handle == nullptr || argument.object != nullptr) return Ok();
  return Refuse(
      kAclnnInvalid,
      Cat(NameOf(contract, index, element), " is ", AddressText(argument.handle),
          ", which is not a live ", KindText(argument.kind), " (", argument.handle_state,
          "); expected one made by ", CreateText(argument.kind), " and not yet destroyed."),
      argument.handle_fix, Id(contract, "handle", contract.At(index).name));
}

Status CheckHandles(const Contract& contract, const Arguments& arguments) {
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const int index = static_cast<int>(i);
    const Kind kind = contract.At(index).kind;
    if (!IsPointer(kind) || kind == Kind::kString) continue;
    Status status = CheckHandle(contract, arguments.At(index), index, -1);
    if (!status.ok()) return status;
    status = ForEachElement(arguments.At(index), [&](const Argument& element, int at) {
      return CheckHandle(contract, element, index, at);
    });
    if (!status.ok()) return status;
  }
  return Ok();
}

// Whether any product accepts the dtype.
bool HasElsewhere(const Parameter& parameter, DType dtype) {
  return std::any_of(std::begin(parameter.dtypes.of), std::end(parameter.dtypes.of),
                     [dtype](DTypeMask mask) { return Has(mask, dtype); });
}

Status CheckDType(const Contract& contract, const Parameter& parameter, const GivenTensor& given,
                  Product product) {
  const DTypeMask mask = parameter.dtypes[product];
  if (!HasDTypes(parameter) || Has(mask, given->dtype)) return Ok();
  // A conversion would lose the imaginary part.
  const bool splits = IsComplex(given->dtype) && !Has(mask, DType::kComplex64);
  const char* const remedy =
      splits
          ? "compute with the real and the imaginary part, as tensors of a dtype that is expected"
      : parameter.role == Role::kOutput
          ? "create the tensor with a dtype that is expected"
          : "convert the data before it is copied to the device, and create the "
            "tensor with a dtype that is expected";
  const char* const elsewhere =
      HasElsewhere(parameter, given->dtype) ? ", or choose another product with ACLIMB_SOC" : "";
  return Refuse(kAclnnInvalid,
                Cat(NameOf(contract, given), ".dtype is ", DTypeOf(given), "; expected ",
                    Text(mask), " on ", NameOf(product), "."),
                Cat(remedy, elsewhere), Id(contract, "dtype", parameter.name));
}

Status CheckFormat(const Contract& contract, const Parameter& parameter, const GivenTensor& given) {
  const int format = given->format;
  if (format >= 0 && format < 64 && (parameter.formats >> format & 1) != 0) return Ok();
  return Refuse(kAclnnInvalid,
                Cat(NameOf(contract, given), ".format is ", FormatText(format), "; expected ",
                    FormatsText(parameter.formats), "."),
                "lay the data out so (or describe them with strides), and pass that format to "
                "aclCreateTensor",
                Id(contract, "format", parameter.name));
}

std::string RankText(const Parameter& parameter) {
  if (parameter.min_rank == parameter.max_rank) return Cat("rank ", parameter.min_rank);
  return Cat("rank ", parameter.min_rank, " to ", parameter.max_rank);
}

std::string RankFix(const Contract& contract, const Parameter& parameter,
                    const GivenTensor& given) {
  const std::string shape = parameter.HasShape() ? PatternText(parameter.Shape())
                                                 : Cat("a shape of ", RankText(parameter));
  return Cat(IsRead(parameter.role) ? "reshape " : "create ", NameOf(contract, given),
             IsRead(parameter.role) ? " to " : " with ", shape);
}

Status CheckRank(const Contract& contract, const Parameter& parameter, const GivenTensor& given) {
  const int rank = given->rank();
  if (rank >= parameter.min_rank && rank <= parameter.max_rank) return Ok();
  return Refuse(contract.rank_code,
                Cat(NameOf(contract, given), ".shape is ", ShapeOf(given), " (rank ", rank,
                    "); expected ", RankText(parameter), "."),
                RankFix(contract, parameter, given), Id(contract, "rank", parameter.name));
}

// Where a tensor begins, and how far it reaches.
Status CheckExtent(const Contract& contract, const Parameter& parameter, const GivenTensor& given) {
  const int64_t packed = PackedPerByte(given->dtype);
  if (given->offset % packed != 0) {
    return Refuse(kAclnnInvalid,
                  Cat(NameOf(contract, given), ".offset is ", given->offset, " and its dtype is ",
                      DTypeOf(given), ", of which ", packed,
                      " elements share a byte; expected a multiple of ", packed, "."),
                  "begin the tensor with a byte", Id(contract, "extent", parameter.name));
  }
  if (given->Footprint().has_value()) return Ok();
  return Refuse(kAclnnInvalid,
                Cat(NameOf(contract, given), " with shape ", ShapeOf(given), ", strides ",
                    TextOf(given->stride), " and offset ", given->offset,
                    " reaches past 2^63 bytes; expected addresses that fit in 63 bits."),
                "check the strides: they count elements, not bytes",
                Id(contract, "extent", parameter.name));
}

// What is written to one place twice depends on the order.
Status CheckOverlap(const Contract& contract, const Parameter& parameter,
                    const GivenTensor& given) {
  if (!IsWritten(parameter.role)) return Ok();
  SharedElement shared;
  const Sharing sharing = FindSharedElement(*given.tensor, shared);
  if (sharing == Sharing::kNone) return Ok();
  return Refuse(
      kAclnnInvalid,
      Cat(NameOf(contract, given), " with shape ", ShapeOf(given), " and strides ",
          TextOf(given->stride),
          sharing == Sharing::kUndecided ? std::string(" may have several elements at one place")
                                         : Cat(" has its elements ", TextOf(shared.first), " and ",
                                               TextOf(shared.second), " at one place"),
          "; expected a place of its own for each element."),
      "write to a tensor that is not expanded, and copy or expand that one",
      Id(contract, "overlap", parameter.name));
}

Status CheckRules(const Contract& contract, const Arguments& arguments, Stage stage) {
  for (const Rule& rule : contract.rules) {
    if (StageOf(rule) != stage) continue;
    if (auto what = Violation(contract, rule, arguments)) {
      return Refuse(rule.code, std::move(*what), FixOf(contract, rule, arguments),
                    Cat(contract.folder, "/", rule.id));
    }
  }
  return Ok();
}

Status CheckNull(const Contract& contract, const Argument& argument, int index, int element) {
  if (argument.handle != nullptr) return Ok();
  return Refuse(kAclnnNullptr,
                Cat(NameOf(contract, index, element), " is null; expected ",
                    argument.kind == Kind::kString ? "a " : "an ", KindText(argument.kind), "."),
                Cat("check that ", CreateText(argument.kind),
                    " succeeded and that the arguments are in the right order"),
                Id(contract, "null", contract.At(index).name));
}

Status CheckProduct(const Contract& contract, const Arguments& arguments) {
  if ((contract.products & Bit(arguments.product())) != 0) return Ok();
  return Refuse(kAclnnInvalid,
                Cat(contract.function, " does not exist on ", NameOf(arguments.product()),
                    "; expected a product that has it."),
                "choose another product with ACLIMB_SOC, for example Ascend910B3",
                Cat(contract.folder, "/product"));
}

template <Stage kStage>
Status CheckRulesOf(const Contract& contract, const Arguments& arguments) {
  return CheckRules(contract, arguments, kStage);
}

template <auto kCheck>
Status CheckTensors(const Contract& contract, const Arguments& arguments) {
  return ForEachTensor(contract, arguments,
                       [&](const Parameter& parameter, const GivenTensor& given) {
                         if constexpr (std::is_invocable_v<decltype(kCheck), const Contract&,
                                                           const Parameter&, const GivenTensor&>) {
                           return kCheck(contract, parameter, given);
                         } else {
                           return kCheck(contract, parameter, given, arguments.product());
                         }
                       });
}

// What Check() does, in this order, and what it finds. Without a text a step belongs to the one
// before.
struct Step {
  const char* what;
  Status (*check)(const Contract& contract, const Arguments& arguments);
};
constexpr Step kSteps[] = {
    {"a handle belongs to no live object", &CheckHandles},
    {"the operator does not exist on the product", &CheckProduct},
    {"an argument that a rule of the operator asks for is null", &CheckRulesOf<Stage::kNulls>},
    {"the dtype of a tensor is not among those of its page", &CheckTensors<&CheckDType>},
    {"dtypes do not go together, by the rules on the operator's page",
     &CheckRulesOf<Stage::kDTypes>},
    {"the format of a tensor is not among those of its page", &CheckTensors<&CheckFormat>},
    {"the number of its dimensions is not (161002, unless the page has another code)",
     &CheckTensors<&CheckRank>},
    {"a tensor begins within a byte, or reaches too far", &CheckTensors<&CheckExtent>},
    {"the other rules on the operator's page do not hold, from the first to the last",
     &CheckRulesOf<Stage::kAttributes>},
    {nullptr, &CheckShapes},
    {nullptr, &CheckRulesOf<Stage::kRest>},
    {"two elements of an output are one in memory", &CheckTensors<&CheckOverlap>},
};

}  // namespace

Status CheckNulls(const Contract& contract, const Arguments& arguments) {
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const int index = static_cast<int>(i);
    const Parameter& parameter = contract.At(index);
    if (!IsPointer(parameter.kind)) continue;
    if (!parameter.optional) {
      Status status = CheckNull(contract, arguments.At(index), index, -1);
      if (!status.ok()) return status;
    }
    Status status = ForEachElement(arguments.At(index), [&](const Argument& element, int at) {
      return CheckNull(contract, element, index, at);
    });
    if (!status.ok()) return status;
  }
  return Ok();
}

Status Check(const Contract& contract, const Arguments& arguments) {
  for (const Step& step : kSteps) {
    if (Status status = step.check(contract, arguments); !status.ok()) return status;
  }
  return Ok();
}

std::vector<const char*> ChecksInOrder() {
  std::vector<const char*> order = {"an argument that has to be there is null (161001)"};
  for (const Step& step : kSteps) {
    if (step.what != nullptr) order.push_back(step.what);
  }
  return order;
}

std::vector<OwnRule> OwnRules(const Contract& contract) {
  std::vector<OwnRule> own;
  const auto add = [&](Stage stage) {
    for (const Rule& rule : contract.rules) {
      if (StageOf(rule) != stage) continue;
      own.push_back({rule.id, rule.code, StatementOf(contract, rule), rule.fix, &rule, -1});
    }
  };
  add(Stage::kNulls);
  add(Stage::kDTypes);
  add(Stage::kAttributes);
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const int index = static_cast<int>(i);
    const Parameter& parameter = contract.At(index);
    if (!CanViolateShape(contract, index)) continue;
    own.push_back({Cat("shape/", parameter.name), contract.shape_code, ShapeStatement(parameter),
                   ShapeFix(parameter), nullptr, index});
  }
  add(Stage::kRest);
  return own;
}

std::vector<std::string> RuleIds(const Contract& contract) {
  std::vector<std::string> ids;
  const auto each = [&](auto&& applies, const char* kind) {
    for (const Parameter& parameter : contract.parameters) {
      if (applies(parameter)) ids.push_back(Id(contract, kind, parameter.name));
    }
  };
  const auto is_tensor = [](const Parameter& p) { return HasTensors(p.kind); };
  each([](const Parameter& p) { return IsPointer(p.kind) && !p.optional; }, "null");
  each([](const Parameter& p) { return IsPointer(p.kind) && p.kind != Kind::kString; }, "handle");
  if (contract.products != kAllProducts) ids.push_back(Cat(contract.folder, "/product"));
  each([&](const Parameter& p) { return is_tensor(p) && HasDTypes(p); }, "dtype");
  each(is_tensor, "format");
  each(is_tensor, "rank");
  each(is_tensor, "extent");
  each([&](const Parameter& p) { return is_tensor(p) && IsWritten(p.role); }, "overlap");
  for (const OwnRule& own : OwnRules(contract)) {
    ids.push_back(Cat(contract.folder, "/", own.id));
  }
  return ids;
}

}  // namespace aclimb::contract
