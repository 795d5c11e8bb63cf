#pragma once

#include "aclimb/executor/plan.h"
#include "aclimb/ops/losses/formulas.h"

namespace aclimb::losses {

enum Reduction : int64_t { kNone, kMean, kSum, kMeanOfBatch };

// What an operator computes of its operands, which broadcast.
struct LossTask {
  Formula formula = nullptr;
  float attribute = 0;
  // Parameters, or -1 for an operand that is not there and counts as 1.
  int operands[kMostOperands] = {-1, -1, -1, -1, -1};
  int operand_count = 0;
  int out = 0;
  bool sums = false;  // out is one element
  double factor = 1;  // of every element, or of the sum
};

// Elements are float32 while they are computed and rounded once. Sums are made in blocks that
// follow from the shapes alone, in float32 and then in double; they need no workspace.
PlanPointer MakeLossPlan(const contract::Arguments& arguments, Planner& planner,
                         const LossTask& task);

// The number of elements of the shape that tensors broadcast to.
double BroadcastCount(const contract::Arguments& arguments, std::initializer_list<int> tensors);

}  // namespace aclimb::losses
