#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "aclimb/backend/backend.h"
#include "aclimb/core/fork.h"
#include "tools/output_file.h"
#include "tools/schedule/order.h"

namespace aclimb::tools {

// Has the work of all queues run in the order that an Order decides, one piece at a time, over any
// backend. In front of each piece of work it queues a gate (a suspension) and behind it a marker;
// opening the gate runs the piece, and the marker tells that it is done. What waits for what,
// errors and aborts stay with the backend; the director only follows the queues so that it knows
// which gates can be reached.
//
// Decisions fall in the program's calls that reach the backend, so that a program of one thread
// meets the same ones again. While nothing calls and the process sleeps, or for long, everything
// that can run does: the program waits for work in a way that nobody can see.
//
// In a child of fork nothing is left of the work that was queued, and decisions go on.
class Director final : public ForkPart {
 public:
  // `lines` names the variable of the file for the decisions.
  Director(const AclimbBackend& next, std::unique_ptr<Order> order, const char* lines);

  // A call of the program that may find work done or not. With `asks` it may be one of a loop that
  // ends only when it is.
  void Point(bool asks);

  int Made(AclimbQueue* queue) noexcept;
  // Queues a gate and then the work, which `queue_work` queues and `drop` gives back instead.
  int Add(AclimbQueue* queue, const char* name, bool returns, uint32_t* task_id,
          const std::function<int(uint32_t*)>& queue_work, const std::function<void()>& drop);
  int Record(AclimbQueue* queue, AclimbMarker** marker);
  int WaitMarker(AclimbQueue* queue, AclimbMarker* marker, int64_t timeout_ms);

  int Wait(AclimbQueue* queue, int64_t timeout_ms);
  int Wait(AclimbMarker* marker, int64_t timeout_ms, int take_error);
  int Abort(AclimbQueue* queue);
  int Destroy(AclimbQueue* queue, int drain);
  int TakeFailure(AclimbQueue* queue, AclimbTaskFailure* failure);

  bool TryLock(bool late) override;
  void Unlock() override;
  void Renew(bool locked) override;
  void Resume() override;

 private:
  using Lock = std::unique_lock<std::mutex>;

  // A piece of work with the gate before it and the marker behind it. The gate is guarded by
  // gates_mutex_, the rest by mutex_.
  struct Piece {
    Front front = {};
    const char* name = "";
    bool returns = true;  // a task; a callback comes back when the program says so
    bool opened = false;
    AclimbMarker* after = nullptr;

    Director* director = nullptr;
    AclimbSuspension* gate = nullptr;  // reached, and shut
    bool free = false;                 // to be opened when it is reached
    bool dropped = false;
    bool late = false;  // was not reached soon
  };
  using PieceRef = std::shared_ptr<Piece>;

  // What a queue holds: a piece, or a marker that it reaches or waits for.
  struct Item {
    PieceRef piece;
    AclimbMarker* marker = nullptr;  // one reference
    bool waits = false;
  };

  struct Lane {
    AclimbQueue* queue;
    uint32_t number;
    std::deque<Item> items = {};
    uint64_t works = 0;
    uint64_t pushed = 0;
    uint64_t popped = 0;
    uint32_t aborts = 0;
    std::vector<uint32_t> ids = {};  // the backend's, of its works, ascending
  };

  // Under mutex_.
  Lane* LaneOf(AclimbQueue* queue);
  void CountCall();
  void Push(Lane& lane, Item item);
  void Follow(Lane& lane, AclimbMarker* marker, bool waits) noexcept;
  void Pop(Lane& lane);
  bool IsOver(const Item& item);
  bool Skips(const Lane& lane);
  void Advance();
  bool CanRun(const Lane& lane);
  bool Step(Lock& lock, bool must) noexcept;
  void Run(Lock& lock, Lane& lane);
  void Open(Piece& piece);
  void Free(Lane& lane);
  uint32_t ProgramsId(const Lane& lane, uint32_t id) const;
  template <typename Done, typename WaitFor, typename TimedOut>
  int Finish(Lock& lock, int64_t timeout_ms, const Done& done, const WaitFor& wait,
             const TimedOut& timed_out);

  static void GateReached(void* payload, AclimbSuspension* gate);
  void StartWatch();
  void Watch();

  const AclimbBackend& next_;
  const std::unique_ptr<Order> order_;
  OutputFile lines_;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // in the order of their numbers
  uint32_t last_number_ = 0;
  uint64_t point_ = 0;
  int questions_ = 0;     // in a row
  bool running_ = false;  // a piece of work, by a thread that has let go of mutex_
  bool watched_ = false;

  std::mutex gates_mutex_;
  std::condition_variable gates_changed_;

  // For the watch, which must not wait for mutex_.
  std::atomic<uint64_t> calls_{0};
  std::atomic<int> waiting_{0};
};

}  // namespace aclimb::tools
