#pragma once

#include <cstdint>
#include <vector>

#include "aclimb/truth/call.h"
#include "aclimb/truth/draw.h"

// For operators whose arguments depend on each other in ways that no rule tells: they draw one
// tensor, make the others fit, and call MarkUnlessObeyed().
namespace aclimb::truth {

// A tensor that its parameter accepts, of a shape that is given or drawn too, with values unless it
// is an output.
void DrawTensor(Draw& draw, Call& call, Slot slot);
void DrawTensor(Draw& draw, Call& call, Slot slot, std::vector<int64_t> shape);
void DrawTensor(Draw& draw, Call& call, Slot slot, std::vector<int64_t> shape, DType dtype);

// Marks what the contract refuses as strange.
void MarkUnlessObeyed(Draw& draw, const Call& call);

}  // namespace aclimb::truth
