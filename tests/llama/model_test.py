"""Models of random weights: tokens and perplexity on CANN0 are those of llama.cpp's CPU backend."""

import os
import pathlib
import sys
import tempfile
import unittest

import tiny_model
from session import Session

TEXT = (
    "Work on a stream runs in order; streams are unordered against each other except through "
    "events and synchronisation. One engine for each device runs ready tasks from all its streams, "
    "so that waiting for an event never blocks a thread, and teams of threads never multiply. "
    "Every refusal names the value that it got, what it expected and what to change. "
).encode()
STEPS = 64
THREADS = len(os.sched_getaffinity(0))


class Model(unittest.TestCase):
    def check(self, type_name):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.gguf"
            tiny_model.write(path, tiny_model.TINY, type_name)
            answers = []
            for on_device in (False, True):
                session = Session(path, on_device, THREADS)
                tokens, margins = session.greedy(list(TEXT[:48]), STEPS)
                answers.append((tokens, margins, session.perplexity(list(TEXT))))
                session.close()
        (tokens, margins, perplexity), (on_device, _, of_device) = answers
        print(f"{type_name}: perplexity {perplexity:.4f}, on CANN0 {of_device:.4f}; the closest "
              f"choice was made by {min(margins):.3g}", flush=True)
        self.assertEqual(on_device, tokens)
        self.assertGreater(len(set(tokens)), 4)  # not one token again and again
        self.assertLess(abs(of_device / perplexity - 1), 0.005)

    def test_f16(self):
        self.check("f16")

    def test_q8_0(self):
        self.check("q8_0")

    def test_q4_0(self):
        self.check("q4_0")


def measure(session):
    """Tokens in a second: of a prompt, and of single steps. The better of two."""
    rates = []
    prompt = (list(TEXT) * 4)[:256]
    for _ in range(2):
        session.clear()
        _, seconds = session.run(prompt)
        steps = [session.run([65 + i])[1] for i in range(16)]
        rates.append((len(prompt) / seconds, len(steps) / sum(steps)))
    return max(r[0] for r in rates), max(r[1] for r in rates)


def speeds():
    print(f"{tiny_model.SMALL}, {THREADS} threads; tokens/s, CANN0 over CPU")
    for type_name in tiny_model.TYPES:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.gguf"
            tiny_model.write(path, tiny_model.SMALL, type_name)
            rates = []
            for on_device in (False, True):
                session = Session(path, on_device, THREADS)
                rates.append(measure(session))
                session.close()
        cpu, cann = rates
        print(f"{type_name:5} prompt of 256: {cann[0]:.0f} / {cpu[0]:.0f} = "
              f"{cann[0] / cpu[0]:.2f}; steps: {cann[1]:.1f} / {cpu[1]:.1f} = "
              f"{cann[1] / cpu[1]:.2f}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["speeds"]:
        speeds()
    else:
        unittest.main()
