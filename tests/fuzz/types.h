#pragma once

#include "acl/acl_base.h"

// What proper calls by type name look like.
namespace aclimb::fuzz {

// Tensors by their extents, a letter or a digit each; before them may stand ! for UINT8 and $ for
// UINT16. "#NC" are these numbers in host memory, % is one number there, - a tensor left out.
// Attributes as by_type.cc says.
struct Type {
  const char* name;
  const char* inputs;
  const char* outputs;
  const char* attributes;
};

// Of 1 to 4. Besides, Y = H - K + 1, X = W - K + 1, G = 4 O, T = 3 O, J = C + O and Z = 16.
inline constexpr char kLetters[] = {'N', 'C', 'H', 'W', 'O', 'K', 'S'};

inline constexpr aclDataType kDTypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_INT32,
                                          ACL_INT64, ACL_BOOL,    ACL_DOUBLE};

#define ACLIMB_LSTM_ATTRIBUTES                                                                     \
  "cell_type\"LSTM direction\"UNIDIRECTIONAL cell_depth:1 keep_prob~ num_proj:0 gate_order\"ijfo " \
  "use_peephole?"
inline constexpr Type kTypes[] = {
    {"Abs", "NCHW", "NCHW", ""},
    {"Exp", "NC", "NC", "scale~"},
    {"Swish", "NC", "NC", "scale~"},
    {"Add", "NCHW NCHW", "NCHW", ""},
    {"Mul", "NCHW %", "NCHW", ""},
    {"Less", "NC 1C", "NC", ""},
    {"AxpyV2", "NC NC %", "NC", ""},
    {"SigmoidGrad", "NC NC", "NC", ""},
    {"SwishGrad", "NC NC NC", "NC", "scale~"},
    {"LeakyReluGrad", "NC NC", "NC", "negative_slope~"},
    {"HardtanhGrad", "NC NC", "NC", "min_val~ max_val~"},
    {"ClipByValueV2", "NC % %", "NC", ""},
    {"Select", "NC NC NC", "NC", ""},
    {"Identity", "NCHW", "NCHW", ""},
    {"Cast", "NC", "NC", "dst_type:0"},
    {"Transpose", "NCHW #0231", "NHWC", ""},
    {"AsStrided", "NCHW #NC #11 #0", "NC", ""},
    {"BroadcastTo", "N1 #NC", "NC", ""},
    {"Fill", "#NC %", "NC", ""},
    {"ZerosLike", "NC", "NC", ""},
    {"ConcatD", "NC NC", "NCC", "N:2 concat_dim:0"},
    {"Pack", "NC NC", "2NC", "N:2 axis:0"},
    {"Slice", "NCH #000 #NCH", "NCH", ""},
    {"StridedSlice", "NCH #000 #NCH #111", "NCH",
     "begin_mask:0 end_mask:0 shrink_axis_mask:0 ellipsis_mask:0 new_axis_mask:0"},
    {"ReverseV2", "NCH #01", "NCH", ""},
    {"ReduceSum", "NCH #1", "NH", "keep_dims?"},
    {"ReduceMean", "NCH #01", "H", "keep_dims?"},
    {"ReduceMax", "NCH #2", "NC1", "keep_dims?"},
    {"Cdist", "NCHW NCHW", "NCH", "p~"},
    {"SoftmaxV2", "NCH", "NCH", "axes=1"},
    {"LogSoftmaxGrad", "NCH NCH", "NCH", "axis=2"},
    {"MatMul", "NC CO", "NO", "transpose_x1? transpose_x2?"},
    {"MatMulV2", "NC CO O", "NO", "transpose_x1? transpose_x2?"},
    {"BatchMatMul", "SNC SCO", "SNO", "adj_x1? adj_x2?"},
    {"BNTrainingReduce", "NCHW", "C C", "epsilon~"},
    {"BNTrainingUpdate", "NCHW C C C C C C", "NCHW C C C C", "epsilon~ factor~"},
    {"BNInfer", "NCHW C C C C", "NCHW", "epsilon~"},
    {"BNTrainingUpdateGrad", "NCHW NCHW C C", "C C", "epsilon~"},
    {"BNTrainingReduceGrad", "NCHW NCHW C C C C C", "NCHW", "epsilon~"},
    {"MaxPoolWithArgmaxV1", "NCHW", "NCYX $NC22",
     "ksize=1KK1 strides=1111 pads=1001 dilation=1111 ceil_mode?"},
    {"MaxPoolGradWithArgmaxV1", "NCHW NCYX NC22", "NCHW",
     "ksize=1KK1 strides=1111 pads=1001 dilations=1111 ceil_mode?"},
    {"AvgPoolV2", "NCHW", "NCYX",
     "ksize=11KK strides=1111 pads=0000 ceil_mode? exclusive? divisor_override:0"},
    {"AvgPoolV2Grad", "#NCHW NCYX", "NCHW",
     "ksize=11KK strides=1111 pads=0000 ceil_mode? exclusive?"},
    {"AdaptiveAvgPool2d", "NCHW", "NCYX", "output_size=YX"},
    {"AdaptiveAvgPool2dGrad", "NCYX", "NCHW", "orig_input_shape=NCHW"},
    {"ResizeNearestNeighborV2", "NCHW #OS", "NCOS", "align_corners?"},
    {"ResizeNearestNeighborV2Grad", "NCOS #HW", "NCHW", "half_pixel_centers?"},
    {"ROIAlign", "NCHW K5", "KCYX",
     "spatial_scale~ pooled_height:Y pooled_width:X sample_num:2 roi_end_mode:O"},
    {"ROIAlignGrad", "KCYX K5", "NCHW",
     "xdiff_shape=NCHW spatial_scale~ pooled_height:Y pooled_width:X sample_num:2 roi_end_mode:O"},
    {"Conv2D", "NCHW OCKK O", "NOYX", "strides=1111 pads=0000 dilations=1111 groups:1"},
    {"Conv3D", "NCSHW OC1KK", "NOSYX", "strides=11111 pads=000000 dilations=11111 groups:1"},
    {"Conv2DTranspose", "#NOHW NCYX COKK", "NOHW",
     "strides=1111 pads=0000 dilations=1111 groups:1 output_padding=0000"},
    {"Conv2DBackpropInput", "#NCHW OCKK NOYX", "NCHW",
     "strides=1111 pads=0000 dilations=1111 groups:1"},
    {"Conv2DBackpropFilter", "NCHW #OCKK NOYX", "OCKK",
     "strides=1111 pads=0000 dilations=1111 groups:1"},
    {"StatelessDropOutGenMask", "#NC % #1 #0 #00", "!Z", ""},
    {"DropOutDoMask", "NC !Z %", "NC", ""},
    {"DynamicRNN", "SNC JG G - 1NO 1NO", "SNO SNO SNO SNO SNO SNO SNO SNO", ACLIMB_LSTM_ATTRIBUTES},
    {"DynamicRNNV2", "SNC CG OG G - 1NO 1NO", "SNO SNO SNO SNO SNO SNO SNO SNO",
     ACLIMB_LSTM_ATTRIBUTES},
    {"DynamicRNNGrad", "SNC JG - - NO NO SNO SNO SNO NO NO SNO SNO SNO SNO SNO - - - - -",
     "JG G SNC NO NO", ACLIMB_LSTM_ATTRIBUTES},
    {"DynamicGRUV2", "SNC CT OT T T - NO", "SNO SNO SNO SNO SNO SNO",
     "direction\"UNIDIRECTIONAL cell_depth:1 gate_order\"zrh reset_after?"},
    {"DynamicGRUV2Grad", "SNC CT OT - NO SNO SNO NO SNO SNO SNO SNO - -", "CT OT T T SNC NO",
     "direction\"UNIDIRECTIONAL gate_order\"zrh reset_after?"},
};
#undef ACLIMB_LSTM_ATTRIBUTES

}  // namespace aclimb::fuzz
