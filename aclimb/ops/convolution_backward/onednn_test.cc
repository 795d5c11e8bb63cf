// Layouts of oneDNN's choice as views, and columns of windows one by one.

#include "aclimb/ops/convolution_backward/onednn.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "aclimb/copy/copy.h"
#include "aclimb/ops/convolution_backward/test_operands.h"

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
          ASSERT_TRUE(copy::Copy(blocks->tensor, memory));
          EXPECT_EQ(std::memcmp(theirs.data(), ours.data(), bytes), 0);
          TensorView out = blocks->tensor;
          out.data = back.view.data;
          ASSERT_TRUE(copy::Copy(memory, out));
          EXPECT_EQ(back.Values(), plain.Values());
          ++compared;
        };
        SCOPED_TRACE(::testing::Message() << primitive->Name() << ", " << p.weight[0] << " x "
                                          << p.weight[1] << ", " << NameOf(dtype));
        compare(p.x, Task::kGradX, primitive->layouts().x);
        compare(p.y, Task::kForward, primitive->layouts().y);
        compare(p.weight, Task::kGradWeight, primitive->layouts().weight);
      }
    }
  }
  EXPECT_GT(compared, 20);
}

// The plan of one gradient by columns, run on poisoned memory. Nothing where it is refused.
std::vector<double> ByColumns(const Operands& operands, Task task, DType dtype) {
  const Tensor result = operands.Result(task, dtype);
  const TensorView views[] = {operands.x.view, operands.y.view, operands.weight.view, result.view};
  Place places[4];
  TensorUse uses[4];
  BoundTensor bound[4];
  for (int i = 0; i < 4; ++i) {
    uses[i].parameter = places[i].parameter = i;
    places[i].view = views[i];
    bound[i].kernel_data = views[i].data;
  }
  const bool forward = task == Task::kForward;
  Planner planner(false);
  PlanBuilder builder(planner, operands.geometry, forward, places[forward ? 0 : 1],
                      places[forward ? 1 : 0], places[2]);
  if (builder.AddBy(Way::kColumns, task, places[3]) != nullptr) return {};
  const auto bytes = static_cast<size_t>(planner.workspace().Size());
  const Fenced workspace((bytes + 63) / 64 * 64, true);
  std::memset(workspace.data(), 0xFF, bytes);
  builder.Take()->Run(RunContext(uses, bound, workspace.data()));
  return result.Values();
}

// Columns that reach beyond the image on either side, or meet nothing, and lines and slices too.
TEST(ColumnsOfWindows, MeetTheTruth) {
  const Axis none, gaps = {26, 3, 1, 9, 9, 9};
  const Geometry geometries[] = {
      GeometryOf(2, 16, 32, {none, {20, 3, 1, 1, 1, 1}, gaps}),
      GeometryOf(1, 32, 16, {none, gaps, {17, 5, 1, 10, 20, 20}}),
      GeometryOf(1, 16, 16, {{4, 3, 1, 1, 1, 1}, {5, 1}, {30, 4, 1, 8, 8, 16}}),
  };
  Random random(3);
  int compared = 0;
  for (const Geometry& g : geometries) {
    for (const DType dtype : kDTypes) {
      Operands operands(g, {dtype, dtype, dtype}, 1);
      operands.Fill(random);
      for (const Task task : {Task::kGradX, Task::kForward}) {
        SCOPED_TRACE(::testing::Message() << Text(g) << ", " << NameOf(dtype));
        const std::vector<double> got = ByColumns(operands, task, dtype);
        if (got.empty()) continue;
        ++compared;
        ASSERT_NO_FATAL_FAILURE(ExpectRounded(got, operands.Truth(task), dtype));
      }
    }
  }
  EXPECT_GT(compared, 10);
}

}  // namespace
}  // namespace aclimb::convolution_backward
