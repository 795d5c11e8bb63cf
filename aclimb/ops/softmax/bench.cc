#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "bench/case.h"
#include "bench/device_tensor.h"

namespace aclimb::softmax {
namespace {

struct Shape {
  std::string function;
  std::vector<int64_t> extents;  // outer, length, inner
  std::string layout;
  std::string dtype;

  bool is_gradient() const { return function.ends_with("_backward"); }
  bool is_logarithm() const { return function.starts_with("log_"); }
  // Of self.
  std::vector<int64_t> Strides() const {
    if (layout != "transposed") return {};
    return {extents[2], extents[0] * extents[2], 1};
  }
};

class SoftmaxProblem : public bench::Problem {
 public:
  explicit SoftmaxProblem(const Shape& shape)
      : shape_(shape),
        self_(shape.extents, shape.dtype, shape.Strides()),
        // Not looked at by the forward functions.
        output_(shape.is_gradient() ? shape.extents : std::vector<int64_t>{1}, shape.dtype),
        out_(shape.extents, shape.dtype) {
    self_.FillNormal(1);
    const double count = static_cast<double>(shape.extents[1]);
    const bool logarithm = shape.is_logarithm();
    output_.Fill(2, [count, logarithm](bench::Random& random) {
      return logarithm ? -8 * random.Unit() : 2 * random.Unit() / count;
    });
  }

  aclnnStatus Phase1(uint64_t* workspace_size, aclOpExecutor** executor) override {
    if (shape_.is_gradient()) {
      const auto gradient = shape_.is_logarithm() ? &aclnnLogSoftmaxBackwardGetWorkspaceSize
                                                  : &aclnnSoftmaxBackwardGetWorkspaceSize;
      return gradient(self_, output_, 1, out_, workspace_size, executor);
    }
    const auto forward =
        shape_.is_logarithm() ? &aclnnLogSoftmaxGetWorkspaceSize : &aclnnSoftmaxGetWorkspaceSize;
    return forward(self_, 1, out_, workspace_size, executor);
  }
  aclnnStatus Phase2(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                     aclrtStream stream) override {
    const auto phase2 =
        shape_.is_gradient()
            ? (shape_.is_logarithm() ? &aclnnLogSoftmaxBackward : &aclnnSoftmaxBackward)
            : (shape_.is_logarithm() ? &aclnnLogSoftmax : &aclnnSoftmax);
    return phase2(workspace, workspace_size, executor, stream);
  }
  void PoisonOutputs() override { out_.Poison(); }
  bool PoisonShows() const override { return out_.PoisonShows(); }

 private:
  Shape shape_;
  bench::DeviceTensor self_;
  bench::DeviceTensor output_;
  bench::DeviceTensor out_;
};

bench::Case Make(const std::string& name, const Shape& shape) {
  const double bytes = static_cast<double>(shape.extents[0] * shape.extents[1] * shape.extents[2]) *
                       static_cast<double>(bench::SizeOfName(shape.dtype));
  return {"softmax",
          name,
          shape.dtype,
          {{"function", shape.function},
           {"outer", std::to_string(shape.extents[0])},
           {"length", std::to_string(shape.extents[1])},
           {"inner", std::to_string(shape.extents[2])},
           {"layout", shape.layout},
           {"dtype", shape.dtype}},
          {.read_bytes = (shape.is_gradient() ? 2 : 1) * bytes, .write_bytes = bytes},
          [shape] { return std::make_unique<SoftmaxProblem>(shape); }};
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, outer, length, inner, layout, dtype) \
  Make(#name, {#function, {outer, length, inner}, #layout, #dtype}),
#include "aclimb/ops/softmax/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::softmax
