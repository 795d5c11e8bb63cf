#include "tools/check/objects.h"

#include <iterator>
#include <utility>

#include "aclimb/bridge/collectives.h"

namespace aclimb::check {
namespace {

constexpr size_t kMostReleased = 16384;

// By kind.
constexpr const char* kNames[] = {"object",
                                  "context",
                                  "stream",
                                  "event",
                                  "stream configuration",
                                  "aclTensor",
                                  "aclScalar",
                                  "aclIntArray",
                                  "aclFloatArray",
                                  "aclBoolArray",
                                  "aclTensorList",
                                  "aclScalarList",
                                  "aclOpExecutor",
                                  "aclDataBuffer",
                                  "aclTensorDesc",
                                  "aclopAttr",
                                  "physical memory handle",
                                  "aclmdlRI",
                                  "communicator"};
static_assert(std::size(kNames) == ACLIMB_HANDLE_COMMUNICATOR + 1);

}  // namespace

const char* KindName(int kind) {
  return kNames[kind > 0 && kind < static_cast<int>(std::size(kNames)) ? kind : 0];
}

void Objects::Made(int kind, const void* handle, Involved made) {
  known_.insert_or_assign(handle, Object{kind, true, std::move(made), {}});
}

const Object* Objects::Released(const void* handle, Involved released) {
  const auto found = known_.find(handle);
  if (found == known_.end()) return nullptr;
  found->second.live = false;
  found->second.released = std::move(released);
  released_order_.push_back(handle);
  if (released_order_.size() > kMostReleased) {
    const auto oldest = known_.find(released_order_.front());
    if (oldest != known_.end() && !oldest->second.live) known_.erase(oldest);
    released_order_.pop_front();
  }
  return &found->second;
}

const Object* Objects::Find(const void* handle) const {
  const auto found = known_.find(handle);
  return found == known_.end() ? nullptr : &found->second;
}

}  // namespace aclimb::check
