#pragma once

#include <array>
#include <cstdint>

#include "aclimb/contract/arguments.h"
#include "aclimb/executor/plan.h"

// Plans of problems that were planned before. A layer that trains asks for the same one again and
// again; finding it costs neither the heap nor oneDNN's descriptions.
namespace aclimb::convolution_backward {

// All that a plan depends on: shapes, strides, dtypes and attributes, the team and the wish for
// deterministic sums; nothing of the tensors' addresses.
class PlanKey {
 public:
  // The arguments obey the contract.
  PlanKey(const contract::Arguments& arguments, const Planner& planner);
  bool operator==(const PlanKey& other) const {
    return hash_ == other.hash_ && words_ == other.words_;
  }

 private:
  std::array<int64_t, 96> words_ = {};
  uint64_t hash_ = 0;
};

// A plan for the same key that was kept, with its workspace booked; null when there is none.
// Thread-safe, as is KeepPlan.
PlanPointer FindPlan(const PlanKey& key, Planner& planner);

// Keeps the plan for equal keys; `planner` has booked its workspace and nothing else. The least
// recently used plan goes when there are more than a large net has layers.
void KeepPlan(const PlanKey& key, const Planner& planner, PlanPointer plan);

}  // namespace aclimb::convolution_backward
