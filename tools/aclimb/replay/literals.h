#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aclimb/core/dtype.h"

// Values as C++ source text.
namespace aclimb::cli {

// "float", "uint16_t": what an array of the dtype's elements is made of; of complex ones, of their
// parts.
const char* ElementType(DType dtype);
// "ACL_FLOAT"; "ACL_FORMAT_ND".
std::string DTypeConstant(DType dtype);
std::string FormatConstant(int32_t format);

std::string IntegerLiteral(int64_t value);
// With a point or an exponent: "1.0", "1.5e-07", "NAN", "-INFINITY".
std::string RealLiteral(double value, bool single);
// "{1, 2}"
std::string IntegerList(const std::vector<int64_t>& values);
// A quoted text.
std::string TextLiteral(const std::string& text);
// The initialiser of an array of ElementType: half types as their bits.
std::string ElementList(const std::vector<unsigned char>& bytes, DType dtype);

}  // namespace aclimb::cli
