#include "aclnnop/aclnn_bincount.h"
#include "aclnnop/aclnn_gather.h"
#include "aclnnop/aclnn_index.h"
#include "aclnnop/aclnn_index_add.h"
#include "aclnnop/aclnn_index_put_impl.h"
#include "aclnnop/aclnn_scatter_add.h"
#include "bench/call_problem.h"

namespace aclimb::indexing {
namespace {

struct Shape {
  std::string function;
  int64_t rows, columns, dim, extent;
  const char* dtype;
};

bench::Call CallOf(const Shape& shape) {
  const auto [function, rows, columns, dim, extent, dtype] = shape;
  const bench::Operand numbers = {{rows}, "int64", {}, extent},
                       places = {{rows, columns}, "int64", {}, extent};
  const bench::Operand elements = {{rows, columns}, dtype};
  const bench::Operand other = {{dim == 0 ? extent : rows, dim == 0 ? columns : extent}, dtype};
  if (function == "bincount") {
    const auto open = [](const bench::Tensors& in, const bench::Tensors& out) {
      return [in, out](uint64_t* size, aclOpExecutor** executor) {
        return aclnnBincountGetWorkspaceSize(in[0], nullptr, 0, out[0], size, executor);
      };
    };
    return {{numbers}, {{{extent}, "int64"}}, open, &aclnnBincount};
  }
  if (function == "gather") {
    const auto open = [dim = shape.dim](const bench::Tensors& in, const bench::Tensors& out) {
      return [dim, in, out](uint64_t* size, aclOpExecutor** executor) {
        return aclnnGatherGetWorkspaceSize(in[0], dim, in[1], out[0], size, executor);
      };
    };
    return {{other, places}, {elements}, open, &aclnnGather};
  }
  if (function == "scatter_add") {
    const auto open = [dim = shape.dim](const bench::Tensors& in, const bench::Tensors& out) {
      return [dim, in, out](uint64_t* size, aclOpExecutor** executor) {
        return aclnnScatterAddGetWorkspaceSize(in[0], dim, in[1], in[2], out[0], size, executor);
      };
    };
    return {{other, places, elements}, {other}, open, &aclnnScatterAdd};
  }
  if (function == "index_add") {
    const auto open = [](const bench::Tensors& in, const bench::Tensors& out) {
      float one = 1;
      // Kept for as long as the process lives, as its cases are.
      const aclScalar* const alpha = aclCreateScalar(&one, ACL_FLOAT);
      return [alpha, in, out](uint64_t* size, aclOpExecutor** executor) {
        return aclnnIndexAddGetWorkspaceSize(in[0], 0, in[1], in[2], alpha, out[0], size, executor);
      };
    };
    return {{other, numbers, elements}, {other}, open, &aclnnIndexAdd};
  }
  const bool accumulates = function == "index_put";
  const bool puts = accumulates || function == "index_put_replace";
  const auto open = [puts, accumulates](const bench::Tensors& in, const bench::Tensors& out) {
    const aclTensorList* const list = aclCreateTensorList(&in[1], 1);
    return [puts, accumulates, list, in, out](uint64_t* size, aclOpExecutor** executor) {
      if (!puts) return aclnnIndexGetWorkspaceSize(in[0], list, out[0], size, executor);
      return aclnnIndexPutImplGetWorkspaceSize(in[0], list, in[2], accumulates, false, size,
                                               executor);
    };
  };
  // What is changed in place is no output that could be poisoned.
  if (puts) return {{other, numbers, elements}, {}, open, &aclnnIndexPutImpl};
  return {{other, numbers}, {elements}, open, &aclnnIndex};
}

bench::Case Make(const char* name, const Shape& shape) {
  const bench::Call call = CallOf(shape);
  bench::Cost cost;
  for (const bench::Operand& input : call.inputs) cost.read_bytes += input.Bytes();
  for (const bench::Operand& output : call.outputs) cost.write_bytes += output.Bytes();
  // Of what an index chooses, only that is read or replaced; what is changed in place is also
  // written.
  if (shape.function == "index" || shape.function == "gather") {
    cost.read_bytes += call.outputs[0].Bytes() - call.inputs[0].Bytes();
  }
  if (shape.function == "index_put") cost.write_bytes += call.inputs[0].Bytes();
  if (shape.function == "index_put_replace") {
    cost.read_bytes -= call.inputs[0].Bytes();
    cost.write_bytes += call.inputs[2].Bytes();
  }
  return bench::CaseOf("indexing", name, shape.dtype,
                       {{"function", shape.function},
                        {"rows", std::to_string(shape.rows)},
                        {"columns", std::to_string(shape.columns)},
                        {"dim", std::to_string(shape.dim)},
                        {"extent", std::to_string(shape.extent)}},
                       call, cost);
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, rows, columns, dim, extent, dtype) \
  Make(#name, {#function, rows, columns, dim, extent, #dtype}),
#include "aclimb/ops/indexing/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::indexing
