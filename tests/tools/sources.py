"""The rules by which the library's sources refuse, read from the calls that make the messages."""

import pathlib
import re

# Calls of which one text is the end of a rule's id: which, from the end, and what comes before it.
CALLS = {
    "BadValue": (-1, "runtime/"),
    "Wrong": (-1, "runtime/config/"),
    "WrongMaker": (-1, "runtime/event/"),
    "RefusePhase2": (-1, "phase2/"),
    "Invalid": (-1, "tensor/"),
    "BadParameter": (-2, "collective/"),
    "RefuseSize": (-1, "calculate_matmul_weight_size/"),
}
WHOLE = re.compile(
    r"(runtime|backend|check|fault|executor|tensor|array|list|scalar|destroy|inner|phase2|collective)"
    r"(/[a-z0-9-]+)+"
)
# "runtime/null/": the name of an argument follows.
OPEN = re.compile(r"(runtime|tensor|collective)/[a-z-]+/|destroy/")
# A rule that a call of any name that begins with Refuse names in full, wherever it stands: operators
# that have functions beside their phases refuse so.
REFUSE = re.compile(r"\bRefuse\w*\(")
OF_OPERATOR = re.compile(r"[a-z0-9]+(_[a-z0-9]+)+(/[a-zA-Z0-9-]+)+")
TEXT = re.compile(r'"((?:\\.|[^"\\\n])*)"')
# Two texts that the compiler joins.
JOINED = re.compile(r'"\s*\n\s*"')


def call_at(text, begin):
    """The call whose parenthesis opens at `begin`, up to the one that closes it."""
    depth = 0
    for i in range(begin, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return text[begin : i + 1]
    return ""


def rules_of_file(text):
    for literal in TEXT.findall(text):
        if WHOLE.fullmatch(literal):
            yield literal
        # Configuration and event rules are closed sets, whose members the calls below name.
        elif OPEN.fullmatch(literal) and literal not in ("runtime/config/", "runtime/event/"):
            yield literal + "anything"
    for match in REFUSE.finditer(text):
        for literal in TEXT.findall(call_at(text, match.end() - 1)):
            if OF_OPERATOR.fullmatch(literal):
                yield literal
    for name, (place, front) in CALLS.items():
        if f"{name}(" not in text:
            continue
        for match in re.finditer(rf"\b{name}\(", text):
            literals = TEXT.findall(JOINED.sub("", call_at(text, match.end() - 1)))
            if len(literals) >= -place and re.fullmatch(r"[a-z0-9/-]+", literals[place]):
                yield front + literals[place]


def rules_of_sources(source):
    """Rule -> the file that names it."""
    found = {}
    for folder in ("aclimb", "backends", "tools"):
        for path in sorted(pathlib.Path(source, folder).rglob("*")):
            if path.suffix not in (".cc", ".h") or path.name.endswith("_test.cc"):
                continue
            # What explains the rules is no use of them.
            if path.parent.name == "catalogue":
                continue
            for rule in rules_of_file(path.read_text()):
                if not rule.endswith("/"):
                    found.setdefault(rule, path.relative_to(source).as_posix())
    return found
