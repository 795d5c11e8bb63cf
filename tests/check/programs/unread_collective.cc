// check/call/unread
#include "collective.h"

static void Mistake(Session& session) {
  HcclComm communicator = Communicator();
  void* memory = Zeroed(64);
  (void)HcclAllReduce(memory, memory, 16, WRONG ? HCCL_DATA_TYPE_HIF8 : HCCL_DATA_TYPE_FP32,
                      HCCL_REDUCE_SUM, communicator, session.stream);  // here
  MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtFree(memory));
  MUST(HcclCommDestroy(communicator));
}

PROGRAM(unread_collective)
