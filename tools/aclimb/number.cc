#include "tools/aclimb/number.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <stdexcept>

#include "aclimb/core/parse.h"

namespace aclimb::cli {
namespace {

// Of any size.
bool IsNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

[[noreturn]] void Refuse(std::string_view option, std::string_view value,
                         const std::string& expected) {
  const auto none = NoNumber(option, value, expected);
  throw std::runtime_error(
      none ? *none : fmt::format("{} is \"{}\"; expected {}.", option, value, expected));
}

}  // namespace

std::optional<std::string> NoNumber(std::string_view option, std::string_view value,
                                    std::string_view expected) {
  if (IsNumber(value)) return std::nullopt;
  return fmt::format("{} needs a number, got \"{}\"; expected {}.", option, value, expected);
}

uint64_t WholeNumber(std::string_view option, std::string_view value, uint64_t least,
                     uint64_t most) {
  uint64_t number = 0;
  if (ParseWhole(value, &number) && number >= least && number <= most) return number;
  const bool any = most == std::numeric_limits<uint64_t>::max();
  Refuse(option, value,
         fmt::format("a whole number, {} to {}", least, any ? "2^64-1" : fmt::format("{}", most)));
}

double Seconds(std::string_view option, std::string_view value) {
  double number = 0;
  if (ParseWhole(value, &number) && std::isfinite(number) && number > 0) return number;
  Refuse(option, value, "seconds, more than 0");
}

}  // namespace aclimb::cli
