// Offline models.
//
// Aclimb cannot load them; no model function is declared, so that the compiler names the one that a
// program needs. The names of graph capture are in acl_rt.h.
#ifndef ACL_ACL_MDL_H_
#define ACL_ACL_MDL_H_

#include "acl_base.h"
#include "acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclmdlDesc aclmdlDesc;
typedef struct aclmdlDataset aclmdlDataset;

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_MDL_H_
