#include "aclimb/ops/convolution_backward/onednn_parts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "aclimb/core/divide.h"
#include "aclimb/core/text.h"
#include "aclimb/ops/convolution_backward/long_sums.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::convolution_backward::onednn {
namespace {

class Parts final : public Primitive {
 public:
  Parts(PrimitivePointer part, PrimitivePointer rest, int64_t batch, int64_t images,
        LayoutPointer x, LayoutPointer y)
      : part_(std::move(part)),
        rest_(std::move(rest)),
        batch_(batch),
        images_(images),
        x_(std::move(x)),
        y_(std::move(y)),
        name_(Cat(part_->Name(), " in ", CeilDivide(batch, images), " parts")),
        sums_(BytesOf(part_->Weight()) / static_cast<int64_t>(sizeof(float))) {}

  const LayoutPointer& X() const override { return x_; }
  const LayoutPointer& Y() const override { return y_; }
  const LayoutPointer& Weight() const override { return part_->Weight(); }
  std::string_view Name() const override { return name_; }
  int64_t ScratchBytes() const override {
    const int64_t own = std::max(part_->ScratchBytes(), rest_ ? rest_->ScratchBytes() : 0);
    return TotalBytes() + own;
  }

  void Run(void* x, void* y, void* weight, void* scratch) const override {
    // Every part is a block of its own.
    LongSums sums(static_cast<float*>(weight), sums_, 1, static_cast<double*>(scratch));
    const int64_t x_bytes = BytesOf(x_) / batch_, y_bytes = BytesOf(y_) / batch_;
    for (int64_t image = 0; image < batch_ && !IsCancelled(); image += images_) {
      (void)sums.Add(1);
      const Primitive& part = image + images_ <= batch_ ? *part_ : *rest_;
      part.Run(static_cast<char*>(x) + image * x_bytes, static_cast<char*>(y) + image * y_bytes,
               weight, static_cast<char*>(scratch) + TotalBytes());
    }
    sums.Finish();
  }

 private:
  int64_t TotalBytes() const {
    return RoundUp(sums_ * static_cast<int64_t>(sizeof(double)), int64_t{64});
  }

  const PrimitivePointer part_, rest_;
  const int64_t batch_, images_;
  const LayoutPointer x_, y_;
  const std::string name_;
  const int64_t sums_;
};

}  // namespace

PrimitivePointer SumOfParts(PrimitivePointer part, PrimitivePointer rest, int64_t batch,
                            int64_t images) {
  const auto x = OfImages(part->X(), batch), y = OfImages(part->Y(), batch);
  if (x == nullptr || y == nullptr) return nullptr;
  if (rest != nullptr) {
    const auto rest_x = OfImages(rest->X(), batch), rest_y = OfImages(rest->Y(), batch);
    if (rest_x == nullptr || rest_y == nullptr || !SameLayout(rest_x, x) ||
        !SameLayout(rest_y, y) || !SameLayout(rest->Weight(), part->Weight())) {
      return nullptr;
    }
  }
  return std::make_shared<Parts>(std::move(part), std::move(rest), batch, images, x, y);
}

}  // namespace aclimb::convolution_backward::onednn
