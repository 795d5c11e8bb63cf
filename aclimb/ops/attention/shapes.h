#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/arguments.h"
#include "aclimb/contract/contract.h"
#include "aclimb/core/text.h"
#include "aclimb/ops/attention/band.h"
#include "aclimb/ops/attention/layout.h"

// What the rules of the operators of attention say of their arguments.
namespace aclimb::attention {

using Finding = std::optional<std::string>;
using Shape = std::vector<int64_t>;

// Where a function has what its rules ask about; -1 where it has no such parameter.
struct Places {
  const contract::Parameter* parameters;
  int query, key, value;
  int bias, mask;
  int heads, layout;
  int sparse_mode, pre_tokens, next_tokens;  // -1: the mask alone decides
  int key_heads = -1;                        // by default the shapes tell
  int keep = -1, kept = -1;
  bool padded = false;  // rows and columns of bias and mask may be more than are needed

  const char* NameOf(int place) const { return parameters[place].name; }
};

// The extents of a call.
struct Sizes {
  int64_t batch, heads, key_heads, queries, keys, width, value_width;
};

// Lists have one tensor here.
inline const TensorDescriptor& TensorAt(const contract::Arguments& arguments, int place) {
  return arguments.At(place).kind == contract::Kind::kTensorList ? arguments.Tensor(place, 0)
                                                                 : arguments.Tensor(place);
}
inline const Shape& ShapeAt(const contract::Arguments& arguments, int place) {
  return TensorAt(arguments, place).shape;
}

// A layout that says BNSD_BSND has another one for results.
inline std::string_view LayoutOf(std::string_view text) { return text.substr(0, text.find('_')); }
inline std::string_view ResultLayoutOf(std::string_view text) {
  return text.substr(text.find('_') + 1);
}
inline std::string_view LayoutOf(const contract::Arguments& arguments, const Places& at) {
  return LayoutOf(arguments.String(at.layout, ""));
}
inline std::string_view ResultLayoutOf(const contract::Arguments& arguments, const Places& at) {
  return ResultLayoutOf(arguments.String(at.layout, ""));
}

inline std::string Text(const Shape& shape) { return ShapeText(shape.data(), shape.size()); }

// How many heads of keys there are; 0 where the key's shape does not tell.
inline int64_t KeyHeadsOf(const Shape& key, std::string_view layout, int64_t width) {
  if (key.size() != RankOf(layout)) return 0;
  if (!JoinsHeads(layout)) return key[layout.find('N')];
  return key[2] % width == 0 ? key[2] / width : 0;
}

// Of arguments whose shapes were checked.
inline Sizes SizesOf(const contract::Arguments& arguments, const Places& at) {
  const std::string_view layout = LayoutOf(arguments, at);
  const int64_t heads = arguments.Integer(at.heads);
  const PerHead query = *ByHeads(ShapeAt(arguments, at.query), layout, heads);
  const int64_t key_heads = KeyHeadsOf(ShapeAt(arguments, at.key), layout, query[3]);
  const PerHead key = *ByHeads(ShapeAt(arguments, at.key), layout, key_heads);
  const PerHead value = *ByHeads(ShapeAt(arguments, at.value), layout, key_heads);
  return {.batch = query[0],
          .heads = heads,
          .key_heads = key_heads,
          .queries = query[2],
          .keys = key[2],
          .width = query[3],
          .value_width = value[3]};
}

inline int64_t ModeOf(const contract::Arguments& arguments, const Places& at) {
  return at.sparse_mode < 0 ? int64_t{kAllMask} : arguments.Integer(at.sparse_mode);
}
inline Band BandOf(const contract::Arguments& arguments, const Places& at) {
  if (at.sparse_mode < 0) return {};
  return BandOf(arguments.Integer(at.sparse_mode), arguments.Given(at.mask),
                arguments.Integer(at.pre_tokens), arguments.Integer(at.next_tokens));
}

// "query.shape is [1, 2, 3, 4]", "headNum is 2"
std::string ShapeIs(const contract::Arguments& arguments, const Places& at, int place);
std::string NumberIs(const contract::Arguments& arguments, const Places& at, int place);
std::string LayoutIs(const contract::Arguments& arguments, const Places& at);

Finding WrongQuery(const contract::Arguments& arguments, const Places& at);
Finding WrongKey(const contract::Arguments& arguments, const Places& at);
Finding WrongValue(const contract::Arguments& arguments, const Places& at);
// The bias is [B or 1, N, Sq, Skv], or [B, N, 1, Skv] if it may repeat its row.
Finding WrongBias(const contract::Arguments& arguments, const Places& at, bool repeats);
// The mask is there where the mode reads one: the first does without.
constexpr contract::Rule NeedsMask(const char* id, int mask, int sparse_mode) {
  return contract::WantedUnless(id, mask, sparse_mode, kDefaultMask,
                                "pass the mask, for sparseMode 2 to 4 the triangle [2048, 2048]",
                                kAclnnInvalid);
}
// It has a shape of those that the mode has.
Finding WrongMask(const contract::Arguments& arguments, const Places& at);
Finding WrongBand(const contract::Arguments& arguments, const Places& at);
Finding WrongKept(const contract::Arguments& arguments, const Places& at);
// [B, N, Sq, last]
Finding WrongStatistics(const contract::Arguments& arguments, const Places& at, int place,
                        int64_t last);
// The layout of the query and the width of the value.
Finding WrongResult(const contract::Arguments& arguments, const Places& at, int place);

}  // namespace aclimb::attention
