#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "acl/acl_op.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/core/status.h"
#include "aclimb/runtime/handle_table.h"
#include "aclimb/runtime/refusals.h"

namespace aclimb::aclop {

// What the handles of the single-operator interface stand for. As with every object of C, a program
// that changes one while another thread uses it has to take turns itself; destroying it is safe.

struct DataBuffer {
  static constexpr int kKind = ACLIMB_HANDLE_DATA_BUFFER;
  static constexpr const char* kName = "aclDataBuffer";
  void* data = nullptr;
  size_t size = 0;
};

struct TensorDesc {
  static constexpr int kKind = ACLIMB_HANDLE_TENSOR_DESC;
  static constexpr const char* kName = "aclTensorDesc";
  static constexpr int64_t kUnknownDim = -1;
  static constexpr int64_t kUnknownRank = -2;

  aclDataType dtype = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  std::vector<int64_t> dims;
  // As the data are stored; format and dims where nothing else was said.
  aclFormat storage_format = ACL_FORMAT_UNDEFINED;
  std::vector<int64_t> storage_dims;
  aclMemType placement = ACL_MEMTYPE_DEVICE;
  std::string name;

  // Stands for an optional input that is left out.
  bool IsAbsent() const { return dtype == ACL_DT_UNDEFINED && dims.empty(); }
};

using AttributeValue =
    std::variant<bool, int64_t, float, std::string, aclDataType, std::vector<uint8_t>,
                 std::vector<int64_t>, std::vector<float>, std::vector<std::vector<int64_t>>>;

struct Attributes {
  static constexpr int kKind = ACLIMB_HANDLE_OP_ATTR;
  static constexpr const char* kName = "aclopAttr";
  std::map<std::string, AttributeValue, std::less<>> values;
};

// "FLOAT", or the number of a dtype that has no name.
std::string DTypeText(aclDataType dtype);
// "FLOAT [1, 3, 8, 8] NCHW".
std::string Text(const TensorDesc& desc);
// "[1, 2]", "true", "\"SAME\"", "FLOAT".
std::string Text(const AttributeValue& value);

// 100000 or 107017 unless the handle is a live T.
template <typename T>
Result<std::shared_ptr<T>> Find(std::string_view argument, const void* handle) {
  if (handle == nullptr) return NullArgument(argument);
  std::shared_ptr<T> found = ResolveShared<T>(handle, T::kKind);
  if (found == nullptr) return DeadHandle(argument, handle, T::kName);
  return found;
}

// The handle of a new T.
template <typename T, typename Handle>
Status Make(std::shared_ptr<T> object, Handle** handle) {
  void* made = CreateShared(T::kKind, std::move(object));
  if (made == nullptr) {
    return Refuse(kRtResourceAllocFail,
                  Cat("the process has no handle left for another ", T::kName,
                      "; expected fewer live objects."),
                  "destroy what is not needed", "runtime/handle/exhausted");
  }
  *handle = static_cast<Handle*>(made);
  return Ok();
}

// Ends the handle.
template <typename T>
Status End(std::string_view argument, const void* handle) {
  if (ReleaseShared<T>(handle, T::kKind) != nullptr) return Ok();
  return DeadHandle(argument, handle, T::kName);
}

// 107000 unless 0 or more; 100000 where values are missing.
Status CheckCount(std::string_view count_name, int64_t count, std::string_view values_name,
                  const void* values);

}  // namespace aclimb::aclop
