// check/memory/use-after-free
#include "program.h"

// What is freed later makes the checker give back what was freed before, whose addresses then are
// those of the program's own memory.
static void Reuse(void* memory) {
  constexpr size_t kLarge = size_t{40} << 20;
  for (int i = 0; i < 2; ++i) {
    void* freed = nullptr;
    MUST(aclrtMallocHost(&freed, kLarge));
    MUST(aclrtFreeHost(freed));
  }
  std::vector<std::vector<char>> own;
  for (int i = 0; i < 64; ++i) {
    own.emplace_back(4096);
    MUST(aclrtMemcpy(memory, 64, own.back().data(), 64, ACL_MEMCPY_HOST_TO_DEVICE));
  }
}

static void Mistake(Session& session) {
  void* host = nullptr;
  MUST(aclrtMallocHost(&host, 64));
  void* memory = Allocate(64);
  if (WRONG) MUST(aclrtFreeHost(host));
  MUST(aclrtMemcpyAsync(memory, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, session.stream));  // here
  MUST(aclrtSynchronizeStream(session.stream));
  if (!WRONG) MUST(aclrtFreeHost(host));
  Reuse(memory);
  MUST(aclrtFree(memory));
}

PROGRAM(use_after_free_host)
