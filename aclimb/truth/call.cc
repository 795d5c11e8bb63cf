#include "aclimb/truth/call.h"

#include <utility>

#include "aclimb/contract/given.h"
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

Given& Call::At(Slot slot) {
  Given& of = At(slot.parameter);
  return slot.element < 0 ? of : of.elements[static_cast<size_t>(slot.element)];
}

std::vector<Slot> Call::Tensors() const {
  std::vector<Slot> slots;
  for (int p = 0; p < size(); ++p) {
    const contract::Kind kind = ParameterAt(p).kind;
    if (kind == contract::Kind::kTensor && At(p).given) slots.emplace_back(p);
    if (kind != contract::Kind::kTensorList) continue;
    for (int i = 0; i < ListSize(p); ++i) {
      if (IsGiven({p, i})) slots.emplace_back(p, i);
    }
  }
  return slots;
}

std::string Call::NameOf(Slot slot) const {
  return contract::NameOf(*contract_, slot.parameter, slot.element);
}

Given& Call::SetTensor(Slot slot, std::vector<int64_t> shape, DType dtype,
                       std::vector<double> values) {
  Given& tensor = At(slot);
  tensor = {.given = true,
            .touched = !ParameterAt(slot.parameter).left_alone,
            .dtype = dtype,
            .shape = std::move(shape),
            .format = FormatOf(ParameterAt(slot.parameter)),
            .values = std::move(values)};
  if (tensor.values.empty() || SizeOf(dtype) == 0) return tensor;
  const std::vector<unsigned char> elements = WriteElements(tensor.values, dtype);
  tensor.values = ReadElements(elements, dtype);
  if (IsInteger(dtype)) tensor.integers = ReadIntegers(elements, dtype);
  return tensor;
}

Given& Call::SetIntegers(Slot slot, std::vector<int64_t> shape, DType dtype,
                         std::vector<int64_t> integers) {
  Given& tensor = SetTensor(slot, std::move(shape), dtype, {integers.begin(), integers.end()});
  tensor.integers = std::move(integers);
  return tensor;
}

void Call::SetScalar(Slot slot, double value, DType dtype) {
  Given& scalar = At(slot) = {.given = true, .dtype = dtype, .real = Rounded(value, dtype)};
  if (IsInteger(dtype)) scalar.integers = ReadIntegers(WriteElements({value}, dtype), dtype);
}

void Call::SetList(int p, int size) {
  At(p) = {.given = true, .elements = std::vector<Given>(static_cast<size_t>(size))};
}

void Call::SetFloats(int p, const std::vector<double>& values) {
  At(p) = {.given = true};
  for (const double value : values) {
    At(p).values.push_back(Rounded(value, DType::kFloat32));
  }
}

void Call::SetInts(int p, std::vector<int64_t> values) {
  At(p) = {.given = true, .integers = std::move(values)};
}

void Call::SetReal(int p, double value) { At(p) = {.given = true, .real = value}; }

void Call::SetInteger(int p, int64_t value) { At(p) = {.given = true, .integer = value}; }

void Call::SetText(int p, std::string text) { At(p) = {.given = true, .text = std::move(text)}; }

}  // namespace aclimb::truth
