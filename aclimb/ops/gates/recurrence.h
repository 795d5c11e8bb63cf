#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "aclimb/executor/by_type.h"
#include "aclnn/acl_meta.h"

// A layer of a recurrent network in one direction, which frameworks call by type names as
// DynamicRNN and DynamicGRUV2: what these share. Each is a sequence of calls of other operators.
namespace aclimb::gates {

// Device memory as steps, rows and columns; strides in elements.
struct Block {
  void* data = nullptr;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;
};

class Recurrence {
 public:
  explicit Recurrence(TypedCall& call) : call_(call) {}

  // The orders in which a cell's gates may stand in its matrices, a letter each; the first is what
  // holds where the call says nothing. Fewer than three leave the last ones empty.
  struct Cell {
    std::array<std::string_view, 3> orders;
    // Whether one matrix [inputs + hidden, gates * hidden] is given for x and h, at input 1, or one
    // for x [inputs, gates * hidden] and one for h [hidden, gates * hidden], at 1 and 2.
    bool joined;
  };
  // The sizes, from x [steps, batch, inputs] (of one step also [batch, inputs]) at input 0 and the
  // matrices; and what the attributes of all types say.
  Status Read(const Cell& cell);

  int64_t steps() const { return steps_; }
  int64_t batch() const { return batch_; }
  int64_t inputs() const { return inputs_; }
  int64_t hidden() const { return hidden_; }
  // Rows of what the gates are together.
  int64_t all_gates() const { return static_cast<int64_t>(gate_order_.size()) * hidden_; }
  bool reversed() const { return reversed_; }
  // The step that comes `k`-th.
  int64_t StepAt(int64_t k) const { return reversed_ ? steps_ - 1 - k : k; }

  // Tensors of the call: each has to have that shape, but for extents of 1 in front of it, and the
  // dtype of x.
  struct Wanted {
    int place;
    std::vector<int64_t> dims;
    Block* block;
  };
  Status Inputs(std::initializer_list<Wanted> wanted) const;
  Status Outputs(std::initializer_list<Wanted> wanted) const;
  // States of the call: each has to be [steps, batch, hidden], from place `first` on.
  Status StatesFrom(int first, std::initializer_list<Block*> blocks) const;
  Status OutputStatesFrom(int first, std::initializer_list<Block*> blocks) const;
  // The matrices of x and h.
  Status Matrices(Block* of_x, Block* of_h) const;
  Status OutputMatrices(int first, Block* of_x, Block* of_h) const;
  // A vector of all gates; zeros where the call leaves it out.
  Status Bias(int place, Block* bias);
  // The mask [steps, batch, hidden] as BOOL; without data where the call has none.
  Status Mask(int place, Block* mask);
  // Inputs `first` to `last` are scalars, which stand for nothing, or are left out.
  Status AreScalars(int first, int last, std::string_view what) const;

  Block Scratch(const std::vector<int64_t>& dims, aclDataType dtype = ACL_DT_UNDEFINED) const;
  Block Step(const Block& block, int64_t step) const { return Step(block, step, element_); }
  Block StepOfMask(const Block& mask, int64_t step) const { return Step(mask, step, 1); }
  // All steps as one matrix.
  Block Flat(const Block& block) const;
  // Of [..., all_gates]: that of one gate, by its letter in the orders.
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
  void Add(const Block& a, const Block& b, const Block& to) { AddMultiple(a, 1, b, to); }
  void Subtract(const Block& a, const Block& b, const Block& to) { AddMultiple(a, -1, b, to); }
  void Multiply(const Block& a, const Block& b, const Block& to);
  // to += a * b
  void AddProduct(const Block& a, const Block& b, const Block& to);
  // Products of matrices: to = a b, to = bias + a b, to += a b.
  void Product(const Block& a, const Block& b, const Block& to);
  void Product(const Block& bias, const Block& a, const Block& b, const Block& to);
  void AccumulateProduct(const Block& a, const Block& b, const Block& to);
  void SumOfRows(const Block& matrix, const Block& to);

  // Gradients of the matrix of h, to which the gradients of all gates [steps, batch, ...] lead:
  // each step saw the h of the step before it, and one of them the first one.
  void GradientOfStates(const Block& first_h, const Block& h, const Block& gates, const Block& to);

 private:
  static Block Step(const Block& block, int64_t step, int64_t element);
  void AddMultiple(const Block& a, float factor, const Block& b, const Block& to);
  Status ReadSizes(const Cell& cell);
  Status ReadAttributes(const Cell& cell);
  Status Expect(const char* what, int place, const AclimbOpTensor& tensor,
                const std::vector<int64_t>& dims) const;

  TypedCall& call_;
  int64_t steps_ = 0, batch_ = 0, inputs_ = 0, hidden_ = 0;
  aclDataType dtype_ = ACL_FLOAT;
  int64_t element_ = 4;
  bool joined_ = false;
  bool reversed_ = false;
  std::string gate_order_;
};

}  // namespace aclimb::gates
