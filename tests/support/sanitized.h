#pragma once

#include "aclimb/core/sanitized.h"
