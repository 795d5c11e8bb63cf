#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aclimb/bridge/bridge.h"
#include "aclimb/collectives/operation.h"

namespace aclimb::collectives {

// What tools are told of an operation: the memory that it reads and writes, and its arguments.
// Stays in place: it points into itself.
class ToolView {
 public:
  // Null when no tool listens.
  static std::unique_ptr<ToolView> Make(const Operation& operation);
  ToolView(const ToolView&) = delete;
  ToolView& operator=(const ToolView&) = delete;

  // `name` is static text, `address` as the program knows it.
  void Add(const char* name, const void* address, uint64_t count, HcclDataType type, bool writes);
  const AclimbOperation* operation();

 private:
  ToolView() = default;

  struct Extent {
    int64_t shape;
    int64_t stride;
  };
  std::string arguments_;
  std::vector<std::unique_ptr<Extent>> extents_;
  std::vector<AclimbAccess> accesses_;
  AclimbOperation operation_ = {};
};

}  // namespace aclimb::collectives
