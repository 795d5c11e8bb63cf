// How good the choice of a way is (ways.h): draws problems, computes each gradient in every way
// that takes it, and compares the way that is chosen with the fastest. Processor time of one
// thread, the least of several turns in which all ways take part, since the machine may be shared.
//
//   convolution_choice [problems [seed [file]]]
//
// `problems` is how many are drawn, or "named" for those of cases.inc with a quarter of the images.
// `file` keeps what was measured: a later run with the same problems reads it, so that a change of
// the model alone is judged in a moment. A field for each way, in the order of kWays; - where a way
// does not take the problem.

#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aclimb/copy/copy.h"
#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/bench_problems.h"
#include "aclimb/ops/convolution_backward/plan.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::convolution_backward {
namespace {

constexpr size_t kCandidates = std::size(kWays);
constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr double kTurn = 1500;  // microseconds

enum Parameter { kGradOutput, kInput, kWeight, kGradInput, kGradWeight, kParameters };

TensorView ViewOf(std::initializer_list<int64_t> channels, const int64_t (&extents)[kDims],
                  DType dtype) {
  TensorView view;
  view.dtype = dtype;
  view.rank = 2 + kDims;
  std::copy(channels.begin(), channels.end(), view.shape);
  std::copy(extents, extents + kDims, view.shape + 2);
  return DenseLike(view, nullptr);
}

// Memory of all problems, one after the other.
class Memory {
 public:
  explicit Memory(Random& random) : numbers_(kMostElements) {
    for (float& number : numbers_) {
      const auto size = static_cast<float>(0.5 + random.Unit() / 2);
      number = random.Chance(0.5) ? size : -size;
    }
  }

  // Gives a tensor numbers of both signs from a half to one.
  void Fill(int parameter, TensorView view) {
    TensorView numbers = DenseLike(view, numbers_.data());
    numbers.dtype = DType::kFloat32;
    view.data = Room(parameter, view.ElementCount() * static_cast<int64_t>(SizeOf(view.dtype)));
    (void)copy::Copy(numbers, view);
  }
  char* Tensor(int parameter) { return rooms_[parameter].first.get(); }
  char* Workspace(uint64_t bytes) { return Room(kParameters, static_cast<int64_t>(bytes)); }

 private:
  // A page more, which vectors may read.
  char* Room(int number, int64_t bytes) {
    auto& [memory, size] = rooms_[number];
    if (memory == nullptr || bytes > size) {
      size = RoundUp(bytes + bytes / 2, 4096);
      memory.reset();
      memory.reset(static_cast<char*>(std::aligned_alloc(4096, static_cast<size_t>(size + 4096))));
      if (memory == nullptr) throw std::bad_alloc();
      std::memset(memory.get(), 0, static_cast<size_t>(size + 4096));
    }
    return memory.get();
  }

  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::vector<float> numbers_;
  std::pair<std::unique_ptr<char, Free>, int64_t> rooms_[kParameters + 1];
};

double Now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

// A gradient of a problem in one way.
struct Candidate {
  PlanPointer plan;
  uint64_t workspace = 0;
  double microseconds = kForever;  // a run, the least so far
};

// What was measured of one gradient, in microseconds; nothing where a way does not take it.
using Times = std::array<std::optional<double>, kCandidates>;

class Gradient {
 public:
  Gradient(const Sample& p, Task task) : problem_(p), task_(task) {
    const Geometry& g = p.geometry;
    const TensorView x = ViewOf({g.batch, g.groups * g.x_channels}, g.in, p.dtype);
    const TensorView y = ViewOf({g.batch, g.groups * g.y_channels}, g.out, p.dtype);
    views_[kGradOutput] = p.transposed ? x : y;
    views_[kInput] = views_[kGradInput] = p.transposed ? y : x;
    views_[kWeight] = views_[kGradWeight] =
        ViewOf({g.groups * g.y_channels, g.x_channels}, g.kernel, p.dtype);
  }

  RankedWays Ways() const {
    Planner planner(false);
    return Builder(planner).WaysOf(task_);
  }

  Times Measure(Memory& memory) const {
    std::array<Candidate, kCandidates> candidates;
    const RankedWays ways = Ways();
    for (int i = 0; i < kParameters; ++i) memory.Fill(i, views_[i]);
    for (size_t i = 0; i < kCandidates; ++i) {
      Planner planner(false);
      PlanBuilder builder = Builder(planner);
      const auto ranked = std::find_if(ways.begin(), ways.end(),
                                       [&](const RankedWay& way) { return way.way == kWays[i]; });
      if (ranked->refusal != nullptr) continue;
      if (builder.AddBy(kWays[i], task_, Result()) != nullptr) continue;
      candidates[i] = {builder.Take(), planner.workspace().Size(), kForever};
      (void)TimeOf(candidates[i], 1, memory);  // which generates code
    }
    // Those far behind are not measured again, those near the best twice as often.
    Turn(candidates, kForever, 1, 3, memory);
    Turn(candidates, 2, kTurn, 4, memory);
    Turn(candidates, 1.2, kTurn, 4, memory);
    Times times;
    for (size_t i = 0; i < kCandidates; ++i) {
      if (candidates[i].plan != nullptr) times[i] = candidates[i].microseconds;
    }
    return times;
  }

 private:
  Place PlaceOf(Parameter parameter) const {
    Place place;
    place.parameter = parameter;
    place.view = views_[parameter];
    return place;
  }
  PlanBuilder Builder(Planner& planner) const {
    return {planner,         problem_.geometry, problem_.transposed, PlaceOf(kGradOutput),
            PlaceOf(kInput), PlaceOf(kWeight)};
  }
  Place Result() const { return PlaceOf(task_ == Task::kGradWeight ? kGradWeight : kGradInput); }

  double TimeOf(const Candidate& candidate, int runs, Memory& memory) const {
    TensorUse uses[kParameters];
    BoundTensor tensors[kParameters];
    for (int i = 0; i < kParameters; ++i) {
      uses[i].parameter = i;
      tensors[i].kernel_data = memory.Tensor(i);
    }
    const RunContext run(uses, tensors, memory.Workspace(candidate.workspace));
    const double start = Now();
    for (int i = 0; i < runs; ++i) candidate.plan->Run(run);
    return (Now() - start) / runs;
  }

  // Some turns of so many microseconds each, of those that are no more than so many times as slow
  // as the fastest.
  void Turn(std::array<Candidate, kCandidates>& candidates, double within, double length, int turns,
            Memory& memory) const {
    double best = kForever;
    for (const Candidate& c : candidates) {
      if (c.plan != nullptr) best = std::min(best, c.microseconds);
    }
    for (int turn = 0; turn < turns; ++turn) {
      for (Candidate& c : candidates) {
        if (c.plan == nullptr || c.microseconds > within * best) continue;
        const int runs = std::clamp(static_cast<int>(length / c.microseconds), 1, 100);
        c.microseconds = std::min(c.microseconds, TimeOf(c, runs, memory));
      }
    }
  }

  const Sample problem_;
  const Task task_;
  TensorView views_[kParameters];
};

struct Judged {
  std::string text, ways;
  double over;  // the time of what is chosen over the best
};

Judged Judge(const Sample& p, Task task, const Gradient& gradient, const Times& times) {
  const RankedWays ranked = gradient.Ways();
  std::optional<size_t> chosen;
  std::array<double, kCandidates> model = {};
  for (const RankedWay& way : ranked) {
    const auto i = static_cast<size_t>(way.way);
    model[i] = way.microseconds;
    if (!chosen && times[i]) chosen = i;
  }
  double best = kForever;
  for (const auto& time : times) best = std::min(best, time.value_or(best));
  Judged judged{Text(p, task), "", *times[*chosen] / best};
  char text[160];
  for (size_t i = 0; i < kCandidates; ++i) {
    if (!times[i]) continue;
    const std::string_view name = NameOf(kWays[i]);
    std::snprintf(text, sizeof(text), "%s%s %.*s %.0f (%.0f)", judged.ways.empty() ? "" : ", ",
                  i == *chosen ? "CHOSEN" : "", static_cast<int>(name.size()), name.data(),
                  *times[i], model[i]);
    judged.ways += text;
  }
  return judged;
}

void Print(std::vector<Judged> all) {
  const auto share = [&](double within) {
    const auto count =
        std::count_if(all.begin(), all.end(), [&](const Judged& j) { return j.over <= within; });
    return 100 * static_cast<double>(count) / static_cast<double>(all.size());
  };
  double logs = 0;
  for (const Judged& j : all) logs += std::log(j.over);
  std::printf(
      "%zu gradients: the way that is chosen is within 5 percent of the fastest in %.1f percent, "
      "within 15 percent in %.1f percent; geometric mean %.3f of the fastest's time\n",
      all.size(), share(1.05), share(1.15), std::exp(logs / static_cast<double>(all.size())));
  std::sort(all.begin(), all.end(),
            [](const Judged& a, const Judged& b) { return a.over > b.over; });
  std::printf("The worst, with the microseconds of each way, measured and by the model:\n");
  for (size_t i = 0; i < std::min<size_t>(all.size(), 40) && all[i].over > 1.05; ++i) {
    std::printf("%.2f  %s\n      %s\n", all[i].over, all[i].text.c_str(), all[i].ways.c_str());
  }
}

// Lines of a file that has what was measured.
std::vector<Times> Read(const std::string& name) {
  std::vector<Times> all;
  std::ifstream file(name);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line.substr(0, line.find('|')));
    Times times;
    for (auto& time : times) {
      std::string field;
      fields >> field;
      if (field != "-") time = std::atof(field.c_str());
    }
    all.push_back(times);
  }
  return all;
}

int Run(int argc, char** argv) {
  const std::string problems = argc > 1 ? argv[1] : "500";
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::string name = argc > 3 ? argv[3] : "";
  SetTeamSize(1);
  std::vector<Times> known;
  if (!name.empty()) known = Read(name);
  const bool measures = known.empty();
  std::ofstream file;
  std::unique_ptr<Memory> memory;
  if (measures) {
    Random numbers(seed + 1);
    memory = std::make_unique<Memory>(numbers);
    if (!name.empty()) file.open(name);
  }
  std::vector<Judged> judged;
  for (const Sample& p :
       problems == "named" ? NamedProblems() : DrawAll(std::atoi(problems.c_str()), seed)) {
    for (const Task task : {p.InputTask(), Task::kGradWeight}) {
      const Gradient gradient(p, task);
      if (!measures && judged.size() >= known.size()) {
        std::fprintf(stderr, "%s has fewer gradients than these problems\n", name.c_str());
        return 1;
      }
      const Times times = measures ? gradient.Measure(*memory) : known[judged.size()];
      judged.push_back(Judge(p, task, gradient, times));
      if (!file.is_open()) continue;
      for (const auto& time : times) file << (time ? std::to_string(*time) : "-") << " ";
      file << "| " << judged.back().text << std::endl;
    }
  }
  Print(std::move(judged));
  return 0;
}

}  // namespace
}  // namespace aclimb::convolution_backward

int main(int argc, char** argv) { return aclimb::convolution_backward::Run(argc, argv); }
