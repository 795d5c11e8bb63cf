#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "aclimb/collectives/token.h"

// The contents of messages between ranks: numbers as the machine has them (all supported machines
// have the lowest byte first), and texts behind their length.
namespace aclimb::collectives {

class ByteWriter {
 public:
  template <typename T>
  ByteWriter& Number(T value) {
    static_assert(std::is_unsigned_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return *this;
  }
  ByteWriter& Text(std::string_view text) {
    Number(static_cast<uint32_t>(text.size()));
    bytes_ += text;
    return *this;
  }
  ByteWriter& Add(const Secret& secret) {
    bytes_.append(reinterpret_cast<const char*>(secret.data()), secret.size());
    return *this;
  }
  std::string Take() { return std::exchange(bytes_, {}); }

 private:
  std::string bytes_;
};

// Reads what somebody else wrote. Once something is missing, everything reads as zero and ok() is
// false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  T Number() {
    static_assert(std::is_unsigned_v<T>);
    T value = 0;
    if (const char* const from = Take(sizeof(value))) std::memcpy(&value, from, sizeof(value));
    return value;
  }
  std::string_view Text() {
    const uint32_t size = Number<uint32_t>();
    const char* const from = Take(size);
    return from != nullptr ? std::string_view(from, size) : std::string_view();
  }
  Secret ReadSecret() {
    Secret secret = {};
    if (const char* const from = Take(secret.size())) {
      std::memcpy(secret.data(), from, secret.size());
    }
    return secret;
  }
  // All was read, and nothing is left over.
  bool Complete() const { return ok_ && bytes_.empty(); }
  bool ok() const { return ok_; }
  size_t left() const { return bytes_.size(); }

 private:
  const char* Take(size_t count) {
    if (!ok_ || count > bytes_.size()) {
      ok_ = false;
      return nullptr;
    }
    const char* const from = bytes_.data();
    bytes_.remove_prefix(count);
    return from;
  }

  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace aclimb::collectives
