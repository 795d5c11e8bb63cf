// Communicators, at the place where later releases of the toolkit declare them. Here all of HCCL is
// declared in hccl/hccl.h.
#ifndef HCCL_HCCL_COMM_H_
#define HCCL_HCCL_COMM_H_

#include "hccl/hccl.h"

#endif  // HCCL_HCCL_COMM_H_
