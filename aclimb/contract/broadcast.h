#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace aclimb::contract {

// Turns `extents`, a shape of `count` dimensions in an array of eight, into what it and `other`
// broadcast to. False when the two do not broadcast: the dimensions, counted from the last, differ
// and neither is 1. At most eight dimensions each.
bool BroadcastInto(std::span<const int64_t> other, int64_t* extents, size_t& count);

// What two shapes of at most eight dimensions broadcast to; nothing when they do not.
std::optional<std::vector<int64_t>> BroadcastShape(std::span<const int64_t> a,
                                                   std::span<const int64_t> b);

}  // namespace aclimb::contract
