#include "tools/aclimb/replay/literals.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "aclimb/contract/contract.h"
#include "aclimb/core/complex.h"
#include "aclimb/truth/elements.h"

namespace aclimb::cli {
namespace {

std::string ElementText(const unsigned char* at, DType dtype) {
  uint16_t bits = 0;
  int64_t whole = 0;
  uint64_t natural = 0;
  if (IsHalf(dtype)) {
    std::memcpy(&bits, at, sizeof(bits));
    return fmt::format("0x{:04x}", bits);
  }
  switch (dtype) {
    case DType::kFloat32:
      return RealLiteral(truth::ReadElement(at, dtype), /*single=*/true);
    case DType::kFloat64:
      return RealLiteral(truth::ReadElement(at, dtype), /*single=*/false);
    case DType::kInt4:
      return fmt::format("{}", *at);  // a byte, of two elements
    case DType::kInt64:
      std::memcpy(&whole, at, sizeof(whole));
      return IntegerLiteral(whole);
    case DType::kUInt64:
      std::memcpy(&natural, at, sizeof(natural));
      return fmt::format("{}u", natural);
    default:
      return fmt::format("{}", static_cast<int64_t>(truth::ReadElement(at, dtype)));
  }
}

}  // namespace

const char* ElementType(DType dtype) {
  switch (PartOf(dtype)) {
    case DType::kFloat32:
      return "float";
    case DType::kFloat64:
      return "double";
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kUInt16:
      return "uint16_t";
    case DType::kInt8:
      return "int8_t";
    case DType::kInt16:
      return "int16_t";
    case DType::kInt32:
      return "int32_t";
    case DType::kInt64:
      return "int64_t";
    case DType::kUInt32:
      return "uint32_t";
    case DType::kUInt64:
      return "uint64_t";
    default:
      return "uint8_t";
  }
}

std::string DTypeConstant(DType dtype) {
  return dtype == DType::kBFloat16 ? "ACL_BF16" : fmt::format("ACL_{}", NameOf(dtype));
}

std::string FormatConstant(int32_t format) {
  const std::string name = contract::FormatText(format);
  if (name.find(' ') != std::string::npos) return fmt::format("static_cast<aclFormat>({})", format);
  return "ACL_FORMAT_" + name;
}

std::string IntegerLiteral(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min()) return "INT64_MIN";
  return std::to_string(value);
}

std::string RealLiteral(double value, bool single) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  char text[64];
  char* const end = text + sizeof(text);
  // The shortest that reads back as the same number.
  const auto result = single ? std::to_chars(text, end, static_cast<float>(value))
                             : std::to_chars(text, end, value);
  std::string literal(text, result.ptr);
  if (literal.find_first_of(".e") == std::string::npos) literal += ".0";
  return single ? literal + "f" : literal;
}

std::string IntegerList(const std::vector<int64_t>& values) {
  std::string list = "{";
  for (size_t i = 0; i < values.size(); ++i) {
    list += (i == 0 ? "" : ", ") + IntegerLiteral(values[i]);
  }
  return list + "}";
}

std::string TextLiteral(const std::string& text) {
  std::string literal = "\"";
  for (char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      literal += '\\';
      literal += c;
    } else if (code < 0x20 || code >= 0x7F || c == '?') {
      literal += fmt::format("\\{:03o}", code);
    } else {
      literal += c;
    }
  }
  return literal + "\"";
}

std::string ElementList(const std::vector<unsigned char>& bytes, DType dtype) {
  std::string list = "{";
  const DType part = PartOf(dtype);
  const size_t size = SizeOf(part);
  for (size_t at = 0; at < bytes.size(); at += size) {
    list += (at == 0 ? "" : ", ") + ElementText(bytes.data() + at, part);
  }
  return list + "}";
}

}  // namespace aclimb::cli
