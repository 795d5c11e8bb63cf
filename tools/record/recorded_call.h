#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aclimb/bridge/bridge.h"

namespace aclimb::tools {

// One tensor of a recorded call: where it was, and which file has it.
struct RecordedTensor {
  std::string name;
  const AclimbAccess* access = nullptr;  // until the task is released
  bool is_output = false;
  int32_t dtype = 0;
  uint64_t elements = 0;       // of the storage, from the first to the last that the view touches
  uint64_t bytes = 0;          // of these
  const char* data = nullptr;  // where they can be read; null when they cannot
  // Tensors that overlap are in one block of memory.
  int64_t block = 0;
  int64_t begin = 0;  // of the storage within the block, in bytes; below 0 when it is not in it
  bool written = false;
};

// The tensors of a task and the sizes of the blocks that they are in; before it runs.
//   device  becomes the number of their device; left alone when there are no tensors
std::vector<RecordedTensor> TensorsOf(const AclimbOperation& operation,
                                      std::vector<uint64_t>* blocks, int* device);

// What call.json tells. docs/record.md has every field.
struct RecordedCall {
  uint64_t number = 0;
  std::string function;
  std::string arguments;  // JSON; empty when they are not known
  uint64_t workspace = 0;
  bool deterministic = false;
  int phase1 = 0;
  int phase2 = 0;
  bool phase2_ended = false;
  enum class Run { kNone, kQueued, kStarted, kEnded, kDropped } run = Run::kNone;
  int run_code = 0;
  std::string message;
  int stream = -1;  // -1: none
  int device = -1;
  std::vector<RecordedTensor> tensors;
  std::vector<uint64_t> blocks;

  std::string Folder() const;  // "000001-aclnnEluBackward"
  std::string Json(uint64_t limit) const;
};

}  // namespace aclimb::tools
