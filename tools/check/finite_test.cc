#include "tools/check/finite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "aclimb/core/dtype.h"

namespace aclimb::check {
namespace {

std::optional<NotFinite> FirstOf(const std::vector<float>& data, const std::vector<int64_t>& shape,
                                 const std::vector<int64_t>& strides) {
  AclimbAccess view = {};
  view.dtype = static_cast<int32_t>(DType::kFloat32);
  view.element_bytes = 4;
  view.rank = static_cast<int32_t>(shape.size());
  view.shape = shape.data();
  view.strides = strides.data();
  return FirstNotFinite(view, data.data());
}

struct Strided {
  std::vector<int64_t> shape, strides;
};

// Dense, with a gap between rows, with one between planes, transposed, and broadcast.
const Strided kStrided[] = {{{2, 3, 4}, {12, 4, 1}},
                            {{2, 3, 4}, {18, 6, 1}},
                            {{2, 3, 4}, {16, 4, 1}},
                            {{4, 3, 2}, {1, 4, 12}},
                            {{2, 3, 4}, {0, 4, 1}}};

TEST(Finite, TheFirstElementIsNamedByItsPlace) {
  for (const Strided& view : kStrided) {
    for (int64_t i = 0; i < view.shape[0]; ++i) {
      for (int64_t j = 0; j < view.shape[1]; ++j) {
        for (int64_t k = 0; k < view.shape[2]; ++k) {
          std::vector<float> data(40, 1);
          EXPECT_FALSE(FirstOf(data, view.shape, view.strides));
          const int64_t place = i * view.strides[0] + j * view.strides[1] + k * view.strides[2];
          data[static_cast<size_t>(place)] = -INFINITY;
          const auto found = FirstOf(data, view.shape, view.strides);
          ASSERT_TRUE(found) << place;
          // Where all planes are one, the first of them has it too.
          const int64_t plane = view.strides[0] == 0 ? 0 : i;
          EXPECT_EQ(found->where, "[" + std::to_string(plane) + ", " + std::to_string(j) + ", " +
                                      std::to_string(k) + "]");
          EXPECT_EQ(found->value, -INFINITY);
        }
      }
    }
  }
}

TEST(Finite, GapsAndWhatIsEmptyHoldNothing) {
  std::vector<float> data(40, NAN);
  EXPECT_FALSE(FirstOf(data, {2, 0, 4}, {4, 4, 1}));
  for (const int place : {0, 1, 6, 7}) data[static_cast<size_t>(place)] = 1;
  EXPECT_FALSE(FirstOf(data, {2, 2}, {6, 1}));
  const auto found = FirstOf(data, {2, 3}, {6, 1});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->where, "[0, 2]");
  EXPECT_TRUE(std::isnan(found->value));
  EXPECT_EQ(FirstOf(data, {}, {}).has_value(), false);
}

}  // namespace
}  // namespace aclimb::check
