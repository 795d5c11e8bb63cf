#include "aclimb/truth/draw_dtypes.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "aclimb/contract/promotion.h"

namespace aclimb::truth {
namespace {

using contract::DTypeMask;
using contract::Kind;
using contract::Parameter;
using contract::Role;
using contract::Rule;
using contract::RuleKind;

// Of the scalars' dtypes that convert to float32.
constexpr DTypeMask kScalarDTypes =
    contract::kFloatDTypes | contract::DTypes(DType::kFloat64, DType::kInt32, DType::kInt64,
                                              DType::kUInt8, DType::kBool, DType::kInt8);

bool IsScalar(const Parameter& parameter) {
  return parameter.kind == Kind::kScalar || parameter.kind == Kind::kScalarList;
}

// One assignment, made parameter by parameter; what is not assigned so far violates no rule.
class Assignment {
 public:
  Assignment(Draw& draw, const contract::Contract& contract, const std::vector<bool>& present)
      : draw_(draw),
        contract_(contract),
        present_(present),
        dtypes_(contract.parameters.size(), DType::kUndefined) {}

  // False when no dtype is left for one.
  bool Make() {
    const auto make_all = [&](auto&& is_next) {
      bool made = true;
      for (int p = 0; p < static_cast<int>(dtypes_.size()); ++p) {
        if (Present(p) && is_next(contract_.At(p))) made = Make(p) && made;
      }
      return made;
    };
    const auto is_result = [](const Parameter& of) { return of.role == Role::kOutput; };
    bool made = make_all(
        [&](const Parameter& of) { return contract::HasTensors(of.kind) && !is_result(of); });
    made = make_all([](const Parameter& of) { return IsScalar(of); }) && made;
    return make_all([&](const Parameter& of) {
             return contract::HasTensors(of.kind) && is_result(of);
           }) &&
           made;
  }

  const std::vector<DType>& dtypes() const { return dtypes_; }

 private:
  bool Present(int p) const { return p >= 0 && present_[static_cast<size_t>(p)]; }
  DType& At(int p) { return dtypes_[static_cast<size_t>(p)]; }

  // Zeros draw FLOAT, or what the tensor before it has.
  bool Make(int p) {
    const DTypeMask mask = MaskOf(p);
    DTypeMask fitting = 0;
    for (int i = 0; i < 64; ++i) {
      const auto dtype = static_cast<DType>(i);
      At(p) = dtype;
      if (contract::Has(mask, dtype) && ObeysAll()) fitting |= contract::DTypes(dtype);
    }
    const bool made = fitting != 0;
    if (!made) fitting = mask;
    const bool is_scalar = IsScalar(contract_.At(p));
    const uint8_t byte = draw_.Byte();
    const DType usual = is_scalar && byte < 128 ? DType::kFloat32 : last_;
    const bool as_usual = byte < (is_scalar ? 192 : 128) && contract::Has(fitting, usual);
    At(p) = as_usual ? usual : DrawDType(draw_, fitting);
    if (!is_scalar) last_ = At(p);
    return made;
  }

  // What all that have to be of one dtype accept.
  DTypeMask MaskOf(int p) const {
    if (IsScalar(contract_.At(p))) return kScalarDTypes;
    DTypeMask mask = ~DTypeMask{0};
    std::vector<bool> same(dtypes_.size());
    same[static_cast<size_t>(p)] = true;
    // Once for each rule, so that chains of them are followed.
    for (size_t again = 0; again <= contract_.rules.size(); ++again) {
      for (const Rule& rule : contract_.rules) {
        if (rule.kind != RuleKind::kSameDType) continue;
        const auto a = static_cast<size_t>(rule.subject), b = static_cast<size_t>(rule.other);
        same[a] = same[b] = same[a] || same[b];
      }
    }
    for (size_t i = 0; i < same.size(); ++i) {
      const DTypeMask own = contract_.parameters[i].dtypes[draw_.product()];
      if (same[i] && own != 0) mask &= own;
    }
    // A chip without the operator refuses whatever dtype; a call has to have one.
    return mask == 0 || mask == ~DTypeMask{0} ? contract::kFloatDTypes : mask;
  }

  bool IsAssigned(int p) { return Present(p) && At(p) != DType::kUndefined; }

  bool ObeysAll() {
    return std::ranges::all_of(contract_.rules, [&](const Rule& rule) { return Obeys(rule); });
  }

  bool Obeys(const Rule& rule) {
    if (rule.kind == RuleKind::kPromotes) return ObeysPromotion(rule);
    if (rule.kind == RuleKind::kScalarFits) return ObeysFit(rule);
    if (!IsAssigned(rule.subject) || !IsAssigned(rule.other)) return true;
    if (rule.kind == RuleKind::kSameDType) return At(rule.subject) == At(rule.other);
    if (rule.kind == RuleKind::kSameDTypeOr) {
      return At(rule.subject) == At(rule.other) || contract::Has(rule.dtypes, At(rule.subject));
    }
    if (rule.kind != RuleKind::kConvertsTo) return true;
    return contract::ResultConverts(At(rule.subject), At(rule.other));
  }

  // What is assigned of the parameters has no common dtype.
  static constexpr DType kNone = DType::kString;

  // kUndefined unless all are assigned.
  DType CommonOf(std::initializer_list<int> parameters) {
    std::optional<DType> common;
    bool all = true, of_scalars = false;
    // The order does not matter but for scalars, which come after the tensors.
    for (const bool scalars : {false, true}) {
      for (const int p : parameters) {
        if (!Present(p) || IsScalar(contract_.At(p)) != scalars) continue;
        if (!IsAssigned(p)) {
          all = false;
        } else if (!common) {
          common = At(p);
          of_scalars = scalars;
        } else {
          common = scalars && !of_scalars ? contract::PromoteTensorAndScalar(*common, At(p))
                                          : contract::PromoteTensors(*common, At(p));
          if (!common) return kNone;
        }
      }
    }
    return all && common ? *common : DType::kUndefined;
  }

  bool ObeysPromotion(const Rule& rule) {
    const DType common = CommonOf({rule.subject, rule.other, rule.third});
    if (common == kNone) return false;
    if (common == DType::kUndefined || !IsAssigned(rule.output)) return true;
    return contract::ResultConverts(common, At(rule.output));
  }

  bool ObeysFit(const Rule& rule) {
    const DType common = CommonOf({rule.other, rule.third});
    const bool whole = common == DType::kBool || IsInteger(common);
    return !IsAssigned(rule.subject) || !whole || !IsFloating(At(rule.subject));
  }

  Draw& draw_;
  const contract::Contract& contract_;
  const std::vector<bool>& present_;
  std::vector<DType> dtypes_;
  DType last_ = DType::kUndefined;
};

}  // namespace

DType DrawDType(Draw& draw, contract::DTypeMask mask) {
  // A chip that has none refuses whatever comes.
  if (mask == 0) return DType::kFloat32;
  std::vector<DType> dtypes;
  for (int i = 0; i < 64; ++i) {
    if (contract::Has(mask, static_cast<DType>(i))) dtypes.push_back(static_cast<DType>(i));
  }
  return dtypes[static_cast<size_t>(draw.Below(static_cast<int64_t>(dtypes.size())))];
}

std::vector<DType> DrawDTypes(Draw& draw, const contract::Contract& contract,
                              const std::vector<bool>& present) {
  // An input may leave no dtype for what comes after it.
  constexpr int kTries = 16;
  for (int again = 0;; ++again) {
    Assignment assignment(draw, contract, present);
    if (assignment.Make() || again + 1 == kTries) return assignment.dtypes();
  }
}

}  // namespace aclimb::truth
