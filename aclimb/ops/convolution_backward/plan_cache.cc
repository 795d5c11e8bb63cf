#include "aclimb/ops/convolution_backward/plan_cache.h"

#include <utility>

#include "aclimb/ops/convolution_backward/recent_answers.h"
#include "aclimb/ops/convolution_backward/rules.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::convolution_backward {
namespace {

// A kept plan, and what it told the planner.
struct Kept {
  PlanPointer plan;
  int64_t workspace_bytes = 0;
  bool needs_engine = false;
};

// Leaks: engines may still run at exit.
RecentAnswers<PlanKey, Kept>& Plans() {
  static auto* const plans = new RecentAnswers<PlanKey, Kept>(256);
  return *plans;
}

}  // namespace

PlanKey::PlanKey(const contract::Arguments& arguments, const Planner& planner) {
  size_t used = 0;
  const auto add = [&](int64_t word) { words_[used++] = word; };
  // A fixed number of words each, so that equal keys are equal problems.
  const auto add_all = [&](const std::vector<int64_t>& values, size_t room) {
    for (size_t i = 0; i < room; ++i) add(i < values.size() ? values[i] : 0);
  };
  for (const int parameter : {kGradOutput, kInput, kWeight, kGradInput, kGradWeight, kGradBias}) {
    static const TensorDescriptor kAbsent;
    const TensorDescriptor* const given = arguments.TensorOrNull(parameter);
    const TensorDescriptor& tensor = given == nullptr ? kAbsent : *given;
    add(static_cast<int64_t>(tensor.dtype));
    add(tensor.rank());
    add_all(tensor.shape, 5);
    add_all(tensor.stride, 5);
  }
  for (const int parameter : {kStride, kPadding, kDilation}) {
    const std::vector<int64_t>& values = arguments.Ints(parameter);
    add(static_cast<int64_t>(values.size()));
    add_all(values, 4);
  }
  add(arguments.Bool(kTransposed));
  add(arguments.Integer(kGroups));
  for (const uint8_t wanted : arguments.Bools(kOutputMask)) add(wanted != 0);
  add(planner.deterministic());
  add(TeamSize());
  for (const int64_t word : words_) {
    hash_ = (hash_ ^ static_cast<uint64_t>(word)) * 0x9E3779B97F4A7C15u;
    hash_ ^= hash_ >> 32;
  }
}

PlanPointer FindPlan(const PlanKey& key, Planner& planner) {
  std::optional<Kept> kept = Plans().Find(key);
  if (!kept) return nullptr;
  if (kept->workspace_bytes > 0) (void)planner.workspace().Book(kept->workspace_bytes);
  if (kept->needs_engine) planner.NeedsEngine();
  return kept->plan;
}

void KeepPlan(const PlanKey& key, const Planner& planner, PlanPointer plan) {
  const WorkspaceLedger& workspace = planner.workspace();
  if (workspace.overflow()) return;  // phase 1 refuses it
  const auto size = static_cast<int64_t>(workspace.Size());
  // Size adds the room for alignment again.
  Plans().Keep(key, Kept{.plan = std::move(plan),
                         .workspace_bytes = size == 0 ? 0 : size - WorkspaceLedger::kAlignment,
                         .needs_engine = planner.needs_engine()});
}

}  // namespace aclimb::convolution_backward
