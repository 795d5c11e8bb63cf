"""aclimb.activate() and the command line of the wheel, each step in a process of its own."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import aclimb


def python(program, **environment):
    return subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True,
                          text=True, env=dict(os.environ, **environment))


class Activate(unittest.TestCase):
    def succeeds(self, program, **environment):
        result = python(program, **environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.strip()

    def test_libraries_are_found_by_name(self):
        """As by the libraries of torch_npu, which name them among those they need."""
        names = sorted(file.name for file in (aclimb.root() / "lib64").glob("lib*.so"))
        self.assertIn("libge_runner.so", names)
        load = "import ctypes\nfor name in {}: ctypes.CDLL(name)\n".format(names)
        self.assertNotEqual(python(load).returncode, 0)
        self.succeeds("import aclimb; aclimb.activate(); aclimb.activate()\n" + load)

    def test_one_runtime_behind_all_names(self):
        self.assertEqual(self.succeeds(
            "import aclimb, ctypes\n"
            "aclimb.activate()\n"
            "names = ['libacl_rt.so', 'libgraph.so', 'libopapi_nn.so']\n"
            "print(len({ctypes.cast(ctypes.CDLL(name).aclInit, ctypes.c_void_p).value\n"
            "           for name in names}))"), "1")

    def test_environment_is_that_of_set_env(self):
        show = "import os; print(sorted((name, value) for name, value in os.environ.items()\n" \
               "    if name.startswith(('ASCEND', 'TOOLCHAIN', 'LD_LIB')) or name == 'PATH'))"
        # With a directory that the variable has already, and an empty entry.
        path = {"LD_LIBRARY_PATH": "/somewhere::{}/lib64".format(aclimb.root())}
        shell = subprocess.run(
            ["sh", "-c", '. "$0"; exec "$1" -c "$2"', str(aclimb.root() / "set_env.sh"),
             sys.executable, show], capture_output=True, text=True, check=True,
            env=dict(os.environ, **path))
        self.assertEqual(self.succeeds("import aclimb; aclimb.activate()\n" + show, **path),
                         shell.stdout.strip())

    def test_refuses_beside_another_toolkit(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(aclimb.root() / "lib64" / "libascendcl.so", folder)
            result = python("import ctypes, aclimb\n"
                            "ctypes.CDLL('{}/libascendcl.so')\n"
                            "aclimb.activate()".format(folder))
        self.assertEqual(result.returncode, 1)
        self.assertIn("before `import torch`", result.stderr)
        self.assertIn(folder, result.stderr)

    def test_an_installed_toolkit_in_the_environment_is_used(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(aclimb.root() / "lib64", pathlib.Path(folder, "lib64"))
            where = "import aclimb; print(aclimb.root())"
            self.assertEqual(self.succeeds(where, ASCEND_TOOLKIT_HOME=folder),
                             str(aclimb.root()))
            os.symlink(aclimb.root() / "bin", pathlib.Path(folder, "bin"))
            self.assertEqual(self.succeeds(where, ASCEND_TOOLKIT_HOME=folder),
                             os.path.realpath(folder))

    def test_command_line(self):
        program = pathlib.Path(sys.executable).with_name("aclimb")
        run = subprocess.run([program, "run", "--", sys.executable, "-c",
                              "import os; print(os.environ['ASCEND_HOME_PATH'])"],
                             capture_output=True, text=True)
        self.assertEqual(run.stdout.strip(), str(aclimb.root()), run.stderr)
        self.assertEqual(subprocess.run([program, "nonsense"], capture_output=True).returncode, 2)

    @unittest.skipUnless(importlib.util.find_spec("torch_npu"), "torch_npu is not installed")
    def test_torch_npu(self):
        self.assertEqual(self.succeeds(
            "import aclimb; aclimb.activate()\n"
            "import torch\n"
            "print(torch.arange(4, device='npu').float().add(1).sum().item())"), "10.0")


if __name__ == "__main__":
    unittest.main()
