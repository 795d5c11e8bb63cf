"""aclimb.ops and aclimb.reference on NumPy's arrays, on buffers, and on PyTorch's tensors if there."""

import array
import ast
import ctypes
import importlib.util
import inspect
import os
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

import aclimb
import numpy as np
from aclimb import _call

RANDOM = np.random.default_rng(36)
X = RANDOM.standard_normal((3, 4)).astype(np.float32)
Y = RANDOM.standard_normal((3, 4)).astype(np.float32)
IMAGE = RANDOM.standard_normal((2, 3, 8, 8)).astype(np.float32)
KERNEL = RANDOM.standard_normal((4, 3, 3, 3)).astype(np.float32)

# Name, arguments, what NumPy has for it (None: the formula alone), shapes of the outputs.
CALLS = [
    ("add", (X, Y, 2), lambda: X.astype(np.float64) + 2 * Y, [(3, 4)]),
    ("add", (X, Y[:1], 1), lambda: X.astype(np.float64) + Y[:1], [(3, 4)]),
    ("gt_tensor", (X, Y), lambda: X > Y, [(3, 4)]),
    ("exp", (X,), lambda: np.exp(X.astype(np.float64)), [(3, 4)]),
    ("mean", (X, [1], True, "float32"), lambda: X.mean(1, keepdims=True, dtype=np.float64),
     [(3, 1)]),
    ("amax", (X, [0], False), lambda: X.max(0), [(4,)]),
    ("arg_max", (X, 1, False), lambda: X.argmax(1), [(3,)]),
    ("softmax", (X, -1), None, [(3, 4)]),
    ("matmul", (X, Y.T, 0), lambda: X.astype(np.float64) @ Y.T.astype(np.float64), [(3, 3)]),
    ("permute", (IMAGE, [0, 2, 3, 1]), lambda: IMAGE.transpose(0, 2, 3, 1), [(2, 8, 8, 3)]),
    ("cat", ([X, Y], 0), lambda: np.concatenate([X, Y]), [(6, 4)]),
    ("cast", (X, "int64"), lambda: X.astype(np.int64), [(3, 4)]),
    ("topk", (X, 2, -1, True, True), None, [(3, 2), (3, 2)]),
    ("nonzero", (X > 0,), lambda: np.argwhere(X > 0), [(int((X > 0).sum()), 2)]),
    ("layer_norm", (X, [4], None, None, 1e-5), None, [(3, 4)]),
    ("mse_loss", (X, Y, 1), lambda: ((X.astype(np.float64) - Y) ** 2).mean(), [()]),
    ("nll_loss", (X, np.array([0, 1, 3]), np.ones(4, np.float32), 0, -100), None, [(3,), ()]),
    ("convolution", (IMAGE, KERNEL, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, 0), None,
     [(2, 4, 8, 8)]),
    ("convolution_backward", (np.ones((2, 4, 6, 6), np.float32), IMAGE, KERNEL, [4], [1, 1],
                              [0, 0], [1, 1], False, [0, 0], 1, [True, True, False], 0), None,
     [(2, 3, 8, 8), (4, 3, 3, 3)]),
    ("max_pool", (IMAGE, [2, 2], [2, 2], 0, [0, 0, 0, 0], [1, 1], 0), None, [(2, 3, 4, 4)]),
    ("embedding", (X, np.array([[0, 2]])), lambda: X[[[0, 2]]], [(1, 2, 4)]),
    ("max_pool2d_with_indices", (IMAGE, [2, 2], [2, 2], [0, 0], [1, 1], False), None,
     [(2, 3, 4, 4), (2, 3, 4, 4)]),
    ("roi_align", (IMAGE, np.array([[0, 0, 4, 4]], np.float32), np.zeros(1, np.int32), "avg", 2, 2,
                   2, 1.0), None, [(1, 3, 2, 2)]),
    ("arange", (0, 5, 1), lambda: np.arange(5), [(5,)]),
    ("linspace", (0.0, 1.0, 5), lambda: np.linspace(0, 1, 5), [(5,)]),
    ("equal", (X, X), lambda: True, [()]),
    ("foreach_add_list_v2", ([X, Y], [Y, Y], np.float32(1)), None, None),
]


def as_list(results):
    return list(results) if isinstance(results, (tuple, list)) else [results]


class Ops(unittest.TestCase):
    def test_against_numpy_and_the_formula(self):
        for name, arguments, numpy_has, shapes in CALLS:
            with self.subTest(name):
                got = as_list(getattr(aclimb.ops, name)(*arguments))
                golden = as_list(getattr(aclimb.reference, name)(*arguments))
                if numpy_has is not None:
                    np.testing.assert_allclose(got[0], numpy_has(), 2e-6, 1e-6)
                    np.testing.assert_allclose(golden[0], numpy_has(), 1e-12)
                if shapes is not None:
                    self.assertEqual([each.shape for each in got], shapes)
                self.assertEqual(len(golden), len(got))
                for mine, truth in zip(got, golden):
                    self.assertEqual(truth.dtype, np.float64)
                    np.testing.assert_allclose(mine, truth, 1e-5, 1e-5)

    def test_an_executor_is_destroyed_when_there_is_no_workspace(self):
        library = _call._library()
        real, executors = library.call, []

        def call(name, *arguments):
            if executors and name == "aclrtMalloc":
                raise library.error(name, 207001)
            real(name, *arguments)
            if name.endswith("GetWorkspaceSize"):
                self.assertGreater(arguments[-2]._obj.value, 0)
                executors.append(arguments[-1]._obj.value)

        with mock.patch.object(library, "call", call), self.assertRaises(aclimb.Error):
            aclimb.ops.topk(X, 2, -1, True, True, out=[np.empty((3, 2), np.float32),
                                                       np.empty((3, 2), np.int64)])
        use = library.function("aclSetAclOpExecutorRepeatable")
        self.assertEqual([use(ctypes.c_void_p(each)) for each in executors], [561103])

    def test_elements_are_destroyed_when_there_is_no_list(self):
        library = _call._library()
        real, elements = library.make, []

        def make(name, *arguments):
            if elements and name == "aclCreateTensor":
                raise library.error(name, 0)
            made = real(name, *arguments)
            elements.append(made)
            return made

        with mock.patch.object(library, "make", make), self.assertRaises(aclimb.Error):
            aclimb.ops.cat([X, Y], 0, out=np.empty((6, 4), np.float32))
        destroy = library.function("aclDestroyTensor")
        self.assertEqual([destroy(ctypes.c_void_p(each)) for each in elements], [161002])

    def test_the_formula_is_not_rounded(self):
        golden = aclimb.reference.softmax(X, -1)
        self.assertTrue((golden != golden.astype(np.float32)).any())
        exact = np.exp(X.astype(np.float64))
        np.testing.assert_allclose(golden, exact / exact.sum(1, keepdims=True), 1e-14)

    def test_scalars_of_the_formula_are_exact(self):
        large = 2**60 + 1
        equal = aclimb.reference.eq_scalar(np.array([large, large - 1]), large)
        self.assertEqual(equal.tolist(), [1, 0])

    def test_the_formula_has_no_complex_results(self):
        call = np.zeros(2, np.complex64), [1, 0], 1.5 - 2.5j
        self.assertEqual(aclimb.ops.constant_pad_nd(*call).tolist(), [1.5 - 2.5j, 0, 0])
        with self.assertRaisesRegex(TypeError, "out is COMPLEX64, but the formulas give real"):
            aclimb.reference.constant_pad_nd(*call)
        # Of a complex number that becomes a real one nothing is lost.
        self.assertEqual(aclimb.reference.cast(call[0] + 2, np.float32).tolist(), [2, 2])

    def test_every_operator_has_a_function(self):
        self.assertGreater(len(dir(aclimb.ops)), 300)
        self.assertEqual(dir(aclimb.ops), dir(aclimb.reference))
        self.assertIs(type(aclimb.ops.EluBackward), type(aclimb.ops.elu_backward))
        self.assertIn("alpha", aclimb.ops.add.__doc__)
        for name in dir(aclimb.ops)[::40]:
            self.assertTrue(callable(getattr(aclimb.ops, name)))
        with self.assertRaisesRegex(AttributeError, "Near matches"):
            aclimb.ops.elu_backwards

    def test_stubs_are_those_of_the_functions(self):
        folder = pathlib.Path(aclimb.__file__).parent
        for module in (aclimb.ops, aclimb.reference):
            stub = folder / (module.__name__.split(".")[1] + ".pyi")
            tree = ast.parse(stub.read_text())
            functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
            self.assertLessEqual(set(dir(module)), set(functions))
            for name in dir(module)[::25]:
                told = [each.arg for each in functions[name].args.args]
                signature = inspect.signature(getattr(module, name))
                self.assertEqual([*told, "out"], list(signature.parameters), name)

    def test_dtypes_of_outputs(self):
        half = X.astype(np.float16)
        self.assertEqual(aclimb.ops.add(half, half, 1).dtype, np.float16)
        self.assertEqual(aclimb.ops.add(half, X, 1).dtype, np.float32)
        self.assertEqual(aclimb.ops.gt_tensor(X, Y).dtype, np.bool_)
        self.assertEqual(aclimb.ops.arg_max(X, 1, False).dtype, np.int64)
        self.assertEqual(aclimb.ops.cast(X, np.int8).dtype, np.int8)
        self.assertEqual(aclimb.ops.mean(X, [0], False, np.float16).dtype, np.float16)

    def test_out_is_written_with_its_gaps_kept(self):
        wide = np.full((6, 8), 9, np.float32)
        out = wide[::2, ::2]
        self.assertIs(aclimb.ops.add(X, Y, 1, out=out), out)
        np.testing.assert_array_equal(out, X + Y)
        self.assertEqual((wide == 9).sum(), 48 - 12)
        values, places = np.empty((3, 1), np.float32), np.empty((3, 1), np.int64)
        aclimb.ops.topk(X, 1, -1, True, True, out=(values, places))
        np.testing.assert_array_equal(places[:, 0], X.argmax(1))
        aclimb.ops.topk(X, 1, -1, False, True, out={"valuesOut": values})
        np.testing.assert_array_equal(values[:, 0], X.min(1))

    def test_in_place(self):
        x = X.copy()
        self.assertIs(aclimb.ops.inplace_add(x, Y, 1), x)
        np.testing.assert_array_equal(x, X + Y)
        aclimb.ops.inplace_zero(x)
        self.assertFalse(x.any())
        frozen = X.copy()
        frozen.flags.writeable = False
        with self.assertRaisesRegex(TypeError, "selfRef is written to"):
            aclimb.ops.inplace_zero(frozen)
        with self.assertRaisesRegex(TypeError, "selfRef is written to"):
            aclimb.ops.inplace_zero([1.0])

    def test_views_and_buffers(self):
        np.testing.assert_array_equal(aclimb.ops.add(X.T, Y.T, 1), X.T + Y.T)
        np.testing.assert_array_equal(aclimb.ops.add(X[::-1], Y, 1), X[::-1] + Y)
        numbers = array.array("f", [1, 2, 3])
        np.testing.assert_array_equal(aclimb.ops.add(numbers, memoryview(numbers), 1), [2, 4, 6])
        aclimb.ops.inplace_add(numbers, [1, 1, 1], 1)
        self.assertEqual(list(numbers), [2, 3, 4])
        empty = aclimb.ops.add(X[:0], Y[:0], 1)
        self.assertEqual(empty.shape, (0, 4))

    def test_dlpack(self):
        class Exporter:
            def __dlpack__(self):
                return X.T.__dlpack__()

            def __dlpack_device__(self):
                return X.__dlpack_device__()

        np.testing.assert_array_equal(aclimb.ops.add(Exporter(), Exporter(), 1), 2 * X.T)
        elsewhere = Exporter()
        elsewhere.__class__ = type("Elsewhere", (Exporter,),
                                   {"__dlpack_device__": lambda self: (2, 0)})
        with self.assertRaisesRegex(TypeError, "another device"):
            aclimb.ops.add(elsewhere, elsewhere, 1)

    def test_refusals_are_told_whole(self):
        for module in (aclimb.ops, aclimb.reference):
            with self.assertRaises(aclimb.Error) as caught:
                module.softmax(X, 5)
            self.assertEqual(caught.exception.code, 161002)
            self.assertRegex(str(caught.exception),
                             r"dim is 5.*\n  fix: .*\n  rule: softmax/range/dim .* 161002")
        with self.assertRaisesRegex(aclimb.Error, r"out.shape is \[2\]"):
            aclimb.ops.add(X, Y, 1, out=np.empty(2, np.float32))
        # Of the shape that only the operator knows, too.
        with self.assertRaisesRegex(aclimb.Error, "mat2"):
            aclimb.ops.matmul(X, Y, 0)

    def test_indices_beyond_what_they_point_to(self):
        for module in (aclimb.ops, aclimb.reference):
            np.testing.assert_array_equal(module.take(X, np.array([1 << 60, 0])), [0, X[0, 0]])

    def test_wrong_arguments(self):
        for call, text in (
                (lambda: aclimb.ops.add(X), "other is missing"),
                (lambda: aclimb.ops.add(X, Y, 1, X), "3 arguments .*outputs are given as out="),
                (lambda: aclimb.ops.add(X, Y, alpha=1, beta=2), "no parameter beta"),
                (lambda: aclimb.ops.add(X, Y, 1, self=X), "self is given twice"),
                (lambda: aclimb.ops.add(X, Y, 1, out=[X, X]), "1 outputs"),
                (lambda: aclimb.ops.add(X, Y, 1, out={"o": X}), "no output o"),
                (lambda: aclimb.ops.softmax(X, 1.0), "dim is of the kind integer .* 1.0 is not"),
                (lambda: aclimb.ops.softmax(X, "one"), "dim is of the kind integer"),
                (lambda: aclimb.ops.mean(X, "one", False, "float"), "dim is of the kind int array"),
                (lambda: aclimb.ops.add("text", Y, 1), "no dtype of aclnn"),
                (lambda: aclimb.ops.split_with_size(X, [1, 2], 0), "give it as out=")):
            with self.subTest(text), self.assertRaisesRegex(TypeError, text):
                call()

    def test_no_memory_is_left_behind(self):
        import acl
        aclimb.ops.add(X, Y, 1)
        before = acl.rt.get_mem_info(acl.ACL_HBM_MEM)
        for _ in range(3):
            aclimb.ops.convolution(IMAGE, KERNEL, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, 0)
            with self.assertRaises(aclimb.Error):
                aclimb.ops.softmax(X, 5)
        self.assertEqual(acl.rt.get_mem_info(acl.ACL_HBM_MEM), before)

    def test_threads(self):
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(4) as pool:
            results = pool.map(lambda k: aclimb.ops.add(X, Y, float(k)), range(16))
        for k, result in enumerate(results):
            np.testing.assert_allclose(result, X + k * Y, 1e-6, 1e-6)

    def test_the_checker_is_silent(self):
        done = subprocess.run(
            [aclimb.root() / "bin" / "aclimb", "run", "--check", "--", sys.executable, "-c",
             "import aclimb, numpy as np\n"
             "aclimb.ops.add(np.ones(3, np.float32), np.ones(3, np.float32), 1)"],
            capture_output=True, text=True, env=os.environ)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
    def test_torch(self):
        aclimb.activate()
        import torch
        x = torch.arange(6.0).reshape(2, 3)
        got = aclimb.ops.add(x.t(), x.t(), 1)
        self.assertTrue(torch.equal(got, 2 * x.t()))
        brain = aclimb.ops.mean(x.bfloat16(), [1], False, torch.bfloat16)
        self.assertEqual(brain.dtype, torch.bfloat16)
        self.assertEqual(brain.tolist(), [1, 4])
        np.testing.assert_array_equal(
            aclimb.reference.mean(x.bfloat16(), [1], False, torch.bfloat16), [1, 4])
        self.assertTrue(torch.equal(aclimb.ops.masked_select(x, x > 2), x[x > 2]))
        self.assertIs(aclimb.ops.inplace_add(x, x.clone(), 1), x)
        with self.assertRaises(RuntimeError):
            aclimb.ops.add(x.requires_grad_(), x, 1)


if __name__ == "__main__":
    unittest.main()
