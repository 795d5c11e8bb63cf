#include "tools/aclimb/report/page.h"

#include <fmt/format.h>

#include <string_view>

#include "aclimb/core/codes.h"
#include "report_files.h"
#include "tools/aclimb/report/argument_text.h"
#include "tools/aclimb/report/problem.h"

namespace aclimb::cli::report {
namespace {

Json LanesOf(const Trace& trace) {
  Json lanes = Json::array();
  for (const Lane& lane : trace.lanes) {
    // How many spans each row has.
    std::vector<size_t> rows(static_cast<size_t>(lane.rows));
    for (const Span& span : lane.spans) ++rows[static_cast<size_t>(span.row)];
    lanes.push_back({{"name", lane.name},
                     {"stream", lane.is_stream},
                     {"process", lane.process},
                     {"rows", std::move(rows)}});
  }
  return lanes;
}

Json DevicesOf(const Trace& trace) {
  Json devices = Json::array();
  for (const Device& device : trace.devices) {
    Json at = Json::array();
    Json bytes = Json::array();
    for (const MemoryPoint& point : device.memory) {
      at.push_back(point.at);
      bytes.push_back(point.bytes);
    }
    devices.push_back({{"name", device.name},
                       {"process", device.process},
                       {"at", std::move(at)},
                       {"bytes", std::move(bytes)}});
  }
  return devices;
}

// Columns of spans, of all lanes one after the other.
struct Columns {
  Json begin = Json::array(), duration = Json::array(), name = Json::array();
  Json failed = Json::array();  // pairs of span and code
  // Of the runs, in their order.
  Json id = Json::array(), bytes = Json::array(), workspace = Json::array(), flops = Json::array();
  Json arguments = Json::array(), queued = Json::array(), thread = Json::array();
  Json call = Json::array();  // index in the thread's lane
};

void AddRun(const Span& span, Columns& columns) {
  columns.id.push_back(span.id);
  columns.bytes.push_back(span.bytes);
  columns.workspace.push_back(span.workspace);
  columns.flops.push_back(span.flops);
  columns.arguments.push_back(span.arguments);
  columns.queued.push_back(span.queued);
  columns.thread.push_back(span.thread);
  columns.call.push_back(span.call);
}

// Text for use between tags.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// JSON in which nothing looks like a tag: "</script>" in a name would end the element it is in.
std::string ScriptSafe(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

Json ColumnsOf(const Trace& trace) {
  Columns columns;
  Json codes = Json::object();
  size_t index = 0;
  for (const Lane& lane : trace.lanes) {
    int row = -1;
    int64_t before = 0;
    for (const Span& span : lane.spans) {
      if (span.row != row) before = trace.begin;
      row = span.row;
      columns.begin.push_back(span.begin - before);
      before = span.begin;
      columns.duration.push_back(span.duration);
      columns.name.push_back(span.name);
      if (span.code != 0) {
        columns.failed.push_back({index, span.code});
        codes[std::to_string(span.code)] = CodeName(span.code);
      }
      ++index;
      if (lane.is_stream) AddRun(span, columns);
    }
  }
  Json arguments = Json::array();
  for (const Json& each : trace.arguments) arguments.push_back(ArgumentTexts(each));
  return {{"begin", trace.begin},
          {"end", trace.end},
          {"names", trace.names},
          {"arguments", std::move(arguments)},
          {"codes", std::move(codes)},
          {"lanes", LanesOf(trace)},
          {"devices", DevicesOf(trace)},
          {"spans",
           {{"begin", std::move(columns.begin)},
            {"duration", std::move(columns.duration)},
            {"name", std::move(columns.name)},
            {"failed", std::move(columns.failed)}}},
          {"runs",
           {{"id", std::move(columns.id)},
            {"bytes", std::move(columns.bytes)},
            {"workspace", std::move(columns.workspace)},
            {"flops", std::move(columns.flops)},
            {"arguments", std::move(columns.arguments)},
            {"queued", std::move(columns.queued)},
            {"thread", std::move(columns.thread)},
            {"call", std::move(columns.call)}}}};
}

std::string PageOf(const std::string& title, const Json& data) {
  std::string page;
  std::string_view rest = kPageHtml;
  constexpr std::string_view kOpen = "<!--[";
  constexpr std::string_view kClose = "]-->";
  for (size_t at = rest.find(kOpen); at != std::string_view::npos; at = rest.find(kOpen)) {
    page += rest.substr(0, at);
    rest.remove_prefix(at + kOpen.size());
    const size_t end = rest.find(kClose);
    const std::string_view what = rest.substr(0, end);
    rest.remove_prefix(end + kClose.size());
    if (what == "title") {
      page += Escaped(title);
    } else if (what == "style") {
      page += kPageCss;
    } else if (what == "data") {
      page += ScriptSafe(data.dump(-1, ' ', false, Json::error_handler_t::replace));
    } else if (what == "script") {
      for (const std::string_view script : kPageScripts) page += script;
    } else {
      throw Problem(fmt::format("page.html has no such part: {}", what));
    }
  }
  page += rest;
  return page;
}

}  // namespace aclimb::cli::report
