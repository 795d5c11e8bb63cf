// The header an AscendCL program includes. It reaches devices, contexts, streams, events, memory,
// messages and versions (acl_rt.h) and the basic types and codes below them (acl_base.h).
//
// A function that Aclimb does not implement is not declared: the compiler names it, instead of a
// call that fails at run time.
#ifndef ACL_ACL_H_
#define ACL_ACL_H_

#include "acl_mdl.h"
#include "acl_op.h"
#include "acl_rt.h"

#endif  // ACL_ACL_H_
