#pragma once

#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/contract/check.h"
#include "aclimb/core/descriptor.h"

namespace aclimb::contract {

// The arguments of one call against a contract that a test made up.
class TestCall {
 public:
  explicit TestCall(const Contract& contract) : contract_(contract) {
    for (const Parameter& parameter : contract.parameters) {
      arguments_.push_back({.kind = parameter.kind});
    }
  }
  TestCall(const TestCall&) = delete;
  TestCall& operator=(const TestCall&) = delete;

  void Tensor(int index, std::vector<int64_t> shape, DType dtype = DType::kFloat32) {
    Give(index, &MakeTensor(std::move(shape), dtype));
  }
  void Tensors(int index, const std::vector<std::vector<int64_t>>& shapes,
               DType dtype = DType::kFloat32) {
    std::vector<Argument>& elements = elements_.emplace_back();
    for (const std::vector<int64_t>& shape : shapes) {
      const TensorDescriptor& made = MakeTensor(shape, dtype);
      elements.push_back({.kind = Kind::kTensor, .handle = &made, .object = &made});
    }
    GiveList(index);
  }
  void Scalar(int index, float value, DType dtype = DType::kFloat32) {
    Give(index, &MakeScalar(value, dtype));
  }
  // Of the dtype whose elements T holds.
  template <typename T>
  void ScalarBits(int index, T value, DType dtype) {
    ScalarValue& made = scalars_.emplace_back();
    made.dtype = dtype;
    std::memcpy(made.bytes, &value, sizeof(value));
    Give(index, &made);
  }
  void Scalars(int index, const std::vector<float>& values, DType dtype = DType::kFloat32) {
    std::vector<Argument>& elements = elements_.emplace_back();
    for (float value : values) {
      const ScalarValue& made = MakeScalar(value, dtype);
      elements.push_back({.kind = Kind::kScalar, .handle = &made, .object = &made});
    }
    GiveList(index);
  }
  void Ints(int index, IntArrayValue values) { Give(index, &ints_.emplace_back(values)); }
  void Floats(int index, FloatArrayValue values) { Give(index, &floats_.emplace_back(values)); }
  void Bools(int index, BoolArrayValue values) { Give(index, &bools_.emplace_back(values)); }
  void String(int index, const char* text) { Give(index, text); }
  void Integer(int index, int64_t value) { At(index).integer = value; }
  void Real(int index, double value) { At(index).real = value; }
  void Null(int index) { Give(index, nullptr); }

  Argument& At(int index) { return arguments_[static_cast<size_t>(index)]; }
  // An element of the list that was given last.
  Argument& Element(size_t element) { return elements_.back()[element]; }

  // The refusal's sentence; empty when the call is right. The rest is in last().
  std::string What(bool extensions = false) {
    const Arguments arguments = Given(extensions);
    Status status = CheckNulls(contract_, arguments);
    if (status.ok()) status = Check(contract_, arguments);
    last_ = status.ok() ? Refusal() : status.refusal();
    return last_.what;
  }
  Arguments Given(bool extensions = false) const {
    return Arguments(arguments_, Product::kA2, extensions);
  }
  const Refusal& last() const { return last_; }

 private:
  void Give(int index, const void* object) { At(index).handle = At(index).object = object; }
  void GiveList(int index) {
    Give(index, &elements_.back());
    At(index).elements = elements_.back();
  }
  const TensorDescriptor& MakeTensor(std::vector<int64_t> shape, DType dtype) {
    TensorDescriptor& made = tensors_.emplace_back();
    made.stride = ContiguousStrides(shape);
    made.shape = std::move(shape);
    made.dtype = dtype;
    return made;
  }
  // Of the dtypes that are not FLOAT, none looks at the value.
  const ScalarValue& MakeScalar(float value, DType dtype) {
    ScalarValue& made = scalars_.emplace_back();
    made.dtype = dtype;
    if (dtype == DType::kFloat32) std::memcpy(made.bytes, &value, sizeof(value));
    return made;
  }

  const Contract& contract_;
  std::vector<Argument> arguments_;
  Refusal last_;
  // Deques keep the addresses of what is in them.
  std::deque<TensorDescriptor> tensors_;
  std::deque<ScalarValue> scalars_;
  std::deque<IntArrayValue> ints_;
  std::deque<FloatArrayValue> floats_;
  std::deque<BoolArrayValue> bools_;
  std::deque<std::vector<Argument>> elements_;
};

inline constexpr ProductDTypes kAnyFloat = OnAll(kFloatDTypes);
inline constexpr ProductDTypes kAnyNumber =
    OnAll(kFloatDTypes | DTypes(DType::kInt32, DType::kInt64, DType::kUInt16, DType::kUInt32,
                                DType::kBool, DType::kFloat64));

}  // namespace aclimb::contract
