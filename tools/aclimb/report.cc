// aclimb report: a page with the timeline and the numbers of a trace.

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "tools/aclimb/command.h"
#include "tools/aclimb/number.h"
#include "tools/aclimb/output.h"
#include "tools/aclimb/report/findings.h"
#include "tools/aclimb/report/limits.h"
#include "tools/aclimb/report/page.h"
#include "tools/aclimb/report/problem.h"
#include "tools/aclimb/report/summary.h"
#include "tools/aclimb/report/trace_file.h"

namespace aclimb::cli {
namespace {

using report::Json;

struct ReportOptions {
  std::string trace;
  std::string output;
  std::string limits;
  std::string check;
  std::string threads_text;
  int threads = 0;
  bool force = false;
  bool json = false;
};

bool IsSameFile(const std::string& a, const std::string& b) {
  struct stat of_a = {};
  struct stat of_b = {};
  return stat(a.c_str(), &of_a) == 0 && stat(b.c_str(), &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

std::string TitleOf(const report::Trace& trace, const std::string& path) {
  return trace.program.empty() ? path.substr(path.rfind('/') + 1) : trace.program;
}

void Make(const ReportOptions& wanted) {
  const report::Trace trace = report::ReadTrace(wanted.trace);
  std::optional<report::Limits> limits;
  if (!wanted.limits.empty()) limits = report::ReadLimits(wanted.limits, wanted.threads);
  const report::Summary summary = report::Summarize(trace, limits ? &*limits : nullptr);
  Json data = report::JsonOf(summary, trace);
  data["title"] = TitleOf(trace, wanted.trace);
  data["limit_threads"] = limits ? Json(limits->threads) : Json();
  data["findings"] = wanted.check.empty() ? Json() : report::ReadFindings(wanted.check);
  if (wanted.json) Print(data.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  if (wanted.output.empty()) return;
  data["trace"] = report::ColumnsOf(trace);
  WriteNewFile("--output", wanted.output, wanted.force,
               report::PageOf(data["title"].get<std::string>(), data));
}

int Report(ReportOptions& wanted) {
  if (wanted.output.empty() && !wanted.json) {
    std::fputs("aclimb report: --output or --json is needed\nTry: aclimb report --help\n", stderr);
    return kWrongUse;
  }
  for (const std::string* input : {&wanted.trace, &wanted.limits, &wanted.check}) {
    if (wanted.output.empty() || !IsSameFile(*input, wanted.output)) continue;
    std::fprintf(stderr, "aclimb report: --output is \"%s\", which is read\n",
                 wanted.output.c_str());
    return kWrongUse;
  }
  try {
    if (!wanted.threads_text.empty()) {
      wanted.threads = static_cast<int>(WholeNumber("--threads", wanted.threads_text, 1, 1024));
    }
  } catch (const std::runtime_error& problem) {
    std::fprintf(stderr, "aclimb report: %s\n", problem.what());
    return kWrongUse;
  }
  try {
    Make(wanted);
  } catch (const std::runtime_error& problem) {
    std::fprintf(stderr, "aclimb report: %s\n", problem.what());
    return kFailed;
  }
  return kDone;
}

}  // namespace

Command AddReport(CLI::App& tool) {
  CLI::App* app = AddSubcommand(tool, "report", "TRACE -o FILE [OPTIONS]",
                                "Make a page with the timeline and the numbers of a trace");
  app->footer(
      "TRACE is what ACLIMB_TRACE (aclimb run --trace) wrote. The page needs nothing but a "
      "browser.\n"
      "What a crashed program left of its trace will do too.\n\n"
      "Examples:\n"
      "  aclimb run --trace train.json ./train && aclimb report train.json -o train.html\n"
      "  aclimb report train.json -o train.html --limits measured.json --check findings.json\n"
      "  aclimb report train.json --json");
  auto wanted = std::make_shared<ReportOptions>();
  app->add_option("TRACE", wanted->trace, "a trace")->required();
  app->add_option("-o,--output", wanted->output, "the page; a file that exists is kept")
      ->type_name("FILE");
  app->add_flag("--force", wanted->force, "replace a file that exists");
  app->add_option("--limits", wanted->limits,
                  "what bench/compare measured: adds each operator's share of the limit")
      ->type_name("FILE");
  app->add_option("--threads", wanted->threads_text,
                  "the limits of so many threads; the most by default")
      ->type_name("N");
  app->add_option("--check", wanted->check, "what ACLIMB_CHECK_OUT wrote: adds the findings")
      ->type_name("FILE");
  app->add_flag("--json", wanted->json, "print the numbers as JSON");
  return {app, [wanted](const std::vector<std::string>&) { return Report(*wanted); }};
}

}  // namespace aclimb::cli
