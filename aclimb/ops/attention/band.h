#pragma once

#include <algorithm>
#include <cstdint>

namespace aclimb::attention {

// What sparseMode says of the keys that take part.
enum SparseMode : int64_t {
  kDefaultMask = 0,       // those between preTokens and nextTokens that attenMask leaves
  kAllMask = 1,           // those that attenMask leaves
  kLeftUpCausal = 2,      // up to the query's own place, counted from the first query and key
  kRightDownCausal = 3,   // the same, counted from the last query and key
  kBandFromTheRight = 4,  // between preTokens and nextTokens, counted from the last
};

// From `begin` up to `end`, without it.
struct Range {
  int64_t begin = 0;
  int64_t end = 0;
  bool empty() const { return begin >= end; }
};

// The keys that take part for a query: those from `before` ahead of its place up to `after` behind
// it. Its place is its number, counted from the first or from the last of both.
struct Band {
  // Further than any tensor is long, and no sum of two overflows.
  static constexpr int64_t kFar = int64_t{1} << 60;

  int64_t before = kFar;
  int64_t after = kFar;
  bool from_last = false;

  Range KeysOf(int64_t query, int64_t queries, int64_t keys) const {
    const int64_t place = from_last ? query + keys - queries : query;
    return {std::clamp<int64_t>(place - before, 0, keys),
            std::clamp<int64_t>(place + after + 1, 0, keys)};
  }
};

// Whether the mode's mask is the triangle of 2048 rows that tells nothing which the mode does not.
constexpr bool HasPatternMask(int64_t sparse_mode) { return sparse_mode >= kLeftUpCausal; }

//   masked  whether attenMask is given, without which the default mode takes all keys
inline Band BandOf(int64_t sparse_mode, bool masked, int64_t pre_tokens, int64_t next_tokens) {
  const auto near = [](int64_t tokens) {
    return std::clamp(tokens, -Band::kFar / 4, Band::kFar / 4);
  };
  switch (sparse_mode) {
    case kDefaultMask:
      if (!masked) return {};
      return {.before = near(pre_tokens), .after = near(next_tokens)};
    case kLeftUpCausal:
      return {.after = 0};
    case kRightDownCausal:
      return {.after = 0, .from_last = true};
    case kBandFromTheRight:
      return {.before = near(pre_tokens), .after = near(next_tokens), .from_last = true};
    default:
      return {};
  }
}

}  // namespace aclimb::attention
