#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "aclimb/truth/call.h"
#include "aclimb/truth/operator_entry.h"
#include "aclnn/acl_meta.h"

namespace aclimb::testing {

// A tensor of a problem: an input has its bytes, an output only its size.
struct SoakTensor {
  truth::Slot slot = 0;
  std::vector<int64_t> shape;
  aclDataType dtype = ACL_FLOAT;
  aclFormat format = ACL_FORMAT_ND;
  size_t bytes = 0;
  std::vector<unsigned char> values;  // empty: an output
};

// A call of one operator with random shapes and data; its outputs are not empty.
struct SoakProblem {
  explicit SoakProblem(truth::Call drawn) : call(std::move(drawn)) {}

  truth::Call call;
  std::vector<SoakTensor> tensors;
  const truth::OperatorEntry* entry = nullptr;

  // Phase 1, with a descriptor for each tensor, and phase 2. The descriptors in lists die with
  // their list after phase 1: they are null then.
  aclnnStatus Plan(std::vector<aclTensor*>& handles, uint64_t* size,
                   aclOpExecutor** executor) const;
  aclnnStatus Run(void* workspace, uint64_t size, aclOpExecutor* executor,
                  aclrtStream stream) const;
};

// The same problem for the same seed.
std::unique_ptr<SoakProblem> MakeSoakProblem(const truth::OperatorEntry& entry, uint64_t seed);

}  // namespace aclimb::testing
