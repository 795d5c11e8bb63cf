// Trains a small convolutional network to read digits (digits.h).
#include "digits.h"

const int kEpochs = 6;
const int64_t kUnseen = 1000;  // samples that it does not learn from
const double kWantedAccuracy = 0.95;

int TrainDigits(aclrtStream stream) {
  Random random;
  const Samples training = Draw(&random, kTraining), unseen = Draw(&random, kUnseen);
  Device device;
  device.stream = stream;
  Network network(device, kBatch, kLearningRate);
  if (network.Create(&random) != 0) return 1;
  std::printf("A convolutional network learns digits of 8 x 8 pixels, %d at a time\n",
              static_cast<int>(kBatch));
  double accuracy = 0;
  for (int epoch = 1; epoch <= kEpochs; ++epoch) {
    double sum = 0;
    int steps = 0;
    for (int64_t at = 0; at < kTraining; at += kBatch, ++steps) {
      float loss = 0;
      if (network.Gradients(training, at) != 0 || network.Step(&loss) != 0) return 1;
      sum += loss;
    }
    if (network.Test(unseen, &accuracy) != 0) return 1;
    std::printf("epoch %d: loss %.4f, %5.1f %% of unseen digits read right\n", epoch, sum / steps,
                100 * accuracy);
  }
  const bool passed = accuracy >= kWantedAccuracy;
  std::printf("  %s: expected at least %.0f %%\n\n", passed ? "PASS" : "FAIL",
              100 * kWantedAccuracy);
  if (network.Destroy() != 0) return 1;
  return passed ? 0 : 1;
}

int main() {
  CHECK_ACL(aclInit(nullptr));
  CHECK_ACL(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  CHECK_ACL(aclrtCreateStream(&stream));

  const int failed = TrainDigits(stream);

  CHECK_ACL(aclrtDestroyStream(stream));
  CHECK_ACL(aclrtResetDevice(0));
  CHECK_ACL(aclFinalize());
  return failed;
}
