// Compares HcclAllReduce with Gloo called directly, in turns, on the same ranks.
//
//   RANK=0 WORLD_SIZE=2 aclimb_collectives_bench <new folder that all ranks see> [<largest bytes>]
//
// Rank 0 prints, for each number of bytes, the median time of one operation by either, and the
// bandwidth as the bytes that it reduces in a second. An operation of HCCL is queued and waited
// for.

#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
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

// Microseconds of one of `times` operations.
template <typename Run>
double Time(int times, Run&& run) {
  const auto start = Clock::now();
  for (int i = 0; i < times; ++i) run();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / times;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int count, char** arguments) {
  const char* const rank_text = std::getenv("RANK");
  const char* const size_text = std::getenv("WORLD_SIZE");
  if (count < 2 || rank_text == nullptr || size_text == nullptr) {
    std::fprintf(stderr, "usage: RANK=0 WORLD_SIZE=2 aclimb_collectives_bench FOLDER [BYTES]\n");
    return 2;
  }
  const int rank = std::atoi(rank_text), size = std::atoi(size_text);
  const size_t most = count > 2 ? std::strtoull(arguments[2], nullptr, 0) : size_t{256} << 20;
  const std::string folder = arguments[1];

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
    std::printf("%12s %14s %14s %10s %12s %12s\n", "bytes", "HCCL us", "Gloo us", "more us",
                "HCCL MB/s", "Gloo MB/s");
  }
  for (size_t bytes = 4; bytes <= most; bytes *= 4) {
    const size_t elements = bytes / sizeof(float);
    const int times = bytes <= (64 << 10) ? 200 : bytes <= (4 << 20) ? 20 : 2;
    std::vector<double> by_hccl, by_gloo;
    for (int turn = 0; turn < 8; ++turn) {
      const double one = Time(times, [&] { hccl.Run(elements); });
      const double other = Time(times, [&] { direct.Run(elements); });
      if (turn == 0) continue;  // the first touches the memory
      by_hccl.push_back(one);
      by_gloo.push_back(other);
    }
    if (rank != 0) continue;
    const double a = Median(by_hccl), b = Median(by_gloo);
    std::printf("%12zu %14.1f %14.1f %10.1f %12.1f %12.1f\n", bytes, a, b, a - b,
                static_cast<double>(bytes) / a, static_cast<double>(bytes) / b);
    std::fflush(stdout);
  }
  Check(HcclCommDestroy(hccl.comm), "HcclCommDestroy");
  return 0;
}
