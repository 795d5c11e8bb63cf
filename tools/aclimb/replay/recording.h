#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/core/dtype.h"
#include "aclimb/core/packed.h"
#include "aclimb/truth/call.h"

namespace aclimb::cli {

// A recording that cannot be read, or not be run again; what() says which file and why.
struct Unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One argument of a recorded call; what its kind does not have stays empty.
struct RecordedArgument {
  std::string name;  // "self", or "tensors[3]" of a list's element
  contract::Kind kind = contract::Kind::kTensor;
  bool null = false;
  DType dtype = DType::kUndefined;            // of tensors and scalars
  std::array<unsigned char, 16> scalar = {};  // as aclCreateScalar takes it
  double real = 0;                            // of scalars, without imaginary part, and kReal
  int64_t integer = 0;                        // of kInteger and kBool
  std::vector<int64_t> integers;              // of arrays, also of flags, and a scalar of integers
  std::vector<double> reals;                  // of arrays of floats
  std::string text;
  std::vector<RecordedArgument> elements;  // of lists

  // Of tensors. Sizes are in bytes.
  std::vector<int64_t> shape, strides, storage;
  int64_t offset = 0;  // in elements
  int32_t format = 2;
  bool is_input = false;  // one that is worked on in place is both, unless it is overwritten
  bool is_output = false;
  bool touched = false;    // the operator reads or writes it
  bool has_place = false;  // block and begin are set
  size_t block = 0;        // tensors that overlapped are in one block
  int64_t begin = 0;       // of the storage within the block
  uint64_t bytes = 0;      // from the first element of the view to the last
  // These, before the run and after it; empty when they were left out, or do not matter.
  std::optional<std::vector<unsigned char>> data, result;
  std::string left_out;  // why

  size_t ElementBytes() const { return SizeOf(dtype); }
  size_t ElementCount() const;
  // The name of a variable: "self", "tensors_3".
  std::string Identifier() const;
  // The view's elements in row-major order; `content` is as `data` has it.
  std::vector<double> ValuesOf(const std::vector<unsigned char>& content) const;
  std::vector<int64_t> IntegersOf(const std::vector<unsigned char>& content) const;
  // Where the first element is within the block.
  int64_t First() const { return begin + BytesOf(dtype, offset); }
};

// A call that ACLIMB_RECORD wrote.
struct Recording {
  std::string folder;
  const contract::Contract* contract = nullptr;
  int64_t number = 0;
  std::vector<RecordedArgument> arguments;  // by the contract's parameters
  uint64_t workspace = 0;
  int phase1 = 0;
  std::optional<int> phase2;
  std::string run;  // "none", "queued", "started", "ended" or "dropped"
  std::optional<int> run_code;
  std::string message, soc;
  bool extensions = false;
  bool deterministic = false;
  std::vector<uint64_t> blocks;  // bytes

  // Phase 2 took the call, so that there are data.
  bool HasRun() const { return run != "none"; }
  const RecordedArgument& At(truth::Slot slot) const {
    const RecordedArgument& of = arguments[static_cast<size_t>(slot.parameter)];
    return slot.element < 0 ? of : of.elements[static_cast<size_t>(slot.element)];
  }
  // Every tensor that is not null, those of lists among them, in order.
  std::vector<truth::Slot> Tensors() const;
  // Throws Unreadable when an input that the operator reads was left out.
  truth::Call ToCall() const;
};

// Throws Unreadable.
Recording ReadRecording(const std::string& folder);

}  // namespace aclimb::cli
