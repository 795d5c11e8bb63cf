#include "tests/support/rule_cases.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aclimb/contract/check.h"
#include "aclimb/contract/promotion.h"
#include "aclimb/contract/shapes.h"

namespace aclimb::testing {
namespace {

using contract::Contract;
using contract::Dimension;
using contract::Kind;
using contract::Parameter;
using contract::Rule;
using contract::RuleKind;
using Mutation = std::function<void(CallArguments&)>;
using Extents = std::vector<int64_t>;

// No aclDataType.
constexpr int64_t kNoDType = 99;

std::vector<DType> DTypesOf(contract::DTypeMask mask) {
  std::vector<DType> dtypes;
  for (int i = 0; i < 64; ++i) {
    if (contract::Has(mask, static_cast<DType>(i))) dtypes.push_back(static_cast<DType>(i));
  }
  return dtypes;
}

class Cases {
 public:
  Cases(const Contract& contract, CallArguments& valid) : contract_(contract), valid_(valid) {}

  RuleCases Find() {
    for (size_t i = 0; i < contract_.parameters.size(); ++i) OfShape(static_cast<int>(i));
    for (const Rule& rule : contract_.rules) OfRule(rule);
    return std::move(cases_);
  }

 private:
  bool Given(int index) {
    return !contract::IsPointer(contract_.At(index).kind) || valid_.At(index).handle != nullptr;
  }

  void Add(const Rule& rule, Mutation mutate) {
    cases_.violations.push_back({rule.id, std::move(mutate)});
  }

  // Replaces a tensor, or the last one of a list.
  Mutation Changed(int index, const std::function<void(TensorSpec&)>& change) {
    std::vector<TensorSpec> specs = valid_.Specs(index);
    change(specs.back());
    const Parameter& parameter = contract_.At(index);
    specs.back().format = static_cast<aclFormat>(FirstFormat(parameter.formats));
    specs.back().stride.clear();
    const bool in_list = parameter.kind == Kind::kTensorList;
    return [index, specs, in_list](CallArguments& a) {
      in_list ? a.Tensors(index, specs) : a.Tensor(index, specs.back());
    };
  }
  Mutation WithDType(int index, DType dtype) {
    return Changed(index, [dtype](TensorSpec& spec) { spec.dtype = dtype; });
  }
  Mutation WithShape(int index, const Extents& shape) {
    return Changed(index, [&shape](TensorSpec& spec) { spec.shape = shape; });
  }
  Extents ShapeAt(int index) { return valid_.Specs(index).back().shape; }

  // ---- Shapes

  void OfShape(int index) {
    if (!contract::CanViolateShape(contract_, index) || !Given(index)) return;
    const std::string id = std::string("shape/") + contract_.At(index).name;
    const contract::ShapePattern pattern = contract_.At(index).Shape();
    const auto entry = static_cast<size_t>(contract::CheckedEntry(contract_, index));
    if (contract_.At(index).kind == Kind::kIntArray) {
      Extents values = valid_.IntsAt(index);
      values.push_back(1);
      if (pattern.IsOpen()) return;
      cases_.violations.push_back(
          {id, [index, values](CallArguments& a) { a.Ints(index, values); }});
      return;
    }
    Extents shape = ShapeAt(index);
    size_t singles_before = 0;
    while (singles_before < entry && pattern[singles_before].IsSingle()) ++singles_before;
    const size_t at = singles_before == entry ? entry : shape.size() - (pattern.size() - entry);
    if (pattern[entry].IsSingle()) {
      ++shape[at];
    } else if (pattern[entry].kind == Dimension::Kind::kArray && entry + 1 == pattern.size() &&
               !shape.empty()) {
      ++shape.back();
    } else if (shape.size() < static_cast<size_t>(contract_.At(index).max_rank) &&
               !(pattern[entry].kind == Dimension::Kind::kBroadcast &&
                 !contract::IsWritten(contract_.At(index).role))) {
      shape.insert(shape.begin() + static_cast<int64_t>(singles_before), 2);
    } else if (!shape.empty() && pattern[entry].kind != Dimension::Kind::kBroadcast) {
      ++shape.back();
    } else {
      return;
    }
    cases_.violations.push_back({id, WithShape(index, shape)});
  }

  // ---- Rules

  void OfRule(const Rule& rule) {
    switch (rule.kind) {
      case RuleKind::kSameDType:
      case RuleKind::kSameDTypeOr:
        return OfSameDType(rule);
      case RuleKind::kConvertsTo:
      case RuleKind::kPromotes:
        return OfPromotion(rule);
      case RuleKind::kConvertsToFloat:
        return OfScalar(rule);
      case RuleKind::kScalarFits:
        return OfFittingScalar(rule);
      case RuleKind::kInDType:
        return OfScalarInDType(rule);
      case RuleKind::kInRange:
        return OfRange(rule);
      case RuleKind::kOneOf:
        return Add(rule, [&rule](CallArguments& a) { a.String(rule.subject, "no such choice"); });
      case RuleKind::kReserved:
        return OfReserved(rule);
      case RuleKind::kCount:
        return OfCount(rule);
      case RuleKind::kCountOf:
        return OfCountOf(rule);
      case RuleKind::kWanted:
        return OfWanted(rule);
      case RuleKind::kAbsent:
        return OfAbsent(rule);
      case RuleKind::kElements:
      case RuleKind::kReducesLoss:
        return OfElements(rule);
      case RuleKind::kSameRank:
      case RuleKind::kSameShape:
        return OfPair(rule);
      case RuleKind::kBroadcasts:
        return OfBroadcast(rule);
      case RuleKind::kNamesDType:
        return Add(rule, [&rule](CallArguments& a) { a.Integer(rule.subject, kNoDType); });
      case RuleKind::kReduces:
        return OfReduction(rule);
      case RuleKind::kCustom:
        return;
    }
  }

  contract::DTypeMask MaskOf(int index) { return contract_.At(index).dtypes[Product::kA2]; }

  void OfSameDType(const Rule& rule) {
    if (!Given(rule.subject) || !Given(rule.other)) return;
    const DType other = valid_.Specs(rule.other).front().dtype;
    for (DType dtype : DTypesOf(MaskOf(rule.subject))) {
      if (dtype == other || contract::Has(rule.dtypes, dtype)) continue;
      return Add(rule, WithDType(rule.subject, dtype));
    }
    cases_.without.insert(rule.id);
  }

  // Dtypes of all that the rule relates, each of its mask, that do not go together.
  void OfPromotion(const Rule& rule) {
    const bool to_other = rule.kind == RuleKind::kConvertsTo;
    const int output = to_other ? rule.other : rule.output;
    std::vector<int> inputs = {rule.subject};
    if (!to_other) inputs.push_back(rule.other);
    if (rule.third >= 0) inputs.push_back(rule.third);
    for (int index : inputs) {
      // Scalars have no mask; a test by hand says which are wrong.
      if (!contract::HasTensors(contract_.At(index).kind) || !Given(index)) return;
    }
    if (output >= 0 && !Given(output)) return;
    for (DType a : DTypesOf(MaskOf(inputs[0]))) {
      for (DType b : DTypesOf(MaskOf(inputs.size() > 1 ? inputs[1] : inputs[0]))) {
        if (inputs.size() == 1 && a != b) continue;
        const auto common = inputs.size() > 1 ? contract::PromoteTensors(a, b) : a;
        if (!common) return AddDTypes(rule, inputs, {a, b}, -1, a);
        if (output < 0 || inputs.size() > 2) continue;
        for (DType to : DTypesOf(MaskOf(output))) {
          if (!contract::ResultConverts(*common, to)) {
            return AddDTypes(rule, inputs, {a, b}, output, to);
          }
        }
      }
    }
    cases_.without.insert(rule.id);
  }

  void AddDTypes(const Rule& rule, const std::vector<int>& inputs, std::pair<DType, DType> dtypes,
                 int output, DType to) {
    std::vector<Mutation> all = {WithDType(inputs[0], dtypes.first)};
    if (inputs.size() > 1) all.push_back(WithDType(inputs[1], dtypes.second));
    if (output >= 0) all.push_back(WithDType(output, to));
    std::set<std::string> related;
    for (int index : inputs) related.insert(contract_.At(index).name);
    if (output >= 0) related.insert(contract_.At(output).name);
    const auto mutate = [all](CallArguments& a) {
      for (const Mutation& each : all) each(a);
    };
    cases_.violations.push_back({rule.id, mutate, related});
  }

  void OfScalar(const Rule& rule) {
    const int index = rule.subject;
    if (contract_.At(index).kind == Kind::kScalarList) {
      return Add(rule, [index](CallArguments& a) { a.Scalars(index, {1}, DType::kComplex64); });
    }
    Add(rule, [index](CallArguments& a) { a.ScalarOf(index, 1, DType::kComplex64); });
  }

  // One with a fraction beside integers, where the others have them.
  void OfFittingScalar(const Rule& rule) {
    std::vector<Mutation> all;
    for (const int index : {rule.other, rule.third}) {
      if (index < 0) continue;
      if (contract_.At(index).kind == Kind::kScalar) {
        all.push_back([index](CallArguments& a) { a.ScalarOf(index, 1, DType::kInt32); });
      } else if (Given(index) && contract::Has(MaskOf(index), DType::kInt32)) {
        all.push_back(WithDType(index, DType::kInt32));
      } else {
        cases_.without.insert(rule.id);
        return;
      }
    }
    Add(rule, [all, index = rule.subject](CallArguments& a) {
      for (const Mutation& each : all) each(a);
      a.ScalarOf(index, 0.5, DType::kFloat32);
    });
  }

  // One that no integer of 32 bits is, beside tensors of the narrowest integers that they may have;
  // a float beyond all integers where those have 64 bits.
  void OfScalarInDType(const Rule& rule) {
    const bool by_scalar = rule.third == rule.subject;
    std::set<int> tensors;
    for (const int index : {rule.other, rule.third, rule.output}) {
      if (index >= 0 && contract::HasTensors(contract_.At(index).kind)) tensors.insert(index);
    }
    for (const Rule& each : contract_.rules) {
      if (each.kind != RuleKind::kSameDType) continue;
      if (tensors.count(each.subject) != 0 || tensors.count(each.other) != 0) {
        tensors.insert({each.subject, each.other});
      }
    }
    for (const DType dtype : {DType::kInt8, DType::kInt32, DType::kInt64}) {
      const bool is_long = dtype == DType::kInt64;
      std::vector<Mutation> all;
      bool possible = !(is_long && by_scalar);
      for (const int index : tensors) {
        possible = possible && Given(index) && contract::Has(MaskOf(index), dtype);
        if (possible) all.push_back(WithDType(index, dtype));
      }
      if (!possible) continue;
      return Add(rule, [=, index = rule.subject](CallArguments& a) {
        for (const Mutation& each : all) each(a);
        is_long ? a.ScalarOf(index, 1e30, DType::kFloat32) : a.ScalarOf(index, 1e12, DType::kInt64);
      });
    }
    cases_.without.insert(rule.id);
  }

  void AddNumber(const Rule& rule, double value) {
    const int index = rule.subject;
    switch (contract_.At(index).kind) {
      case Kind::kInteger:
        return Add(rule, [=](CallArguments& a) { a.Integer(index, static_cast<int64_t>(value)); });
      case Kind::kReal:
        return Add(rule, [=](CallArguments& a) { a.Real(index, value); });
      case Kind::kScalar:
        return Add(rule, [=](CallArguments& a) { a.ScalarOf(index, value, DType::kFloat32); });
      case Kind::kScalarList:
        return Add(rule, [=](CallArguments& a) { a.Scalars(index, {value}, DType::kFloat32); });
      case Kind::kFloatArray:
        return Add(rule, [=](CallArguments& a) { a.Floats(index, {static_cast<float>(value)}); });
      case Kind::kIntArray: {
        Extents values = valid_.IntsAt(index);
        if (values.empty()) values.push_back(0);
        values.back() = static_cast<int64_t>(value);
        return Add(rule, [=](CallArguments& a) { a.Ints(index, values); });
      }
      case Kind::kTensor:
      case Kind::kBoolArray:
      case Kind::kTensorList:
      case Kind::kString:
      case Kind::kBool:
        return;
    }
  }

  void OfRange(const Rule& rule) {
    const contract::Bounds& bounds = rule.bounds;
    if (bounds.dimension_of >= 0) {
      if (!Given(bounds.dimension_of)) return;
      const auto rank = static_cast<int>(valid_.Specs(bounds.dimension_of).front().shape.size());
      const int places = std::max(rank + bounds.more, 1);
      AddNumber(rule, places);
      AddNumber(rule, -places - 1);
      if (!bounds.distinct) return;
      return Add(rule, [&rule, places](CallArguments& a) { a.Ints(rule.subject, {0, -places}); });
    }
    if (rule.third >= 0) {
      return Add(rule, [&rule](CallArguments& a) {
        a.Bool(rule.third, true);
        a.ScalarOf(rule.subject, rule.bounds.least - 1, DType::kFloat32);
      });
    }
    // Reals have numbers between any two; the bound itself is wrong where it is open.
    if (std::isfinite(bounds.least)) AddNumber(rule, bounds.least - (bounds.open ? 0 : 1));
    if (std::isfinite(bounds.most)) AddNumber(rule, bounds.most + 1);
    const Kind kind = contract_.At(rule.subject).kind;
    if (kind == Kind::kReal || kind == Kind::kFloatArray) AddNumber(rule, std::nan(""));
  }

  void OfReserved(const Rule& rule) {
    const Kind kind = contract_.At(rule.subject).kind;
    if (kind == Kind::kBool) {
      return Add(rule, [&rule](CallArguments& a) { a.Bool(rule.subject, true); });
    }
    if (kind != Kind::kTensor) return AddNumber(rule, 1);
    Add(rule, WithSomeTensor(rule.subject));
  }

  // Of one element, in place of nothing.
  Mutation WithSomeTensor(int index) {
    const Parameter& parameter = contract_.At(index);
    const TensorSpec spec = {Extents(static_cast<size_t>(parameter.min_rank), 1),
                             FirstDType(MaskOf(index)),
                             static_cast<aclFormat>(FirstFormat(parameter.formats))};
    const bool is_list = parameter.kind == Kind::kTensorList;
    return [index, spec, is_list](CallArguments& a) {
      is_list ? a.Tensors(index, {spec}) : a.Tensor(index, spec);
    };
  }

  void OfAbsent(const Rule& rule) {
    for (int index = 0; index < static_cast<int>(contract_.parameters.size()); ++index) {
      if (!rule.IsAbout(index)) continue;
      const std::set<std::string> related = {contract_.At(index).name};
      cases_.violations.push_back({rule.id, WithSomeTensor(index), related});
    }
  }

  void OfWanted(const Rule& rule) {
    const Kind kind = contract_.At(rule.other).kind;
    const double number = kind == Kind::kReal ? valid_.At(rule.other).real
                                              : static_cast<double>(valid_.At(rule.other).integer);
    // Which number asks for it is a test's matter where the valid call does not.
    if (kind != Kind::kBoolArray && kind != Kind::kBool && number == rule.unless) return;
    Add(rule, [&rule, kind](CallArguments& a) {
      if (kind == Kind::kBool) a.Bool(rule.other, true);
      a.Null(rule.subject);
    });
  }

  // One less than there are, or one where there are none.
  void OfCountOf(const Rule& rule) {
    if (contract_.At(rule.subject).kind != Kind::kIntArray || !Given(rule.subject)) return;
    Extents values = valid_.IntsAt(rule.subject);
    values.empty() ? values.push_back(0) : values.pop_back();
    Add(rule, [&rule, values](CallArguments& a) { a.Ints(rule.subject, values); });
  }

  // A dimension that is longer, or a new one.
  void OfElements(const Rule& rule) {
    if (!Given(rule.subject)) return;
    Extents shape = ShapeAt(rule.subject);
    shape.empty() ? shape.push_back(2) : void(++shape.back());
    const std::set<std::string> related = {contract_.At(rule.subject).name};
    cases_.violations.push_back({rule.id, WithShape(rule.subject, shape), related});
  }

  void OfCount(const Rule& rule) {
    const int index = rule.subject;
    const Kind kind = contract_.At(index).kind;
    const contract::Bounds& bounds = rule.bounds;
    std::vector<size_t> wrong;
    if (std::isfinite(bounds.most)) wrong.push_back(static_cast<size_t>(bounds.most) + 1);
    if (bounds.least >= 1) wrong.push_back(static_cast<size_t>(bounds.least) - 1);
    for (size_t count : wrong) {
      if (kind == Kind::kIntArray) {
        Add(rule, [=](CallArguments& a) { a.Ints(index, Extents(count, 1)); });
      } else if (kind == Kind::kFloatArray) {
        Add(rule, [=](CallArguments& a) { a.Floats(index, std::vector<float>(count, 1)); });
      } else if (kind == Kind::kBoolArray) {
        Add(rule, [=](CallArguments& a) { a.Bools(index, std::vector<uint8_t>(count, 1)); });
      } else if (kind == Kind::kScalarList) {
        Add(rule, [=](CallArguments& a) {
          a.Scalars(index, std::vector<double>(count, 1), DType::kFloat32);
        });
      } else if (const std::vector<TensorSpec> specs = valid_.Specs(index); !specs.empty()) {
        Add(rule, [=](CallArguments& a) {
          a.Tensors(index, std::vector<TensorSpec>(count, specs.front()));
        });
      }
    }
  }

  void OfPair(const Rule& rule) {
    if (!Given(rule.subject) || !Given(rule.other)) return;
    const Parameter& parameter = contract_.At(rule.subject);
    Extents shape = ShapeAt(rule.subject);
    const int rank = static_cast<int>(shape.size());
    if (rule.kind == RuleKind::kSameShape && !shape.empty()) {
      ++shape.back();
    } else if (rank < parameter.max_rank) {
      shape.push_back(2);
    } else if (rank > parameter.min_rank) {
      shape.pop_back();
    } else {
      return;
    }
    Add(rule, WithShape(rule.subject, shape));
  }

  void OfReduction(const Rule& rule) {
    if (!Given(rule.subject) || !Given(rule.other)) return;
    Extents shape = ShapeAt(rule.subject);
    shape.empty() ? shape.push_back(2) : void(++shape.back());
    Add(rule, WithShape(rule.subject, shape));
  }

  void OfBroadcast(const Rule& rule) {
    const bool in_place = rule.output == rule.subject;
    if (!Given(rule.output) || !Given(rule.subject) || !Given(rule.other)) return;
    // The output one larger, and in place, where it may stay right, an input of more dimensions.
    const int index = in_place ? rule.other : rule.output;
    Extents shape = ShapeAt(index);
    if (in_place) {
      shape = ShapeAt(rule.output);
      if (shape.size() == contract::ShapePattern::kMost) return;
      shape.insert(shape.begin(), 2);
    } else if (shape.empty()) {
      shape.push_back(2);
    } else {
      ++shape.back();
    }
    Add(rule, WithShape(index, shape));
    // Two inputs whose last extents are different numbers above one.
    Extents a = ShapeAt(rule.subject);
    if (in_place || a.empty()) return;
    a.back() = 3;
    const Mutation first = WithShape(rule.subject, a);
    const Mutation second = WithShape(rule.other, {2});
    std::set<std::string> related = {contract_.At(rule.subject).name,
                                     contract_.At(rule.other).name};
    cases_.violations.push_back({rule.id,
                                 [first, second](CallArguments& call) {
                                   first(call);
                                   second(call);
                                 },
                                 related});
  }

  const Contract& contract_;
  CallArguments& valid_;
  RuleCases cases_;
};

}  // namespace

RuleCases CasesOf(const Contract& contract, CallArguments& valid) {
  return Cases(contract, valid).Find();
}

DType FirstDType(contract::DTypeMask mask) {
  const std::vector<DType> dtypes = DTypesOf(mask);
  return dtypes.empty() ? DType::kFloat32 : dtypes.front();
}

DType DTypeOutside(contract::DTypeMask mask) {
  for (DType dtype : {DType::kComplex128, DType::kComplex32, DType::kInt4, DType::kUInt16}) {
    if (!contract::Has(mask, dtype)) return dtype;
  }
  return DType::kString;
}

int FirstFormat(contract::FormatMask mask) {
  if ((mask >> contract::kNd & 1) != 0) return contract::kNd;
  int format = 0;
  while ((mask >> format & 1) == 0) ++format;
  return format;
}

}  // namespace aclimb::testing
