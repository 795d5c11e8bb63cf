#include "aclimb/pieces/view.h"

#include <algorithm>

namespace aclimb::pieces {

View::View(const contract::Arguments& arguments, int parameter, int element)
    : parameter_(parameter), element_(element) {
  const TensorDescriptor& tensor = element < 0
                                       ? arguments.Tensor(parameter)
                                       : arguments.Tensor(parameter, static_cast<size_t>(element));
  dtype_ = tensor.dtype;
  rank_ = tensor.rank();
  std::ranges::copy(tensor.shape, extent_);
  // A stride by which nothing is reached is whatever the program says, and may not fit any sum.
  if (tensor.IsEmpty()) return;
  for (int d = 0; d < rank_; ++d) {
    if (extent_[d] > 1) stride_[d] = tensor.stride[static_cast<size_t>(d)];
  }
}

bool View::IsEmpty() const {
  return std::any_of(extent_, extent_ + rank_, [](int64_t extent) { return extent == 0; });
}

View View::Narrow(int d, int64_t first, int64_t extent, int64_t step) const {
  View part = *this;
  part.extent_[d] = extent;
  if (extent > 0) part.offset_ += first * stride_[d];
  part.stride_[d] = extent > 1 ? stride_[d] * step : 0;
  return part;
}

View View::Select(int d, int64_t index) const {
  View part = Narrow(d, index, 1);
  std::copy(extent_ + d + 1, extent_ + rank_, part.extent_ + d);
  std::copy(stride_ + d + 1, stride_ + rank_, part.stride_ + d);
  --part.rank_;
  return part;
}

View View::Permute(std::span<const int64_t> dims) const {
  View part = *this;
  for (int i = 0; i < rank_; ++i) {
    part.extent_[i] = extent_[dims[static_cast<size_t>(i)]];
    part.stride_[i] = stride_[dims[static_cast<size_t>(i)]];
  }
  return part;
}

View View::Flip(int d) const {
  View part = Narrow(d, std::max<int64_t>(0, extent_[d] - 1), extent_[d]);
  part.stride_[d] = -stride_[d];
  return part;
}

View View::Split(int d, int64_t inner) const {
  View part = Repeat(d, inner == 0 ? 0 : extent_[d] / inner);
  if (part.extent_[d] > 1) part.stride_[d] = stride_[d] * inner;
  part.extent_[d + 1] = inner;
  return part;
}

View View::Repeat(int d, int64_t extent) const {
  View part = *this;
  std::copy_backward(extent_ + d, extent_ + rank_, part.extent_ + rank_ + 1);
  std::copy_backward(stride_ + d, stride_ + rank_, part.stride_ + rank_ + 1);
  part.extent_[d] = extent;
  part.stride_[d] = 0;
  ++part.rank_;
  return part;
}

View View::BroadcastTo(const View& other) const {
  View part = *this;
  while (part.rank_ < other.rank_)
    part = part.Repeat(0, other.extent(other.rank_ - part.rank_ - 1));
  for (int d = 0; d < part.rank_; ++d) {
    if (part.extent_[d] == other.extent_[d]) continue;
    part.extent_[d] = other.extent_[d];
    part.stride_[d] = 0;
  }
  return part;
}

View View::Diagonal(int d, int64_t extent) const {
  const int64_t stride = stride_[d] + stride_[d + 1];
  View part = Select(d + 1, 0);
  part.extent_[d] = extent;
  part.stride_[d] = stride;
  return part;
}

View View::Real() const {
  View part = *this;
  part.dtype_ = dtype_ == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
  part.offset_ *= 2;
  for (int64_t& stride : part.stride_) stride *= 2;
  return part;
}

View View::Imaginary() const {
  View part = Real();
  ++part.offset_;
  return part;
}

}  // namespace aclimb::pieces
