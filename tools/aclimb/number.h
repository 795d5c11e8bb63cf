#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace aclimb::cli {

// "--devices needs a number, got "./elu"; expected 1 to 64."; nothing when the value is a number,
// also one that will not do: a value that was forgotten leaves the next word in its place.
//   expected  what the option takes, as "1 to 64"
std::optional<std::string> NoNumber(std::string_view option, std::string_view value,
                                    std::string_view expected);

// The number that an option got. Throw std::runtime_error when it is none, or another than
// expected.
uint64_t WholeNumber(std::string_view option, std::string_view value, uint64_t least,
                     uint64_t most = std::numeric_limits<uint64_t>::max());
double Seconds(std::string_view option, std::string_view value);

}  // namespace aclimb::cli
