#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "aclimb/truth/operator_entry.h"
#include "aclnn/acl_meta.h"
#include "tests/fuzz/draw.h"
#include "tests/fuzz/view.h"

namespace aclimb::fuzz {

// A call of one operator with its arguments.
struct OperatorCall {
  std::vector<View*> views;
  std::function<aclnnStatus(uint64_t*, aclOpExecutor**)> plan;
  aclnnStatus (*run)(void*, uint64_t, aclOpExecutor*, aclrtStream) = nullptr;
  double operations = 0;   // about; larger calls end after phase 1
  bool runs_once = false;  // a run changes the shape of its output's tensor
};

// One call of an operator, as the bytes say; always the same one in a process.
void RunTarget(const truth::OperatorEntry& entry, Draw& draw);

// Initialises the library once per process: small devices, addresses that the host may read.
void SetUp();

// A chip, reserved values allowed or not, results deterministic or not: by the first byte.
void ChooseSettings(Draw& draw);

// Both phases. A proper call is accepted, writes its outputs whole and nothing else, and gives the
// same bits again; any other gives a documented code with a message. Findings end the process.
void Check(Draw& draw, const OperatorCall& call);

// Handles that no call may take: null, destroyed, of another kind, invented. Seldom.
const void* SpoiltHandle(Draw& draw, const void* good);

// Arrays, lists and scalars for the time of one call; the bytes may choose another dtype for a
// scalar. A list destroys its elements.
struct Ints {
  explicit Ints(const std::vector<int64_t>& values);
  ~Ints();
  Ints(const Ints&) = delete;
  Ints& operator=(const Ints&) = delete;
  aclIntArray* const handle;
};
struct Bools {
  explicit Bools(const std::vector<uint8_t>& values);
  ~Bools();
  Bools(const Bools&) = delete;
  Bools& operator=(const Bools&) = delete;
  aclBoolArray* const handle;
};
struct Floats {
  explicit Floats(const std::vector<float>& values);
  ~Floats();
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;
  aclFloatArray* const handle;
};
struct Tensors {
  explicit Tensors(const std::vector<const aclTensor*>& elements);
  ~Tensors();
  Tensors(const Tensors&) = delete;
  Tensors& operator=(const Tensors&) = delete;
  aclTensorList* const handle;
};
struct Scalars {
  explicit Scalars(const std::vector<const aclScalar*>& elements);
  ~Scalars();
  Scalars(const Scalars&) = delete;
  Scalars& operator=(const Scalars&) = delete;
  aclScalarList* const handle;
};
struct Scalar {
  Scalar(Draw& draw, const truth::Given& given);
  ~Scalar();
  Scalar(const Scalar&) = delete;
  Scalar& operator=(const Scalar&) = delete;
  // From now on somebody else destroys it.
  aclScalar* Take() { return std::exchange(handle, nullptr); }
  aclScalar* handle = nullptr;
};

}  // namespace aclimb::fuzz
