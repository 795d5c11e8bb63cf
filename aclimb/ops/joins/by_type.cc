// What frameworks call by type name: ConcatD and Pack.

#include "aclimb/executor/by_type.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_stack.h"

namespace aclimb::joins {
namespace {

template <auto kPhase1, auto kPhase2>
Status Answer(TypedCall& call, const char* dimension) {
  if (Status bad = call.Has(1, std::numeric_limits<int>::max(), 1, {"N", dimension}); !bad.ok()) {
    return bad;
  }
  std::vector<const aclTensor*> parts;
  for (int i = 0; i < call.input_count(); ++i) {
    Result<const aclTensor*> part = call.InputTensor(i);
    if (!part.ok()) return part.TakeStatus();
    parts.push_back(part.value());
  }
  Result<int64_t> count = call.Integer("N", static_cast<int64_t>(parts.size()));
  if (!count.ok()) return count.TakeStatus();
  if (count.value() != static_cast<int64_t>(parts.size())) {
    return call.Unsupported("the attribute N to be the number of inputs");
  }
  Result<int64_t> dim = call.Integer(dimension, 0);
  if (!dim.ok()) return dim.TakeStatus();
  Result<aclTensor*> y = call.OutputTensor(0);
  if (!y.ok()) return y.TakeStatus();
  RunOperator<kPhase1, kPhase2>(call, call.List(parts), dim.value(), y.value());
  return Ok();
}

Status AnswerConcat(TypedCall& call) {
  return Answer<&aclnnCatGetWorkspaceSize, &aclnnCat>(call, "concat_dim");
}

Status AnswerPack(TypedCall& call) {
  return Answer<&aclnnStackGetWorkspaceSize, &aclnnStack>(call, "axis");
}

const ByType kConcat("ConcatD", &AnswerConcat);
const ByType kPack("Pack", &AnswerPack);

}  // namespace
}  // namespace aclimb::joins
