"""A model in llama.cpp, on its CPU backend alone or on the device CANN0."""

import ctypes
import time

import llama_cpp
import numpy


def _quiet(level, text, data):
    if level >= 4:  # errors
        print(text.decode(), end="")


_log = llama_cpp.llama_log_callback(_quiet)
llama_cpp.llama_log_set(_log, ctypes.c_void_p(0))
llama_cpp.llama_backend_init()


class Session:
    def __init__(self, path, on_device, threads, context=1024):
        params = llama_cpp.llama_model_default_params()
        # An empty list of devices leaves the CPU.
        self._no_devices = (ctypes.c_void_p * 1)(None)
        if on_device:
            params.n_gpu_layers = 99
        else:
            params.n_gpu_layers = 0
            params.devices = ctypes.cast(self._no_devices, ctypes.c_void_p)
        self._model = llama_cpp.llama_model_load_from_file(str(path).encode(), params)
        assert self._model, f"{path} cannot be loaded"
        settings = llama_cpp.llama_context_default_params()
        settings.n_ctx = context
        settings.n_batch = settings.n_ubatch = 512
        settings.n_threads = settings.n_threads_batch = threads
        self._context = llama_cpp.llama_init_from_model(self._model, settings)
        assert self._context, "no context"
        self._tokens = 256
        self._used = 0

    def close(self):
        llama_cpp.llama_free(self._context)
        llama_cpp.llama_model_free(self._model)

    def clear(self):
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self._context), True)
        self._used = 0

    def run(self, tokens, all_logits=False):
        """The logits behind the last token, or behind each; and the seconds that it took."""
        batch = llama_cpp.llama_batch_init(len(tokens), 0, 1)
        batch.n_tokens = len(tokens)
        for i, token in enumerate(tokens):
            batch.token[i] = int(token)
            batch.pos[i] = self._used + i
            batch.n_seq_id[i] = 1
            batch.seq_id[i][0] = 0
            batch.logits[i] = all_logits or i == len(tokens) - 1
        start = time.perf_counter()
        code = llama_cpp.llama_decode(self._context, batch)
        rows = len(tokens) if all_logits else 1
        logits = numpy.ctypeslib.as_array(llama_cpp.llama_get_logits(self._context),
                                          shape=(rows * self._tokens,)).copy()
        seconds = time.perf_counter() - start
        llama_cpp.llama_batch_free(batch)
        assert code == 0, f"llama_decode gives {code}"
        self._used += len(tokens)
        return logits.reshape(rows, self._tokens), seconds

    def greedy(self, prompt, steps):
        self.clear()
        logits, _ = self.run(prompt)
        chosen, margins = [], []
        for _ in range(steps):
            order = numpy.sort(logits[-1])
            margins.append(float(order[-1] - order[-2]))
            chosen.append(int(numpy.argmax(logits[-1])))
            logits, _ = self.run(chosen[-1:])
        return chosen, margins

    def perplexity(self, tokens):
        self.clear()
        logits, _ = self.run(tokens, all_logits=True)
        logits = logits[:-1].astype(numpy.float64)
        logits -= logits.max(axis=1, keepdims=True)
        logs = logits - numpy.log(numpy.exp(logits).sum(axis=1, keepdims=True))
        return float(numpy.exp(-logs[numpy.arange(len(tokens) - 1), tokens[1:]].mean()))
