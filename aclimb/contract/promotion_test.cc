// Every pair of the 16 dtypes against tables written out from the documents.
#include "aclimb/contract/promotion.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

namespace aclimb::contract {
namespace {

// Rows and columns of the tables.
constexpr DType kOrder[16] = {
    DType::kFloat32, DType::kFloat16,   DType::kFloat64,   DType::kBFloat16,
    DType::kInt8,    DType::kUInt8,     DType::kInt16,     DType::kUInt16,
    DType::kInt32,   DType::kUInt32,    DType::kInt64,     DType::kUInt64,
    DType::kBool,    DType::kComplex32, DType::kComplex64, DType::kComplex128};

const char kTensors[] =
    // f32 f16 f64 bf16 s8 u8 s16 u16 s32 u32 s64 u64 bool c32 c64 c128
    "f32 f32 f64 f32 f32 f32 f32 - f32 - f32 - f32 c64 c64 c128 "
    "f32 f16 f64 f32 f16 f16 f16 - f16 - f16 - f16 c32 c64 c128 "
    "f64 f64 f64 f64 f64 f64 f64 - f64 - f64 - f64 c128 c128 c128 "
    "f32 f32 f64 bf16 bf16 bf16 bf16 - bf16 - bf16 - bf16 c32 c64 c128 "
    "f32 f16 f64 bf16 s8 s16 s16 - s32 - s64 - s8 c32 c64 c128 "
    "f32 f16 f64 bf16 s16 u8 s16 - s32 - s64 - u8 c32 c64 c128 "
    "f32 f16 f64 bf16 s16 s16 s16 - s32 - s64 - s16 c32 c64 c128 "
    "- - - - - - - u16 - - - - - - - - "
    "f32 f16 f64 bf16 s32 s32 s32 - s32 - s64 - s32 c32 c64 c128 "
    "- - - - - - - - - u32 - - - - - - "
    "f32 f16 f64 bf16 s64 s64 s64 - s64 - s64 - s64 c32 c64 c128 "
    "- - - - - - - - - - - u64 - - - - "
    "f32 f16 f64 bf16 s8 u8 s16 - s32 - s64 - bool c32 c64 c128 "
    "c64 c32 c128 c32 c32 c32 c32 - c32 - c32 - c32 c32 c64 c128 "
    "c64 c64 c128 c64 c64 c64 c64 - c64 - c64 - c64 c64 c64 c128 "
    "c128 c128 c128 c128 c128 c128 c128 - c128 - c128 - c128 c128 c128 c128 ";

// Rows are tensors, columns scalars.
const char kTensorAndScalar[] =
    // f32 f16 f64 bf16 s8 u8 s16 u16 s32 u32 s64 u64 bool c32 c64 c128
    "f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 c64 c64 c64 "
    "f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 f16 c32 c32 c32 "
    "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 c128 c128 c128 "
    "bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 c64 c64 c64 "
    "f32 f32 f32 f32 s8 s8 s8 s8 s8 s8 s8 s8 s8 c64 c64 c64 "
    "f32 f32 f32 f32 u8 u8 u8 u8 u8 u8 u8 u8 u8 c64 c64 c64 "
    "f32 f32 f32 f32 s16 s16 s16 s16 s16 s16 s16 s16 s16 c64 c64 c64 "
    "- - - - u16 u16 u16 u16 u16 u16 u16 u16 u16 c64 c64 c64 "
    "f32 f32 f32 f32 s32 s32 s32 s32 s32 s32 s32 s32 s32 c64 c64 c64 "
    "- - - - u32 u32 u32 u32 u32 u32 u32 u32 u32 c64 c64 c64 "
    "f32 f32 f32 f32 s64 s64 s64 s64 s64 s64 s64 s64 s64 c64 c64 c64 "
    "- - - - u64 u64 u64 u64 u64 u64 u64 u64 u64 c64 c64 c64 "
    "f32 f32 f32 f32 s8 u8 s16 - s32 - s64 - bool c64 c64 c64 "
    "c32 c32 c128 c32 c32 c32 c32 c32 c32 c32 c32 c32 c32 c32 c32 c32 "
    "c64 c64 c128 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 c64 "
    "c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 ";

// Rows are computation dtypes, columns outputs.
const char kConversions[] =
    // f32 f16 f64 bf16 s8 u8 s16 u16 s32 u32 s64 u64 bool c32 c64 c128
    "y y y y n n n n n n n n n n y y "  // f32
    "y y y y n n n n n n n n n n y y "
    "y y y y n n n n n n n n n n y y "
    "y y y y n n n n n n n n n n y y "
    "y y y y y y y y y y y y n n y y "  // s8
    "y y y y y y y y y y y y n n y y "
    "y y y y y y y y y y y y n n y y "
    "y y y y y y y y y y y y n n y y "
    "y y y y y y y y y y y y n n y y "
    "y y y y y y y y y y y y n n y y "
    "y y y y y y y y y y y y n n y y "
    "y y y y y y y y y y y y n n y y "
    "y y y y y y y y y y y y y n y y "  // bool
    "n n n n n n n n n n n n n y n n "  // c32
    "n n n n n n n n n n n n n n y y "
    "n n n n n n n n n n n n n n y y ";

std::string Short(std::optional<DType> dtype) {
  static const std::map<DType, std::string> names = {
      {DType::kFloat32, "f32"},    {DType::kFloat16, "f16"},   {DType::kFloat64, "f64"},
      {DType::kBFloat16, "bf16"},  {DType::kInt8, "s8"},       {DType::kUInt8, "u8"},
      {DType::kInt16, "s16"},      {DType::kUInt16, "u16"},    {DType::kInt32, "s32"},
      {DType::kUInt32, "u32"},     {DType::kInt64, "s64"},     {DType::kUInt64, "u64"},
      {DType::kBool, "bool"},      {DType::kComplex32, "c32"}, {DType::kComplex64, "c64"},
      {DType::kComplex128, "c128"}};
  return dtype ? names.at(*dtype) : "-";
}

template <typename F>
void ExpectTable(const char* table, F&& cell) {
  std::istringstream words(table);
  std::string expected;
  for (DType row : kOrder) {
    for (DType column : kOrder) {
      ASSERT_TRUE(words >> expected);
      EXPECT_EQ(cell(row, column), expected) << NameOf(row) << " with " << NameOf(column);
    }
  }
  EXPECT_FALSE(words >> expected);
}

TEST(Promotion, OfTwoTensors) {
  ExpectTable(kTensors, [](DType a, DType b) { return Short(PromoteTensors(a, b)); });
}

TEST(Promotion, OfATensorAndAScalar) {
  ExpectTable(kTensorAndScalar,
              [](DType a, DType b) { return Short(PromoteTensorAndScalar(a, b)); });
}

TEST(Promotion, OfAResultToItsOutput) {
  ExpectTable(kConversions,
              [](DType a, DType b) { return std::string(ResultConverts(a, b) ? "y" : "n"); });
}

TEST(Promotion, OtherDTypesMeetOnlyThemselves) {
  EXPECT_EQ(PromoteTensors(DType::kInt4, DType::kInt4), DType::kInt4);
  EXPECT_EQ(PromoteTensors(DType::kInt4, DType::kFloat32), std::nullopt);
  EXPECT_EQ(PromoteTensorAndScalar(DType::kString, DType::kBool), std::nullopt);
  EXPECT_EQ(PromoteTensorAndScalar(DType::kFloat32, DType::kHiFloat8), std::nullopt);
  EXPECT_FALSE(ResultConverts(DType::kInt4, DType::kFloat32));
}

}  // namespace
}  // namespace aclimb::contract
