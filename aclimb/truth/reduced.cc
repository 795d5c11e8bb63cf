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

namespace {

template <typename T>
std::vector<std::vector<T>> GroupsOf(const std::vector<T>& values,
                                     const std::vector<int64_t>& shape,
                                     contract::DimensionSet reduced) {
  // In results, from an element to the next one of the same dimension; 0 of those reduced.
  std::vector<size_t> steps(shape.size());
  size_t count = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    if (contract::Has(reduced, static_cast<int>(d))) continue;
    steps[d] = count;
    count *= static_cast<size_t>(shape[d]);
  }
  std::vector<std::vector<T>> groups(count);
  for (size_t i = 0; i < values.size(); ++i) {
    size_t rest = i, at = 0;
    for (size_t d = shape.size(); d-- > 0;) {
      at += rest % static_cast<size_t>(shape[d]) * steps[d];
      rest /= static_cast<size_t>(shape[d]);
    }
    groups[at].push_back(values[i]);
  }
  return groups;
}

}  // namespace

std::vector<std::vector<double>> Groups(const Call& call, int tensor,
                                        contract::DimensionSet reduced) {
  return GroupsOf(call.Values(tensor), call.Shape(tensor), reduced);
}

std::vector<std::vector<int64_t>> IntegerGroups(const Call& call, int tensor,
                                                contract::DimensionSet reduced) {
  const std::vector<double>& values = call.Values(tensor);
  std::vector<int64_t> integers = call.Ints(tensor);
  if (integers.empty()) integers.assign(values.begin(), values.end());  // BOOL
  return GroupsOf(integers, call.Shape(tensor), reduced);
}

}  // namespace aclimb::truth
