// Tensor descriptors of the older interface, which runs an operator by its type name (acl_op.h).
//
// Functions of descriptors that are not declared are not there, so that the compiler names them.
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

// A tensor's dtype, shape and format; the data are an aclDataBuffer's. A dimension of -1 is not
// known yet, and one single dimension of -2 stands for a rank that is not. With ACL_DT_UNDEFINED
// and no dimensions it stands for an input that is left out. Returns null, and aclGetRecentErrMsg
// tells why, when
//   numDims is negative, dims is null with numDims > 0, a dimension is below -2, or dataType is no
//   aclDataType
ACL_FUNC_VISIBILITY aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims,
                                                       const int64_t* dims, aclFormat format);

// Null does nothing.
ACL_FUNC_VISIBILITY void aclDestroyTensorDesc(const aclTensorDesc* desc);

// What was given at creation. ACL_DT_UNDEFINED, ACL_FORMAT_UNDEFINED or 0 when it is no live
// descriptor; aclGetRecentErrMsg tells why.
ACL_FUNC_VISIBILITY aclDataType aclGetTensorDescType(const aclTensorDesc* desc);
ACL_FUNC_VISIBILITY aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc);
// ACL_UNKNOWN_RANK when the rank is not known.
ACL_FUNC_VISIBILITY size_t aclGetTensorDescNumDims(const aclTensorDesc* desc);

// Dimension `index`, from 0.
//   errors  100000 null, 107000 index >= the rank, 107017 not a live descriptor
ACL_FUNC_VISIBILITY aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index,
                                                   int64_t* dimSize);

// Names the input or output that it describes. Null takes the name away.
ACL_FUNC_VISIBILITY void aclSetTensorDescName(aclTensorDesc* desc, const char* name);
// An empty text without a name. Valid as long as the descriptor, until the next name.
ACL_FUNC_VISIBILITY const char* aclGetTensorDescName(aclTensorDesc* desc);

// How the data are stored, where that is not as they were described at creation.
//   errors  100000 null, 107000 numDims or a dimension is negative, 107017 not a live descriptor
ACL_FUNC_VISIBILITY aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format);
ACL_FUNC_VISIBILITY aclError aclSetTensorShape(aclTensorDesc* desc, int numDims,
                                               const int64_t* dims);

// Where the data are: device memory unless said otherwise.
//   errors  100000 null, 107000 not an aclMemType, 107017 not a live descriptor
ACL_FUNC_VISIBILITY aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType memType);

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_BASE_MDL_H_
