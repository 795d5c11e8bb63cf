#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

namespace aclimb {
namespace text_internal {

inline void Append(std::string& out, std::string_view part) { out += part; }
// A template, so that a text literal never decays into it.
template <typename T>
requires(std::is_same_v<T, bool>) void Append(std::string& out, T value) {
  out += value ? "true" : "false";
}
template <typename T>
requires(std::is_floating_point_v<T>) void Append(std::string& out, T value) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.9g", static_cast<double>(value));
  out += buffer;
}
template <typename T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) void Append(std::string& out, T value) {
  out += std::to_string(value);
}

}  // namespace text_internal

// Joins texts and numbers: Cat("rank ", 3, " > ", limit).
template <typename... Parts>
std::string Cat(const Parts&... parts) {
  std::string out;
  (text_internal::Append(out, parts), ...);
  return out;
}

// "0x7f1200000000"; "null".
std::string AddressText(const void* address);

// "[8, 16]"; "[]" for rank 0.
std::string ShapeText(const int64_t* dims, size_t count);

// `text` as a JSON string with its quotes.
std::string JsonText(std::string_view text);

}  // namespace aclimb
