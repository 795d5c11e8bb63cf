#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_cross_entropy_loss_grad.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "aclnnop/aclnn_roi_align_v2_backward.h"
#include "tests/support/device.h"

// One small valid call of each operator with everything it needs, so that a test can make nothing
// but the call itself.
namespace aclimb::testing {

class OperatorCall {
 public:
  explicit OperatorCall(std::string name) : name_(std::move(name)) {}
  virtual ~OperatorCall() = default;
  OperatorCall(const OperatorCall&) = delete;
  OperatorCall& operator=(const OperatorCall&) = delete;

  const std::string& name() const { return name_; }
  virtual aclnnStatus Plan(uint64_t* size, aclOpExecutor** executor) const = 0;
  virtual aclnnStatus Run(void* workspace, uint64_t size, aclOpExecutor* executor,
                          aclrtStream stream) const = 0;

  // Phase 1 and its workspace, once: later calls need as much.
  void Prepare() {
    aclOpExecutor* executor = nullptr;
    ACLIMB_EXPECT_OK(Plan(&size_, &executor));
    ACLIMB_EXPECT_OK(aclDestroyAclOpExecutor(executor));
    workspace_ = std::make_unique<Workspace>(size_);
  }
  // Makes the calls that follow equal to those of the same `variant` alone: phase 1 has not seen
  // others. Says of an output's storage that it has another shape, which changes nothing else.
  void Vary(int64_t variant) const {
    const DeviceTensor& tensor = output();
    const std::vector<int64_t>& shape = tensor.shape();
    aclDataType dtype = ACL_DT_UNDEFINED;
    aclFormat format = ACL_FORMAT_UNDEFINED;
    ACLIMB_EXPECT_OK(aclGetDataType(tensor, &dtype));
    ACLIMB_EXPECT_OK(aclGetFormat(tensor, &format));
    ACLIMB_EXPECT_OK(aclInitTensor(tensor, shape.data(), shape.size(), dtype, nullptr, 0, format,
                                   &variant, 1, tensor.data()));
  }
  virtual const DeviceTensor& output() const = 0;

  // Both phases; the stream is not synchronised.
  aclnnStatus Call(aclrtStream stream) const {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus code = Plan(&size, &executor);
    return code != 0 ? code : Run(executor, stream);
  }
  aclnnStatus Run(aclOpExecutor* executor, aclrtStream stream) const {
    return Run(workspace_->get(), size_, executor, stream);
  }

 private:
  std::string name_;
  uint64_t size_ = 0;
  std::unique_ptr<Workspace> workspace_;
};

class EluCall final : public OperatorCall {
 public:
  EluCall() : OperatorCall("elu") {}
  aclnnStatus Plan(uint64_t* size, aclOpExecutor** executor) const override {
    return aclnnEluBackwardGetWorkspaceSize(grad_, one_, one_, one_, false, self_, out_, size,
                                            executor);
  }
  aclnnStatus Run(void* workspace, uint64_t size, aclOpExecutor* executor,
                  aclrtStream stream) const override {
    return aclnnEluBackward(workspace, size, executor, stream);
  }
  const DeviceTensor& output() const override { return out_; }

 private:
  Scalar one_{1.0f};
  DeviceTensor grad_{{16}, DType::kFloat32, std::vector<double>(16, 2)};
  DeviceTensor self_{{16}, DType::kFloat32, std::vector<double>(16, 1)};
  DeviceTensor out_{{16}, DType::kFloat32};
};

class CrossEntropyCall final : public OperatorCall {
 public:
  CrossEntropyCall() : OperatorCall("cross entropy") {}
  aclnnStatus Plan(uint64_t* size, aclOpExecutor** executor) const override {
    return aclnnCrossEntropyLossGradGetWorkspaceSize(grad_, log_prob_, target_, weight_, nullptr,
                                                     nullptr, mean_, -100, 0.0, 0.0, out_, size,
                                                     executor);
  }
  aclnnStatus Run(void* workspace, uint64_t size, aclOpExecutor* executor,
                  aclrtStream stream) const override {
    return aclnnCrossEntropyLossGrad(workspace, size, executor, stream);
  }
  const DeviceTensor& output() const override { return out_; }

 private:
  mutable char mean_[5] = "mean";
  DeviceTensor grad_{{}, DType::kFloat32, {1}};
  DeviceTensor log_prob_{{2, 3}, DType::kFloat32, {-1, -2, -3, -3, -2, -1}};
  DeviceTensor target_{{2}, DType::kInt64, {0, 2}};
  DeviceTensor weight_{{3}, DType::kFloat32, {1, 2, 3}};
  DeviceTensor out_{{2, 3}, DType::kFloat32};
};

class RoiAlignCall final : public OperatorCall {
 public:
  RoiAlignCall() : OperatorCall("roi align") {}
  aclnnStatus Plan(uint64_t* size, aclOpExecutor** executor) const override {
    return aclnnRoiAlignV2BackwardGetWorkspaceSize(grad_, boxes_, shape_, 2, 2, 0.5f, 2, true, out_,
                                                   size, executor);
  }
  aclnnStatus Run(void* workspace, uint64_t size, aclOpExecutor* executor,
                  aclrtStream stream) const override {
    return aclnnRoiAlignV2Backward(workspace, size, executor, stream);
  }
  const DeviceTensor& output() const override { return out_; }

 private:
  IntArray shape_{std::vector<int64_t>{1, 2, 8, 8}};
  DeviceTensor grad_{
      {1, 2, 2, 2}, DType::kFloat32, std::vector<double>(8, 1), {.format = ACL_FORMAT_NCHW}};
  DeviceTensor boxes_{{1, 5}, DType::kFloat32, {0, 1, 1, 9, 9}};
  DeviceTensor out_{{1, 2, 8, 8}, DType::kFloat32, {}, {.format = ACL_FORMAT_NCHW}};
};

class EmbeddingCall final : public OperatorCall {
 public:
  EmbeddingCall() : OperatorCall("embedding") {}
  aclnnStatus Plan(uint64_t* size, aclOpExecutor** executor) const override {
    return aclnnEmbeddingDenseBackwardGetWorkspaceSize(grad_, indices_, 6, 0, true, out_, size,
                                                       executor);
  }
  aclnnStatus Run(void* workspace, uint64_t size, aclOpExecutor* executor,
                  aclrtStream stream) const override {
    return aclnnEmbeddingDenseBackward(workspace, size, executor, stream);
  }
  const DeviceTensor& output() const override { return out_; }

 private:
  DeviceTensor grad_{{4, 3}, DType::kFloat32, std::vector<double>(12, 1)};
  DeviceTensor indices_{{4}, DType::kInt64, {1, 5, 1, 3}};
  DeviceTensor out_{{6, 3}, DType::kFloat32};
};

class ConvolutionCall final : public OperatorCall {
 public:
  // With more channels and pixels, oneDNN computes it.
  explicit ConvolutionCall(int64_t channels = 16, int64_t extent = 8)
      : OperatorCall("convolution"), channels_(channels), extent_(extent) {}
  aclnnStatus Plan(uint64_t* size, aclOpExecutor** executor) const override {
    return aclnnConvolutionBackwardGetWorkspaceSize(grad_, input_, weight_, sizes_, one_, one_,
                                                    one_, false, zero_, 1, all_, 0, grad_input_,
                                                    grad_weight_, grad_bias_, size, executor);
  }
  aclnnStatus Run(void* workspace, uint64_t size, aclOpExecutor* executor,
                  aclrtStream stream) const override {
    return aclnnConvolutionBackward(workspace, size, executor, stream);
  }
  const DeviceTensor& output() const override { return grad_input_; }

 private:
  DeviceTensor Image(const std::vector<double>& values) const {
    return {{1, channels_, extent_, extent_}, DType::kFloat32, values};
  }
  DeviceTensor Weight(const std::vector<double>& values) const {
    return {{channels_, channels_, 3, 3}, DType::kFloat32, values};
  }
  static std::vector<double> Ones(int64_t count) {
    return std::vector<double>(static_cast<size_t>(count), 1);
  }

  int64_t channels_;
  int64_t extent_;
  IntArray one_{std::vector<int64_t>{1, 1}};
  IntArray zero_{std::vector<int64_t>{0, 0}};
  IntArray sizes_{std::vector<int64_t>{channels_}};
  BoolArray all_{true, true, true};
  DeviceTensor grad_ = Image(Ones(channels_ * extent_ * extent_));
  DeviceTensor input_ = Image(Ones(channels_ * extent_ * extent_));
  DeviceTensor weight_ = Weight(Ones(channels_ * channels_ * 9));
  DeviceTensor grad_input_ = Image({});
  DeviceTensor grad_weight_ = Weight({});
  DeviceTensor grad_bias_{{channels_}, DType::kFloat32};
};

inline std::vector<std::unique_ptr<OperatorCall>> AllOperatorCalls() {
  std::vector<std::unique_ptr<OperatorCall>> calls;
  calls.push_back(std::make_unique<EluCall>());
  calls.push_back(std::make_unique<CrossEntropyCall>());
  calls.push_back(std::make_unique<RoiAlignCall>());
  calls.push_back(std::make_unique<EmbeddingCall>());
  calls.push_back(std::make_unique<ConvolutionCall>());
  for (auto& call : calls) call->Prepare();
  return calls;
}

}  // namespace aclimb::testing
