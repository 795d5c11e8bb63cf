// What the programs with collectives share.
#ifndef TESTS_CHECK_COLLECTIVE_H_
#define TESTS_CHECK_COLLECTIVE_H_

#include "hccl/hccl.h"
#include "program.h"

// A communicator of one rank.
inline HcclComm Communicator() {
  int32_t device = 0;
  HcclComm made = nullptr;
  MUST(HcclCommInitAll(1, &device, &made));
  return made;
}

#endif  // TESTS_CHECK_COLLECTIVE_H_
