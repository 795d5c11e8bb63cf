// aclimb_limits: what memory and arithmetic of this machine can do.
//
//   aclimb_limits          measures with 1 and with all cores of the affinity mask, prints JSON
//   aclimb_limits --serve  commands of bench/protocol.h: "measure N" with N threads, and
//                          "probe N NAME" for copy_nt, gemm_f32 or gemm_bf16 at this moment
//
// Bandwidths are GB/s of the bytes that the loop asks for, arithmetic GFLOP/s, all medians.

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

#include "bench/limits/kernels.h"
#include "bench/limits/team.h"
#include "bench/protocol.h"

namespace aclimb::bench {
namespace {

constexpr int64_t kHugePage = int64_t{2} << 20;
constexpr int64_t kMegabyte = int64_t{1} << 20;

// Memory in huge pages where the system has them, touched by the thread that will use it.
class Pages {
 public:
  explicit Pages(int64_t bytes)
      : size_(static_cast<size_t>(bytes + kHugePage)),
        base_(::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (base_ == MAP_FAILED) throw std::runtime_error("mmap failed");
    const auto address = reinterpret_cast<uintptr_t>(base_);
    const auto mask = static_cast<uintptr_t>(kHugePage - 1);
    data_ = reinterpret_cast<float*>((address + mask) & ~mask);
    (void)::madvise(data_, static_cast<size_t>(bytes), MADV_HUGEPAGE);
    std::memset(data_, 1, static_cast<size_t>(bytes));
  }
  ~Pages() { (void)::munmap(base_, size_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  // Array `index` of `bytes`; each starts a little further, so that they do not share cache sets.
  float* Array(int index, int64_t bytes) const {
    return data_ + index * (bytes / 4 + 1024 + 16 * 5);
  }
  static int64_t Needed(int arrays, int64_t bytes) { return arrays * (bytes + 4096 + 320); }

 private:
  size_t size_;
  void* base_;
  float* data_;
};

// Bytes of the first core's cache of that level; 0 when the system does not say. sysconf() is no
// help: inside a virtual machine it may answer for the host's whole processor.
int64_t CacheBytes(int wanted) {
  for (int index = 0; index < 8; ++index) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    int level = 0;
    int64_t size = 0;
    std::string type;
    std::ifstream(folder + "level") >> level;
    std::ifstream(folder + "type") >> type;
    std::ifstream(folder + "size") >> size;  // "1024K"
    if (level == wanted && type != "Instruction") return size * 1024;
  }
  return 0;
}

struct Level {
  const char* name;
  int64_t bytes_per_core;  // of all arrays together
};

std::vector<Level> LevelsOf(int threads) {
  const int64_t l2 = CacheBytes(2);
  const int64_t l3 = CacheBytes(3);
  std::vector<Level> levels;
  if (l2 > 0) levels.push_back({"L2", l2 * 3 / 8});
  if (l3 * 3 / 8 / threads > l2 * 3 / 2) levels.push_back({"L3", l3 * 3 / 8 / threads});
  const int64_t last = std::max<int64_t>({l2, l3, 8 * kMegabyte});
  levels.push_back({"DRAM", 3 * std::max(64 * kMegabyte, 8 * last / threads)});
  return levels;
}

std::string MeasureLevel(Team& team, const Level& level) {
  const int threads = team.size();
  JsonObject result;
  const bool in_memory = std::string(level.name) == "DRAM";
  // In a cache one array has all the bytes, two have half each and so on; in memory always a third.
  const int64_t needed = in_memory ? Pages::Needed(3, level.bytes_per_core / 3)
                                   : Pages::Needed(2, level.bytes_per_core);
  std::vector<std::unique_ptr<Pages>> pages(static_cast<size_t>(threads));
  team.Run([&](int i) { pages[static_cast<size_t>(i)] = std::make_unique<Pages>(needed); });
  for (const AccessInfo& info : kAccesses) {
    const int64_t bytes = level.bytes_per_core / (in_memory ? 3 : info.arrays) / 1024 * 1024;
    const int64_t passes = std::max<int64_t>(1, 32 * kMegabyte / bytes);
    const Seconds seconds = Time(7, [&] {
      team.Run([&](int i) {
        const Pages& own = *pages[static_cast<size_t>(i)];
        for (int64_t pass = 0; pass < passes; ++pass) {
          Pass(info.access, own.Array(0, bytes), own.Array(1, bytes), own.Array(2, bytes),
               bytes / 4);
        }
      });
    });
    result.Number(info.name, static_cast<double>(bytes * passes * info.arrays * threads) /
                                 seconds.median * 1e-9);
  }
  if (in_memory) {
    // Lines of zeros may be written faster than data: the best of the ways to do it. The lines
    // hold something else before each pass.
    const int64_t bytes = level.bytes_per_core / 3 / 1024 * 1024;
    double best = 0;
    for (const bool by_memset : {false, true}) {
      std::vector<double> speeds;
      for (int repeat = 0; repeat < 5; ++repeat) {
        team.Run([&](int i) {
          Pass(Access::kWrite, pages[static_cast<size_t>(i)]->Array(0, bytes), nullptr, nullptr,
               bytes / 4);
        });
        const auto begin = std::chrono::steady_clock::now();
        team.Run([&](int i) {
          float* const out = pages[static_cast<size_t>(i)]->Array(0, bytes);
          if (by_memset) {
            std::memset(out, 0, static_cast<size_t>(bytes));
          } else {
            Pass(Access::kZeroNt, out, nullptr, nullptr, bytes / 4);
          }
        });
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        speeds.push_back(static_cast<double>(bytes * threads) / elapsed.count() * 1e-9);
      }
      std::sort(speeds.begin(), speeds.end());
      best = std::max(best, speeds[speeds.size() / 2]);
    }
    result.Number("zero_fill", best);
  }
  return result.str();
}

double Arithmetic(Team& team, double (*gemm)(int64_t)) {
  constexpr int64_t kSteps = 200000;
  double flops = 0;
  const Seconds seconds = Time(9, [&] {
    team.Run([&](int i) {
      const double done = gemm(kSteps);
      if (i == 0) flops = done;
    });
  });
  return flops * team.size() / seconds.median * 1e-9;
}

int ThreadsOf(const Words& words) {
  const int threads = words.size() > 1 ? std::stoi(words[1]) : 1;
  if (threads < 1 || threads > AvailableCores()) throw std::runtime_error("no such thread count");
  return threads;
}

JsonObject Measure(int threads) {
  Team team(threads);
  JsonObject result;
  result.Number("threads", threads);
  result.Number("l2_bytes", static_cast<double>(CacheBytes(2)));
  result.Number("l3_bytes", static_cast<double>(CacheBytes(3)));
  result.Number("gemm_f32", Arithmetic(team, &GemmF32));
  result.Number("gemm_bf16", Arithmetic(team, &GemmBf16));
  for (const Level& level : LevelsOf(threads)) result.Raw(level.name, MeasureLevel(team, level));
  constexpr int kForks = 1000;
  const Seconds forks = Time(9, [&] {
    for (int i = 0; i < kForks; ++i) team.Run([](int) {});
  });
  result.Number("fork_join_ns", forks.median / kForks * 1e9);
  return result;
}

// The memory's speed, in some tens of milliseconds: its arrays are made once.
double CopyNt(Team& team) {
  constexpr int64_t kBytes = 48 * kMegabyte;
  static std::vector<std::unique_ptr<Pages>> pages;
  while (pages.size() < static_cast<size_t>(team.size())) {
    pages.push_back(std::make_unique<Pages>(Pages::Needed(2, kBytes)));
  }
  const Seconds seconds = Time(3, [&] {
    team.Run([&](int i) {
      const Pages& own = *pages[static_cast<size_t>(i)];
      Pass(Access::kCopyNt, own.Array(0, kBytes), own.Array(1, kBytes), nullptr, kBytes / 4);
    });
  });
  return static_cast<double>(2 * kBytes * team.size()) / seconds.median * 1e-9;
}

JsonObject Probe(const Words& words) {
  Team team(ThreadsOf(words));
  const std::string name = words.size() > 2 ? words[2] : "";
  if (name == "copy_nt") return JsonObject().Number(name, CopyNt(team));
  if (name == "gemm_f32") return JsonObject().Number(name, Arithmetic(team, &GemmF32));
  if (name == "gemm_bf16") return JsonObject().Number(name, Arithmetic(team, &GemmBf16));
  throw std::runtime_error("probe N copy_nt, gemm_f32 or gemm_bf16");
}

}  // namespace
}  // namespace aclimb::bench

int main(int argc, char** argv) {
  using namespace aclimb::bench;
  if (argc == 2 && std::strcmp(argv[1], "--serve") == 0) {
    return Serve({
        {"info", [](const Words&) { return JsonObject().Text("name", "limits"); }},
        {"measure", [](const Words& words) { return Measure(ThreadsOf(words)); }},
        {"probe", Probe},
    });
  }
  if (argc != 1) {
    std::fprintf(stderr, "usage: aclimb_limits [--serve]\n");
    return 2;
  }
  const int cores = AvailableCores();
  std::vector<std::string> json = {Measure(1).str()};
  if (cores > 1) json.push_back(Measure(cores).str());
  std::printf("{\"limits\": %s}\n", JsonArray(json).c_str());
  return 0;
}
