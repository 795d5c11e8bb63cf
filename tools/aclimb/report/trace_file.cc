#include "tools/aclimb/report/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include "tools/aclimb/report/problem.h"

namespace aclimb::cli::report {
namespace {

constexpr int kHost = 1;
constexpr const char* kTraceExpected = "a trace, as ACLIMB_TRACE writes it";

int64_t Nanoseconds(const Json& microseconds) {
  // Beyond that a double has no whole numbers, and the page counts in doubles.
  constexpr double kMost = 9e15;
  const double value = microseconds.get<double>() * 1000;
  if (!(std::abs(value) <= kMost)) throw Problem("a time is out of range");
  return std::llround(value);
}

// The key's number, or 0.
template <typename T>
T NumberOf(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? T{} : found->get<T>();
}

class Reader {
 public:
  void Take(const Json& event) {
    const std::string& phase = event.at("ph").get_ref<const std::string&>();
    if (phase == "X") {
      TakeSpan(event);
    } else if (phase == "s") {
      queued_[event.at("id").get<uint64_t>()] = {event.at("tid").get<int64_t>(),
                                                 Nanoseconds(event.at("ts"))};
    } else if (phase == "C") {
      DeviceOf(event.at("pid").get<int>())
          .memory.push_back({Nanoseconds(event.at("ts")), event.at("args").at("bytes")});
    } else if (phase == "M") {
      TakeName(event);
    }
  }

  Trace Finish(bool complete) {
    trace_.complete = complete;
    for (auto& [place, lane] : lanes_) {
      if (lane.name.empty()) {
        lane.name = fmt::format("{} {}", lane.is_stream ? "stream" : "thread", lane.thread);
      }
      Arrange(lane);
      trace_.lanes.push_back(std::move(lane));
    }
    FindCallers();
    for (auto& [process, device] : devices_) {
      std::stable_sort(device.memory.begin(), device.memory.end(),
                       [](const MemoryPoint& a, const MemoryPoint& b) { return a.at < b.at; });
      trace_.devices.push_back(std::move(device));
    }
    SetTimes();
    return std::move(trace_);
  }

 private:
  struct Queued {
    int64_t thread = 0;
    int64_t at = 0;
  };

  void TakeSpan(const Json& event) {
    Span span;
    span.begin = Nanoseconds(event.at("ts"));
    span.duration = std::max<int64_t>(0, Nanoseconds(event.at("dur")));
    span.name = IndexOf(names_, trace_.names, event.at("name").get<std::string>());
    const Json& args = event.at("args");
    span.code = args.at("code").get<int>();
    const int process = event.at("pid").get<int>();
    const bool is_stream = event.at("cat").get_ref<const std::string&>() == "work";
    if (is_stream) {
      span.id = args.at("id").get<uint64_t>();
      span.bytes = NumberOf<uint64_t>(args, "bytes");
      span.workspace = NumberOf<uint64_t>(args, "workspace");
      span.flops = NumberOf<double>(args, "flops");
      const auto arguments = args.find("arguments");
      if (arguments != args.end()) span.arguments = IndexOfArguments(*arguments);
      DeviceOf(process);
    }
    LaneOf(process, event.at("tid").get<int64_t>(), is_stream).spans.push_back(span);
  }

  void TakeName(const Json& event) {
    const std::string& what = event.at("name").get_ref<const std::string&>();
    const int process = event.at("pid").get<int>();
    const Json& args = event.at("args");
    const std::string name = args.at("name").get<std::string>();
    if (what == "trace") {
      trace_.program = name;
      trace_.date = args.value("date", "");
    } else if (what == "process_name" && process != kHost) {
      DeviceOf(process).name = name;
    } else if (what == "thread_name") {
      LaneOf(process, event.at("tid").get<int64_t>(), process != kHost).name = name;
    }
  }

  Lane& LaneOf(int process, int64_t thread, bool is_stream) {
    const auto [found, fresh] = lanes_.try_emplace({process, thread});
    if (fresh) {
      found->second.is_stream = is_stream;
      found->second.process = process;
      found->second.thread = thread;
    }
    return found->second;
  }

  Device& DeviceOf(int process) {
    const auto [found, fresh] = devices_.try_emplace(process);
    if (fresh) {
      found->second.process = process;
      found->second.name = fmt::format("device {}", process - kHost - 1);
    }
    return found->second;
  }

  static int IndexOf(std::unordered_map<std::string, int>& known, std::vector<std::string>& all,
                     std::string text) {
    const auto [found, fresh] = known.try_emplace(std::move(text), static_cast<int>(all.size()));
    if (fresh) all.push_back(found->first);
    return found->second;
  }

  int IndexOfArguments(const Json& arguments) {
    const auto [found, fresh] =
        arguments_.try_emplace(arguments.dump(), static_cast<int>(trace_.arguments.size()));
    if (fresh) trace_.arguments.push_back(arguments);
    return found->second;
  }

  // Each span goes into the first row that is free when it begins.
  static void Arrange(Lane& lane) {
    const auto earlier = [](const Span& a, const Span& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.duration > b.duration;
    };
    std::stable_sort(lane.spans.begin(), lane.spans.end(), earlier);
    std::vector<int64_t> ends;
    for (Span& span : lane.spans) {
      size_t row = 0;
      while (row < ends.size() && ends[row] > span.begin) ++row;
      if (row == ends.size()) ends.push_back(0);
      ends[row] = span.end();
      span.row = static_cast<int>(row);
    }
    lane.rows = static_cast<int>(ends.size());
    std::stable_sort(lane.spans.begin(), lane.spans.end(),
                     [](const Span& a, const Span& b) { return a.row < b.row; });
  }

  // The innermost call of the lane at that time, or -1.
  static int CallAt(const Lane& lane, int64_t at) {
    for (int row = lane.rows - 1; row >= 0; --row) {
      const auto after =
          std::partition_point(lane.spans.begin(), lane.spans.end(), [row, at](const Span& span) {
            return std::pair(span.row, span.begin) <= std::pair(row, at);
          });
      if (after == lane.spans.begin()) continue;
      const Span& span = *std::prev(after);
      if (span.row == row && at <= span.end()) {
        return static_cast<int>(std::prev(after) - lane.spans.begin());
      }
    }
    return -1;
  }

  void FindCallers() {
    std::unordered_map<int64_t, int> threads;
    for (size_t i = 0; i < trace_.lanes.size(); ++i) {
      const Lane& lane = trace_.lanes[i];
      if (!lane.is_stream) threads[lane.thread] = static_cast<int>(i);
    }
    for (Lane& lane : trace_.lanes) {
      if (!lane.is_stream) continue;
      for (Span& span : lane.spans) {
        const auto queued = queued_.find(span.id);
        if (queued == queued_.end()) continue;
        const auto thread = threads.find(queued->second.thread);
        if (thread == threads.end()) continue;
        span.queued = queued->second.at;
        span.thread = thread->second;
        span.call = CallAt(trace_.lanes[static_cast<size_t>(thread->second)], span.queued);
      }
    }
  }

  void SetTimes() {
    int64_t begin = std::numeric_limits<int64_t>::max();
    int64_t end = std::numeric_limits<int64_t>::min();
    for (const Lane& lane : trace_.lanes) {
      for (const Span& span : lane.spans) {
        begin = std::min(begin, span.begin);
        end = std::max(end, span.end());
      }
    }
    if (begin <= end) std::tie(trace_.begin, trace_.end) = std::pair(begin, end);
  }

  Trace trace_;
  std::map<std::pair<int, int64_t>, Lane> lanes_;
  std::map<int, Device> devices_;
  std::unordered_map<uint64_t, Queued> queued_;
  std::unordered_map<std::string, int> names_;
  std::unordered_map<std::string, int> arguments_;
};

}  // namespace

Trace ReadTrace(const std::string& path) {
  Reader reader;
  bool any = false;
  const bool complete = ReadObjects(path, kTraceExpected, [&](const Json& event) {
    reader.Take(event);
    any = true;
  });
  if (!any) throw Problem(fmt::format("{}: it has no events", path));
  return reader.Finish(complete);
}

}  // namespace aclimb::cli::report
