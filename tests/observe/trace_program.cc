// Operators that move a part of a large tensor, [1000, 16] of FLOAT: two rows are replaced, three
// are read. Then memory of aclrtMallocPhysical, 6 MiB.

#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_index_select.h"

namespace {

int failed = 0;
void Need(int code) {
  if (code == 0) return;
  ++failed;
  std::fprintf(stderr, "%d: %s\n", code, aclGetRecentErrMsg());
}

aclTensor* Tensor(aclDataType dtype, const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * shape[d];
  const auto bytes = static_cast<size_t>(shape[0] * strides[0]) * aclDataTypeSize(dtype);
  void* memory = nullptr;
  Need(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  Need(aclrtMemset(memory, bytes, 0, bytes));
  return aclCreateTensor(shape.data(), shape.size(), dtype, strides.data(), 0, ACL_FORMAT_ND,
                         shape.data(), shape.size(), memory);
}

void PhysicalMemory() {
  aclrtPhysicalMemProp properties = {};
  properties.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
  properties.memAttr = ACL_HBM_MEM_HUGE;
  properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  aclrtDrvMemHandle memory = nullptr;
  Need(aclrtMallocPhysical(&memory, size_t{6} << 20, &properties, 0));
  Need(aclrtFreePhysical(memory));
}

}  // namespace

int main() {
  Need(aclInit(nullptr));
  Need(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  Need(aclrtCreateStream(&stream));
  aclTensor* const table = Tensor(ACL_FLOAT, {1000, 16});
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  Need(aclnnInplaceIndexCopyGetWorkspaceSize(table, 0, Tensor(ACL_INT64, {2}),
                                             Tensor(ACL_FLOAT, {2, 16}), &size, &executor));
  Need(size == 0 ? aclnnInplaceIndexCopy(nullptr, 0, executor, stream) : 1);
  Need(aclnnIndexSelectGetWorkspaceSize(table, 0, Tensor(ACL_INT64, {3}),
                                        Tensor(ACL_FLOAT, {3, 16}), &size, &executor));
  Need(size == 0 ? aclnnIndexSelect(nullptr, 0, executor, stream) : 1);
  Need(aclrtSynchronizeStream(stream));
  PhysicalMemory();
  return failed == 0 ? 0 : 1;
}
