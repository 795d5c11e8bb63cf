#include "aclimb/collectives/token.h"

#include <sys/random.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include "aclimb/collectives/bytes.h"
#include "aclimb/core/fork.h"

namespace aclimb::collectives {
namespace {

constexpr char kBegin[8] = {'A', 'c', 'l', 'i', 'm', 'b', 'R', '1'};

// Finds damage, not malice: who knows the secret may come in anyway.
uint64_t Checksum(std::string_view bytes) {
  uint64_t sum = 0xCBF29CE484222325u;
  for (const char byte : bytes) sum = (sum ^ static_cast<uint8_t>(byte)) * 0x100000001B3u;
  return sum;
}

}  // namespace

Secret DrawSecret() {
  Secret secret;
  size_t drawn = 0;
  while (drawn < secret.size()) {
    const ssize_t got = getrandom(secret.data() + drawn, secret.size() - drawn, 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      throw std::system_error(errno, std::generic_category(), "getrandom");
    }
    drawn += static_cast<size_t>(got);
  }
  return secret;
}

bool Equal(const Secret& a, const Secret& b) {
  uint8_t differs = 0;
  for (size_t i = 0; i < a.size(); ++i) differs = static_cast<uint8_t>(differs | (a[i] ^ b[i]));
  return differs == 0;
}

const Secret& ProcessSecret() {
  struct Drawn {
    int forks;
    Secret secret;
  };
  // No guarded static: a fork while a thread initialises one leaves it locked in the child.
  static std::atomic<const Drawn*> drawn{nullptr};
  const Drawn* known = drawn.load(std::memory_order_acquire);
  while (known == nullptr || known->forks != ForkCount()) {
    auto mine = std::make_unique<Drawn>(Drawn{ForkCount(), DrawSecret()});
    if (drawn.compare_exchange_strong(known, mine.get(), std::memory_order_acq_rel)) {
      return mine.release()->secret;
    }
  }
  return known->secret;
}

std::string HexText(const Secret& secret) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < 8; ++i) {
    text += kDigits[secret[i] >> 4];
    text += kDigits[secret[i] & 15];
  }
  return text;
}

void Write(const Token& token, HcclRootInfo* info) {
  const std::string bytes = ByteWriter()
                                .Text(token.address)
                                .Number(token.port)
                                .Add(token.secret)
                                .Add(token.process)
                                .Take();
  const std::string all = ByteWriter().Text(bytes).Number(Checksum(bytes)).Take();
  static_assert(sizeof(info->internal) > 256);
  std::memset(info->internal, 0, sizeof(info->internal));
  std::memcpy(info->internal, kBegin, sizeof(kBegin));
  std::memcpy(info->internal + sizeof(kBegin), all.data(), all.size());
}

Result<Token> ReadToken(const HcclRootInfo& info) {
  const auto refused = [](const char* what) {
    return Refuse(HCCL_E_PARA, what,
                  "have one rank call HcclGetRootInfo and hand all 4108 bytes to every rank",
                  "collective/root-info");
  };
  if (std::memcmp(info.internal, kBegin, sizeof(kBegin)) != 0) {
    return refused("rootInfo does not begin as HcclGetRootInfo fills it; expected its bytes.");
  }
  ByteReader all({info.internal + sizeof(kBegin), sizeof(info.internal) - sizeof(kBegin)});
  const std::string_view bytes = all.Text();
  const bool whole = all.Number<uint64_t>() == Checksum(bytes) && all.ok();
  ByteReader reader(bytes);
  Token token;
  token.address = reader.Text();
  token.port = reader.Number<uint16_t>();
  token.secret = reader.ReadSecret();
  token.process = reader.ReadSecret();
  if (!whole || !reader.Complete()) {
    return refused("rootInfo was damaged on its way; expected the bytes of HcclGetRootInfo.");
  }
  return token;
}

}  // namespace aclimb::collectives
