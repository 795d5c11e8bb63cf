// Scalars, arrays and lists, and the destruction of every object of the base library.

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/descriptor.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/objects.h"
#include "aclimb/executor/report.h"
#include "aclnn/aclnn_base.h"

namespace aclimb {
namespace {

// Hands a new object to the program; the object dies when no handle can be made.
template <typename Handle, typename T>
Handle* Publish(int kind, std::unique_ptr<T> object) {
  void* handle = aclimb_handle_create(kind, object.get());
  if (handle == nullptr) throw NoHandle();
  object.release();
  return static_cast<Handle*>(handle);
}

template <typename Handle, typename Body>
Handle* Create(const char* function, Body&& body) {
  Handle* made = nullptr;
  (void)Guarded(function, [&]() -> Status { return body(made); });
  return made;
}

// size 0 with any pointer gives an empty array.
template <typename Handle, typename Element, typename Value>
Handle* CreateArray(const char* function, int kind, const Value* value, uint64_t size) {
  return Create<Handle>(function, [&](Handle*& made) -> Status {
    if (value == nullptr && size > 0) {
      return Refuse(kAclnnInvalid,
                    Cat("value is null but size is ", size, "; expected that many elements."),
                    "pass the values, or size 0 for an empty array", "array/null-value");
    }
    if (size > (uint64_t{1} << 40)) {
      return Refuse(kAclnnInvalid,
                    Cat("size is ", size, "; expected an array that fits in memory."),
                    "check the order of the arguments", "array/size");
    }
    auto array = std::make_unique<std::vector<Element>>();
    for (uint64_t i = 0; i < size; ++i) array->push_back(static_cast<Element>(value[i]));
    made = Publish<Handle>(kind, std::move(array));
    return Ok();
  });
}

// Destroying null is legal; a handle that is not live is a refusal, never a crash.
template <typename T, typename Body>
aclnnStatus Destroy(const char* function, const char* type, int kind, const void* handle,
                    Body&& before) {
  if (handle == nullptr) return 0;
  return Guarded(function, [&]() -> Status {
    std::unique_ptr<T> object(static_cast<T*>(aclimb_handle_release(handle, kind)));
    if (object == nullptr) {
      return RefuseHandle(kAclnnInvalid, Cat("destroy/", type), "the argument", handle, type,
                          "a live one",
                          "destroy each object once, and not the members of a destroyed list");
    }
    before(*object);
    return Ok();
  });
}

template <typename T>
aclnnStatus Destroy(const char* function, const char* type, int kind, const void* handle) {
  return Destroy<T>(function, type, kind, handle, [](T&) {});
}

template <typename T>
aclnnStatus SizeOfObject(const char* function, const char* type, int kind, const void* handle,
                         uint64_t* size, uint64_t (*count)(const T&)) {
  return Guarded(function, [&]() -> Status {
    if (handle == nullptr || size == nullptr) {
      return Refuse(
          kAclnnNullptr,
          Cat(handle == nullptr ? "the object" : "size", " is null; expected an address."),
          "pass the object and the address of a uint64_t", "array/null");
    }
    const auto* object = static_cast<const T*>(aclimb_handle_resolve(handle, kind));
    if (object == nullptr) {
      return RefuseHandle(kAclnnInvalid, "array/handle", "the object", handle, type, "a live one",
                          "keep the object until its last use");
    }
    *size = count(*object);
    return Ok();
  });
}

template <typename T>
uint64_t VectorSize(const std::vector<T>& vector) {
  return vector.size();
}

template <typename Handle, typename List, typename Member>
Handle* CreateList(const char* function, int kind, const Member* const* value, uint64_t size) {
  return Create<Handle>(function, [&](Handle*& made) -> Status {
    if (value == nullptr && size > 0) {
      return Refuse(kAclnnInvalid,
                    Cat("value is null but size is ", size, "; expected that many members."),
                    "pass the members, or size 0 for an empty list", "list/null-value");
    }
    constexpr uint64_t kMostMembers = uint64_t{1} << 24;
    if (size > kMostMembers) {
      return Refuse(kAclnnInvalid,
                    Cat("size is ", size, "; expected at most ", kMostMembers, " members."),
                    "check the order of the arguments", "list/size");
    }
    auto list = std::make_unique<List>();
    for (uint64_t i = 0; i < size; ++i) list->members.push_back(value[i]);
    made = Publish<Handle>(kind, std::move(list));
    return Ok();
  });
}

}  // namespace
}  // namespace aclimb

using aclimb::BoolArrayValue;
using aclimb::DType;
using aclimb::FloatArrayValue;
using aclimb::IntArrayValue;
using aclimb::ScalarListValue;
using aclimb::ScalarValue;
using aclimb::TensorDescriptor;
using aclimb::TensorListValue;

extern "C" {

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
  return aclimb::Create<aclScalar>("aclCreateScalar", [&](aclScalar*& made) -> aclimb::Status {
    const auto dtype = static_cast<DType>(dataType);
    const size_t size = aclimb::SizeOf(dtype);
    if (value == nullptr) {
      return aclimb::Refuse(aclimb::kAclnnInvalid,
                            "value is null; expected the address of a value.",
                            "pass the address of a host variable", "scalar/null-value");
    }
    if (size == 0 || dtype == DType::kString || dtype == DType::kInt4 || dtype == DType::kUInt1) {
      return aclimb::Refuse(
          aclimb::kAclnnInvalid,
          aclimb::Cat("dataType is ",
                      aclimb::IsKnown(dtype) ? std::string(aclimb::NameOf(dtype))
                                             : aclimb::Cat("number ", static_cast<int>(dataType)),
                      "; expected a dtype of whole bytes."),
          "pass the dtype of the variable", "scalar/dtype");
    }
    auto scalar = std::make_unique<ScalarValue>();
    scalar->dtype = dtype;
    std::memcpy(scalar->bytes, value, std::min(size, sizeof(scalar->bytes)));
    made = aclimb::Publish<aclScalar>(ACLIMB_HANDLE_SCALAR, std::move(scalar));
    return aclimb::Ok();
  });
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  return aclimb::CreateArray<aclIntArray, int64_t>("aclCreateIntArray", ACLIMB_HANDLE_INT_ARRAY,
                                                   value, size);
}

aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
  return aclimb::CreateArray<aclFloatArray, float>("aclCreateFloatArray", ACLIMB_HANDLE_FLOAT_ARRAY,
                                                   value, size);
}

aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
  return aclimb::CreateArray<aclBoolArray, uint8_t>("aclCreateBoolArray", ACLIMB_HANDLE_BOOL_ARRAY,
                                                    value, size);
}

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
  return aclimb::CreateList<aclTensorList, TensorListValue>("aclCreateTensorList",
                                                            ACLIMB_HANDLE_TENSOR_LIST, value, size);
}

aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
  return aclimb::CreateList<aclScalarList, ScalarListValue>("aclCreateScalarList",
                                                            ACLIMB_HANDLE_SCALAR_LIST, value, size);
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  return aclimb::Destroy<TensorDescriptor>("aclDestroyTensor", "aclTensor", ACLIMB_HANDLE_TENSOR,
                                           tensor);
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
  return aclimb::Destroy<ScalarValue>("aclDestroyScalar", "aclScalar", ACLIMB_HANDLE_SCALAR,
                                      scalar);
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
  return aclimb::Destroy<IntArrayValue>("aclDestroyIntArray", "aclIntArray",
                                        ACLIMB_HANDLE_INT_ARRAY, array);
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
  return aclimb::Destroy<FloatArrayValue>("aclDestroyFloatArray", "aclFloatArray",
                                          ACLIMB_HANDLE_FLOAT_ARRAY, array);
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
  return aclimb::Destroy<BoolArrayValue>("aclDestroyBoolArray", "aclBoolArray",
                                         ACLIMB_HANDLE_BOOL_ARRAY, array);
}

aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
  return aclimb::Destroy<TensorListValue>("aclDestroyTensorList", "aclTensorList",
                                          ACLIMB_HANDLE_TENSOR_LIST, array,
                                          [](TensorListValue& list) {
                                            for (const aclTensor* member : list.members)
                                              (void)aclDestroyTensor(member);
                                          });
}

aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
  return aclimb::Destroy<ScalarListValue>("aclDestroyScalarList", "aclScalarList",
                                          ACLIMB_HANDLE_SCALAR_LIST, array,
                                          [](ScalarListValue& list) {
                                            for (const aclScalar* member : list.members)
                                              (void)aclDestroyScalar(member);
                                          });
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
  return aclimb::SizeOfObject<IntArrayValue>("aclGetIntArraySize", "aclIntArray",
                                             ACLIMB_HANDLE_INT_ARRAY, array, size,
                                             &aclimb::VectorSize<int64_t>);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
  return aclimb::SizeOfObject<FloatArrayValue>("aclGetFloatArraySize", "aclFloatArray",
                                               ACLIMB_HANDLE_FLOAT_ARRAY, array, size,
                                               &aclimb::VectorSize<float>);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
  return aclimb::SizeOfObject<BoolArrayValue>("aclGetBoolArraySize", "aclBoolArray",
                                              ACLIMB_HANDLE_BOOL_ARRAY, array, size,
                                              &aclimb::VectorSize<uint8_t>);
}

aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size) {
  return aclimb::SizeOfObject<TensorListValue>(
      "aclGetTensorListSize", "aclTensorList", ACLIMB_HANDLE_TENSOR_LIST, tensorList, size,
      [](const TensorListValue& list) -> uint64_t { return list.members.size(); });
}

aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size) {
  return aclimb::SizeOfObject<ScalarListValue>(
      "aclGetScalarListSize", "aclScalarList", ACLIMB_HANDLE_SCALAR_LIST, scalarList, size,
      [](const ScalarListValue& list) -> uint64_t { return list.members.size(); });
}

aclnnStatus aclnnInit(const char*) { return 0; }

aclnnStatus aclnnFinalize() { return 0; }

}  // extern "C"
