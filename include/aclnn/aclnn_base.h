// What every operator header includes: tensors, scalars, lists, executors and the two calls below.
// C++11.
#ifndef ACLNN_ACLNN_BASE_H_
#define ACLNN_ACLNN_BASE_H_

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

// Initialises the operator library alone; aclInit, or no call at all, does as well. `configPath` is
// null or names a JSON file. Repeating it is harmless.
//   errors  161002 when the file cannot be read or parsed
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char* configPath);

// Counterpart of aclnnInit. Repeating it, or calling it alone, is harmless.
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize();

#ifdef __cplusplus
}
#endif

#endif  // ACLNN_ACLNN_BASE_H_
