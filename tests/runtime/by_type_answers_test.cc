// Operators by their type names, called as torch_npu calls them for tensors in the chip's own
// formats, against the formulas in double. The formats themselves are tested beside Identity
// (aclimb/ops/copies/by_type_test.cc); here tensors are plain, and FLOAT.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "acl/acl_mdl.h"
#include "tests/runtime/by_type_request.h"

namespace {

using runtime_test::Dims;
using runtime_test::Numbers;
using runtime_test::Request;
using runtime_test::Values;

class Answers : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(aclrtSetDevice(0), 0); }
};

Values Each(const Values& a, const std::function<double(double)>& f) {
  Values result(a);
  std::transform(a.begin(), a.end(), result.begin(), f);
  return result;
}

Values Both(const Values& a, const Values& b, const std::function<double(double, double)>& f) {
  Values result(a);
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), f);
  return result;
}

const Dims kDims = {3, 7};
const Values kX = Numbers(21, 1), kY = Numbers(21, 2);

TEST_F(Answers, FunctionsOfOneTensor) {
  const std::pair<const char*, double (*)(double)> rows[] = {
      {"Abs", [](double x) { return std::abs(x); }},
      {"Relu", [](double x) { return std::max(x, 0.0); }},
      {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"Swish", [](double x) { return x / (1 + std::exp(-x)); }},
      {"Tanh", [](double x) { return std::tanh(x); }},
      {"Exp", [](double x) { return std::exp(x); }},
      {"Neg", [](double x) { return -x; }},
      {"HardSigmoid", [](double x) { return std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
      {"Square", [](double x) { return x * x; }}};
  for (const auto& [type, f] : rows)
    Request(type).Input(kDims, kX).Output(kDims, Each(kX, f)).Run();
  Request("Exp")
      .Input(kDims, kX)
      .Set("base", 2.0f)
      .Output(kDims, kX)
      .ExpectRefused("the attribute base to be -1");
}

TEST_F(Answers, FunctionsOfTwoTensors) {
  const auto request = [](const char* type, double (*f)(double, double)) {
    Request(type).Input(kDims, kX).Input(kDims, kY).Output(kDims, Both(kX, kY, f)).Run();
    // The second is a number in host memory, or what is overwritten.
    Request(type)
        .Input(kDims, kX)
        .Number(1.5f)
        .Output(kDims, Each(kX, [f](double x) { return f(x, 1.5); }))
        .Run();
    Request(type).Input(kDims, kX).Input(kDims, kY).InPlace(kDims, Both(kX, kY, f)).Run();
  };
  request("Add", [](double a, double b) { return a + b; });
  request("Sub", [](double a, double b) { return a - b; });
  request("Mul", [](double a, double b) { return a * b; });
  request("Maximum", [](double a, double b) { return std::max(a, b); });
  Request("RealDiv")
      .Input(kDims, kX)
      .Number(3)
      .Output(kDims, Each(kX, [](double x) { return x / 3; }))
      .Run();
  Request("AxpyV2")
      .Input(kDims, kX)
      .Input(kDims, kY)
      .Number(-2)
      .Output(kDims, Both(kX, kY, [](double a, double b) { return a - 2 * b; }))
      .Run();
  Request("ClipByValueV2")
      .Input(kDims, kX)
      .Number(-1)
      .Number(0.5f)
      .Output(kDims, Each(kX, [](double x) { return std::clamp(x, -1.0, 0.5); }))
      .Run();
  Request("ClipByValueV2")
      .Input(kDims, kX)
      .Input({1}, {-1})
      .Input({1}, {0.5})
      .Output(kDims, Each(kX, [](double x) { return std::clamp(x, -1.0, 0.5); }))
      .Run();
}

TEST_F(Answers, GradientsOfActivations) {
  // Of the result and its gradient.
  Request("SigmoidGrad")
      .Input(kDims, kX)
      .Input(kDims, kY)
      .Output(kDims, Both(kX, kY, [](double y, double grad) { return grad * y * (1 - y); }))
      .Run();
  Request("TanhGrad")
      .Input(kDims, kX)
      .Input(kDims, kY)
      .Output(kDims, Both(kX, kY, [](double y, double grad) { return grad * (1 - y * y); }))
      .Run();
  // Of the result's gradient and x.
  Request("ReluGrad")
      .Input(kDims, kX)
      .Input(kDims, kY)
      .Output(kDims, Both(kX, kY, [](double grad, double x) { return x > 0 ? grad : 0; }))
      .Run();
  Request("LeakyReluGrad")
      .Input(kDims, kX)
      .Input(kDims, kY)
      .Set("negative_slope", 0.25f)
      .Output(kDims, Both(kX, kY, [](double grad, double x) { return x > 0 ? grad : grad / 4; }))
      .Run();
  Request("SiluGrad")
      .Input(kDims, kX)
      .Input(kDims, kY)
      .Output(kDims, Both(kX, kY,
                          [](double grad, double x) {
                            const double s = 1 / (1 + std::exp(-x));
                            return grad * s * (1 + x * (1 - s));
                          }))
      .Run();
  // Of x and the result's gradient.
  Request("HardtanhGrad")
      .Input(kDims, kX)
      .Input(kDims, kY)
      .Set("min_val", -0.53f)
      .Set("max_val", 1.53f)
      .Output(kDims,
              Both(kX, kY, [](double x, double grad) { return x > -0.53 && x < 1.53 ? grad : 0; }))
      .Run();
  Request("LeakyRelu")
      .Input(kDims, kX)
      .Set("negative_slope", 0.25f)
      .Output(kDims, Each(kX, [](double x) { return x > 0 ? x : x / 4; }))
      .Run();
}

// The elements of x [2, 3, 4] that stand at these numbers.
Values Taken(const std::vector<int>& places) {
  Values taken;
  const Values x = Numbers(24, 1);
  for (const int place : places) taken.push_back(x[static_cast<size_t>(place)]);
  return taken;
}

TEST_F(Answers, PartsAndOrders) {
  const Dims dims = {2, 3, 4};
  const Values x = Numbers(24, 1);
  Request("Transpose")
      .Input(dims, x)
      .Integers({2, 0, 1})
      .Output({4, 2, 3}, Taken({0, 4, 8,  12, 16, 20, 1, 5, 9,  13, 17, 21,
                                2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23}))
      .Run();
  Request("ReverseV2")
      .Input(dims, x)
      .Integers({1})
      .Output(dims, Taken({8,  9,  10, 11, 4,  5,  6,  7,  0,  1,  2,  3,
                           20, 21, 22, 23, 16, 17, 18, 19, 12, 13, 14, 15}))
      .Run();
  Request("Slice")
      .Input(dims, x)
      .Integers({0, 1, 2})
      .Integers({-1, 1, 2})
      .Output({2, 1, 2}, Taken({6, 7, 18, 19}))
      .Run();
  Request("StridedSlice")
      .Input(dims, x)
      .Integers({1, 2, 0})
      .Integers({2, 3, 4})
      .Integers({1, 1, 2})
      .Set("shrink_axis_mask", int64_t{2})
      .Set("begin_mask", int64_t{2})  // an index is taken where it is
      .Output({1, 2}, Taken({20, 22}))
      .Run();
  Request("AsStrided")
      .Input(dims, x)
      .Integers({2, 2})
      .Integers({12, 3})
      .Integers({1})
      .Output({2, 2}, Taken({1, 4, 13, 16}))
      .Run();
  Request("AsStrided")
      .Input(dims, x)
      .Integers({2, 2})
      .Integers({12, 3})
      .Integers({9})
      .Output({2, 2}, Values(4))
      .ExpectRefused("a view inside input 0");
  Request("BroadcastTo")
      .Input({2, 1}, {3, 4})
      .Integers({2, 3})
      .Output({2, 3}, {3, 3, 3, 4, 4, 4})
      .Run();
  Request("Fill").Integers({2, 2}).Number(2.5f).Output({2, 2}, Values(4, 2.5)).Run();
  Request("Fill").Integers({1}).Number(2.5f).Output({}, Values{2.5}).Run();
  Request("ZerosLike").Input(dims, x).Output(dims, Values(24, 0)).Run();
  Request("Slice")
      .Input(dims, x)
      .Integers({0, 1, INT64_MAX})
      .Integers({-1, 1, 2})
      .Output({2, 1, 2}, Values(4))
      .ExpectRefused("dimension 2 has the offset 9223372036854775807 and the size 2");
  for (const int64_t beginning : {int64_t{4}, INT64_MAX}) {
    Request("StridedSlice")
        .Input(dims, x)
        .Integers({0, 0, beginning})
        .Integers({2, 3, 4})
        .Integers({1, INT64_MAX, 1})
        .Set("shrink_axis_mask", int64_t{4})
        .Output({2, 1}, Values(2))
        .ExpectRefused("beginnings and ends in the tensor");
  }
  Request("Cast")
      .Input(dims, x)
      .Set("dst_type", int64_t{ACL_INT32})
      .Output(ACL_INT64, dims)
      .ExpectRefused("the attribute dst_type to be the dtype of output 0");
}

// Where a call names the shape of its output, it is that.
TEST_F(Answers, NamedShapes) {
  const Dims plane = {1, 1, 2, 2};
  const Values four = {1, 2, 3, 4};
  Request("BroadcastTo")
      .Input({2, 1}, {3, 4})
      .Integers({2, 4})
      .Output({2, 3}, Values(6))
      .ExpectRefused("input 1, [2, 4], to be the shape of output 0, [2, 3]");
  Request("Fill")
      .Integers({4})
      .Number(2.5f)
      .Output({2, 2}, Values(4))
      .ExpectRefused("input 0, [4], to be the shape of output 0, [2, 2]");
  Request("ZerosLike")
      .Input({4}, four)
      .Output({2, 2}, Values(4))
      .ExpectRefused("the shape of input 0, [4], to be the shape of output 0, [2, 2]");
  Request("AvgPoolV2Grad")
      .Integers({1, 1, 4, 2})
      .Input({1, 1, 1, 1}, {1})
      .Set("ksize", std::vector<int64_t>{1, 1, 2, 2})
      .Set("strides", std::vector<int64_t>{1, 1, 2, 2})
      .Output(plane, Values(4))
      .ExpectRefused("input 0, [1, 1, 4, 2], to be the shape of output 0, [1, 1, 2, 2]");
  Request("AdaptiveAvgPool2dGrad")
      .Input({1, 1, 1, 2}, {2, 3})
      .Set("orig_input_shape", std::vector<int64_t>{1, 1, 2, 4})
      .Output(plane, Values(4))
      .ExpectRefused("orig_input_shape, [1, 1, 2, 4], to be the shape of output 0, [1, 1, 2, 2]");
  for (const char* type : {"ResizeNearestNeighborV2", "ResizeNearestNeighborV2Grad"}) {
    Request(type)
        .Input(plane, four)
        .Integers({2, 3})
        .Output(plane, Values(4))
        .ExpectRefused("input 1, [2, 3], to be what follows 2 dimensions of the shape of output 0");
  }
}

TEST_F(Answers, Joins) {
  Request("ConcatD")
      .Input({2, 1}, {1, 2})
      .Input({2, 2}, {3, 4, 5, 6})
      .Set("N", int64_t{2})
      .Set("concat_dim", int64_t{1})
      .Output({2, 3}, {1, 3, 4, 2, 5, 6})
      .Run();
  Request("Pack")
      .Input({2}, {1, 2})
      .Input({2}, {3, 4})
      .Set("N", int64_t{2})
      .Set("axis", int64_t{1})
      .Output({2, 2}, {1, 3, 2, 4})
      .Run();
  Request("Pack")
      .Input({2}, {1, 2})
      .Set("N", int64_t{2})
      .Output({1, 2}, {1, 2})
      .ExpectRefused("the attribute N to be the number of inputs");
  Request("ConcatD")
      .Input({1, 1}, {1})
      .None()
      .Input({1, 1}, {2})
      .Set("concat_dim", int64_t{0})
      .Output({1, 1}, {1})
      .ExpectRefused("input 1");
}

size_t FreeBytes() {
  size_t free = 0, total = 0;
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), 0);
  return free;
}

// The second operand and the workspace are memory of the call's own.
TEST_F(Answers, WorkInAGraphKeepsItsMemory) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), 0);
  Request product("Mul");
  product.Input(kDims, kX).Number(1.5f).On(stream).Output(
      kDims, Each(kX, [](double x) { return x * 1.5; }));
  const size_t free_before = FreeBytes();
  ASSERT_EQ(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), 0);
  EXPECT_EQ(product.Execute(), 0) << aclGetRecentErrMsg();
  aclmdlRI graph = nullptr;
  ASSERT_EQ(aclmdlRICaptureEnd(stream, &graph), 0);
  EXPECT_LT(FreeBytes(), free_before);
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(aclmdlRIExecuteAsync(graph, stream), 0) << aclGetRecentErrMsg();
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
    product.ExpectOutputs();
  }
  EXPECT_EQ(aclmdlRIDestroy(graph), 0);
  EXPECT_EQ(FreeBytes(), free_before);
  EXPECT_EQ(aclrtDestroyStream(stream), 0);
}

// The reset has freed the graph's memory, whose place may be that of another allocation.
TEST_F(Answers, AGraphFreesNothingThatIsNotItsOwn) {
  aclrtStream stream = nullptr;
  aclmdlRI graph = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), 0);
  {
    Request product("Mul");
    product.Input(kDims, kX).Number(1.5f).On(stream).Output(kDims, kX);
    ASSERT_EQ(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), 0);
    EXPECT_EQ(product.Execute(), 0) << aclGetRecentErrMsg();
    ASSERT_EQ(aclmdlRICaptureEnd(stream, &graph), 0);
  }
  ASSERT_EQ(aclrtResetDeviceForce(0), 0);
  ASSERT_EQ(aclrtSetDevice(0), 0);
  std::vector<void*> blocks(64);
  for (void*& block : blocks) {
    ASSERT_EQ(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  }
  const size_t free_before = FreeBytes();
  EXPECT_EQ(aclmdlRIDestroy(graph), 0);
  EXPECT_EQ(FreeBytes(), free_before);
  for (void* block : blocks) EXPECT_EQ(aclrtFree(block), 0) << aclGetRecentErrMsg();
}

TEST_F(Answers, RowsAndProducts) {
  const Values x = {1, 2, 3, -1, 0, 5}, grad = {1, 0, -1, 2, 1, 0};
  Values soft(6), log_soft(6), of_soft(6), of_log(6);
  for (size_t row = 0; row < 6; row += 3) {
    double sum = 0, dot = 0, total = 0;
    for (size_t n = row; n < row + 3; ++n) sum += std::exp(x[n]);
    for (size_t n = row; n < row + 3; ++n) {
      soft[n] = std::exp(x[n]) / sum;
      log_soft[n] = std::log(soft[n]);
      dot += grad[n] * soft[n];
      total += grad[n];
    }
    for (size_t n = row; n < row + 3; ++n) {
      of_soft[n] = soft[n] * (grad[n] - dot);
      of_log[n] = grad[n] - soft[n] * total;
    }
  }
  const Dims dims = {2, 3};
  const std::vector<int64_t> last = {-1};
  Request("SoftmaxV2").Input(dims, x).Set("axes", last).Output(dims, soft).Run();
  Request("LogSoftmaxV2").Input(dims, x).Set("axes", last).Output(dims, log_soft).Run();
  Request("SoftmaxGrad")
      .Input(dims, soft)
      .Input(dims, grad)
      .Set("axes", last)
      .Output(dims, of_soft)
      .Run();
  Request("LogSoftmaxGrad")
      .Input(dims, grad)
      .Input(dims, log_soft)
      .Set("axis", last)
      .Output(dims, of_log)
      .Run();
  Request("ReduceMean")
      .Input(dims, x)
      .Integers({1})
      .Flag("keep_dims", false)
      .Output({2}, {2, 4.0 / 3})
      .Run();
  Request("ReduceMax")
      .Input(dims, x)
      .Integers({0})
      .Flag("keep_dims", true)
      .Output({1, 3}, {1, 2, 5})
      .Run();
  // x^T grad, x grad^T + bias.
  Request("MatMul")
      .Input(dims, x)
      .Input(dims, grad)
      .Flag("transpose_x1", true)
      .Flag("transpose_x2", false)
      .Output({3, 3}, {-1, -1, -1, 2, 0, -2, 13, 5, -3})
      .Run();
  Request("MatMulV2")
      .Input(dims, x)
      .Input(dims, grad)
      .Input({2}, {10, 20})
      .Flag("transpose_x2", true)
      .Output({2, 2}, {8, 24, 4, 18})
      .Run();
  Request("BatchMatMul")
      .Input({1, 2, 3}, x)
      .Input({1, 2, 3}, grad)
      .Flag("adj_x2", true)
      .Output({1, 2, 2}, {-2, 4, -6, -2})
      .Run();
}

TEST_F(Answers, MaskOfTheMostElementsThereCanBe) {
  Request("DropOutDoMask")
      .Claim(ACL_FLOAT16, {INT64_MAX}, SIZE_MAX)
      .Claim(ACL_UINT8, {16}, 16)
      .Number(0.5f)
      .Output({1}, {0})
      .ExpectRefused("a mask of UINT8 with a bit for each element");
}

TEST_F(Answers, Pooling) {
  const Dims dims = {1, 1, 4, 4}, half = {1, 1, 2, 2};
  const Values x = {1, 5, 2, 0, 3, 4, 8, 7, 9, 6, 1, 1, 0, 2, 3, 4};
  const auto max = [&](const char* type, const char* dilation) {
    auto request = std::make_unique<Request>(type);
    request->Set("ksize", std::vector<int64_t>{1, 2, 2, 1})
        .Set("strides", std::vector<int64_t>{1, 2, 2, 1})
        .Set("pads", std::vector<int64_t>{1, 0, 0, 1})
        .Set(dilation, std::vector<int64_t>{1, 1, 1, 1})
        .Flag("ceil_mode", false)
        .Input(dims, x);
    return request;
  };
  max("MaxPoolWithArgmaxV1", "dilation")
      ->Output(half, {5, 8, 9, 4})
      .Output(ACL_UINT16, {1, 1, 4, 2})
      .Run();
  // Without elements, and yet with strides that do not fit.
  max("MaxPoolWithArgmaxV1", "dilation")
      ->Output(half, {5, 8, 9, 4})
      .Output(ACL_UINT16, {0, 1, int64_t{1} << 40, int64_t{1} << 40})
      .ExpectRefused("a mask in device memory, with a buffer that holds it");
  max("MaxPoolGradWithArgmaxV1", "dilations")
      ->Input(half, {1, 2, 3, 4})
      .Input({1, 1, 4, 1}, Values(4))
      .Output(dims, {0, 1, 0, 0, 0, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 4})
      .Run();
  max("MaxPoolGradWithArgmaxV1", "dilations")
      ->Input(half, {1, 2, 3, 4})
      .Input({1, 1, 4, 1}, Values(4))
      .Set("ksize", std::vector<int64_t>{1, INT64_MAX, 2, 1})
      .Output(dims, Values(16))
      .ExpectRefused("windows of fewer than 2^63 elements");
  const auto mean = [&](const char* type) {
    auto request = std::make_unique<Request>(type);
    request->Set("ksize", std::vector<int64_t>{1, 1, 2, 2})
        .Set("strides", std::vector<int64_t>{1, 1, 2, 2})
        .Set("pads", std::vector<int64_t>{0, 0, 0, 0})
        .Flag("exclusive", true);
    return request;
  };
  mean("AvgPoolV2")->Input(dims, x).Output(half, {3.25, 4.25, 4.25, 2.25}).Run();
  // The padding that torch_npu makes of 1 where the number of windows is rounded up.
  Request("AvgPoolV2")
      .Input(dims, x)
      .Set("ksize", std::vector<int64_t>{1, 1, 2, 2})
      .Set("strides", std::vector<int64_t>{1, 1, 3, 3})
      .Set("pads", std::vector<int64_t>{1, 0, 1, 0})
      .Flag("ceil_mode", true)
      .Flag("exclusive", true)
      .Output(half, {1, 1, 4.5, 2.25})
      .Run();
  Request("AvgPoolV2Grad")
      .Integers({1, 1, 4, 4})
      .Input(half, {4, 8, 12, 16})
      .Set("ksize", std::vector<int64_t>{1, 1, 2, 2})
      .Set("strides", std::vector<int64_t>{1, 1, 3, 3})
      .Set("pads", std::vector<int64_t>{1, 0, 1, 0})
      .Flag("ceil_mode", true)
      .Flag("exclusive", true)
      .Output(dims, {4, 0, 4, 4, 0, 0, 0, 0, 6, 0, 4, 4, 6, 0, 4, 4})
      .Run();
  mean("AvgPoolV2")
      ->Input(dims, x)
      .Set("pads", std::vector<int64_t>{1, 0, 1, 0})
      .Output(half, Values(4))
      .ExpectRefused("with as much behind as before in each of two dimensions");
  mean("AvgPoolV2")
      ->Input(dims, x)
      .Set("ksize", std::vector<int64_t>{3, 1, 2, 2})
      .Output(half, Values(4))
      .ExpectRefused("the attribute ksize with 1 for the other dimensions");
  mean("AvgPoolV2Grad")
      ->Integers({1, 1, 4, 4})
      .Input(half, {4, 8, 12, 16})
      .Output(dims, {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4})
      .Run();
  const std::vector<int64_t> plane = {1, 2};
  Request("AdaptiveAvgPool2d")
      .Input(half, {1, 2, 3, 4})
      .Set("output_size", plane)
      .Output({1, 1, 1, 2}, {2, 3})
      .Run();
  Request("AdaptiveAvgPool2dGrad")
      .Input({1, 1, 1, 2}, {2, 3})
      .Set("orig_input_shape", half)
      .Output(half, {1, 1.5, 1, 1.5})
      .Run();
  Request("ResizeNearestNeighborV2")
      .Input({1, 1, 1, 2}, {1, 2})
      .Integers({2, 4})
      .Output({1, 1, 2, 4}, {1, 1, 2, 2, 1, 1, 2, 2})
      .Run();
  Request("ResizeNearestNeighborV2Grad")
      .Input({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})
      .Integers({1, 2})
      .Output({1, 1, 1, 2}, {14, 22})
      .Run();
}

TEST_F(Answers, Dropout) {
  // All elements stay, or none; half of them are some.
  for (const float kept : {1.0f, 0.5f}) {
    Request mask("StatelessDropOutGenMask");
    mask.Integers({3, 7}).Number(kept).Integers({5}).Integers({0}).Integers({0, 10}).Output(
        ACL_UINT8, {16});
    mask.Run();
    const std::vector<unsigned char> bits = mask.Bytes(16);
    int ones = 0;
    for (int n = 0; n < 21; ++n) ones += bits[static_cast<size_t>(n / 8)] >> n % 8 & 1;
    EXPECT_TRUE(kept == 1 ? ones == 21 : ones > 3 && ones < 18) << ones;
  }
  Request("StatelessDropOutGenMask")
      .Integers({3, 7})
      .Number(0.5f)
      .Integers({5})
      .Integers({6})
      .Integers({0, 10})
      .Output(ACL_UINT8, {16})
      .ExpectRefused("a second one of 0");
}

// Strides of a tensor without elements count an extent of 0 as 1.
TEST_F(Answers, RefusesExtentsBeyondStrides) {
  const Dims dims = {0, int64_t{1} << 62, 4};
  Request("Relu").Input(dims, {}).Output(dims, {}).ExpectRefused(
      "input 0 of a shape whose product without zeros is below 2^63");
}

}  // namespace
