// check/memory/host-for-device
#include "collective.h"

static void Mistake(Session& session) {
  HcclComm communicator = Communicator();
  static float host[16];
  void* send = Zeroed(sizeof(host));
  void* receive = Allocate(sizeof(host));
  (void)HcclAllReduce(WRONG ? host : send, receive, 16, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
                      communicator, session.stream);  // here
  MUST(aclrtSynchronizeStream(session.stream));
  MUST(aclrtFree(send));
  MUST(aclrtFree(receive));
  MUST(HcclCommDestroy(communicator));
}

PROGRAM(collective_host)
