// aclimb_bench: Aclimb's side of the comparison. Speaks the protocol of protocol.h and uses the
// public C interface only.
//
// A run is phase 1, phase 2 and a synchronise; tensors, descriptors and the workspace are there
// before.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "bench/all_cases.h"
#include "bench/case.h"
#include "bench/device_tensor.h"
#include "bench/protocol.h"

namespace aclimb::bench {
namespace {

class Workspace {
 public:
  Workspace() = default;
  ~Workspace() { Release(); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  void* Get(uint64_t size) {
    if (size > size_) {
      Release();
      Check(aclrtMalloc(&memory_, size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
      size_ = size;
    }
    return size == 0 ? nullptr : memory_;
  }
  void Release() {
    if (memory_ != nullptr) (void)aclrtFree(memory_);
    memory_ = nullptr;
    size_ = 0;
  }

 private:
  void* memory_ = nullptr;
  uint64_t size_ = 0;
};

class Server {
 public:
  Server() {
    Check(aclInit(nullptr), "aclInit");
    Check(aclrtSetDevice(0), "aclrtSetDevice");
    Check(aclrtCreateStream(&stream_), "aclrtCreateStream");
  }

  JsonObject Info() const {
    const auto environment = [](const char* name) {
      const char* const value = std::getenv(name);
      return std::string(value == nullptr ? "" : value);
    };
    JsonObject threads;
    for (const char* name :
         {"ACLIMB_THREADS", "OMP_NUM_THREADS", "OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}) {
      threads.Text(name, environment(name));
    }
    return JsonObject()
        .Text("name", "aclimb")
        .Text("compiler", ACLIMB_BENCH_COMPILER)
        .Text("soc", aclrtGetSocName())
        .Raw("threads", threads.str());
  }

  JsonObject List() const {
    std::vector<std::string> json;
    for (const Case& c : cases_) {
      JsonObject parameters;
      parameters.Text("family", c.family);
      for (const auto& [key, value] : c.parameters) parameters.Text(key, value);
      json.push_back(JsonObject()
                         .Text("operator", c.operator_name)
                         .Text("case", c.name)
                         .Text("dtype", c.dtype)
                         .Raw("parameters", parameters.str())
                         .Number("read_bytes", c.cost.read_bytes)
                         .Number("write_bytes", c.cost.write_bytes)
                         .Number("zero_bytes", c.cost.zero_bytes)
                         .Number("flops", c.cost.flops)
                         .str());
    }
    return JsonObject().Raw("cases", JsonArray(json));
  }

  JsonObject Open(const Words& words) {
    (void)Close();
    const Case& c = Find(words);
    problem_ = c.open();
    problem_->PoisonOutputs();
    RunOnce();
    if (problem_->PoisonShows()) {
      throw std::runtime_error(c.operator_name + "/" + c.name + ": an output was not written");
    }
    return JsonObject()
        .Raw("variants", "[\"aclimb\"]")
        .Number("workspace", static_cast<double>(workspace_size_));
  }

  JsonObject Run(const Words& words) {
    (void)Opened();
    const int64_t count = words.size() > 1 ? std::stoll(words[1]) : 1;
    return JsonObject().Raw("ns", JsonNumbers(TimeBatches(count, [this] { RunOnce(); })));
  }

  // Nanoseconds of each of N runs: what a benchmark of a busy machine needs.
  JsonObject Each(const Words& words) {
    (void)Opened();
    using Clock = std::chrono::steady_clock;
    const int64_t count = words.size() > 1 ? std::stoll(words[1]) : 1;
    std::vector<double> times;
    for (int64_t i = 0; i < count; ++i) {
      const Clock::time_point begin = Clock::now();
      RunOnce();
      times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
    }
    return JsonObject().Raw("ns", JsonNumbers(times));
  }

  // Where a run's time goes: each step timed apart, median of N runs.
  JsonObject Phases(const Words& words) {
    Problem& problem = Opened();
    using Clock = std::chrono::steady_clock;
    const int64_t count =
        std::clamp<int64_t>(words.size() > 1 ? std::stoll(words[1]) : 1, 1, 10000);
    std::vector<double> checking, queuing, waiting;
    const auto nanoseconds = [](Clock::time_point from, Clock::time_point to) {
      return std::chrono::duration<double, std::nano>(to - from).count();
    };
    const auto median = [](std::vector<double>& values) {
      std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
      return values[values.size() / 2];
    };
    for (int64_t i = 0; i < count; ++i) {
      uint64_t size = 0;
      aclOpExecutor* executor = nullptr;
      const Clock::time_point begin = Clock::now();
      Check(problem.Phase1(&size, &executor), "phase 1");
      const Clock::time_point checked = Clock::now();
      Check(problem.Phase2(workspace_.Get(size), size, executor, stream_), "phase 2");
      const Clock::time_point queued = Clock::now();
      Check(aclrtSynchronizeStream(stream_), "aclrtSynchronizeStream");
      const Clock::time_point done = Clock::now();
      checking.push_back(nanoseconds(begin, checked));
      queuing.push_back(nanoseconds(checked, queued));
      waiting.push_back(nanoseconds(queued, done));
    }
    return JsonObject()
        .Number("phase1_ns", median(checking))
        .Number("phase2_ns", median(queuing))
        .Number("synchronise_ns", median(waiting));
  }

  // Sums of plans made from here on do not, or do, depend on the number of threads.
  JsonObject Deterministic(const Words& words) {
    const bool on = words.size() > 1 && words[1] == "on";
    Check(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, on ? 1 : 0), "aclrtSetSysParamOpt");
    return JsonObject().Text("deterministic", on ? "on" : "off");
  }

  JsonObject Close() {
    problem_.reset();
    workspace_.Release();
    return JsonObject().Text("closed", "yes");
  }

 private:
  const Case& Find(const Words& words) const {
    for (const Case& c : cases_) {
      if (words.size() > 2 && c.operator_name == words[1] && c.name == words[2]) return c;
    }
    throw std::runtime_error("open: no such case");
  }

  Problem& Opened() const {
    if (problem_ == nullptr) throw std::runtime_error("no case is open");
    return *problem_;
  }

  void RunOnce() {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    Check(problem_->Phase1(&size, &executor), "phase 1");
    Check(problem_->Phase2(workspace_.Get(size), size, executor, stream_), "phase 2");
    Check(aclrtSynchronizeStream(stream_), "aclrtSynchronizeStream");
    workspace_size_ = size;
  }

  const std::vector<Case> cases_ = AllCases();
  aclrtStream stream_ = nullptr;
  std::unique_ptr<Problem> problem_;
  Workspace workspace_;
  uint64_t workspace_size_ = 0;
};

}  // namespace
}  // namespace aclimb::bench

int main() {
  // Some cases use label smoothing or the z-loss term, which the documents reserve.
  ::setenv("ACLIMB_EXTENSIONS", "1", 1);
  using aclimb::bench::Words;
  try {
    // Never destroyed: the runtime's own teardown at exit is enough.
    auto& server = *new aclimb::bench::Server;
    return aclimb::bench::Serve({
        {"info", [&](const Words&) { return server.Info(); }},
        {"list", [&](const Words&) { return server.List(); }},
        {"open", [&](const Words& words) { return server.Open(words); }},
        {"run", [&](const Words& words) { return server.Run(words); }},
        {"each", [&](const Words& words) { return server.Each(words); }},
        {"phases", [&](const Words& words) { return server.Phases(words); }},
        {"deterministic", [&](const Words& words) { return server.Deterministic(words); }},
        {"close", [&](const Words&) { return server.Close(); }},
    });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "aclimb_bench: %s\n", error.what());
    return 1;
  }
}
