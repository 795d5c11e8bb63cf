// aclTensor: creation, destruction, getters and setters.

#include <memory>
#include <new>
#include <optional>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/descriptor.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/report.h"
#include "aclnn/acl_meta.h"

namespace aclimb {
namespace {

Status Invalid(std::string what, const char* fix, const char* rule) {
  return Refuse(kAclnnInvalid, std::move(what), fix, Cat("tensor/", rule));
}

Status Null(const char* name) {
  return Refuse(kAclnnNullptr, Cat(name, " is null; expected an address."),
                "pass the address of a variable, and a tensor from aclCreateTensor",
                Cat("tensor/null/", name));
}

// The arguments of aclCreateTensor and aclInitTensor.
struct TensorArguments {
  const int64_t* view_dims;
  uint64_t view_dims_num;
  aclDataType dtype;
  const int64_t* stride;
  int64_t offset;
  aclFormat format;
  const int64_t* storage_dims;
  uint64_t storage_dims_num;
  void* data;
};

Status Fill(const TensorArguments& from, TensorDescriptor& tensor) {
  // Larger counts are not ranks but garbage, and would exhaust memory before any check.
  constexpr uint64_t kMostDims = 1024;
  if (from.view_dims == nullptr && from.view_dims_num > 0) {
    return Invalid(Cat("viewDims is null but viewDimsNum is ", from.view_dims_num,
                       "; expected that many dimensions."),
                   "pass the shape, or viewDimsNum 0 for a single element", "null-dims");
  }
  if (from.view_dims_num > kMostDims) {
    return Invalid(
        Cat("viewDimsNum is ", from.view_dims_num, "; expected a rank of at most ", kMostDims, "."),
        "check the order of the arguments", "rank");
  }
  if (!IsKnown(static_cast<DType>(from.dtype))) {
    return Invalid(Cat("dataType is number ", static_cast<int>(from.dtype),
                       "; expected one of aclDataType that elements can have, as ACL_FLOAT (0) or "
                       "ACL_FLOAT16 (1)."),
                   "pass a dtype of acl_base.h", "dtype");
  }
  TensorDescriptor made;
  made.shape.assign(from.view_dims, from.view_dims + from.view_dims_num);
  for (size_t d = 0; d < made.shape.size(); ++d) {
    if (made.shape[d] < 0) {
      return Invalid(
          Cat("viewDims[", d, "] is ", made.shape[d], "; expected every dimension >= 0."),
          "compute the shape before creating the tensor", "negative-dim");
    }
  }
  if (!ElementCountOf(made.shape)) {
    return Invalid(Cat("viewDims is ", ShapeText(made.shape.data(), made.shape.size()),
                       ", whose product exceeds 2^63 - 1; expected a shape that can exist."),
                   "check the shape arithmetic for overflow", "overflow");
  }
  if (from.stride != nullptr) {
    made.stride.assign(from.stride, from.stride + from.view_dims_num);
  } else {
    made.stride = ContiguousStrides(made.shape);
  }
  for (size_t d = 0; d < made.stride.size(); ++d) {
    if (made.stride[d] < 0) {
      return Invalid(Cat("stride[", d, "] is ", made.stride[d], "; expected every stride >= 0."),
                     "strides count elements and cannot run backwards", "negative-stride");
    }
  }
  if (from.offset < 0) {
    return Invalid(Cat("offset is ", from.offset, "; expected >= 0."),
                   "the offset counts elements from tensorData", "negative-offset");
  }
  // Some clients give a count with a null pointer for single elements; the storage shape is a hint.
  if (from.storage_dims != nullptr && from.storage_dims_num <= kMostDims) {
    made.storage_shape.assign(from.storage_dims, from.storage_dims + from.storage_dims_num);
  }
  made.offset = from.offset;
  made.dtype = static_cast<DType>(from.dtype);
  made.format = static_cast<int32_t>(from.format);
  made.data = from.data;
  made.SetKey();
  tensor = std::move(made);
  return Ok();
}

Result<TensorDescriptor*> Find(const aclTensor* tensor) {
  if (tensor == nullptr) return Null("tensor");
  auto* found = static_cast<TensorDescriptor*>(aclimb_handle_resolve(tensor, ACLIMB_HANDLE_TENSOR));
  if (found != nullptr) return found;
  return RefuseHandle(kAclnnInvalid, "tensor/handle", "tensor", tensor, "aclTensor",
                      "one made by aclCreateTensor", "keep the tensor until its last use");
}

// A getter of one value: body(descriptor) stores it.
template <typename Out, typename Body>
aclnnStatus Get(const char* function, const aclTensor* tensor, const char* name, Out* out,
                Body&& body) {
  return Guarded(function, [&]() -> Status {
    Result<TensorDescriptor*> found = Find(tensor);
    if (!found.ok()) return found.TakeStatus();
    if (out == nullptr) return Null(name);
    body(*found.value());
    return Ok();
  });
}

// A getter of a list, which the caller releases with delete[].
aclnnStatus GetList(const char* function, const aclTensor* tensor, const char* name,
                    const char* count_name, int64_t** values, uint64_t* count,
                    const std::vector<int64_t> TensorDescriptor::*member) {
  return Guarded(function, [&]() -> Status {
    Result<TensorDescriptor*> found = Find(tensor);
    if (!found.ok()) return found.TakeStatus();
    if (values == nullptr) return Null(name);
    if (count == nullptr) return Null(count_name);
    const std::vector<int64_t>& list = found.value()->*member;
    auto* copy = new int64_t[list.size()];
    std::copy(list.begin(), list.end(), copy);
    *values = copy;
    *count = list.size();
    return Ok();
  });
}

}  // namespace
}  // namespace aclimb

using aclimb::Guarded;
using aclimb::Ok;
using aclimb::Status;
using aclimb::TensorDescriptor;

extern "C" {

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t* stride, int64_t offset, aclFormat format,
                           const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData) {
  void* handle = nullptr;
  (void)Guarded("aclCreateTensor", [&]() -> Status {
    auto tensor = std::make_unique<TensorDescriptor>();
    Status status = aclimb::Fill({viewDims, viewDimsNum, dataType, stride, offset, format,
                                  storageDims, storageDimsNum, tensorData},
                                 *tensor);
    if (!status.ok()) return status;
    handle = aclimb_handle_create(ACLIMB_HANDLE_TENSOR, tensor.get());
    if (handle == nullptr) throw aclimb::NoHandle();
    tensor.release();
    return Ok();
  });
  return static_cast<aclTensor*>(handle);
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum,
                          aclDataType dataType, const int64_t* stride, int64_t offset,
                          aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                          void* tensorDataAddr) {
  return Guarded("aclInitTensor", [&]() -> Status {
    aclimb::Result<TensorDescriptor*> found = aclimb::Find(tensor);
    if (!found.ok()) return found.TakeStatus();
    return aclimb::Fill({viewDims, viewDimsNum, dataType, stride, offset, format, storageDims,
                         storageDimsNum, tensorDataAddr},
                        *found.value());
  });
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
  return aclimb::GetList("aclGetViewShape", tensor, "viewDims", "viewDimsNum", viewDims,
                         viewDimsNum, &TensorDescriptor::shape);
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims,
                               uint64_t* storageDimsNum) {
  return aclimb::GetList("aclGetStorageShape", tensor, "storageDims", "storageDimsNum", storageDims,
                         storageDimsNum, &TensorDescriptor::storage_shape);
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue,
                              uint64_t* stridesNum) {
  return aclimb::GetList("aclGetViewStrides", tensor, "stridesValue", "stridesNum", stridesValue,
                         stridesNum, &TensorDescriptor::stride);
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
  return aclimb::Get("aclGetViewOffset", tensor, "offset", offset,
                     [&](TensorDescriptor& found) { *offset = found.offset; });
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
  return aclimb::Get("aclGetFormat", tensor, "format", format, [&](TensorDescriptor& found) {
    *format = static_cast<aclFormat>(found.format);
  });
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
  return aclimb::Get("aclGetDataType", tensor, "dataType", dataType, [&](TensorDescriptor& found) {
    *dataType = static_cast<aclDataType>(found.dtype);
  });
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
  return Guarded("aclSetRawTensorAddr", [&]() -> Status {
    aclimb::Result<TensorDescriptor*> found = aclimb::Find(tensor);
    if (!found.ok()) return found.TakeStatus();
    found.value()->data = addr;
    return Ok();
  });
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
  return aclimb::Get("aclGetRawTensorAddr", tensor, "addr", addr,
                     [&](TensorDescriptor& found) { *addr = found.data; });
}

aclnnStatus aclDumpOpTensors(const char*, const char*, aclTensor**, size_t, size_t, aclrtStream) {
  return 0;  // operator dump is never configured here
}

}  // extern "C"
