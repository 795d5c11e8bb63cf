#include "tests/support/rule_cases.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aclimb/contract/check.h"
#include "aclimb/contract/shapes.h"
#include "tests/support/case_maker.h"
#include "tests/support/dtype_cases.h"

namespace aclimb::testing {
namespace {

using contract::Contract;
using contract::Dimension;
using contract::Kind;
using contract::Parameter;
using contract::Rule;
using contract::RuleKind;

// No aclDataType.
constexpr int64_t kNoDType = 99;

class Cases : CaseMaker {
 public:
  using CaseMaker::CaseMaker;

  void Find() {
    for (size_t i = 0; i < contract_.parameters.size(); ++i) OfShape(static_cast<int>(i));
    for (const Rule& rule : contract_.rules) OfRule(rule);
  }

 private:
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
    // Beside any dimensions, those that an array tells: it tells others.
    if (pattern.IsOpen() && pattern[entry].kind == Dimension::Kind::kArray) {
      const int array = contract_.IndexOf(pattern[entry].name);
      Extents values = valid_.IntsAt(array);
      if (values.empty()) return;
      values.back() += 2;
      return cases_.violations.push_back(
          {id, [array, values](CallArguments& a) { a.Ints(array, values); }});
    }
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
      case RuleKind::kConvertsTo:
      case RuleKind::kPromotes:
      case RuleKind::kConvertsToFloat:
      case RuleKind::kScalarFits:
      case RuleKind::kInDType:
        return AddDTypeCases(contract_, rule, valid_, cases_);
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
    std::vector<uint8_t> mask = valid_.BoolsAt(rule.other);
    if (static_cast<size_t>(rule.entry) < mask.size()) mask[static_cast<size_t>(rule.entry)] = 1;
    Add(rule, [&rule, kind, mask](CallArguments& a) {
      if (kind == Kind::kBool) a.Bool(rule.other, true);
      if (kind == Kind::kBoolArray) a.Bools(rule.other, mask);
      a.Null(rule.subject);
    });
  }

  // One less than there are, or one where there are none; of scalars one more than tensors.
  void OfCountOf(const Rule& rule) {
    const int index = rule.subject;
    if (!Given(index)) return;
    if (contract_.At(index).kind == Kind::kScalarList) {
      const std::vector<double> values(valid_.Specs(rule.other).size() + 1, 1);
      return Add(rule, [=](CallArguments& a) { a.Scalars(index, values, DType::kInt32); });
    }
    if (contract_.At(index).kind != Kind::kIntArray) return;
    Extents values = valid_.IntsAt(index);
    values.empty() ? values.push_back(0) : values.pop_back();
    Add(rule, [=](CallArguments& a) { a.Ints(index, values); });
  }

  // A dimension that is longer, or a new one.
  void OfElements(const Rule& rule) {
    if (!Given(rule.subject)) return;
    Extents shape = ShapeAt(rule.subject);
    // What counts as null may be right with one element.
    const bool is_empty = std::ranges::count(shape, 0) != 0;
    if (is_empty && contract_.At(rule.subject).empty_is_absent) return;
    shape.empty() ? shape.push_back(2) : void(++shape.back());
    const std::set<std::string> related = {contract_.At(rule.subject).name};
    cases_.violations.push_back({rule.id, WithShape(rule.subject, shape), related});
    // Another tensor may have that shape too: then a number says more.
    const bool by_number = rule.other >= 0 && contract_.At(rule.other).kind == Kind::kInteger;
    if (!by_number || is_empty) return;
    const int64_t more = valid_.At(rule.other).integer + 1;
    Add(rule, [&rule, more](CallArguments& a) { a.Integer(rule.other, more); });
    cases_.violations.back().related = related;
    cases_.violations.back().instead = true;
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
      } else if (const size_t size = valid_.Specs(index).size(); size != 0) {
        const auto longer = [&](int p) {
          return std::vector<TensorSpec>(count, valid_.Specs(p).front());
        };
        Add(rule, [index, specs = longer(index)](CallArguments& a) { a.Tensors(index, specs); });
        // Lists that are equally long stay so.
        std::vector<std::pair<int, std::vector<TensorSpec>>> lists;
        for (int p = 0; p < static_cast<int>(contract_.parameters.size()); ++p) {
          if (contract_.At(p).kind == Kind::kTensorList && valid_.Specs(p).size() == size) {
            lists.emplace_back(p, longer(p));
          }
        }
        Add(rule, [lists](CallArguments& a) {
          for (const auto& [list, specs] : lists) a.Tensors(list, specs);
        });
        cases_.violations.back().instead = true;
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
      if (static_cast<int>(shape.size()) < contract_.At(index).max_rank) {
        shape.insert(shape.begin(), 2);
      } else if (!shape.empty()) {
        shape.back() += 2;
      } else {
        return;
      }
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
};

}  // namespace

RuleCases CasesOf(const Contract& contract, CallArguments& valid) {
  RuleCases cases;
  Cases(contract, valid, cases).Find();
  return cases;
}

std::vector<DType> DTypesOf(contract::DTypeMask mask) {
  std::vector<DType> dtypes;
  for (int i = 0; i < 64; ++i) {
    if (contract::Has(mask, static_cast<DType>(i))) dtypes.push_back(static_cast<DType>(i));
  }
  return dtypes;
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
