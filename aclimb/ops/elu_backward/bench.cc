#include "aclnnop/aclnn_elu_backward.h"
#include "bench/case.h"
#include "bench/device_tensor.h"

namespace aclimb::elu_backward {
namespace {

struct Shape {
  int64_t rows;
  int64_t columns;
  std::string dtype;
  bool is_result;
  std::string layout;
};

class EluProblem : public bench::Problem {
 public:
  explicit EluProblem(const Shape& shape)
      : is_result_(shape.is_result),
        grad_(Make(shape, shape.layout == "permuted" || shape.layout == "transposed_out")),
        value_(Make(shape, shape.layout != "contiguous")),
        out_(Make(shape, shape.layout == "permuted")) {
    float one = 1;
    one_ = aclCreateScalar(&one, ACL_FLOAT);
    grad_.FillNormal(1);
    // What the forward call returns is above -1.
    value_.Fill(2, [this](bench::Random& random) {
      const double value = random.Normal();
      return is_result_ && value < 0 ? -random.Unit() : value;
    });
  }
  ~EluProblem() override { (void)aclDestroyScalar(one_); }

  aclnnStatus Phase1(uint64_t* workspace_size, aclOpExecutor** executor) override {
    return aclnnEluBackwardGetWorkspaceSize(grad_, one_, one_, one_, is_result_, value_, out_,
                                            workspace_size, executor);
  }
  aclnnStatus Phase2(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                     aclrtStream stream) override {
    return aclnnEluBackward(workspace, workspace_size, executor, stream);
  }
  void PoisonOutputs() override { out_.Poison(); }
  bool PoisonShows() const override { return out_.PoisonShows(); }

 private:
  static bench::DeviceTensor Make(const Shape& shape, bool transposed) {
    return transposed
               ? bench::DeviceTensor({shape.rows, shape.columns}, shape.dtype, {1, shape.rows})
               : bench::DeviceTensor({shape.rows, shape.columns}, shape.dtype);
  }

  bool is_result_;
  bench::DeviceTensor grad_;
  bench::DeviceTensor value_;
  bench::DeviceTensor out_;
  aclScalar* one_ = nullptr;
};

bench::Case Make(const std::string& name, const Shape& shape) {
  const double bytes = static_cast<double>(shape.rows * shape.columns) *
                       static_cast<double>(bench::SizeOfName(shape.dtype));
  return {"elu_backward",
          name,
          shape.dtype,
          {{"rows", std::to_string(shape.rows)},
           {"columns", std::to_string(shape.columns)},
           {"dtype", shape.dtype},
           {"is_result", shape.is_result ? "1" : "0"},
           {"layout", shape.layout}},
          {.read_bytes = 2 * bytes, .write_bytes = bytes},
          [shape] { return std::make_unique<EluProblem>(shape); }};
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, rows, columns, dtype, is_result, layout) \
  Make(#name, {rows, columns, #dtype, is_result, #layout}),
#include "aclimb/ops/elu_backward/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::elu_backward
