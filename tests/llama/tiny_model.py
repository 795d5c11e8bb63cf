"""Writes models of random weights, of llama.cpp's architecture "llama".

A token is a byte of text, so that no vocabulary is needed. The same seed gives the same model. Each
token makes one other more likely, as in a model that has learned something: where all 256 are about
as likely, the rounding of quantised weights decides which one comes first.
"""

import dataclasses

import gguf
import numpy

TOKENS = 256
ECHO = 0.4  # of a token in its successor's logit, beside random numbers of size 1


@dataclasses.dataclass(frozen=True)
class Size:
    layers: int
    width: int  # of a token's vector
    heads: int
    heads_of_keys: int
    hidden: int  # of the feed-forward part
    context: int = 1024


TINY = Size(layers=4, width=256, heads=8, heads_of_keys=4, hidden=640)
SMALL = Size(layers=8, width=1024, heads=16, heads_of_keys=4, hidden=2816)

TYPES = {
    "f16": gguf.GGMLQuantizationType.F16,
    "q8_0": gguf.GGMLQuantizationType.Q8_0,
    "q4_0": gguf.GGMLQuantizationType.Q4_0,
}


def write(path, size, type_name, seed=12):
    """Matrices of the layers and of the output have the type; the embedding is f16, norms f32."""
    draw = numpy.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(size.layers)
    writer.add_context_length(size.context)
    writer.add_embedding_length(size.width)
    writer.add_feed_forward_length(size.hidden)
    writer.add_head_count(size.heads)
    writer.add_head_count_kv(size.heads_of_keys)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(size.width // size.heads)
    writer.add_vocab_size(TOKENS)
    writer.add_tokenizer_model("no_vocab")

    def add(name, values, kind):
        writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)

    def normal(rows, columns):
        return draw.standard_normal((rows, columns), dtype=numpy.float32)

    def matrix(name, rows, columns, kind, scale=1.0):
        add(name, normal(rows, columns) * (scale / numpy.sqrt(columns)), kind)

    def norm(name):
        values = 1 + 0.1 * draw.standard_normal(size.width, dtype=numpy.float32)
        writer.add_tensor(name, values.astype(numpy.float32))

    kind = TYPES[type_name]
    keys = size.width // size.heads * size.heads_of_keys
    embedding = normal(TOKENS, size.width)
    add("token_embd.weight", embedding, gguf.GGMLQuantizationType.F16)
    for layer in range(size.layers):
        part = f"blk.{layer}."
        norm(part + "attn_norm.weight")
        matrix(part + "attn_q.weight", size.width, size.width, kind)
        matrix(part + "attn_k.weight", keys, size.width, kind)
        matrix(part + "attn_v.weight", keys, size.width, kind)
        matrix(part + "attn_output.weight", size.width, size.width, kind, 0.5)
        norm(part + "ffn_norm.weight")
        matrix(part + "ffn_gate.weight", size.hidden, size.width, kind)
        matrix(part + "ffn_up.weight", size.hidden, size.width, kind)
        matrix(part + "ffn_down.weight", size.width, size.hidden, kind, 0.5)
    norm("output_norm.weight")
    successors = embedding[draw.permutation(TOKENS)]
    add("output.weight",
        (normal(TOKENS, size.width) + ECHO * successors) / numpy.sqrt(size.width), kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
