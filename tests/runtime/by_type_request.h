#pragma once

// A call of an operator by its type name, with FLOAT tensors in plain formats.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_op.h"
#include "acl/acl_op_compiler.h"

namespace runtime_test {

using Values = std::vector<double>;
using Dims = std::vector<int64_t>;

inline int64_t CountOf(const Dims& dims) {
  int64_t count = 1;
  for (const int64_t d : dims) count *= d;
  return count;
}

inline Values Numbers(int64_t count, int seed) {
  Values values(static_cast<size_t>(count));
  for (int64_t n = 0; n < count; ++n) {
    values[static_cast<size_t>(n)] = static_cast<double>((n * 37 + seed * 11) % 65 - 32) / 16;
  }
  return values;
}

// A call: inputs and attributes are added, then Run compares the outputs that were added.
class Request {
 public:
  explicit Request(const char* type) : type_(type), attributes_(aclopCreateAttr()) {}
  ~Request() {
    aclopDestroyAttr(attributes_);
    for (const aclTensorDesc* each : input_descs_) aclDestroyTensorDesc(each);
    for (const aclTensorDesc* each : output_descs_) aclDestroyTensorDesc(each);
    for (const aclDataBuffer* each : input_buffers_) aclDestroyDataBuffer(each);
    for (aclDataBuffer* each : output_buffers_) aclDestroyDataBuffer(each);
    for (void* each : memory_) aclrtFree(each);
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Request& Input(const Dims& dims, const Values& values) {
    const std::vector<float> floats(values.begin(), values.end());
    void* memory = Memory(floats.size() * sizeof(float));
    aclrtMemcpy(memory, floats.size() * sizeof(float), floats.data(), floats.size() * sizeof(float),
                ACL_MEMCPY_HOST_TO_DEVICE);
    input_descs_.push_back(Describe(ACL_FLOAT, dims));
    input_buffers_.push_back(aclCreateDataBuffer(memory, floats.size() * sizeof(float)));
    return *this;
  }
  // A buffer that is said to have so many bytes and is not there.
  Request& Claim(aclDataType dtype, const Dims& dims, size_t bytes) {
    input_descs_.push_back(Describe(dtype, dims));
    input_buffers_.push_back(aclCreateDataBuffer(nullptr, bytes));
    return *this;
  }
  // An input that is left out.
  Request& None() {
    input_descs_.push_back(aclCreateTensorDesc(ACL_DT_UNDEFINED, 0, nullptr, ACL_FORMAT_UNDEFINED));
    input_buffers_.push_back(aclCreateDataBuffer(nullptr, 0));
    return *this;
  }
  Request& On(aclrtStream stream) {
    stream_ = stream;
    return *this;
  }
  // In host memory.
  Request& Number(float value) {
    numbers_.push_back(std::make_unique<float>(value));
    return OnHost(ACL_FLOAT, {}, numbers_.back().get(), sizeof(float));
  }
  Request& Integers(const std::vector<int64_t>& values) {
    integers_.push_back(std::make_unique<std::vector<int64_t>>(values));
    return OnHost(ACL_INT64, {static_cast<int64_t>(values.size())}, integers_.back()->data(),
                  values.size() * sizeof(int64_t));
  }
  Request& Set(const char* name, int64_t value) {
    aclopSetAttrInt(attributes_, name, value);
    return *this;
  }
  Request& Flag(const char* name, bool value) {
    aclopSetAttrBool(attributes_, name, value ? 1 : 0);
    return *this;
  }
  Request& Set(const char* name, const std::vector<int64_t>& values) {
    aclopSetAttrListInt(attributes_, name, static_cast<int>(values.size()), values.data());
    return *this;
  }
  Request& Set(const char* name, float value) {
    aclopSetAttrFloat(attributes_, name, value);
    return *this;
  }
  Request& Output(const Dims& dims, const Values& expected) {
    const size_t bytes = expected.size() * sizeof(float);
    return Output(ACL_FLOAT, dims, expected, Memory(bytes), bytes);
  }
  // Overwrites the last input.
  Request& InPlace(const Dims& dims, const Values& expected) {
    return Output(ACL_FLOAT, dims, expected, memory_.back(), expected.size() * sizeof(float));
  }
  // Of another dtype, whose values are not compared.
  Request& Output(aclDataType dtype, const Dims& dims) {
    const size_t bytes = static_cast<size_t>(CountOf(dims)) * 8;
    return Output(dtype, dims, {}, Memory(bytes), bytes);
  }

  int Execute() {
    return aclopCompileAndExecute(type_, static_cast<int>(input_descs_.size()), input_descs_.data(),
                                  input_buffers_.data(), static_cast<int>(output_descs_.size()),
                                  output_descs_.data(), output_buffers_.data(), attributes_,
                                  ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, stream_);
  }
  void Run(double allowed = 1e-6) {
    ASSERT_EQ(Execute(), 0) << type_ << "\n" << aclGetRecentErrMsg();
    ASSERT_EQ(aclrtSynchronizeDevice(), 0);
    ExpectOutputs(allowed);
  }
  void ExpectOutputs(double allowed = 1e-6) const {
    for (size_t i = 0; i < expected_.size(); ++i) {
      const Values got = Floats(i);
      for (size_t n = 0; n < got.size(); ++n) {
        const double wanted = expected_[i][n];
        if (std::isnan(wanted) || std::isinf(wanted)) {
          ASSERT_TRUE(std::isnan(wanted) ? std::isnan(got[n]) : got[n] == wanted)
              << type_ << ", output " << i << ", element " << n << ": " << got[n];
          continue;
        }
        ASSERT_NEAR(got[n], wanted, allowed * std::max(1.0, std::abs(wanted)))
            << type_ << ", output " << i << ", element " << n;
      }
    }
  }
  // Of an output that has expected values.
  Values Floats(size_t output) const {
    std::vector<float> got(expected_[output].size());
    aclrtMemcpy(got.data(), got.size() * sizeof(float), outputs_[output],
                got.size() * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST);
    return Values(got.begin(), got.end());
  }
  // Of the first output.
  std::vector<unsigned char> Bytes(size_t count) const {
    std::vector<unsigned char> got(count);
    aclrtMemcpy(got.data(), count, outputs_[0], count, ACL_MEMCPY_DEVICE_TO_HOST);
    return got;
  }
  void ExpectRefused(const char* part) {
    aclGetRecentErrMsg();
    EXPECT_EQ(Execute(), ACL_ERROR_API_NOT_SUPPORT) << type_;
    const std::string text = aclGetRecentErrMsg();
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }

 private:
  void* Memory(size_t bytes) {
    void* memory = nullptr;
    EXPECT_EQ(aclrtMalloc(&memory, std::max<size_t>(bytes, 1), ACL_MEM_MALLOC_HUGE_FIRST), 0);
    aclrtMemset(memory, bytes, 0xC3, bytes);
    memory_.push_back(memory);
    return memory;
  }
  static aclTensorDesc* Describe(aclDataType dtype, const Dims& dims) {
    return aclCreateTensorDesc(dtype, static_cast<int>(dims.size()), dims.data(),
                               dims.size() == 4 ? ACL_FORMAT_NCHW : ACL_FORMAT_ND);
  }
  Request& OnHost(aclDataType dtype, const Dims& dims, void* data, size_t bytes) {
    aclTensorDesc* desc = Describe(dtype, dims);
    aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST);
    input_descs_.push_back(desc);
    input_buffers_.push_back(aclCreateDataBuffer(data, bytes));
    return *this;
  }
  Request& Output(aclDataType dtype, const Dims& dims, const Values& expected, void* memory,
                  size_t bytes) {
    output_descs_.push_back(Describe(dtype, dims));
    output_buffers_.push_back(aclCreateDataBuffer(memory, bytes));
    outputs_.push_back(memory);
    expected_.push_back(expected);
    return *this;
  }

  const char* type_;
  aclrtStream stream_ = nullptr;
  aclopAttr* attributes_;
  std::vector<const aclTensorDesc*> input_descs_, output_descs_;
  std::vector<const aclDataBuffer*> input_buffers_;
  std::vector<aclDataBuffer*> output_buffers_;
  std::vector<void*> memory_, outputs_;
  std::vector<Values> expected_;
  std::vector<std::unique_ptr<float>> numbers_;
  std::vector<std::unique_ptr<std::vector<int64_t>>> integers_;
};

}  // namespace runtime_test
