#include "aclimb/ops/convolution_backward/copies/convert.h"

#include "aclimb/copy/copy.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/simd/tiles.h"

namespace aclimb::convolution_backward {

void Convert(const TensorView& from, const TensorView& to, bool parallel) {
  if (from.ElementCount() == 0) return;
  const copy::Job job(from, to);
  ForEach(job.chunks(), parallel, [&](int64_t chunk) { job.Run(chunk); });
}

bool IsTransposed(const TensorView& from, const TensorView& to) {
  constexpr int64_t kShortest = 8;
  return Tiles<2>::Across(Walk<2>::Make({&from, &to}), kShortest) >= 0;
}

void Clear(const TensorView& view, bool parallel) {
  // A zero of every storage type, read again and again.
  const float zero = 0.0f;
  TensorView zeros = view;
  zeros.data = const_cast<float*>(&zero);
  zeros.dtype = DType::kFloat32;
  for (int d = 0; d < zeros.rank; ++d) zeros.stride[d] = 0;
  Convert(zeros, view, parallel);
}

}  // namespace aclimb::convolution_backward
