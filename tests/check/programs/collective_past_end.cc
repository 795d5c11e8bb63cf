// check/memory/past-end
#include "collective.h"

static void Mistake(Session& session) {
  HcclComm communicator = Communicator();
  void* send = Zeroed(4096);
  void* receive = Allocate(4096);
  (void)HcclAllReduce(send, receive, WRONG ? 4096 : 1024, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
                      communicator, session.stream);  // here
  MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtFree(send));
  MUST(aclrtFree(receive));
  MUST(HcclCommDestroy(communicator));
}

PROGRAM(collective_past_end)
