// Trains the network of digits.h on several ranks at once: each takes its share of every batch, and
// the gradients are averaged by HcclAllReduce, so that all ranks make the same steps as one rank
// would that takes the whole batch.
//
//   train_digits_ranks <file>
//
// Every process runs the same line. Which rank it is, and of how many, says its environment: RANK
// and WORLD_SIZE, as torchrun sets them, or what mpirun sets. They meet by a file that all of them
// see; rank 0 writes it. train_digits_ranks.sh starts them from a shell.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "digits.h"
#include "hccl/hccl.h"

const int kSteps = 60;

// For use in a function that returns 0 for success.
#define CHECK_HCCL(call)                                                                           \
  do {                                                                                             \
    const HcclResult check_code = (call);                                                          \
    if (check_code != HCCL_SUCCESS) {                                                              \
      std::fprintf(stderr, "%s\n  failed with %d: %s\n", #call, check_code, aclGetRecentErrMsg()); \
      return 1;                                                                                    \
    }                                                                                              \
  } while (false)

int NumberOf(const char* name, const char* other_name, int otherwise) {
  const char* value = std::getenv(name);
  if (value == nullptr) value = std::getenv(other_name);
  return value != nullptr ? std::atoi(value) : otherwise;
}

// Rank 0 makes the root info, and the others wait for its file.
int ShareRootInfo(int rank, const std::string& file, HcclRootInfo* info) {
  if (rank == 0) {
    CHECK_HCCL(HcclGetRootInfo(info));
    const std::string part = file + ".part";
    std::ofstream(part, std::ios::binary).write(info->internal, sizeof(info->internal));
    return std::rename(part.c_str(), file.c_str());
  }
  while (access(file.c_str(), R_OK) != 0) usleep(10000);
  std::ifstream(file, std::ios::binary).read(info->internal, sizeof(info->internal));
  return 0;
}

int Train(int rank, int ranks, const std::string& file) {
  aclrtStream stream = nullptr;
  CHECK_ACL(aclrtCreateStream(&stream));
  HcclRootInfo info;
  if (ShareRootInfo(rank, file, &info) != 0) return 1;
  HcclComm comm = nullptr;
  CHECK_HCCL(HcclCommInitRootInfo(static_cast<uint32_t>(ranks), &info, static_cast<uint32_t>(rank),
                                  &comm));
  // All ranks have read the file: it must not be there when the next run begins.
  if (rank == 0) std::remove(file.c_str());

  // All ranks draw the same samples and the same first parameters.
  Random random;
  const Samples training = Draw(&random, kTraining);
  Device device;
  device.stream = stream;
  const int64_t share = kBatch / ranks;
  // The sum of the ranks' gradients is as many times their mean.
  Network network(device, share, kLearningRate / static_cast<float>(ranks));
  if (network.Create(&random) != 0) return 1;
  for (int step = 0; step < kSteps; ++step) {
    if (network.Gradients(training, step * kBatch + rank * share) != 0) return 1;
    // Behind the gradients on the stream, and before the step: no need to wait for either.
    for (Parameter* parameter : network.Parameters()) {
      CHECK_HCCL(HcclAllReduce(parameter->gradient.address, parameter->gradient.address,
                               static_cast<uint64_t>(parameter->count), HCCL_DATA_TYPE_FP32,
                               HCCL_REDUCE_SUM, comm, stream));
    }
    CHECK_HCCL(HcclAllReduce(network.loss().address, network.loss().address, 1, HCCL_DATA_TYPE_FP32,
                             HCCL_REDUCE_SUM, comm, stream));
    float loss = 0;
    if (network.Step(&loss) != 0) return 1;
    if (rank == 0) std::printf("step %d: loss %.7f\n", step, loss / static_cast<float>(ranks));
  }
  CHECK_HCCL(HcclCommDestroy(comm));
  if (network.Destroy() != 0) return 1;
  CHECK_ACL(aclrtDestroyStream(stream));
  return 0;
}

int main(int count, char** arguments) {
  const int rank = NumberOf("RANK", "OMPI_COMM_WORLD_RANK", 0);
  const int ranks = NumberOf("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", 1);
  if (count != 2 || ranks < 1 || kBatch % ranks != 0) {
    std::fprintf(stderr,
                 "usage: RANK=0 WORLD_SIZE=1 train_digits_ranks <file>\n"
                 "The file does not exist yet. WORLD_SIZE divides %d, the images of a step.\n",
                 static_cast<int>(kBatch));
    return 2;
  }
  CHECK_ACL(aclInit(nullptr));
  CHECK_ACL(aclrtSetDevice(0));
  const int failed = Train(rank, ranks, arguments[1]);
  CHECK_ACL(aclrtResetDevice(0));
  CHECK_ACL(aclFinalize());
  return failed;
}
