#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "aclnn/acl_meta.h"

namespace aclimb::testing {

// A tensor of a problem: an input has its bytes, an output only its size.
struct SoakTensor {
  std::vector<int64_t> shape;
  aclDataType dtype = ACL_FLOAT;
  aclFormat format = ACL_FORMAT_ND;
  size_t bytes = 0;
  std::vector<char> values;  // empty: an output
};

// A call of one operator with random shapes and data.
struct SoakProblem {
  std::string name;
  std::vector<SoakTensor> tensors;
  // Phase 1, with a descriptor for each tensor.
  std::function<aclnnStatus(const std::vector<aclTensor*>&, uint64_t*, aclOpExecutor**)> plan;
  aclnnStatus (*run)(void*, uint64_t, aclOpExecutor*, aclrtStream) = nullptr;
};

inline constexpr int kSoakOperators = 5;
extern const char* const kSoakNames[kSoakOperators];

// The same problem for the same seed. `kind` is below kSoakOperators.
std::unique_ptr<SoakProblem> MakeSoakProblem(int kind, uint64_t seed);

}  // namespace aclimb::testing
