#include "tools/record/limit.h"

#include <cstdlib>
#include <optional>

#include "aclimb/core/codes.h"
#include "aclimb/core/environment.h"
#include "aclimb/core/text.h"

namespace aclimb::tools {

Result<uint64_t> ReadRecordLimit() {
  const char* text = secure_getenv("ACLIMB_RECORD_LIMIT");
  if (text == nullptr || text[0] == '\0') return kDefaultRecordLimit;
  if (const std::optional<uint64_t> limit = ParseByteSize(text)) return *limit;
  return Refuse(kInvalidParam,
                Cat("ACLIMB_RECORD_LIMIT is \"", text, "\"; expected ",
                    FindEnvironmentVariable("ACLIMB_RECORD_LIMIT")->values, "."),
                "correct it, or unset it", "runtime/environment");
}

}  // namespace aclimb::tools
