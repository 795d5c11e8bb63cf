#pragma once

#include <cstdint>

#include "aclimb/core/tensor_view.h"
#include "aclimb/executor/plan.h"
#include "aclimb/ops/sorts/order.h"
#include "aclimb/simd/walk.h"

namespace aclimb::sorts {

// What of the order of each line is written. Outputs that an operator has not are -1; with keepdim
// theirs have the dimension of the lines too.
struct LineTask {
  int self = 0;
  int values = -1;
  int indices = -1;
  int dim = 0;
  Order order;
  int64_t wanted = 0;       // of the line in its order
  bool last_alone = false;  // only the last of them is written, or
  bool nan_first = false;   // the first NaN if there is one
  bool flat = false;        // all of self is one line
};

// Phase 1 of an operator whose self is not empty.
PlanPointer MakeLinePlan(const contract::Arguments& arguments, Planner& planner,
                         const LineTask& task);

// Of the entries of a line; negative when that is past int64.
int64_t EntryBytes(DType dtype, int64_t length);

}  // namespace aclimb::sorts
