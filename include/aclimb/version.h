// Versions of Aclimb. Plain preprocessor text, usable from C99, C++11 and build scripts.
#ifndef ACLIMB_VERSION_H_
#define ACLIMB_VERSION_H_

// Aclimb's own version. It is printed by `aclimb --version` and says nothing about the API level.
#define ACLIMB_VERSION_MAJOR 0
#define ACLIMB_VERSION_MINOR 1
#define ACLIMB_VERSION_PATCH 0
#define ACLIMB_VERSION_STRING "0.1.0"

// The toolkit release whose programs are meant to build and run. Version files, the installed
// directory's name and aclsysGetCANNVersion give this text; the level of the runtime API is in
// ACL_MAJOR_VERSION and its companions (acl/acl_rt.h).
#define ACLIMB_TOOLKIT_VERSION_STRING "8.1.RC1"

#endif  // ACLIMB_VERSION_H_
