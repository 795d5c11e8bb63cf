#pragma once

#include <cstdint>
#include <vector>

#include "aclimb/truth/call.h"
#include "aclimb/truth/draw.h"
#include "aclimb/truth/draw_dtypes.h"
#include "aclimb/truth/draw_shapes.h"

// Calls by chance. What is drawn is a proper call with numbers as programs have them; who wants
// others (a wild scalar, a handle of another kind, an unusual view) spoils it afterwards.
namespace aclimb::truth {

// Numbers of [-4, 4], zeros of both signs and whole numbers among them, as the dtype has them:
// whole numbers of one without fractions, none below 0 of one without sign.
std::vector<double> DrawValues(Draw& draw, DType dtype, int64_t count);
// Numbers of [0, end), many of them the same now and then.
std::vector<double> DrawIndices(Draw& draw, int64_t count, int64_t end);

// A call by what the contract says of each parameter and by its rules of kinds other than kCustom:
// shapes that broadcast, dtypes that promote, numbers within bounds. Marks what a rule of the
// operator's own refuses as strange.
void DrawFromContract(Draw& draw, Call& call);

}  // namespace aclimb::truth
