#include "aclimb/truth/call.h"

#include <utility>

#include "aclimb/truth/elements.h"

namespace aclimb::truth {

int32_t FormatOf(const contract::Parameter& parameter) {
  if ((parameter.formats >> contract::kNd & 1) != 0) return contract::kNd;
  int32_t format = 0;
  while ((parameter.formats >> format & 1) == 0) ++format;
  return format;
}

int64_t Given::ElementCount() const {
  int64_t count = given ? 1 : 0;
  for (const int64_t extent : shape) count *= extent;
  return count;
}

Given& Call::SetTensor(int p, std::vector<int64_t> shape, DType dtype, std::vector<double> values) {
  Given& tensor = At(p);
  tensor = {.given = true,
            .dtype = dtype,
            .shape = std::move(shape),
            .format = FormatOf(ParameterAt(p)),
            .values = std::move(values)};
  for (double& value : tensor.values) {
    unsigned char bytes[8] = {};
    WriteElement(bytes, dtype, value);
    value = ReadElement(bytes, dtype);
    if (IsInteger(dtype)) tensor.integers.push_back(ReadInteger(bytes, dtype));
  }
  return tensor;
}

void Call::SetScalar(int p, double value, DType dtype) {
  At(p) = {.given = true, .dtype = dtype, .real = Rounded(value, dtype)};
}

void Call::SetInts(int p, std::vector<int64_t> values) {
  At(p) = {.given = true, .integers = std::move(values)};
}

void Call::SetReal(int p, double value) { At(p) = {.given = true, .real = value}; }

void Call::SetInteger(int p, int64_t value) { At(p) = {.given = true, .integer = value}; }

void Call::SetText(int p, std::string text) { At(p) = {.given = true, .text = std::move(text)}; }

}  // namespace aclimb::truth
