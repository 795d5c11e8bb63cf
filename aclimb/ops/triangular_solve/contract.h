#pragma once

#include <optional>
#include <string>

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/core/text.h"
#include "aclnnop/aclnn_triangular_solve.h"

namespace aclimb::triangular_solve {

// Parameter positions, in the order of the C function.
enum : int { kSelf, kA, kUpper, kTranspose, kUnitriangular, kX, kM };

inline constexpr auto kReals = contract::OnAll(contract::DTypes(DType::kFloat32, DType::kFloat64));

inline constexpr contract::Parameter kParameters[] = {
    contract::WithShape(contract::Input("self", kReals, "the right sides"), "*B M N"),
    contract::WithShape(contract::Input("A", kReals, "the matrices"), "*B M M"),
    contract::Attribute("upper", contract::Kind::kBool,
                        "whether the triangle above the diagonal counts, else that below it"),
    contract::Attribute("transpose", contract::Kind::kBool, "whether A is transposed"),
    contract::Attribute("unitriangular", contract::Kind::kBool,
                        "whether the diagonal counts as ones"),
    contract::WithShape(contract::Output("xOut", kReals, "the solutions"), "*B M N"),
    contract::WithShape(
        contract::Output("mOut", kReals, "the triangle of A with its diagonal, 0 elsewhere"),
        "*B M M"),
};

inline std::optional<std::string> UnitriangularDouble(const contract::Arguments& arguments) {
  const DType dtype = arguments.Tensor(kSelf).dtype;
  if (!arguments.Bool(kUnitriangular) || dtype == DType::kFloat32) return std::nullopt;
  return Cat("unitriangular is true and self.dtype is ", NameOf(dtype), "; expected FLOAT.");
}

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/A", kA, kSelf, "convert one of the two"),
    contract::SameDType("same-dtype/xOut", kX, kSelf, "allocate xOut with the dtype of self"),
    contract::SameDType("same-dtype/mOut", kM, kSelf, "allocate mOut with the dtype of self"),
    contract::Custom("unitriangular-dtype", &UnitriangularDouble,
                     "self is FLOAT where unitriangular is true",
                     "pass false and ones on the diagonal of A, or convert to FLOAT"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnTriangularSolve",
    .folder = "triangular_solve",
    .summary = "Solves systems of linear equations whose matrix is a triangle.",
    .products =
        Bit(Product::kTraining910) | Bit(Product::kA2) | Bit(Product::kA3) | Bit(Product::k950),
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnTriangularSolveGetWorkspaceSize)>(kContract));

}  // namespace aclimb::triangular_solve
