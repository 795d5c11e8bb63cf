#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "aclimb/contract/contract.h"
#include "tests/support/call_arguments.h"
#include "tests/support/rule_cases.h"

namespace aclimb::testing {

// What all cases of rules are made with, from a valid call.
class CaseMaker {
 public:
  using Mutation = std::function<void(CallArguments&)>;
  using Extents = std::vector<int64_t>;

  // Cases are added to `cases`.
  CaseMaker(const contract::Contract& contract, CallArguments& valid, RuleCases& cases)
      : contract_(contract), valid_(valid), cases_(cases) {}

 protected:
  bool Given(int index) {
    return !contract::IsPointer(contract_.At(index).kind) || valid_.At(index).handle != nullptr;
  }

  void Add(const contract::Rule& rule, Mutation mutate) {
    cases_.violations.push_back({rule.id, std::move(mutate), {}});
  }

  // Replaces a tensor, or the last one of a list.
  Mutation Changed(int index, const std::function<void(TensorSpec&)>& change) {
    std::vector<TensorSpec> specs = valid_.Specs(index);
    change(specs.back());
    const contract::Parameter& parameter = contract_.At(index);
    specs.back().format = static_cast<aclFormat>(FirstFormat(parameter.formats));
    specs.back().stride.clear();
    const bool in_list = parameter.kind == contract::Kind::kTensorList;
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
  contract::DTypeMask MaskOf(int index) { return contract_.At(index).dtypes[Product::kA2]; }

  const contract::Contract& contract_;
  CallArguments& valid_;
  RuleCases& cases_;
};

}  // namespace aclimb::testing
