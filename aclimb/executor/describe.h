#pragma once

#include <string>

#include "aclimb/contract/contract.h"

namespace aclimb {

// The arguments of one phase-1 call as a JSON object, for traces and records:
//   {"gradOutput": {"tensor": {"dtype": "FLOAT", "shape": [2, 3], "strides": [3, 1], "offset": 0,
//                              "storage": [6], "format": "ND"}},
//    "alpha": {"scalar": 1, "dtype": "FLOAT"}, "isResult": false, "biasSizes": null}
// Numbers are written so that they read back as the same value; NaN and infinities as texts.
std::string DescribeArguments(const contract::Contract& contract,
                              const contract::Arguments& arguments);

}  // namespace aclimb
