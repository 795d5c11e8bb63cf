#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "aclimb/contract/contract.h"
#include "aclimb/core/descriptor.h"
#include "aclnn/aclnn_base.h"

namespace aclimb::testing {

// What aclCreateTensor needs to know; without strides the view is dense.
struct TensorSpec {
  std::vector<int64_t> shape;
  DType dtype = DType::kFloat32;
  aclFormat format = ACL_FORMAT_ND;
  std::vector<int64_t> stride = {};
};

// The arguments of one phase-1 call, each replaceable; owns the objects it makes.
class CallArguments {
 public:
  explicit CallArguments(size_t count) : arguments_(count) {}
  ~CallArguments();
  CallArguments(const CallArguments&) = delete;
  CallArguments& operator=(const CallArguments&) = delete;

  void Tensor(int index, const TensorSpec& spec);
  void Tensor(int index, std::vector<int64_t> shape, DType dtype, aclFormat format = ACL_FORMAT_ND,
              std::vector<int64_t> stride = {}) {
    Tensor(index, TensorSpec{std::move(shape), dtype, format, std::move(stride)});
  }
  void Tensors(int index, const std::vector<TensorSpec>& specs);
  void ScalarOf(int index, double value, DType dtype);
  void Scalars(int index, const std::vector<double>& values, DType dtype);
  void Ints(int index, const std::vector<int64_t>& values);
  void Floats(int index, const std::vector<float>& values);
  void Bools(int index, const std::vector<uint8_t>& values);
  void String(int index, const char* text) { At(index).handle = text; }
  void Null(int index) { Handle(index, nullptr); }
  void Handle(int index, const void* handle) { At(index).handle = handle; }
  void Integer(int index, int64_t value) { At(index).integer = value; }
  void Bool(int index, bool value) { At(index).integer = value ? 1 : 0; }
  void Real(int index, double value) { At(index).real = value; }

  // An object of another kind, which is destroyed already.
  void Dead(int index);
  // A list of one tensor or scalar, which is null.
  void NullElement(int index, contract::Kind list);
  // A list that holds another kind of object.
  void DeadElement(int index, contract::Kind list);

  contract::Argument& At(int index) { return arguments_[static_cast<size_t>(index)]; }
  // What stands there now: one tensor, those of a list, or none.
  std::vector<TensorSpec> Specs(int index);
  std::vector<int64_t> IntsAt(int index);
  std::vector<uint8_t> BoolsAt(int index);

 private:
  void Keep(int index, const void* handle, std::function<void()> release);
  void List(int index, contract::Kind list, const std::vector<const void*>& members);

  std::vector<contract::Argument> arguments_;
  std::vector<std::function<void()>> releases_;
};

}  // namespace aclimb::testing
