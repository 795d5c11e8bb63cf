#include "tests/soak/problem.h"

#include <cstring>
#include <numeric>
#include <random>

#include "aclimb/core/half.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_cross_entropy_loss_grad.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "aclnnop/aclnn_roi_align_v2_backward.h"

namespace aclimb::testing {
namespace {

using Shape = std::vector<int64_t>;
using Tensors = std::vector<aclTensor*>;

// Numbers of a seed. No distributions of the library, which differ between implementations.
class Draw {
 public:
  explicit Draw(uint64_t seed) : engine_(seed) {}
  int64_t Int(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(engine_() % static_cast<uint64_t>(most - least + 1));
  }
  float Real(float least, float most) {
    return least + (most - least) * static_cast<float>(engine_() >> 40) * 0x1p-24f;
  }
  bool Flip() { return (engine_() & 1) != 0; }
  aclDataType FloatType() {
    constexpr aclDataType kTypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
    return kTypes[Int(0, 2)];
  }

 private:
  std::mt19937_64 engine_;
};

int64_t CountOf(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

template <typename T>
void Append(T value, std::vector<char>& out) {
  const auto* begin = reinterpret_cast<const char*>(&value);
  out.insert(out.end(), begin, begin + sizeof(value));
}

SoakTensor Output(Shape shape, aclDataType dtype, aclFormat format = ACL_FORMAT_ND) {
  SoakTensor tensor;
  tensor.bytes = static_cast<size_t>(CountOf(shape)) * aclDataTypeSize(dtype);
  tensor.shape = std::move(shape);
  tensor.dtype = dtype;
  tensor.format = format;
  return tensor;
}

SoakTensor Reals(Draw& draw, Shape shape, aclDataType dtype, float least, float most,
                 aclFormat format = ACL_FORMAT_ND) {
  SoakTensor tensor = Output(std::move(shape), dtype, format);
  for (int64_t i = 0; i < CountOf(tensor.shape); ++i) {
    const float value = draw.Real(least, most);
    if (dtype == ACL_FLOAT) {
      Append(value, tensor.values);
    } else if (dtype == ACL_FLOAT16) {
      Append(FromFloat<Float16>(value), tensor.values);
    } else {
      Append(FromFloat<BFloat16>(value), tensor.values);
    }
  }
  return tensor;
}

SoakTensor Numbers(Draw& draw, Shape shape, int64_t end) {
  SoakTensor tensor = Output(std::move(shape), ACL_INT64);
  for (int64_t i = 0; i < CountOf(tensor.shape); ++i) Append(draw.Int(0, end - 1), tensor.values);
  return tensor;
}

// Objects that a program makes for one call of phase 1 and destroys after it.
struct Floats {
  explicit Floats(float value) : scalar(aclCreateScalar(&value, ACL_FLOAT)) {}
  ~Floats() { (void)aclDestroyScalar(scalar); }
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;
  aclScalar* const scalar;
};
struct Ints {
  Ints(const Shape& values) : array(aclCreateIntArray(values.data(), values.size())) {}  // NOLINT
  ~Ints() { (void)aclDestroyIntArray(array); }
  Ints(const Ints&) = delete;
  Ints& operator=(const Ints&) = delete;
  aclIntArray* const array;
};

void Elu(Draw& draw, SoakProblem& problem) {
  // On both sides of what runs inline and what opens a team.
  const Shape shape = draw.Flip() ? Shape{draw.Int(1, 64), draw.Int(1, 64)}
                                  : Shape{draw.Int(1, 8), draw.Int(1, 300), draw.Int(1, 300)};
  const aclDataType dtype = draw.FloatType();
  problem.tensors = {Reals(draw, shape, dtype, -2, 2), Reals(draw, shape, dtype, -2, 2),
                     Output(shape, dtype)};
  const float alpha = draw.Real(0.5f, 2);
  const float scale = draw.Real(0.5f, 2);
  problem.plan = [alpha, scale](const Tensors& t, uint64_t* size, aclOpExecutor** executor) {
    const Floats a(alpha), s(scale), one(1);
    return aclnnEluBackwardGetWorkspaceSize(t[0], a.scalar, s.scalar, one.scalar, false, t[1], t[2],
                                            size, executor);
  };
  problem.run = &aclnnEluBackward;
}

void CrossEntropy(Draw& draw, SoakProblem& problem) {
  const int64_t rows = draw.Int(1, 200);
  const int64_t classes = draw.Int(2, 600);
  const aclDataType dtype = draw.FloatType();
  const bool mean = draw.Flip();
  problem.tensors = {Reals(draw, mean ? Shape{} : Shape{rows}, dtype, 0.5f, 2),
                     Reals(draw, {rows, classes}, dtype, -6, -1), Numbers(draw, {rows}, classes),
                     Reals(draw, {classes}, ACL_FLOAT, 0.5f, 2), Output({rows, classes}, dtype)};
  problem.plan = [mean](const Tensors& t, uint64_t* size, aclOpExecutor** executor) {
    return aclnnCrossEntropyLossGradGetWorkspaceSize(t[0], t[1], t[2], t[3], nullptr, nullptr,
                                                     mean ? "mean" : "none", -100, 0, 0, t[4], size,
                                                     executor);
  };
  problem.run = &aclnnCrossEntropyLossGrad;
}

void RoiAlign(Draw& draw, SoakProblem& problem) {
  const Shape input = {draw.Int(1, 2), draw.Int(1, 24), draw.Int(4, 40), draw.Int(4, 40)};
  const int64_t rois = draw.Int(1, 24);
  const int64_t pooled_h = draw.Int(1, 7);
  const int64_t pooled_w = draw.Int(1, 7);
  const int64_t ratio = draw.Int(0, 3);
  const bool aligned = draw.Flip();
  SoakTensor boxes = Output({rois, 5}, ACL_FLOAT);
  for (int64_t i = 0; i < rois; ++i) {
    const float x = draw.Real(0, 60), y = draw.Real(0, 60);
    for (const float value : {static_cast<float>(draw.Int(0, input[0] - 1)), x, y,
                              x + draw.Real(1, 30), y + draw.Real(1, 30)}) {
      Append(value, boxes.values);
    }
  }
  const aclFormat nchw = ACL_FORMAT_NCHW;
  problem.tensors = {Reals(draw, {rois, input[1], pooled_h, pooled_w}, ACL_FLOAT, -1, 1, nchw),
                     std::move(boxes), Output(input, ACL_FLOAT, nchw)};
  problem.plan = [=](const Tensors& t, uint64_t* size, aclOpExecutor** executor) {
    const Ints shape(input);
    return aclnnRoiAlignV2BackwardGetWorkspaceSize(t[0], t[1], shape.array, pooled_h, pooled_w,
                                                   0.5f, ratio, aligned, t[2], size, executor);
  };
  problem.run = &aclnnRoiAlignV2Backward;
}

void Embedding(Draw& draw, SoakProblem& problem) {
  const int64_t count = draw.Int(1, 500);
  const int64_t width = draw.Int(1, 200);
  const int64_t rows = draw.Int(1, 400);
  const aclDataType dtype = draw.FloatType();
  const bool by_frequency = draw.Flip();
  const auto padding = static_cast<uint64_t>(draw.Int(0, rows - 1));
  problem.tensors = {Reals(draw, {count, width}, dtype, -1, 1), Numbers(draw, {count}, rows),
                     Output({rows, width}, dtype)};
  problem.plan = [=](const Tensors& t, uint64_t* size, aclOpExecutor** executor) {
    return aclnnEmbeddingDenseBackwardGetWorkspaceSize(t[0], t[1], static_cast<uint64_t>(rows),
                                                       padding, by_frequency, t[2], size, executor);
  };
  problem.run = &aclnnEmbeddingDenseBackward;
}

void Convolution(Draw& draw, SoakProblem& problem) {
  const int64_t kernel = draw.Int(1, 4);
  const int64_t stride = draw.Int(1, 2);
  const int64_t padding = draw.Int(0, kernel - 1);
  const int64_t groups = draw.Int(1, 2);
  const int64_t in = 8 * groups * draw.Int(1, 4);
  const int64_t out = 8 * groups * draw.Int(1, 4);
  const int64_t size = draw.Int(4, 24);
  const int64_t outer = (size + 2 * padding - kernel) / stride + 1;
  const int64_t batch = draw.Int(1, 3);
  const aclDataType dtype = draw.FloatType();
  const aclFormat nchw = ACL_FORMAT_NCHW;
  problem.tensors = {Reals(draw, {batch, out, outer, outer}, dtype, -1, 1, nchw),
                     Reals(draw, {batch, in, size, size}, dtype, -1, 1, nchw),
                     Reals(draw, {out, in / groups, kernel, kernel}, dtype, -1, 1, nchw),
                     Output({batch, in, size, size}, dtype, nchw),
                     Output({out, in / groups, kernel, kernel}, dtype, nchw),
                     Output({out}, dtype)};
  problem.plan = [=](const Tensors& t, uint64_t* bytes, aclOpExecutor** executor) {
    const Ints sizes({out}), strides({stride, stride}), paddings({padding, padding}),
        dilations({1, 1}), none({0, 0});
    constexpr bool kAll[] = {true, true, true};
    aclBoolArray* mask = aclCreateBoolArray(kAll, 3);
    const aclnnStatus code = aclnnConvolutionBackwardGetWorkspaceSize(
        t[0], t[1], t[2], sizes.array, strides.array, paddings.array, dilations.array, false,
        none.array, static_cast<int>(groups), mask, 0, t[3], t[4], t[5], bytes, executor);
    (void)aclDestroyBoolArray(mask);
    return code;
  };
  problem.run = &aclnnConvolutionBackward;
}

}  // namespace

const char* const kSoakNames[kSoakOperators] = {"elu", "cross entropy", "roi align", "embedding",
                                                "convolution"};

std::unique_ptr<SoakProblem> MakeSoakProblem(int kind, uint64_t seed) {
  constexpr void (*kMakers[])(Draw&, SoakProblem&) = {&Elu, &CrossEntropy, &RoiAlign, &Embedding,
                                                      &Convolution};
  static_assert(std::size(kMakers) == kSoakOperators);
  auto problem = std::make_unique<SoakProblem>();
  Draw draw(seed * kSoakOperators + static_cast<uint64_t>(kind));
  kMakers[kind](draw, *problem);
  problem->name = kSoakNames[kind];
  return problem;
}

}  // namespace aclimb::testing
