#include <algorithm>
#include <span>

#include "aclimb/contract/broadcast.h"
#include "aclimb/contract/given.h"
#include "aclimb/contract/told.h"
#include "aclimb/contract/violation.h"
#include "aclimb/core/text.h"

namespace aclimb::contract {
namespace {

std::string Told(const Contract& contract, const GivenTensor& given) {
  return ShapeTold(NameOf(contract, given), *given.tensor);
}

// Whether the inputs broadcast to one shape, which is told then.
bool Meet(const Contract& contract, const Rule& rule, const Arguments& arguments,
          int64_t (&extents)[8], size_t& count) {
  count = 0;
  for (int index : {rule.subject, rule.other, rule.third}) {
    if (index < 0) continue;
    const GivenTensor given = TensorAt(contract, arguments, index, 0);
    if (given && !BroadcastInto(given->shape, extents, count)) return false;
  }
  return true;
}

}  // namespace

const char* FixOf(const Contract& contract, const Rule& rule, const Arguments& arguments) {
  int64_t extents[8];
  size_t count;
  if (rule.kind != RuleKind::kBroadcasts || Meet(contract, rule, arguments, extents, count)) {
    return rule.fix;
  }
  // An input that has to broadcast to the output itself.
  for (int index : {rule.subject, rule.other, rule.third}) {
    if (index >= 0 && !IsRead(contract.At(index).role)) return rule.fix;
  }
  return "reshape one of the inputs, or give it dimensions of 1 where it has to be repeated";
}

std::optional<std::string> BroadcastViolation(const Contract& contract, const Rule& rule,
                                              const Arguments& arguments) {
  int64_t extents[8];
  size_t count;
  std::string inputs;
  const bool meet = Meet(contract, rule, arguments, extents, count);
  const GivenTensor output = TensorAt(contract, arguments, rule.output, 0);
  if (meet && (!output || std::ranges::equal(output->shape, std::span(extents, count)))) {
    return std::nullopt;
  }
  for (int index : {rule.subject, rule.other, rule.third}) {
    if (index < 0 || (meet && index == rule.output)) continue;
    const GivenTensor given = TensorAt(contract, arguments, index, 0);
    if (!given) continue;
    inputs += Cat(inputs.empty() ? "" : " and ", Told(contract, given));
  }
  if (!meet) {
    return Cat(inputs,
               "; expected shapes that broadcast: dimensions, counted from the last, that are "
               "equal or 1.");
  }
  const std::string shape = ShapeText(extents, count);
  const bool in_place = rule.output == rule.subject;
  return Cat(Told(contract, output), " but ", inputs,
             in_place ? Cat("; expected a shape that broadcasts to ", ShapeOf(output),
                            ", and together they broadcast to ", shape, ".")
                      : Cat("; expected ", shape, ", which the inputs broadcast to."));
}

}  // namespace aclimb::contract
