// What frameworks call by type name: DynamicGRUV2, a layer of GRU, and its gradient.
//
//   r, z = sigmoid of x[t] w_x + b_x + h[t - 1] w_h + b_h
//   n = tanh(x[t] w_x + b_x + r * (h[t - 1] w_h + b_h)),  h[t] = n + z * (h[t - 1] - n)
//
// The gates' places in matrices and biases have the letters r, z and h, the last for n.

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "aclimb/executor/by_type.h"
#include "aclimb/ops/gates/recurrence.h"

namespace aclimb::gates::gru_by_type {
namespace {

constexpr Recurrence::Cell kCell = {.orders = {"zrh", "rzh"}, .joined = false};

Status AnswerForward(TypedCall& call) {
  if (Status bad =
          call.Has(7, 7, 6,
                   {"direction", "cell_depth", "keep_prob", "cell_clip", "num_proj", "time_major",
                    "activation", "gate_order", "reset_after", "is_training"});
      !bad.ok()) {
    return bad;
  }
  Recurrence gru(call);
  if (Status bad = gru.Read(kCell); !bad.ok()) return bad;
  const int64_t steps = gru.steps(), batch = gru.batch(), hidden = gru.hidden();
  const std::vector<int64_t> state = {batch, hidden};
  Block x, w_x, w_h, b_x, b_h, first_h, y, h, z, r, n, of_h;
  if (Status bad = gru.Matrices(&w_x, &w_h); !bad.ok()) return bad;
  if (Status bad = gru.Inputs({{0, {steps, batch, gru.inputs()}, &x}, {6, state, &first_h}});
      !bad.ok()) {
    return bad;
  }
  if (Status bad = gru.AreScalars(5, 5, "is no mask"); !bad.ok()) return bad;
  if (Status bad = gru.OutputStatesFrom(0, {&y, &h, &z, &r, &n, &of_h}); !bad.ok()) return bad;
  if (Status bad = gru.Bias(3, &b_x); !bad.ok()) return bad;
  if (Status bad = gru.Bias(4, &b_h); !bad.ok()) return bad;

  const Block from_x = gru.Scratch({steps, batch, gru.all_gates()});
  const Block from_h = gru.Scratch({batch, gru.all_gates()});
  const Block sum = gru.Scratch(state);
  gru.Product(b_x, gru.Flat(x), w_x, gru.Flat(from_x));
  for (int64_t k = 0; k < steps; ++k) {
    const int64_t t = gru.StepAt(k);
    const Block last_h = k == 0 ? first_h : gru.Step(h, gru.StepAt(k - 1));
    const Block from_x_t = gru.Step(from_x, t);
    const Block z_t = gru.Step(z, t), r_t = gru.Step(r, t), n_t = gru.Step(n, t);
    const Block of_h_t = gru.Step(of_h, t);
    gru.Product(b_h, last_h, w_h, from_h);
    const auto sigmoid = [&](char gate, const Block& to) {
      gru.Add(gru.Gate(from_x_t, gate), gru.Gate(from_h, gate), sum);
      gru.Sigmoid(sum, to);
    };
    sigmoid('r', r_t);
    sigmoid('z', z_t);
    gru.Copy(of_h_t, gru.Gate(from_h, 'h'));
    gru.Copy(sum, gru.Gate(from_x_t, 'h'));
    gru.AddProduct(r_t, of_h_t, sum);
    gru.Tanh(sum, n_t);
    gru.Subtract(last_h, n_t, sum);
    gru.Copy(gru.Step(h, t), n_t);
    gru.AddProduct(z_t, sum, gru.Step(h, t));
  }
  gru.Copy(y, h);
  return Ok();
}

struct Gradient {
  explicit Gradient(TypedCall& call) : gru(call) {}

  Recurrence gru;
  Block x, w_x, w_h, first_h, h, grad_y, last_grad_h, z, r, n, of_h;
  Block grad_w_x, grad_w_h, grad_b_x, grad_b_h, grad_x;
  // Of the state before the step that is done last; in the end before the first one.
  Block grad_h;
  // Of the gates before sigmoid and tanh, as they come from x and from h.
  Block from_x, from_h;
  Block of_state, kept, part, product;

  Status Read();
  void Step(int64_t k);
  void OfWeights();
};

Status Gradient::Read() {
  if (Status bad = gru.Read(kCell); !bad.ok()) return bad;
  const int64_t steps = gru.steps(), batch = gru.batch();
  const std::vector<int64_t> state = {batch, gru.hidden()}, input = {steps, batch, gru.inputs()};
  if (Status bad = gru.Matrices(&w_x, &w_h); !bad.ok()) return bad;
  if (Status bad = gru.Inputs({{0, input, &x}, {4, state, &first_h}, {7, state, &last_grad_h}});
      !bad.ok()) {
    return bad;
  }
  if (Status bad = gru.StatesFrom(5, {&h, &grad_y}); !bad.ok()) return bad;
  if (Status bad = gru.StatesFrom(8, {&z, &r, &n, &of_h}); !bad.ok()) return bad;
  if (Status bad = gru.AreScalars(12, 13, "is no mask"); !bad.ok()) return bad;
  if (Status bad = gru.OutputMatrices(0, &grad_w_x, &grad_w_h); !bad.ok()) return bad;
  if (Status bad = gru.Outputs({{2, {gru.all_gates()}, &grad_b_x},
                                {3, {gru.all_gates()}, &grad_b_h},
                                {4, input, &grad_x},
                                {5, state, &grad_h}});
      !bad.ok()) {
    return bad;
  }
  from_x = gru.Scratch({steps, batch, gru.all_gates()});
  from_h = gru.Scratch({steps, batch, gru.all_gates()});
  for (Block* each : {&of_state, &kept, &part, &product}) *each = gru.Scratch(state);
  return Ok();
}

void Gradient::Step(int64_t k) {
  const int64_t t = gru.StepAt(k);
  const Block last_h = k == 0 ? first_h : gru.Step(h, gru.StepAt(k - 1));
  const Block z_t = gru.Step(z, t), r_t = gru.Step(r, t), n_t = gru.Step(n, t);
  const Block of_h_t = gru.Step(of_h, t);
  const Block from_x_t = gru.Step(from_x, t), from_h_t = gru.Step(from_h, t);
  const Block of_n = gru.Gate(from_x_t, 'h');
  gru.Add(gru.Step(grad_y, t), grad_h, of_state);
  gru.Multiply(of_state, z_t, kept);
  gru.Subtract(of_state, kept, part);
  gru.TanhGradient(part, n_t, of_n);
  // Sums before sigmoid: they come from x and h alike.
  const auto through_sigmoid = [&](const Block& grad, const Block& factor, const Block& y,
                                   char gate) {
    gru.Multiply(grad, factor, product);
    gru.SigmoidGradient(product, y, gru.Gate(from_x_t, gate));
    gru.Copy(gru.Gate(from_h_t, gate), gru.Gate(from_x_t, gate));
  };
  through_sigmoid(of_n, of_h_t, r_t, 'r');
  gru.Subtract(last_h, n_t, part);
  through_sigmoid(of_state, part, z_t, 'z');
  gru.Multiply(of_n, r_t, gru.Gate(from_h_t, 'h'));
  gru.Copy(grad_h, kept);
  gru.AccumulateProduct(from_h_t, Recurrence::Transposed(w_h), grad_h);
}

void Gradient::OfWeights() {
  const Block all_x = gru.Flat(from_x);
  gru.Product(Recurrence::Transposed(gru.Flat(x)), all_x, grad_w_x);
  gru.GradientOfStates(first_h, h, from_h, grad_w_h);
  gru.SumOfRows(all_x, grad_b_x);
  gru.SumOfRows(gru.Flat(from_h), grad_b_h);
  gru.Product(all_x, Recurrence::Transposed(w_x), gru.Flat(grad_x));
}

Status AnswerGradient(TypedCall& call) {
  if (Status bad = call.Has(14, 14, 6,
                            {"direction", "cell_depth", "keep_prob", "cell_clip", "num_proj",
                             "time_major", "bias_type", "gate_order", "reset_after"});
      !bad.ok()) {
    return bad;
  }
  Gradient gradient(call);
  if (Status bad = gradient.Read(); !bad.ok()) return bad;
  gradient.gru.Copy(gradient.grad_h, gradient.last_grad_h);
  for (int64_t k = gradient.gru.steps(); k-- > 0;) gradient.Step(k);
  gradient.OfWeights();
  return Ok();
}

const ByType kDynamicGru("DynamicGRUV2", &AnswerForward);
const ByType kDynamicGruGrad("DynamicGRUV2Grad", &AnswerGradient);

}  // namespace
}  // namespace aclimb::gates::gru_by_type
