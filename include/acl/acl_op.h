// The older single-operator interface, which runs an operator by its type name: the attributes of
// an operator.
//
// Aclimb offers operators through aclnnop/: aclopCompileAndExecute (acl_op_compiler.h) knows a few
// by their types, and says of others what to call. Functions that are not declared are not there,
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

// An empty set of attributes; null when no memory is left.
ACL_FUNC_VISIBILITY aclopAttr* aclopCreateAttr(void);

// Null does nothing.
ACL_FUNC_VISIBILITY void aclopDestroyAttr(const aclopAttr* attr);

// Each sets the attribute of this name, in place of an earlier value. Texts and lists are copied.
//   errors  100000 null attr, name or text; null values with numValues > 0
//           107000 numValues is negative, or dataType is no aclDataType
//           107017 not a live set of attributes
ACL_FUNC_VISIBILITY aclError aclopSetAttrBool(aclopAttr* attr, const char* attrName,
                                              uint8_t attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrInt(aclopAttr* attr, const char* attrName,
                                             int64_t attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrFloat(aclopAttr* attr, const char* attrName,
                                               float attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrString(aclopAttr* attr, const char* attrName,
                                                const char* attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrDataType(aclopAttr* attr, const char* attrName,
                                                  aclDataType attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListBool(aclopAttr* attr, const char* attrName,
                                                  int numValues, const uint8_t* values);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListInt(aclopAttr* attr, const char* attrName,
                                                 int numValues, const int64_t* values);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListFloat(aclopAttr* attr, const char* attrName,
                                                   int numValues, const float* values);
// List i has numValues[i] numbers.
ACL_FUNC_VISIBILITY aclError aclopSetAttrListListInt(aclopAttr* attr, const char* attrName,
                                                     int numLists, const int* numValues,
                                                     const int64_t* const values[]);

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_OP_H_
