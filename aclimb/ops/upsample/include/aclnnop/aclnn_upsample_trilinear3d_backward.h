// The other spelling of aclnn_upsample_trilinear_3d_backward.h, which has the functions. C++11.
#ifndef ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR3D_BACKWARD_H_
#define ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR3D_BACKWARD_H_

#include "aclnnop/aclnn_upsample_trilinear_3d_backward.h"

#endif  // ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR3D_BACKWARD_H_
