#include "tools/fault/fault.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>

#include "aclimb/core/text.h"
#include "tools/fault/fault_spec.h"
#include "tools/output_path.h"

namespace aclimb::tools {
namespace {

struct Counted {
  FaultOrder order;
  std::atomic<uint64_t> seen{0};
};

class Fault : public observe::Observer {
 public:
  explicit Fault(std::vector<FaultOrder> orders) {
    for (FaultOrder& order : orders) orders_.emplace_back().order = std::move(order);
  }

  // A misspelled function, or a number that is never reached, would make nothing fail, for ever.
  void TellWhatNeverCame() const {
    if (InForkedChild()) return;
    for (const Counted& counted : orders_) {
      const FaultOrder& order = counted.order;
      const uint64_t seen = counted.seen.load(std::memory_order_relaxed);
      if (seen != 0 && seen >= order.first) continue;
      const std::string what =
          seen == 0
              ? (order.at_run ? " queued no operator, copy or fill that ran" : " was never called")
              : Cat(order.at_run ? " queued only " : " was called only ", seen,
                    seen == 1 ? " time" : " times", ", not ", order.first);
      std::fputs(Cat("aclimb: ACLIMB_FAULT: ", order.function, what, ".\n").c_str(), stderr);
    }
  }

  int CallBegin(const char* function) override {
    return Decide(function, /*at_run=*/false, [&](const FaultOrder& order, uint64_t nth) {
      const Refusal refusal = {
          order.code, Cat("call ", nth, " fails because ACLIMB_FAULT says so; nothing was done."),
          "handle the error, or unset ACLIMB_FAULT", "fault/call"};
      aclimb_report(order.code, MessageOf(function, refusal).c_str());
    });
  }

  int Started(const observe::Work& work) override {
    // What the runtime queues for its own bookkeeping is not the program's to see fail.
    const bool task = work.kind == observe::WorkKind::kTask && work.operation != nullptr;
    const bool transfer =
        work.kind == observe::WorkKind::kCopy || work.kind == observe::WorkKind::kFill;
    if (!task && !transfer) return 0;
    return Decide(work.function, /*at_run=*/true, [](const FaultOrder&, uint64_t) {});
  }

 private:
  template <typename Tell>
  int Decide(const char* name, bool at_run, Tell&& tell) {
    int code = 0;
    for (Counted& counted : orders_) {
      const FaultOrder& order = counted.order;
      if (order.at_run != at_run || (order.function != "*" && order.function != name)) continue;
      const uint64_t nth = counted.seen.fetch_add(1, std::memory_order_relaxed) + 1;
      if (code != 0 || !Fails(order, nth)) continue;
      code = order.code;
      tell(order, nth);
    }
    return code;
  }

  std::deque<Counted> orders_;
};

}  // namespace

observe::Observer* MakeFault() {
  Result<std::vector<FaultOrder>> orders = ReadFaults();
  if (!orders.ok() || orders.value().empty() || !ReadFaultSeed().ok()) return nullptr;
  static Fault* fault = nullptr;
  fault = new Fault(std::move(orders.value()));
  NoteOpener();
  std::atexit([] { fault->TellWhatNeverCame(); });
  return fault;
}

}  // namespace aclimb::tools
