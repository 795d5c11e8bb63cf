#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "acl/acl.h"

namespace aclimb::fuzz {

// The rules of the runtime as far as a program can rely on them: which objects live, what is
// ordered before what, and what memory holds where that is defined. Knows nothing of the library.

// How far each stream is known to have come, by its number in the model.
class Clock {
 public:
  uint64_t At(int stream) const {
    return static_cast<size_t>(stream) < at_.size() ? at_[static_cast<size_t>(stream)] : 0;
  }
  void Raise(int stream, uint64_t position);
  void Join(const Clock& other);

 private:
  std::vector<uint64_t> at_;
};

struct ContextModel {
  aclrtContext handle = nullptr;
  int device = 0;
  bool primary = false;
  bool alive = true;
  int default_stream = -1;
  bool may_stop = false;  // a failure stops all its streams: nothing about them is certain
};

struct StreamModel {
  aclrtStream handle = nullptr;  // of a default stream: null until asked for
  int context = 0;
  bool is_default = false;
  bool alive = true;
  bool reported = false;   // has a report thread
  uint64_t queued = 0;     // tasks so far
  Clock clock;             // before the next task
  std::vector<int> waits;  // recordings that work of this stream waits for, not known to be over
  // Codes of failed tasks that no synchronising call has returned. The first is what the next one
  // returns, unless a query came in between.
  std::vector<int> errors;
  bool first_error_certain = true;
  bool in_callback = false;  // an abort does not wait for a callback of the program
};

// One recording of an event.
struct MarkerModel {
  int stream = 0;
  uint64_t position = 0;
  Clock clock;
  bool may_be_dropped = false;
};

struct EventModel {
  aclrtEvent handle = nullptr;
  int device = 0;
  bool alive = true;
  bool ex = false;      // of aclrtCreateEventExWithFlag
  bool waits = true;    // streams may wait for it
  bool reset = false;   // aclrtResetEvent was called after the last recording
  bool stamped = true;  // has time stamps
  int marker = -1;
};

// Memory of a device, or page-locked memory of the host (device -1).
struct BlockModel {
  struct Access {
    int stream;
    uint64_t position;
    bool write;
    size_t begin;
    size_t end;
  };
  unsigned char* address = nullptr;
  size_t size = 0;
  int device = 0;
  bool alive = true;
  bool lost = false;           // what it holds cannot be known any more
  std::vector<int16_t> bytes;  // -1: not known
  std::vector<Access> accesses;
};

using Bytes = std::vector<int16_t>;  // -1: not known

class RuntimeModel {
 public:
  static constexpr int kHost = -1;  // instead of a stream

  std::vector<ContextModel> contexts;
  std::vector<StreamModel> streams;
  std::vector<EventModel> events;
  std::vector<MarkerModel> markers;
  std::deque<BlockModel> blocks;
  int set_count[2] = {0, 0};
  Clock host;  // what the host knows to be over

  int AddStream(int context, bool is_default);
  int AddContext(int device, bool primary);
  // The live primary context of a device; -1 when there is none.
  int Primary(int device) const;

  // Queues one task and returns its position.
  uint64_t Queue(int stream);
  void Record(int event, int stream);
  void Wait(int stream, int event);
  // The host learns that everything queued on the stream, or before the marker, is over.
  void StreamIsOver(int stream);
  void MarkerIsOver(int marker);
  bool IsOver(int marker) const;
  bool IsIdle(int stream) const {
    return host.At(stream) >= streams[At(stream)].queued && !streams[At(stream)].in_callback;
  }

  // A call that waits for the stream, or for the marker, may give 107023.
  bool MayBeAborted(int stream, int depth = 0) const;
  bool MayNeverCome(int marker, int depth = 0) const;

  void Abort(int stream);
  // `drained`: the call waited for the stream's work, unless that waits for dropped work.
  void EndStream(int stream, bool drained);
  void EndContext(int context, bool drained);
  void EndDevice(int device, bool drained);

  // Reads and writes of a task at `position` of a stream, or of the host.
  Bytes Read(BlockModel& block, size_t begin, size_t end, int stream, uint64_t position);
  void Write(BlockModel& block, size_t begin, const Bytes& bytes, int stream, uint64_t position);
  // Work that is not known to be over may have been dropped: what it writes is not known.
  void ForgetPending();

 private:
  static size_t At(int index) { return static_cast<size_t>(index); }
  const Clock& ClockOf(int stream) const {
    return stream == kHost ? host : streams[At(stream)].clock;
  }
};

}  // namespace aclimb::fuzz
