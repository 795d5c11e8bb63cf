// One process of team_test: computes one large problem per operator and prints a digest of each
// result, then the number of threads it ended with. ACLIMB_THREADS comes from the environment.

#include <dirent.h>

#include <cstdio>
#include <string>
#include <vector>

#include "aclnnop/aclnn_cross_entropy_loss_grad.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "aclnnop/aclnn_roi_align_v2_backward.h"
#include "tests/support/compare.h"
#include "tests/support/device.h"

namespace aclimb::testing {
namespace {

aclrtStream stream = nullptr;

// FNV-1a over every byte of the result.
void Print(const char* name, int code, const DeviceTensor& result) {
  uint64_t digest = 0xCBF29CE484222325u;
  for (unsigned char byte : result.Bytes()) digest = (digest ^ byte) * 0x100000001B3u;
  std::printf("%s %d %016llx\n", name, code, static_cast<unsigned long long>(digest));
}

void RunElu(DType dtype, Random& random) {
  const int64_t count = 400003;
  const DeviceTensor grad({count}, dtype, random.Reals(count, -4, 4));
  const DeviceTensor self({count}, dtype, random.Reals(count, -4, 4));
  const DeviceTensor out({count}, dtype);
  const Scalar alpha(1.5f);
  const int code = RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnEluBackwardGetWorkspaceSize(grad, alpha, alpha, alpha, false, self, out, size,
                                                executor);
      },
      &aclnnEluBackward, stream);
  Print("elu", code, out);
}

// "mean" divides by a sum over all rows.
void RunCrossEntropy(DType dtype, Random& random) {
  const int64_t rows = 3001;
  const int64_t classes = 101;
  std::vector<double> classes_of_rows;
  for (int64_t i = 0; i < rows; ++i) {
    classes_of_rows.push_back(static_cast<double>(random.Integer(0, classes - 1)));
  }
  const DeviceTensor grad({}, dtype, {3});
  const DeviceTensor log_prob({rows, classes}, dtype, random.Reals(rows * classes, -8, 0));
  const DeviceTensor target({rows}, DType::kInt64, classes_of_rows);
  const DeviceTensor weight({classes}, DType::kFloat32, random.Reals(classes, 0, 2));
  const DeviceTensor out({rows, classes}, dtype);
  char mean[] = "mean";
  const int code = RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnCrossEntropyLossGradGetWorkspaceSize(grad, log_prob, target, weight, nullptr,
                                                         nullptr, mean, 7, 0.0, 0.0, out, size,
                                                         executor);
      },
      &aclnnCrossEntropyLossGrad, stream);
  Print("cross_entropy", code, out);
}

// Overlapping regions of several images.
void RunRoiAlign(Random& random) {
  const int64_t regions = 40;
  std::vector<double> boxes;
  for (int64_t k = 0; k < regions; ++k) {
    const double x = static_cast<double>(random.Integer(0, 100));
    const double y = static_cast<double>(random.Integer(0, 100));
    for (double value : {static_cast<double>(k % 2), x, y, x + 70.3, y + 90.7}) {
      boxes.push_back(value);
    }
  }
  const DeviceTensor grad({regions, 16, 7, 7}, DType::kFloat32,
                          random.Reals(regions * 16 * 49, -2, 2), {.format = ACL_FORMAT_NCHW});
  const DeviceTensor rois({regions, 5}, DType::kFloat32, boxes);
  const DeviceTensor out({2, 16, 50, 48}, DType::kFloat32, {}, {.format = ACL_FORMAT_NCHW});
  const IntArray shape({2, 16, 50, 48});
  const int code = RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnRoiAlignV2BackwardGetWorkspaceSize(grad, rois, shape, 7, 7, 0.25f, 0, true, out,
                                                       size, executor);
      },
      &aclnnRoiAlignV2Backward, stream);
  Print("roi_align", code, out);
}

// A few rows get most of the indices.
void RunEmbedding(DType dtype, Random& random) {
  const int64_t rows = 30011;
  std::vector<double> indices;
  for (int64_t i = 0; i < rows; ++i) {
    indices.push_back(static_cast<double>(random.Integer(0, i % 2 == 0 ? 3 : 999)));
  }
  const DeviceTensor grad({rows, 33}, dtype, random.Reals(rows * 33, -1, 1));
  const DeviceTensor index({rows}, DType::kInt64, indices);
  const DeviceTensor out({1000, 33}, dtype);
  const int code = RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnEmbeddingDenseBackwardGetWorkspaceSize(grad, index, 1000, 5, true, out, size,
                                                           executor);
      },
      &aclnnEmbeddingDenseBackward, stream);
  Print("embedding", code, out);
}

int ThreadCount() {
  int count = 0;
  DIR* const tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return -1;
  while (const dirent* entry = readdir(tasks)) count += entry->d_name[0] != '.' ? 1 : 0;
  closedir(tasks);
  return count;
}

// The library's first call of all is phase 1, as in a program that plans before it initialises.
void PlanFirst() {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const int64_t extent = 3;
  const int64_t one = 1;
  aclTensor* tensor =
      aclCreateTensor(&extent, 1, ACL_FLOAT, &one, 0, ACL_FORMAT_ND, &extent, 1, nullptr);
  const Scalar scale(1.0f);
  const int code = aclnnEluBackwardGetWorkspaceSize(tensor, scale, scale, scale, false, tensor,
                                                    tensor, &size, &executor);
  std::printf("phase1 %d\n%s\n", code, aclGetRecentErrMsg());
}

}  // namespace
}  // namespace aclimb::testing

int main(int count, char** arguments) {
  using namespace aclimb::testing;
  using aclimb::DType;
  if (count > 1 && std::string(arguments[1]) == "phase1") {
    PlanFirst();
    return 0;
  }
  const int code = aclInit(nullptr);
  std::printf("aclInit %d\n%s\n", code, aclGetRecentErrMsg());
  if (code != 0) return 0;
  if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0) return 1;
  Random random(1);
  for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    RunElu(dtype, random);
    RunCrossEntropy(dtype, random);
    RunEmbedding(dtype, random);
  }
  RunRoiAlign(random);
  std::printf("threads %d\n", ThreadCount());
  return 0;
}
