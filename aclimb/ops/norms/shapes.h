#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/arguments.h"
#include "aclimb/core/dtype.h"
#include "aclimb/core/text.h"

// What the rules of several norms say of their arguments.
namespace aclimb::norms {

using Violation = std::optional<std::string>;
using Shape = std::vector<int64_t>;

inline std::string Text(const Shape& shape) { return ShapeText(shape.data(), shape.size()); }

// A parameter as messages name it.
struct Named {
  int position;
  const char* name;
};

inline std::string ShapeOf(const contract::Arguments& arguments, const Named& tensor) {
  return Cat(tensor.name, ".shape is ", Text(arguments.Tensor(tensor.position).shape));
}

// Statistics of rows that are the last `row_rank` dimensions of the input: the dimensions before
// them, each of these as 1, or none of them if `may_end`.
inline Violation StatisticsShape(const contract::Arguments& arguments, const Named& statistics,
                                 const Named& input, size_t row_rank, const std::string& also,
                                 bool may_end = false) {
  if (!arguments.Given(statistics.position)) return std::nullopt;
  const Shape& got = arguments.Tensor(statistics.position).shape;
  Shape expected = arguments.Tensor(input.position).shape;
  expected.resize(expected.size() - row_rank);
  if (may_end && got == expected) return std::nullopt;
  expected.resize(expected.size() + row_rank, 1);
  if (got == expected) return std::nullopt;
  return Cat(ShapeOf(arguments, statistics), " but ", ShapeOf(arguments, input), also,
             "; expected ", Text(expected), ".");
}

// The shape is that of the input's last dimensions, one at least.
inline Violation TrailingShape(const contract::Arguments& arguments, const Named& tensor,
                               const Named& input) {
  const Shape& got = arguments.Tensor(tensor.position).shape;
  const Shape& all = arguments.Tensor(input.position).shape;
  if (got.size() <= all.size() && std::equal(got.rbegin(), got.rend(), all.rbegin())) {
    return std::nullopt;
  }
  return Cat(ShapeOf(arguments, tensor), " but ", ShapeOf(arguments, input),
             "; expected the last dimensions of ", input.name, ".");
}

}  // namespace aclimb::norms
