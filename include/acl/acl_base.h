// Basic types, codes and helpers of AscendCL: the part that needs no device.
#ifndef ACL_ACL_BASE_H_
#define ACL_ACL_BASE_H_

#include "acl_base_mdl.h"
#include "acl_base_rt.h"

#endif  // ACL_ACL_BASE_H_
