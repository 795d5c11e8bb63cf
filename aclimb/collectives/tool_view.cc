#include "aclimb/collectives/tool_view.h"

#include "acl/acl_base.h"
#include "aclimb/collectives/datatype.h"
#include "aclimb/core/text.h"

namespace aclimb::collectives {

std::unique_ptr<ToolView> ToolView::Make(const Operation& operation) {
  if (aclimb_observing() == 0) return nullptr;
  std::unique_ptr<ToolView> view(new ToolView);
  view->operation_.function = operation.function;
  view->arguments_ =
      Cat("{\"count\":", operation.count, ",\"dataType\":\"", NameOf(operation.type), "\"");
  if (operation.Reduces()) view->arguments_ += Cat(",\"op\":\"", NameOf(operation.op), "\"");
  if (operation.HasRoot()) view->arguments_ += Cat(",\"root\":", operation.root);
  view->arguments_ += '}';
  return view;
}

void ToolView::Add(const char* name, const void* address, uint64_t count, HcclDataType type,
                   bool writes) {
  if (count == 0) return;
  DType tensor = TensorType(type);
  uint32_t bytes = SizeOf(type);
  if (tensor == DType::kUndefined) {
    tensor = DType::kUInt8;
    count *= bytes;
    bytes = 1;
  }
  extents_.push_back(std::make_unique<Extent>(Extent{static_cast<int64_t>(count), 1}));
  accesses_.push_back({name, address, static_cast<int32_t>(tensor), static_cast<int32_t>(bytes), 1,
                       writes ? 1 : 0, &extents_.back()->shape, &extents_.back()->stride, 0,
                       count * bytes});
}

const AclimbOperation* ToolView::operation() {
  operation_.arguments = arguments_.c_str();
  operation_.accesses = accesses_.data();
  operation_.access_count = static_cast<int32_t>(accesses_.size());
  return &operation_;
}

}  // namespace aclimb::collectives
