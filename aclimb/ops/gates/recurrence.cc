#include "aclimb/ops/gates/recurrence.h"

#include <algorithm>
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

// An attribute that may have one value.
struct OnlyText {
  const char* name;
  const char* value;
};
constexpr OnlyText kTexts[] = {{"activation", "tanh"},
                               {"recurrent_activation", "sigmoid"},
                               {"merge_mode", "concat"},
                               {"bias_type", "no_bias"}};
struct OnlyFlag {
  const char* name;
  bool value;
};
constexpr OnlyFlag kFlags[] = {
    {"use_peephole", false}, {"time_major", true}, {"reset_after", true}, {"stateful", false}};

}  // namespace

Status Recurrence::Read(const Cell& cell) {
  joined_ = cell.joined;
  if (Status bad = ReadSizes(cell); !bad.ok()) return bad;
  return ReadAttributes(cell);
}

Status Recurrence::ReadSizes(const Cell& cell) {
  const AclimbOpTensor& x = call_.Input(0);
  const AclimbOpTensor& w = call_.Input(1);
  if (x.dtype != ACL_FLOAT && x.dtype != ACL_FLOAT16) {
    return call_.Unsupported("input 0 (x) to be FLOAT or FLOAT16");
  }
  dtype_ = static_cast<aclDataType>(x.dtype);
  element_ = dtype_ == ACL_FLOAT ? 4 : 2;
  const auto gates = static_cast<int64_t>(cell.orders[0].size());
  const auto positive = [](const AclimbOpTensor& tensor) {
    return std::all_of(tensor.dims, tensor.dims + tensor.rank, [](int64_t d) { return d > 0; });
  };
  const bool fits = (x.rank == 3 || x.rank == 2) && w.rank == 2 && positive(x) && positive(w) &&
                    w.dims[1] % gates == 0;
  if (fits) {
    steps_ = x.rank == 3 ? x.dims[0] : 1;
    batch_ = x.dims[x.rank - 2];
    inputs_ = x.dims[x.rank - 1];
    hidden_ = w.dims[1] / gates;
  }
  if (!fits || w.dims[0] != inputs_ + (cell.joined ? hidden_ : 0)) {
    return call_.Unsupported(Cat("input 0 (x) of the shape [steps, batch, inputs] and input 1 of [",
                                 cell.joined ? "inputs + hidden" : "inputs", ", ", gates,
                                 " * hidden], with extents of 1 or more"));
  }
  return Ok();
}

Status Recurrence::ReadAttributes(const Cell& cell) {
  for (const OnlyText& only : kTexts) {
    Result<std::string> text = call_.Text(only.name, only.value);
    if (!text.ok()) return text.TakeStatus();
    if (text.value() != only.value) {
      return call_.Unsupported(Cat("the attribute ", only.name, " to be ", only.value));
    }
  }
  for (const OnlyFlag& only : kFlags) {
    Result<bool> flag = call_.Flag(only.name, only.value);
    if (!flag.ok()) return flag.TakeStatus();
    if (flag.value() != only.value) {
      return call_.Unsupported(
          Cat("the attribute ", only.name, " to be ", only.value ? "true" : "false"));
    }
  }
  // torch_npu passes the gradient's cell_type as a pointer, which C++ converts to bool.
  const Result<bool> flag = call_.Flag("cell_type", false);
  if (!flag.ok() || !flag.value()) {
    Result<std::string> type = call_.Text("cell_type", "LSTM");
    if (!type.ok()) return type.TakeStatus();
    if (type.value() != "LSTM") return call_.Unsupported("the attribute cell_type to be LSTM");
  }
  Result<int64_t> depth = call_.Integer("cell_depth", 1);
  if (!depth.ok()) return depth.TakeStatus();
  // The gradient of DynamicRNN gets 0, which stands for one as well.
  if (depth.value() != 0 && depth.value() != 1) {
    return call_.Unsupported("the attribute cell_depth to be 1");
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
  // The gradient of DynamicRNN gets -1, which stands for none as well.
  if (keep.value() != 1 && keep.value() >= 0) {
    return call_.Unsupported("the attribute keep_prob to be 1");
  }
  Result<std::string> direction = call_.Text("direction", "UNIDIRECTIONAL");
  if (!direction.ok()) return direction.TakeStatus();
  reversed_ = direction.value() == "REDIRECTIONAL";
  if (!reversed_ && direction.value() != "UNIDIRECTIONAL") {
    return call_.Unsupported("the attribute direction to be UNIDIRECTIONAL or REDIRECTIONAL");
  }
  Result<std::string> order = call_.Text("gate_order", cell.orders[0]);
  if (!order.ok()) return order.TakeStatus();
  gate_order_ = order.value();
  std::string orders;
  for (const std::string_view each : cell.orders) {
    if (each.empty()) break;
    if (gate_order_ == each) {
      // The candidate of an LSTM has two letters.
      std::replace(gate_order_.begin(), gate_order_.end(), 'c', 'j');
      return Ok();
    }
    orders += Cat(orders.empty() ? "" : " or ", each);
  }
  return call_.Unsupported(Cat("the attribute gate_order to be ", orders));
}

Status Recurrence::Expect(const char* what, int place, const AclimbOpTensor& tensor,
                          const std::vector<int64_t>& dims) const {
  const auto behind_ones = [](const int64_t* first, const int64_t* end) {
    return std::vector<int64_t>(std::find_if(first, end, [](int64_t d) { return d != 1; }), end);
  };
  const bool fits = behind_ones(dims.data(), dims.data() + dims.size()) ==
                    behind_ones(tensor.dims, tensor.dims + tensor.rank);
  if (fits && tensor.dtype == dtype_) return Ok();
  return call_.Unsupported(Cat(what, " ", place, " of the shape ",
                               ShapeText(dims.data(), dims.size()), " and the dtype of x"));
}

Status Recurrence::Inputs(std::initializer_list<Wanted> wanted) const {
  for (const Wanted& each : wanted) {
    Result<const aclTensor*> tensor = call_.InputTensor(each.place);
    if (!tensor.ok()) return tensor.TakeStatus();
    const AclimbOpTensor& given = call_.Input(each.place);
    if (Status bad = Expect("input", each.place, given, each.dims); !bad.ok()) return bad;
    *each.block = Dense(given.data, each.dims);
  }
  return Ok();
}

Status Recurrence::Outputs(std::initializer_list<Wanted> wanted) const {
  for (const Wanted& each : wanted) {
    Result<aclTensor*> tensor = call_.OutputTensor(each.place);
    if (!tensor.ok()) return tensor.TakeStatus();
    const AclimbOpTensor& given = call_.Output(each.place);
    if (Status bad = Expect("output", each.place, given, each.dims); !bad.ok()) return bad;
    *each.block = Dense(given.data, each.dims);
  }
  return Ok();
}

Status Recurrence::StatesFrom(int first, std::initializer_list<Block*> blocks) const {
  int place = first;
  for (Block* block : blocks) {
    if (Status bad = Inputs({{place++, {steps_, batch_, hidden_}, block}}); !bad.ok()) return bad;
  }
  return Ok();
}

Status Recurrence::OutputStatesFrom(int first, std::initializer_list<Block*> blocks) const {
  int place = first;
  for (Block* block : blocks) {
    if (Status bad = Outputs({{place++, {steps_, batch_, hidden_}, block}}); !bad.ok()) return bad;
  }
  return Ok();
}

Status Recurrence::Matrices(Block* of_x, Block* of_h) const {
  if (!joined_) {
    return Inputs({{1, {inputs_, all_gates()}, of_x}, {2, {hidden_, all_gates()}, of_h}});
  }
  Block both;
  if (Status bad = Inputs({{1, {inputs_ + hidden_, all_gates()}, &both}}); !bad.ok()) return bad;
  *of_x = Rows(both, 0, inputs_);
  *of_h = Rows(both, inputs_, hidden_);
  return Ok();
}

Status Recurrence::OutputMatrices(int first, Block* of_x, Block* of_h) const {
  if (!joined_) {
    return Outputs(
        {{first, {inputs_, all_gates()}, of_x}, {first + 1, {hidden_, all_gates()}, of_h}});
  }
  Block both;
  if (Status bad = Outputs({{first, {inputs_ + hidden_, all_gates()}, &both}}); !bad.ok()) {
    return bad;
  }
  *of_x = Rows(both, 0, inputs_);
  *of_h = Rows(both, inputs_, hidden_);
  return Ok();
}

Status Recurrence::Bias(int place, Block* bias) {
  if (call_.HasInput(place)) return Inputs({{place, {all_gates()}, bias}});
  *bias = Scratch({all_gates()});
  Zero(*bias);
  return Ok();
}

Status Recurrence::AreScalars(int first, int last, std::string_view what) const {
  for (int place = first; place <= last; ++place) {
    if (call_.HasInput(place) && call_.Input(place).rank != 0) {
      return call_.Unsupported(Cat("input ", place, " to be a scalar: there ", what));
    }
  }
  return Ok();
}

Status Recurrence::Mask(int place, Block* mask) {
  if (!call_.HasInput(place) || call_.Input(place).rank == 0) return Ok();
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

Block Recurrence::Scratch(const std::vector<int64_t>& dims, aclDataType dtype) const {
  int64_t bytes = dtype == ACL_BOOL ? 1 : element_;
  for (int64_t d : dims) bytes *= d;
  return Dense(call_.Scratch(static_cast<uint64_t>(bytes)), dims);
}

Block Recurrence::Step(const Block& block, int64_t step, int64_t element) {
  Block one = Moved(block, step * block.strides[0], element);
  one.dims.erase(one.dims.begin());
  one.strides.erase(one.strides.begin());
  return one;
}

Block Recurrence::Flat(const Block& block) const {
  return Dense(block.data, {block.dims[0] * block.dims[1], block.dims[2]});
}

Block Recurrence::Gate(const Block& gates, char gate) const {
  const auto place = static_cast<int64_t>(gate_order_.find(gate));
  Block one = Moved(gates, place * hidden_, element_);
  one.dims.back() = hidden_;
  return one;
}

Block Recurrence::Rows(const Block& matrix, int64_t first, int64_t count) const {
  Block rows = Moved(matrix, first * matrix.strides[0], element_);
  rows.dims[0] = count;
  return rows;
}

Block Recurrence::Transposed(const Block& matrix) {
  Block turned = matrix;
  std::swap(turned.dims[0], turned.dims[1]);
  std::swap(turned.strides[0], turned.strides[1]);
  return turned;
}

void Recurrence::Copy(const Block& to, const Block& from) {
  RunOperator<&aclnnInplaceCopyGetWorkspaceSize, &aclnnInplaceCopy>(call_, Of(to, dtype_),
                                                                    Of(from, dtype_));
}

void Recurrence::Zero(const Block& block) {
  RunOperator<&aclnnInplaceZeroGetWorkspaceSize, &aclnnInplaceZero>(call_, Of(block, dtype_));
}

void Recurrence::Choose(const Block& mask, const Block& a, const Block& b, const Block& to) {
  RunOperator<&aclnnSWhereGetWorkspaceSize, &aclnnSWhere>(call_, Of(mask, ACL_BOOL), Of(a, dtype_),
                                                          Of(b, dtype_), Of(to, dtype_));
}

void Recurrence::Sigmoid(const Block& x, const Block& y) {
  RunOperator<&aclnnSigmoidGetWorkspaceSize, &aclnnSigmoid>(call_, Of(x, dtype_), Of(y, dtype_));
}

void Recurrence::Tanh(const Block& x, const Block& y) {
  RunOperator<&aclnnTanhGetWorkspaceSize, &aclnnTanh>(call_, Of(x, dtype_), Of(y, dtype_));
}

void Recurrence::SigmoidGradient(const Block& grad, const Block& y, const Block& to) {
  RunOperator<&aclnnSigmoidBackwardGetWorkspaceSize, &aclnnSigmoidBackward>(
      call_, Of(grad, dtype_), Of(y, dtype_), Of(to, dtype_));
}

void Recurrence::TanhGradient(const Block& grad, const Block& y, const Block& to) {
  RunOperator<&aclnnTanhBackwardGetWorkspaceSize, &aclnnTanhBackward>(
      call_, Of(grad, dtype_), Of(y, dtype_), Of(to, dtype_));
}

void Recurrence::AddMultiple(const Block& a, float factor, const Block& b, const Block& to) {
  RunOperator<&aclnnAddGetWorkspaceSize, &aclnnAdd>(call_, Of(a, dtype_), Of(b, dtype_),
                                                    ScopedScalar(factor), Of(to, dtype_));
}

void Recurrence::Multiply(const Block& a, const Block& b, const Block& to) {
  RunOperator<&aclnnMulGetWorkspaceSize, &aclnnMul>(call_, Of(a, dtype_), Of(b, dtype_),
                                                    Of(to, dtype_));
}

void Recurrence::AddProduct(const Block& a, const Block& b, const Block& to) {
  RunOperator<&aclnnInplaceAddcmulGetWorkspaceSize, &aclnnInplaceAddcmul>(
      call_, Of(to, dtype_), Of(a, dtype_), Of(b, dtype_), ScopedScalar(1));
}

void Recurrence::Product(const Block& a, const Block& b, const Block& to) {
  RunOperator<&aclnnMmGetWorkspaceSize, &aclnnMm>(call_, Of(a, dtype_), Of(b, dtype_),
                                                  Of(to, dtype_), int8_t{0});
}

void Recurrence::Product(const Block& bias, const Block& a, const Block& b, const Block& to) {
  RunOperator<&aclnnAddmmGetWorkspaceSize, &aclnnAddmm>(call_, Of(bias, dtype_), Of(a, dtype_),
                                                        Of(b, dtype_), ScopedScalar(1),
                                                        ScopedScalar(1), Of(to, dtype_), int8_t{0});
}

void Recurrence::AccumulateProduct(const Block& a, const Block& b, const Block& to) {
  RunOperator<&aclnnInplaceAddmmGetWorkspaceSize, &aclnnInplaceAddmm>(
      call_, Of(to, dtype_), Of(a, dtype_), Of(b, dtype_), ScopedScalar(1), ScopedScalar(1),
      int8_t{0});
}

void Recurrence::SumOfRows(const Block& matrix, const Block& to) {
  RunOperator<&aclnnReduceSumGetWorkspaceSize, &aclnnReduceSum>(
      call_, Of(matrix, dtype_), call_.Array(std::vector<int64_t>{0}), false, dtype_,
      Of(to, dtype_));
}

void Recurrence::GradientOfStates(const Block& first_h, const Block& h, const Block& gates,
                                  const Block& to) {
  Product(Transposed(first_h), Step(gates, StepAt(0)), to);
  const int64_t rest = (steps_ - 1) * batch_;
  if (rest == 0) return;
  const int64_t seen = reversed_ ? batch_ : 0;
  AccumulateProduct(Transposed(Rows(Flat(h), seen, rest)), Rows(Flat(gates), batch_ - seen, rest),
                    to);
}

}  // namespace aclimb::gates
