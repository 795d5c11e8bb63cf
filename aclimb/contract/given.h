#pragma once

#include <cstddef>
#include <string>

#include "aclimb/contract/contract.h"

namespace aclimb::contract {

// A tensor that the checks look at: an argument, or an element of a list.
struct GivenTensor {
  const TensorDescriptor* tensor = nullptr;  // null: not given, or what counts as such
  int parameter = -1;
  int element = -1;  // of a list

  explicit operator bool() const { return tensor != nullptr; }
  const TensorDescriptor* operator->() const { return tensor; }
};

// How many tensors a parameter stands for in this call; 0 of other kinds.
inline size_t TensorCount(const Contract& contract, const Arguments& arguments, int parameter) {
  const Kind kind = contract.At(parameter).kind;
  if (kind == Kind::kTensorList) return arguments.ElementCount(parameter);
  return kind == Kind::kTensor ? 1 : 0;
}

inline GivenTensor TensorAt(const Contract& contract, const Arguments& arguments, int parameter,
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

// "self", or "tensors[3]".
std::string NameOf(const Contract& contract, const GivenTensor& given);
std::string NameOf(const Contract& contract, int parameter, int element);
// "[8, 16]"
std::string ShapeOf(const GivenTensor& given);
// "FLOAT"; "number 99" of a dtype that has no name.
std::string DTypeOf(const GivenTensor& given);

}  // namespace aclimb::contract
