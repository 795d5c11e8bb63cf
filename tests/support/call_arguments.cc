#include "tests/support/call_arguments.h"

#include <gtest/gtest.h>

#include <memory>

#include "aclimb/bridge/bridge.h"
#include "aclimb/executor/objects.h"
#include "tests/support/device.h"

namespace aclimb::testing {
namespace {

aclTensor* Create(const TensorSpec& spec) {
  const std::vector<int64_t> stride =
      spec.stride.empty() ? ContiguousStrides(spec.shape) : spec.stride;
  aclTensor* tensor =
      aclCreateTensor(spec.shape.data(), spec.shape.size(), static_cast<aclDataType>(spec.dtype),
                      stride.data(), 0, spec.format, spec.shape.data(), spec.shape.size(), nullptr);
  EXPECT_NE(tensor, nullptr) << aclGetRecentErrMsg();
  return tensor;
}

TensorSpec SpecOf(const TensorDescriptor& tensor) {
  return {tensor.shape, tensor.dtype, static_cast<aclFormat>(tensor.format), tensor.stride};
}

const void* DeadHandle() {
  const int64_t one = 1;
  aclIntArray* const dead = aclCreateIntArray(&one, 1);
  (void)aclDestroyIntArray(dead);
  return dead;
}

template <typename T>
const T* Resolve(const void* handle, int kind) {
  return static_cast<const T*>(aclimb_handle_resolve(handle, kind));
}

}  // namespace

CallArguments::~CallArguments() {
  for (auto& release : releases_) release();
}

void CallArguments::Tensor(int index, const TensorSpec& spec) {
  aclTensor* tensor = Create(spec);
  Keep(index, tensor, [tensor] { (void)aclDestroyTensor(tensor); });
}

void CallArguments::Tensors(int index, const std::vector<TensorSpec>& specs) {
  std::vector<const void*> members;
  for (const TensorSpec& spec : specs) members.push_back(Create(spec));
  List(index, contract::Kind::kTensorList, members);
}

void CallArguments::ScalarOf(int index, double value, DType dtype) {
  auto scalar = std::make_shared<Scalar>(value, dtype);
  aclScalar* handle = *scalar;
  Keep(index, handle, [scalar] {});
}

void CallArguments::Scalars(int index, const std::vector<double>& values, DType dtype) {
  std::vector<const void*> members;
  for (double value : values) {
    unsigned char bytes[16] = {};
    WriteElement(bytes, dtype, value);
    members.push_back(aclCreateScalar(bytes, static_cast<aclDataType>(dtype)));
  }
  List(index, contract::Kind::kScalarList, members);
}

void CallArguments::Ints(int index, const std::vector<int64_t>& values) {
  auto array = std::make_shared<IntArray>(values);
  aclIntArray* handle = *array;
  Keep(index, handle, [array] {});
}

void CallArguments::Floats(int index, const std::vector<float>& values) {
  const aclFloatArray* array = aclCreateFloatArray(values.data(), values.size());
  Keep(index, array, [array] { (void)aclDestroyFloatArray(array); });
}

void CallArguments::Bools(int index, const std::vector<uint8_t>& values) {
  auto array = std::make_shared<BoolArray>(values);
  aclBoolArray* handle = *array;
  Keep(index, handle, [array] {});
}

void CallArguments::NullElement(int index, contract::Kind list) { List(index, list, {nullptr}); }

void CallArguments::Dead(int index) { Handle(index, DeadHandle()); }
void CallArguments::DeadElement(int index, contract::Kind list) {
  List(index, list, {DeadHandle()});
}

std::vector<TensorSpec> CallArguments::Specs(int index) {
  const void* const handle = At(index).handle;
  if (const auto* tensor = Resolve<TensorDescriptor>(handle, ACLIMB_HANDLE_TENSOR)) {
    return {SpecOf(*tensor)};
  }
  std::vector<TensorSpec> specs;
  if (const auto* list = Resolve<TensorListValue>(handle, ACLIMB_HANDLE_TENSOR_LIST)) {
    for (const aclTensor* member : list->members) {
      specs.push_back(SpecOf(*Resolve<TensorDescriptor>(member, ACLIMB_HANDLE_TENSOR)));
    }
  }
  return specs;
}

std::vector<int64_t> CallArguments::IntsAt(int index) {
  const auto* ints = Resolve<IntArrayValue>(At(index).handle, ACLIMB_HANDLE_INT_ARRAY);
  return ints == nullptr ? std::vector<int64_t>() : *ints;
}

std::vector<uint8_t> CallArguments::BoolsAt(int index) {
  const auto* bools = Resolve<BoolArrayValue>(At(index).handle, ACLIMB_HANDLE_BOOL_ARRAY);
  return bools == nullptr ? std::vector<uint8_t>() : *bools;
}

void CallArguments::Keep(int index, const void* handle, std::function<void()> release) {
  At(index).handle = handle;
  releases_.push_back(std::move(release));
}

void CallArguments::List(int index, contract::Kind list, const std::vector<const void*>& members) {
  if (list == contract::Kind::kTensorList) {
    std::vector<const aclTensor*> tensors;
    for (const void* member : members) tensors.push_back(static_cast<const aclTensor*>(member));
    const aclTensorList* made = aclCreateTensorList(tensors.data(), tensors.size());
    Keep(index, made, [made] { (void)aclDestroyTensorList(made); });
    return;
  }
  std::vector<const aclScalar*> scalars;
  for (const void* member : members) scalars.push_back(static_cast<const aclScalar*>(member));
  const aclScalarList* made = aclCreateScalarList(scalars.data(), scalars.size());
  Keep(index, made, [made] { (void)aclDestroyScalarList(made); });
}

}  // namespace aclimb::testing
