#pragma once

#include "aclimb/truth/draw.h"

namespace aclimb::fuzz {

using truth::Draw;
using truth::Stream;

}  // namespace aclimb::fuzz
