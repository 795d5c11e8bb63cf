#pragma once

#include <memory>

#include "acl/acl_base.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/observe/observe.h"
#include "aclimb/runtime/memory.h"

namespace aclimb {

// What a task that copies tells the tools. Stays in place: it points into itself.
class CopyOperation {
 public:
  // Null when no tool listens. Without `reads` the source was taken over by the call.
  static std::unique_ptr<const CopyOperation> Make(const CopyShape& shape, bool reads) {
    if (!observe::On()) return nullptr;
    return std::unique_ptr<const CopyOperation>(new CopyOperation(shape, reads));
  }
  CopyOperation(const CopyOperation&) = delete;
  CopyOperation& operator=(const CopyOperation&) = delete;

  const AclimbOperation* operation() const { return &operation_; }

 private:
  CopyOperation(const CopyShape& shape, bool reads)
      : shape_{static_cast<int64_t>(shape.height), static_cast<int64_t>(shape.width)},
        dst_strides_{static_cast<int64_t>(shape.dst_pitch), 1},
        src_strides_{static_cast<int64_t>(shape.src_pitch), 1},
        accesses_{{"dst", shape.dst, ACL_UINT8, 1, 2, 1, shape_, dst_strides_, 0,
                   shape.height * shape.width},
                  {"src", shape.src, ACL_UINT8, 1, 2, 0, shape_, src_strides_, 0,
                   shape.height * shape.width}} {
    operation_.function = observe::CurrentCall();
    operation_.accesses = accesses_;
    operation_.access_count = reads ? 2 : 1;
  }

  int64_t shape_[2];
  int64_t dst_strides_[2];
  int64_t src_strides_[2];
  AclimbAccess accesses_[2];
  AclimbOperation operation_ = {};
};

}  // namespace aclimb
