// Prints what an example computed beside what it should have computed.
#ifndef EXAMPLES_REPORT_H_
#define EXAMPLES_REPORT_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

// Outputs start with this value, so that an element which nobody wrote shows.
constexpr float kUntouched = -12345.0f;

// One line for every `columns` numbers.
template <typename T>
void Print(const char* name, const std::vector<T>& values, size_t columns) {
  std::printf("%s\n", name);
  for (size_t i = 0; i < values.size(); ++i) {
    std::printf("%12.8g", static_cast<double>(values[i]));
    if ((i + 1) % columns == 0 || i + 1 == values.size()) {
      std::printf("\n");
    }
  }
}

// Prints both and the verdict; 0 when every element is within `tolerance` of its expected value,
// relative to it when it is larger than 1.
inline int Compare(const char* name, const std::vector<float>& result,
                   const std::vector<float>& expected, size_t columns, double tolerance = 1e-6) {
  Print(name, result, columns);
  Print("  expected", expected, columns);
  size_t wrong = result.size() == expected.size() ? 0 : 1;
  for (size_t i = 0; wrong == 0 && i < expected.size(); ++i) {
    const double allowed = tolerance * std::fmax(1.0, std::fabs(expected[i]));
    // Written so that a NaN fails.
    if (!(std::fabs(static_cast<double>(result[i]) - expected[i]) <= allowed)) {
      ++wrong;
    }
  }
  std::printf("  %s\n\n", wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}

#endif  // EXAMPLES_REPORT_H_
