// DynamicRNN, DynamicRNNV2 and their gradients, called as torch_npu calls them, against the
// recurrence in double and its differences.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "aclimb/ops/gates/test_recurrence.h"

namespace aclimb::testing::gates_test {
namespace {

// A fractal's side is 16: rows and columns that fill some and leave a rest.
constexpr int64_t kSteps = 3, kBatch = 17, kInputs = 2, kHidden = 18;
constexpr int64_t kState = kBatch * kHidden;

struct Case {
  const char* name;
  aclDataType dtype;
  const char* gate_order;
  bool reversed, masked, fractals;
  bool two_matrices = false;  // V2
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

struct Problem {
  Values x, w, b, h, c, mask;  // h and c before the first step
  Values grad_y, grad_h, grad_c;
};

struct States {
  Values y, h, c, i, j, f, o, tanh_c;  // of each step
};

States Forward(const Problem& p, const Case& how) {
  std::string order = how.gate_order;
  std::replace(order.begin(), order.end(), 'c', 'j');
  const auto place = [&](char gate) { return static_cast<int64_t>(order.find(gate)) * kHidden; };
  States states;
  for (Values* each : {&states.y, &states.h, &states.c, &states.i, &states.j, &states.f, &states.o,
                       &states.tanh_c}) {
    each->assign(kSteps * kState, 0);
  }
  Values h = p.h, c = p.c;
  for (int64_t k = 0; k < kSteps; ++k) {
    const int64_t t = how.reversed ? kSteps - 1 - k : k;
    const Values last_h = h;
    for (int64_t row = 0; row < kBatch; ++row) {
      for (int64_t column = 0; column < kHidden; ++column) {
        const auto sum = [&](char gate) {
          const int64_t at = place(gate) + column;
          double total = p.b[at];
          for (int64_t n = 0; n < kInputs; ++n) {
            total += p.x[(t * kBatch + row) * kInputs + n] * p.w[n * 4 * kHidden + at];
          }
          for (int64_t n = 0; n < kHidden; ++n) {
            total += last_h[row * kHidden + n] * p.w[(kInputs + n) * 4 * kHidden + at];
          }
          return total;
        };
        const int64_t in_state = row * kHidden + column, in_all = t * kState + in_state;
        const double i = SigmoidOf(sum('i')), f = SigmoidOf(sum('f')), o = SigmoidOf(sum('o'));
        const double j = std::tanh(sum('j'));
        const double next = f * c[in_state] + i * j;
        if (p.mask[in_all] != 0) {
          c[in_state] = next;
          h[in_state] = o * std::tanh(next);
          states.y[in_all] = h[in_state];
        }
        states.i[in_all] = i;
        states.j[in_all] = j;
        states.f[in_all] = f;
        states.o[in_all] = o;
        states.tanh_c[in_all] = std::tanh(next);
        states.h[in_all] = h[in_state];
        states.c[in_all] = c[in_state];
      }
    }
  }
  return states;
}

double Weighed(const Problem& p, const Case& how) {
  const States states = Forward(p, how);
  const int64_t last = (how.reversed ? 0 : kSteps - 1) * kState;
  double total = 0;
  for (size_t n = 0; n < p.grad_y.size(); ++n) total += p.grad_y[n] * states.y[n];
  for (int64_t n = 0; n < kState; ++n) {
    total += p.grad_h[n] * states.h[last + n] + p.grad_c[n] * states.c[last + n];
  }
  return total;
}

Problem MakeProblem(const Case& how) {
  Problem p = {.x = Numbers(kSteps * kBatch * kInputs, 1),
               .w = Numbers((kInputs + kHidden) * 4 * kHidden, 2),
               .b = Numbers(4 * kHidden, 3),
               .h = Numbers(kState, 4),
               .c = Numbers(kState, 5),
               .mask = Values(kSteps * kState, 1),
               .grad_y = Numbers(kSteps * kState, 6),
               .grad_h = Numbers(kState, 7),
               .grad_c = Numbers(kState, 8)};
  if (!how.masked) return p;
  // Row n has n % (steps + 1) steps.
  for (int64_t t = 0; t < kSteps; ++t) {
    for (int64_t n = 0; n < kState; ++n) {
      p.mask[t * kState + n] = t < n / kHidden % (kSteps + 1) ? 1 : 0;
    }
  }
  return p;
}

class LstmByType : public RecurrenceByType<Case> {
 protected:
  void SetUp() override {
    RecurrenceByType<Case>::SetUp();
    aclopSetAttrString(attributes_, "cell_type", "LSTM");
    aclopSetAttrInt(attributes_, "cell_depth", 1);
    aclopSetAttrBool(attributes_, "use_peephole", 0);
    aclopSetAttrFloat(attributes_, "forget_bias", 0);
  }
};

// The rows of a matrix for x and h that are x's, and those that are h's.
Values OfX(const Values& w) { return Values(w.begin(), w.begin() + kInputs * 4 * kHidden); }
Values OfH(const Values& w) { return Values(w.begin() + kInputs * 4 * kHidden, w.end()); }

TEST_P(LstmByType, ForwardIsTheRecurrence) {
  const Case& how = GetParam();
  const Problem p = MakeProblem(how);
  const Dims states = {kSteps, kBatch, kHidden}, state = {1, kBatch, kHidden};
  DeviceTensor x({kSteps, kBatch, kInputs}, how.dtype), none;
  DeviceTensor w({kInputs + kHidden, 4 * kHidden}, how.dtype), b({4 * kHidden}, how.dtype);
  DeviceTensor w_x({kInputs, 4 * kHidden}, how.dtype), w_h({kHidden, 4 * kHidden}, how.dtype);
  DeviceTensor first_h(state, how.dtype), first_c(state, how.dtype), mask(states, ACL_FLOAT16);
  x.Write(p.x);
  w.Write(p.w);
  w_x.Write(OfX(p.w));
  w_h.Write(OfH(p.w));
  b.Write(p.b);
  first_h.Write(p.h);
  first_c.Write(p.c);
  mask.Write(p.mask);
  DeviceTensor y(states, how.dtype), h(states, how.dtype), c(states, how.dtype);
  DeviceTensor i(states, how.dtype, how.fractals), j(states, how.dtype, how.fractals);
  DeviceTensor f(states, how.dtype, how.fractals), o(states, how.dtype, how.fractals);
  DeviceTensor tanh_c(states, how.dtype, how.fractals);
  std::vector<DeviceTensor*> inputs = {&x, &w, &b, how.masked ? &mask : &none, &first_h, &first_c};
  if (how.two_matrices) {
    inputs[1] = &w_h;
    inputs.insert(inputs.begin() + 1, &w_x);
  }
  ASSERT_NO_FATAL_FAILURE(ExpectRun(how.two_matrices ? "DynamicRNNV2" : "DynamicRNN", inputs,
                                    {&y, &h, &c, &i, &j, &f, &o, &tanh_c}));
  const States expected = Forward(p, how);
  const double allowed = Allowed();
  y.Expect(expected.y, allowed, "y");
  h.Expect(expected.h, allowed, "h");
  c.Expect(expected.c, allowed, "c");
  i.Expect(expected.i, allowed, "i");
  j.Expect(expected.j, allowed, "j");
  f.Expect(expected.f, allowed, "f");
  o.Expect(expected.o, allowed, "o");
  tanh_c.Expect(expected.tanh_c, allowed, "tanhc");
}

TEST_P(LstmByType, GradientIsThatOfTheRecurrence) {
  const Case& how = GetParam();
  const Problem p = MakeProblem(how);
  const States s = Forward(p, how);
  const Dims states = {kSteps, kBatch, kHidden}, state = {kBatch, kHidden};
  const Dims input = {kSteps, kBatch, kInputs}, weight = {kInputs + kHidden, 4 * kHidden};
  const Dims weight_x = {kInputs, 4 * kHidden}, weight_h = {kHidden, 4 * kHidden};
  DeviceTensor x(input, how.dtype), w(weight, how.dtype), b({4 * kHidden}, how.dtype);
  DeviceTensor w_x(weight_x, how.dtype), w_h(weight_h, how.dtype);
  DeviceTensor y(states, how.dtype), h(states, how.dtype), c(states, how.dtype);
  DeviceTensor first_h(state, how.dtype), first_c(state, how.dtype);
  DeviceTensor grad_y(states, how.dtype), last_grad_h(state, how.dtype);
  DeviceTensor last_grad_c(state, how.dtype), mask(states, ACL_FLOAT16), scalar({}, how.dtype);
  DeviceTensor i(states, how.dtype, how.fractals), j(states, how.dtype, how.fractals);
  DeviceTensor f(states, how.dtype, how.fractals), o(states, how.dtype, how.fractals);
  DeviceTensor tanh_c(states, how.dtype, how.fractals);
  x.Write(p.x);
  w.Write(p.w);
  w_x.Write(OfX(p.w));
  w_h.Write(OfH(p.w));
  b.Write(p.b);
  y.Write(s.y);
  h.Write(s.h);
  c.Write(s.c);
  first_h.Write(p.h);
  first_c.Write(p.c);
  grad_y.Write(p.grad_y);
  last_grad_h.Write(p.grad_h);
  last_grad_c.Write(p.grad_c);
  mask.Write(p.mask);
  scalar.Write({0});
  i.Write(s.i);
  j.Write(s.j);
  f.Write(s.f);
  o.Write(s.o);
  tanh_c.Write(s.tanh_c);
  // So torch_npu has it.
  if (!how.two_matrices) {
    aclopSetAttrBool(attributes_, "cell_type", 1);
    aclopSetAttrInt(attributes_, "cell_depth", 0);
  }
  DeviceTensor grad_w(weight, how.dtype), grad_b({4 * kHidden}, how.dtype);
  DeviceTensor grad_x(input, how.dtype), grad_h(state, how.dtype), grad_c(state, how.dtype);
  DeviceTensor grad_w_x(weight_x, how.dtype), grad_w_h(weight_h, how.dtype);
  std::vector<DeviceTensor*> inputs = {&x, &w, &b, &y, &first_h, &first_c};
  if (how.two_matrices) inputs = {&x, &w_x, &w_h, &y, &first_h, &first_c};
  inputs.insert(inputs.end(), {&h, &c, &grad_y, &last_grad_h, &last_grad_c, &i, &j, &f, &o, &tanh_c,
                               how.masked ? &mask : &scalar, &scalar, &scalar, &scalar, &scalar});
  std::vector<DeviceTensor*> outputs = {&grad_w, &grad_b, &grad_x, &grad_h, &grad_c};
  if (how.two_matrices) outputs = {&grad_w_x, &grad_w_h, &grad_b, &grad_x, &grad_h, &grad_c};
  ASSERT_NO_FATAL_FAILURE(
      ExpectRun(how.two_matrices ? "DynamicRNNV2Grad" : "DynamicRNNGrad", inputs, outputs));
  const double allowed = Allowed();
  const auto differences = [&](Values Problem::*of) {
    return Differences(p, of, [&](const Problem& other) { return Weighed(other, how); });
  };
  const Values of_w = differences(&Problem::w);
  if (how.two_matrices) {
    grad_w_x.Expect(OfX(of_w), allowed, "dw of x");
    grad_w_h.Expect(OfH(of_w), allowed, "dw of h");
  } else {
    grad_w.Expect(of_w, allowed, "dw");
  }
  grad_b.Expect(differences(&Problem::b), allowed, "db");
  grad_x.Expect(differences(&Problem::x), allowed, "dx");
  grad_h.Expect(differences(&Problem::h), allowed, "dh before the first step");
  grad_c.Expect(differences(&Problem::c), allowed, "dc before the first step");
}

TEST_P(LstmByType, WhatIsNotCoveredIsRefused) {
  const Case& how = GetParam();
  const Dims states = {kSteps, kBatch, kHidden};
  DeviceTensor x({kSteps, kBatch, kInputs}, how.dtype), none;
  DeviceTensor w({kInputs + kHidden, 4 * kHidden}, how.dtype), b({4 * kHidden}, how.dtype);
  DeviceTensor first_h({1, kBatch, kHidden}, how.dtype), first_c({1, kBatch, 1}, how.dtype);
  DeviceTensor y(states, how.dtype);
  std::vector<DeviceTensor*> inputs = {&x, &w, &b, &none, &first_h, &first_c};
  const std::vector<DeviceTensor*> outputs(8, &y);
  const auto expect = [&](const char* part) { ExpectRefused("DynamicRNN", inputs, outputs, part); };
  expect("expected input 5 of the shape [1, 17, 18] and the dtype of x");
  DeviceTensor lengths({kBatch}, how.dtype);
  inputs[3] = &lengths;
  inputs[5] = &first_h;
  expect("expected input 3 (the mask) of FLOAT16");
  aclopSetAttrInt(attributes_, "cell_depth", 2);
  expect("expected the attribute cell_depth to be 1");
  aclopSetAttrInt(attributes_, "cell_depth", 1);
  aclopSetAttrFloat(attributes_, "forget_bias", 0.5f);
  expect("expected the attribute forget_bias to be 0");
  aclopSetAttrFloat(attributes_, "forget_bias", 0);
  aclopSetAttrFloat(attributes_, "cell_clip", 3);
  expect("expected the attribute cell_clip to be below 0");
  aclopSetAttrString(attributes_, "cell_type", "GRU");
  expect("expected the attribute cell_type to be LSTM");
}

INSTANTIATE_TEST_SUITE_P(
    Cases, LstmByType,
    ::testing::Values(Case{"Plain", ACL_FLOAT, "ifjo", false, false, false},
                      Case{"Fractals", ACL_FLOAT, "ifjo", false, false, true},
                      Case{"ReversedMasked", ACL_FLOAT, "ijfo", true, true, false},
                      Case{"MaskedFractals", ACL_FLOAT, "ifjo", false, true, true},
                      Case{"Half", ACL_FLOAT16, "ifjo", false, false, true},
                      Case{"HalfReversedMasked", ACL_FLOAT16, "ijfo", true, true, false},
                      Case{"TwoMatrices", ACL_FLOAT, "ifjo", false, false, true, true},
                      Case{"TwoMatricesReversedMasked", ACL_FLOAT, "ijfo", true, true, false, true},
                      Case{"HalfTwoMatrices", ACL_FLOAT16, "ifjo", false, false, true, true}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace aclimb::testing::gates_test
