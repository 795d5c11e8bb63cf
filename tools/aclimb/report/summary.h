#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/aclimb/report/limits.h"
#include "tools/aclimb/report/trace_file.h"

namespace aclimb::cli::report {

// All runs of one operator or all calls of one function. Times in nanoseconds.
struct Row {
  std::string name;
  uint64_t count = 0;
  uint64_t failed = 0;
  int64_t total = 0;
  double median = 0;
  int64_t largest = 0;
  // Where the largest is.
  int lane = 0;
  int span = 0;
  // Of the runs that went well: the bytes of all by the time of all, likewise operations; and the
  // time that they would take at the measured limit by the time that they took.
  std::optional<double> bytes_per_second;
  std::optional<double> flops_per_second;
  std::optional<double> share_of_limit;
};

struct Summary {
  int threads = 0;
  int streams = 0;
  uint64_t calls = 0;
  uint64_t failed_calls = 0;
  uint64_t runs = 0;
  uint64_t failed_runs = 0;
  std::vector<Row> operators;  // the longest total first
  std::vector<Row> functions;
};

//   limits  null: no shares
Summary Summarize(const Trace& trace, const Limits* limits);

// For programs, and for the page: times in microseconds, rates in 10^9 a second.
Json JsonOf(const Summary& summary, const Trace& trace);

}  // namespace aclimb::cli::report
