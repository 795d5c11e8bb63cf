// Its library keeps something, and it keeps nothing.
#include <cstdlib>

#include "acl/acl.h"

extern "C" void KeepSome();

int main() {
  if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0) return EXIT_FAILURE;
  KeepSome();
  if (aclrtResetDevice(0) != 0 || aclFinalize() != 0) return EXIT_FAILURE;
}
