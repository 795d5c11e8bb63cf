// Layouts of oneDNN's choice as views.

#include "aclimb/ops/convolution_backward/onednn.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "aclimb/ops/convolution_backward/copies/convert.h"
#include "aclimb/ops/convolution_backward/test_fenced_tensor.h"
#include "tests/support/compare.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::Random;

// Layouts of oneDNN's choice, taken apart, are what its reorders make of them.
TEST(ConvolutionLayouts, BlocksAreThoseOfOneDnn) {
  struct Case {
    std::vector<int64_t> x, y, weight;
    int64_t groups;
  };
  const Case problems[] = {
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
  int compared = 0;
  for (const Case& p : problems) {
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
  EXPECT_GT(compared, 20);
}

}  // namespace
}  // namespace aclimb::convolution_backward
