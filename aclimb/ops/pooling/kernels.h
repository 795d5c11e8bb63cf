#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "aclimb/ops/pooling/windows.h"
#include "aclimb/simd/slots.h"

// Kernels on dense planes of float32, one after the other. No result depends on the threads.
namespace aclimb::pooling {

// A piece of a loop has about so many elements.
inline constexpr int64_t kPiece = 1 << 15;

// ---- The largest of each window

// Each plane has `stride` bytes, which need not be aligned: the indices of its maxima, then zeros.
struct Indices {
  char* at = nullptr;  // null: nobody wants them
  int64_t stride = 0;
  bool told = true;   // false: zeros alone
  bool wide = false;  // INT64 instead of INT32
};

struct MaxArgs {
  Windows windows;
  const void* input;  // float32, unless the function says otherwise
  void* output;
  Indices indices;
  SlotMemory rows = {};  // see MaxPoolSideBySide()
};
// These functions return false when the run was cancelled.
[[nodiscard]] bool MaxPool(const MaxArgs& args);
// This one takes groups of planes that lie side by side. So do the outputs and the indices, which
// are INT32; or they lie one after the other: then `rows` has room for rows of both, side by side.
[[nodiscard]] bool MaxPoolSideBySide(const MaxArgs& args);
// This one takes windows that share planes equally. The axes say how many there are. T: float or
// double.
template <typename T>
[[nodiscard]] bool AdaptiveMaxPool(const MaxArgs& args);

struct MaxGradientArgs {
  Windows windows;
  const float* grad_output;
  float* grad_input;
  Indices indices;       // not told: windows have one element each
  SlotMemory sums = {};  // planes of double, for sums of many terms; no data: sums are float32
};
[[nodiscard]] bool MaxGradient(const MaxGradientArgs& args);
// This one takes groups of planes that lie side by side, as all operands do. Indices are told, and
// their stride is not looked at. Sums are float32.
[[nodiscard]] bool MaxGradientSideBySide(const MaxGradientArgs& args);
// True where that gives every thread something to do, if one plane after the other would.
bool SharesSideBySide(const Windows& windows);

// ---- The mean of each window

// These are windows of either kind along one dimension. Window `o` has the elements of Of(o), and
// its sums are divided by Divisor(o).
class MeanWindows {
 public:
  // The sums of these windows are divided by their length, with what is in the padding or without.
  static MeanWindows Sliding(const Axis& axis, bool with_padding);
  static MeanWindows Adaptive(int64_t in, int64_t out);

  bool adaptive() const { return adaptive_; }
  const Axis& axis() const { return axis_; }
  int64_t in() const { return axis_.in; }
  int64_t out() const { return axis_.out; }
  Range Of(int64_t o) const;
  double Divisor(int64_t o) const;
  // These windows have the element.
  Range Having(int64_t element) const;

 private:
  Axis axis_;
  bool adaptive_ = false;
  bool with_padding_ = false;
};

// A window along one dimension has these elements. Its sum is multiplied by `part`.
struct MeanWindow : Range {
  double part;
};

struct MeanArgs {
  int64_t planes = 1;
  MeanWindows depth, height, width;
  double divisor = 0;  // of all sums instead of those of the windows, unless it is 0
  const float* from = nullptr;
  float* to = nullptr;
  int64_t inner = 1;              // planes that lie side by side: `planes` groups of so many
  SlotMemory side_by_side = {};   // as `rows` of MaxArgs
  MeanWindow* windows = nullptr;  // room for those of all dimensions, see FindWindows()
  double* rows = nullptr;         // `slots` of MeanSlot() numbers
  int64_t slots = 1;

  // Whether so many terms are divided by so much that no sum of finite ones overflows on its way.
  // Gradients of windows that padding cuts short may, as in PyTorch.
  bool KeepsInRange(int64_t terms) const {
    return divisor == 0 || std::fabs(divisor) >= static_cast<double>(terms);
  }
  const MeanWindow* Layers() const { return windows; }
  const MeanWindow* Lines() const { return Layers() + depth.out(); }
  const MeanWindow* Columns() const { return Lines() + height.out(); }
};
// Whether rows are computed in vectors of windows, or of elements.
bool IsSliding(const MeanWindows& width);
// One thread needs so many numbers of scratch memory.
int64_t MeanSlot(const MeanWindows& width);
[[nodiscard]] bool MeanPool(const MeanArgs& args);
// MeanGradient goes from the gradient of the means to that of the planes.
[[nodiscard]] bool MeanGradient(const MeanArgs& args);
// These take planes that lie side by side, and add up the elements of each window. Outputs lie as
// those of MaxPoolSideBySide(), gradients of planes lie side by side.
[[nodiscard]] bool MeanPoolSideBySide(const MeanArgs& args);
[[nodiscard]] bool MeanGradientSideBySide(const MeanArgs& args);
// FindWindows fills in `windows`. The sum of a window of a plane is multiplied by the three parts.
void FindWindows(const MeanArgs& args);

// ---- Columns of windows

struct ColumnArgs {
  Windows windows;
  const void* from = nullptr;
  void* to = nullptr;
  SlotMemory sums = {};  // as that of MaxGradientArgs
};
// A plane becomes kH * kW rows with an element of each window. Elements have 2 or 4 bytes.
[[nodiscard]] bool MakeColumns(const ColumnArgs& args, size_t element);
// Each element of a plane is the sum of those that such rows have of it. All are float32.
[[nodiscard]] bool SumColumns(const ColumnArgs& args);

}  // namespace aclimb::pooling
