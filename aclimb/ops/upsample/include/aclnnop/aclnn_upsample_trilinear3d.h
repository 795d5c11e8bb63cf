// The other spelling of aclnn_upsample_trilinear_3d.h, which has the functions. C++11.
#ifndef ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR3D_H_
#define ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR3D_H_

#include "aclnnop/aclnn_upsample_trilinear_3d.h"

#endif  // ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR3D_H_
