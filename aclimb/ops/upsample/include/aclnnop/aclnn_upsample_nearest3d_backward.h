// The other spelling of aclnn_upsample_nearest_3d_backward.h, which has the functions. C++11.
#ifndef ACLNNOP_ACLNN_UPSAMPLE_NEAREST3D_BACKWARD_H_
#define ACLNNOP_ACLNN_UPSAMPLE_NEAREST3D_BACKWARD_H_

#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"

#endif  // ACLNNOP_ACLNN_UPSAMPLE_NEAREST3D_BACKWARD_H_
