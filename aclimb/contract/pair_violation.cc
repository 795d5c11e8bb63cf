#include <algorithm>

#include "aclimb/contract/given.h"
#include "aclimb/contract/promotion.h"
#include "aclimb/contract/violation.h"
#include "aclimb/core/text.h"

namespace aclimb::contract {
namespace {

std::string Differ(const Contract& contract, const GivenTensor& a, const GivenTensor& b,
                   const char* property, std::string (*value)(const GivenTensor&),
                   const std::string& expected) {
  return Cat(NameOf(contract, a), ".", property, " is ", value(a), " but ", NameOf(contract, b),
             ".", property, " is ", value(b), "; expected ", expected, ".");
}

std::optional<std::string> Wrong(const Contract& contract, const Rule& rule, const GivenTensor& a,
                                 const GivenTensor& b) {
  if (rule.kind == RuleKind::kSameDType) {
    if (a->dtype == b->dtype) return std::nullopt;
    return Differ(contract, a, b, "dtype", &DTypeOf, "equal dtypes");
  }
  if (rule.kind == RuleKind::kSameDTypeOr) {
    if (a->dtype == b->dtype || Has(rule.dtypes, a->dtype)) return std::nullopt;
    return Differ(contract, a, b, "dtype", &DTypeOf,
                  Has(rule.dtypes, b->dtype) ? Text(rule.dtypes)
                                             : Cat(DTypeOf(b), " or ", Text(rule.dtypes)));
  }
  if (rule.kind == RuleKind::kConvertsTo) {
    if (ResultConverts(a->dtype, b->dtype)) return std::nullopt;
    return Differ(contract, b, a, "dtype", &DTypeOf,
                  Cat("an output dtype that ", DTypeOf(a), " converts to"));
  }
  if (rule.kind == RuleKind::kSameRank) {
    if (a->rank() == b->rank()) return std::nullopt;
    return Differ(contract, a, b, "shape", &ShapeOf, "equal ranks");
  }
  if (a->shape == b->shape) return std::nullopt;
  return Differ(contract, a, b, "shape", &ShapeOf, "equal shapes");
}

}  // namespace

std::optional<std::string> PairViolation(const Contract& contract, const Rule& rule,
                                         const Arguments& arguments) {
  const size_t count_a = TensorCount(contract, arguments, rule.subject);
  const size_t count_b = TensorCount(contract, arguments, rule.other);
  const bool a_is_list = contract.At(rule.subject).kind == Kind::kTensorList;
  const bool b_is_list = contract.At(rule.other).kind == Kind::kTensorList;
  if (a_is_list && b_is_list && count_a != count_b) {
    const auto has = [&](int index, size_t count) {
      return Cat(contract.At(index).name, " has ", count, count == 1 ? " tensor" : " tensors");
    };
    return Cat(has(rule.subject, count_a), " but ", has(rule.other, count_b),
               "; expected equally many.");
  }
  const bool within = rule.subject == rule.other;
  const size_t pairs = a_is_list ? count_a : count_b;
  for (size_t i = 0; i < pairs; ++i) {
    const GivenTensor a = TensorAt(contract, arguments, rule.subject, a_is_list ? i : 0);
    const GivenTensor b = TensorAt(contract, arguments, rule.other, b_is_list && !within ? i : 0);
    if (!a || !b) continue;
    if (auto wrong = Wrong(contract, rule, a, b)) return wrong;
  }
  return std::nullopt;
}

}  // namespace aclimb::contract
