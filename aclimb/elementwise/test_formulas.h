#pragma once

#include "aclimb/elementwise/runs.h"

// Formulas of the family's own tests.
namespace aclimb::elementwise::testing {

struct Attributes {
  double factor;
};

enum TestFormula : int {
  kScaledSum,  // factor * x + y, of vectors and scalars
  kLess,       // x < y, a BOOL of every type
  kWeighted,   // x + y * z, of three inputs
  kThird,      // x / 3, in float32 and half types
  kChoose      // mask ? x : y, of every type
};

Formula TestFormulaOf(TestFormula number);

}  // namespace aclimb::elementwise::testing
