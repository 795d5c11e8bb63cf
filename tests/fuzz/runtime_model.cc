#include "tests/fuzz/runtime_model.h"

#include <algorithm>

namespace aclimb::fuzz {

void Clock::Raise(int stream, uint64_t position) {
  if (at_.size() <= static_cast<size_t>(stream)) at_.resize(static_cast<size_t>(stream) + 1);
  uint64_t& at = at_[static_cast<size_t>(stream)];
  at = std::max(at, position);
}

void Clock::Join(const Clock& other) {
  for (size_t i = 0; i < other.at_.size(); ++i) Raise(static_cast<int>(i), other.at_[i]);
}

int RuntimeModel::AddStream(int context, bool is_default) {
  StreamModel& stream = streams.emplace_back();
  stream.context = context;
  stream.is_default = is_default;
  return static_cast<int>(streams.size()) - 1;
}

int RuntimeModel::AddContext(int device, bool primary) {
  const int index = static_cast<int>(contexts.size());
  ContextModel& context = contexts.emplace_back();
  context.device = device;
  context.primary = primary;
  context.default_stream = AddStream(index, true);
  return index;
}

int RuntimeModel::Primary(int device) const {
  for (size_t i = 0; i < contexts.size(); ++i) {
    const ContextModel& context = contexts[i];
    if (context.alive && context.primary && context.device == device) return static_cast<int>(i);
  }
  return -1;
}

uint64_t RuntimeModel::Queue(int index) {
  StreamModel& stream = streams[At(index)];
  stream.clock.Join(host);
  // Its own earlier work is over when the task runs.
  stream.clock.Raise(index, stream.queued);
  return ++stream.queued;
}

void RuntimeModel::Record(int event, int stream) {
  MarkerModel& marker = markers.emplace_back();
  marker.stream = stream;
  marker.position = Queue(stream);
  marker.clock = streams[At(stream)].clock;
  marker.clock.Raise(stream, marker.position);
  events[At(event)].marker = static_cast<int>(markers.size()) - 1;
  events[At(event)].reset = false;
}

void RuntimeModel::Wait(int stream, int event) {
  const EventModel& waited = events[At(event)];
  if (waited.marker < 0) return;
  StreamModel& waiting = streams[At(stream)];
  Queue(stream);
  const bool dropped = markers[At(waited.marker)].may_be_dropped;
  if (dropped || !IsOver(waited.marker)) waiting.waits.push_back(waited.marker);
  // After a reset nobody knows whether there was still something to wait for.
  if (!waited.reset) waiting.clock.Join(markers[At(waited.marker)].clock);
}

void RuntimeModel::StreamIsOver(int index) {
  StreamModel& stream = streams[At(index)];
  host.Join(stream.clock);
  host.Raise(index, stream.queued);
  stream.waits.clear();
  stream.in_callback = false;
}

void RuntimeModel::MarkerIsOver(int marker) { host.Join(markers[At(marker)].clock); }

bool RuntimeModel::IsOver(int index) const {
  const MarkerModel& marker = markers[At(index)];
  return host.At(marker.stream) >= marker.position;
}

bool RuntimeModel::MayNeverCome(int index, int depth) const {
  const MarkerModel& marker = markers[At(index)];
  if (marker.may_be_dropped) return true;
  return !IsOver(index) && MayBeAborted(marker.stream, depth + 1);
}

bool RuntimeModel::MayBeAborted(int stream, int depth) const {
  // Streams may wait for each other in turns; so deep a chain counts as one that may.
  if (depth > 8 || contexts[At(streams[At(stream)].context)].may_stop) return true;
  const std::vector<int>& waits = streams[At(stream)].waits;
  return std::any_of(waits.begin(), waits.end(),
                     [&](int marker) { return MayNeverCome(marker, depth + 1); });
}

void RuntimeModel::ForgetPending() {
  for (BlockModel& block : blocks) {
    for (const BlockModel::Access& access : block.accesses) {
      if (!access.write || host.At(access.stream) >= access.position) continue;
      std::fill(block.bytes.begin() + static_cast<std::ptrdiff_t>(access.begin),
                block.bytes.begin() + static_cast<std::ptrdiff_t>(access.end), int16_t{-1});
    }
  }
}

void RuntimeModel::Abort(int index) {
  ForgetPending();
  for (size_t i = 0; i < markers.size(); ++i) {
    if (markers[i].stream == index && !IsOver(static_cast<int>(i)))
      markers[i].may_be_dropped = true;
  }
  StreamModel& stream = streams[At(index)];
  // It has dropped its work, or waited for it.
  host.Raise(index, stream.queued);
  stream.waits.clear();
  stream.in_callback = true;
  // What it waited for may be still to come.
  stream.clock = host;
  stream.errors.clear();
  stream.first_error_certain = true;
}

void RuntimeModel::EndStream(int index, bool drained) {
  StreamModel& stream = streams[At(index)];
  if (!stream.alive) return;
  if (drained && !MayBeAborted(index)) {
    StreamIsOver(index);
  } else {
    ForgetPending();
    // The task that runs goes on, and nobody knows the order of what waited for this stream, or for
    // what it waited for. What was recorded behind that task never comes.
    for (BlockModel& block : blocks) {
      for (const BlockModel::Access& access : block.accesses) {
        if (host.At(access.stream) < access.position) block.lost = true;
      }
    }
    for (MarkerModel& marker : markers) {
      if (marker.stream != index || host.At(index) >= marker.position) continue;
      marker.clock = host;
      marker.may_be_dropped = true;
    }
  }
  stream.alive = false;
}

void RuntimeModel::EndContext(int index, bool drained) {
  for (size_t i = 0; i < streams.size(); ++i) {
    if (streams[i].context == index) EndStream(static_cast<int>(i), drained);
  }
  contexts[At(index)].alive = false;
}

void RuntimeModel::EndDevice(int device, bool drained) {
  for (size_t i = 0; i < contexts.size(); ++i) {
    if (contexts[i].device == device && contexts[i].alive) EndContext(static_cast<int>(i), drained);
  }
  for (BlockModel& block : blocks) {
    if (block.device == device) block.alive = false;
  }
  set_count[device] = 0;
}

Bytes RuntimeModel::Read(BlockModel& block, size_t begin, size_t end, int stream,
                         uint64_t position) {
  if (stream != kHost && contexts[At(streams[At(stream)].context)].may_stop) block.lost = true;
  bool ordered = !block.lost;
  for (const BlockModel::Access& access : block.accesses) {
    if (!access.write || access.end <= begin || end <= access.begin) continue;
    ordered = ordered && ClockOf(stream).At(access.stream) >= access.position;
  }
  if (stream != kHost) block.accesses.push_back({stream, position, false, begin, end});
  if (!ordered) return Bytes(end - begin, -1);
  return Bytes(block.bytes.begin() + static_cast<std::ptrdiff_t>(begin),
               block.bytes.begin() + static_cast<std::ptrdiff_t>(end));
}

void RuntimeModel::Write(BlockModel& block, size_t begin, const Bytes& bytes, int stream,
                         uint64_t position) {
  const size_t end = begin + bytes.size();
  if (stream != kHost && contexts[At(streams[At(stream)].context)].may_stop) block.lost = true;
  bool ordered = true;
  bool read_meanwhile = false;
  for (const BlockModel::Access& access : block.accesses) {
    if (access.end <= begin || end <= access.begin) continue;
    if (ClockOf(stream).At(access.stream) >= access.position) continue;
    ordered = false;
    read_meanwhile = read_meanwhile || !access.write;
  }
  // Where those bytes went is not known either.
  if (read_meanwhile) ForgetPending();
  if (stream != kHost) block.accesses.push_back({stream, position, true, begin, end});
  for (size_t i = 0; i < bytes.size(); ++i) {
    block.bytes[begin + i] = ordered ? bytes[i] : int16_t{-1};
  }
}

}  // namespace aclimb::fuzz
