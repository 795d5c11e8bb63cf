// Identity, called as torch_npu calls it: the chip's own formats, bit by bit.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_op.h"
#include "acl/acl_op_compiler.h"

namespace aclimb::testing::copies_test {
namespace {

using Dims = std::vector<int64_t>;

struct Case {
  const char* name;
  aclDataType dtype;
  size_t size;  // of an element
  aclFormat format;
  Dims dims;
  Dims stored;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

int64_t CountOf(const Dims& dims) {
  int64_t count = 1;
  for (const int64_t d : dims) count *= d;
  return count;
}

// The indices of the element with that number, row by row.
Dims IndicesOf(int64_t number, const Dims& dims) {
  Dims indices(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    indices[d] = number % dims[d];
    number /= dims[d];
  }
  return indices;
}

// The number of the tensor's element that stands at a place of the storage; -1 for padding. Written
// from what the formats' documents say of each dimension of the storage.
int64_t ElementAt(int64_t place, const Case& c) {
  const Dims at = IndicesOf(place, c.stored);
  Dims dims = c.dims, wanted;
  const int64_t side = c.stored.back();
  switch (c.format) {
    case ACL_FORMAT_FRACTAL_NZ: {
      const size_t lead = dims.size() - 2;
      wanted.assign(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(lead));
      const int64_t height = c.stored[lead + 2];
      wanted.push_back(at[lead + 1] * height + at[lead + 2]);
      wanted.push_back(at[lead] * side + at[lead + 3]);
      break;
    }
    case ACL_FORMAT_NC1HWC0:
      if (dims.size() < 4) dims.insert(dims.begin(), 1);
      dims.resize(4, 1);
      wanted = {at[0], at[1] * side + at[4], at[2], at[3]};
      break;
    case ACL_FORMAT_NDC1HWC0:
      wanted = {at[0], at[2] * side + at[5], at[1], at[3], at[4]};
      break;
    case ACL_FORMAT_FRACTAL_Z: {
      if (dims.size() < 4) dims.insert(dims.begin(), 1);
      dims.resize(4, 1);
      const Dims first = IndicesOf(at[0], {(dims[1] + side - 1) / side, dims[2], dims[3]});
      wanted = {at[1] * c.stored[2] + at[2], first[0] * side + at[3], first[1], first[2]};
      break;
    }
    default: {
      const Dims first = IndicesOf(at[0], {dims[2], (dims[1] + side - 1) / side, dims[3], dims[4]});
      wanted = {at[1] * c.stored[2] + at[2], first[1] * side + at[3], first[0], first[2], first[3]};
    }
  }
  int64_t element = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (wanted[d] >= dims[d]) return -1;
    element = element * dims[d] + wanted[d];
  }
  return element;
}

// Device memory with a description, stored as `stored` in `format`.
class Tensor {
 public:
  Tensor(const Case& c, aclFormat format, const Dims& stored)
      : bytes_(static_cast<size_t>(CountOf(stored)) * c.size) {
    EXPECT_EQ(aclrtMalloc(&memory_, std::max<size_t>(bytes_, 1), ACL_MEM_MALLOC_HUGE_FIRST), 0);
    EXPECT_EQ(aclrtMemset(memory_, bytes_, 0xC3, bytes_), 0);
    const bool image = c.format != ACL_FORMAT_FRACTAL_NZ && c.dims.size() <= 4;
    desc_ = aclCreateTensorDesc(c.dtype, static_cast<int>(c.dims.size()), c.dims.data(),
                                image ? ACL_FORMAT_NCHW : ACL_FORMAT_ND);
    EXPECT_EQ(aclSetTensorFormat(desc_, format), 0);
    EXPECT_EQ(aclSetTensorShape(desc_, static_cast<int>(stored.size()), stored.data()), 0);
    buffer_ = aclCreateDataBuffer(memory_, bytes_);
  }
  ~Tensor() {
    aclDestroyTensorDesc(desc_);
    EXPECT_EQ(aclDestroyDataBuffer(buffer_), 0);
    EXPECT_EQ(aclrtFree(memory_), 0);
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  void Write(const std::vector<unsigned char>& values) {
    EXPECT_EQ(aclrtMemcpy(memory_, bytes_, values.data(), values.size(), ACL_MEMCPY_HOST_TO_DEVICE),
              0);
  }
  std::vector<unsigned char> Read() const {
    std::vector<unsigned char> values(bytes_);
    EXPECT_EQ(aclrtMemcpy(values.data(), bytes_, memory_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    return values;
  }
  void IdentityTo(const Tensor& to, int code) const {
    const aclTensorDesc* const from_desc = desc_;
    const aclDataBuffer* const from_buffer = buffer_;
    const aclTensorDesc* const to_desc = to.desc_;
    aclDataBuffer* to_buffer = to.buffer_;
    EXPECT_EQ(
        aclopCompileAndExecute("Identity", 1, &from_desc, &from_buffer, 1, &to_desc, &to_buffer,
                               nullptr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, nullptr),
        code)
        << aclGetRecentErrMsg();
    EXPECT_EQ(aclrtSynchronizeDevice(), 0);
  }

 private:
  size_t bytes_;
  void* memory_ = nullptr;
  aclTensorDesc* desc_ = nullptr;
  aclDataBuffer* buffer_ = nullptr;
};

class Formats : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override { ASSERT_EQ(aclrtSetDevice(0), 0); }
};

TEST_P(Formats, EachBitStandsWhereTheFormatHasIt) {
  const Case& c = GetParam();
  std::vector<unsigned char> values(static_cast<size_t>(CountOf(c.dims)) * c.size);
  for (size_t n = 0; n < values.size(); ++n) {
    // No byte repeats at a distance of an element or a row; BOOL has two values.
    values[n] = static_cast<unsigned char>(c.dtype == ACL_BOOL ? n * n % 7 % 2 : n * 167 + n / 251);
  }
  Tensor plain(c, ACL_FORMAT_ND, c.dims), stored(c, c.format, c.stored);
  Tensor back(c, ACL_FORMAT_ND, c.dims), again(c, c.format, c.stored);
  plain.Write(values);
  plain.IdentityTo(stored, 0);
  const std::vector<unsigned char> got = stored.Read();
  int wrong = 0;
  for (int64_t place = 0; place < CountOf(c.stored); ++place) {
    const int64_t element = ElementAt(place, c);
    for (size_t byte = 0; byte < c.size; ++byte) {
      const unsigned char expected =
          element < 0 ? 0 : values[static_cast<size_t>(element) * c.size + byte];
      if (got[static_cast<size_t>(place) * c.size + byte] != expected) ++wrong;
    }
  }
  EXPECT_EQ(wrong, 0) << "bytes of the storage";
  stored.IdentityTo(back, 0);
  EXPECT_EQ(back.Read(), values);
  // From one storage to another.
  stored.IdentityTo(again, 0);
  EXPECT_EQ(again.Read(), got);
}

TEST_P(Formats, AnotherStorageIsRefused) {
  const Case& c = GetParam();
  Dims other = c.stored;
  ++other[0];
  Tensor plain(c, ACL_FORMAT_ND, c.dims), stored(c, c.format, other);
  const std::vector<unsigned char> before = stored.Read();
  aclGetRecentErrMsg();
  plain.IdentityTo(stored, ACL_ERROR_API_NOT_SUPPORT);
  EXPECT_EQ(stored.Read(), before);
}

TEST(EmptyStorage, StridesNeedNotFit) {
  ASSERT_EQ(aclrtSetDevice(0), 0);
  const Case filters = {"",
                        ACL_FLOAT16,
                        2,
                        ACL_FORMAT_FRACTAL_Z,
                        {1, 0, int64_t{1} << 31, int64_t{1} << 31},
                        {0, 1, 16, 16}};
  const Tensor stored(filters, filters.format, filters.stored);
  const Tensor plain(filters, ACL_FORMAT_ND, filters.dims);
  stored.IdentityTo(plain, 0);
  plain.IdentityTo(stored, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Formats,
    ::testing::Values(
        Case{"Squares", ACL_FLOAT16, 2, ACL_FORMAT_FRACTAL_NZ, {32, 48}, {3, 2, 16, 16}},
        Case{"SquaresWithRests",
             ACL_FLOAT,
             4,
             ACL_FORMAT_FRACTAL_NZ,
             {3, 17, 18},
             {3, 2, 2, 16, 16}},
        Case{"OneSquare", ACL_INT64, 8, ACL_FORMAT_FRACTAL_NZ, {2, 2, 5, 3}, {2, 2, 1, 1, 16, 16}},
        Case{"WideSquares", ACL_INT8, 1, ACL_FORMAT_FRACTAL_NZ, {19, 40}, {2, 2, 16, 32}},
        Case{"Images", ACL_FLOAT16, 2, ACL_FORMAT_NC1HWC0, {2, 32, 3, 5}, {2, 2, 3, 5, 16}},
        Case{
            "ImagesWithRests", ACL_FLOAT16, 2, ACL_FORMAT_NC1HWC0, {2, 19, 3, 5}, {2, 2, 3, 5, 16}},
        Case{"FewChannels", ACL_BF16, 2, ACL_FORMAT_NC1HWC0, {1, 3, 4, 4}, {1, 1, 4, 4, 16}},
        Case{"AVector", ACL_FLOAT, 4, ACL_FORMAT_NC1HWC0, {20}, {1, 2, 1, 1, 16}},
        Case{"APlane", ACL_BOOL, 1, ACL_FORMAT_NC1HWC0, {20, 3}, {1, 2, 3, 1, 16}},
        Case{"Filters", ACL_FLOAT16, 2, ACL_FORMAT_FRACTAL_Z, {16, 32, 3, 3}, {18, 1, 16, 16}},
        Case{
            "FiltersWithRests", ACL_FLOAT, 4, ACL_FORMAT_FRACTAL_Z, {20, 3, 5, 2}, {10, 2, 16, 16}},
        Case{"Volumes", ACL_FLOAT16, 2, ACL_FORMAT_NDC1HWC0, {2, 18, 3, 2, 2}, {2, 3, 2, 2, 2, 16}},
        Case{"DeepFilters", ACL_FLOAT16, 2, ACL_FRACTAL_Z_3D, {5, 18, 2, 3, 1}, {12, 1, 16, 16}}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace aclimb::testing::copies_test
