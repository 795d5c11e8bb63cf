/* Operators by their type names, called in C as torch_npu calls them: descriptors with a format and
 * a storage, sizes and axes as tensors in host memory, attributes of N, C and the spatial
 * dimensions. */

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "acl/acl_op.h"
#include "acl/acl_op_compiler.h"

static int failures = 0;

#define CHECK(condition)                                                               \
  do {                                                                                 \
    if (!(condition)) {                                                                \
      printf("%s:%d: %s\n%s\n", __FILE__, __LINE__, #condition, aclGetRecentErrMsg()); \
      ++failures;                                                                      \
    }                                                                                  \
  } while (0)

enum { kMost = 4096 };

typedef struct Tensor {
  aclTensorDesc* desc;
  aclDataBuffer* buffer;
  void* device; /* null: in host memory */
  int64_t count;
} Tensor;

static int64_t CountOf(int rank, const int64_t* dims) {
  int64_t count = 1;
  for (int d = 0; d < rank; ++d) count *= dims[d];
  return count;
}

/* FLOAT in device memory, with or without values. */
static Tensor OnDevice(const char* name, int rank, const int64_t* dims, aclFormat format,
                       const float* values) {
  Tensor tensor;
  tensor.count = CountOf(rank, dims);
  const size_t bytes = (size_t)tensor.count * sizeof(float);
  CHECK(aclrtMalloc(&tensor.device, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  CHECK(aclrtMemset(tensor.device, bytes, 0xC3, bytes) == 0);
  if (values != NULL) {
    CHECK(aclrtMemcpy(tensor.device, bytes, values, bytes, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
  }
  tensor.desc = aclCreateTensorDesc(ACL_FLOAT, rank, dims, ACL_FORMAT_NCHW);
  CHECK(aclSetTensorFormat(tensor.desc, format) == 0);
  CHECK(aclSetTensorShape(tensor.desc, rank, dims) == 0);
  if (*name != '\0') aclSetTensorDescName(tensor.desc, name);
  tensor.buffer = aclCreateDataBuffer(tensor.device, bytes);
  return tensor;
}

static Tensor OnHost(aclDataType dtype, int64_t count, void* values) {
  Tensor tensor;
  tensor.count = count;
  tensor.device = NULL;
  tensor.desc = aclCreateTensorDesc(dtype, 1, &count, ACL_FORMAT_ND);
  CHECK(aclSetTensorPlaceMent(tensor.desc, ACL_MEMTYPE_HOST) == 0);
  tensor.buffer =
      aclCreateDataBuffer(values, (size_t)count * (dtype == ACL_INT64 ? sizeof(int64_t) : 4));
  return tensor;
}

static void Destroy(Tensor tensor) {
  aclDestroyTensorDesc(tensor.desc);
  CHECK(aclDestroyDataBuffer(tensor.buffer) == 0);
  if (tensor.device != NULL) CHECK(aclrtFree(tensor.device) == 0);
}

static int Execute(const char* type, int count, const Tensor* inputs, Tensor output,
                   const aclopAttr* attributes, aclrtStream stream) {
  const aclTensorDesc* descs[4];
  const aclDataBuffer* buffers[4];
  for (int i = 0; i < count; ++i) {
    descs[i] = inputs[i].desc;
    buffers[i] = inputs[i].buffer;
  }
  const aclTensorDesc* out_desc = output.desc;
  aclDataBuffer* out_buffer = output.buffer;
  return aclopCompileAndExecute(type, count, descs, buffers, 1, &out_desc, &out_buffer, attributes,
                                ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
}

static void ExpectValues(Tensor tensor, const float* expected, aclrtStream stream) {
  static float got[kMost];
  const size_t bytes = (size_t)tensor.count * sizeof(float);
  CHECK(aclrtSynchronizeStream(stream) == 0);
  CHECK(aclrtMemcpy(got, bytes, tensor.device, bytes, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
  for (int64_t i = 0; i < tensor.count; ++i) {
    /* NaN is not close to anything. */
    if (!(fabsf(got[i] - expected[i]) <= 1e-4f)) {
      printf("element %d is %g; expected %g\n", (int)i, (double)got[i], (double)expected[i]);
      ++failures;
      return;
    }
  }
}

/* The last call was refused, and the message has this in it. */
static void ExpectRefused(int code, const char* part) {
  const char* message = aclGetRecentErrMsg();
  if (code != ACL_ERROR_API_NOT_SUPPORT || strstr(message, part) == NULL ||
      strstr(message, "runtime/aclop/arguments") == NULL) {
    printf("code %d; expected %d and \"%s\" in\n%s\n", code, ACL_ERROR_API_NOT_SUPPORT, part,
           message);
    ++failures;
  }
}

/* [2, 4, 6, 5] by [6, 2, 3, 2] in two groups to [2, 6, 4, 3]: strides 2 and 3, padding 1 and 2,
 * dilations 1 and 2. */
enum { kN = 2, kIn = 4, kH = 6, kW = 5, kOut = 6, kKh = 3, kKw = 2, kOutH = 3, kOutW = 3 };
enum { kStrideH = 2, kStrideW = 3, kPadH = 1, kPadW = 2, kDilationH = 1, kDilationW = 2 };
enum { kGroups = 2, kInGroup = kIn / kGroups, kOutGroup = kOut / kGroups };

static const int64_t kXDims[] = {kN, kIn, kH, kW};
static const int64_t kFilterDims[] = {kOut, kInGroup, kKh, kKw};
static const int64_t kBiasDims[] = {kOut};
static const int64_t kYDims[] = {kN, kOut, kOutH, kOutW};

static float x[kN * kIn * kH * kW], filter[kOut * kInGroup * kKh * kKw], bias[kOut];
static float y[kN * kOut * kOutH * kOutW];

/* Calls for every pair of an element of x and one of the filter that meet in an element of y. */
static void EachTerm(void (*use)(int x_at, int filter_at, int y_at)) {
  for (int n = 0; n < kN; ++n)
    for (int o = 0; o < kOut; ++o)
      for (int oh = 0; oh < kOutH; ++oh)
        for (int ow = 0; ow < kOutW; ++ow)
          for (int i = 0; i < kInGroup; ++i)
            for (int kh = 0; kh < kKh; ++kh)
              for (int kw = 0; kw < kKw; ++kw) {
                const int h = oh * kStrideH - kPadH + kh * kDilationH;
                const int w = ow * kStrideW - kPadW + kw * kDilationW;
                if (h < 0 || h >= kH || w < 0 || w >= kW) continue;
                const int channel = o / kOutGroup * kInGroup + i;
                use(((n * kIn + channel) * kH + h) * kW + w,
                    ((o * kInGroup + i) * kKh + kh) * kKw + kw,
                    ((n * kOut + o) * kOutH + oh) * kOutW + ow);
              }
}

static float sums[kMost];
static void AddToY(int x_at, int filter_at, int y_at) { sums[y_at] += x[x_at] * filter[filter_at]; }
static void AddToX(int x_at, int filter_at, int y_at) { sums[x_at] += y[y_at] * filter[filter_at]; }
static void AddToFilter(int x_at, int filter_at, int y_at) { sums[filter_at] += y[y_at] * x[x_at]; }

static void Fill(float* values, int count, int seed) {
  for (int i = 0; i < count; ++i) values[i] = (float)((i * 37 + seed * 11) % 17 - 8) / 4;
}

static aclopAttr* Attributes(void) {
  const int64_t strides[] = {1, 1, kStrideH, kStrideW};
  const int64_t pads[] = {kPadH, kPadH, kPadW, kPadW};
  const int64_t dilations[] = {1, 1, kDilationH, kDilationW};
  aclopAttr* attributes = aclopCreateAttr();
  CHECK(aclopSetAttrListInt(attributes, "strides", 4, strides) == 0);
  CHECK(aclopSetAttrListInt(attributes, "pads", 4, pads) == 0);
  CHECK(aclopSetAttrListInt(attributes, "dilations", 4, dilations) == 0);
  CHECK(aclopSetAttrInt(attributes, "groups", kGroups) == 0);
  CHECK(aclopSetAttrString(attributes, "data_format", "NCHW") == 0);
  return attributes;
}

static void TestForward(aclrtStream stream, int with_bias) {
  aclopAttr* attributes = Attributes();
  const Tensor inputs[] = {OnDevice("x", 4, kXDims, ACL_FORMAT_NCHW, x),
                           OnDevice("filter", 4, kFilterDims, ACL_FORMAT_NCHW, filter),
                           OnDevice("", 1, kBiasDims, ACL_FORMAT_ND, bias)};
  const Tensor output = OnDevice("", 4, kYDims, ACL_FORMAT_ND, NULL);
  CHECK(Execute("Conv2D", with_bias ? 3 : 2, inputs, output, attributes, stream) == 0);
  memset(sums, 0, sizeof(sums));
  EachTerm(&AddToY);
  for (int i = 0; with_bias && i < (int)output.count; ++i) {
    sums[i] += bias[i / (kOutH * kOutW) % kOut];
  }
  ExpectValues(output, sums, stream);
  for (int i = 0; i < 3; ++i) Destroy(inputs[i]);
  Destroy(output);
  aclopDestroyAttr(attributes);
}

static void TestGradients(aclrtStream stream) {
  aclopAttr* attributes = Attributes();
  const Tensor x_tensor = OnDevice("x", 4, kXDims, ACL_FORMAT_NCHW, x);
  const Tensor filter_tensor = OnDevice("filter", 4, kFilterDims, ACL_FORMAT_NCHW, filter);
  const Tensor grad = OnDevice("out_backprop", 4, kYDims, ACL_FORMAT_ND, y);
  const Tensor grad_x = OnDevice("", 4, kXDims, ACL_FORMAT_ND, NULL);
  const Tensor grad_filter = OnDevice("", 4, kFilterDims, ACL_FORMAT_NCHW, NULL);
  int32_t sizes[] = {kN, kIn, kH, kW};
  const Tensor sizes_tensor = OnHost(ACL_INT32, 4, sizes);
  const Tensor of_x[] = {sizes_tensor, filter_tensor, grad};
  CHECK(Execute("Conv2DBackpropInput", 3, of_x, grad_x, attributes, stream) == 0);
  memset(sums, 0, sizeof(sums));
  EachTerm(&AddToX);
  ExpectValues(grad_x, sums, stream);

  int32_t filter_sizes[] = {kOut, kInGroup, kKh, kKw};
  const Tensor filter_sizes_tensor = OnHost(ACL_INT32, 4, filter_sizes);
  const Tensor of_filter[] = {x_tensor, filter_sizes_tensor, grad};
  CHECK(Execute("Conv2DBackpropFilter", 3, of_filter, grad_filter, attributes, stream) == 0);
  memset(sums, 0, sizeof(sums));
  EachTerm(&AddToFilter);
  ExpectValues(grad_filter, sums, stream);

  /* The input's gradient is a transposed convolution, of another spelling. */
  const Tensor transposed[] = {sizes_tensor, grad, filter_tensor};
  /* The stride leaves out the last row and takes in the last column. */
  const int64_t output_padding[] = {0, 0, 1, 0};
  CHECK(aclopSetAttrListInt(attributes, "output_padding", 4, output_padding) == 0);
  CHECK(aclrtMemset(grad_x.device, sizeof(x), 0xC3, sizeof(x)) == 0);
  CHECK(Execute("Conv2DTranspose", 3, transposed, grad_x, attributes, stream) == 0);
  memset(sums, 0, sizeof(sums));
  EachTerm(&AddToX);
  ExpectValues(grad_x, sums, stream);

  filter_sizes[0] = 7;
  aclopAttr* others = Attributes();
  ExpectRefused(Execute("Conv2DBackpropFilter", 3, of_filter, grad_filter, others, stream),
                "input 1, [7, 2, 3, 2], to be the shape of output 0, [6, 2, 3, 2]");
  aclopDestroyAttr(others);
  Destroy(x_tensor);
  Destroy(filter_tensor);
  Destroy(grad);
  Destroy(grad_x);
  Destroy(grad_filter);
  Destroy(sizes_tensor);
  Destroy(filter_sizes_tensor);
  aclopDestroyAttr(attributes);
}

/* The gradient of a bias: a sum over images and places. */
static void TestSum(aclrtStream stream) {
  const int64_t dims[] = {kN, kOut, kOutH * kOutW}, out_dims[] = {kOut};
  int64_t axes[] = {0, 2};
  aclopAttr* attributes = aclopCreateAttr();
  CHECK(aclopSetAttrBool(attributes, "keep_dims", 0) == 0);
  /* The framework's own attributes do not matter. */
  CHECK(aclopSetAttrBool(attributes, "_performance_prior", 1) == 0);
  const Tensor inputs[] = {OnDevice("", 3, dims, ACL_FORMAT_ND, y), OnHost(ACL_INT64, 2, axes)};
  const Tensor output = OnDevice("", 1, out_dims, ACL_FORMAT_NCHW, NULL);
  CHECK(Execute("ReduceSum", 2, inputs, output, attributes, stream) == 0);
  memset(sums, 0, sizeof(sums));
  for (int i = 0; i < (int)inputs[0].count; ++i) sums[i / (kOutH * kOutW) % kOut] += y[i];
  ExpectValues(output, sums, stream);

  const Tensor on_device[] = {inputs[0], output};
  ExpectRefused(Execute("ReduceSum", 2, on_device, output, attributes, stream),
                "to be a vector of INT32 or INT64");
  ExpectRefused(Execute("ReduceSum", 1, inputs, output, attributes, stream), "2 inputs");
  CHECK(aclopSetAttrInt(attributes, "keep_dims", 1) == 0);
  ExpectRefused(Execute("ReduceSum", 2, inputs, output, attributes, stream),
                "keep_dims to be a flag");
  Destroy(inputs[0]);
  Destroy(inputs[1]);
  Destroy(output);
  aclopDestroyAttr(attributes);
}

static void TestRefusals(aclrtStream stream) {
  aclopAttr* attributes = Attributes();
  const Tensor inputs[] = {OnDevice("x", 4, kXDims, ACL_FORMAT_NCHW, x),
                           OnDevice("filter", 4, kFilterDims, ACL_FORMAT_NCHW, filter)};
  const Tensor output = OnDevice("", 4, kYDims, ACL_FORMAT_ND, NULL);
  /* What the functions of aclnnop/ refuse, they tell. */
  const int64_t none[] = {0, 0, 0, 0};
  CHECK(aclopSetAttrListInt(attributes, "pads", 4, none) == 0);
  const int code = Execute("Conv2D", 2, inputs, output, attributes, stream);
  CHECK(code == 161002 && strstr(aclGetRecentErrMsg(), "output.shape is [2, 6, 3, 3]") != NULL);
  CHECK(aclopSetAttrListInt(attributes, "pads", 2, none) == 0);
  ExpectRefused(Execute("Conv2D", 2, inputs, output, attributes, stream), "pads with 4 entries");
  CHECK(aclopSetAttrListInt(attributes, "pads", 4, none) == 0);
  CHECK(aclopSetAttrListInt(attributes, "strides", 4, none) == 0);
  ExpectRefused(Execute("Conv2D", 2, inputs, output, attributes, stream), "strides with 4 entries");
  const int64_t ones[] = {1, 1, 1, 1};
  CHECK(aclopSetAttrListInt(attributes, "strides", 4, ones) == 0);
  CHECK(aclopSetAttrString(attributes, "data_format", "NHWC") == 0);
  ExpectRefused(Execute("Conv2D", 2, inputs, output, attributes, stream), "data_format to be NCHW");
  CHECK(aclopSetAttrString(attributes, "data_format", "NCHW") == 0);
  CHECK(aclopSetAttrInt(attributes, "offset_x", 1) == 0);
  ExpectRefused(Execute("Conv2D", 2, inputs, output, attributes, stream), "no attribute offset_x");
  aclopDestroyAttr(attributes);
  attributes = Attributes();
  CHECK(aclSetTensorFormat(output.desc, ACL_FORMAT_HWCN) == 0);
  ExpectRefused(Execute("Conv2D", 2, inputs, output, attributes, stream),
                "expected output 0 stored densely, or as NC1HWC0");
  Destroy(inputs[0]);
  Destroy(inputs[1]);
  Destroy(output);
  aclopDestroyAttr(attributes);
}

static void TestSmallBuffers(aclrtStream stream) {
  aclopAttr* attributes = Attributes();
  Tensor inputs[] = {OnDevice("x", 4, kXDims, ACL_FORMAT_NCHW, x),
                     OnDevice("filter", 4, kFilterDims, ACL_FORMAT_NCHW, filter)};
  Tensor output = OnDevice("", 4, kYDims, ACL_FORMAT_ND, NULL);
  Tensor* const tensors[] = {&inputs[0], &inputs[1], &output};
  const char* const parts[] = {"input 0 (x) has a data buffer of",
                               "input 1 (filter) has a data buffer of",
                               "output 0 has a data buffer of"};
  for (int i = 0; i < 3; ++i) {
    aclDataBuffer* const right = tensors[i]->buffer;
    tensors[i]->buffer = aclCreateDataBuffer(tensors[i]->device, (size_t)tensors[i]->count * 4 - 1);
    CHECK(Execute("Conv2D", 2, inputs, output, attributes, stream) == 107000);
    const char* message = aclGetRecentErrMsg();
    if (strstr(message, parts[i]) == NULL || strstr(message, "runtime/aclop/buffer") == NULL) {
      printf("expected \"%s\" in\n%s\n", parts[i], message);
      ++failures;
    }
    CHECK(aclDestroyDataBuffer(tensors[i]->buffer) == 0);
    tensors[i]->buffer = right;
  }
  for (int i = 0; i < 2; ++i) Destroy(inputs[i]);
  Destroy(output);
  aclopDestroyAttr(attributes);
}

static void CountCall(void* calls) { ++*(int*)calls; }

/* Work stands before the operator until this thread itself lets it go on. */
static void TestNobodyWaits(aclrtStream stream) {
  const uint64_t self = (uint64_t)pthread_self();
  int calls = 0;
  CHECK(aclrtSubscribeReport(self, stream) == 0);
  CHECK(aclrtLaunchCallback(&CountCall, &calls, ACL_CALLBACK_BLOCK, stream) == 0);
  aclopAttr* attributes = Attributes();
  int32_t filter_sizes[] = {kOut, kInGroup, kKh, kKw};
  const Tensor inputs[] = {OnDevice("x", 4, kXDims, ACL_FORMAT_NCHW, x),
                           OnHost(ACL_INT32, 4, filter_sizes),
                           OnDevice("out_backprop", 4, kYDims, ACL_FORMAT_ND, y)};
  const Tensor output = OnDevice("", 4, kFilterDims, ACL_FORMAT_NCHW, NULL);
  CHECK(Execute("Conv2DBackpropFilter", 3, inputs, output, attributes, stream) == 0);
  CHECK(calls == 0);
  CHECK(aclrtProcessReport(-1) == 0);
  CHECK(calls == 1);
  memset(sums, 0, sizeof(sums));
  EachTerm(&AddToFilter);
  ExpectValues(output, sums, stream);
  CHECK(aclrtUnSubscribeReport(self, stream) == 0);
  for (int i = 0; i < 3; ++i) Destroy(inputs[i]);
  Destroy(output);
  aclopDestroyAttr(attributes);
}

int main(void) {
  aclrtStream stream;
  CHECK(aclInit(NULL) == 0);
  CHECK(aclrtSetDevice(0) == 0);
  CHECK(aclrtCreateStream(&stream) == 0);
  Fill(x, kN * kIn * kH * kW, 1);
  Fill(filter, kOut * kInGroup * kKh * kKw, 2);
  Fill(bias, kOut, 3);
  Fill(y, kN * kOut * kOutH * kOutW, 4);
  TestForward(stream, 0);
  TestForward(stream, 1);
  TestGradients(stream);
  TestSum(stream);
  TestRefusals(stream);
  TestSmallBuffers(stream);
  TestNobodyWaits(stream);
  CHECK(aclrtDestroyStream(stream) == 0);
  CHECK(aclrtResetDevice(0) == 0);
  CHECK(aclFinalize() == 0);
  if (failures == 0) printf("passed\n");
  return failures == 0 ? 0 : 1;
}
