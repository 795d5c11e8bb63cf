#include "tools/aclimb/report/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "tools/aclimb/report/problem.h"

namespace aclimb::cli::report {
namespace {

double Fastest(const Json& level, std::initializer_list<const char*> names) {
  double fastest = 0;
  for (const char* name : names) fastest = std::max(fastest, level.value(name, 0.0));
  return fastest;
}

void AddLevel(const Json& entry, const char* name, double bytes, Limits& limits) {
  const auto level = entry.find(name);
  if (level == entry.end()) return;
  limits.levels.push_back(
      {name, bytes,
       Fastest(*level, {"read", "write", "write_nt", "copy", "copy_nt", "triad", "triad_nt"}),
       Fastest(*level, {"copy", "copy_nt"}), Fastest(*level, {"write", "write_nt", "zero_fill"})});
}

Limits LimitsOf(const Json& entry) {
  Limits limits;
  limits.threads = entry.at("threads").get<int>();
  // Three quarters: something else lives there too.
  AddLevel(entry, "L2", 0.75 * entry.at("l2_bytes").get<double>() * limits.threads, limits);
  AddLevel(entry, "L3", 0.75 * entry.at("l3_bytes").get<double>(), limits);
  AddLevel(entry, "DRAM", std::numeric_limits<double>::infinity(), limits);
  limits.flops = entry.at("gemm_f32").get<double>();
  limits.flops_bfloat16 = std::max(limits.flops, entry.value("gemm_bf16", 0.0));
  return limits;
}

bool IsBfloat16(const Trace& trace, const Span& run) {
  if (run.arguments < 0) return false;
  for (const Json& argument : trace.arguments[static_cast<size_t>(run.arguments)]) {
    if (!argument.is_object() || !argument.contains("tensor")) continue;
    return argument["tensor"].value("dtype", "") == "BFLOAT16";
  }
  return false;
}

}  // namespace

Limits ReadLimits(const std::string& path, int threads) {
  const Problem unsuitable(
      fmt::format("{}: expected measured limits, as bench/compare writes them", path));
  Limits best;
  try {
    const Json file = Json::parse(ReadFile(path));
    for (const Json& entry : file.at("limits")) {
      Limits limits = LimitsOf(entry);
      const bool wanted = threads == 0 ? limits.threads > best.threads : limits.threads == threads;
      if (wanted) best = std::move(limits);
    }
    if (file.at("limits").empty()) throw unsuitable;
  } catch (const Json::exception&) {
    throw unsuitable;
  }
  if (best.threads == 0) {
    throw Problem(fmt::format("{}: it has no limits of {} threads", path, threads));
  }
  if (best.levels.empty() || best.levels.back().operate <= 0 || best.flops <= 0) throw unsuitable;
  return best;
}

double LimitOf(const Limits& limits, const Trace& trace, const Span& run) {
  const auto bytes = static_cast<double>(run.bytes);
  const Limits::Level* at = &limits.levels.back();
  for (auto level = limits.levels.rbegin(); level != limits.levels.rend(); ++level) {
    if (bytes <= level->bytes) at = &*level;
  }
  const std::string& name = trace.names[static_cast<size_t>(run.name)];
  const double speed = name.starts_with("copy")   ? at->copy
                       : name.starts_with("fill") ? at->fill
                                                  : at->operate;
  const double memory = speed > 0 ? bytes / speed : 0;
  if (run.flops <= 0) return memory;
  return std::max(memory,
                  run.flops / (IsBfloat16(trace, run) ? limits.flops_bfloat16 : limits.flops));
}

}  // namespace aclimb::cli::report
