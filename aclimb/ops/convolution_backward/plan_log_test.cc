// What ACLIMB_LOG=plan tells of a choice.

#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "aclimb/bridge/bridge.h"
#include "aclimb/ops/convolution_backward/test_operands.h"

namespace aclimb::convolution_backward {
namespace {

class ConvolutionPlanLog : public ::testing::Test {
 protected:
  void SetUp() override { SetLog("plan"); }
  void TearDown() override { SetLog(""); }

  // The lines about the gradients of the input and of the weight.
  static std::string Logged(const Geometry& g, bool deterministic, DType dtype = DType::kFloat32) {
    const Triple<Place> places = DensePlaces(g, dtype);
    ::testing::internal::CaptureStderr();
    Planner planner(deterministic);
    PlanBuilder builder(planner, g, false, places.y, places.x, places.weight);
    builder.AddGradients(places.x, places.weight);
    return ::testing::internal::GetCapturedStderr();
  }

  static size_t Count(const std::string& text, std::string_view part) {
    size_t count = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
    return count;
  }

 private:
  static void SetLog(const char* topics) {
    setenv("ACLIMB_LOG", topics, 1);
    aclimb_settings_reload();
  }
};

constexpr Axis kSame = {28, 3, 1, 1, 1, 1};

TEST_F(ConvolutionPlanLog, ALineForEachGradientNamesEveryWay) {
  const std::string text = Logged(GeometryOf(4, 32, 48, {{}, kSame, kSame}), false);
  EXPECT_EQ(Count(text, "\n"), 2u) << text;
  EXPECT_EQ(Count(text, "convolution: gradInput or output by "), 1u) << text;
  EXPECT_EQ(Count(text, "convolution: gradWeight by "), 1u) << text;
  for (const Way way : kWays) EXPECT_EQ(Count(text, NameOf(way)), 2u) << NameOf(way) << text;
  EXPECT_EQ(Count(text, "; not by "), 2 * (std::size(kWays) - 1)) << text;
}

// Under another ACLIMB_CPU_TARGET this is another kind of processor.
TEST_F(ConvolutionPlanLog, NumbersThatNobodyMeasuredAreCalledThat) {
  const Geometry g = GeometryOf(4, 32, 48, {{}, kSame, kSame});
  constexpr std::string_view kSaid = "were not measured";
  EXPECT_EQ(Count(Logged(g, false), kSaid), 0u);
  const Products products =
      onednn::ProductsOf(onednn::HasAvx512() ? DType::kBFloat16 : DType::kFloat32);
  const bool derived = products == Products::kBFloat16 || products == Products::kBFloat16Tiles;
  EXPECT_EQ(Count(Logged(g, false, DType::kBFloat16), kSaid), derived ? 2u : 0u);
}

TEST_F(ConvolutionPlanLog, RefusalsHaveReasons) {
  Geometry groups = GeometryOf(4, 32, 48, {{}, kSame, kSame});
  groups.groups = 2;
  EXPECT_EQ(Count(Logged(groups, false), "plain layouts: there are groups"), 2u);
  const Geometry one = GeometryOf(4, 32, 48, {{}, kSame, kSame});
  EXPECT_GT(Count(Logged(one, true), "ACL_OPT_DETERMINISTIC is on"), 0u);
  EXPECT_EQ(Count(Logged(one, false), "ACL_OPT_DETERMINISTIC is on"), 0u);
  const Geometry small = GeometryOf(1, 2, 2, {{}, kSame, kSame});
  EXPECT_EQ(Count(Logged(small, false), "blocked layouts: the problem is too small"), 2u);
}

}  // namespace
}  // namespace aclimb::convolution_backward
