#include <cmath>

#include "aclnnop/aclnn_cross_entropy_loss_grad.h"
#include "bench/case.h"
#include "bench/device_tensor.h"

namespace aclimb::cross_entropy_loss_grad {
namespace {

constexpr int64_t kIgnored = -100;

struct Shape {
  int64_t rows;
  int64_t columns;
  std::string dtype;
  std::string reduction;
  bool weighted;
  int64_t ignored_percent;
  double label_smoothing;
  double z_loss_scale;
};

class CrossEntropyProblem : public bench::Problem {
 public:
  explicit CrossEntropyProblem(const Shape& shape)
      : shape_(shape),
        grad_(shape.reduction == "none" ? std::vector<int64_t>{shape.rows} : std::vector<int64_t>{},
              shape.dtype),
        log_prob_({shape.rows, shape.columns}, shape.dtype),
        target_({shape.rows}, "int64"),
        out_({shape.rows, shape.columns}, shape.dtype) {
    const int64_t columns = shape.columns;
    grad_.Fill(1, [](bench::Random&) { return 1; });
    // The logarithm of the softmax of normal logits: their sum of exponentials is near
    // columns * exp(1/2).
    const double shift = std::log(static_cast<double>(columns)) + 0.5;
    log_prob_.Fill(2, [&](bench::Random& random) {
      return columns == 1 ? 0.0 : std::fmin(random.Normal() - shift, 0.0);
    });
    bench::Random random(3);
    std::vector<int64_t> target(static_cast<size_t>(shape.rows));
    for (int64_t& t : target) {
      t = random.Below(100) < shape.ignored_percent ? kIgnored : random.Below(columns);
    }
    target_.Upload(target);
    if (shape.weighted) {
      weight_ = std::make_unique<bench::DeviceTensor>(std::vector<int64_t>{columns}, "float32");
      weight_->Fill(4, [](bench::Random& r) { return 0.5 + r.Unit(); });
    }
    if (shape.z_loss_scale != 0) {
      z_grad_ = std::make_unique<bench::DeviceTensor>(
          shape.reduction == "none" ? std::vector<int64_t>{shape.rows} : std::vector<int64_t>{},
          shape.dtype);
      z_grad_->Fill(5, [](bench::Random&) { return 1; });
      lse_ = std::make_unique<bench::DeviceTensor>(std::vector<int64_t>{shape.rows}, shape.dtype);
      lse_->Fill(6, [&](bench::Random& r) { return shift + 0.1 * r.Normal(); });
    }
  }

  aclnnStatus Phase1(uint64_t* workspace_size, aclOpExecutor** executor) override {
    const auto optional = [](const std::unique_ptr<bench::DeviceTensor>& tensor) {
      return tensor == nullptr ? nullptr : static_cast<aclTensor*>(*tensor);
    };
    return aclnnCrossEntropyLossGradGetWorkspaceSize(
        grad_, log_prob_, target_, optional(weight_), optional(z_grad_), optional(lse_),
        shape_.reduction.c_str(), kIgnored, shape_.label_smoothing, shape_.z_loss_scale, out_,
        workspace_size, executor);
  }
  aclnnStatus Phase2(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                     aclrtStream stream) override {
    return aclnnCrossEntropyLossGrad(workspace, workspace_size, executor, stream);
  }
  void PoisonOutputs() override { out_.Poison(); }
  bool PoisonShows() const override { return out_.PoisonShows(); }

 private:
  Shape shape_;
  bench::DeviceTensor grad_;
  bench::DeviceTensor log_prob_;
  bench::DeviceTensor target_;
  bench::DeviceTensor out_;
  std::unique_ptr<bench::DeviceTensor> weight_;
  std::unique_ptr<bench::DeviceTensor> z_grad_;
  std::unique_ptr<bench::DeviceTensor> lse_;
};

bench::Case Make(const std::string& name, const Shape& shape) {
  const double row =
      static_cast<double>(shape.columns) * static_cast<double>(bench::SizeOfName(shape.dtype));
  const double rows = static_cast<double>(shape.rows);
  // The logarithms of an ignored row need not be read; its gradient is zeros.
  const double kept = rows * (1 - static_cast<double>(shape.ignored_percent) / 100);
  return {"cross_entropy_loss_grad",
          name,
          shape.dtype,
          {{"rows", std::to_string(shape.rows)},
           {"columns", std::to_string(shape.columns)},
           {"dtype", shape.dtype},
           {"reduction", shape.reduction},
           {"weighted", shape.weighted ? "1" : "0"},
           {"ignored_percent", std::to_string(shape.ignored_percent)},
           {"label_smoothing", std::to_string(shape.label_smoothing)},
           {"z_loss_scale", std::to_string(shape.z_loss_scale)}},
          {.read_bytes = kept * row + 8 * rows,
           .write_bytes = rows * row,
           .zero_bytes = (rows - kept) * row},
          [shape] { return std::make_unique<CrossEntropyProblem>(shape); }};
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, rows, columns, dtype, reduction, weighted, ignored, smoothing, z_loss) \
  Make(#name, {rows, columns, #dtype, #reduction, weighted != 0, ignored, smoothing, z_loss}),
#include "aclimb/ops/cross_entropy_loss_grad/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::cross_entropy_loss_grad
