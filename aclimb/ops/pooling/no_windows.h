#pragma once

#include "aclimb/contract/arguments.h"
#include "aclimb/pieces/pieces.h"

namespace aclimb::pooling {

// The plan of a gradient of no windows, though there may be very many along one of the dimensions:
// zeros for the parameter `to`.
inline Result<PlanPointer> MakePlanOfNoWindows(const contract::Arguments& arguments,
                                               Planner& planner, int to) {
  pieces::Pieces pieces;
  pieces.Fill(0.0, pieces::View(arguments, to));
  return pieces.Finish(planner);
}

}  // namespace aclimb::pooling
