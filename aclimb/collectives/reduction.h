#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hccl/hccl_types.h"

namespace aclimb::collectives {

// out[i] = a[i] op b[i] for `count` elements; `out` may be `a` or `b`. Integers wrap, and a NaN
// stays one, whichever side it is on.
using Combine = void (*)(void* out, const void* a, const void* b, size_t count);

// For a type that IsReducible() and is not half, and a known op.
Combine CombineOf(HcclDataType type, HcclReduceOp op);

// out[i] = parts[0][i] op parts[1][i] op ..., from left to right: the order does not depend on who
// computes it. Half types are computed in float32 and rounded once. `out` may be one of the parts.
void ReduceInOrder(HcclDataType type, HcclReduceOp op, std::span<const std::byte* const> parts,
                   uint64_t count, std::byte* out);

}  // namespace aclimb::collectives
