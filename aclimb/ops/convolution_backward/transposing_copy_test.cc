// Copies into blocked layouts and out of them: on every instruction set against loops over
// elements, and against oneDNN's own reorders.

#include "aclimb/ops/convolution_backward/transposing_copy.h"

#include <gtest/gtest.h>

#include <vector>

#include "aclimb/ops/convolution_backward/convert.h"
#include "aclimb/ops/convolution_backward/fenced_tensor.h"
#include "aclimb/ops/convolution_backward/onednn.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"
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
  int pair = -1;  // this dimension has two elements
};

// Dimensions: images, blocks, channels (or what is paired with them), pixels.
const Orders kOrders[] = {
    {"channels last", {0, 1, 2, 3}, {0, 3, 1, 2}},
    {"from channels last", {0, 3, 1, 2}, {0, 1, 2, 3}},
    {"blocks", {0, 1, 2, 3}, {0, 1, 3, 2}},
    {"from blocks", {0, 1, 3, 2}, {0, 1, 2, 3}},
    {"rows in turns", {0, 1, 2, 3}, {0, 2, 3, 1}, 1},
    {"turns to rows", {0, 2, 3, 1}, {0, 1, 2, 3}, 1},
    {"pairs in blocks", {0, 1, 2, 3}, {0, 3, 2, 1}, 1},
    {"from pairs in blocks", {0, 3, 2, 1}, {0, 1, 2, 3}, 1},
};

TEST(TransposingCopies, EveryOrderOnEveryTarget) {
  int found = 0;
  EachTarget([&] {
    Random random(7);
    for (const Orders& orders : kOrders) {
      for (int turn = 0; turn < 60; ++turn) {
        const DType from_dtype = kDTypes[random.Integer(0, 2)];
        const DType to_dtype = random.Chance(0.5) ? from_dtype : kDTypes[random.Integer(0, 2)];
        std::vector<int64_t> shape = {random.Integer(1, 3), random.Integer(1, 4),
                                      random.Integer(1, 70), random.Integer(1, 70)};
        if (turn == 0) shape = {1, 2, 300, 515};  // more than one piece
        if (orders.pair >= 0) shape[static_cast<size_t>(orders.pair)] = 2;
        const int64_t gap = orders.pair < 0 ? random.Integer(0, 1) : 0;
        SCOPED_TRACE(::testing::Message()
                     << orders.name << ", " << NameOf(from_dtype) << " to " << NameOf(to_dtype)
                     << ", " << shape[0] << " x " << shape[1] << " x " << shape[2] << " x "
                     << shape[3] << ", gap " << gap);
        // Gaps lie where rows end, on the side whose neighbours are not one element apart there.
        Tensor from = Ordered(shape, orders.from, from_dtype, 0);
        Tensor to = Ordered(shape, orders.to, to_dtype, 0);
        if (gap > 0) {
          shape[3] += gap;
          Tensor& wide = random.Chance(0.5) ? from : to;
          wide = Ordered(shape, &wide == &from ? orders.from : orders.to,
                         &wide == &from ? from_dtype : to_dtype, 0);
          wide.view.shape[3] -= gap;
        }
        from.Fill(random);
        found += TransposingCopy::Find(from.view, to.view).has_value();
        Convert(from.view, to.view, random.Chance(0.5));
        ASSERT_EQ(to.Values(), from.Values());
        ASSERT_TRUE(to.GapsAreUntouched());
      }
    }
  });
  EXPECT_GT(found, 60);
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
    EXPECT_TRUE(finds({2, 3, 16, 49}, kOrders[k], bf16, bf16)) << kOrders[k].name;
    EXPECT_TRUE(finds({2, 3, 16, 49}, kOrders[k], f16, f32)) << kOrders[k].name;
    EXPECT_FALSE(finds({2, 1, 16, 7}, kOrders[k], f32, f32)) << kOrders[k].name;
    EXPECT_FALSE(finds({2, 1, 3, 49}, kOrders[k], f32, f32)) << kOrders[k].name;
  }
  for (int k = 4; k < 6; ++k) {
    EXPECT_TRUE(finds({2, 2, 16, 49}, kOrders[k], f32, f32)) << kOrders[k].name;
    EXPECT_FALSE(finds({2, 2, 16, 49}, kOrders[k], f16, f32)) << kOrders[k].name;
    EXPECT_FALSE(finds({2, 2, 1, 16}, kOrders[k], bf16, bf16)) << kOrders[k].name;
  }
  for (int k = 6; k < 8; ++k) {
    EXPECT_TRUE(finds({2, 2, 16, 9}, kOrders[k], bf16, bf16)) << kOrders[k].name;
    EXPECT_FALSE(finds({2, 2, 16, 9}, kOrders[k], f32, f32)) << kOrders[k].name;
  }
  EXPECT_FALSE(finds({2, 3, 16, 49}, {"none", {0, 1, 2, 3}, {0, 1, 2, 3}}, f32, f32));
  EXPECT_FALSE(finds({0, 3, 16, 49}, kOrders[0], f32, f32));
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
      {{2, 32, 4, 6, 5}, {2, 64, 4, 6, 5}, {64, 32, 3, 3, 3}, 1},
      {{2, 64, 10, 10}, {2, 64, 10, 10}, {64, 32, 3, 3}, 2},
      {{2, 48, 7, 7}, {2, 48, 7, 7}, {48, 1, 3, 3}, 48},
      {{2, 20, 9, 9}, {2, 24, 9, 9}, {24, 20, 3, 3}, 1},  // padded where blocked
  };
  Random random(9);
  int compared = 0;
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
        const auto compare = [&](const std::vector<int64_t>& shape, onednn::Operand role,
                                 const onednn::LayoutPointer& layout) {
          Tensor plain(shape, dtype), back(shape, dtype);
          plain.Fill(random);
          const TensorView tensor = Embed(plain.view);
          const auto blocks = onednn::BlocksOf(geometry, tensor, role, layout);
          const auto user = onednn::LayoutOf(geometry, tensor, role);
          const auto reorder = onednn::MakeReorder(user, layout, 1);
          if (!blocks || reorder == nullptr) return;
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
        compare(p.x, onednn::Operand::kX, primitive->X());
        compare(p.y, onednn::Operand::kY, primitive->Y());
        compare(p.weight, onednn::Operand::kWeight, primitive->Weight());
      }
    }
  }
  EXPECT_GT(compared, 40);
}

}  // namespace
}  // namespace aclimb::convolution_backward
