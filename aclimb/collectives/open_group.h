#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "acl/acl_rt.h"
#include "aclimb/collectives/arguments.h"
#include "aclimb/collectives/batch.h"
#include "aclimb/core/status.h"

namespace aclimb::collectives {

// The calls that a thread makes between HcclGroupStart and HcclGroupEnd. All sends and receives of
// a communicator are one batch, which waits for the end, and behind it what is called later.
class OpenGroup {
 public:
  static OpenGroup& OfThread();

  bool is_open() const { return depth_ > 0; }
  void Start() { ++depth_; }
  // Queues what waits, in the order of the first calls. The first refusal is returned, and the
  // others are reported.
  Status End();

  // The communicator's batch. HCCL_E_NOT_SUPPORT when it is on another stream; nothing comes of the
  // group then.
  Result<Batch*> BatchOf(HcclComm comm, aclrtStream stream);
  // Whether a call has to wait.
  bool HoldsBack() const { return !waiting_.empty(); }
  void Add(Call call);

 private:
  // One thread may call for several devices, each with its context.
  struct Waiting {
    std::variant<Batch, Call> what;
    aclrtContext context = nullptr;

    bool launched = false;

    // In the context, which then is the thread's current one.
    template <typename Step>
    Status Do(Step step);
  };

  int depth_ = 0;
  std::vector<Waiting> waiting_;
  Status refused_;
};

}  // namespace aclimb::collectives
