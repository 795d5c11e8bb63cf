#include "backends/cpu/task.h"

#include "backends/cpu/marker.h"

namespace aclimb::cpu {

void Task::Drop() const {
  if (kind == Kind::kRun && run.release != nullptr) run.release(run.payload);
  if (marker != nullptr) marker->Release();
  if (kind == Kind::kSuspend) start(payload, nullptr);
}

void DropAll(TaskList& dropped) {
  for (const Task& task : dropped) task.Drop();
  dropped.clear();
}

}  // namespace aclimb::cpu
