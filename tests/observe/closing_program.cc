// A program that takes every descriptor it did not open for closed: closing_program FILE LAST.
// Those from 3 to LAST are FILE's afterwards, into which it writes "own".

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "acl/acl.h"

namespace {

void Need(bool holds) {
  if (holds) return;
  std::perror("closing_program");
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  Need(aclInit(nullptr) == 0 && aclrtSetDevice(0) == 0);
  const int own = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0644);
  Need(own >= 0);
  const int last = std::atoi(argv[2]);
  for (int descriptor = 3; descriptor <= last; ++descriptor) {
    if (descriptor != own) Need(dup2(own, descriptor) == descriptor);
  }
  Need(write(own, "own\n", 4) == 4);
  void* memory = nullptr;
  Need(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0 && aclrtFree(memory) == 0);
  Need(aclrtResetDevice(0) == 0 && aclFinalize() == 0);
  return 0;
}
