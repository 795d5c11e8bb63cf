// Names of the profiling interface.
//
// Aclimb does not implement it; its functions are not declared, so that the compiler names them.
#ifndef ACL_ACL_PROF_H_
#define ACL_ACL_PROF_H_

#include "acl_base.h"

// Kinds of data a profiling session can collect; bits of one mask.
#define ACL_PROF_ACL_API 0x0001ULL
#define ACL_PROF_TASK_TIME 0x0002ULL
#define ACL_PROF_AICORE_METRICS 0x0004ULL
#define ACL_PROF_AICPU 0x0008ULL
#define ACL_PROF_L2CACHE 0x0010ULL
#define ACL_PROF_HCCL_TRACE 0x0020ULL
#define ACL_PROF_TRAINING_TRACE 0x0040ULL
#define ACL_PROF_MSPROFTX 0x0080ULL
#define ACL_PROF_RUNTIME_API 0x0100ULL
#define ACL_PROF_TASK_TIME_L0 0x0800ULL
#define ACL_PROF_TASK_MEMORY 0x1000ULL
#define ACL_PROF_OP_ATTR 0x4000ULL

#endif  // ACL_ACL_PROF_H_
