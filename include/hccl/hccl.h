// Collectives between devices, of one process or of many. Library: hccl. C99 and C++11.
//
// A rank is one device with its communicator. Ranks that are threads of one process use each
// other's memory; ranks of several processes, on one host or on many, use Gloo over TCP.
//
// Counts and displacements are in elements. Operations are queued on the stream and the calls
// return at once; their failures are told by what waits for the stream (507018, with the rank and
// the call in aclGetRecentErrMsg) and by HcclGetCommAsyncError. All ranks make the same calls in
// the same order. A count of 0 is a success without effect.
//
// Errors that all functions share:
//   HCCL_E_PTR          a required pointer is null
//   HCCL_E_PARA         a number is out of range, a communicator is destroyed, a buffer is not
//                       device memory, ends before the elements do, or is not aligned to its
//                       element type
//   HCCL_E_NOT_SUPPORT  the combination is not there
//   HCCL_E_REMOTE       another rank failed or has gone; nothing more can be done with the
//                       communicator
// Source: the toolkit's public documentation of HCCL, release 8.1, and, where a line says so, of a
// later one.
#ifndef HCCL_HCCL_H_
#define HCCL_HCCL_H_

#include <stddef.h>
#include <string.h>

#include "acl/acl.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Communicators ----

// Starts the place where the ranks meet, on the calling process's host, and fills `rootInfo`, which
// the program then hands to all ranks. One rank calls it, after it has set its device.
//   errors  HCCL_E_NOT_FOUND no address that HCCL_IF_IP or HCCL_SOCKET_IFNAME ask for
//           HCCL_E_UNAVAIL no free port
ACL_FUNC_VISIBILITY HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo);
// Joins as `rank` of `nRanks`, and returns when all ranks have. The communicator is of the thread's
// current device.
//   errors  HCCL_E_PARA rootInfo is none, rank is not in [0, nRanks), or the ranks do not agree
//           HCCL_E_TIMEOUT not all ranks came within HCCL_CONNECT_TIMEOUT seconds
//           HCCL_E_TCP_CONNECT the root, or another rank, cannot be reached
//           HCCL_E_RUNTIME the thread has no device
//           HCCL_E_UNAVAIL ranks are processes and Gloo is not installed
ACL_FUNC_VISIBILITY HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo,
                                                    uint32_t rank, HcclComm* comm);
// The same with options, which every rank passes alike.
ACL_FUNC_VISIBILITY HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks,
                                                          const HcclRootInfo* rootInfo,
                                                          uint32_t rank,
                                                          const HcclCommConfig* config,
                                                          HcclComm* comm);
// Joins as `rank` of those that the file `clusterInfo` lists, a rank table in JSON. Rank 0's
// process is where the ranks meet.
//   errors  HCCL_E_OPEN_FILE_FAILURE the file cannot be read; else as HcclCommInitRootInfo
ACL_FUNC_VISIBILITY HcclResult HcclCommInitClusterInfo(const char* clusterInfo, uint32_t rank,
                                                       HcclComm* comm);
ACL_FUNC_VISIBILITY HcclResult HcclCommInitClusterInfoConfig(const char* clusterInfo, uint32_t rank,
                                                             HcclCommConfig* config,
                                                             HcclComm* comm);
// Makes the communicators of `ndev` ranks in one process; rank i is devices[i]. The program then
// uses one thread for each.
//   errors  HCCL_E_PARA ndev is 0, or a device is not there or named twice
ACL_FUNC_VISIBILITY HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms);
// Makes a communicator of the ranks `rankIds` of `comm`, in their order; this one is
// rankIds[subCommRankId]. All of them call it with the same list and `subCommId`; on others, which
// pass 0xffffffff as subCommRankId or a null list, *subComm becomes null.
//   errors  HCCL_E_PARA the list is not of different ranks, or does not have this rank there
//           HCCL_E_NOT_SUPPORT comm was made by this function itself
ACL_FUNC_VISIBILITY HcclResult HcclCreateSubCommConfig(HcclComm* comm, uint32_t rankNum,
                                                       uint32_t* rankIds, uint64_t subCommId,
                                                       uint32_t subCommRankId,
                                                       HcclCommConfig* config, HcclComm* subComm);
// Ends this rank's side. Waits for what is queued; the other ranks should have done their work too.
ACL_FUNC_VISIBILITY HcclResult HcclCommDestroy(HcclComm comm);

ACL_FUNC_VISIBILITY HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize);
ACL_FUNC_VISIBILITY HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank);
// At most 128 bytes with the final zero; the same on all ranks.
ACL_FUNC_VISIBILITY HcclResult HcclGetCommName(HcclComm comm, char* commName);
// HCCL_SUCCESS in *asyncError while all is well, else the code of what ended the communicator.
ACL_FUNC_VISIBILITY HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError);
// What the code means. Static text, of every number.
ACL_FUNC_VISIBILITY const char* HcclGetErrorString(HcclResult code);

// Of the process. HCCL_DETERMINISTIC is 0 or 1; results repeat bit for bit either way.
ACL_FUNC_VISIBILITY HcclResult HcclSetConfig(HcclConfig config, union HcclConfigValue configValue);
ACL_FUNC_VISIBILITY HcclResult HcclGetConfig(HcclConfig config, union HcclConfigValue* configValue);
// Features of HcclCommConfigCapability below this number are there.
ACL_FUNC_VISIBILITY uint32_t HcclGetCommConfigCapability(void);

// Recovery from faults, and registered memory: HCCL_E_NOT_SUPPORT.
ACL_FUNC_VISIBILITY HcclResult HcclCommSuspend(HcclComm comm);
ACL_FUNC_VISIBILITY HcclResult HcclCommResume(HcclComm comm);
ACL_FUNC_VISIBILITY HcclResult HcclCommSetMemoryRange(HcclComm comm, void* baseVirPtr, size_t size,
                                                      size_t alignment, uint64_t flags);
ACL_FUNC_VISIBILITY HcclResult HcclCommUnsetMemoryRange(HcclComm comm, void* baseVirPtr);
ACL_FUNC_VISIBILITY HcclResult HcclCommActivateCommMemory(HcclComm comm, void* virPtr, size_t size,
                                                          size_t offset, aclrtDrvMemHandle handle,
                                                          uint64_t flags);
ACL_FUNC_VISIBILITY HcclResult HcclCommDeactivateCommMemory(HcclComm comm, void* virPtr);

// ---- Collectives ----

// Every rank gets the reduction of all; sendBuf may be recvBuf. float16 and bfloat16 are reduced in
// float32 and rounded once, integers wrap. Types HIF8 and FP8*: HCCL_E_NOT_SUPPORT.
ACL_FUNC_VISIBILITY HcclResult HcclAllReduce(void* sendBuf, void* recvBuf, uint64_t count,
                                             HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                                             aclrtStream stream);
// `root` has the data, and the others get it.
ACL_FUNC_VISIBILITY HcclResult HcclBroadcast(void* buf, uint64_t count, HcclDataType dataType,
                                             uint32_t root, HcclComm comm, aclrtStream stream);
// As HcclAllReduce, but only root's recvBuf is written; it may be null on the others.
ACL_FUNC_VISIBILITY HcclResult HcclReduce(void* sendBuf, void* recvBuf, uint64_t count,
                                          HcclDataType dataType, HcclReduceOp op, uint32_t root,
                                          HcclComm comm, aclrtStream stream);
// sendBuf has recvCount elements for each rank; rank i gets the reduction of the i-th blocks.
ACL_FUNC_VISIBILITY HcclResult HcclReduceScatter(void* sendBuf, void* recvBuf, uint64_t recvCount,
                                                 HcclDataType dataType, HcclReduceOp op,
                                                 HcclComm comm, aclrtStream stream);
// The same with blocks of any size: rank i gets sendCounts[i] elements, which are at sendDispls[i].
// Both are arrays of uint64_t on the host, equal on all ranks, and read before the call returns.
ACL_FUNC_VISIBILITY HcclResult HcclReduceScatterV(void* sendBuf, const void* sendCounts,
                                                  const void* sendDispls, void* recvBuf,
                                                  uint64_t recvCount, HcclDataType dataType,
                                                  HcclReduceOp op, HcclComm comm,
                                                  aclrtStream stream);
// recvBuf gets sendCount elements of each rank, in their order.
ACL_FUNC_VISIBILITY HcclResult HcclAllGather(void* sendBuf, void* recvBuf, uint64_t sendCount,
                                             HcclDataType dataType, HcclComm comm,
                                             aclrtStream stream);
// The same with recvCounts[i] elements of rank i, which go to recvDispls[i].
ACL_FUNC_VISIBILITY HcclResult HcclAllGatherV(void* sendBuf, uint64_t sendCount, void* recvBuf,
                                              const void* recvCounts, const void* recvDispls,
                                              HcclDataType dataType, HcclComm comm,
                                              aclrtStream stream);
// Root's sendBuf has recvCount elements for each rank; it may be null on the others.
ACL_FUNC_VISIBILITY HcclResult HcclScatter(void* sendBuf, void* recvBuf, uint64_t recvCount,
                                           HcclDataType dataType, uint32_t root, HcclComm comm,
                                           aclrtStream stream);
// sendBuf has sendCount elements for each rank, recvBuf gets recvCount of each. The two buffers are
// different; recvBuf is written.
ACL_FUNC_VISIBILITY HcclResult HcclAlltoAll(const void* sendBuf, uint64_t sendCount,
                                            HcclDataType sendType, const void* recvBuf,
                                            uint64_t recvCount, HcclDataType recvType,
                                            HcclComm comm, aclrtStream stream);
// The same with counts and displacements for each rank, arrays of uint64_t on the host.
ACL_FUNC_VISIBILITY HcclResult HcclAlltoAllV(const void* sendBuf, const void* sendCounts,
                                             const void* sdispls, HcclDataType sendType,
                                             const void* recvBuf, const void* recvCounts,
                                             const void* rdispls, HcclDataType recvType,
                                             HcclComm comm, aclrtStream stream);
// The same with packed blocks whose counts are a matrix of ranks x ranks uint64_t; row i is what
// rank i sends. Of a later release.
ACL_FUNC_VISIBILITY HcclResult HcclAlltoAllVC(const void* sendBuf, const void* sendCountMatrix,
                                              HcclDataType sendType, const void* recvBuf,
                                              HcclDataType recvType, HcclComm comm,
                                              aclrtStream stream);
// The stream goes on when all ranks have come to it.
ACL_FUNC_VISIBILITY HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);

// ---- Point to point ----

// Sends and receives of one pair of ranks are matched in their order. Work behind them on the
// stream waits for the partner.
//   errors  HCCL_E_PARA the partner is this rank itself
ACL_FUNC_VISIBILITY HcclResult HcclSend(void* sendBuf, uint64_t count, HcclDataType dataType,
                                        uint32_t destRank, HcclComm comm, aclrtStream stream);
ACL_FUNC_VISIBILITY HcclResult HcclRecv(void* recvBuf, uint64_t count, HcclDataType dataType,
                                        uint32_t srcRank, HcclComm comm, aclrtStream stream);
// All items at once, in any order; this rank may send to itself.
ACL_FUNC_VISIBILITY HcclResult HcclBatchSendRecv(HcclSendRecvItem* sendRecvInfo, uint32_t itemNum,
                                                 HcclComm comm, aclrtStream stream);
// Sends and receives of the thread between the two become one batch for each communicator and
// stream, which is queued by the outermost HcclGroupEnd. Of a later release.
ACL_FUNC_VISIBILITY HcclResult HcclGroupStart(void);
ACL_FUNC_VISIBILITY HcclResult HcclGroupEnd(void);

// ---- Options ----

// Fills in what means "not set". A null `config` is ignored.
static inline void HcclCommConfigInit(HcclCommConfig* config) {
  struct {
    size_t size;
    uint32_t magic;
    uint32_t version;
    uint64_t reserved;
  } header = {sizeof(HcclCommConfig), 0xf0f0f0f0u, 5, 0};
  if (config == NULL) return;
  memset(config, 0, sizeof(*config));
  memcpy(config->reserved, &header, sizeof(header));
  config->hcclBufferSize = 0xffffffffu;
  config->hcclDeterministic = 0xffffffffu;
  config->hcclRdmaTrafficClass = 0xffffffffu;
  config->hcclRdmaServiceLevel = 0xffffffffu;
}

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_H_
