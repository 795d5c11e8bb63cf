#include "aclimb/bridge/bridge.h"
#include "hccl/hccl.h"

namespace {

HcclResult Refuse(const char* function) {
  aclimb_refuse_collective(function);
  return HCCL_E_NOT_SUPPORT;
}

}  // namespace

extern "C" {

HcclResult HcclGetRootInfo(HcclRootInfo*) { return Refuse("HcclGetRootInfo"); }
HcclResult HcclCommInitRootInfo(uint32_t, const HcclRootInfo*, uint32_t, HcclComm*) {
  return Refuse("HcclCommInitRootInfo");
}
HcclResult HcclCommInitAll(uint32_t, int32_t*, HcclComm*) { return Refuse("HcclCommInitAll"); }
HcclResult HcclCommDestroy(HcclComm) { return Refuse("HcclCommDestroy"); }

HcclResult HcclAllReduce(void*, void*, uint64_t, HcclDataType, HcclReduceOp, HcclComm,
                         aclrtStream) {
  return Refuse("HcclAllReduce");
}
HcclResult HcclBroadcast(void*, uint64_t, HcclDataType, uint32_t, HcclComm, aclrtStream) {
  return Refuse("HcclBroadcast");
}
HcclResult HcclReduceScatter(void*, void*, uint64_t, HcclDataType, HcclReduceOp, HcclComm,
                             aclrtStream) {
  return Refuse("HcclReduceScatter");
}
HcclResult HcclAllGather(void*, void*, uint64_t, HcclDataType, HcclComm, aclrtStream) {
  return Refuse("HcclAllGather");
}

HcclResult HcclSend(void*, uint64_t, HcclDataType, uint32_t, HcclComm, aclrtStream) {
  return Refuse("HcclSend");
}
HcclResult HcclRecv(void*, uint64_t, HcclDataType, uint32_t, HcclComm, aclrtStream) {
  return Refuse("HcclRecv");
}

}  // extern "C"
