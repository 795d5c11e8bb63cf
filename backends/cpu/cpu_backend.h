#pragma once

#include "aclimb/backend/backend.h"

// The backend that runs on the processor.
extern "C" const AclimbBackend* aclimb_backend_cpu(void);
