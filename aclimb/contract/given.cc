#include "aclimb/contract/given.h"

#include "aclimb/contract/told.h"
#include "aclimb/core/text.h"

namespace aclimb::contract {
namespace {

std::string TextOf(DType dtype) {
  return IsKnown(dtype) ? std::string(NameOf(dtype)) : Cat("number ", static_cast<int>(dtype));
}

}  // namespace

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

std::string DTypeOf(const GivenTensor& given) { return TextOf(given->dtype); }

std::string ShapeTold(std::string_view name, const TensorDescriptor& tensor) {
  return Cat(name, ".shape is ", ShapeText(tensor.shape.data(), tensor.shape.size()), " (",
             TextOf(tensor.dtype), ")");
}
std::string DTypeTold(std::string_view name, const TensorDescriptor& tensor) {
  return Cat(name, ".dtype is ", TextOf(tensor.dtype), " (shape ",
             ShapeText(tensor.shape.data(), tensor.shape.size()), ")");
}

}  // namespace aclimb::contract
