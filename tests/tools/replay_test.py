"""aclimb replay.

  replay_test.py <tool> <folder of the examples> <record_program> <folder> [<compiler>]

Without a compiler, emitted programs are not built.
"""

import json
import pathlib
import re
import shutil
import struct
import subprocess

from tool import CLEAN, expect, main

OPERATORS = ["elu_backward", "embedding_dense_backward", "roi_align_v2_backward",
             "cross_entropy_loss_grad", "convolution_backward"]


class Place:
    def __init__(self, name, examples, program, folder, compiler=None):
        self.examples, self.program, self.compiler = pathlib.Path(examples), program, compiler
        self.folder = pathlib.Path(folder, name)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def record(self, *words, **settings):
        """The folders of the calls of a program."""
        calls = self.folder / "-".join(pathlib.Path(word).name for word in words)
        subprocess.run(list(map(str, words)), check=True, stdout=subprocess.DEVNULL,
                       env=dict(CLEAN, ACLIMB_RECORD=str(calls), **settings))
        return sorted(calls.iterdir())

    def example(self, operator, **settings):
        return self.record(self.examples / f"example_{operator}", **settings)

    def mode(self, mode):
        return self.record(self.program, mode)


def outputs_of(call):
    """Name -> numbers of the view, as they were recorded."""
    told = json.loads((call / "call.json").read_text())
    outputs = {}
    for name, entry in told["tensors"].items():
        if entry["role"] != "output":
            continue
        data = (call / entry["file"]).read_bytes()[-entry["bytes"]:]
        code = {"<f4": "f", "<f2": "e", "<u2": "H", "<i8": "q", "|i1": "b", "<c8": "f",
                "<c16": "d"}[entry["npy"]]
        values = [value for value, in struct.iter_unpack(f"<{code}", data)]
        if "c" in entry["npy"]:
            values = list(map(complex, values[::2], values[1::2]))
        tensor = told["arguments"][name]["tensor"]
        places = [0]
        for extent, stride in zip(tensor["shape"], tensor["strides"]):
            places = [place + i * stride for place in places for i in range(extent)]
        values = [values[place] for place in places]
        if tensor["dtype"] == "BFLOAT16":
            values = [struct.unpack("<f", struct.pack("<I", bits << 16))[0] for bits in values]
        outputs[name] = values
    return outputs


def agrees(tool, call, **settings):
    text = tool.output("replay", call, **settings)
    count = len(outputs_of(call))
    expect(text.count("equal, bit for bit") == count, f"{call}: {text}")
    expect(text.count("within the tolerance") == count, f"{call}: {text}")
    expect(text.endswith("\nagrees\n"), text)
    return text


def examples_and_views(tool, *words):
    place = Place("agree", *words)
    for operator in OPERATORS:
        for call in place.example(operator):
            agrees(tool, call)
            text = tool.output("replay", call, "--no-truth")
            expect("truth" not in text and "equal" in text, text)
    for call in place.mode("views"):
        agrees(tool, call)


def scalars(tool, *words):
    """They are what they were, to the last bit and with both parts."""
    place = Place("scalars", *words)
    calls = place.mode("scalars") + place.mode("overwritten")
    for call in calls:
        agrees(tool, call)
        tool.output("replay", call, "--no-truth")
    complex_call, path = calls[3], calls[3] / "call.json"
    text = path.read_text()
    for old, new in {"-2.5": "2.5", "1.5": "1"}.items():
        path.write_text(text.replace(old, new))
        expect(found(tool, complex_call).endswith("differs\n"), f"{old} became {new}")
    # Earlier versions wrote no complex numbers, and integers as any other number.
    path.write_text(text.replace("[1.5, -2.5]", '"a COMPLEX64 scalar"'))
    tool.refused("replay", complex_call, said="Record the call again.")
    path = calls[0] / "call.json"
    path.write_text(path.read_text().replace(str(2**60 + 1), "1e3"))
    expect("3 of 3 elements differ" in found(tool, calls[0]), "an integer as a real number")


def other_settings(tool, *words):
    """The product and the extensions are those of the recording."""
    place = Place("settings", *words)
    (call,) = place.example("convolution_backward", ACLIMB_SOC="Ascend950")
    agrees(tool, call, ACLIMB_SOC="Ascend42", ACLIMB_EXTENSIONS="maybe")


def emitted(tool, *words):
    """The program prints the recorded codes and outputs, whatever its data stand in."""
    place = Place("emit", *words)
    calls = [call for operator in OPERATORS for call in place.example(operator)]
    calls += place.mode("views") + place.mode("scalars") + place.mode("overwritten")
    sources = []
    for number, call in enumerate(calls):
        source = place.folder / f"{number}.cpp"
        expect(tool.output("replay", call, "--emit-cpp", source) == "", "emitting prints")
        sources.append(source)
        text = source.read_text()
        included = set(re.findall(r'#include "([^"]+)"', text))
        expect(len(included) == 2 and "acl/acl.h" in included, included)
        expect(all(len(line) <= 110 for line in text.splitlines()), f"{source}: long lines")
    if place.compiler is None:
        return
    # All of them include what the first one, built alone, is shown to need.
    standard = [re.findall("#include <.*>", source.read_text()) for source in sources]
    expect(all(names == standard[0] for names in standard), standard)
    alone, program = place.folder / "first", place.folder / "all"
    built(tool, place, sources[0], alone)
    check_program(alone, [], calls[0])
    built(tool, place, joined(place, sources), program)
    for number, call in enumerate(calls):
        check_program(program, [str(number)], call)


def joined(place, sources):
    """The source of one program, whose first word says as which of them it runs: what they include is
    read once."""
    lines = [line for source in sources for line in source.read_text().splitlines()]
    text = "\n".join(dict.fromkeys(line for line in lines if line.startswith("#include")))
    for source in sources:
        text += f'\nnamespace call{source.stem} {{\n#include "{source.name}"\n}}'
    text += "\nint main(int, char** words) {\n  switch (std::atoi(words[1])) {\n"
    for source in sources:
        text += f"    case {source.stem}: return call{source.stem}::main();\n"
    path = place.folder / "joined.cpp"
    path.write_text(text + "  }\n  return 3;\n}\n")
    return path


def built(tool, place, source, program):
    tool.output("c++", "-std=c++11", "-Wall", "-Wextra", "-Werror", source, "-o", program,
                CXX=place.compiler)


def text_of(value):
    """As an emitted program prints it."""
    if isinstance(value, complex):
        return f"({value.real:.9g},{value.imag:.9g})"
    return str(value) if isinstance(value, int) else f"{value:.9g}"


def check_program(program, arguments, call):
    result = subprocess.run([program, *arguments], env=CLEAN, capture_output=True, text=True)
    expect(result.returncode == 0 and result.stderr == "", result)
    lines = result.stdout.splitlines()
    function = json.loads((call / "call.json").read_text())["operator"]
    expect(lines[:3] == [f"{function}GetWorkspaceSize: 0", f"{function}: 0",
                         "aclrtSynchronizeStream: 0"], lines)
    printed = {line.split(":")[0]: line.split(":")[1].replace("-nan", "nan").split()
               for line in lines[3:]}
    wanted = outputs_of(call)
    expect(printed.keys() == wanted.keys(), f"{call}: {printed.keys()}")
    for name, values in wanted.items():
        expect(printed[name] == list(map(text_of, values)),
               f"{call} {name}: {printed[name]}, recorded {values}")


def emitted_with_files(tool, *words):
    """A call of more than 255 elements reads its files."""
    place = Place("files", *words)
    if place.compiler is None:
        return
    (call, *_) = place.mode("large")
    source, program = place.folder / "large.cpp", place.folder / "large_call"
    tool.output("replay", call, "--emit-cpp", source)
    expect("LoadNpy" in source.read_text(), "a large call without files")
    built(tool, place, source, program)
    expect(subprocess.run([program], env=CLEAN, capture_output=True).returncode == 2, "no usage")
    check_program(program, [str(call)], call)
    (call / "gradOutput.npy").write_bytes(b"not numpy")
    result = subprocess.run([program, str(call)], env=CLEAN, capture_output=True, text=True)
    expect(result.returncode == 1 and "gradOutput.npy" in result.stderr, result)


def existing_program_is_kept(tool, *words):
    place = Place("kept", *words)
    (call, *_) = place.example("elu_backward")
    source = place.folder / "kept.cpp"
    source.write_text("precious")
    tool.refused("replay", call, "--emit-cpp", source, said="pass --force to replace it")
    expect(source.read_text() == "precious", "an existing program was replaced")
    tool.output("replay", call, "--emit-cpp", source, "--force")
    expect("aclnnEluBackward" in source.read_text(), "--force does not replace")
    tool.refused("replay", call, "--force", said="--force")
    tool.refused("replay", call, "--emit-cpp", place.folder / "no" / "such.cpp", said="such.cpp")


def truth_as_files(tool, *words):
    """The formula's outputs in double, near what was recorded in float32."""
    place = Place("truth", *words)
    (call, *_) = place.example("elu_backward")
    truth = place.folder / "truth"
    text = tool.refused("replay", call, "--truth", truth / "inner", said="a folder, or the name of one")
    expect(f'--truth is "{truth}/inner"' in text and "No such file" in text, text)
    tool.refused("replay", call, "--truth", call / "call.json", said="(File exists)")
    expect(not truth.exists(), "a folder in vain")
    tool.output("replay", call, "--truth", truth)
    expect([file.name for file in truth.iterdir()] == ["gradInput.npy"], "files")
    content = (truth / "gradInput.npy").read_bytes()
    begin = 10 + content[8] + 256 * content[9]
    expect(b"'<f8'" in content[:begin], content[:begin])
    values = [value for value, in struct.iter_unpack("<d", content[begin:])]
    recorded = outputs_of(call)["gradInput"]
    expect(len(values) == len(recorded) and values != recorded and all(
        abs(value - other) <= 1e-5 * max(1, abs(value)) for value, other in zip(values, recorded)),
        f"{values}, recorded {recorded}")
    tool.refused("replay", call, "--truth", truth, said="pass --force to replace it")
    tool.output("replay", call, "--truth", truth, "--force")
    # What the operator refuses has no truth.
    text = json.loads((call / "call.json").read_text())
    text["arguments"]["alpha"]["scalar"], text["arguments"]["isResult"] = -1, True
    (call / "call.json").write_text(json.dumps(text))
    tool.refused("replay", call, "--truth", truth / "other", said="refuses the call")
    expect(not (truth / "other").exists(), "a folder for nothing")


def refused_calls(tool, *words):
    place = Place("refused", *words)
    shapes, memory, executor = place.mode("refused")
    text = tool.output("replay", shapes)
    expect("161002, as recorded" in text and "rule: elu_backward/same-shape" in text, text)
    text = tool.output("replay", memory)
    expect("not called; 161002 was recorded" in text, text)
    tool.refused("replay", executor, said="without a live executor")
    source, program = place.folder / "refused.cpp", place.folder / "refused_call"
    tool.output("replay", shapes, "--emit-cpp", source)
    if place.compiler is None:
        return
    built(tool, place, source, program)
    result = subprocess.run([program], env=CLEAN, capture_output=True, text=True)
    expect(result.returncode == 1, result)
    expect(result.stdout.startswith("aclnnEluBackwardGetWorkspaceSize: 161002\n"), result)
    expect("same-shape/selfOrResult" in result.stdout, result)


def found(tool, call, status=1):
    result = tool.call("replay", call)
    expect(result.returncode == status and result.stderr == "", result)
    return result.stdout


def wrong_results_are_found(tool, *words):
    place = Place("wrong", *words)
    (call, other) = place.example("elu_backward")
    path = call / "gradInput.npy"
    data = bytearray(path.read_bytes())
    # One bit of the last element: a difference, and no disagreement.
    data[-4] ^= 1
    path.write_bytes(data)
    text = found(tool, call, status=0)
    expect("1 of 6 elements differ, by at most" in text and "at [1, 2]" in text, text)
    expect(tool.call("replay", call, "--no-truth").returncode == 1, "--no-truth lets bits differ")
    data[-2] ^= 0x40
    path.write_bytes(data)
    text = found(tool, call)
    expect("recorded: 1 of 6 beyond the tolerance, first [1, 2]: " in text, text)
    expect(text.endswith("\ndiffers\n") and "no error" not in text.split("recording")[0], text)
    # Another code than the one that comes.
    told = other / "call.json"
    told.write_text(told.read_text().replace('"run_code": 0', '"run_code": 507015'))
    expect("but 507015 was recorded" in found(tool, other), "a wrong code")


def unreadable(tool, *words):
    place = Place("unreadable", *words)
    (call, *_) = place.example("elu_backward")
    good = {name: (call / name).read_bytes() for name in ("call.json", "gradOutput.npy")}
    data = good["gradOutput.npy"]
    text = good["call.json"]

    def broken(name, data, said):
        (call / name).write_bytes(data)
        tool.refused("replay", call, said=said)
        tool.refused("replay", call, "--emit-cpp", place.folder / "x.cpp", said=said)
        expect(not (place.folder / "x.cpp").exists(), "a program of a broken recording")
        (call / name).write_bytes(good[name])

    broken("gradOutput.npy", b"", "gradOutput.npy: it does not begin as a .npy file")
    broken("gradOutput.npy", b"PK" + data[2:], "gradOutput.npy: it does not begin as a .npy file")
    broken("gradOutput.npy", data.replace(b"<f4", b"<f8"), "6 elements of <f4")
    broken("gradOutput.npy", data[:-1], "gradOutput.npy: it has 151 bytes, expected 152")
    broken("gradOutput.npy", data + b"x", "gradOutput.npy: it has 153 bytes, expected 152")
    broken("call.json", b"", "call.json: ")
    broken("call.json", text[:200], "call.json: ")
    broken("call.json", b"[]", "call.json: ")
    broken("call.json", text.replace(b"aclnnElu", b"aclnnBlu"), "no operator aclnnBluBackward")
    broken("call.json", text.replace(b'"dtype": "FLOAT", "shape"', b'"dtype": "FLOTE", "shape"'),
           "no dtype is called FLOTE")
    broken("call.json", text.replace(b'"shape": [2, 3]', b'"shape": [2, -3]'), "below 0")
    broken("call.json", text.replace(b'"strides": [3, 1]', b'"strides": [9000000000000000000, 1]'),
           "too large strides")
    broken("call.json", text.replace(b'"strides": [3, 1]', b'"strides": [30, 1]'), "its block")
    broken("call.json", text.replace(b'"block": 0', b'"block": 7'), "its block")
    broken("call.json", text.replace(b'"begin": 0', b'"begin": -8'), "its block")
    (call / "gradOutput.npy").unlink()
    tool.refused("replay", call, said="gradOutput.npy: No such file")
    tool.refused("replay", place.folder / "nothing", said="expected the folder of a recorded call")
    tool.refused("replay", place.folder, said="there is no call.json")
    tool.refused("replay", call.parent, said=f"expected one of them, as {call}\n")


def left_out(tool, *words):
    place = Place("limit", *words)
    (call,) = place.example("convolution_backward", ACLIMB_RECORD_LIMIT="64")
    tool.refused("replay", call, said="input was left out: larger than ACLIMB_RECORD_LIMIT")
    # Outputs alone: the formula is enough.
    place.folder /= "outputs"
    place.folder.mkdir()
    (call,) = place.example("embedding_dense_backward", ACLIMB_RECORD_LIMIT="1K")
    told = json.loads((call / "call.json").read_text())
    told["tensors"]["out"].update(file=None, left_out="larger than ACLIMB_RECORD_LIMIT")
    (call / "call.json").write_text(json.dumps(told))
    text = tool.output("replay", call)
    expect("recording  left out: larger" in text and "within the tolerance" in text, text)
    # Neither: nothing was compared, so nothing agrees.
    result = tool.call("replay", call, "--no-truth")
    expect(result.returncode == 2 and "agrees" not in result.stdout, result)
    expect("recording  left out: larger" in result.stdout, result)
    expect("out can be compared with nothing" in result.stderr and
           len(result.stderr.splitlines()) == 1, result)


if __name__ == "__main__":
    main(examples_and_views, scalars, other_settings, emitted, emitted_with_files, existing_program_is_kept,
         truth_as_files, refused_calls, wrong_results_are_found, unreadable, left_out)
