// Copies into blocked layouts and out of them: on every instruction set against loops over
// elements, and against oneDNN's own reorders.

#include "aclimb/ops/convolution_backward/copies/transposing_copy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/core/text.h"
#include "aclimb/ops/convolution_backward/copies/convert.h"
#include "aclimb/ops/convolution_backward/fenced_tensor.h"
#include "aclimb/ops/convolution_backward/onednn.h"
#include "aclimb/simd/each_target.h"
#include "tests/support/compare.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::Random;

// A tensor whose dimensions lie in memory in this order, outermost first.
Tensor Ordered(const std::vector<int64_t>& shape, const std::vector<size_t>& order, DType dtype,
               int64_t gap) {
  std::vector<int64_t> in_memory;
  for (const size_t d : order) in_memory.push_back(shape[d]);
  Tensor tensor(in_memory, dtype, gap);
  const TensorView lies = tensor.view;
  for (size_t k = 0; k < order.size(); ++k) {
    tensor.view.shape[order[k]] = lies.shape[k];
    tensor.view.stride[order[k]] = lies.stride[k];
  }
  return tensor;
}

struct Orders {
  const char* name;
  std::vector<size_t> from, to;
  int pair = -1;        // this dimension has two elements
  bool columns = true;  // two dimensions change places
};

// Dimensions: images, blocks, channels, pixels.
const Orders kOrders[] = {
    {"channels last", {0, 1, 2, 3}, {0, 3, 1, 2}},
    {"from channels last", {0, 3, 1, 2}, {0, 1, 2, 3}},
    {"blocks", {0, 1, 2, 3}, {0, 1, 3, 2}},
    {"from blocks", {0, 1, 3, 2}, {0, 1, 2, 3}},
    {"rows in turns", {0, 1, 2, 3}, {0, 2, 3, 1}, 1, false},
    {"turns to rows", {0, 2, 3, 1}, {0, 1, 2, 3}, 1, false},
    {"pairs in blocks", {0, 1, 2, 3}, {0, 3, 2, 1}, 1},
    {"from pairs in blocks", {0, 3, 2, 1}, {0, 1, 2, 3}, 1},
};

// What the copy promises to find for long dimensions.
bool Known(const Orders& orders, DType from, DType to) {
  if (orders.pair < 0) return true;
  return from == to && (!orders.columns || from != DType::kFloat32);
}

std::string Said(const Orders& orders, DType from, DType to, const std::vector<int64_t>& shape) {
  std::string said = Cat(orders.name, ", ", NameOf(from), " to ", NameOf(to));
  for (const int64_t extent : shape) said += Cat(", ", extent);
  return said;
}

TEST(TransposingCopies, EveryOrderOnEveryTarget) {
  EachTarget([] {
    Random random(7);
    for (const Orders& orders : kOrders) {
      for (int turn = 0; turn < 60; ++turn) {
        const DType from_dtype = kDTypes[random.Integer(0, 2)];
        const DType to_dtype = random.Chance(0.5) ? from_dtype : kDTypes[random.Integer(0, 2)];
        std::vector<int64_t> shape = {random.Integer(1, 3), random.Integer(1, 4),
                                      random.Integer(1, 70), random.Integer(1, 70)};
        if (orders.pair >= 0) shape[static_cast<size_t>(orders.pair)] = 2;
        SCOPED_TRACE(Said(orders, from_dtype, to_dtype, shape));
        Tensor from = Ordered(shape, orders.from, from_dtype, 0);
        Tensor to = Ordered(shape, orders.to, to_dtype, 0);
        if (orders.pair < 0 && random.Chance(0.5)) {
          // One side is cut out of a wider tensor.
          ++shape[3];
          Tensor& wide = random.Chance(0.5) ? from : to;
          wide = &wide == &from ? Ordered(shape, orders.from, from_dtype, 0)
                                : Ordered(shape, orders.to, to_dtype, 0);
          --wide.view.shape[3];
        }
        from.Fill(random);
        Convert(from.view, to.view, random.Chance(0.5));
        ASSERT_EQ(to.Values(), from.Values());
        ASSERT_TRUE(to.GapsAreUntouched());
      }
    }
  });
}

// Pieces are cut along rows, along columns, along both, and may end with one row or column.
TEST(TransposingCopies, LargeOnesInPieces) {
  Random random(8);
  const std::pair<int64_t, int64_t> extents[] = {{300, 515}, {515, 300}, {256, 257}, {257, 256},
                                                 {8, 8193},  {8193, 8},  {2055, 70}, {2100, 2080}};
  const std::pair<DType, DType> dtypes[] = {{DType::kBFloat16, DType::kBFloat16},
                                            {DType::kFloat32, DType::kFloat32},
                                            {DType::kFloat32, DType::kBFloat16},
                                            {DType::kFloat16, DType::kFloat32}};
  for (const Orders& orders : kOrders) {
    for (const auto& [rows, columns] : extents) {
      for (const auto& [from_dtype, to_dtype] : dtypes) {
        if (rows * columns > 1 << 20 && (&orders != kOrders || from_dtype != to_dtype)) continue;
        const std::vector<int64_t> shape = {1, orders.pair < 0 ? 1 : 2, rows, columns};
        SCOPED_TRACE(Said(orders, from_dtype, to_dtype, shape));
        Tensor from = Ordered(shape, orders.from, from_dtype, 0);
        Tensor to = Ordered(shape, orders.to, to_dtype, 0);
        ASSERT_EQ(TransposingCopy::Find(from.view, to.view).has_value(),
                  Known(orders, from_dtype, to_dtype));
        from.Fill(random);
        Convert(from.view, to.view, random.Chance(0.5));
        ASSERT_EQ(to.Values(), from.Values());
      }
    }
  }
}

TEST(TransposingCopies, RoundsToNearestEven) {
  EachTarget([] {
    Random random(11);
    for (int k = 0; k < 4; ++k) {
      const Orders& orders = kOrders[k];
      for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
        const std::vector<int64_t> shape = {2, 2, 24, 45};
        const Tensor from = Ordered(shape, orders.from, DType::kFloat32, 0);
        const Tensor to = Ordered(shape, orders.to, dtype, 0);
        for (int64_t i = 0; i < from.view.ElementCount(); ++i) {
          from.view.As<float>()[i] = static_cast<float>(random.Integer(-(1 << 24), 1 << 24)) / 1024;
        }
        ASSERT_TRUE(TransposingCopy::Find(from.view, to.view));
        Convert(from.view, to.view, false);
        std::vector<double> expected = from.Values();
        for (double& value : expected) {
          char stored[4];
          Save(stored, dtype, value);
          value = Load(stored, dtype);
        }
        ASSERT_EQ(to.Values(), expected) << orders.name << ", " << NameOf(dtype);
      }
    }
  });
}

TEST(TransposingCopies, LooksForNaNsInWhatItWrites) {
  Random random(12);
  for (const Orders& orders : kOrders) {
    for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
      const std::vector<int64_t> shape = {2, 2, 70, 300};
      Tensor from = Ordered(shape, orders.from, dtype, 0);
      // What lies beside the result is NaN.
      Tensor to = Ordered({2, 2, 70, 301}, orders.to, dtype, 0);
      --to.view.shape[3];
      from.Fill(random);
      SCOPED_TRACE(Said(orders, dtype, dtype, shape));
      EXPECT_FALSE(ConvertAndLook(from.view, to.view, true));
      const int64_t count = from.view.ElementCount();
      for (const int64_t index : {int64_t{0}, int64_t{299}, count / 2 + 17, count - 1}) {
        Tensor with = Ordered(shape, orders.from, dtype, 0);
        with.Fill(random);
        with.Set(index, std::nan(""));
        EXPECT_TRUE(ConvertAndLook(with.view, to.view, false)) << index;
      }
    }
  }
}

TEST(TransposingCopies, FindsWhatItIsFor) {
  const auto finds = [](const std::vector<int64_t>& shape, const Orders& orders, DType from,
                        DType to) {
    return TransposingCopy::Find(Ordered(shape, orders.from, from, 0).view,
                                 Ordered(shape, orders.to, to, 0).view)
        .has_value();
  };
  const DType f32 = DType::kFloat32, f16 = DType::kFloat16, bf16 = DType::kBFloat16;
  for (int k = 0; k < 4; ++k) {
    EXPECT_TRUE(finds({2, 3, 16, 49}, kOrders[k], f16, f32)) << kOrders[k].name;
    EXPECT_FALSE(finds({2, 1, 16, 7}, kOrders[k], f32, f32)) << kOrders[k].name;
    EXPECT_FALSE(finds({2, 1, 3, 49}, kOrders[k], f32, f32)) << kOrders[k].name;
  }
  for (int k = 4; k < 6; ++k) {
    EXPECT_TRUE(finds({2, 2, 16, 49}, kOrders[k], f32, f32)) << kOrders[k].name;
    EXPECT_FALSE(finds({2, 2, 1, 16}, kOrders[k], bf16, bf16)) << kOrders[k].name;
  }
  for (int k = 6; k < 8; ++k) {
    EXPECT_TRUE(finds({2, 2, 16, 9}, kOrders[k], bf16, bf16)) << kOrders[k].name;
    EXPECT_FALSE(finds({2, 3, 16, 9}, kOrders[k], bf16, bf16)) << kOrders[k].name;
  }
  EXPECT_FALSE(finds({2, 3, 16, 49}, {"none", {0, 1, 2, 3}, {0, 1, 2, 3}}, f32, f32));
  EXPECT_FALSE(finds({0, 3, 16, 49}, kOrders[0], f32, f32));
}

// Pairs that are an odd number of elements apart are no elements of four bytes.
TEST(TransposingCopies, OddDistancesAreLeftToOthers) {
  Random random(13);
  Tensor from = Ordered({1, 2, 16, 16}, {0, 1, 2, 3}, DType::kBFloat16, 0);
  Tensor to = Ordered({1, 2, 16, 16}, {0, 3, 2, 1}, DType::kBFloat16, 0);
  EXPECT_TRUE(TransposingCopy::Find(from.view, to.view));
  Tensor wide({16 * 33}, DType::kBFloat16);
  to.view.data = wide.view.data;
  to.view.stride[3] = 33;
  EXPECT_FALSE(TransposingCopy::Find(from.view, to.view));
  from.Fill(random);
  Convert(from.view, to.view, false);
  for (int64_t p = 0; p < 2; ++p) {
    for (int64_t c = 0; c < 16; ++c) {
      for (int64_t s = 0; s < 16; ++s) {
        ASSERT_EQ(wide.view.As<uint16_t>()[s * 33 + c * 2 + p],
                  from.view.As<uint16_t>()[(p * 16 + c) * 16 + s]);
      }
    }
  }
}

// Copies of equal dtypes keep the payload of a NaN.
TEST(TransposingCopies, KeepsEveryBit) {
  Tensor from = Ordered({1, 1, 16, 64}, {0, 1, 2, 3}, DType::kBFloat16, 0);
  Tensor to = Ordered({1, 1, 16, 64}, {0, 3, 1, 2}, DType::kBFloat16, 0);
  for (int i = 0; i < 1024; ++i) from.view.As<uint16_t>()[i] = static_cast<uint16_t>(0x7F81 + i);
  Convert(from.view, to.view, false);
  for (int c = 0; c < 16; ++c) {
    for (int s = 0; s < 64; ++s) {
      ASSERT_EQ(to.view.As<uint16_t>()[s * 16 + c], from.view.As<uint16_t>()[c * 64 + s]);
    }
  }
}

// Layouts of oneDNN's choice, taken apart, are what its reorders make of them.
TEST(TransposingCopies, BlocksAreThoseOfOneDnn) {
  struct Problem {
    std::vector<int64_t> x, y, weight;
    int64_t groups;
  };
  const Problem problems[] = {
      {{2, 64, 9, 11}, {2, 32, 9, 11}, {32, 64, 3, 3}, 1},
      {{2, 32, 9, 11}, {2, 96, 9, 11}, {96, 32, 3, 3}, 1},
      {{1, 64, 40}, {1, 64, 40}, {64, 64, 9}, 1},
      {{1, 1024, 5, 5}, {1, 32, 5, 5}, {32, 1024, 1, 1}, 1},
      {{2, 32, 4, 6, 5}, {2, 64, 4, 6, 5}, {64, 32, 3, 3, 3}, 1},
      {{2, 64, 10, 10}, {2, 64, 10, 10}, {64, 32, 3, 3}, 2},
      {{2, 48, 7, 7}, {2, 48, 7, 7}, {48, 1, 3, 3}, 48},
      {{2, 20, 9, 9}, {2, 24, 9, 9}, {24, 20, 3, 3}, 1},  // padded where blocked
  };
  Random random(9);
  int compared = 0, pairs = 0;
  for (const Problem& p : problems) {
    Attributes attributes;
    for (size_t d = 2; d < p.x.size(); ++d) {
      attributes.stride.push_back(1);
      attributes.dilation.push_back(1);
      attributes.pad_begin.push_back(p.weight[d] / 2);
      attributes.pad_end.push_back(p.weight[d] / 2);
    }
    const Geometry geometry = MakeGeometry(p.x, p.y, p.weight, p.groups, attributes);
    for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
      for (const Task task : {Task::kForward, Task::kGradX, Task::kGradWeight}) {
        const auto primitive = onednn::MakePrimitive({geometry, task, dtype, dtype, 1});
        if (primitive == nullptr) continue;
        const auto compare = [&](const std::vector<int64_t>& shape, Task role,
                                 const onednn::LayoutPointer& layout) {
          Tensor plain(shape, dtype), back(shape, dtype);
          plain.Fill(random);
          const TensorView tensor = Embed(plain.view);
          const auto blocks = onednn::BlocksOf(geometry, tensor, role, layout);
          const auto user = onednn::LayoutOf(geometry, tensor, role);
          const auto reorder = onednn::MakeReorder(user, layout, 1);
          if (!blocks || reorder == nullptr) return;
          if (!TransposingCopy::Find(blocks->tensor, blocks->memory)) return;
          pairs += blocks->memory.dtype == DType::kBFloat16 && role == Task::kGradWeight;
          const auto bytes = static_cast<size_t>(onednn::BytesOf(layout));
          const Fenced theirs(bytes, true), ours(bytes, true);
          std::vector<char> scratch(static_cast<size_t>(reorder->ScratchBytes()) + 64);
          reorder->Run(tensor.data, theirs.data(), scratch.data());
          TensorView memory = blocks->memory;
          memory.data = ours.data();
          Convert(blocks->tensor, memory, true);
          EXPECT_EQ(std::memcmp(theirs.data(), ours.data(), bytes), 0);
          TensorView out = blocks->tensor;
          out.data = back.view.data;
          Convert(memory, out, true);
          EXPECT_EQ(back.Values(), plain.Values());
          ++compared;
        };
        SCOPED_TRACE(::testing::Message() << primitive->Name() << ", " << p.weight[0] << " x "
                                          << p.weight[1] << ", " << NameOf(dtype));
        compare(p.x, Task::kGradX, primitive->X());
        compare(p.y, Task::kForward, primitive->Y());
        compare(p.weight, Task::kGradWeight, primitive->Weight());
      }
    }
  }
  if (onednn::ProductsOf(DType::kBFloat16) == Products::kBFloat16Tiles) {
    EXPECT_GT(compared, 40);
    EXPECT_GT(pairs, 5);
  }
}

}  // namespace
}  // namespace aclimb::convolution_backward
