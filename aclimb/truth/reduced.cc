#include "aclimb/truth/reduced.h"

#include <algorithm>

namespace aclimb::truth {

std::optional<contract::DimensionSet> ReducedDimensions(const Call& call,
                                                        const contract::Rule& rule) {
  const auto rank = static_cast<int64_t>(call.Shape(rule.other).size());
  std::vector<int64_t> dims;
  if (rule.third >= 0) {
    const bool single = call.ParameterAt(rule.third).kind == contract::Kind::kInteger;
    dims = single ? std::vector<int64_t>{call.Integer(rule.third)} : call.Ints(rule.third);
  }
  for (const int64_t dim : dims) {
    if (dim < -std::max<int64_t>(rank, 1) || dim >= std::max<int64_t>(rank, 1)) return std::nullopt;
  }
  return contract::DimensionsIn(dims, static_cast<int>(rank));
}

std::optional<std::vector<int64_t>> ReducedShapeOf(const Call& call, const contract::Rule& rule) {
  const auto reduced = ReducedDimensions(call, rule);
  if (!reduced) return std::nullopt;
  const bool keep = rule.output >= 0 && call.Bool(rule.output);
  return contract::ReducedShape(call.Shape(rule.other), *reduced, keep);
}

}  // namespace aclimb::truth
