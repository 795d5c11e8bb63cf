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
size_t TensorCount(const Contract& contract, const Arguments& arguments, int parameter);
GivenTensor TensorAt(const Contract& contract, const Arguments& arguments, int parameter,
                     size_t element);

// "self", or "tensors[3]".
std::string NameOf(const Contract& contract, const GivenTensor& given);
std::string NameOf(const Contract& contract, int parameter, int element);
// "[8, 16]"
std::string ShapeOf(const GivenTensor& given);
// "FLOAT"; "number 99" of a dtype that has no name.
std::string DTypeOf(const GivenTensor& given);

}  // namespace aclimb::contract
