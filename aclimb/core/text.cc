#include "aclimb/core/text.h"

namespace aclimb {
namespace {

// Bytes of the character that begins the text, which is not empty; 0 where it is no UTF-8.
size_t CharacterBytes(std::string_view text) {
  const auto byte = [text](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const size_t bytes = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // A character that has a shorter form, half of one in UTF-16, or one behind the last.
  const bool none = (first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
                    (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
  return none ? 0 : bytes;
}

}  // namespace

std::string AddressText(const void* address) {
  if (address == nullptr) return "null";
  char text[24];
  std::snprintf(text, sizeof(text), "%#llx",
                static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(address)));
  return text;
}

std::string ShapeText(const int64_t* dims, size_t count) {
  std::string out = "[";
  for (size_t i = 0; i < count; ++i) {
    if (i != 0) out += ", ";
    out += std::to_string(dims[i]);
  }
  return out + "]";
}

std::string JsonText(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char c = text.front();
    const size_t bytes = CharacterBytes(text);
    if (bytes == 0) {
      out += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
      out += escaped;
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out + "\"";
}

}  // namespace aclimb
