#include "aclimb/ops/attention/infer_contract.h"

namespace aclimb::attention {

std::vector<int64_t> CountsOf(const contract::Arguments& arguments, int place, int64_t batch) {
  const IntArrayValue* const counts = place < 0 ? nullptr : arguments.IntsOrNull(place);
  if (counts == nullptr || counts->empty()) return {};
  if (counts->size() > 1) return *counts;
  return std::vector<int64_t>(static_cast<size_t>(batch), counts->front());
}

Finding WrongCounts(const contract::Arguments& arguments, const InferPlaces& places, int place,
                    bool of_keys) {
  const IntArrayValue* const counts = arguments.IntsOrNull(place);
  if (counts == nullptr || counts->empty()) return std::nullopt;
  const Sizes n = SizesOf(arguments, places.at);
  const int64_t most = of_keys ? n.keys : n.queries;
  bool fits = counts->size() == 1 || static_cast<int64_t>(counts->size()) == n.batch;
  for (const int64_t count : *counts) fits = fits && count >= 0 && count <= most;
  if (fits) return std::nullopt;
  return Cat(places.at.NameOf(place), " is ", ShapeText(counts->data(), counts->size()), " and ",
             ShapeIs(arguments, places.at, of_keys ? places.at.key : places.at.query),
             "; expected 1 or ", n.batch, " numbers from 0 to ", most, ".");
}

}  // namespace aclimb::attention
