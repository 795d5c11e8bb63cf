"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from problem import FLOATS, INTEGERS, Result, call, elements, plain, run, wide, with_twins

SUMS = {"Addmm": torch.addmm, "Baddbmm": torch.baddbmm, "Addbmm": torch.addbmm}
FUNCTIONS = ["Mm", "Matmul", "BatchMatMul", "Mv", "Dot", "Addmv", *with_twins(SUMS, SUMS)]


def kind():
    """cubeMathType: the dtype stays."""
    return ctypes.c_int8(0)


def of_vector(client, rng, worst, name, m, k):
    """Addmv, whose order of factors and whose integers are its own."""
    dtype = rng.choice([*FLOATS[:2], *INTEGERS])
    number = lambda: rng.randint(-8, 8) / 4 if dtype.is_floating_point else rng.randint(-3, 3)  # noqa: E731
    self, mat, vec = elements([m], dtype), elements([m, k], dtype), elements([k], dtype)
    alpha, beta = number(), number()
    terms = mat.double().abs() @ vec.double().abs() * abs(alpha) + self.double().abs() * abs(beta)
    expected = wide(mat) @ wide(vec) * alpha + wide(self) * beta
    call(client, rng, worst, name, self, mat, vec, client.scalar(alpha), client.scalar(beta),
         Result(expected, dtype, terms * 256, exact=not dtype.is_floating_point), kind, about=f"{alpha} {beta}")


def check(client, rng, worst, name):
    of = plain(name)
    dtype = rng.choice(FLOATS[:2] if name == "Mv" else FLOATS)  # as documented
    m, n, k = (rng.randint(1, 80 if rng.random() < 0.5 else 9) for _ in range(3))
    batch = [rng.randint(1, 4) for _ in range(1 if of in ("BatchMatMul", "Baddbmm", "Addbmm") else
                                              rng.randint(0, 2) if of == "Matmul" else 0)]

    def drawn(*shape):
        return torch.randn(shape).to(dtype)

    if name == "Addmv":
        return of_vector(client, rng, worst, name, m, k)
    if name == "Dot":
        a, b = drawn(k), drawn(k)
        return run(client, rng, worst, name, [a, b], [], torch.dot, scale=(a.abs().double() @ b.abs().double()) * 256)
    a = drawn(*batch, m, k)
    b = drawn(k) if name == "Mv" else drawn(*batch, k, n)
    terms = (a.abs().double() @ b.abs().double()) * 256
    if of not in SUMS:
        return run(client, rng, worst, name, [a, b], list(terms.shape), torch.matmul, terms, behind=[kind])
    if of == "Addbmm":
        terms = terms.sum(0)
    alpha, beta = rng.randint(-8, 8) / 4, rng.randint(-8, 8) / 4
    shape = list(terms.shape)
    # What is added broadcasts, but in place.
    self = drawn(*[1 if name == of and rng.random() < 0.2 else extent for extent in shape])
    scalars = [lambda: client.scalar(beta), lambda: client.scalar(alpha)]
    terms = terms * abs(alpha) + self.abs().double() * abs(beta) * 256
    return run(client, rng, worst, name, [self, a, b, *scalars], shape,
               lambda c, x, y: SUMS[of](c, x, y, beta=beta, alpha=alpha), terms, behind=[kind])
