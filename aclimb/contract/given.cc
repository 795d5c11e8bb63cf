#include "aclimb/contract/given.h"

#include "aclimb/core/text.h"

namespace aclimb::contract {

size_t TensorCount(const Contract& contract, const Arguments& arguments, int parameter) {
  const Kind kind = contract.At(parameter).kind;
  if (kind == Kind::kTensorList) return arguments.ElementCount(parameter);
  return kind == Kind::kTensor ? 1 : 0;
}

GivenTensor TensorAt(const Contract& contract, const Arguments& arguments, int parameter,
                     size_t element) {
  const bool in_list = contract.At(parameter).kind == Kind::kTensorList;
  const Argument& argument =
      in_list ? arguments.At(parameter).elements[element] : arguments.At(parameter);
  GivenTensor given = {.tensor = static_cast<const TensorDescriptor*>(argument.object),
                       .parameter = parameter,
                       .element = in_list ? static_cast<int>(element) : -1};
  if (given && contract.At(parameter).empty_is_absent && given->IsEmpty()) given.tensor = nullptr;
  return given;
}

std::string NameOf(const Contract& contract, int parameter, int element) {
  const char* const name = contract.At(parameter).name;
  return element < 0 ? std::string(name) : Cat(name, "[", element, "]");
}
std::string NameOf(const Contract& contract, const GivenTensor& given) {
  return NameOf(contract, given.parameter, given.element);
}

std::string ShapeOf(const GivenTensor& given) {
  return ShapeText(given->shape.data(), given->shape.size());
}

std::string DTypeOf(const GivenTensor& given) {
  if (IsKnown(given->dtype)) return std::string(NameOf(given->dtype));
  return Cat("number ", static_cast<int>(given->dtype));
}

}  // namespace aclimb::contract
