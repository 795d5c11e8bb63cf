#pragma once

#include <cstdint>

#include "aclimb/ops/gather_rows/cpu.h"

namespace aclimb::gather_rows {

// Slices whose elements lie apart and whose neighbours lie side by side, as the rows of a
// transposed view: some elements of all slices are transposed at a time, into a block that stays in
// the second-level cache, and copied from there in whole cache lines.

// Bytes of a block; 0: the slices do not lie so, or so few of them are named that the team takes
// less time to read each element on its own. The indices themselves are not read.
int64_t BlockBytes(const Args& args);
// How many blocks are filled in all. Where there are fewer than threads, a block is filled several
// times, each time for a part of the indices.
int64_t BlockCount(const Args& args);

// RunOnCpu for those whose scratch are blocks.
[[nodiscard]] bool GatherInBlocks(const Args& args);

}  // namespace aclimb::gather_rows
