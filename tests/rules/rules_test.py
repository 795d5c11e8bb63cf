"""Holds the rules about source text that no compiler checks.

  rules_test.py <source directory>    checks the tree; prints one line for each violation
  rules_test.py --self-test           checks that each rule finds a planted violation

Directions of dependencies, never reversed:
  include <- runtime, ops -> executor -> contract -> core
  ops/*/<kernel files> -> simd -> core
  runtime, executor -> backend/backend.h <- backends/*, tools/*
"""

import pathlib
import re
import sys

# Layer -> what its files may include, as prefixes of include paths. A layer always may include
# itself. `include/` is what users see: it knows nothing of us.
PUBLIC = ("acl/", "aclnn/", "hccl/", "aclnnop/aclnn_util.h", "aclimb/framework.h", "aclimb/version.h")
CORE = ("aclimb/core/",)
BRIDGE = ("aclimb/bridge/",)
FAMILY = CORE + ("aclimb/contract/", "aclimb/copy/", "aclimb/executor/plan.h", "aclimb/executor/unit_scratch.h",
                 "aclimb/simd/")
ALLOWED = {
    "include": PUBLIC,
    "aclimb/core": PUBLIC,
    "aclimb/bridge": PUBLIC + CORE,
    "aclimb/contract": PUBLIC + CORE,
    "aclimb/simd": CORE,
    "aclimb/copy": CORE + ("aclimb/simd/",),
    # It logs where oneDNN does not keep to ACLIMB_CPU_TARGET.
    "aclimb/onednn": PUBLIC + CORE + BRIDGE + ("aclimb/simd/",),
    # Families of operators: kernels, and the plans that run them.
    "aclimb/elementwise": FAMILY,
    "aclimb/matmul": FAMILY + ("aclimb/onednn/",),
    "aclimb/reduction": FAMILY,
    "aclimb/pieces": FAMILY,
    "aclimb/rows": FAMILY,
    # The loader knows the devices that are built in by a generated list.
    "aclimb/backend": CORE + BRIDGE + ("built_in_backends.h",),
    # Phase 2 tells the compute team, which knows no streams, how to ask whether to stop; plans book scratch memory
    # for its threads.
    "aclimb/executor": PUBLIC + CORE + BRIDGE
    + ("aclimb/contract/", "aclimb/backend/backend.h", "aclimb/simd/parallel.h", "aclimb/simd/slots.h"),
    "aclimb/truth": PUBLIC + CORE + ("aclimb/contract/",),
    # The contract of collectives, and the ranks behind it.
    "aclimb/collectives": PUBLIC + CORE + BRIDGE + ("aclimb/copy/",),
    "aclimb/observe": CORE + BRIDGE + ("aclimb/backend/backend.h",),
    "aclimb/runtime": PUBLIC + CORE + BRIDGE + ("aclimb/backend/", "aclimb/observe/"),
    # The parts of libascendcl that listen.
    "tools/check": CORE + BRIDGE + ("aclimb/backend/backend.h", "aclimb/observe/",
                                    "tools/problems.h", "tools/trace/json_file.h"),
    "tools/record": PUBLIC + CORE + BRIDGE
    + ("aclimb/observe/", "tools/new_file.h", "tools/output_path.h"),
    "tools/schedule": CORE
    + ("aclimb/backend/backend.h", "tools/output_file.h", "tools/output_path.h"),
    "tools/fault": CORE + BRIDGE + ("aclimb/observe/", "tools/output_path.h"),
    "tools/trace": CORE + BRIDGE
    + ("aclimb/observe/", "tools/output_file.h", "tools/output_path.h"),
    "backends/cpu": CORE + ("aclimb/backend/backend.h",),
}
FAMILIES = ("aclimb/copy/", "aclimb/elementwise/", "aclimb/matmul/", "aclimb/pieces/",
            "aclimb/reduction/", "aclimb/rows/")
OPERATOR = PUBLIC + CORE + BRIDGE + FAMILIES + ("aclimb/contract/", "aclimb/executor/")
OPERATOR_KERNEL = CORE + FAMILIES + ("aclimb/onednn/", "aclimb/simd/")

# Third-party headers that one place may see.
CONFINED = {
    re.compile(r"^(oneapi/dnnl/|dnnl)"): ("aclimb/onednn/",),
    # An adapter for each family that oneDNN computes for.
    re.compile(r"^aclimb/onednn/adapter"): ("aclimb/onednn/", "aclimb/matmul/onednn.cc",
                                            "aclimb/ops/convolution_backward/onednn.cc"),
    re.compile(r"^gloo/"): ("aclimb/collectives/gloo/",),
    re.compile(r"^omp\.h$"): ("aclimb/simd/parallel",),
    re.compile(r"^hwy/"): FAMILIES + ("aclimb/simd/", "aclimb/ops/"),
}

# The library never prints to stdout, aborts or exits.
FORBIDDEN_CALL = re.compile(
    r"(?<![\w.>])(?:std::|::)?(abort|exit|_exit|_Exit|quick_exit|terminate|printf|puts|putchar|vprintf)"
    r"\s*\(|\b(std::cout|stdout|STDOUT_FILENO)\b"
)
# One of these is in each of them.
PARTS_OF_CALLS = ("abort", "exit", "_Exit", "terminate", "printf", "put", "cout", "stdout", "STDOUT")
# File -> the words it may use, and why.
EXCEPTIONS = {
    # ASCEND_SLOG_PRINT_TO_STDOUT asks for the log there.
    "aclimb/runtime/log.cc": {"stdout", "STDOUT_FILENO"},
    # A child of fork whose only thread was one of ours.
    "aclimb/core/fork.cc": {"exit"},
    # ACLIMB_CHECK=1 asks that a program with mistakes ends with a status of its own.
    "tools/check/check.cc": {"_exit"},
}

# What a child of fork has a dead copy of: a lock, a condition variable, a thread.
FORKED = re.compile(
    r"^\s*(?:(?:static|mutable|constinit|inline|const)\s+)*"
    r"(?:std::(?:\w*mutex|condition_variable\w*|once_flag|thread|jthread)|(?:aclimb::)?SpinLock|QuietThread)"
    r"\s+\w+\s*[;({=]|\bQuietThread\s*\(|\bpthread_create\s*\(",
    re.MULTILINE,
)
# Who sees to it names one of these (aclimb/core/fork.h).
SEES_TO_FORKS = re.compile(r"\bFork(Part|Lock|Hold|Count)\b|\bvoid (\w+::)?Renew\(|\bpthread_atfork\b")
# File -> why a child never meets what the file has.
FORKS_ELSEWHERE = {
    "aclimb/core/quiet_thread.h": "it starts what others ask for",
    "aclimb/core/spin_lock.h": "it is the lock",
    "aclimb/onednn/recent_answers.h": "asked while planning alone, under ForkHold",
    "aclimb/simd/parallel.cc": "of the team that the thread sanitizer sees through",
    "aclimb/runtime/pageable_copy.cc": "of calls and tasks under way, whose threads a child has not",
    "aclimb/executor/recent_calls.h": "recent_calls.cc renews them",
    "aclimb/collectives/gloo/connections.h": "of communicators, which a child is refused (handle.cc)",
    "aclimb/collectives/gloo/mesh.cc": "of communicators, which a child is refused (handle.cc)",
    "aclimb/collectives/hub.cc": "its thread stays behind, and the child closes its sockets (socket.cc)",
    "aclimb/collectives/link.h": "of a communicator, which a child is refused (handle.cc)",
    "aclimb/collectives/thread_ranks.h": "of communicators, which a child is refused (handle.cc)",
    "backends/cpu/marker.h": "backends/cpu/fork.cc renews them",
    "backends/cpu/queue.h": "backends/cpu/fork.cc renews them",
    "backends/cpu/scheduler.h": "backends/cpu/fork.cc takes and renews it",
    "tools/record/record.cc": "a child goes on without it (EndsInChild)",
    "tools/trace/json_file.h": "a child writes no file",
    "tools/trace/trace.cc": "a child goes on without it (EndsInChild)",
}
# Programs, not parts of a library.
PROGRAMS = ("tools/aclimb/", "tools/pages/", "tools/catalogue/")

# What is for every operator finds them through aclimb/ops/CMakeLists.txt and names none. The other folders of tests/
# have programs as users write them, which call some operators.
FOR_EVERY_OPERATOR = ("aclimb/", "backends/", "bench/", "cmake/", "libraries/", "packaging/", "python/", "scripts/",
                      "tools/", "tests/c_abi/", "tests/crosscheck/", "tests/fuzz/", "tests/install/", "tests/rules/",
                      "tests/soak/", "tests/support/")
# File -> why some operators are its subject.
SOME_OPERATORS = {
    "aclimb/runtime/aclop/operator_names.cc": "the older interface's names, and the functions to call instead",
    "bench/libtorch_twin.cc": "a peer whose rows are so short that Python would distort them",
    "bench/onednn_twin.cc": "a peer that computes convolutions alone",
    "tests/fuzz/types.h": "proper calls by the older interface's names",
    "tests/install/lookup.cpp": "a client of one function, which it looks up by name",
    "tests/install/programs_test.py": "runs that client, and the program of the README",
    "tests/rules/rules_test.py": "plants names",
}
# File -> quoted words that are names of operators, and there mean something else.
OTHER_WORDS = {
    "aclimb/core/environment.h": {"all"},
    "aclimb/runtime/aclop/tensor_desc.cc": {"index"},
    "backends/cpu/capacity.cc": {"max"},
    "bench/call_problem.h": {"mean"},
    "bench/collectives/measure.py": {"median"},
    "bench/compare": {"all"},
    "bench/overhead": {"all", "trace"},
    "python/acl/util.py": {"All"},
    "tests/fuzz/fuzz.py": {"log"},
    "tests/fuzz/target.cc": {"Mean"},
    "tools/aclimb/report.cc": {"trace"},
    "tools/aclimb/report/trace_file.cc": {"cat", "trace"},
    "tools/check/settings.cc": {"all"},
}
OPERATOR_LIST = re.compile(r"set\(ACLIMB_OPERATORS\s+([\w\s]+?)\)")
# Functions and headers of operators, as C has them; X stands for any of them.
OPERATOR_NAME = re.compile(r"\baclnn(?!Status\b|Init\b|Finalize\b|X)[A-Z]\w*|\baclnn_(?!util\b|base\b)\w+\.h\b")
# All contracts, as `make docs` lists them: the function without "aclnn", and the page.
OPERATOR_PAGE = re.compile(r"^\| \[`aclnn(\w+)`\]\(ops/(\w+)\.md\)", re.MULTILINE)
# Scripts have no suffix, or one of a shell's.
NAMING_SUFFIXES = (".h", ".cc", ".c", ".cpp", ".inc", ".cu", ".in", ".py", ".cmake", ".txt", ".toml", ".sh", "")
COMMENT_OR_TEXT_OF_SCRIPT = re.compile(
    r"""\"{3}.*?\"{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?<!\S)#[^\n]*""", re.DOTALL)

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
COMMENT_OR_TEXT = re.compile(r'R"\((?:.*?)\)"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def layer_of(path):
    """The layer a repository path belongs to, or None."""
    parts = path.split("/")
    if parts[0] == "include":
        return "include"
    if parts[:2] == ["aclimb", "ops"] and len(parts) > 3:
        return "/".join(parts[:3])
    if parts[0] == "tools" and "/".join(parts[:2]) not in ALLOWED:
        return None
    return "/".join(parts[:2]) if parts[0] in ("aclimb", "backends", "tools") else None


def inner_folder(path):
    """The folder inside an operator's that a file is in, or None."""
    parts = path.split("/")
    inside = parts[:2] == ["aclimb", "ops"] and len(parts) > 4 and parts[3] != "include"
    return parts[3] if inside else None


def is_test(path):
    """Tests and benchmarks, and what only they read, may include anything."""
    name = path.rsplit("/", 1)[-1]
    return bool(re.search(r"_test\.(cc|h)$|^(\w+_)?(truths?|operators|draw|problem)\.h$|^bench(_\w+)?\.cc$|^test_", name))


def is_kernel(path, layer, text):
    """Files for every instruction set, and those of an operator's inner folders: they get valid
    arguments. All others of an operator may check and plan."""
    name = path[len(layer) + 1 :].rsplit(".", 1)[0]
    return "/" in name or name in ("cpu", "formulas") or "HWY_TARGET" in text


def allowed_includes(path, layer, text):
    if not layer.startswith("aclimb/ops/"):
        return ALLOWED.get(layer)
    if "/include/" in path:
        return PUBLIC
    return OPERATOR_KERNEL if is_kernel(path, layer, text) else OPERATOR + OPERATOR_KERNEL


def check_includes(path, text):
    layer = layer_of(path)
    if layer is None or is_test(path):
        return
    allowed = allowed_includes(path, layer, text)
    if allowed is None:
        yield f"{path}: no rule says what the layer {layer} may include; add it to rules_test.py"
        return
    for kind, name in INCLUDE.findall(text):
        for pattern, places in CONFINED.items():
            if pattern.search(name) and not path.startswith(places):
                yield f"{path}: includes {name}, which only {' and '.join(places)} may see"
        if kind == "<" or name.startswith(("hwy/", "oneapi/")):
            continue
        # Headers in include/acl name their neighbours from their own folder.
        if path.startswith("include/acl/") and name.startswith(("acl_", "error_codes/")):
            name = "acl/" + name
        own = name.startswith((layer + "/", layer.rsplit("/", 1)[-1] + "_headers.h")) or (
            layer.startswith("aclimb/ops/") and name.startswith("aclnnop/aclnn_"))
        planning = re.match(r"aclimb/ops/\w+/(\w+_)?(contracts?|rules|plan)\.h$", name)
        folder, seen = inner_folder(path), inner_folder(name)
        if own and folder and seen and seen != folder:
            yield f"{path}: includes {name}; {folder}/ may not depend on {seen}/"
        if own and planning and allowed is OPERATOR_KERNEL:
            yield f"{path}: includes {name}; a kernel may not depend on checks and plans"
        if not own and not name.startswith(allowed):
            yield f"{path}: includes {name}; {layer} may not depend on it"


def check_calls(path, text):
    if layer_of(path) is None or is_test(path) or not any(part in text for part in PARTS_OF_CALLS):
        return
    text = COMMENT_OR_TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    for match in FORBIDDEN_CALL.finditer(text):
        word = match.group(1) or match.group(2)
        if word not in EXCEPTIONS.get(path, ()):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: uses {word}; the library never prints to stdout, aborts or exits"


def check_forks(path, text):
    inside = path.startswith(("aclimb/", "backends/", "tools/")) and not path.startswith(PROGRAMS)
    if not inside or is_test(path) or path in FORKS_ELSEWHERE:
        return
    text = COMMENT_OR_TEXT.sub(" ", text)
    match = FORKED.search(text)
    if match and not SEES_TO_FORKS.search(text):
        yield (f"{path}: has \"{match.group().strip()}\" but no ForkPart; a child of fork gets it "
               "as another thread left it (aclimb/core/fork.h)")


def check_names(path, text, folders, contracts):
    """Comments and texts of several words may have an operator as an example; code and texts of one word may not."""
    if not path.startswith(FOR_EVERY_OPERATOR) or path.startswith("aclimb/ops/") or path in SOME_OPERATORS:
        return
    # Tests of what operators are made of make some up.
    if path.startswith("aclimb/") and is_test(path):
        return
    names = {*folders, *contracts} - OTHER_WORDS.get(path, set())
    found = []

    def code(match):
        whole = match.group()
        if whole[0] in "\"'" and whole[1:-1] in names:
            found.append((match.start(), whole))
        prose = whole[0] in "/#" or re.search(r"\s", whole)
        return re.sub(r"[^\n]", " ", whole) if prose else whole

    of_c = path.endswith((".h", ".cc", ".c", ".cpp", ".inc", ".cu", ".in"))
    text = (COMMENT_OR_TEXT if of_c else COMMENT_OR_TEXT_OF_SCRIPT).sub(code, text)
    # A folder of one word may be any word: without quotes it is a name only as a folder.
    words = [folder if "_" in folder else "ops/" + folder for folder in folders]
    # An alternation of all of them would be tried at every letter.
    named = re.compile("|".join([OPERATOR_NAME.pattern, *(
        f"(?<![a-z0-9]){word}(?![a-z0-9])" for word in words if word in text)]))
    found += [(match.start(), match.group()) for match in named.finditer(text)]
    for start, name in found:
        line = text.count("\n", 0, start) + 1
        yield (f"{path}:{line}: names {name}; what is for every operator finds it through "
               "aclimb/ops/CMakeLists.txt and its folder")


def check_pages(path, text):
    """Headers are installed, the pages are not."""
    if not path.startswith("include/") and "/include/" not in path and not path.endswith(".h.in"):
        return
    for match in re.finditer(r"\bdocs/|\bspec/|\.md\b", text):
        line = text.count("\n", 0, match.start()) + 1
        yield (f"{path}:{line}: names a page, which is not installed with the header; name a header, or the call of "
               "the tool that tells (aclimb ops, aclimb explain)")


def check_tables(path, text):
    """clang-format runs the rows of a table together where a line has more than 100 columns."""
    if not path.startswith("include/") and "/include/" not in path and not path.endswith(".h.in"):
        return
    for match in re.finditer(r"^//(?:.*?\S {2,}(?:in|out)\b){2}.*$", text, re.MULTILINE):
        line = text.count("\n", 0, match.start()) + 1
        yield f"{path}:{line}: two parameters in one line; give each its own, of at most 100 columns"


def check_sources(path, text):
    """A comment begins a new list of types."""
    if not re.match(r"aclimb/ops/.*signature\w*\.inc$", path):
        return
    for match in re.finditer(r"(\A|[^\n]\n)((?://[^\n]*\n|\n)*)ACLIMB_OPERATOR\(", text):
        if (match[1] == "" or match[2]) and not re.search(r"^// source: \S", match[2], re.MULTILINE):
            line = text.count("\n", 0, match.end()) + 1
            yield f"{path}:{line}: no line \"// source: ...\" says which public document these types are from"


def check(path, text):
    yield from check_pages(path, text)
    yield from check_tables(path, text)
    yield from check_includes(path, text)
    yield from check_calls(path, text)
    yield from check_forks(path, text)
    yield from check_sources(path, text)


def check_tree(source):
    files = [
        file
        for folder in ("include", "aclimb", "backends", "tools")
        for file in sorted((source / folder).rglob("*"))
        if file.suffix in (".h", ".cc", ".c", ".inc", ".cu") or file.name.endswith(".h.in")
    ]
    violations = [
        violation
        for file in files
        for violation in check(file.relative_to(source).as_posix(), file.read_text())
    ]
    folders = OPERATOR_LIST.search((source / "aclimb/ops/CMakeLists.txt").read_text())[1].split()
    contracts = [name for names in OPERATOR_PAGE.findall((source / "docs/operators.md").read_text()) for name in names]
    for place in FOR_EVERY_OPERATOR:
        for file in sorted((source / place).rglob("*")):
            path = file.relative_to(source).as_posix()
            if file.is_file() and file.suffix in NAMING_SUFFIXES and not re.search(r"/corpus/|^bench/out/", path):
                violations += check_names(path, file.read_text(), folders, contracts)
    for violation in violations:
        print(violation)
    print(f"{len(files)} files, {len(violations)} violations")
    # A tree without sources is a wrong path, not a clean tree.
    return 1 if violations or len(files) < 20 or not contracts else 0


def self_test():
    planted = [
        ("aclimb/core/a.h", '#include "aclimb/contract/check.h"\n'),
        ("aclimb/simd/a.h", '#include "aclimb/executor/plan.h"\n'),
        ("aclimb/contract/a.h", '#include "aclimb/executor/plan.h"\n'),
        ("aclimb/executor/a.cc", '#include "aclimb/ops/elu_backward/cpu.h"\n'),
        ("aclimb/executor/a.cc", '#include "backends/cpu/memory.h"\n'),
        ("aclimb/runtime/a.cc", '#include "backends/cpu/memory.h"\n'),
        ("aclimb/ops/elu_backward/cpu.cc", '#include "aclimb/executor/plan.h"\n'),
        ("aclimb/ops/elu_backward/cpu.cc", '#include "aclimb/ops/elu_backward/contract.h"\n'),
        ("aclimb/ops/elu_backward/elu_backward.cc", '#include "aclimb/ops/other/cpu.h"\n'),
        ("aclimb/ops/elu_backward/elu_backward.cc", '#include "aclimb/runtime/stream.h"\n'),
        ("aclimb/ops/elu_backward/cpu.cc", "#include <omp.h>\n"),
        ("aclimb/ops/elu_backward/a/plan.cc", '#include "aclimb/executor/plan.h"\n'),
        ("aclimb/ops/elu_backward/a/b.cc", '#include "aclimb/ops/elu_backward/c/d.h"\n'),
        ("backends/cpu/a.cc", '#include "aclimb/runtime/stream.h"\n'),
        ("include/acl/a.h", '#include "aclimb/core/dtype.h"\n'),
        ("aclimb/runtime/a.cc", "#include <dnnl.hpp>\n"),
        ("aclimb/collectives/a.cc", "#include <gloo/context.h>\n"),
        ("aclimb/runtime/a.cc", "void F() { std::abort(); }\n"),
        ("aclimb/runtime/a.cc", "void F() { exit(1); }\n"),
        ("aclimb/runtime/a.cc", 'void F() { printf("x"); }\n'),
        ("aclimb/runtime/a.cc", 'void F() { std::fputs("x", stdout); }\n'),
        ("backends/cpu/a.cc", "void F() { std::cout << 1; }\n"),
        ("tools/check/a.cc", '#include "aclimb/runtime/stream.h"\n'),
        ("tools/trace/a.cc", "void F() { _exit(1); }\n"),
        ("aclimb/unknown/a.cc", "\n"),
        ("aclimb/runtime/a.cc", "std::mutex mutex;\n"),
        ("aclimb/runtime/a.h", "struct A {\n  mutable std::shared_mutex mutex_;  // guards it\n};\n"),
        ("backends/cpu/a.cc", "constinit std::mutex a_mutex;  // ForkLock\n"),
        ("aclimb/executor/a.cc", "std::condition_variable changed{};\n"),
        ("tools/check/a.cc", "void F() { QuietThread([] {}).detach(); }\n"),
        ("aclimb/ops/elu_backward/cpu.cc", "static std::once_flag once;\n"),
        ("aclimb/ops/elu_backward/include/aclnnop/aclnn_elu_backward.h", "//   self  in  see docs/ops/elu_backward.md\n"),
        ("aclimb/ops/unary/aclnn_unary.h.in", "//   returns  as errors.md says\n"),
        ("include/acl/a.h", "//   self  in   FLOAT or\n//   BF16 out   out  the same\n//   as self size  out  bytes executor  out for\n"),
        ("aclimb/ops/unary/signature.inc", "// The functions.\nACLIMB_OPERATOR(aclnnStatus, aclnnA, ())\n"),
        ("aclimb/ops/unary/signature.inc", "ACLIMB_OPERATOR(aclnnStatus, aclnnA, ())\n"),
        ("aclimb/ops/unary/signature.inc",
         "// source: a page\nACLIMB_OPERATOR(aclnnStatus, aclnnA, ())\n// More.\nACLIMB_OPERATOR(aclnnStatus, aclnnB, ())\n"),
    ]
    clean = [
        ("aclimb/core/a.h", '#include "aclimb/core/dtype.h"\n#include <vector>\n'),
        ("aclimb/ops/elu_backward/elu_backward.cc", '#include "aclimb/executor/plan.h"\n'),
        ("aclimb/ops/elu_backward/elu_backward.cc", '#include "aclnnop/aclnn_elu_backward.h"\n'),
        ("aclimb/ops/elu_backward/cpu.cc", '#include "aclimb/simd/walk.h"\n#include <hwy/highway.h>\n'),
        ("aclimb/ops/elu_backward/elu_backward_test.cc", '#include "aclimb/runtime/stream.h"\n'),
        ("aclimb/ops/elu_backward/a/b.cc", '#include "aclimb/ops/elu_backward/c.h"\n'),
        ("aclimb/ops/elu_backward/a.cc", '#include "aclimb/ops/elu_backward/b/c.h"\n'),
        ("aclimb/ops/elu_backward/include/aclnnop/aclnn_elu_backward.h", "//   dtypes: `aclimb ops elu`; aclnn/acl_meta.h\n"),
        ("include/acl/a.h", "//   self, other  in out  what goes in  and what comes out\n//   size         out     bytes\n"),
        ("aclimb/ops/elu_backward/contract.h", "// docs/ops/elu_backward.md is printed from this.\n"),
        ("aclimb/runtime/a.cc", '// never abort()\nvoid F() { std::snprintf(b, 2, "exit(1)"); }\n'),
        ("aclimb/runtime/a.cc", "void F() { task.abort(); AbortStream(s); }\n"),
        ("aclimb/runtime/a.cc", "std::mutex mutex;\nForkLock mutex_lock(mutex);\n"),
        ("aclimb/runtime/a.cc", "std::lock_guard<std::mutex> lock(ProcessMutex());\n"),
        ("aclimb/runtime/a_test.cc", "std::mutex mutex;\n"),
        ("tools/aclimb/a.cc", "std::mutex mutex;\n"),
        ("aclimb/ops/unary/signature.inc",
         "// source: a page\nACLIMB_OPERATOR(aclnnStatus, aclnnA,\n    ())\nACLIMB_OPERATOR(aclnnStatus, aclnnB, ())\n"),
    ]
    naming = [
        ("tests/fuzz/a.cc", '#include "aclnnop/aclnn_elu_backward.h"\n'),
        ("tests/soak/a.cc", "problem.run = &aclnnEluBackward;\n"),
        ("tests/fuzz/CMakeLists.txt", "fuzz_target(elu_backward fuzz_operators)\n"),
        ("tests/fuzz/fuzz.py", 'TARGETS = ("elu_backward", "runtime")\n'),
        ("tools/aclimb/a.cc", '#include "aclimb/ops/unary/contract.h"\n'),
        ("tools/aclimb/a.cc", 'if (name == "elu_backward") return 1;\n'),
        ("tools/aclimb/a.cc", 'if (name == "unary") return 1;\n'),
        ("tools/aclimb/a.cc", 'if (name == "layer_norm") return 1;\n'),
        ("bench/compare", "if row['operator'] == 'add':\n    pass\n"),
        ("scripts/demo", "test -d aclimb/ops/unary\n"),
        ("python/acl/a.py", 'KNOWN = ("add",)\n'),
        ("packaging/a.sh", 'if [ "$1" = "layer_norm" ]; then exit; fi\n'),
        ("tests/support/a.cc", 'if (contract.folder == "elu_backward") return;\n'),
        ("aclimb/executor/a.cc", 'if (function == "Add") return;\n'),
    ]
    unnamed = [
        ("tools/aclimb/a.cc", '// as aclnnEluBackward does\nauto help = "aclimb ops aclnnEluBackward";\n'),
        ("tools/aclimb/a.cc", "aclnnStatus F() { return aclnnInit(nullptr); }  // a unary minus\n"),
        ("tests/fuzz/a.cc", '#include "aclnnop/aclnn_util.h"\nint unary = 0;\n'),
        ("tests/runtime/a_test.cc", "aclnnEluBackward(workspace, size, executor, stream);\n"),
        ("aclimb/ops/elu_backward/a.cc", '#include "aclnnop/aclnn_elu_backward.h"\n'),
        ("bench/a.cc", "dnnl::deconvolution_backward_data d;  // elu_backward has none\n"),
        ("bench/compare", '"""Say bench/compare --operator add."""\nadd = 1  # "add" is one\n'),
        ("tools/aclimb/report/trace_file.cc", 'event["cat"] = "kernel";\n'),
    ]
    folders = ["elu_backward", "convolution_backward", "unary"]
    contracts = ["Add", "add", "Cat", "cat", "LayerNorm", "layer_norm"]
    missed = [(path, text) for path, text in planted if not list(check(path, text))]
    missed += [(path, text) for path, text in naming if not list(check_names(path, text, folders, contracts))]
    false_alarms = [v for path, text in clean for v in check(path, text)]
    false_alarms += [v for path, text in unnamed for v in check_names(path, text, folders, contracts)]
    planted += naming
    for path, text in missed:
        print(f"not found: {path}: {text!r}")
    for violation in false_alarms:
        print(f"false alarm: {violation}")
    print(f"{len(planted)} planted, {len(missed)} missed, {len(false_alarms)} false alarms")
    return 1 if missed or false_alarms else 0


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1] == "--self-test" else check_tree(pathlib.Path(sys.argv[1])))
