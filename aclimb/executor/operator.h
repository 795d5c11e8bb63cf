#pragma once

#include <atomic>

#include "aclimb/contract/contract.h"
#include "aclimb/executor/plan.h"

namespace aclimb {

class RecentCalls;

// One operator: what it accepts, how it plans, and its own memory of the calls that came last. Both
// phases take it. Defined once beside the C functions:
//   constinit Operator kOperator(kContract, MakePlan);
class Operator {
 public:
  constexpr Operator(const contract::Contract& contract, PlanFunction make_plan)
      : contract_(contract), plan_(make_plan) {}
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  const contract::Contract& contract() const { return contract_; }
  PlanFunction plan() const { return plan_; }

  // Made when they are asked for first; never destroyed, since plans may still run at exit.
  RecentCalls& recent_calls() {
    RecentCalls* const made = recent_calls_.load(std::memory_order_acquire);
    return made != nullptr ? *made : MakeRecentCalls();
  }

 private:
  RecentCalls& MakeRecentCalls();

  const contract::Contract& contract_;
  const PlanFunction plan_;
  std::atomic<RecentCalls*> recent_calls_{nullptr};
};

}  // namespace aclimb
