#include "tools/schedule/settings.h"

#include <cstdlib>

#include "aclimb/core/codes.h"
#include "aclimb/core/parse.h"
#include "aclimb/core/text.h"

namespace aclimb::tools {

Result<std::unique_ptr<Order>> ReadOrder() {
  const char* value = secure_getenv("ACLIMB_SCHEDULE");
  const std::string_view text = value == nullptr ? std::string_view() : value;
  if (text.empty() || text == "roundrobin") return std::unique_ptr<Order>();
  constexpr std::string_view kRandom = "random:";
  constexpr std::string_view kReplay = "replay:";
  uint64_t seed = 0;
  if (text.starts_with(kRandom) && ParseWhole(text.substr(kRandom.size()), &seed)) {
    return std::unique_ptr<Order>(std::make_unique<RandomOrder>(seed));
  }
  if (text.starts_with(kReplay)) {
    Result<std::vector<Step>> steps = ReadSteps(std::string(text.substr(kReplay.size())));
    if (!steps.ok()) return steps.TakeStatus();
    return std::unique_ptr<Order>(std::make_unique<RecordedOrder>(std::move(steps.value())));
  }
  return Refuse(
      kInvalidParam,
      Cat("ACLIMB_SCHEDULE is \"", text, "\"; expected roundrobin, random:SEED or replay:FILE."),
      "correct it, or unset it", "runtime/environment");
}

}  // namespace aclimb::tools
