// Compares HcclAllReduce with Gloo called directly, and with Open MPI where it was there when this
// was built and mpirun starts the ranks: in turns, on the same ranks.
//
//   RANK=0 WORLD_SIZE=2 aclimb_collectives_bench <new folder that all ranks see> [<largest bytes>]
//   mpirun -n 2 aclimb_collectives_bench <new folder> [<largest bytes>]
//
// Rank 0 prints a line for each number of bytes: by each of them the median and the least time of
// one operation in microseconds, and how often a thread of the rank gave up its core in one, in the
// mean; 0 of one that is not there. An operation of HCCL is queued and waited for.
// bench/collectives/measure.py makes the table of docs/hccl.md from these lines.

#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#if ACLIMB_BENCH_MPI
#include <mpi.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"

namespace {

using Clock = std::chrono::steady_clock;

void Check(int code, const char* what) {
  if (code == 0) return;
  std::fprintf(stderr, "%s failed with %d: %s\n", what, code, aclGetRecentErrMsg());
  std::exit(1);
}

HcclRootInfo Share(int rank, const std::string& folder) {
  HcclRootInfo info;
  const std::string file = folder + "/root";
  if (rank == 0) {
    mkdir(folder.c_str(), 0700);
    Check(HcclGetRootInfo(&info), "HcclGetRootInfo");
    std::ofstream(file + ".part", std::ios::binary).write(info.internal, sizeof(info.internal));
    std::rename((file + ".part").c_str(), file.c_str());
    return info;
  }
  while (access(file.c_str(), R_OK) != 0) usleep(1000);
  std::ifstream(file, std::ios::binary).read(info.internal, sizeof(info.internal));
  return info;
}

struct Hccl {
  HcclComm comm = nullptr;
  aclrtStream stream = nullptr;
  void* memory = nullptr;

  void Run(size_t count) const {
    Check(HcclAllReduce(memory, memory, count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream),
          "HcclAllReduce");
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
  }
};

struct Gloo {
  std::shared_ptr<gloo::rendezvous::Context> context;
  std::vector<float> memory;

  void Run(size_t count) {
    gloo::AllreduceOptions options(context);
    options.setOutput(memory.data(), count);
    options.setReduceFunction(
        static_cast<void (*)(void*, const void*, const void*, size_t)>(&gloo::sum<float>));
    gloo::allreduce(options);
  }
};

#if ACLIMB_BENCH_MPI
class Mpi {
 public:
  Mpi(bool there, size_t most) : there_(there) {
    if (!there_) return;
    MPI_Init(nullptr, nullptr);
    memory_.resize(most / sizeof(float));
  }
  ~Mpi() {
    if (there_) MPI_Finalize();
  }
  bool there() const { return there_; }
  void Run(size_t count) {
    MPI_Allreduce(MPI_IN_PLACE, memory_.data(), static_cast<int>(count), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
  }

 private:
  const bool there_;
  std::vector<float> memory_;
};
#else
struct Mpi {
  Mpi(bool, size_t) {}
  bool there() const { return false; }
  void Run(size_t) {}
};
#endif

// How often threads of this process gave up their core, of themselves or not.
double Switches() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_nvcsw + usage.ru_nivcsw);
}

struct Times {
  std::vector<double> all;  // microseconds of each operation
  double switches = 0;

  // `times` operations, behind one that brings the ranks together.
  template <typename Run>
  void Take(int times, Run&& run) {
    run();
    const double before = Switches();
    for (int i = 0; i < times; ++i) {
      const auto start = Clock::now();
      run();
      all.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }
    switches += Switches() - before;
  }

  double Median() {
    if (all.empty()) return 0;
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
  }
  double Least() const { return all.empty() ? 0 : *std::min_element(all.begin(), all.end()); }
  double SwitchesOfOne() const {
    return all.empty() ? 0 : switches / static_cast<double>(all.size());
  }
};

int NumberOf(const char* name, const char* other_name) {
  const char* value = std::getenv(name);
  if (value == nullptr) value = std::getenv(other_name);
  return value != nullptr ? std::atoi(value) : -1;
}

}  // namespace

int main(int count, char** arguments) {
  const int rank = NumberOf("RANK", "OMPI_COMM_WORLD_RANK");
  const int size = NumberOf("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE");
  if (count < 2 || rank < 0 || size < 1) {
    std::fprintf(stderr, "usage: RANK=0 WORLD_SIZE=2 aclimb_collectives_bench FOLDER [BYTES]\n");
    return 2;
  }
  const size_t most = count > 2 ? std::strtoull(arguments[2], nullptr, 0) : size_t{256} << 20;
  const std::string folder = arguments[1];

  Mpi mpi(std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr, most);
  Check(aclrtSetDevice(0), "aclrtSetDevice");
  Hccl hccl;
  Check(aclrtCreateStream(&hccl.stream), "aclrtCreateStream");
  Check(aclrtMalloc(&hccl.memory, most, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  Check(aclrtMemset(hccl.memory, most, 0, most), "aclrtMemset");
  const HcclRootInfo info = Share(rank, folder);
  Check(HcclCommInitRootInfo(static_cast<uint32_t>(size), &info, static_cast<uint32_t>(rank),
                             &hccl.comm),
        "HcclCommInitRootInfo");

  Gloo direct;
  direct.memory.resize(most / sizeof(float));
  gloo::transport::tcp::attr attributes;
  const char* const address = std::getenv("HCCL_IF_IP");
  attributes.hostname = address != nullptr ? address : "127.0.0.1";
  std::shared_ptr<gloo::transport::Device> device = gloo::transport::tcp::CreateDevice(attributes);
  gloo::rendezvous::FileStore store(folder);
  direct.context = std::make_shared<gloo::rendezvous::Context>(rank, size);
  direct.context->connectFullMesh(store, device);

  if (rank == 0) {
    std::printf("%12s", "bytes");
    for (const char* each : {"HCCL", "Gloo", "Open MPI"}) {
      std::printf(" %10s %10s %10s", each, "least", "switches");
    }
    std::printf("\n");
  }
  for (size_t bytes = 4; bytes <= most; bytes *= 4) {
    const size_t elements = bytes / sizeof(float);
    // Short turns: what else runs on the machine then meets all of them alike.
    const int times = bytes <= (64 << 10) ? 100 : bytes <= (1 << 20) ? 40 : 5;
    Times by_hccl, by_gloo, by_mpi;
    const int turns = bytes <= (16 << 20) ? 11 : 3;
    for (int turn = 0; turn < turns; ++turn) {
      // The first touches the memory.
      if (turn == 1) by_hccl = by_gloo = by_mpi = {};
      by_hccl.Take(times, [&] { hccl.Run(elements); });
      // The threads behind it look for more for as long; they are not to disturb the others.
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      by_gloo.Take(times, [&] { direct.Run(elements); });
      if (mpi.there()) by_mpi.Take(times, [&] { mpi.Run(elements); });
    }
    if (rank != 0) continue;
    std::printf("%12zu", bytes);
    for (Times* each : {&by_hccl, &by_gloo, &by_mpi}) {
      std::printf(" %10.1f %10.1f %10.1f", each->Median(), each->Least(), each->SwitchesOfOne());
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  Check(HcclCommDestroy(hccl.comm), "HcclCommDestroy");
  return 0;
}
