#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/expected_shape.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_affine_grid.h"

namespace aclimb::affine_grid {

// Parameter positions, in the order of the C function.
enum : int { kTheta, kSize, kAlignCorners, kOut };

inline constexpr auto kFloats = contract::AndBFloat16(DType::kFloat32, DType::kFloat16);

inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(contract::Input("theta", kFloats, "affine maps: [N, 2, 3] or [N, 3, 4]"), 3,
                       3),
    contract::Attribute("size", contract::Kind::kIntArray,
                        "shape of the images, [N, C, H, W], or of volumes, [N, C, D, H, W]"),
    contract::Attribute(
        "alignCorners", contract::Kind::kBool,
        "true: the ends are the centers of the outer elements; false: their edges are"),
    contract::WithRank(contract::Output("out", kFloats,
                                        "places (x, y): [N, H, W, 2], or (x, y, z): "
                                        "[N, D, H, W, 3]"),
                       4, 5),
};

inline std::optional<std::string> OtherSize(const contract::Arguments& arguments) {
  const IntArrayValue& size = arguments.Ints(kSize);
  const bool fits =
      (size.size() == 4 || size.size() == 5) &&
      std::all_of(size.begin(), size.end(), [](int64_t extent) { return extent > 0; });
  if (fits) return std::nullopt;
  return Cat("size is ", contract::IntsText(size),
             "; expected [N, C, H, W] or [N, C, D, H, W], each at least 1.");
}
inline std::optional<std::string> OtherMaps(const contract::Arguments& arguments) {
  const IntArrayValue& size = arguments.Ints(kSize);
  const auto axes = static_cast<int64_t>(size.size()) - 2;
  return contract::OtherShape("theta", arguments.Tensor(kTheta), {size[0], axes, axes + 1},
                              Cat("size ", contract::IntsText(size)));
}
inline std::optional<std::string> OtherGrid(const contract::Arguments& arguments) {
  const IntArrayValue& size = arguments.Ints(kSize);
  std::vector<int64_t> expected = {size[0]};
  expected.insert(expected.end(), size.begin() + 2, size.end());
  expected.push_back(static_cast<int64_t>(size.size()) - 2);
  return contract::OtherShape("out", arguments.Tensor(kOut), expected,
                              Cat("size ", contract::IntsText(size)));
}

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/out", kOut, kTheta, "allocate out with the dtype of theta"),
    contract::Custom("extents/size", &OtherSize, "size has 4 or 5 numbers of at least 1",
                     "pass the shape of the images"),
    contract::Custom("shape/theta", &OtherMaps, "theta has a map for each image",
                     "pass a map of 2 by 3 for each image, or of 3 by 4 for each volume"),
    contract::Custom("shape/out", &OtherGrid, "out has a place for each element of an image",
                     "allocate out with that shape"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnAffineGrid",
    .folder = "affine_grid",
    .summary =
        "A sampling grid of affine maps: the place in the input of each element of the output.",
    .products =
        Bit(Product::kTraining910) | Bit(Product::kA2) | Bit(Product::kA3) | Bit(Product::k950),
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnAffineGridGetWorkspaceSize)>(kContract));

}  // namespace aclimb::affine_grid
