#include "tools/aclimb/report/summary.h"

#include <algorithm>

#include "aclimb/core/codes.h"

namespace aclimb::cli::report {
namespace {

// What adds up to a row.
struct Sums {
  Row row;
  std::vector<int64_t> durations;
  double moved = 0, moving = 0;        // bytes, nanoseconds
  double computed = 0, computing = 0;  // operations, nanoseconds
  double least = 0, limited = 0;       // nanoseconds at the limit, and as they were
};

double MedianOf(std::vector<int64_t>& values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 != 0) return static_cast<double>(*middle);
  const int64_t below = *std::max_element(values.begin(), middle);
  return (static_cast<double>(below) + static_cast<double>(*middle)) / 2;
}

void AddRates(const Trace& trace, const Limits* limits, const Span& run, Sums& sums) {
  // What failed did not do all of it.
  if (run.code != 0 || run.duration <= 0) return;
  const auto time = static_cast<double>(run.duration);
  if (run.bytes > 0) {
    sums.moved += static_cast<double>(run.bytes);
    sums.moving += time;
  }
  if (run.flops > 0) {
    sums.computed += run.flops;
    sums.computing += time;
  }
  const double least = limits == nullptr ? 0 : LimitOf(*limits, trace, run);
  if (least > 0) {
    sums.least += least;
    sums.limited += time;
  }
}

Row RowOf(Sums& sums) {
  sums.row.median = MedianOf(sums.durations);
  if (sums.moving > 0) sums.row.bytes_per_second = sums.moved / sums.moving * 1e9;
  if (sums.computing > 0) sums.row.flops_per_second = sums.computed / sums.computing * 1e9;
  if (sums.limited > 0) sums.row.share_of_limit = sums.least / sums.limited;
  return std::move(sums.row);
}

std::vector<Row> Rows(std::vector<Sums>& all) {
  std::vector<Row> rows;
  for (Sums& sums : all) {
    if (sums.row.count > 0) rows.push_back(RowOf(sums));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.total > b.total; });
  return rows;
}

double Microseconds(double nanoseconds) { return nanoseconds / 1000; }

Json Rate(const std::optional<double>& per_second) {
  return per_second ? Json(*per_second / 1e9) : Json();
}

Json JsonOf(const std::vector<Row>& rows, bool work) {
  Json list = Json::array();
  for (const Row& row : rows) {
    Json entry = {{"name", row.name},
                  {"count", row.count},
                  {"failed", row.failed},
                  {"total_us", Microseconds(static_cast<double>(row.total))},
                  {"median_us", Microseconds(row.median)},
                  {"largest_us", Microseconds(static_cast<double>(row.largest))},
                  {"largest_at", {row.lane, row.span}}};
    if (work) {
      entry["GB/s"] = Rate(row.bytes_per_second);
      entry["GFLOP/s"] = Rate(row.flops_per_second);
      entry["share_of_limit"] = row.share_of_limit ? Json(*row.share_of_limit) : Json();
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

Summary Summarize(const Trace& trace, const Limits* limits) {
  Summary summary;
  std::vector<Sums> work(trace.names.size());
  std::vector<Sums> calls(trace.names.size());
  for (size_t l = 0; l < trace.lanes.size(); ++l) {
    const Lane& lane = trace.lanes[l];
    ++(lane.is_stream ? summary.streams : summary.threads);
    for (size_t i = 0; i < lane.spans.size(); ++i) {
      const Span& span = lane.spans[i];
      const auto name = static_cast<size_t>(span.name);
      Sums& sums = (lane.is_stream ? work : calls)[name];
      Row& row = sums.row;
      if (row.count++ == 0) row.name = trace.names[name];
      row.failed += span.code != 0 ? 1 : 0;
      row.total += span.duration;
      if (row.count == 1 || span.duration > row.largest) {
        row.largest = span.duration;
        row.lane = static_cast<int>(l);
        row.span = static_cast<int>(i);
      }
      sums.durations.push_back(span.duration);
      ++(lane.is_stream ? summary.runs : summary.calls);
      if (span.code != 0) ++(lane.is_stream ? summary.failed_runs : summary.failed_calls);
      if (lane.is_stream) AddRates(trace, limits, span, sums);
    }
  }
  summary.operators = Rows(work);
  summary.functions = Rows(calls);
  return summary;
}

Json JsonOf(const Summary& summary, const Trace& trace) {
  Json devices = Json::array();
  for (const Device& device : trace.devices) {
    uint64_t peak = 0;
    for (const MemoryPoint& point : device.memory) peak = std::max(peak, point.bytes);
    devices.push_back({{"name", device.name}, {"peak_memory", peak}});
  }
  return {{"program", trace.program},
          {"date", trace.date},
          {"complete", trace.complete},
          {"duration_us", Microseconds(static_cast<double>(trace.end - trace.begin))},
          {"devices", std::move(devices)},
          {"streams", summary.streams},
          {"threads", summary.threads},
          {"calls", summary.calls},
          {"failed_calls", summary.failed_calls},
          {"runs", summary.runs},
          {"failed_runs", summary.failed_runs},
          {"operators", JsonOf(summary.operators, true)},
          {"functions", JsonOf(summary.functions, false)}};
}

}  // namespace aclimb::cli::report
