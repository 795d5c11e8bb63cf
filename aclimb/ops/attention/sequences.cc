#include "aclimb/ops/attention/sequences.h"

namespace aclimb::attention {
namespace {

Finding WrongEnds(const contract::Arguments& arguments, const Places& at, int place, int rows,
                  size_t count) {
  const IntArrayValue& ends = arguments.Ints(place);
  const int64_t total = ShapeAt(arguments, rows)[0];
  bool fits = !ends.empty() && (count == 0 || ends.size() == count) && ends.front() >= 0 &&
              ends.back() == total;
  for (size_t i = 1; i < ends.size(); ++i) fits = fits && ends[i] >= ends[i - 1];
  if (fits) return std::nullopt;
  return Cat(at.NameOf(place), " is ", Text(ends), " and ", ShapeIs(arguments, at, rows),
             "; expected ", count == 0 ? std::string("ends") : Cat(count, " ends"),
             ", none below the one before, the last ", total, ".");
}

std::string EndsAre(const contract::Arguments& arguments, const SequencePlaces& places) {
  return Cat(places.at.NameOf(places.query_ends), " is ", Text(arguments.Ints(places.query_ends)),
             " and ", places.at.NameOf(places.key_ends), " is ",
             Text(arguments.Ints(places.key_ends)));
}

}  // namespace

Finding WrongQueryEnds(const contract::Arguments& arguments, const SequencePlaces& places) {
  return WrongEnds(arguments, places.at, places.query_ends, places.at.query, 0);
}
Finding WrongKeyEnds(const contract::Arguments& arguments, const SequencePlaces& places) {
  return WrongEnds(arguments, places.at, places.key_ends, places.at.key,
                   arguments.Ints(places.query_ends).size());
}

Finding WrongSequenceMask(const contract::Arguments& arguments, const SequencePlaces& places) {
  const Places& at = places.at;
  if (!arguments.Given(at.mask)) return std::nullopt;
  const Shape& shape = ShapeAt(arguments, at.mask);
  if (HasPatternMask(arguments.Integer(at.sparse_mode))) {
    if (shape == Shape{2048, 2048}) return std::nullopt;
    return Cat(ShapeIs(arguments, at, at.mask), " and ", NumberIs(arguments, at, at.sparse_mode),
               "; expected [2048, 2048].");
  }
  const int64_t queries = SequencesOf(arguments.Ints(places.query_ends)).Longest();
  const int64_t keys = SequencesOf(arguments.Ints(places.key_ends)).Longest();
  if (shape[0] >= queries && shape[1] >= keys) return std::nullopt;
  return Cat(ShapeIs(arguments, at, at.mask), ", ", NumberIs(arguments, at, at.sparse_mode), ", ",
             EndsAre(arguments, places), "; expected ", queries, " rows and ", keys,
             " columns or more.");
}

Finding WrongSequenceKept(const contract::Arguments& arguments, const SequencePlaces& places) {
  const Places& at = places.at;
  if (!arguments.Given(at.kept) || arguments.Real(at.keep) == 1) return std::nullopt;
  const int64_t weights =
      WeightStarts(SequencesOf(arguments.Ints(places.query_ends)),
                   SequencesOf(arguments.Ints(places.key_ends)), arguments.Integer(at.heads))
          .back();
  const int64_t bytes = weights / 8 + (weights % 8 != 0);
  if (TensorAt(arguments, at.kept).ElementCount() >= bytes) return std::nullopt;
  return Cat(ShapeIs(arguments, at, at.kept), ", ", ShapeIs(arguments, at, at.query), ", ",
             EndsAre(arguments, places), "; expected ", bytes, " bytes or more, a bit for each of ",
             weights, " weights.");
}

}  // namespace aclimb::attention
