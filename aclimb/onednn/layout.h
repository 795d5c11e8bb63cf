#pragma once

#include <cstdint>
#include <memory>

#include "aclimb/core/tensor_view.h"

namespace aclimb::onednn {

// How a tensor lies in memory: oneDNN's blocked formats, or the strides of a view.
class Layout;
using LayoutPointer = std::shared_ptr<const Layout>;

bool SameLayout(const LayoutPointer& a, const LayoutPointer& b);
int64_t BytesOf(const LayoutPointer& layout);

// The layout of any view, dimension by dimension, for copies between views. Null when oneDNN cannot
// describe it: other dtypes than float32 and bfloat16, elements that share memory, no elements.
LayoutPointer StridedLayout(const TensorView& view);

}  // namespace aclimb::onednn
