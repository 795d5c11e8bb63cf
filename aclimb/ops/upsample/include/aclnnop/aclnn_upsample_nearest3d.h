// The other spelling of aclnn_upsample_nearest_3d.h, which has the functions. C++11.
#ifndef ACLNNOP_ACLNN_UPSAMPLE_NEAREST3D_H_
#define ACLNNOP_ACLNN_UPSAMPLE_NEAREST3D_H_

#include "aclnnop/aclnn_upsample_nearest_3d.h"

#endif  // ACLNNOP_ACLNN_UPSAMPLE_NEAREST3D_H_
