#include "aclimb/core/product.h"

namespace aclimb {
namespace {

struct SocRow {
  std::string_view name;
  Product product;
};

constexpr SocRow kSocs[] = {
    {"Ascend310P", Product::kInference310P},
    {"Ascend310P1", Product::kInference310P},
    {"Ascend310P2", Product::kInference310P},
    {"Ascend310P3", Product::kInference310P},
    {"Ascend310P4", Product::kInference310P},
    {"Ascend310P5", Product::kInference310P},
    {"Ascend310P6", Product::kInference310P},
    {"Ascend310P7", Product::kInference310P},
    {"Ascend910", Product::kTraining910},
    {"Ascend910A", Product::kTraining910},
    {"Ascend910B", Product::kTraining910},
    {"Ascend910ProA", Product::kTraining910},
    {"Ascend910ProB", Product::kTraining910},
    {"Ascend910PremiumA", Product::kTraining910},
    {"Ascend910B1", Product::kA2},
    {"Ascend910B2", Product::kA2},
    {"Ascend910B2C", Product::kA2},
    {"Ascend910B3", Product::kA2},
    {"Ascend910B4", Product::kA2},
    {"Ascend910B4-1", Product::kA2},
};

}  // namespace

std::string_view NameOf(Product product) {
  switch (product) {
    case Product::kInference310P:
      return "Atlas inference (Ascend310P)";
    case Product::kTraining910:
      return "Atlas training (Ascend910)";
    case Product::kA2:
      return "Atlas A2 (Ascend910B1 to B4)";
    case Product::kA3:
      return "Atlas A3 (Ascend910_93)";
    case Product::k950:
      return "Ascend 950";
  }
  return "";
}

std::optional<Product> ProductOfSoc(std::string_view soc_name) {
  for (const SocRow& row : kSocs) {
    if (row.name == soc_name) return row.product;
  }
  if (soc_name.starts_with("Ascend910_93")) return Product::kA3;
  if (soc_name.starts_with("Ascend950")) return Product::k950;
  return std::nullopt;
}

std::string_view SocNamesText() {
  return "Ascend910B1, Ascend910B2, Ascend910B2C, Ascend910B3, Ascend910B4, Ascend910B4-1, "
         "Ascend910_93*, Ascend950*, Ascend910, Ascend910A, Ascend910B, Ascend910ProA, "
         "Ascend910ProB, Ascend910PremiumA, Ascend310P, Ascend310P1 to Ascend310P7";
}

}  // namespace aclimb
