"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import ctypes

import torch

from problem import FLOATS, run


def check(client, rng, worst):
    name = rng.choice(["Mm", "Matmul", "BatchMatMul", "Mv", "Addmm", "Baddbmm", "Dot"])
    dtype = rng.choice(FLOATS[:2] if name == "Mv" else FLOATS)  # as documented
    m, n, k = (rng.randint(1, 80 if rng.random() < 0.5 else 9) for _ in range(3))
    batch = [rng.randint(1, 4) for _ in range(1 if name in ("BatchMatMul", "Baddbmm") else
                                              rng.randint(0, 2) if name == "Matmul" else 0)]

    def drawn(*shape):
        return torch.randn(shape).to(dtype)

    kind = lambda: ctypes.c_int8(0)  # noqa: E731
    if name == "Dot":
        a, b = drawn(k), drawn(k)
        return run(client, rng, worst, name, [a, b], [], torch.dot, scale=(a.abs().double() @ b.abs().double()) * 256)
    a = drawn(*batch, m, k)
    b = drawn(k) if name == "Mv" else drawn(*batch, k, n)
    terms = (a.abs().double() @ b.abs().double()) * 256
    shape = list(terms.shape)
    if name not in ("Addmm", "Baddbmm"):
        return run(client, rng, worst, name, [a, b], shape, torch.matmul, terms, behind=[kind])
    alpha, beta = rng.randint(-8, 8) / 4, rng.randint(-8, 8) / 4
    self = drawn(*shape)
    function = torch.addmm if name == "Addmm" else torch.baddbmm
    scalars = [lambda: client.scalar(beta), lambda: client.scalar(alpha)]
    terms = terms * abs(alpha) + self.abs().double() * abs(beta) * 256
    return run(client, rng, worst, name, [self, a, b, *scalars], shape,
               lambda c, x, y: function(c, x, y, beta=beta, alpha=alpha), terms, behind=[kind])
