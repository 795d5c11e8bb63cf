// DynamicGRUV2 and its gradient, called as torch_npu calls them, against the recurrence in double
// and its differences.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "aclimb/ops/gates/test_recurrence.h"

namespace aclimb::testing::gates_test {
namespace {

// A fractal's side is 16: rows and columns that fill some and leave a rest.
constexpr int64_t kSteps = 3, kBatch = 17, kInputs = 5, kHidden = 18;
constexpr int64_t kState = kBatch * kHidden;

struct Case {
  const char* name;
  aclDataType dtype;
  const char* gate_order;
  bool reversed, biased, fractals;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

struct Problem {
  Values x, w_x, w_h, b_x, b_h, h;  // h before the first step
  Values grad_y, grad_h;
};

struct States {
  Values h, z, r, n, of_h;  // of each step; of_h is what h adds to the candidate
};

States Forward(const Problem& p, const Case& how) {
  const std::string order = how.gate_order;
  States states;
  for (Values* each : {&states.h, &states.z, &states.r, &states.n, &states.of_h}) {
    each->assign(kSteps * kState, 0);
  }
  Values h = p.h;
  for (int64_t k = 0; k < kSteps; ++k) {
    const int64_t t = how.reversed ? kSteps - 1 - k : k;
    const Values last_h = h;
    for (int64_t row = 0; row < kBatch; ++row) {
      for (int64_t column = 0; column < kHidden; ++column) {
        const auto at = [&](char gate) {
          return static_cast<int64_t>(order.find(gate)) * kHidden + column;
        };
        const auto from_x = [&](char gate) {
          double total = p.b_x[at(gate)];
          for (int64_t n = 0; n < kInputs; ++n) {
            total += p.x[(t * kBatch + row) * kInputs + n] * p.w_x[n * 3 * kHidden + at(gate)];
          }
          return total;
        };
        const auto from_h = [&](char gate) {
          double total = p.b_h[at(gate)];
          for (int64_t n = 0; n < kHidden; ++n) {
            total += last_h[row * kHidden + n] * p.w_h[n * 3 * kHidden + at(gate)];
          }
          return total;
        };
        const int64_t in_state = row * kHidden + column, in_all = t * kState + in_state;
        const double r = SigmoidOf(from_x('r') + from_h('r'));
        const double z = SigmoidOf(from_x('z') + from_h('z'));
        const double of_h = from_h('h'), n = std::tanh(from_x('h') + r * of_h);
        h[in_state] = (1 - z) * n + z * last_h[in_state];
        states.h[in_all] = h[in_state];
        states.z[in_all] = z;
        states.r[in_all] = r;
        states.n[in_all] = n;
        states.of_h[in_all] = of_h;
      }
    }
  }
  return states;
}

double Weighed(const Problem& p, const Case& how) {
  const States states = Forward(p, how);
  const int64_t last = (how.reversed ? 0 : kSteps - 1) * kState;
  double total = 0;
  for (size_t n = 0; n < p.grad_y.size(); ++n) total += p.grad_y[n] * states.h[n];
  for (int64_t n = 0; n < kState; ++n) total += p.grad_h[n] * states.h[last + n];
  return total;
}

Problem MakeProblem(const Case& how) {
  Problem p = {.x = Numbers(kSteps * kBatch * kInputs, 1),
               .w_x = Numbers(kInputs * 3 * kHidden, 2),
               .w_h = Numbers(kHidden * 3 * kHidden, 3),
               .b_x = Numbers(3 * kHidden, 4),
               .b_h = Numbers(3 * kHidden, 5),
               .h = Numbers(kState, 6),
               .grad_y = Numbers(kSteps * kState, 7),
               .grad_h = Numbers(kState, 8)};
  if (!how.biased) p.b_x = p.b_h = Values(3 * kHidden, 0);
  return p;
}

class GruByType : public RecurrenceByType<Case> {
 protected:
  void SetUp() override {
    RecurrenceByType<Case>::SetUp();
    aclopSetAttrInt(attributes_, "cell_depth", 1);
    aclopSetAttrFloat(attributes_, "keep_prob", 1);
    aclopSetAttrBool(attributes_, "reset_after", 1);
  }
};

// The inputs of both calls.
struct Tensors {
  DeviceTensor x, w_x, w_h, b_x, b_h, first_h, none, scalar;

  Tensors(const Problem& p, aclDataType dtype)
      : x({kSteps, kBatch, kInputs}, dtype),
        w_x({kInputs, 3 * kHidden}, dtype),
        w_h({kHidden, 3 * kHidden}, dtype),
        b_x({3 * kHidden}, dtype),
        b_h({3 * kHidden}, dtype),
        first_h({kBatch, kHidden}, dtype),
        scalar({}, dtype) {
    x.Write(p.x);
    w_x.Write(p.w_x);
    w_h.Write(p.w_h);
    b_x.Write(p.b_x);
    b_h.Write(p.b_h);
    first_h.Write(p.h);
    scalar.Write({0});
  }
};

TEST_P(GruByType, ForwardIsTheRecurrence) {
  const Case& how = GetParam();
  const Problem p = MakeProblem(how);
  const Dims states = {kSteps, kBatch, kHidden};
  Tensors in(p, how.dtype);
  DeviceTensor y(states, how.dtype, how.fractals), h(states, how.dtype);
  DeviceTensor z(states, how.dtype, how.fractals), r(states, how.dtype, how.fractals);
  DeviceTensor n(states, how.dtype, how.fractals), of_h(states, how.dtype, how.fractals);
  aclopSetAttrString(attributes_, "activation", "tanh");
  ASSERT_NO_FATAL_FAILURE(ExpectRun("DynamicGRUV2",
                                    {&in.x, &in.w_x, &in.w_h, how.biased ? &in.b_x : &in.none,
                                     how.biased ? &in.b_h : &in.none, &in.none, &in.first_h},
                                    {&y, &h, &z, &r, &n, &of_h}));
  const States expected = Forward(p, how);
  const double allowed = Allowed();
  y.Expect(expected.h, allowed, "y");
  h.Expect(expected.h, allowed, "h");
  z.Expect(expected.z, allowed, "update");
  r.Expect(expected.r, allowed, "reset");
  n.Expect(expected.n, allowed, "new");
  of_h.Expect(expected.of_h, allowed, "hidden_new");
}

TEST_P(GruByType, GradientIsThatOfTheRecurrence) {
  const Case& how = GetParam();
  const Problem p = MakeProblem(how);
  const States s = Forward(p, how);
  const Dims states = {kSteps, kBatch, kHidden}, state = {kBatch, kHidden};
  Tensors in(p, how.dtype);
  DeviceTensor y(states, how.dtype, how.fractals), h(states, how.dtype);
  DeviceTensor grad_y(states, how.dtype, how.fractals), last_grad_h(state, how.dtype);
  DeviceTensor z(states, how.dtype, how.fractals), r(states, how.dtype, how.fractals);
  DeviceTensor n(states, how.dtype, how.fractals), of_h(states, how.dtype, how.fractals);
  y.Write(s.h);
  h.Write(s.h);
  grad_y.Write(p.grad_y);
  last_grad_h.Write(p.grad_h);
  z.Write(s.z);
  r.Write(s.r);
  n.Write(s.n);
  of_h.Write(s.of_h);
  aclopSetAttrString(attributes_, "bias_type", "no_bias");
  DeviceTensor grad_w_x({kInputs, 3 * kHidden}, how.dtype), grad_b_x({3 * kHidden}, how.dtype);
  DeviceTensor grad_w_h({kHidden, 3 * kHidden}, how.dtype), grad_b_h({3 * kHidden}, how.dtype);
  DeviceTensor grad_x({kSteps, kBatch, kInputs}, how.dtype), grad_h(state, how.dtype);
  ASSERT_NO_FATAL_FAILURE(
      ExpectRun("DynamicGRUV2Grad",
                {&in.x, &in.w_x, &in.w_h, &y, &in.first_h, &h, &grad_y, &last_grad_h, &z, &r, &n,
                 &of_h, &in.scalar, &in.scalar},
                {&grad_w_x, &grad_w_h, &grad_b_x, &grad_b_h, &grad_x, &grad_h}));
  const double allowed = Allowed();
  const auto differences = [&](Values Problem::*of) {
    return Differences(p, of, [&](const Problem& other) { return Weighed(other, how); });
  };
  grad_w_x.Expect(differences(&Problem::w_x), allowed, "dw of x");
  grad_w_h.Expect(differences(&Problem::w_h), allowed, "dw of h");
  grad_b_x.Expect(differences(&Problem::b_x), allowed, "db of x");
  grad_b_h.Expect(differences(&Problem::b_h), allowed, "db of h");
  grad_x.Expect(differences(&Problem::x), allowed, "dx");
  grad_h.Expect(differences(&Problem::h), allowed, "dh before the first step");
}

TEST_P(GruByType, WhatIsNotCoveredIsRefused) {
  const Case& how = GetParam();
  Tensors in(MakeProblem(how), how.dtype);
  DeviceTensor y({kSteps, kBatch, kHidden}, how.dtype);
  std::vector<DeviceTensor*> inputs = {&in.x,   &in.w_x,  &in.w_h, &in.b_x,
                                       &in.b_h, &in.none, &in.b_x};
  const std::vector<DeviceTensor*> outputs(6, &y);
  const auto expect = [&](const char* part) {
    ExpectRefused("DynamicGRUV2", inputs, outputs, part);
  };
  expect("expected input 6 of the shape [17, 18] and the dtype of x");
  inputs[6] = &in.first_h;
  inputs[5] = &in.x;
  expect("expected input 5 to be a scalar: there is no mask");
  DeviceTensor lengths({kBatch}, how.dtype);
  inputs[5] = &lengths;
  expect("expected input 5 to be a scalar: there is no mask");
  aclopSetAttrBool(attributes_, "reset_after", 0);
  expect("expected the attribute reset_after to be true");
  aclopSetAttrString(attributes_, "gate_order", "rhz");
  aclopSetAttrBool(attributes_, "reset_after", 1);
  expect("expected the attribute gate_order to be zrh or rzh");
  aclopSetAttrInt(attributes_, "cell_depth", 2);
  expect("expected the attribute cell_depth to be 1");
}

INSTANTIATE_TEST_SUITE_P(Cases, GruByType,
                         ::testing::Values(Case{"Plain", ACL_FLOAT, "rzh", false, true, false},
                                           Case{"Fractals", ACL_FLOAT, "rzh", false, true, true},
                                           Case{"ReversedWithoutBias", ACL_FLOAT, "zrh", true,
                                                false, false},
                                           Case{"Half", ACL_FLOAT16, "rzh", false, true, true}),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace aclimb::testing::gates_test
