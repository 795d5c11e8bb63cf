// What frameworks call by type name: DynamicRNN and DynamicRNNV2, a layer of LSTM, whose cell has
// one matrix for x and h or two; and their gradients.
//
//   i, f, o = sigmoid and j = tanh of x[t] w_x + h[t - 1] w_h + b, which is cut into four
//   c[t] = f * c[t - 1] + i * j,  h[t] = o * tanh(c[t])
//
// Where the mask is 0, h and c go on as they were, and y, which is h elsewhere, is 0: the sequence
// has ended, or in reverse not begun.

#include <vector>

#include "aclimb/core/text.h"
#include "aclimb/executor/by_type.h"
#include "aclimb/ops/gates/recurrence.h"

namespace aclimb::gates::lstm_by_type {
namespace {

constexpr Recurrence::Cell kOneMatrix = {.orders = {"ijfo", "ifjo"}, .joined = true};
constexpr Recurrence::Cell kTwoMatrices = {.orders = {"ijfo", "ifjo", "ifco"}, .joined = false};

template <const Recurrence::Cell& kCell>
Status AnswerForward(TypedCall& call) {
  // Where the call has a second matrix, all that follows has a place more.
  constexpr int kMore = kCell.joined ? 0 : 1;
  if (Status bad = call.Has(
          6 + kMore, 6 + kMore, 8,
          {"cell_type", "direction", "cell_depth", "use_peephole", "keep_prob", "cell_clip",
           "num_proj", "time_major", "activation", "forget_bias", "is_training", "gate_order"});
      !bad.ok()) {
    return bad;
  }
  Recurrence lstm(call);
  if (Status bad = lstm.Read(kCell); !bad.ok()) return bad;
  const int64_t steps = lstm.steps(), batch = lstm.batch(), hidden = lstm.hidden();
  const std::vector<int64_t> states = {steps, batch, hidden};
  Block x, w_x, w_h, b, mask, first_h, first_c;
  if (Status bad = lstm.Matrices(&w_x, &w_h); !bad.ok()) return bad;
  if (Status bad = lstm.Inputs({{0, {steps, batch, lstm.inputs()}, &x},
                                {4 + kMore, {1, batch, hidden}, &first_h},
                                {5 + kMore, {1, batch, hidden}, &first_c}});
      !bad.ok()) {
    return bad;
  }
  Block y, h, c, i, j, f, o, tanh_c;
  if (Status bad = lstm.OutputStatesFrom(0, {&y, &h, &c, &i, &j, &f, &o, &tanh_c}); !bad.ok()) {
    return bad;
  }
  if (Status bad = lstm.Bias(2 + kMore, &b); !bad.ok()) return bad;
  if (Status bad = lstm.Mask(3 + kMore, &mask); !bad.ok()) return bad;
  const bool masked = mask.data != nullptr;
  const Block next_h = masked ? lstm.Scratch({batch, hidden}) : Block();
  const Block next_c = masked ? lstm.Scratch({batch, hidden}) : Block();
  const Block zeros = masked ? lstm.Scratch(states) : Block();

  const Block all_gates = lstm.Scratch({steps, batch, lstm.all_gates()});
  lstm.Product(b, lstm.Flat(x), w_x, lstm.Flat(all_gates));
  for (int64_t k = 0; k < steps; ++k) {
    const int64_t t = lstm.StepAt(k);
    const Block last_h = k == 0 ? lstm.Step(first_h, 0) : lstm.Step(h, lstm.StepAt(k - 1));
    const Block last_c = k == 0 ? lstm.Step(first_c, 0) : lstm.Step(c, lstm.StepAt(k - 1));
    const Block gates = lstm.Step(all_gates, t);
    const Block i_t = lstm.Step(i, t), j_t = lstm.Step(j, t), f_t = lstm.Step(f, t);
    const Block o_t = lstm.Step(o, t), tanh_c_t = lstm.Step(tanh_c, t);
    const Block h_t = masked ? next_h : lstm.Step(h, t);
    const Block c_t = masked ? next_c : lstm.Step(c, t);
    lstm.AccumulateProduct(last_h, w_h, gates);
    lstm.Sigmoid(lstm.Gate(gates, 'i'), i_t);
    lstm.Tanh(lstm.Gate(gates, 'j'), j_t);
    lstm.Sigmoid(lstm.Gate(gates, 'f'), f_t);
    lstm.Sigmoid(lstm.Gate(gates, 'o'), o_t);
    lstm.Multiply(f_t, last_c, c_t);
    lstm.AddProduct(i_t, j_t, c_t);
    lstm.Tanh(c_t, tanh_c_t);
    lstm.Multiply(o_t, tanh_c_t, h_t);
    if (!masked) continue;
    lstm.Choose(lstm.StepOfMask(mask, t), c_t, last_c, lstm.Step(c, t));
    lstm.Choose(lstm.StepOfMask(mask, t), h_t, last_h, lstm.Step(h, t));
  }
  if (masked) {
    lstm.Zero(zeros);
    lstm.Choose(mask, h, zeros, y);
  } else {
    lstm.Copy(y, h);
  }
  return Ok();
}

struct Gradient {
  explicit Gradient(TypedCall& call) : lstm(call) {}

  Recurrence lstm;
  Block x, w_x, w_h, first_h, first_c, h, c, grad_y, last_grad_h, last_grad_c;
  Block i, j, f, o, tanh_c, mask;
  Block grad_w_x, grad_w_h, grad_b, grad_x;
  // Of the states before the step that is done last; in the end before the first one.
  Block grad_h, grad_c;
  // Of the gates before sigmoid and tanh.
  Block gates;
  Block of_h, of_c, part, more;
  // What a mask lets in of the gradients, and what it lets pass by.
  Block in_c, past_h, past_c, zeros;

  Status Read(const Recurrence::Cell& cell);
  void Step(int64_t k);
  void OfWeights();
};

Status Gradient::Read(const Recurrence::Cell& cell) {
  if (Status bad = lstm.Read(cell); !bad.ok()) return bad;
  const int64_t steps = lstm.steps(), batch = lstm.batch(), hidden = lstm.hidden();
  const std::vector<int64_t> state = {batch, hidden}, input = {steps, batch, lstm.inputs()};
  if (Status bad = lstm.Matrices(&w_x, &w_h); !bad.ok()) return bad;
  if (Status bad = lstm.Inputs({{0, input, &x},
                                {4, state, &first_h},
                                {5, state, &first_c},
                                {9, state, &last_grad_h},
                                {10, state, &last_grad_c}});
      !bad.ok()) {
    return bad;
  }
  if (Status bad = lstm.StatesFrom(6, {&h, &c, &grad_y}); !bad.ok()) return bad;
  if (Status bad = lstm.StatesFrom(11, {&i, &j, &f, &o, &tanh_c}); !bad.ok()) return bad;
  if (Status bad = lstm.Mask(16, &mask); !bad.ok()) return bad;
  if (Status bad = lstm.AreScalars(17, 20, "are no peepholes"); !bad.ok()) return bad;
  if (Status bad = lstm.OutputMatrices(0, &grad_w_x, &grad_w_h); !bad.ok()) return bad;
  const int next = cell.joined ? 1 : 2;
  if (Status bad = lstm.Outputs({{next, {lstm.all_gates()}, &grad_b},
                                 {next + 1, input, &grad_x},
                                 {next + 2, state, &grad_h},
                                 {next + 3, state, &grad_c}});
      !bad.ok()) {
    return bad;
  }
  gates = lstm.Scratch({steps, batch, lstm.all_gates()});
  for (Block* each : {&of_h, &of_c, &part, &more}) *each = lstm.Scratch(state);
  if (mask.data == nullptr) return Ok();
  for (Block* each : {&in_c, &past_h, &past_c, &zeros}) *each = lstm.Scratch(state);
  lstm.Zero(zeros);
  return Ok();
}

void Gradient::Step(int64_t k) {
  const int64_t t = lstm.StepAt(k);
  const Block last_c = k == 0 ? first_c : lstm.Step(c, lstm.StepAt(k - 1));
  const Block gates_t = lstm.Step(gates, t);
  const Block i_t = lstm.Step(i, t), j_t = lstm.Step(j, t), f_t = lstm.Step(f, t);
  const Block o_t = lstm.Step(o, t), tanh_c_t = lstm.Step(tanh_c, t);
  const bool masked = mask.data != nullptr;
  if (masked) {
    const Block mask_t = lstm.StepOfMask(mask, t);
    lstm.Add(lstm.Step(grad_y, t), grad_h, part);
    lstm.Choose(mask_t, part, zeros, of_h);
    lstm.Choose(mask_t, zeros, grad_h, past_h);
    lstm.Choose(mask_t, grad_c, zeros, in_c);
    lstm.Choose(mask_t, zeros, grad_c, past_c);
  } else {
    lstm.Add(lstm.Step(grad_y, t), grad_h, of_h);
  }
  lstm.Multiply(of_h, o_t, part);
  lstm.TanhGradient(part, tanh_c_t, more);
  lstm.Add(more, masked ? in_c : grad_c, of_c);

  const auto through_sigmoid = [&](const Block& grad, const Block& factor, const Block& y,
                                   char gate) {
    lstm.Multiply(grad, factor, part);
    lstm.SigmoidGradient(part, y, lstm.Gate(gates_t, gate));
  };
  through_sigmoid(of_h, tanh_c_t, o_t, 'o');
  through_sigmoid(of_c, j_t, i_t, 'i');
  through_sigmoid(of_c, last_c, f_t, 'f');
  lstm.Multiply(of_c, i_t, part);
  lstm.TanhGradient(part, j_t, lstm.Gate(gates_t, 'j'));

  lstm.Multiply(of_c, f_t, masked ? part : grad_c);
  if (masked) lstm.Add(part, past_c, grad_c);
  lstm.Product(gates_t, Recurrence::Transposed(w_h), masked ? part : grad_h);
  if (masked) lstm.Add(part, past_h, grad_h);
}

void Gradient::OfWeights() {
  const Block all = lstm.Flat(gates);
  lstm.Product(Recurrence::Transposed(lstm.Flat(x)), all, grad_w_x);
  lstm.GradientOfStates(first_h, h, gates, grad_w_h);
  lstm.SumOfRows(all, grad_b);
  lstm.Product(all, Recurrence::Transposed(w_x), lstm.Flat(grad_x));
}

template <const Recurrence::Cell& kCell>
Status AnswerGradient(TypedCall& call) {
  if (Status bad = call.Has(21, 21, kCell.joined ? 5 : 6,
                            {"cell_type", "direction", "cell_depth", "use_peephole", "keep_prob",
                             "cell_clip", "num_proj", "time_major", "forget_bias", "gate_order",
                             "activation", "recurrent_activation", "stateful", "merge_mode"});
      !bad.ok()) {
    return bad;
  }
  Gradient gradient(call);
  if (Status bad = gradient.Read(kCell); !bad.ok()) return bad;
  gradient.lstm.Copy(gradient.grad_h, gradient.last_grad_h);
  gradient.lstm.Copy(gradient.grad_c, gradient.last_grad_c);
  for (int64_t k = gradient.lstm.steps(); k-- > 0;) gradient.Step(k);
  gradient.OfWeights();
  return Ok();
}

const ByType kDynamicRnn("DynamicRNN", &AnswerForward<kOneMatrix>);
const ByType kDynamicRnnGrad("DynamicRNNGrad", &AnswerGradient<kOneMatrix>);
const ByType kDynamicRnnV2("DynamicRNNV2", &AnswerForward<kTwoMatrices>);
const ByType kDynamicRnnV2Grad("DynamicRNNV2Grad", &AnswerGradient<kTwoMatrices>);

}  // namespace
}  // namespace aclimb::gates::lstm_by_type
