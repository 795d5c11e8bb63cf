// A plug-in whose entries are all there but those that ACLIMB_TEST_NULL_ENTRIES names by their
// places behind the header, "0,3". Nothing is called.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include "aclimb/backend/backend.h"

extern "C" __attribute__((visibility("default"))) const AclimbBackend* aclimb_backend_entry(void) {
  static AclimbBackend backend = {};
  backend.api_version = ACLIMB_BACKEND_API_VERSION;
  backend.struct_size = sizeof(AclimbBackend);
  backend.name = "incomplete";
  auto* const entries = reinterpret_cast<unsigned char*>(&backend.configure);
  std::memset(entries, 0x11, sizeof(AclimbBackend) - offsetof(AclimbBackend, configure));
  const char* const nulls = std::getenv("ACLIMB_TEST_NULL_ENTRIES");
  std::istringstream places(nulls != nullptr ? nulls : "");
  for (std::string place; std::getline(places, place, ',');) {
    std::memset(entries + std::stoul(place) * sizeof(void*), 0, sizeof(void*));
  }
  return &backend;
}
