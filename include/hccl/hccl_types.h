// Types of the collectives (hccl/hccl.h).
#ifndef HCCL_HCCL_TYPES_H_
#define HCCL_HCCL_TYPES_H_

#include <stdint.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

// 0 is success.
typedef enum HcclResult {
  HCCL_SUCCESS = 0,
  HCCL_E_PARA = 1,
  HCCL_E_PTR = 2,
  HCCL_E_MEMORY = 3,
  HCCL_E_INTERNAL = 4,
  HCCL_E_NOT_SUPPORT = 5,
  HCCL_E_NOT_FOUND = 6,
  HCCL_E_UNAVAIL = 7,
  HCCL_E_SYSCALL = 8,
  HCCL_E_TIMEOUT = 9,
  HCCL_E_OPEN_FILE_FAILURE = 10,
  HCCL_E_TCP_CONNECT = 11,
  HCCL_E_ROCE_CONNECT = 12,
  HCCL_E_TCP_TRANSFER = 13,
  HCCL_E_ROCE_TRANSFER = 14,
  HCCL_E_RUNTIME = 15,
  HCCL_E_DRV = 16,
  HCCL_E_PROFILING = 17,
  HCCL_E_CCE = 18,
  HCCL_E_NETWORK = 19,
  HCCL_E_AGAIN = 20,
  HCCL_E_REMOTE = 21,
  HCCL_E_SUSPENDING = 22,
  HCCL_E_OPRETRY_FAIL = 23,
  HCCL_E_OOM = 24,
  HCCL_E_RESERVED = 25
} HcclResult;

// One rank's side of a group of ranks.
typedef void* HcclComm;

typedef enum HcclReduceOp {
  HCCL_REDUCE_SUM = 0,
  HCCL_REDUCE_PROD = 1,
  HCCL_REDUCE_MAX = 2,
  HCCL_REDUCE_MIN = 3,
  HCCL_REDUCE_RESERVED = 255
} HcclReduceOp;

// Not the numbers of aclDataType.
typedef enum HcclDataType {
  HCCL_DATA_TYPE_INT8 = 0,
  HCCL_DATA_TYPE_INT16 = 1,
  HCCL_DATA_TYPE_INT32 = 2,
  HCCL_DATA_TYPE_FP16 = 3,
  HCCL_DATA_TYPE_FP32 = 4,
  HCCL_DATA_TYPE_INT64 = 5,
  HCCL_DATA_TYPE_UINT64 = 6,
  HCCL_DATA_TYPE_UINT8 = 7,
  HCCL_DATA_TYPE_UINT16 = 8,
  HCCL_DATA_TYPE_UINT32 = 9,
  HCCL_DATA_TYPE_FP64 = 10,
  HCCL_DATA_TYPE_BFP16 = 11,
  HCCL_DATA_TYPE_INT128 = 12,
  HCCL_DATA_TYPE_HIF8 = 14,
  HCCL_DATA_TYPE_FP8E4M3 = 15,
  HCCL_DATA_TYPE_FP8E5M2 = 16,
  HCCL_DATA_TYPE_FP8E8M0 = 17,
  HCCL_DATA_TYPE_RESERVED = 255
} HcclDataType;

typedef enum HcclSendRecvType {
  HCCL_SEND = 0,
  HCCL_RECV = 1,
  HCCL_SEND_RECV_RESERVED = 2
} HcclSendRecvType;

// One item of HcclBatchSendRecv: `count` elements to or from `remoteRank`.
typedef struct HcclSendRecvItem {
  HcclSendRecvType sendRecvType;
  void* buf;
  uint64_t count;
  HcclDataType dataType;
  uint32_t remoteRank;
} HcclSendRecvItem;

typedef enum HcclConfig { HCCL_DETERMINISTIC = 0, HCCL_CONFIG_RESERVED = 1 } HcclConfig;

union HcclConfigValue {
  int32_t value;
};

// What HcclCommConfig can say.
typedef enum HcclCommConfigCapability {
  HCCL_COMM_CONFIG_BUFFER_SIZE = 0,
  HCCL_COMM_CONFIG_DETERMINISTIC = 1,
  HCCL_COMM_CONFIG_COMM_NAME = 2,
  HCCL_COMM_CONFIG_OP_EXPANSION_MODE = 3,
  HCCL_COMM_CONFIG_SUPPORT_INIT_BY_ENV = 4,
  HCCL_COMM_CONFIG_RESERVED = 5
} HcclCommConfigCapability;

ACLIMB_MAYBE_UNUSED static const uint32_t HCCL_ROOT_INFO_BYTES = 4108;
ACLIMB_MAYBE_UNUSED static const uint32_t COMM_NAME_MAX_LENGTH = 128;
ACLIMB_MAYBE_UNUSED static const uint32_t UDI_MAX_LENGTH = 128;

// Options of one communicator; HcclCommConfigInit fills them. Of a later release's structure, which
// has more behind, the first fields mean the same.
typedef struct HcclCommConfig {
  char reserved[24];             // size, magic number, version
  uint32_t hcclBufferSize;       // MB, at least 1; accepted and not needed
  uint32_t hcclDeterministic;    // 0 or 1
  char hcclCommName[128];        // COMM_NAME_MAX_LENGTH; empty: one is made up
  char hcclUdi[128];             // a text of the program's own
  uint32_t hcclOpExpansionMode;  // 0 default, 1 host, 2 AI CPU, 3 vector core; no effect
  uint32_t hcclRdmaTrafficClass;
  uint32_t hcclRdmaServiceLevel;
} HcclCommConfig;

// What one rank makes and a program hands to all others, as it likes: by MPI, a file, shared
// memory.
typedef struct HcclRootInfo {
  char internal[4108];  // HCCL_ROOT_INFO_BYTES
} HcclRootInfo;

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_TYPES_H_
