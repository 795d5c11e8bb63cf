#include "aclimb/runtime/aclop/operator_names.h"

#include <dlfcn.h>

#include "aclimb/core/text.h"

namespace aclimb::aclop {
namespace {

// A name, and those of its functions without "aclnn", of types whose function has another name.
struct Renamed {
  std::string_view type;
  std::string_view functions;  // separated by blanks
};

constexpr Renamed kRenamed[] = {
    {"ApplyAdamW", "ApplyAdamWV2"},
    {"ArgMaxV2", "ArgMax"},
    {"AvgPoolV2", "AvgPool2d"},
    {"AxpyV2", "InplaceAdd InplaceAdds"},
    {"BNInfer", "BatchNorm"},
    {"BNTrainingReduce", "BatchNorm"},
    {"BNTrainingReduceGrad", "BatchNormBackward"},
    {"BatchMatMul", "BatchMatMul Matmul"},
    {"BatchMatMulV2", "BatchMatMul Matmul"},
    {"Concat", "Cat"},
    {"ConcatD", "Cat"},
    {"Conv2D", "Convolution"},
    {"Conv2DBackpropFilter", "ConvolutionBackward"},
    {"Conv2DBackpropInput", "ConvolutionBackward"},
    {"Conv3D", "Convolution"},
    {"Conv3DBackpropFilter", "ConvolutionBackward"},
    {"Conv3DBackpropInput", "ConvolutionBackward"},
    {"DropOutDoMask", "DropoutDoMask"},
    {"DropOutGenMask", "DropoutGenMaskV2"},
    {"DynamicGRUV2", "GRU"},
    {"Equal", "EqTensor EqScalar"},
    {"Fill", "InplaceFillScalar"},
    {"Fills", "InplaceFillScalar"},
    {"GatherV2", "IndexSelect Embedding"},
    {"Greater", "GtTensor GtScalar"},
    {"GreaterEqual", "GeTensor GeScalar"},
    {"Identity", "InplaceCopy"},
    {"LayerNormGrad", "LayerNormBackward"},
    {"Less", "LtTensor LtScalar"},
    {"LessEqual", "LeTensor LeScalar"},
    {"LogSoftmaxGrad", "LogSoftmaxBackward"},
    {"LogSoftmaxV2", "LogSoftmax"},
    {"MatMul", "Mm Matmul"},
    {"MatMulV2", "Mm Matmul"},
    {"MaxPoolWithArgmaxV1", "MaxPool2dWithMask"},
    {"MaxPoolGradWithArgmaxV1", "MaxPool2dWithMaskBackward"},
    {"NotEqual", "NeTensor NeScalar"},
    {"OnesLike", "InplaceOne"},
    {"Pow", "PowTensorTensor PowTensorScalar"},
    {"Range", "Arange"},
    {"RealDiv", "Div Divs"},
    {"ReduceMean", "Mean"},
    {"ReluGrad", "ThresholdBackward"},
    {"SoftmaxGrad", "SoftmaxBackward"},
    {"SoftmaxV2", "Softmax"},
    {"StatelessDropOutGenMask", "DropoutGenMaskV2"},
    {"StatelessRandomNormalV2", "InplaceNormal"},
    {"StatelessRandomUniformV2", "InplaceUniform"},
    {"TensorEqual", "Equal"},
    {"TensorMove", "InplaceCopy"},
    {"ViewCopy", "InplaceCopy"},
    {"ZerosLike", "InplaceZero"},
};

}  // namespace

std::vector<std::string> FunctionsOf(std::string_view type) {
  std::string_view names = type;
  for (const Renamed& row : kRenamed) {
    if (row.type == type) names = row.functions;
  }
  std::vector<std::string> functions;
  while (!names.empty()) {
    const size_t end = names.find(' ');
    functions.push_back(Cat("aclnn", names.substr(0, end)));
    names = end == std::string_view::npos ? "" : names.substr(end + 1);
  }
  if (functions.empty()) functions.push_back("aclnn");
  return functions;
}

int HasFunction(const std::string& function) {
  // Not loaded for the question's sake: a program without operators stays without them.
  void* const operators = dlopen("libopapi.so", RTLD_LAZY | RTLD_NOLOAD);
  if (operators == nullptr) return -1;
  const bool found = dlsym(operators, function.c_str()) != nullptr;
  dlclose(operators);
  return found ? 1 : 0;
}

}  // namespace aclimb::aclop
