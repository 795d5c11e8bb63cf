#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/ops/convolution_backward/layer.h"
#include "tests/support/contract_harness.h"

// Refusals as tables: a rule, and how a valid call comes to break it.
namespace aclimb::convolution_backward {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using Mutation = aclimb::testing::ContractChecks::Mutation;

inline Mutation Shape(int parameter, const Sizes& shape, DType dtype = DType::kFloat32,
                      aclFormat format = ACL_FORMAT_ND) {
  return [=](CallArguments& a) { a.Tensor(parameter, shape, dtype, format); };
}
inline Mutation Ints(int parameter, const Sizes& values) {
  return [=](CallArguments& a) { a.Ints(parameter, values); };
}
inline Mutation Integer(int parameter, int64_t value) {
  return [=](CallArguments& a) { a.Integer(parameter, value); };
}
inline Mutation Null(int parameter) {
  return [=](CallArguments& a) { a.Null(parameter); };
}
inline Mutation All(const std::vector<Mutation>& mutations) {
  return [=](CallArguments& a) {
    for (const Mutation& mutate : mutations) mutate(a);
  };
}

struct Refused {
  const char* rule;
  Mutation mutate;
  std::optional<std::set<std::string>> related = {};
};

inline void ExpectRefused(aclimb::testing::ContractChecks& harness,
                          std::span<const Refused> refused) {
  for (const Refused& each : refused) harness.ExpectRule(each.rule, each.mutate, each.related);
}

}  // namespace aclimb::convolution_backward
