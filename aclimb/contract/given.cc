#include "aclimb/contract/given.h"

#include "aclimb/core/text.h"

namespace aclimb::contract {

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
