#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "aclimb/core/descriptor.h"
#include "aclimb/core/product.h"

namespace aclimb::contract {

// The kinds of argument an aclnn function takes; the C type decides (signature.h).
enum class Kind : uint8_t {
  kTensor,
  kScalar,
  kIntArray,
  kFloatArray,
  kBoolArray,
  kTensorList,
  kScalarList,
  kString,
  kBool,
  kInteger,
  kReal
};

constexpr bool IsPointer(Kind kind) { return kind <= Kind::kString; }
constexpr bool IsList(Kind kind) { return kind == Kind::kTensorList || kind == Kind::kScalarList; }
// Those whose dtypes, formats, ranks and shapes are checked.
constexpr bool HasTensors(Kind kind) { return kind == Kind::kTensor || kind == Kind::kTensorList; }

// One argument of one call. `handle` is what the program passed; `object` what it stands for, null
// when it was null or is no live object.
struct Argument {
  Kind kind = Kind::kTensor;
  const void* handle = nullptr;
  const void* object = nullptr;
  int64_t integer = 0;  // kBool, kInteger; uint64 values keep their bits
  double real = 0;      // kReal
  // What a handle is that has no object, and what to do about it, in words for a message; static
  // texts.
  const char* handle_state = "";
  const char* handle_fix = "";
  std::span<const Argument> elements = {};  // of a list: tensors or scalars
};

// All arguments of one phase-1 call, in the order of the contract's parameters, with the switches
// that checks may depend on.
class Arguments {
 public:
  Arguments(std::span<const Argument> arguments, Product product, bool extensions)
      : arguments_(arguments), product_(product), extensions_(extensions) {}

  bool Given(int index) const { return At(index).object != nullptr; }
  // Null when the optional argument was not given.
  const TensorDescriptor* TensorOrNull(int index) const {
    return static_cast<const TensorDescriptor*>(At(index).object);
  }
  const TensorDescriptor& Tensor(int index) const { return *TensorOrNull(index); }
  const ScalarValue& Scalar(int index) const {
    return *static_cast<const ScalarValue*>(At(index).object);
  }
  const IntArrayValue* IntsOrNull(int index) const {
    return static_cast<const IntArrayValue*>(At(index).object);
  }
  const IntArrayValue& Ints(int index) const { return *IntsOrNull(index); }
  const FloatArrayValue* FloatsOrNull(int index) const {
    return static_cast<const FloatArrayValue*>(At(index).object);
  }
  const FloatArrayValue& Floats(int index) const { return *FloatsOrNull(index); }
  const BoolArrayValue& Bools(int index) const {
    return *static_cast<const BoolArrayValue*>(At(index).object);
  }
  // Of lists: how many elements, and one of them.
  size_t ElementCount(int index) const { return At(index).elements.size(); }
  const TensorDescriptor& Tensor(int index, size_t element) const {
    return *static_cast<const TensorDescriptor*>(At(index).elements[element].object);
  }
  const ScalarValue& Scalar(int index, size_t element) const {
    return *static_cast<const ScalarValue*>(At(index).elements[element].object);
  }
  // `fallback` when the program passed null.
  std::string_view String(int index, std::string_view fallback) const {
    const char* text = static_cast<const char*>(At(index).handle);
    return text == nullptr ? fallback : std::string_view(text);
  }
  bool Bool(int index) const { return At(index).integer != 0; }
  int64_t Integer(int index) const { return At(index).integer; }
  double Real(int index) const { return At(index).real; }

  const Argument& At(int index) const { return arguments_[static_cast<size_t>(index)]; }
  size_t size() const { return arguments_.size(); }
  Product product() const { return product_; }
  bool extensions() const { return extensions_; }

 private:
  std::span<const Argument> arguments_;
  Product product_;
  bool extensions_;
};

}  // namespace aclimb::contract
