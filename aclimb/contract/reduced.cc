#include "aclimb/contract/reduced.h"

#include "aclimb/core/dimensions.h"

namespace aclimb::contract {

DimensionSet DimensionsIn(const std::vector<int64_t>& dims, int rank) {
  if (dims.empty()) return (DimensionSet{1} << rank) - 1;
  DimensionSet set = 0;
  // A single element has dimension 0 as well, which is none.
  for (int64_t dim : dims) {
    if (rank > 0) set |= DimensionSet{1} << WrapDimension(dim, rank);
  }
  return set;
}

DimensionSet ReducedDimensions(const Arguments& arguments, int input, int dims) {
  const int rank = arguments.Tensor(input).rank();
  if (dims < 0) return DimensionsIn({}, rank);
  if (arguments.At(dims).kind == Kind::kInteger) {
    return DimensionsIn({arguments.Integer(dims)}, rank);
  }
  return arguments.Given(dims) ? DimensionsIn(arguments.Ints(dims), rank) : DimensionsIn({}, rank);
}

std::vector<int64_t> ReducedShape(const std::vector<int64_t>& shape, DimensionSet reduced,
                                  bool keep) {
  std::vector<int64_t> left;
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool gone = Has(reduced, static_cast<int>(d));
    if (!gone || keep) left.push_back(gone ? 1 : shape[d]);
  }
  return left;
}

}  // namespace aclimb::contract
