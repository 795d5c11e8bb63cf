#include "aclimb/matmul/finish.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "aclimb/copy/gather.h"

namespace aclimb::matmul {

Finish::Finish(const Problem& problem, double alpha, double beta)
    : alpha_(alpha),
      beta_(beta),
      has_self_(problem.HasSelf()),
      out_size_(problem.out.Size()),
      out_column_(problem.out.column),
      to_out_(DType::kFloat32, problem.out.dtype) {
  if (!has_self_) return;
  self_size_ = problem.self.Size();
  self_column_ = problem.self.column;
  from_self_ = copy::Converter(problem.self.dtype, DType::kFloat32);
}

template <typename Sum>
void Finish::Block(const Sum* sums, int64_t count, const char* self, char* out) const {
  float computed[kBlock];
  const float* results = computed;
  const Sum alpha = static_cast<Sum>(alpha_);
  if (has_self_) {
    float addends[kBlock];
    double stored[kBlock];  // elements of any dtype
    const float* added = addends;
    const void* from = self;
    if (self_column_ != 1) {
      copy::Gather(static_cast<size_t>(self_size_),
                   copy::RowAt(const_cast<char*>(self), self_column_, count), count, stored);
      from = stored;
    }
    if (from_self_.Changes()) {
      from_self_.Run(from, count, addends);
    } else {
      added = static_cast<const float*>(from);
    }
    const Sum beta = static_cast<Sum>(beta_);
    for (int64_t i = 0; i < count; ++i) {
      computed[i] = static_cast<float>(alpha * sums[i] + beta * static_cast<Sum>(added[i]));
    }
  } else if (std::is_same_v<Sum, float> && alpha == 1) {
    results = reinterpret_cast<const float*>(sums);
  } else {
    for (int64_t i = 0; i < count; ++i) computed[i] = static_cast<float>(alpha * sums[i]);
  }
  float converted[kBlock];
  const void* to_store = results;
  if (to_out_.Changes()) {
    void* const to = out_column_ == 1 ? static_cast<void*>(out) : converted;
    to_out_.Run(results, count, to);
    if (out_column_ == 1) return;
    to_store = converted;
  }
  if (out_column_ == 1) {
    std::memcpy(out, to_store, static_cast<size_t>(count * out_size_));
  } else {
    copy::Scatter(static_cast<size_t>(out_size_), to_store, count,
                  copy::RowAt(out, out_column_, count));
  }
}

template <typename Sum>
void Finish::RowOf(const Sum* sums, int64_t count, const char* self, char* out) const {
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t n = std::min(kBlock, count - begin);
    const char* const at = has_self_ ? self + begin * self_column_ * self_size_ : nullptr;
    Block(sums + begin, n, at, out + begin * out_column_ * out_size_);
  }
}

void Finish::Row(const float* sums, int64_t count, const char* self, char* out) const {
  RowOf(sums, count, self, out);
}
void Finish::Row(const double* sums, int64_t count, const char* self, char* out) const {
  RowOf(sums, count, self, out);
}

}  // namespace aclimb::matmul
