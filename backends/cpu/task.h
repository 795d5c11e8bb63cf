#pragma once

#include <chrono>
#include <cstdint>
#include <list>

#include "aclimb/backend/backend.h"

namespace aclimb::cpu {

// One entry of a queue.
struct Task {
  enum class Kind : uint8_t { kRun, kMarker, kWait, kSuspend };
  Kind kind = Kind::kRun;
  uint64_t ticket = 0;
  uint64_t id = 0;         // in its queue, from 1
  uint32_t thread_id = 0;  // that submitted it
  AclimbTask run = {};
  AclimbMarker* marker = nullptr;  // one reference
  // Of a wait; it begins when the queue gets there. Zero: unlimited.
  std::chrono::milliseconds timeout{0};
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  void (*start)(void* payload, AclimbSuspension* suspension) = nullptr;
  void* payload = nullptr;
  bool halt_uses_memory = false;

  // Whether memory that is freed later must wait for it. A marker and a wait use none.
  bool UsesMemory() const { return kind == Kind::kRun ? run.no_memory == 0 : halt_uses_memory; }
  // Gives back what the task holds without running it. Without the lock.
  void Drop() const;
};

// Nodes move between a queue, the scheduler's spare ones and the list of what is dropped, so that
// only Submit needs memory.
using TaskList = std::list<Task>;

// Oldest first. Without the lock.
void DropAll(TaskList& dropped);

}  // namespace aclimb::cpu
