#include "tests/support/accepted_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "tests/support/call_arguments.h"
#include "tests/support/operator_run.h"

namespace aclimb::testing {
namespace {

using truth::Slot;

bool IsAccepted(const truth::OperatorEntry& entry, const truth::Call& call) {
  CallArguments arguments(entry.contract->parameters.size());
  Fill(arguments, call);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  if (CallPhase1(entry, arguments, &size, &executor) != 0) return false;
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
  return true;
}

}  // namespace

std::optional<truth::Call> WithDTypes(const truth::OperatorEntry& entry, truth::Call call,
                                      std::initializer_list<OfTensor> dtypes) {
  for (const auto& [parameter, dtype] : dtypes) {
    if (!call.Touched(parameter)) return std::nullopt;
    for (const Slot slot : call.Tensors()) {
      if (slot.parameter != parameter) continue;
      std::vector<double> values = call.Values(slot);
      // No dtype is without one of these.
      for (double& value : values) value = std::fabs(value);
      call.SetTensor(slot, call.Shape(slot), dtype, std::move(values));
    }
  }
  if (!IsAccepted(entry, call)) return std::nullopt;
  return call;
}

bool AcceptsEmpty(const truth::OperatorEntry& entry, const truth::Call& call) {
  std::set<int64_t> extents;
  for (const Slot slot : call.Tensors()) {
    extents.insert(call.Shape(slot).begin(), call.Shape(slot).end());
  }
  return std::ranges::any_of(extents, [&](int64_t extent) {
    truth::Call empty = call;
    for (const Slot slot : call.Tensors()) {
      std::ranges::replace(empty.At(slot).shape, extent, 0);
    }
    return IsAccepted(entry, empty);
  });
}

}  // namespace aclimb::testing
