#include "tools/record/limit.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "aclimb/core/codes.h"
#include "aclimb/core/text.h"

namespace aclimb::tools {

Result<uint64_t> ReadRecordLimit() {
  const char* text = secure_getenv("ACLIMB_RECORD_LIMIT");
  if (text == nullptr || text[0] == '\0') return kDefaultRecordLimit;
  std::string_view digits = text;
  int shift = 0;
  const size_t unit = std::string_view("KMGT").find(static_cast<char>(digits.back() & ~0x20));
  if (unit != std::string_view::npos && digits.size() > 1) {
    shift = 10 * (static_cast<int>(unit) + 1);
    digits.remove_suffix(1);
  }
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size() &&
      value <= (uint64_t{1} << 50) >> shift) {
    return value << shift;
  }
  return Refuse(
      kInvalidParam,
      Cat("ACLIMB_RECORD_LIMIT is \"", text, "\"; expected bytes, or a number with K, M, G or T."),
      "correct it, or unset it", "runtime/environment");
}

}  // namespace aclimb::tools
