"""One random problem of a function, by Aclimb and by PyTorch; tests/crosscheck runs many."""

import torch

from problem import FLOATS, Result, call, gradients, run, shape_of

# By the number of dimensions that are padded, at the end of the shape.
CALLS = {"ReflectionPad1d": (1, "reflect"), "ReflectionPad2d": (2, "reflect"), "ReflectionPad3d": (3, "reflect"),
         "ReplicationPad1d": (1, "replicate"), "ReplicationPad2d": (2, "replicate"), "ReplicationPad3d": (3, "replicate")}
FUNCTIONS = ["ConstantPadNd", *CALLS, *(name + "Backward" for name in CALLS)]


def check(client, rng, worst, name):
    dtype = rng.choice(FLOATS)
    if name == "ConstantPadNd":
        shape, value = shape_of(rng, ranks=(1, 4)), float(rng.randint(-4, 4))
        pads = [rng.randint(-1, 3) if extent > 2 else rng.randint(0, 3)
                for extent in reversed(shape[rng.randrange(len(shape)):]) for _ in range(2)]
        passed, options = [lambda: client.scalar(value)], {"mode": "constant", "value": value}
    else:
        padded, mode = CALLS[name.removesuffix("Backward")]
        shape = [rng.randint(1, 3) for _ in range(2)] + [rng.randint(2, 20 if padded < 3 else 9) for _ in range(padded)]
        pads = [rng.randint(-1 if mode == "replicate" and extent > 2 else 0, extent - 1)
                for extent in reversed(shape[2:]) for _ in range(2)]
        passed, options = [], {"mode": mode}
    tensor = torch.randint(-100, 100, shape).to(dtype)

    def function(x):
        return torch.nn.functional.pad(x, pads, **options)

    if name.endswith("Backward"):
        gradient, expected, terms = gradients(function, tensor)
        return call(client, rng, worst, name, gradient, tensor, pads, Result(expected, dtype, terms))
    return run(client, rng, worst, name, [tensor, lambda: client.ints(pads), *passed],
               list(function(tensor.float()).shape),
               # PyTorch pads some half types on no CPU.
               lambda x: function(x.float()).to(dtype), exact=True)
