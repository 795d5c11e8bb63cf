// aclnnConvolutionBackward: all three gradients of a grouped 2-D convolution with a different
// stride and dilation for each dimension and different padding on each side.
#include <numeric>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "check.h"
#include "report.h"
#include "tensor.h"

// first, first + 1, ...
std::vector<float> Ramp(size_t count, float first) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

int ConvolutionBackward(aclrtStream stream) {
  const int groups = 2;
  const std::vector<int64_t> grad_output_dims = {1, 2, 2, 4};
  const std::vector<int64_t> input_dims = {1, 2, 3, 3};
  const std::vector<int64_t> weight_dims = {2, 1, 2, 2};
  const std::vector<float> grad_output_host = Ramp(16, 1.0f);
  const std::vector<float> input_host = Ramp(18, 1.0f);
  const std::vector<float> weight_host = Ramp(8, 1.0f);
  std::vector<float> grad_input_host(18, kUntouched);
  std::vector<float> grad_weight_host(8, kUntouched);
  std::vector<float> grad_bias_host(2, kUntouched);

  Tensor grad_output, input, weight, grad_input, grad_weight, grad_bias;
  const aclFormat nchw = ACL_FORMAT_NCHW;
  if (CreateTensor(grad_output_host, grad_output_dims, ACL_FLOAT, nchw, &grad_output) != 0 ||
      CreateTensor(input_host, input_dims, ACL_FLOAT, nchw, &input) != 0 ||
      CreateTensor(weight_host, weight_dims, ACL_FLOAT, nchw, &weight) != 0 ||
      CreateTensor(grad_input_host, input_dims, ACL_FLOAT, nchw, &grad_input) != 0 ||
      CreateTensor(grad_weight_host, weight_dims, ACL_FLOAT, nchw, &grad_weight) != 0 ||
      CreateTensor(grad_bias_host, {2}, ACL_FLOAT, ACL_FORMAT_ND, &grad_bias) != 0) {
    return 1;
  }
  const std::vector<int64_t> bias_sizes_host = {2};
  const std::vector<int64_t> stride_host = {2, 1};
  const std::vector<int64_t> padding_host = {1, 0, 2, 1};  // top, bottom, left, right
  const std::vector<int64_t> dilation_host = {1, 2};
  const std::vector<int64_t> output_padding_host = {0, 0};
  const bool output_mask_host[3] = {true, true, true};
  aclIntArray* bias_sizes = aclCreateIntArray(bias_sizes_host.data(), bias_sizes_host.size());
  aclIntArray* stride = aclCreateIntArray(stride_host.data(), stride_host.size());
  aclIntArray* padding = aclCreateIntArray(padding_host.data(), padding_host.size());
  aclIntArray* dilation = aclCreateIntArray(dilation_host.data(), dilation_host.size());
  aclIntArray* output_padding =
      aclCreateIntArray(output_padding_host.data(), output_padding_host.size());
  aclBoolArray* output_mask = aclCreateBoolArray(output_mask_host, 3);

  // Phase 1 checks the arguments and says how much workspace the computation needs.
  const bool transposed = false;
  const int8_t keep_dtype = 0;
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  CHECK_ACL(aclnnConvolutionBackwardGetWorkspaceSize(
      grad_output.handle, input.handle, weight.handle, bias_sizes, stride, padding, dilation,
      transposed, output_padding, groups, output_mask, keep_dtype, grad_input.handle,
      grad_weight.handle, grad_bias.handle, &workspace_size, &executor));
  void* workspace = nullptr;
  if (workspace_size > 0) {
    CHECK_ACL(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
  }

  // Phase 2 queues it on the stream.
  CHECK_ACL(aclnnConvolutionBackward(workspace, workspace_size, executor, stream));
  CHECK_ACL(aclrtSynchronizeStream(stream));
  if (ReadTensor(grad_input, &grad_input_host) != 0 ||
      ReadTensor(grad_weight, &grad_weight_host) != 0 ||
      ReadTensor(grad_bias, &grad_bias_host) != 0) {
    return 1;
  }

  std::printf("aclnnConvolutionBackward, groups 2, stride 2 1, padding 1 0 2 1, dilation 1 2\n");
  Print("gradOutput", grad_output_host, 4);
  Print("input", input_host, 3);
  Print("weight", weight_host, 2);
  int failed = Compare("gradInput", grad_input_host,
                       {13, 20, 12, 17, 20, 14, 41, 48, 28,  //
                        149, 164, 88, 153, 164, 90, 209, 224, 120},
                       3);
  failed += Compare("gradWeight", grad_weight_host, {68, 92, 124, 160, 419, 590, 754, 1048}, 2);
  failed += Compare("gradBias", grad_bias_host, {36, 100}, 2);

  if (workspace != nullptr) {
    CHECK_ACL(aclrtFree(workspace));
  }
  CHECK_ACL(aclDestroyBoolArray(output_mask));
  for (aclIntArray* array : {bias_sizes, stride, padding, dilation, output_padding}) {
    CHECK_ACL(aclDestroyIntArray(array));
  }
  for (Tensor* tensor : {&grad_output, &input, &weight, &grad_input, &grad_weight, &grad_bias}) {
    if (DestroyTensor(tensor) != 0) {
      return 1;
    }
  }
  return failed == 0 ? 0 : 1;
}

int main() {
  CHECK_ACL(aclInit(nullptr));
  CHECK_ACL(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  CHECK_ACL(aclrtCreateStream(&stream));

  const int failed = ConvolutionBackward(stream);

  CHECK_ACL(aclrtDestroyStream(stream));
  CHECK_ACL(aclrtResetDevice(0));
  CHECK_ACL(aclFinalize());
  return failed;
}
