#pragma once

#include <cstdint>
#include <memory>

#include "aclimb/onednn/layout.h"

namespace aclimb::onednn {

// A copy from one layout to another, also between float32 and bfloat16 (nearest even).
class Reorder {
 public:
  virtual ~Reorder() = default;
  virtual int64_t ScratchBytes() const = 0;
  virtual void Run(const void* from, void* to, void* scratch) const = 0;
};
using ReorderPointer = std::shared_ptr<const Reorder>;

// Null when oneDNN has only its reference implementation. `threads` is the team of the run. Cached
// and thread-safe; throws as Ask does (adapter.h).
ReorderPointer MakeReorder(const LayoutPointer& from, const LayoutPointer& to, int threads);

}  // namespace aclimb::onednn
