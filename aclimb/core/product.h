#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace aclimb {

// The chip families whose dtype lists and refusals differ.
enum class Product : uint8_t {
  kInference310P,  // Ascend310P1..7
  kTraining910,    // Ascend910A, Ascend910B, Ascend910ProA
  kA2,             // Ascend910B1..4, the default
  kA3,             // Ascend910_93xx
  k950,            // Ascend950*
};
inline constexpr int kProductCount = 5;
// In the order of their numbers.
inline constexpr Product kProducts[kProductCount] = {Product::kInference310P, Product::kTraining910,
                                                     Product::kA2, Product::kA3, Product::k950};

inline constexpr uint8_t Bit(Product product) { return uint8_t(1u << static_cast<int>(product)); }
inline constexpr uint8_t kAllProducts = (1u << kProductCount) - 1;

// "Atlas A2 (Ascend910B)" and so on, for messages and documents.
std::string_view NameOf(Product product);

// The family of a SoC name as clients spell it; nothing for an unknown name.
std::optional<Product> ProductOfSoc(std::string_view soc_name);

// The accepted names in one line, for the refusal of an unknown one.
std::string_view SocNamesText();

}  // namespace aclimb
