#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "aclimb/core/status.h"
#include "hccl/hccl_types.h"

namespace aclimb::collectives {

// A number that nobody guesses, of a process or of a group of ranks.
using Secret = std::array<uint8_t, 32>;

// Throws std::system_error when the system has no random numbers.
Secret DrawSecret();
// Takes the same time whatever differs.
bool Equal(const Secret& a, const Secret& b);
// Of the process, drawn when first asked for and again in a child of fork: equal secrets mean one
// address space.
const Secret& ProcessSecret();
// Of 64 bits, for names and tables.
std::string HexText(const Secret& secret);

// What HcclRootInfo has: where the ranks meet, and the secret that lets them in.
struct Token {
  std::string address;  // numeric, IPv4 or IPv6
  uint16_t port = 0;
  Secret secret = {};   // of the group
  Secret process = {};  // of the process that called HcclGetRootInfo
};

void Write(const Token& token, HcclRootInfo* info);
// HCCL_E_PARA for bytes that HcclGetRootInfo did not write, or that were damaged on the way.
Result<Token> ReadToken(const HcclRootInfo& info);

}  // namespace aclimb::collectives
