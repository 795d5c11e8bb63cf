#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/aclimb/report/json_array.h"

namespace aclimb::cli::report {

// Times are nanoseconds since the trace began.

// A call of a thread, or a run of work on a stream.
struct Span {
  int64_t begin = 0;
  int64_t duration = 0;
  int name = 0;  // index in Trace::names
  int code = 0;
  int row = 0;  // of its lane: calls inside calls lie below them
  // Of work.
  uint64_t id = 0;
  uint64_t bytes = 0;
  uint64_t workspace = 0;
  double flops = 0;
  int arguments = -1;  // index in Trace::arguments
  // The thread that queued it, when, and in which of its calls; -1 when the trace does not say.
  int64_t queued = 0;
  int thread = -1;
  int call = -1;

  int64_t end() const { return begin + duration; }
};

// A thread or a stream. Its spans are sorted by row, then by begin; those of a row do not overlap.
struct Lane {
  std::string name;
  bool is_stream = false;
  int process = 0;
  int64_t thread = 0;  // the stream's number, or the system's number of the thread
  int rows = 0;
  std::vector<Span> spans;
};

struct MemoryPoint {
  int64_t at = 0;
  uint64_t bytes = 0;
};

struct Device {
  std::string name;
  int process = 0;
  std::vector<MemoryPoint> memory;  // sorted
};

struct Trace {
  std::string program;  // empty when the trace does not say
  std::string date;
  bool complete = false;
  int64_t begin = 0;  // of the first span
  int64_t end = 0;    // of the last one
  std::vector<std::string> names;
  std::vector<Json> arguments;  // those of different runs that are the same occur once
  std::vector<Lane> lanes;      // threads, then streams by device
  std::vector<Device> devices;
};

// What ACLIMB_TRACE wrote; also what it left of a program that crashed. Throws Problem.
Trace ReadTrace(const std::string& path);

}  // namespace aclimb::cli::report
