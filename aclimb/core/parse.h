#pragma once

#include <charconv>
#include <string_view>

namespace aclimb {

// All of `text` as a number. False when it is none, or does not fit; *value is then unspecified.
template <typename T>
bool ParseWhole(std::string_view text, T* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace aclimb
