#pragma once

#include <string>
#include <unordered_map>

#include "aclimb/backend/backend.h"
#include "tools/check/finding.h"

namespace aclimb::check {

// What each queue is called, and where the program made it.
class Streams {
 public:
  void Add(const AclimbDevice* device, const AclimbQueue* queue, Involved made) {
    const int number = made_on_[device]++;
    // The first queue of a context is its default stream, which the program did not ask for.
    std::string name = made.what.starts_with("aclrtCreateStream")
                           ? "stream " + std::to_string(number)
                           : std::string("the default stream");
    known_[queue] = {std::move(name), std::move(made)};
  }
  void Remove(const AclimbQueue* queue) { known_.erase(queue); }

  // "stream 1", "the default stream"
  std::string NameOf(const AclimbQueue* queue) const {
    const auto found = known_.find(queue);
    return found == known_.end() ? "a stream" : found->second.name;
  }
  Involved MadeOf(const AclimbQueue* queue) const {
    const auto found = known_.find(queue);
    return found == known_.end() ? Involved() : found->second.made;
  }

 private:
  struct Stream {
    std::string name;
    Involved made;
  };
  std::unordered_map<const AclimbQueue*, Stream> known_;
  std::unordered_map<const AclimbDevice*, int> made_on_;
};

}  // namespace aclimb::check
