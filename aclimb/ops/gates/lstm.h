#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "aclimb/executor/by_type.h"
#include "aclnn/acl_meta.h"

// A layer of LSTM in one direction, which frameworks call by the type names DynamicRNN and
// DynamicRNNGrad: what both share. Each is a sequence of calls of other operators.
namespace aclimb::gates {

// Device memory as steps, rows and columns; strides in elements.
struct Block {
  void* data = nullptr;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;
};

class Lstm {
 public:
  explicit Lstm(TypedCall& call) : call_(call) {}

  // The sizes, from x [steps, batch, inputs] and w [inputs + hidden, 4 * hidden], and what the
  // attributes of both types say.
  Status Read(bool forward);

  int64_t steps() const { return steps_; }
  int64_t batch() const { return batch_; }
  int64_t inputs() const { return inputs_; }
  int64_t hidden() const { return hidden_; }
  bool reversed() const { return reversed_; }
  // The step that comes `k`-th.
  int64_t StepAt(int64_t k) const { return reversed_ ? steps_ - 1 - k : k; }

  // Tensors of the call in plain format: each has to have that shape and the dtype of x.
  struct Wanted {
    int place;
    std::vector<int64_t> dims;
    Block* block;
  };
  Status Inputs(std::initializer_list<Wanted> wanted) const;
  Status Outputs(std::initializer_list<Wanted> wanted) const;
  // The same of [steps, batch, hidden] from place `first` on, which the chip may keep in the format
  // FRACTAL_NZ: then dense copies, and StoreSaved brings those of outputs back.
  Status SavedInputs(int first, std::initializer_list<Block*> blocks);
  Status SavedOutputs(int first, std::initializer_list<Block*> blocks);
  void StoreSaved(int first, std::initializer_list<const Block*> blocks);
  // The mask [steps, batch, hidden] as BOOL; without data where the call has none.
  Status Mask(int place, Block* mask);

  Block Scratch(const std::vector<int64_t>& dims, aclDataType dtype = ACL_DT_UNDEFINED) const;
  Block Step(const Block& block, int64_t step) const { return Step(block, step, element_); }
  Block StepOfMask(const Block& mask, int64_t step) const { return Step(mask, step, 1); }
  // All steps as one matrix.
  Block Flat(const Block& block) const;
  // Of [batch, 4 * hidden]: that of the input gate 'i', the candidate 'j', 'f' or 'o'.
  Block Gate(const Block& gates, char gate) const;
  Block Rows(const Block& matrix, int64_t first, int64_t count) const;
  static Block Transposed(const Block& matrix);

  void Copy(const Block& to, const Block& from);
  void Zero(const Block& block);
  // to = mask ? a : b
  void Choose(const Block& mask, const Block& a, const Block& b, const Block& to);
  void Sigmoid(const Block& x, const Block& y);
  void Tanh(const Block& x, const Block& y);
  void SigmoidGradient(const Block& grad, const Block& y, const Block& to);
  void TanhGradient(const Block& grad, const Block& y, const Block& to);
  void Add(const Block& a, const Block& b, const Block& to);
  void Multiply(const Block& a, const Block& b, const Block& to);
  // to += a * b
  void AddProduct(const Block& a, const Block& b, const Block& to);
  // Products of matrices: to = a b, to = bias + a b, to += a b.
  void Product(const Block& a, const Block& b, const Block& to);
  void Product(const Block& bias, const Block& a, const Block& b, const Block& to);
  void AccumulateProduct(const Block& a, const Block& b, const Block& to);
  void SumOfRows(const Block& matrix, const Block& to);

 private:
  static Block Step(const Block& block, int64_t step, int64_t element);
  Status Expect(const char* what, int place, const AclimbOpTensor& tensor,
                const std::vector<int64_t>& dims) const;
  bool IsFractal(const AclimbOpTensor& tensor) const;
  // Copies between a dense block and fractals.
  void CopyFractals(const AclimbOpTensor& tensor, const Block& dense, bool store);

  TypedCall& call_;
  int64_t steps_ = 0, batch_ = 0, inputs_ = 0, hidden_ = 0;
  aclDataType dtype_ = ACL_FLOAT;
  int64_t element_ = 4;
  bool reversed_ = false;
  std::string gate_order_;
};

}  // namespace aclimb::gates
