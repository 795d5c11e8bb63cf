#include <memory>
#include <string>
#include <vector>

#include "aclnnop/aclnn_addcdiv.h"
#include "aclnnop/aclnn_addcmul.h"
#include "aclnnop/aclnn_clamp.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_lerp.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "bench/case.h"
#include "bench/device_tensor.h"

namespace aclimb::pointwise {
namespace {

// Three inputs, of which a function reads the first ones, and the scalars 0, 1 and 20.
struct Operands {
  aclTensor* a;
  aclTensor* b;
  aclTensor* c;
  aclTensor* out;
  aclScalar* zero;
  aclScalar* one;
  aclScalar* twenty;
  uint64_t* size;
  aclOpExecutor** executor;
};

struct Function {
  const char* name;
  int inputs;
  aclnnStatus (*phase1)(const Operands& o);
  aclnnStatus (*phase2)(void*, uint64_t, aclOpExecutor*, aclrtStream);
};

#define ACLIMB_FUNCTION(name, inputs, Name, ...)                                        \
  Function {                                                                            \
    name, inputs,                                                                       \
        [](const Operands& o) {                                                         \
          return aclnn##Name##GetWorkspaceSize(__VA_ARGS__, o.out, o.size, o.executor); \
        },                                                                              \
        &aclnn##Name                                                                    \
  }
const Function kFunctions[] = {
    ACLIMB_FUNCTION("elu", 1, Elu, o.a, o.one, o.one, o.one),
    ACLIMB_FUNCTION("gelu_v2", 1, GeluV2, o.a, 0),
    ACLIMB_FUNCTION("leaky_relu", 1, LeakyRelu, o.a, o.zero),
    ACLIMB_FUNCTION("softplus", 1, Softplus, o.a, o.one, o.twenty),
    ACLIMB_FUNCTION("clamp", 1, Clamp, o.a, o.zero, o.one),
    ACLIMB_FUNCTION("silu_backward", 2, SiluBackward, o.a, o.b),
    ACLIMB_FUNCTION("gelu_backward", 2, GeluBackward, o.a, o.b),
    ACLIMB_FUNCTION("threshold_backward", 2, ThresholdBackward, o.a, o.b, o.zero),
    ACLIMB_FUNCTION("addcmul", 3, Addcmul, o.a, o.b, o.c, o.one),
    ACLIMB_FUNCTION("addcdiv", 3, Addcdiv, o.a, o.b, o.c, o.one),
    ACLIMB_FUNCTION("lerp", 3, Lerp, o.a, o.b, o.c),
};
#undef ACLIMB_FUNCTION

struct Shape {
  std::string function;
  int64_t count;
  std::string dtype;

  const Function& Found() const {
    const Function* found = kFunctions;
    while (function != found->name) ++found;
    return *found;
  }
};

class PointwiseProblem : public bench::Problem {
 public:
  explicit PointwiseProblem(const Shape& shape)
      : function_(shape.Found()),
        a_({shape.count}, shape.dtype),
        // As long as they are read.
        b_({function_.inputs > 1 ? shape.count : 1}, shape.dtype),
        c_({function_.inputs > 2 ? shape.count : 1}, shape.dtype),
        out_({shape.count}, shape.dtype) {
    a_.FillNormal(1);
    b_.FillNormal(2);
    c_.Fill(3, [](bench::Random& random) { return 0.5 + random.Unit(); });
    const float numbers[] = {0, 1, 20};
    for (int i = 0; i < 3; ++i) {
      float number = numbers[i];
      scalar_[i] = aclCreateScalar(&number, ACL_FLOAT);
    }
  }
  ~PointwiseProblem() override {
    for (aclScalar* scalar : scalar_) (void)aclDestroyScalar(scalar);
  }

  aclnnStatus Phase1(uint64_t* workspace_size, aclOpExecutor** executor) override {
    return function_.phase1(
        {a_, b_, c_, out_, scalar_[0], scalar_[1], scalar_[2], workspace_size, executor});
  }
  aclnnStatus Phase2(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                     aclrtStream stream) override {
    return function_.phase2(workspace, workspace_size, executor, stream);
  }
  void PoisonOutputs() override { out_.Poison(); }
  bool PoisonShows() const override { return out_.PoisonShows(); }

 private:
  const Function& function_;
  bench::DeviceTensor a_;
  bench::DeviceTensor b_;
  bench::DeviceTensor c_;
  bench::DeviceTensor out_;
  aclScalar* scalar_[3] = {};
};

bench::Case Make(const std::string& name, const Shape& shape) {
  const double bytes =
      static_cast<double>(shape.count) * static_cast<double>(bench::SizeOfName(shape.dtype));
  return {"pointwise",
          name,
          shape.dtype,
          {{"function", shape.function},
           {"count", std::to_string(shape.count)},
           {"dtype", shape.dtype}},
          {.read_bytes = shape.Found().inputs * bytes, .write_bytes = bytes},
          [shape] { return std::make_unique<PointwiseProblem>(shape); }};
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, count, dtype) Make(#name, {#function, count, #dtype}),
#include "aclimb/ops/pointwise/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::pointwise
