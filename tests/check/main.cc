// Runs one program: main NAME.

#include <cstdio>
#include <cstring>

#include "program.h"

#define X(name) void name(Session& session);
#include "programs.inc"
#undef X

static const struct {
  const char* name;
  void (*run)(Session& session);
} kPrograms[] = {
#define X(name) {#name, &name},
#include "programs.inc"
#undef X
};

int main(int argc, char** argv) {
  for (const auto& program : kPrograms) {
    if (argc != 2 || std::strcmp(program.name, argv[1]) != 0) continue;
    MUST(aclInit(nullptr));
    MUST(aclrtSetDevice(0));
    Session session;
    MUST(aclrtCreateStream(&session.stream));
    program.run(session);
    MUST(aclrtSynchronizeStream(session.stream));
    MUST(aclrtDestroyStream(session.stream));
    MUST(aclrtResetDevice(0));
    MUST(aclFinalize());
    return 0;
  }
  std::fputs("no such program\n", stderr);
  return 2;
}
