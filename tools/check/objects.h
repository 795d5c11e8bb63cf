#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "tools/check/finding.h"

namespace aclimb::check {

// What a handle of the program stands for, or stood for.
struct Object {
  int kind = 0;  // AclimbHandleKind
  bool live = true;
  Involved made;      // what: the function
  Involved released;  // of one that is gone
};

// Every object that the program holds a handle of, and the latest that it gave back.
class Objects {
 public:
  void Made(int kind, const void* handle, Involved made);
  // The object, which stays known; null when it was none.
  const Object* Released(const void* handle, Involved released);
  const Object* Find(const void* handle) const;

  template <typename Visit>
  void ForEachLive(Visit&& visit) const {
    for (const auto& [handle, object] : known_) {
      if (object.live) visit(object);
    }
  }

 private:
  std::unordered_map<const void*, Object> known_;
  std::deque<const void*> released_order_;
};

// "aclTensor", "stream"
const char* KindName(int kind);

}  // namespace aclimb::check
