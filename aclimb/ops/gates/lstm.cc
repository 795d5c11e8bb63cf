#include "aclimb/ops/gates/lstm.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "aclimb/core/text.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_addcmul.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_s_where.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_zero.h"

namespace aclimb::gates {
namespace {

// A side of the squares in which FRACTAL_NZ keeps the last two dimensions.
constexpr int64_t kFractal = 16;

int64_t FractalsOf(int64_t extent) { return (extent + kFractal - 1) / kFractal; }

std::vector<int64_t> DenseStrides(const std::vector<int64_t>& dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

Block Dense(void* data, const std::vector<int64_t>& dims) {
  return {data, dims, DenseStrides(dims)};
}

Block Moved(Block block, int64_t elements, int64_t element) {
  block.data = static_cast<char*>(block.data) + elements * element;
  return block;
}

ScopedTensor Of(const Block& block, aclDataType dtype) {
  return ScopedTensor(block.data, dtype, block.dims, block.strides);
}

}  // namespace

Status Lstm::Read(bool forward) {
  const AclimbOpTensor& x = call_.Input(0);
  const AclimbOpTensor& w = call_.Input(1);
  if (x.dtype != ACL_FLOAT && x.dtype != ACL_FLOAT16) {
    return call_.Unsupported("input 0 (x) to be FLOAT or FLOAT16");
  }
  dtype_ = static_cast<aclDataType>(x.dtype);
  element_ = dtype_ == ACL_FLOAT ? 4 : 2;
  const auto positive = [](const AclimbOpTensor& tensor) {
    return std::all_of(tensor.dims, tensor.dims + tensor.rank, [](int64_t d) { return d > 0; });
  };
  if (x.rank != 3 || w.rank != 2 || !positive(x) || !positive(w) || w.dims[1] % 4 != 0 ||
      w.dims[0] != x.dims[2] + w.dims[1] / 4) {
    return call_.Unsupported(
        "input 0 (x) of the shape [steps, batch, inputs] and input 1 (w) of [inputs + hidden, "
        "4 * hidden], with extents of 1 or more");
  }
  steps_ = x.dims[0];
  batch_ = x.dims[1];
  inputs_ = x.dims[2];
  hidden_ = w.dims[1] / 4;

  const std::pair<const char*, const char*> texts[] = {{"cell_type", "LSTM"},
                                                       {"activation", "tanh"}};
  for (const auto& [name, only] : texts) {
    // torch_npu passes the gradient's cell_type as a pointer, of which a flag becomes.
    const Result<bool> flag = call_.Flag(name, false);
    if (!forward && flag.ok() && flag.value()) continue;
    Result<std::string> text = call_.Text(name, only);
    if (!text.ok()) return text.TakeStatus();
    if (text.value() != only)
      return call_.Unsupported(Cat("the attribute ", name, " to be ", only));
  }
  const std::pair<const char*, bool> flags[] = {{"use_peephole", false}, {"time_major", true}};
  for (const auto& [name, only] : flags) {
    Result<bool> flag = call_.Flag(name, only);
    if (!flag.ok()) return flag.TakeStatus();
    if (flag.value() != only) {
      return call_.Unsupported(Cat("the attribute ", name, " to be ", only ? "true" : "false"));
    }
  }
  Result<int64_t> projection = call_.Integer("num_proj", 0);
  if (!projection.ok()) return projection.TakeStatus();
  if (projection.value() != 0) return call_.Unsupported("the attribute num_proj to be 0");
  Result<float> forget_bias = call_.Number("forget_bias", 0);
  if (!forget_bias.ok()) return forget_bias.TakeStatus();
  if (forget_bias.value() != 0) return call_.Unsupported("the attribute forget_bias to be 0");
  Result<float> clip = call_.Number("cell_clip", -1);
  if (!clip.ok()) return clip.TakeStatus();
  if (clip.value() >= 0) return call_.Unsupported("the attribute cell_clip to be below 0");
  Result<float> keep = call_.Number("keep_prob", 1);
  if (!keep.ok()) return keep.TakeStatus();
  // The gradient gets -1, which stands for none as well.
  if (keep.value() != 1 && (forward || keep.value() >= 0)) {
    return call_.Unsupported("the attribute keep_prob to be 1");
  }
  Result<std::string> direction = call_.Text("direction", "UNIDIRECTIONAL");
  if (!direction.ok()) return direction.TakeStatus();
  reversed_ = direction.value() == "REDIRECTIONAL";
  if (!reversed_ && direction.value() != "UNIDIRECTIONAL") {
    return call_.Unsupported("the attribute direction to be UNIDIRECTIONAL or REDIRECTIONAL");
  }
  Result<std::string> order = call_.Text("gate_order", "ijfo");
  if (!order.ok()) return order.TakeStatus();
  gate_order_ = order.value();
  if (gate_order_ != "ijfo" && gate_order_ != "ifjo") {
    return call_.Unsupported("the attribute gate_order to be ijfo or ifjo");
  }
  return Ok();
}

Status Lstm::Expect(const char* what, int place, const AclimbOpTensor& tensor,
                    const std::vector<int64_t>& dims) const {
  const bool fits = std::equal(dims.begin(), dims.end(), tensor.dims, tensor.dims + tensor.rank);
  if (fits && tensor.dtype == dtype_) return Ok();
  return call_.Unsupported(Cat(what, " ", place, " of the shape ",
                               ShapeText(dims.data(), dims.size()), " and the dtype of x"));
}

Status Lstm::Inputs(std::initializer_list<Wanted> wanted) const {
  for (const Wanted& each : wanted) {
    Result<const aclTensor*> tensor = call_.InputTensor(each.place);
    if (!tensor.ok()) return tensor.TakeStatus();
    const AclimbOpTensor& given = call_.Input(each.place);
    if (Status bad = Expect("input", each.place, given, each.dims); !bad.ok()) return bad;
    *each.block = Dense(given.data, each.dims);
  }
  return Ok();
}

Status Lstm::Outputs(std::initializer_list<Wanted> wanted) const {
  for (const Wanted& each : wanted) {
    Result<aclTensor*> tensor = call_.OutputTensor(each.place);
    if (!tensor.ok()) return tensor.TakeStatus();
    const AclimbOpTensor& given = call_.Output(each.place);
    if (Status bad = Expect("output", each.place, given, each.dims); !bad.ok()) return bad;
    *each.block = Dense(given.data, each.dims);
  }
  return Ok();
}

bool Lstm::IsFractal(const AclimbOpTensor& tensor) const {
  const int64_t stored[] = {steps_, FractalsOf(hidden_), FractalsOf(batch_), kFractal, kFractal};
  return tensor.storage_format == ACL_FORMAT_FRACTAL_NZ && tensor.on_host == 0 &&
         std::equal(std::begin(stored), std::end(stored), tensor.storage_dims,
                    tensor.storage_dims + tensor.storage_rank);
}

void Lstm::CopyFractals(const AclimbOpTensor& tensor, const Block& dense, bool store) {
  const int64_t stack = FractalsOf(batch_) * kFractal * kFractal;
  const int64_t step = FractalsOf(hidden_) * stack;
  const int64_t whole = hidden_ / kFractal, left = hidden_ % kFractal;
  const auto copy = [&](const Block& fractals, const Block& plain) {
    Copy(store ? fractals : plain, store ? plain : fractals);
  };
  // Rows follow each other through a whole stack of fractals.
  if (whole > 0) {
    const std::vector<int64_t> dims = {steps_, batch_, whole, kFractal};
    copy({tensor.data, dims, {step, kFractal, stack, 1}},
         {dense.data, dims, {batch_ * hidden_, hidden_, kFractal, 1}});
  }
  if (left > 0) {
    const std::vector<int64_t> dims = {steps_, batch_, left};
    copy(Moved({tensor.data, dims, {step, kFractal, 1}}, whole * stack, element_),
         Moved({dense.data, dims, {batch_ * hidden_, hidden_, 1}}, whole * kFractal, element_));
  }
}

Status Lstm::SavedInputs(int first, std::initializer_list<Block*> blocks) {
  const std::vector<int64_t> dims = {steps_, batch_, hidden_};
  int place = first;
  for (Block* block : blocks) {
    const AclimbOpTensor& given = call_.Input(place);
    if (!IsFractal(given)) {
      if (Status bad = Inputs({{place, dims, block}}); !bad.ok()) return bad;
    } else {
      if (Status bad = Expect("input", place, given, dims); !bad.ok()) return bad;
      *block = Scratch(dims);
      CopyFractals(given, *block, false);
    }
    ++place;
  }
  return Ok();
}

Status Lstm::SavedOutputs(int first, std::initializer_list<Block*> blocks) {
  const std::vector<int64_t> dims = {steps_, batch_, hidden_};
  int place = first;
  for (Block* block : blocks) {
    const AclimbOpTensor& given = call_.Output(place);
    if (!IsFractal(given)) {
      if (Status bad = Outputs({{place, dims, block}}); !bad.ok()) return bad;
    } else {
      if (Status bad = Expect("output", place, given, dims); !bad.ok()) return bad;
      *block = Scratch(dims);
    }
    ++place;
  }
  return Ok();
}

void Lstm::StoreSaved(int first, std::initializer_list<const Block*> blocks) {
  int place = first;
  for (const Block* block : blocks) {
    const AclimbOpTensor& tensor = call_.Output(place++);
    if (!IsFractal(tensor)) continue;
    // What pads the fractals.
    if (batch_ % kFractal != 0 || hidden_ % kFractal != 0) {
      Zero(Dense(tensor.data, std::vector<int64_t>(tensor.storage_dims,
                                                   tensor.storage_dims + tensor.storage_rank)));
    }
    CopyFractals(tensor, *block, true);
  }
}

Status Lstm::Mask(int place, Block* mask) {
  if (!call_.HasInput(place) || call_.Input(place).rank < 3) return Ok();
  const std::vector<int64_t> dims = {steps_, batch_, hidden_};
  const AclimbOpTensor& given = call_.Input(place);
  Result<const aclTensor*> tensor = call_.InputTensor(place);
  if (!tensor.ok()) return tensor.TakeStatus();
  if (given.dtype != ACL_FLOAT16 ||
      !std::equal(dims.begin(), dims.end(), given.dims, given.dims + given.rank)) {
    return call_.Unsupported(
        Cat("input ", place, " (the mask) of FLOAT16 ", ShapeText(dims.data(), dims.size())));
  }
  *mask = Scratch(dims, ACL_BOOL);
  const ScopedTensor flags = Of(*mask, ACL_BOOL);
  RunOperator<&aclnnCastGetWorkspaceSize, &aclnnCast>(call_, tensor.value(), ACL_BOOL, flags);
  return Ok();
}

Block Lstm::Scratch(const std::vector<int64_t>& dims, aclDataType dtype) const {
  int64_t bytes = dtype == ACL_BOOL ? 1 : element_;
  for (int64_t d : dims) bytes *= d;
  return Dense(call_.Scratch(static_cast<uint64_t>(bytes)), dims);
}

Block Lstm::Step(const Block& block, int64_t step, int64_t element) {
  Block one = Moved(block, step * block.strides[0], element);
  one.dims.erase(one.dims.begin());
  one.strides.erase(one.strides.begin());
  return one;
}

Block Lstm::Flat(const Block& block) const {
  return Dense(block.data, {block.dims[0] * block.dims[1], block.dims[2]});
}

Block Lstm::Gate(const Block& gates, char gate) const {
  const auto place = static_cast<int64_t>(gate_order_.find(gate));
  Block one = Moved(gates, place * hidden_, element_);
  one.dims.back() = hidden_;
  return one;
}

Block Lstm::Rows(const Block& matrix, int64_t first, int64_t count) const {
  Block rows = Moved(matrix, first * matrix.strides[0], element_);
  rows.dims[0] = count;
  return rows;
}

Block Lstm::Transposed(const Block& matrix) {
  Block turned = matrix;
  std::swap(turned.dims[0], turned.dims[1]);
  std::swap(turned.strides[0], turned.strides[1]);
  return turned;
}

void Lstm::Copy(const Block& to, const Block& from) {
  RunOperator<&aclnnInplaceCopyGetWorkspaceSize, &aclnnInplaceCopy>(call_, Of(to, dtype_),
                                                                    Of(from, dtype_));
}

void Lstm::Zero(const Block& block) {
  RunOperator<&aclnnInplaceZeroGetWorkspaceSize, &aclnnInplaceZero>(call_, Of(block, dtype_));
}

void Lstm::Choose(const Block& mask, const Block& a, const Block& b, const Block& to) {
  RunOperator<&aclnnSWhereGetWorkspaceSize, &aclnnSWhere>(call_, Of(mask, ACL_BOOL), Of(a, dtype_),
                                                          Of(b, dtype_), Of(to, dtype_));
}

void Lstm::Sigmoid(const Block& x, const Block& y) {
  RunOperator<&aclnnSigmoidGetWorkspaceSize, &aclnnSigmoid>(call_, Of(x, dtype_), Of(y, dtype_));
}

void Lstm::Tanh(const Block& x, const Block& y) {
  RunOperator<&aclnnTanhGetWorkspaceSize, &aclnnTanh>(call_, Of(x, dtype_), Of(y, dtype_));
}

void Lstm::SigmoidGradient(const Block& grad, const Block& y, const Block& to) {
  RunOperator<&aclnnSigmoidBackwardGetWorkspaceSize, &aclnnSigmoidBackward>(
      call_, Of(grad, dtype_), Of(y, dtype_), Of(to, dtype_));
}

void Lstm::TanhGradient(const Block& grad, const Block& y, const Block& to) {
  RunOperator<&aclnnTanhBackwardGetWorkspaceSize, &aclnnTanhBackward>(
      call_, Of(grad, dtype_), Of(y, dtype_), Of(to, dtype_));
}

void Lstm::Add(const Block& a, const Block& b, const Block& to) {
  RunOperator<&aclnnAddGetWorkspaceSize, &aclnnAdd>(call_, Of(a, dtype_), Of(b, dtype_),
                                                    ScopedScalar(1), Of(to, dtype_));
}

void Lstm::Multiply(const Block& a, const Block& b, const Block& to) {
  RunOperator<&aclnnMulGetWorkspaceSize, &aclnnMul>(call_, Of(a, dtype_), Of(b, dtype_),
                                                    Of(to, dtype_));
}

void Lstm::AddProduct(const Block& a, const Block& b, const Block& to) {
  RunOperator<&aclnnInplaceAddcmulGetWorkspaceSize, &aclnnInplaceAddcmul>(
      call_, Of(to, dtype_), Of(a, dtype_), Of(b, dtype_), ScopedScalar(1));
}

void Lstm::Product(const Block& a, const Block& b, const Block& to) {
  RunOperator<&aclnnMmGetWorkspaceSize, &aclnnMm>(call_, Of(a, dtype_), Of(b, dtype_),
                                                  Of(to, dtype_), int8_t{0});
}

void Lstm::Product(const Block& bias, const Block& a, const Block& b, const Block& to) {
  RunOperator<&aclnnAddmmGetWorkspaceSize, &aclnnAddmm>(call_, Of(bias, dtype_), Of(a, dtype_),
                                                        Of(b, dtype_), ScopedScalar(1),
                                                        ScopedScalar(1), Of(to, dtype_), int8_t{0});
}

void Lstm::AccumulateProduct(const Block& a, const Block& b, const Block& to) {
  RunOperator<&aclnnInplaceAddmmGetWorkspaceSize, &aclnnInplaceAddmm>(
      call_, Of(to, dtype_), Of(a, dtype_), Of(b, dtype_), ScopedScalar(1), ScopedScalar(1),
      int8_t{0});
}

void Lstm::SumOfRows(const Block& matrix, const Block& to) {
  RunOperator<&aclnnReduceSumGetWorkspaceSize, &aclnnReduceSum>(
      call_, Of(matrix, dtype_), call_.Array(std::vector<int64_t>{0}), false, dtype_,
      Of(to, dtype_));
}

}  // namespace aclimb::gates
