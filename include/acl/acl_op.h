// Names of the older single-operator interface, which runs an operator by its type name.
//
// Aclimb offers operators through aclnnop/ only. The functions of this interface are not declared,
// so that the compiler names them.
#ifndef ACL_ACL_OP_H_
#define ACL_ACL_OP_H_

#include <stddef.h>

#include "acl_base.h"
#include "acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclopHandle aclopHandle;
typedef struct aclopAttr aclopAttr;
typedef struct aclopKernelDesc aclopKernelDesc;

typedef void (*aclDataDeallocator)(void* data, size_t length);

ACLIMB_MAYBE_UNUSED static const int ACL_COMPILE_FLAG_BIN_SELECTOR = 1;

typedef enum aclopEngineType {
  ACL_ENGINE_SYS = 0,
  ACL_ENGINE_AICORE = 1,
  ACL_ENGINE_VECTOR = 2
} aclopEngineType;

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_OP_H_
