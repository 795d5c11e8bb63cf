#include "aclimb/onednn/layout.h"

#include "aclimb/onednn/adapter.h"

namespace aclimb::onednn {

LayoutPointer Wrap(const dnnl::memory::desc& desc) { return std::make_shared<const Layout>(desc); }

LayoutPointer Describe(Dims dims, Dims strides, DType dtype) {
  // Strides of extent-1 dimensions are arbitrary in a view, but oneDNN compares and checks them.
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i] == 1) strides[i] = i + 1 < dims.size() ? strides[i + 1] * dims[i + 1] : 1;
  }
  const dnnl::memory::desc desc(dims, TypeOf(dtype), strides, true);
  if (desc.data.ndims == 0) return nullptr;
  return Wrap(desc);
}

bool SameLayout(const LayoutPointer& a, const LayoutPointer& b) { return a->desc() == b->desc(); }

int64_t BytesOf(const LayoutPointer& layout) {
  return static_cast<int64_t>(layout->desc().get_size());
}

LayoutPointer StridedLayout(const TensorView& view) {
  if (view.dtype != DType::kFloat32 && view.dtype != DType::kBFloat16) return nullptr;
  if (view.ElementCount() == 0) return nullptr;
  return Describe(Dims(view.shape, view.shape + view.rank),
                  Dims(view.stride, view.stride + view.rank), view.dtype);
}

}  // namespace aclimb::onednn
