#pragma once

#include <memory>

// Debian's package of Gloo has no gloo/common/memory.h, which its gloo/transport/tcp/pair.h
// includes. For classes derived from what stands there it is enough to know how large a member of
// these types is; nothing here looks into one. A package that has the header is preferred to this
// one.
namespace gloo {

template <typename T>
class NonOwningPtr;

template <typename T>
class ShareableNonOwningPtr final {
  std::shared_ptr<T> ptr_;
};

template <typename T>
class WeakNonOwningPtr final {
 public:
  explicit WeakNonOwningPtr(const ShareableNonOwningPtr<T>& pointer);
  WeakNonOwningPtr() = default;

 private:
  std::weak_ptr<T> ptr_;
};

}  // namespace gloo
