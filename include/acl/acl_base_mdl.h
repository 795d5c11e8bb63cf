// Names that the older descriptor-based interfaces (single operators, offline models) share.
//
// Aclimb does not implement tensor descriptors; their functions are not declared, so that the
// compiler names them.
#ifndef ACL_ACL_BASE_MDL_H_
#define ACL_ACL_BASE_MDL_H_

#include "acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_TENSOR_SHAPE_RANGE_NUM 2
#define ACL_TENSOR_VALUE_RANGE_NUM 2
// Dimension count that stands for "rank not known yet".
#define ACL_UNKNOWN_RANK 0xFFFFFFFFFFFFFFFEULL

typedef struct aclTensorDesc aclTensorDesc;

// Where the data that a tensor descriptor names are placed.
typedef enum aclMemType {
  ACL_MEMTYPE_DEVICE = 0,
  ACL_MEMTYPE_HOST = 1,
  ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2
} aclMemType;

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_BASE_MDL_H_
