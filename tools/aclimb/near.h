#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aclimb::cli {

// The candidates that someone who wrote `text` may have meant, best first, at most `count`: those
// that contain it, then those that differ by few letters. Upper and lower case are the same.
std::vector<std::string> NearMatches(std::string_view text,
                                     const std::vector<std::string>& candidates, size_t count = 5);

// Upper case letters in lower case.
std::string Lower(std::string_view text);

}  // namespace aclimb::cli
