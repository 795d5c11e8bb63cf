#pragma once

// What the tests of recurrent layers share: numbers, tensors in device memory, calls by type name.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_op.h"
#include "acl/acl_op_compiler.h"
#include "aclimb/core/half.h"

namespace aclimb::testing {

using Values = std::vector<double>;
using Dims = std::vector<int64_t>;

inline double SigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }

// Numbers that FLOAT16 has.
inline Values Numbers(int64_t count, int seed) {
  Values values(static_cast<size_t>(count));
  for (int64_t n = 0; n < count; ++n) {
    values[static_cast<size_t>(n)] = static_cast<double>((n * 37 + seed * 11) % 65 - 32) / 64;
  }
  return values;
}

// The differences of weighed(problem) by some elements of problem.*of; NaN, which is not compared,
// for the rest.
template <typename Problem, typename Weighed>
Values Differences(Problem problem, Values Problem::*of, const Weighed& weighed) {
  constexpr double kStep = 1e-5;
  Values gradient((problem.*of).size(), NAN);
  for (size_t n = 0; n < gradient.size(); n += 7) {
    const double value = (problem.*of)[n];
    (problem.*of)[n] = value + kStep;
    const double above = weighed(problem);
    (problem.*of)[n] = value - kStep;
    const double below = weighed(problem);
    (problem.*of)[n] = value;
    gradient[n] = (above - below) / (2 * kStep);
  }
  return gradient;
}

// A tensor in device memory, dense or in fractals of its last two dimensions.
class DeviceTensor {
 public:
  DeviceTensor(const Dims& dims, aclDataType dtype, bool fractals = false)
      : dims_(dims), dtype_(dtype), fractals_(fractals) {
    Dims stored = dims;
    if (fractals) stored = {dims[0], (dims[2] + 15) / 16, (dims[1] + 15) / 16, 16, 16};
    count_ = 1;
    for (int64_t d : stored) count_ *= d;
    const size_t bytes = static_cast<size_t>(count_) * Element();
    EXPECT_EQ(aclrtMalloc(&memory_, bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    EXPECT_EQ(aclrtMemset(memory_, bytes, 0xC3, bytes), 0);
    desc_ = aclCreateTensorDesc(dtype, static_cast<int>(dims.size()), dims.data(), ACL_FORMAT_ND);
    EXPECT_EQ(aclSetTensorFormat(desc_, fractals ? ACL_FORMAT_FRACTAL_NZ : ACL_FORMAT_ND), 0);
    EXPECT_EQ(aclSetTensorShape(desc_, static_cast<int>(stored.size()), stored.data()), 0);
    buffer_ = aclCreateDataBuffer(memory_, bytes);
  }
  // Left out.
  DeviceTensor() {
    desc_ = aclCreateTensorDesc(ACL_DT_UNDEFINED, 0, nullptr, ACL_FORMAT_UNDEFINED);
    buffer_ = aclCreateDataBuffer(nullptr, 0);
  }
  ~DeviceTensor() {
    aclDestroyTensorDesc(desc_);
    EXPECT_EQ(aclDestroyDataBuffer(buffer_), 0);
    if (memory_ != nullptr) {
      EXPECT_EQ(aclrtFree(memory_), 0);
    }
  }
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;

  void Write(const Values& values) {
    std::vector<char> host(static_cast<size_t>(count_) * Element());
    for (size_t n = 0; n < values.size(); ++n) {
      if (dtype_ == ACL_FLOAT) {
        reinterpret_cast<float*>(host.data())[Place(n)] = static_cast<float>(values[n]);
      } else {
        reinterpret_cast<Float16*>(host.data())[Place(n)] =
            ToFloat16(static_cast<float>(values[n]));
      }
    }
    EXPECT_EQ(
        aclrtMemcpy(memory_, host.size(), host.data(), host.size(), ACL_MEMCPY_HOST_TO_DEVICE), 0);
  }

  void Expect(const Values& expected, double allowed, const char* what) const {
    std::vector<char> host(static_cast<size_t>(count_) * Element());
    EXPECT_EQ(
        aclrtMemcpy(host.data(), host.size(), memory_, host.size(), ACL_MEMCPY_DEVICE_TO_HOST), 0);
    double worst = 0;
    for (size_t n = 0; n < expected.size(); ++n) {
      if (std::isnan(expected[n])) continue;
      const double got = dtype_ == ACL_FLOAT
                             ? reinterpret_cast<const float*>(host.data())[Place(n)]
                             : ToFloat(reinterpret_cast<const Float16*>(host.data())[Place(n)]);
      const double error = std::abs(got - expected[n]) / std::max(1.0, std::abs(expected[n]));
      worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    }
    EXPECT_LE(worst, allowed) << what;
  }

  const aclTensorDesc* desc() const { return desc_; }
  aclDataBuffer* buffer() const { return buffer_; }

 private:
  size_t Element() const { return dtype_ == ACL_FLOAT ? 4 : 2; }
  size_t Place(size_t n) const {
    if (!fractals_) return n;
    const size_t rows = static_cast<size_t>(dims_[1]), columns = static_cast<size_t>(dims_[2]);
    const size_t t = n / (rows * columns), row = n / columns % rows, column = n % columns;
    const size_t across = (columns + 15) / 16, down = (rows + 15) / 16;
    return (((t * across + column / 16) * down + row / 16) * 16 + row % 16) * 16 + column % 16;
  }

  Dims dims_;
  aclDataType dtype_ = ACL_FLOAT;
  bool fractals_ = false;
  int64_t count_ = 0;
  void* memory_ = nullptr;
  aclTensorDesc* desc_ = nullptr;
  aclDataBuffer* buffer_ = nullptr;
};

// Calls an operator by its type name; its code.
inline int ExecuteByType(const char* type, const std::vector<DeviceTensor*>& inputs,
                         const std::vector<DeviceTensor*>& outputs, const aclopAttr* attributes) {
  std::vector<const aclTensorDesc*> input_descs, output_descs;
  std::vector<const aclDataBuffer*> input_buffers;
  std::vector<aclDataBuffer*> output_buffers;
  for (const DeviceTensor* each : inputs) {
    input_descs.push_back(each->desc());
    input_buffers.push_back(each->buffer());
  }
  for (const DeviceTensor* each : outputs) {
    output_descs.push_back(each->desc());
    output_buffers.push_back(each->buffer());
  }
  return aclopCompileAndExecute(type, static_cast<int>(inputs.size()), input_descs.data(),
                                input_buffers.data(), static_cast<int>(outputs.size()),
                                output_descs.data(), output_buffers.data(), attributes,
                                ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, nullptr);
}

// A recurrent layer called by its type name. Case says name, dtype, gate_order and reversed.
template <typename Case>
class RecurrenceByType : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), 0);
    const Case& how = this->GetParam();
    attributes_ = aclopCreateAttr();
    aclopSetAttrString(attributes_, "direction", how.reversed ? "REDIRECTIONAL" : "UNIDIRECTIONAL");
    aclopSetAttrFloat(attributes_, "cell_clip", -1);
    aclopSetAttrInt(attributes_, "num_proj", 0);
    aclopSetAttrBool(attributes_, "time_major", 1);
    aclopSetAttrString(attributes_, "gate_order", how.gate_order);
  }
  void TearDown() override { aclopDestroyAttr(attributes_); }

  // Rounded to FLOAT16 after each of some ten operations a step.
  double Allowed() const { return this->GetParam().dtype == ACL_FLOAT ? 5e-6 : 1e-2; }

  void ExpectRun(const char* type, const std::vector<DeviceTensor*>& inputs,
                 const std::vector<DeviceTensor*>& outputs) {
    ASSERT_EQ(ExecuteByType(type, inputs, outputs, attributes_), 0) << aclGetRecentErrMsg();
    ASSERT_EQ(aclrtSynchronizeDevice(), 0);
  }

  void ExpectRefused(const char* type, const std::vector<DeviceTensor*>& inputs,
                     const std::vector<DeviceTensor*>& outputs, const char* part) {
    aclGetRecentErrMsg();
    EXPECT_EQ(ExecuteByType(type, inputs, outputs, attributes_), ACL_ERROR_API_NOT_SUPPORT);
    const std::string text = aclGetRecentErrMsg();
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }

  aclopAttr* attributes_ = nullptr;
};

}  // namespace aclimb::testing
