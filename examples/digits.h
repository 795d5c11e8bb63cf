// A small convolutional network that reads digits, written against aclnn alone: forward pass, loss,
// backward pass and the steps of stochastic gradient descent are operators.
//
//   images [N, 1, 8, 8] - convolution 3x3 - Elu - convolution 3x3, stride 2 - Elu - linear - digits
//
// The digits are drawn here: ten glyphs of 5 x 7 pixels, moved, faded and covered with noise.
#ifndef EXAMPLES_DIGITS_H_
#define EXAMPLES_DIGITS_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_cross_entropy_loss.h"
#include "aclnnop/aclnn_cross_entropy_loss_grad.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "check.h"
#include "tensor.h"

const int64_t kSide = 8;
const int64_t kBatch = 50;  // images of one step
const int64_t kClasses = 10;
const int64_t kFirst = 8;              // channels of the first convolution
const int64_t kSecond = 16;            // of the second one, whose images are half as wide
const int64_t kFeatures = 16 * 4 * 4;  // of an image, for the linear layer
const int64_t kTraining = 6000;        // samples
const float kLearningRate = 0.2f;

// ---- Data

// Numbers of [0, 1), the same in every run.
class Random {
 public:
  double Next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) / 9007199254740992.0;
  }
  // About normally distributed, with variance 1.
  double Normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += Next();
    return sum;
  }

 private:
  uint64_t state_ = 1;
};

const char* const kGlyphs[kClasses] = {
    " ### #   ##  ### # ###  ##   # ### ", "  #   ##    #    #    #    #   ### ",
    " ### #   #    #   #   #   #   #####", " ### #   #    #  ##     ##   # ### ",
    "   #   ##  # # #  # #####   #    # ", "######    ####     #    ##   # ### ",
    "  ##  #   #    #### #   ##   # ### ", "#####    #   #   #   #    #    #   ",
    " ### #   ##   # ### #   ##   # ### ", " ### #   ##   # ####    #   #  ##  "};

struct Samples {
  std::vector<float> images;    // [count, 1, 8, 8]
  std::vector<int64_t> digits;  // [count]
};

inline Samples Draw(Random* random, int64_t count) {
  Samples samples;
  for (int64_t n = 0; n < count; ++n) {
    const int digit = static_cast<int>(random->Next() * kClasses);
    const int left = static_cast<int>(random->Next() * 4);  // 5 of 8 columns
    const int top = static_cast<int>(random->Next() * 2);   // 7 of 8 rows
    const double ink = 0.6 + 0.4 * random->Next();
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const int row = y - top, column = x - left;
        const bool inside = row >= 0 && row < 7 && column >= 0 && column < 5;
        const bool set = inside && kGlyphs[digit][row * 5 + column] == '#';
        samples.images.push_back(static_cast<float>((set ? ink : 0) + 0.2 * random->Normal()));
      }
    }
    samples.digits.push_back(digit);
  }
  return samples;
}

// ---- Calls

// One workspace for all calls: they follow each other on one stream.
struct Device {
  aclrtStream stream = nullptr;
  void* workspace = nullptr;
  uint64_t workspace_size = 0;

  int Reserve(uint64_t size) {
    if (size <= workspace_size) return 0;
    CHECK_ACL(aclrtSynchronizeStream(stream));
    if (workspace != nullptr) CHECK_ACL(aclrtFree(workspace));
    CHECK_ACL(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    workspace_size = size;
    return 0;
  }
};

// Both phases of an operator: RUN(aclnnMm, self, mat2, out, cubeMathType).
#define RUN(op, ...)                                                          \
  do {                                                                        \
    uint64_t run_size = 0;                                                    \
    aclOpExecutor* run_executor = nullptr;                                    \
    CHECK_ACL(op##GetWorkspaceSize(__VA_ARGS__, &run_size, &run_executor));   \
    if (device_.Reserve(run_size) != 0) return 1;                             \
    CHECK_ACL(op(device_.workspace, run_size, run_executor, device_.stream)); \
  } while (false)

// ---- The network

inline int CreateZeros(const std::vector<int64_t>& shape, Tensor* tensor) {
  int64_t count = 1;
  for (size_t d = 0; d < shape.size(); ++d) count *= shape[d];
  return CreateTensor(std::vector<float>(static_cast<size_t>(count)), shape, ACL_FLOAT,
                      shape.size() == 4 ? ACL_FORMAT_NCHW : ACL_FORMAT_ND, tensor);
}

// A parameter and its gradient.
struct Parameter {
  Tensor value;
  Tensor gradient;
  int64_t count = 1;  // of elements

  int Create(Random* random, const std::vector<int64_t>& shape, double deviation) {
    if (CreateZeros(shape, &gradient) != 0) return 1;
    for (size_t d = 0; d < shape.size(); ++d) count *= shape[d];
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i) {
      values.push_back(static_cast<float>(deviation * random->Normal()));
    }
    return CreateTensor(values, shape, ACL_FLOAT,
                        shape.size() == 4 ? ACL_FORMAT_NCHW : ACL_FORMAT_ND, &value);
  }
  int Destroy() { return DestroyTensor(&value) != 0 || DestroyTensor(&gradient) != 0 ? 1 : 0; }
};

// Another view of a tensor's memory: a matrix of `rows` x `columns`, or its transpose.
inline aclTensor* Matrix(const Tensor& tensor, int64_t rows, int64_t columns, bool transposed) {
  const int64_t dense[] = {rows, columns};
  const int64_t shape[] = {transposed ? columns : rows, transposed ? rows : columns};
  const int64_t strides[] = {transposed ? 1 : columns, transposed ? columns : 1};
  return aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, dense, 2, tensor.address);
}

// A convolution by a window of 3 x 3, padded so that a stride of 1 keeps the size, and Elu.
class Layer {
 public:
  Layer(const Device& device, int64_t batch, int64_t in, int64_t out, int64_t side, int64_t stride)
      : batch_(batch), in_(in), out_(out), side_(side), stride_(stride), device_(device) {}

  int Create(Random* random) {
    const double deviation = std::sqrt(2.0 / static_cast<double>(9 * in_));
    if (weight_.Create(random, {out_, in_, 3, 3}, deviation) != 0 ||
        bias_.Create(random, {out_}, 0) != 0) {
      return 1;
    }
    const std::vector<int64_t> shape = {batch_, out_, side_ / stride_, side_ / stride_};
    if (CreateZeros(shape, &sum_) != 0 || CreateZeros(shape, &output_) != 0 ||
        CreateZeros(shape, &sum_gradient_) != 0 || CreateZeros(shape, &output_gradient_) != 0) {
      return 1;
    }
    const int64_t strides[] = {stride_, stride_}, ones[] = {1, 1}, zeros[] = {0, 0};
    strides_ = aclCreateIntArray(strides, 2);
    ones_ = aclCreateIntArray(ones, 2);
    zeros_ = aclCreateIntArray(zeros, 2);
    bias_sizes_ = aclCreateIntArray(&out_, 1);
    float one = 1.0f;
    one_ = aclCreateScalar(&one, ACL_FLOAT);
    return 0;
  }

  int Forward(const Tensor& input) {
    RUN(aclnnConvolution, input.handle, weight_.value.handle, bias_.value.handle, strides_, ones_,
        ones_, false, zeros_, 1, sum_.handle, 0);
    RUN(aclnnElu, sum_.handle, one_, one_, one_, output_.handle);
    return 0;
  }

  // From output_gradient() to the gradients of the parameters and, unless null, of the input.
  int Backward(const Tensor& input, const Tensor* input_gradient) {
    RUN(aclnnEluBackward, output_gradient_.handle, one_, one_, one_, /*isResult=*/true,
        output_.handle, sum_gradient_.handle);
    const bool wanted[] = {input_gradient != nullptr, true, true};
    aclBoolArray* const mask = aclCreateBoolArray(wanted, 3);
    RUN(aclnnConvolutionBackward, sum_gradient_.handle, input.handle, weight_.value.handle,
        bias_sizes_, strides_, ones_, ones_, false, zeros_, 1, mask, 0,
        input_gradient != nullptr ? input_gradient->handle : nullptr, weight_.gradient.handle,
        bias_.gradient.handle);
    CHECK_ACL(aclDestroyBoolArray(mask));
    return 0;
  }

  int Step(const aclScalar* minus_rate) {
    RUN(aclnnInplaceAdd, weight_.value.handle, weight_.gradient.handle, minus_rate);
    RUN(aclnnInplaceAdd, bias_.value.handle, bias_.gradient.handle, minus_rate);
    return 0;
  }

  void AddParameters(std::vector<Parameter*>* all) {
    all->push_back(&weight_);
    all->push_back(&bias_);
  }
  const Tensor& output() const { return output_; }
  const Tensor& output_gradient() const { return output_gradient_; }
  Device& device() { return device_; }

  int Destroy() {
    for (Tensor* tensor : {&sum_, &output_, &sum_gradient_, &output_gradient_}) {
      if (DestroyTensor(tensor) != 0) return 1;
    }
    for (const aclIntArray* array : {strides_, ones_, zeros_, bias_sizes_}) {
      CHECK_ACL(aclDestroyIntArray(array));
    }
    CHECK_ACL(aclDestroyScalar(one_));
    if (device_.workspace != nullptr) CHECK_ACL(aclrtFree(device_.workspace));
    return weight_.Destroy() != 0 || bias_.Destroy() != 0 ? 1 : 0;
  }

 private:
  const int64_t batch_, in_, out_, side_, stride_;
  Device device_;
  Parameter weight_, bias_;
  Tensor sum_, output_, sum_gradient_, output_gradient_;
  aclIntArray* strides_ = nullptr;
  aclIntArray* ones_ = nullptr;
  aclIntArray* zeros_ = nullptr;
  aclIntArray* bias_sizes_ = nullptr;
  aclScalar* one_ = nullptr;
};

class Network {
 public:
  // Reads `batch` images at a time, and learns `rate` times the gradient at each step.
  Network(const Device& device, int64_t batch, float rate)
      : batch_(batch),
        rate_(rate),
        device_(device),
        first_(device, batch, 1, kFirst, kSide, 1),
        second_(device, batch, kFirst, kSecond, kSide, 2) {}

  int Create(Random* random) {
    if (first_.Create(random) != 0 || second_.Create(random) != 0 ||
        weight_.Create(random, {kFeatures, kClasses}, std::sqrt(1.0 / kFeatures)) != 0 ||
        bias_.Create(random, {1, kClasses}, 0) != 0) {
      return 1;
    }
    const size_t pixels = static_cast<size_t>(batch_ * kSide * kSide);
    if (CreateTensor(std::vector<float>(pixels), {batch_, 1, kSide, kSide}, ACL_FLOAT,
                     ACL_FORMAT_NCHW, &images_) != 0 ||
        CreateTensor(std::vector<int64_t>(batch_), {batch_}, ACL_INT64, ACL_FORMAT_ND, &digits_) !=
            0 ||
        CreateTensor(std::vector<int64_t>(batch_), {batch_}, ACL_INT64, ACL_FORMAT_ND, &read_) !=
            0 ||
        CreateZeros({batch_, kClasses}, &logits_) != 0 ||
        CreateZeros({batch_, kClasses}, &log_prob_) != 0 ||
        CreateZeros({batch_, kClasses}, &logits_gradient_) != 0 || CreateZeros({}, &loss_) != 0 ||
        CreateTensor(std::vector<float>(1, 1.0f), {}, ACL_FLOAT, ACL_FORMAT_ND, &one_) != 0) {
      return 1;
    }
    features_ = Matrix(second_.output(), batch_, kFeatures, false);
    features_transposed_ = Matrix(second_.output(), batch_, kFeatures, true);
    features_gradient_ = Matrix(second_.output_gradient(), batch_, kFeatures, false);
    weight_transposed_ = Matrix(weight_.value, kFeatures, kClasses, true);
    const int64_t zero = 0;
    rows_ = aclCreateIntArray(&zero, 1);
    float rate = -rate_, unit = 1.0f;
    minus_rate_ = aclCreateScalar(&rate, ACL_FLOAT);
    unit_ = aclCreateScalar(&unit, ACL_FLOAT);
    return 0;
  }

  // Reads the images from `at` on: `logits_` says how likely each digit is.
  int Forward(const Samples& samples, int64_t at) {
    const size_t pixels = static_cast<size_t>(batch_ * kSide * kSide) * sizeof(float);
    const size_t labels = static_cast<size_t>(batch_) * sizeof(int64_t);
    CHECK_ACL(aclrtSynchronizeStream(device_.stream));
    CHECK_ACL(aclrtMemcpy(images_.address, pixels, &samples.images[at * kSide * kSide], pixels,
                          ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK_ACL(aclrtMemcpy(digits_.address, labels, &samples.digits[at], labels,
                          ACL_MEMCPY_HOST_TO_DEVICE));
    if (first_.Forward(images_) != 0 || second_.Forward(first_.output()) != 0) return 1;
    RUN(aclnnAddmm, bias_.value.handle, features_, weight_.value.handle, unit_, unit_,
        logits_.handle, 0);
    return 0;
  }

  // The gradients of all parameters for the images from `at` on, and the loss.
  int Gradients(const Samples& samples, int64_t at) {
    if (Forward(samples, at) != 0) return 1;
    char mean[] = "mean";
    RUN(aclnnCrossEntropyLoss, logits_.handle, digits_.handle, nullptr, mean, -100, 0.0, 0.0, false,
        loss_.handle, log_prob_.handle, nullptr, nullptr);
    RUN(aclnnCrossEntropyLossGrad, one_.handle, log_prob_.handle, digits_.handle, nullptr, nullptr,
        nullptr, mean, -100, 0.0, 0.0, logits_gradient_.handle);
    RUN(aclnnMm, features_transposed_, logits_gradient_.handle, weight_.gradient.handle, 0);
    RUN(aclnnReduceSum, logits_gradient_.handle, rows_, true, ACL_FLOAT, bias_.gradient.handle);
    RUN(aclnnMm, logits_gradient_.handle, weight_transposed_, features_gradient_, 0);
    if (second_.Backward(first_.output(), &first_.output_gradient()) != 0 ||
        first_.Backward(images_, nullptr) != 0) {
      return 1;
    }
    return 0;
  }

  // One step of stochastic gradient descent; `loss` is what it was before.
  int Step(float* loss) {
    RUN(aclnnInplaceAdd, weight_.value.handle, weight_.gradient.handle, minus_rate_);
    RUN(aclnnInplaceAdd, bias_.value.handle, bias_.gradient.handle, minus_rate_);
    if (first_.Step(minus_rate_) != 0 || second_.Step(minus_rate_) != 0) return 1;
    CHECK_ACL(aclrtSynchronizeStream(device_.stream));
    std::vector<float> value(1);
    if (ReadTensor(loss_, &value) != 0) return 1;
    *loss = value[0];
    return 0;
  }

  std::vector<Parameter*> Parameters() {
    std::vector<Parameter*> all = {&weight_, &bias_};
    first_.AddParameters(&all);
    second_.AddParameters(&all);
    return all;
  }
  const Tensor& loss() const { return loss_; }

  // The share of digits that are read right.
  int Test(const Samples& samples, double* accuracy) {
    int64_t right = 0;
    const int64_t count = static_cast<int64_t>(samples.digits.size());
    for (int64_t at = 0; at + batch_ <= count; at += batch_) {
      if (Forward(samples, at) != 0) return 1;
      RUN(aclnnArgMax, logits_.handle, 1, false, read_.handle);
      CHECK_ACL(aclrtSynchronizeStream(device_.stream));
      std::vector<int64_t> read(batch_);
      if (ReadTensor(read_, &read) != 0) return 1;
      for (int64_t i = 0; i < batch_; ++i) right += read[i] == samples.digits[at + i] ? 1 : 0;
    }
    *accuracy = static_cast<double>(right) / static_cast<double>(count);
    return 0;
  }

  int Destroy() {
    if (first_.Destroy() != 0 || second_.Destroy() != 0 || weight_.Destroy() != 0 ||
        bias_.Destroy() != 0) {
      return 1;
    }
    for (Tensor* tensor :
         {&images_, &digits_, &read_, &logits_, &log_prob_, &logits_gradient_, &loss_, &one_}) {
      if (DestroyTensor(tensor) != 0) return 1;
    }
    for (const aclTensor* view :
         {features_, features_transposed_, features_gradient_, weight_transposed_}) {
      CHECK_ACL(aclDestroyTensor(view));
    }
    CHECK_ACL(aclDestroyIntArray(rows_));
    CHECK_ACL(aclDestroyScalar(minus_rate_));
    CHECK_ACL(aclDestroyScalar(unit_));
    if (device_.workspace != nullptr) CHECK_ACL(aclrtFree(device_.workspace));
    return 0;
  }

 private:
  const int64_t batch_;
  const float rate_;
  Device device_;
  Layer first_, second_;
  Parameter weight_, bias_;
  Tensor images_, digits_, read_, logits_, log_prob_, logits_gradient_, loss_, one_;
  aclTensor* features_ = nullptr;
  aclTensor* features_transposed_ = nullptr;
  aclTensor* features_gradient_ = nullptr;
  aclTensor* weight_transposed_ = nullptr;
  aclIntArray* rows_ = nullptr;
  aclScalar* minus_rate_ = nullptr;
  aclScalar* unit_ = nullptr;
};

#endif  // EXAMPLES_DIGITS_H_
