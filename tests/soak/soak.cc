// Runs the operators from several threads over several streams for a long time, and compares every
// result with the first one of the same problem, bit for bit.
//
//   aclimb_soak SECONDS [SEED]     half of the time without the checker, half under it
//
// Exit status 1 when a result differs, a call fails, the checker finds something, or resident
// memory grows once every problem has been seen, for which the first half must be long enough.
// There are more problems of each operator than phase 1 remembers, so that plans are dropped and
// made to the end.

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclimb/truth/all_operators.h"
#include "tests/soak/problem.h"

namespace aclimb::testing {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kThreads = 4;
constexpr int kStreams = 3;  // of each thread
constexpr int kProblems = 1500;
constexpr int kBatch = 4;          // calls between two synchronisations
constexpr int kParts = 20;         // of the time, after each of which memory is looked at
constexpr double kMostGrowth = 1;  // MiB, in the second half of the parts

// A problem with what its first run gave.
struct Entry {
  std::unique_ptr<const SoakProblem> problem;
  size_t kind = 0;  // of AllOperators()
  uint64_t seed = 0;
  std::mutex mutex;
  std::vector<std::vector<unsigned char>> first;  // under mutex; one for each output
};

class Pool {
 public:
  explicit Pool(uint64_t seed) : seed_(seed << 32) {}
  // Each problem once, in order, and then any.
  Entry& Take(uint64_t random) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (entries_.size() == kProblems) return entries_[random % kProblems];
    Entry& entry = entries_.emplace_back();
    entry.kind = entries_.size() % AllOperators().size();
    entry.seed = seed_ + entries_.size();
    entry.problem = MakeSoakProblem(*AllOperators()[entry.kind], entry.seed);
    return entry;
  }
  size_t made() const { return entries_.size(); }

 private:
  const uint64_t seed_;
  std::mutex mutex_;
  std::deque<Entry> entries_;
};

struct Counts {
  std::vector<std::atomic<uint64_t>> calls =
      std::vector<std::atomic<uint64_t>>(AllOperators().size());
  std::atomic<uint64_t> compared{0};
  std::atomic<uint64_t> differences{0};
  std::atomic<uint64_t> failures{0};
};

bool Ok(int code, const char* call, Counts& counts) {
  if (code == 0) return true;
  if (counts.failures.fetch_add(1) < 10) {
    std::fprintf(stderr, "FAILED: %s: %d %s\n", call, code, aclGetRecentErrMsg());
  }
  return false;
}
#define OK(call) Ok((call), #call, counts_)

// One call under way, with memory and descriptors of its own.
class Call {
 public:
  Call(Entry& entry, Counts& counts) : entry_(entry), counts_(counts) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    for (aclTensor* tensor : tensors_) OK(aclDestroyTensor(tensor));
    for (void* memory : memory_) OK(aclrtFree(memory));
    if (workspace_ != nullptr) OK(aclrtFree(workspace_));
  }

  bool Queue(aclrtStream stream) {
    for (const SoakTensor& tensor : entry_.problem->tensors) {
      if (!Upload(tensor)) return false;
    }
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    if (!OK(entry_.problem->Plan(tensors_, &size, &executor))) return false;
    if (size > 0 && !OK(aclrtMalloc(&workspace_, size, ACL_MEM_MALLOC_HUGE_FIRST))) return false;
    if (!OK(entry_.problem->Run(workspace_, size, executor, stream))) return false;
    counts_.calls[entry_.kind].fetch_add(1);
    return true;
  }

  // After the stream was waited for.
  void Compare() {
    std::vector<std::vector<unsigned char>> outputs;
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const SoakTensor& tensor = entry_.problem->tensors[i];
      if (!tensor.values.empty()) continue;
      std::vector<unsigned char>& bytes = outputs.emplace_back(tensor.bytes);
      if (!OK(aclrtMemcpy(bytes.data(), bytes.size(), memory_[i], bytes.size(),
                          ACL_MEMCPY_DEVICE_TO_HOST))) {
        return;
      }
    }
    const std::lock_guard<std::mutex> lock(entry_.mutex);
    if (entry_.first.empty()) {
      entry_.first = std::move(outputs);
      return;
    }
    counts_.compared.fetch_add(1);
    if (outputs == entry_.first) return;
    if (counts_.differences.fetch_add(1) < 10) {
      std::fprintf(stderr, "FAILED: %s of seed %llu differs from its first result\n",
                   entry_.problem->entry->contract->function,
                   static_cast<unsigned long long>(entry_.seed));
    }
  }

 private:
  bool Upload(const SoakTensor& tensor) {
    void* memory = nullptr;
    if (!OK(aclrtMalloc(&memory, tensor.bytes, ACL_MEM_MALLOC_HUGE_FIRST))) return false;
    memory_.push_back(memory);
    // An output is not what an earlier call may have left in the memory.
    const int code = tensor.values.empty() ? aclrtMemset(memory, tensor.bytes, 0xA5, tensor.bytes)
                                           : aclrtMemcpy(memory, tensor.bytes, tensor.values.data(),
                                                         tensor.bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    if (!Ok(code, "upload", counts_)) return false;
    std::vector<int64_t> strides(tensor.shape.size(), 1);
    for (size_t i = strides.size(); i > 1; --i)
      strides[i - 2] = strides[i - 1] * tensor.shape[i - 1];
    tensors_.push_back(aclCreateTensor(tensor.shape.data(), tensor.shape.size(), tensor.dtype,
                                       strides.data(), 0, tensor.format, tensor.shape.data(),
                                       tensor.shape.size(), memory));
    return true;
  }

  Entry& entry_;
  Counts& counts_;
  std::vector<void*> memory_;
  std::vector<aclTensor*> tensors_;
  void* workspace_ = nullptr;
};

void Work(int number, uint64_t seed, Clock::time_point end, Pool& pool, Counts& counts_) {
  if (!OK(aclrtSetDevice(0))) return;
  aclrtStream streams[kStreams] = {};
  for (aclrtStream& stream : streams) OK(aclrtCreateStream(&stream));
  std::mt19937_64 random(seed * kThreads + static_cast<uint64_t>(number));
  while (Clock::now() < end && counts_.failures == 0) {
    std::vector<std::unique_ptr<Call>> calls;
    bool queued = true;
    for (uint64_t left = 1 + random() % kBatch; left > 0 && queued; --left) {
      calls.push_back(std::make_unique<Call>(pool.Take(random()), counts_));
      queued = calls.back()->Queue(streams[random() % kStreams]);
    }
    for (aclrtStream stream : streams) OK(aclrtSynchronizeStream(stream));
    if (!queued) break;
    for (const auto& call : calls) call->Compare();
  }
  for (aclrtStream stream : streams) OK(aclrtDestroyStream(stream));
  OK(aclrtResetDevice(0));
}

// Touches more device memory than the calls take together. How much they take at a time is chance,
// and would rise by a huge page now and then for hours.
bool TouchMemory(Counts& counts_) {
  constexpr struct {
    size_t bytes;
    int count;
  } kBlocks[] = {{size_t{2} << 20, 96}, {size_t{1} << 19, 192}};  // 288 MiB
  std::vector<void*> memory;
  bool ok = true;
  for (const auto& blocks : kBlocks) {
    for (int i = 0; i < blocks.count && ok; ++i) {
      void*& made = memory.emplace_back(nullptr);
      ok = OK(aclrtMalloc(&made, blocks.bytes, ACL_MEM_MALLOC_HUGE_FIRST)) &&
           OK(aclrtMemset(made, blocks.bytes, 0, blocks.bytes));
    }
  }
  for (void* made : memory) {
    if (made != nullptr) OK(aclrtFree(made));
  }
  return ok;
}

// What the program has of the device's memory at the moment.
size_t DeviceBytesInUse(Counts& counts_) {
  size_t free = 0, total = 0;
  OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
  return total - free;
}

// What the heap holds free is not counted: how much that is depends on which calls ran together.
double ResidentMib() {
  malloc_trim(0);
  long pages = 0;
  std::ifstream statm("/proc/self/statm");
  statm >> pages >> pages;
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// One half of the time, in a process of its own.
int Half(const char* name, int seconds, uint64_t seed) {
  Counts counts_;
  if (!OK(aclInit(nullptr)) || !OK(aclrtSetDevice(0))) return 1;
  const Clock::time_point begin = Clock::now();
  Pool pool(seed);
  if (!TouchMemory(counts_)) return 1;
  std::vector<double> resident;  // after each part, when nothing is under way
  bool settled = false;          // every problem had been made a part before the second half
  size_t left = 0;               // bytes of device memory in use then, which should be none
  for (int part = 1; part <= kParts; ++part) {
    const auto end = begin + std::chrono::milliseconds(seconds * 1000) * part / kParts;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back(Work, part * kThreads + i, seed, end, std::ref(pool), std::ref(counts_));
    }
    for (std::thread& thread : threads) thread.join();
    resident.push_back(ResidentMib());
    if (part < kParts / 2) settled = pool.made() == kProblems;
    left = std::max(left, DeviceBytesInUse(counts_));
  }
  const double took = std::chrono::duration<double>(Clock::now() - begin).count();
  OK(aclrtResetDevice(0));
  OK(aclFinalize());

  uint64_t calls = 0;
  for (const auto& count : counts_.calls) calls += count;
  std::printf("%s: %d threads, %d streams, %.0f s\n", name, kThreads, kThreads * kStreams, took);
  std::printf("  calls        %llu, %.0f a second\n", static_cast<unsigned long long>(calls),
              static_cast<double>(calls) / took);
  for (size_t i = 0; i < AllOperators().size(); ++i) {
    std::printf("    %-40s %llu\n", AllOperators()[i]->contract->function,
                static_cast<unsigned long long>(counts_.calls[i].load()));
  }
  std::printf("  problems     %zu\n", pool.made());
  std::printf("  compared     %llu, %llu differ\n",
              static_cast<unsigned long long>(counts_.compared.load()),
              static_cast<unsigned long long>(counts_.differences.load()));
  std::printf("  failed calls %llu\n", static_cast<unsigned long long>(counts_.failures.load()));
  std::printf("  resident MiB");
  for (const double mib : resident) std::printf(" %.2f", mib);
  std::printf(" (after each %dth of the time)\n", kParts);
  std::fflush(stdout);
  if (left > 0) std::fprintf(stderr, "FAILED: %zu bytes of device memory stay in use\n", left);
  // The first half is for what settles: plans, threads' memory.
  const double growth = resident.back() - resident[kParts / 2 - 1];
  if (settled) {
    std::printf("  growth MiB   %.2f in the second half\n", growth);
  } else {
    std::fprintf(stderr, "FAILED: growth is not judged: %zu of %d problems are not enough\n",
                 pool.made(), kProblems);
  }
  const bool grows = growth >= kMostGrowth;
  if (settled && grows) {
    std::fprintf(stderr, "FAILED: resident memory grows by %.2f MiB\n", growth);
  }
  std::fflush(stdout);
  return counts_.differences > 0 || counts_.failures > 0 || left > 0 || !settled || grows ? 1 : 0;
}

bool RunsHalf(const char* self, const char* name, const char* check, const std::string& seconds,
              const std::string& seed) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("ACLIMB_CHECK", check, 1);
    setenv("ACLIMB_MUTE", "check/data/index-range", 0);  // some calls have such indices
    setenv("ACLIMB_MEMORY", "512M", 0);  // bounds what the checker keeps of freed memory
    execl(self, self, "--half", name, seconds.c_str(), seed.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return false;
  const bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!ok) std::fprintf(stderr, "FAILED: %s ends with wait status %d\n", name, status);
  return ok;
}

int Main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "--half") {
    return Half(argv[2], std::atoi(argv[3]), std::strtoull(argv[4], nullptr, 10));
  }
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 0;
  if (seconds < 2 || argc > 3) {
    std::fputs("usage: aclimb_soak SECONDS [SEED]   (at least 2 seconds)\n", stderr);
    return 2;
  }
  const std::string half = std::to_string(seconds / 2);
  const std::string seed = argc > 2 ? argv[2] : "1";
  const bool plain = RunsHalf("/proc/self/exe", "without the checker", "0", half, seed);
  const bool checked = RunsHalf("/proc/self/exe", "under the checker", "1", half, seed);
  return plain && checked ? 0 : 1;
}

}  // namespace
}  // namespace aclimb::testing

int main(int argc, char** argv) { return aclimb::testing::Main(argc, argv); }
