// Which numbers a dtype of integers has: PyTorch's limits, at their ends.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/test_call.h"

namespace aclimb::contract {
namespace {

constexpr ProductDTypes kAll = OnAll(DTypes(DType::kInt8, DType::kInt64, DType::kUInt8,
                                            DType::kUInt64, DType::kFloat32, DType::kBool));
constexpr Parameter kParameters[] = {Input("self", kAll, "any"),
                                     Attribute("value", Kind::kScalar, "any"),
                                     Optional(Input("other", kAll, "any"))};
constexpr Rule kOwn[] = {InDType("in-dtype/value", 1, 0, "pass another")};
constexpr Rule kCommon[] = {InDType("in-dtype/value", 1, 0, 2, "pass another")};
constexpr Rule kWithScalar[] = {InDType("in-dtype/value", 1, 0, 1, "pass another")};

template <typename T>
std::string What(const Rule (&rules)[1], DType self, T value, DType dtype,
                 DType other = DType::kUndefined) {
  const Contract contract = {.function = "aclnnTest",
                             .folder = "test",
                             .summary = "",
                             .parameters = kParameters,
                             .rules = rules};
  TestCall call(contract);
  call.Tensor(0, {2}, self);
  call.ScalarBits(1, value, dtype);
  if (other != DType::kUndefined) call.Tensor(2, {2}, other);
  return call.What();
}

constexpr DType kLong = DType::kInt64;

TEST(ScalarInDType, EndsOfTheDTypeAreInIt) {
  EXPECT_EQ(What(kOwn, DType::kInt8, int64_t{127}, kLong), "");
  EXPECT_EQ(What(kOwn, DType::kInt8, int64_t{-128}, kLong), "");
  EXPECT_EQ(What(kOwn, DType::kInt8, int64_t{128}, kLong),
            "value is INT64 128 but self.dtype is INT8 (shape [2]); expected a number from -128 to "
            "127.");
  EXPECT_NE(What(kOwn, DType::kInt8, int64_t{-129}, kLong), "");
  EXPECT_EQ(What(kOwn, kLong, std::numeric_limits<int64_t>::min(), kLong), "");
  EXPECT_NE(What(kOwn, kLong, uint64_t{1} << 63, DType::kUInt64), "");
  EXPECT_EQ(What(kOwn, DType::kUInt64, ~uint64_t{0}, DType::kUInt64), "");
  EXPECT_EQ(What(kOwn, DType::kInt8, uint8_t{1}, DType::kBool), "");
}

TEST(ScalarInDType, IntegersBelowZeroWrapWithoutASign) {
  EXPECT_EQ(What(kOwn, DType::kUInt8, int64_t{-255}, kLong), "");
  EXPECT_NE(What(kOwn, DType::kUInt8, int64_t{-256}, kLong), "");
  EXPECT_NE(What(kOwn, DType::kUInt8, int64_t{256}, kLong), "");
  EXPECT_NE(What(kOwn, DType::kUInt8, -1.0f, DType::kFloat32), "");
}

TEST(ScalarInDType, FloatsMayHaveAFractionWithinTheEnds) {
  EXPECT_EQ(What(kOwn, DType::kInt8, 126.5f, DType::kFloat32), "");
  EXPECT_NE(What(kOwn, DType::kInt8, 127.5f, DType::kFloat32), "");
  EXPECT_NE(What(kOwn, DType::kInt8, std::nanf(""), DType::kFloat32), "");
  EXPECT_NE(What(kOwn, kLong, std::numeric_limits<float>::infinity(), DType::kFloat32), "");
  EXPECT_NE(What(kOwn, kLong, 0x1p63, DType::kFloat64), "");
  EXPECT_EQ(What(kOwn, kLong, -0x1p63, DType::kFloat64), "");
}

TEST(ScalarInDType, OtherDTypesTakeAnyNumber) {
  EXPECT_EQ(What(kOwn, DType::kBool, int64_t{300}, kLong), "");
  EXPECT_EQ(What(kOwn, DType::kFloat32, 1e300, DType::kFloat64), "");
}

TEST(ScalarInDType, TheCommonDTypeDecidesWhereThereIsOne) {
  EXPECT_EQ(What(kCommon, DType::kInt8, int64_t{300}, kLong, kLong), "");
  EXPECT_EQ(What(kCommon, DType::kInt8, int64_t{300}, kLong, DType::kInt8),
            "value is INT64 300 but self.dtype is INT8 (shape [2]) and other.dtype is INT8 (shape "
            "[2]), which promote to INT8; expected a number from -128 to 127.");
  // A real bound makes the common dtype a real one.
  EXPECT_EQ(What(kWithScalar, DType::kInt8, 300.0f, DType::kFloat32), "");
  EXPECT_NE(What(kWithScalar, DType::kInt8, int64_t{300}, kLong), "");
}

}  // namespace
}  // namespace aclimb::contract
