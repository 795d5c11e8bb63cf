#include <algorithm>

#include "aclnnop/aclnn_matmul.h"
#include "bench/case.h"
#include "bench/device_tensor.h"

namespace aclimb::products {
namespace {

struct Shape {
  int64_t batch, m, n, k;
  std::string dtype;
  std::string layout;
};

class MatmulProblem : public bench::Problem {
 public:
  explicit MatmulProblem(const Shape& s)
      : self_(Dims(s, s.m, s.k), s.dtype, Strides(s, s.m, s.k, s.layout == "both")),
        mat2_(Dims(s, s.k, s.n), s.dtype, Strides(s, s.k, s.n, s.layout != "plain")),
        out_(Dims(s, s.m, s.n), s.dtype) {
    self_.FillNormal(1);
    mat2_.FillNormal(2);
  }

  aclnnStatus Phase1(uint64_t* workspace_size, aclOpExecutor** executor) override {
    return aclnnMatmulGetWorkspaceSize(self_, mat2_, out_, 0, workspace_size, executor);
  }
  aclnnStatus Phase2(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                     aclrtStream stream) override {
    return aclnnMatmul(workspace, workspace_size, executor, stream);
  }
  void PoisonOutputs() override { out_.Poison(); }
  bool PoisonShows() const override { return out_.PoisonShows(); }

 private:
  static std::vector<int64_t> Dims(const Shape& s, int64_t rows, int64_t columns) {
    if (s.batch == 0) return {rows, columns};
    return {s.batch, rows, columns};
  }
  static std::vector<int64_t> Strides(const Shape& s, int64_t rows, int64_t columns,
                                      bool transposed) {
    if (!transposed) return {};
    if (s.batch == 0) return {1, rows};
    return {rows * columns, 1, rows};
  }

  bench::DeviceTensor self_;
  bench::DeviceTensor mat2_;
  bench::DeviceTensor out_;
};

bench::Case Make(const std::string& name, const Shape& s) {
  const double batches = static_cast<double>(std::max<int64_t>(1, s.batch));
  const double m = static_cast<double>(s.m), n = static_cast<double>(s.n);
  const double k = static_cast<double>(s.k);
  const double element = batches * static_cast<double>(bench::SizeOfName(s.dtype));
  return {"products",
          name,
          s.dtype,
          {{"batch", std::to_string(s.batch)},
           {"m", std::to_string(s.m)},
           {"n", std::to_string(s.n)},
           {"k", std::to_string(s.k)},
           {"dtype", s.dtype},
           {"layout", s.layout}},
          {.read_bytes = element * (m * k + k * n),
           .write_bytes = element * m * n,
           .flops = 2 * batches * m * n * k},
          [s] { return std::make_unique<MatmulProblem>(s); }};
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, batch, m, n, k, dtype, layout) \
  Make(#name, {batch, m, n, k, #dtype, #layout}),
#include "aclimb/ops/products/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::products
