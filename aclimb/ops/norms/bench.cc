#include <memory>

#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_batch_norm_backward.h"
#include "aclnnop/aclnn_group_norm.h"
#include "aclnnop/aclnn_group_norm_backward.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_grad.h"
#include "bench/case.h"
#include "bench/device_tensor.h"

namespace aclimb::norms {
namespace {

constexpr int64_t kGroups = 32;
constexpr double kEps = 1e-5;

struct Shape {
  std::string function;
  int64_t outer;
  int64_t middle;
  int64_t inner;
  std::string layout;
  std::string dtype;

  bool is_gradient() const {
    return function.ends_with("_backward") || function.ends_with("_grad");
  }
  bool of_rows() const { return function.starts_with("layer") || function.starts_with("rms"); }
  std::vector<int64_t> Whole() const {
    return of_rows() ? std::vector<int64_t>{outer, middle}
                     : std::vector<int64_t>{outer, middle, inner};
  }
  // Of the statistics.
  std::vector<int64_t> Few() const {
    if (of_rows()) return {outer, 1};
    return function.starts_with("group") ? std::vector<int64_t>{outer, kGroups}
                                         : std::vector<int64_t>{middle};
  }
};

class NormProblem : public bench::Problem {
 public:
  explicit NormProblem(const Shape& shape)
      : shape_(shape),
        x_(shape.Whole(), shape.dtype, bench::StridesOf(shape.layout, shape.outer)),
        grad_(shape.is_gradient() ? shape.Whole() : std::vector<int64_t>{1}, shape.dtype),
        out_(shape.Whole(), shape.dtype),
        weight_({shape.middle}, "float32"),
        bias_({shape.middle}, "float32"),
        mean_(shape.Few(), "float32"),
        rstd_(shape.Few(), "float32"),
        running_mean_({shape.middle}, "float32"),
        running_var_({shape.middle}, "float32"),
        grad_weight_({shape.middle}, "float32"),
        grad_bias_({shape.middle}, "float32"),
        row_({shape.middle}) {
    x_.FillNormal(1);
    grad_.FillNormal(2);
    uint64_t seed = 3;
    for (bench::DeviceTensor* const each :
         {&weight_, &bias_, &mean_, &rstd_, &running_mean_, &running_var_}) {
      each->Fill(seed++, [](bench::Random& random) { return 0.5 + random.Unit(); });
    }
    const bool all[] = {true, true, true};
    mask_ = aclCreateBoolArray(all, 3);
  }
  ~NormProblem() override { (void)aclDestroyBoolArray(mask_); }

  aclnnStatus Phase1(uint64_t* size, aclOpExecutor** executor) override {
    const std::string& f = shape_.function;
    const int64_t n = shape_.outer, c = shape_.middle, s = shape_.inner;
    if (f == "layer_norm") {
      return aclnnLayerNormGetWorkspaceSize(x_, row_, weight_, bias_, kEps, out_, mean_, rstd_,
                                            size, executor);
    }
    if (f == "layer_norm_backward") {
      return aclnnLayerNormBackwardGetWorkspaceSize(grad_, x_, row_, mean_, rstd_, weight_, bias_,
                                                    mask_, out_, grad_weight_, grad_bias_, size,
                                                    executor);
    }
    if (f == "rms_norm") {
      return aclnnRmsNormGetWorkspaceSize(x_, weight_, kEps, out_, rstd_, size, executor);
    }
    if (f == "rms_norm_grad") {
      return aclnnRmsNormGradGetWorkspaceSize(grad_, x_, rstd_, weight_, out_, grad_weight_, size,
                                              executor);
    }
    if (f == "group_norm") {
      return aclnnGroupNormGetWorkspaceSize(x_, weight_, bias_, n, c, s, kGroups, kEps, out_, mean_,
                                            rstd_, size, executor);
    }
    if (f == "group_norm_backward") {
      return aclnnGroupNormBackwardGetWorkspaceSize(grad_, x_, mean_, rstd_, weight_, n, c, s,
                                                    kGroups, mask_, out_, grad_weight_, grad_bias_,
                                                    size, executor);
    }
    if (f == "batch_norm_backward") {
      return aclnnBatchNormBackwardGetWorkspaceSize(grad_, x_, weight_, running_mean_, running_var_,
                                                    mean_, rstd_, true, kEps, mask_, out_,
                                                    grad_weight_, grad_bias_, size, executor);
    }
    return aclnnBatchNormGetWorkspaceSize(x_, weight_, bias_, running_mean_, running_var_,
                                          f == "batch_norm", 0.1, kEps, out_, mean_, rstd_, size,
                                          executor);
  }
  aclnnStatus Phase2(void* workspace, uint64_t size, aclOpExecutor* executor,
                     aclrtStream stream) override {
    const std::string& f = shape_.function;
    if (f == "layer_norm") return aclnnLayerNorm(workspace, size, executor, stream);
    if (f == "layer_norm_backward") {
      return aclnnLayerNormBackward(workspace, size, executor, stream);
    }
    if (f == "rms_norm") return aclnnRmsNorm(workspace, size, executor, stream);
    if (f == "rms_norm_grad") return aclnnRmsNormGrad(workspace, size, executor, stream);
    if (f == "group_norm") return aclnnGroupNorm(workspace, size, executor, stream);
    if (f == "group_norm_backward") {
      return aclnnGroupNormBackward(workspace, size, executor, stream);
    }
    if (f == "batch_norm_backward") {
      return aclnnBatchNormBackward(workspace, size, executor, stream);
    }
    return aclnnBatchNorm(workspace, size, executor, stream);
  }
  void PoisonOutputs() override { out_.Poison(); }
  bool PoisonShows() const override { return out_.PoisonShows(); }

 private:
  Shape shape_;
  bench::DeviceTensor x_, grad_, out_, weight_, bias_, mean_, rstd_, running_mean_, running_var_,
      grad_weight_, grad_bias_;
  const bench::IntArray row_;
  aclBoolArray* mask_ = nullptr;
};

bench::Case Make(const std::string& name, const Shape& shape) {
  const double bytes = static_cast<double>(shape.outer * shape.middle * shape.inner) *
                       static_cast<double>(bench::SizeOfName(shape.dtype));
  return {"norms",
          name,
          shape.dtype,
          {{"function", shape.function},
           {"outer", std::to_string(shape.outer)},
           {"middle", std::to_string(shape.middle)},
           {"inner", std::to_string(shape.inner)},
           {"layout", shape.layout},
           {"dtype", shape.dtype}},
          {.read_bytes = (shape.is_gradient() ? 2 : 1) * bytes, .write_bytes = bytes},
          [shape] { return std::make_unique<NormProblem>(shape); }};
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, outer, middle, inner, layout, dtype) \
  Make(#name, {#function, outer, middle, inner, #layout, #dtype}),
#include "aclimb/ops/norms/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::norms
