"""The folders of operators, and what each of them has to be compared with PyTorch by."""

import importlib.util
import pathlib
import re

OPS = pathlib.Path(__file__).resolve().parents[2] / "aclimb" / "ops"


def folders():
    """The folders of the one list."""
    text = (OPS / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"set\(ACLIMB_OPERATORS\s+([\w\s]+?)\)", text)[1].split()


def module_of(folder):
    """The folder's crosscheck.py."""
    spec = importlib.util.spec_from_file_location(f"crosscheck_{folder}", OPS / folder / "crosscheck.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
