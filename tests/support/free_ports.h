#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <random>

namespace aclimb::testing {

// The first of `count` ports of 127.0.0.1 that nobody uses. They lie below those of which the
// system gives one to whoever asks for any port.
inline uint16_t FreePorts(int count) {
  std::random_device random;
  for (;;) {
    const auto first = static_cast<uint16_t>(20000 + random() % 10000);
    bool free = true;
    for (int i = 0; i < count && free; ++i) {
      sockaddr_in address = {};
      address.sin_family = AF_INET;
      address.sin_port = htons(static_cast<uint16_t>(first + i));
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      const int taken = socket(AF_INET, SOCK_STREAM, 0);
      free = bind(taken, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
      close(taken);
    }
    if (free) return first;
  }
}

}  // namespace aclimb::testing
