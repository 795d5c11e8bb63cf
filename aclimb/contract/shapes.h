#pragma once

#include <cstdint>
#include <limits>

#include "aclimb/contract/contract.h"
#include "aclimb/core/status.h"

namespace aclimb::contract {

// Holds the shapes against their patterns, in the order of the parameters, and returns the first
// violation. Ranks were checked before.
Status CheckShapes(const Contract& contract, const Arguments& arguments);

// The first entry of the parameter's pattern that a shape can violate, since a number, an attribute
// or another parameter tells what stands there: one of a single dimension if there is one. -1 when
// every shape of the right rank will do, and without a pattern.
int CheckedEntry(const Contract& contract, int parameter);

// Whether a call whose ranks are right can violate the pattern; an int array can by its length.
bool CanViolateShape(const Contract& contract, int parameter);

// "boxes has the shape [K, 5]", for the operator's page.
std::string ShapeStatement(const Parameter& parameter);
// What to do about a wrong one when the call is not known.
std::string ShapeFix(const Parameter& parameter);

// The product of two extents, or the largest number: no tensor has an extent that overflows.
inline int64_t ExtentProduct(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

}  // namespace aclimb::contract
