#include "tools/record/npy.h"

#include <bit>

#include "aclimb/core/text.h"

namespace aclimb::tools {

static_assert(std::endian::native == std::endian::little, "the files say '<'");

std::string NpyType(DType dtype) {
  const size_t bytes = SizeOf(dtype);
  const char* order = bytes == 1 ? "|" : "<";
  switch (dtype) {
    case DType::kFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
      return Cat(order, "f", bytes);
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
      return Cat(order, "i", bytes);
    case DType::kBool:
      return "|b1";
    case DType::kComplex64:
    case DType::kComplex128:
      return Cat(order, "c", bytes);
    default:
      return Cat(order, "u", bytes);
  }
}

std::string NpyHeader(DType dtype, uint64_t elements) {
  std::string text = Cat("{'descr': '", NpyType(dtype), "', 'fortran_order': False, 'shape': (",
                         elements, ",), }");
  constexpr size_t kBefore = 10;  // magic, version and the length
  while ((kBefore + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace aclimb::tools
