#include <algorithm>
#include <numeric>

#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "bench/case.h"
#include "bench/device_tensor.h"

namespace aclimb::embedding_dense_backward {
namespace {

struct Shape {
  int64_t num_weights;
  int64_t columns;
  int64_t indices;
  std::string dtype;
  std::string distribution;
  int64_t padding_idx;
  bool scale_by_freq;
};

std::vector<int64_t> MakeIndices(const Shape& shape) {
  bench::Random random(7);
  const int64_t rows = shape.num_weights;
  std::vector<int64_t> indices(static_cast<size_t>(shape.indices));
  if (shape.distribution == "same") {
    std::fill(indices.begin(), indices.end(), rows / 3);
  } else if (shape.distribution == "uniform") {
    for (int64_t& index : indices) index = random.Below(rows);
  } else {
    // Frequency ~ 1 / rank, the ranks shuffled over the rows.
    std::vector<double> cumulative(static_cast<size_t>(rows));
    double sum = 0;
    for (size_t i = 0; i < cumulative.size(); ++i) {
      cumulative[i] = sum += 1 / static_cast<double>(i + 1);
    }
    std::vector<int64_t> row_of_rank(static_cast<size_t>(rows));
    std::iota(row_of_rank.begin(), row_of_rank.end(), 0);
    for (int64_t i = rows - 1; i > 0; --i) {
      std::swap(row_of_rank[static_cast<size_t>(i)],
                row_of_rank[static_cast<size_t>(random.Below(i + 1))]);
    }
    for (int64_t& index : indices) {
      const auto rank = std::lower_bound(cumulative.begin(), cumulative.end(), random.Unit() * sum);
      index = row_of_rank[static_cast<size_t>(
          std::min(rank - cumulative.begin(), static_cast<std::ptrdiff_t>(rows - 1)))];
    }
  }
  return indices;
}

class EmbeddingProblem : public bench::Problem {
 public:
  explicit EmbeddingProblem(const Shape& shape)
      : shape_(shape),
        grad_({shape.indices, shape.columns}, shape.dtype),
        indices_({shape.indices}, "int64"),
        out_({shape.num_weights, shape.columns}, shape.dtype) {
    grad_.FillNormal(1);
    indices_.Upload(MakeIndices(shape));
  }

  aclnnStatus Phase1(uint64_t* workspace_size, aclOpExecutor** executor) override {
    return aclnnEmbeddingDenseBackwardGetWorkspaceSize(
        grad_, indices_, static_cast<uint64_t>(shape_.num_weights),
        static_cast<uint64_t>(shape_.padding_idx), shape_.scale_by_freq, out_, workspace_size,
        executor);
  }
  aclnnStatus Phase2(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                     aclrtStream stream) override {
    return aclnnEmbeddingDenseBackward(workspace, workspace_size, executor, stream);
  }
  void PoisonOutputs() override { out_.Poison(); }
  bool PoisonShows() const override { return out_.PoisonShows(); }

 private:
  Shape shape_;
  bench::DeviceTensor grad_;
  bench::DeviceTensor indices_;
  bench::DeviceTensor out_;
};

bench::Case Make(const std::string& name, const Shape& shape) {
  const double row =
      static_cast<double>(shape.columns) * static_cast<double>(bench::SizeOfName(shape.dtype));
  std::vector<bool> hit(static_cast<size_t>(shape.num_weights));
  int64_t padded = 0;
  for (const int64_t index : MakeIndices(shape)) {
    if (index == shape.padding_idx) {
      ++padded;
    } else {
      hit[static_cast<size_t>(index)] = true;
    }
  }
  const double rows_hit = static_cast<double>(std::count(hit.begin(), hit.end(), true));
  const double rows = static_cast<double>(shape.num_weights);
  const double read = static_cast<double>(shape.indices - padded);
  return {"embedding_dense_backward",
          name,
          shape.dtype,
          {{"num_weights", std::to_string(shape.num_weights)},
           {"columns", std::to_string(shape.columns)},
           {"indices", std::to_string(shape.indices)},
           {"dtype", shape.dtype},
           {"distribution", shape.distribution},
           {"padding_idx", std::to_string(shape.padding_idx)},
           {"scale_by_freq", shape.scale_by_freq ? "1" : "0"}},
          {.read_bytes = read * row + 8 * static_cast<double>(shape.indices),
           .write_bytes = rows * row,
           .zero_bytes = (rows - rows_hit) * row},
          [shape] { return std::make_unique<EmbeddingProblem>(shape); }};
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, num_weights, columns, indices, dtype, distribution, padding, scale) \
  Make(#name, {num_weights, columns, indices, #dtype, #distribution, padding, scale != 0}),
#include "aclimb/ops/embedding_dense_backward/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::embedding_dense_backward
