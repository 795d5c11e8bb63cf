#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "aclimb/core/tensor_view.h"
#include "aclimb/onednn/instructions.h"
#include "aclimb/onednn/layout.h"
#include "aclimb/onednn/reorder.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/ops/convolution_backward/ways.h"

// The convolutions of oneDNN. Phase 1 may call the functions on any thread, inside parallel regions
// too: layouts are only described, and primitives and reorders are made on a short-lived thread of
// their own, when they are not cached. Run opens a team and belongs on an engine's thread.
namespace aclimb::convolution_backward::onednn {

using aclimb::onednn::BytesOf;
using aclimb::onednn::HasAvx512;
using aclimb::onednn::LayoutPointer;
using aclimb::onednn::MakeReorder;
using aclimb::onednn::ReorderPointer;
using aclimb::onednn::SameLayout;

// What this processor has for operands of float32 or bfloat16, and this process and oneDNN may use
// (DNNL_MAX_CPU_ISA). Without AVX-512 both are multiplied in float32.
Products ProductsOf(DType operand);

// Whether bfloat16 is better multiplied in float32: without tiles, Intel's processors take longer
// for a dot product of pairs than for the two float32 products that it stands for.
bool MultipliesFasterInFloat32();

// The layout of an embedded view, in the role of what the task gives. Null when oneDNN cannot
// describe it: other dtypes than float32 and bfloat16, elements that share memory, no elements.
LayoutPointer LayoutOf(const Geometry& geometry, const TensorView& view, Task role);

// An operand and the memory of a layout as views of the same shape: what the layout has in blocks
// is a dimension of its own. A copy from one to the other is a copy into the layout, or out of it.
struct Blocks {
  TensorView tensor, memory;  // memory without address
  bool has_blocks = false;    // beyond the tensor's own dimensions
};
// Nothing where the layout pads, holds more than the elements, or has too many dimensions.
std::optional<Blocks> BlocksOf(const Geometry& geometry, const TensorView& tensor, Task role,
                               const LayoutPointer& layout);

// One of the three tasks of a convolution.
class Primitive {
 public:
  virtual ~Primitive() = default;
  const Triple<LayoutPointer>& layouts() const { return layouts_; }
  int64_t ScratchBytes() const { return scratch_bytes_; }
  std::string_view Name() const { return name_; }
  // The task's result is the one of x, y and weight that is written.
  //   bias  float32, for each channel of y; only where the request has one
  virtual void Run(void* x, void* y, void* weight, void* scratch, void* bias = nullptr) const = 0;

 protected:
  Primitive(Triple<LayoutPointer> layouts, int64_t scratch_bytes, std::string name)
      : layouts_(std::move(layouts)), scratch_bytes_(scratch_bytes), name_(std::move(name)) {}

 private:
  const Triple<LayoutPointer> layouts_;
  const int64_t scratch_bytes_;
  const std::string name_;
};
using PrimitivePointer = std::shared_ptr<const Primitive>;

struct Request {
  Geometry geometry;
  Task task = Task::kForward;
  DType operand = DType::kFloat32;  // float32 or bfloat16
  DType result = DType::kFloat32;   // as operand, or float32 for bfloat16
  int threads = 1;                  // team of the run
  Layouts layouts = Layouts::kBlocked;
  bool bias = false;  // added to what kForward gives

  bool operator==(const Request&) const = default;
};

// Null when oneDNN has no vectorised implementation for the request: never its reference code; and
// where its sums are longer than LongestSum, unless they are gradients of the weight and those of
// one image are not: then they are made of parts, with a result in float32. Its matrix product, of
// which an image's windows are the columns, is taken only where the layouts ask for it, and while
// its scratch, which grows with the team, is bounded. Recent answers are kept in a bounded cache,
// so that code is generated once for a layer that trains. Thread-safe. Throws std::bad_alloc when
// memory is short and std::system_error when no thread can be started; neither is remembered.
//   refusal  why it is null
PrimitivePointer MakePrimitive(const Request& request, Refusal* refusal = nullptr);

}  // namespace aclimb::convolution_backward::onednn
