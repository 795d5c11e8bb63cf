// Dumping of operator inputs and outputs.
//
// Aclimb does not implement the dump functions; they are not declared, so that the compiler names
// them.
#ifndef ACL_ACL_DUMP_H_
#define ACL_ACL_DUMP_H_

#include "acl_base.h"

#endif  // ACL_ACL_DUMP_H_
