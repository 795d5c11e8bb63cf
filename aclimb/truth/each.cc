#include "aclimb/truth/each.h"

#include "aclimb/truth/elements.h"

namespace aclimb::truth {

std::vector<int64_t> BroadcastFrom(const Call& call, int input, const std::vector<int64_t>& shape) {
  // In elements, from an element of the shape to the next one of the same dimension.
  std::vector<int64_t> steps(shape.size());
  const std::vector<int64_t>& own = call.Shape(input);
  int64_t step = 1;
  for (size_t d = own.size(); d-- > 0;) {
    if (own[d] != 1) steps[shape.size() - own.size() + d] = step;
    step *= own[d];
  }
  return PlacesOf(shape, steps);
}

std::vector<double> BroadcastValues(const Call& call, int input,
                                    const std::vector<int64_t>& shape) {
  const std::vector<double>& values = call.Values(input);
  if (call.Shape(input) == shape) return values;
  const std::vector<int64_t> places = BroadcastFrom(call, input, shape);
  std::vector<double> results(places.size());
  for (size_t n = 0; n < places.size(); ++n) results[n] = values[static_cast<size_t>(places[n])];
  return results;
}

double ValueAt(const Call& call, Slot slot, const std::vector<int64_t>& index) {
  const Given& given = call.At(slot);
  int64_t number = 0;
  for (size_t d = 0; d < index.size(); ++d) number = number * given.shape[d] + index[d];
  return given.values[static_cast<size_t>(number)];
}

}  // namespace aclimb::truth
