"""Tiny GGUF models that run through the true llama.cpp, written in milliseconds, always the same bytes.

`write_tiny` makes a random model that speaks printable ASCII. `write_chain` makes one whose next token depends
on the last one alone, so that a test can dictate the reply.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt

ROLES_TEMPLATE = "{% for m in messages %}<{{m['role']}}>{{m['content']}}\n{% endfor %}<assistant>"
CHATML_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{m['role']}}\n{{m['content']}}<|im_end|>\n{% endfor %}<|im_start|>assistant\n"
)
CHATML_TOKENS = ("<|im_start|>", "<|im_end|>")
END = "</s>"
_EOS, _FIRST_BYTE, _FIRST_CHAR = 2, 3, 259
_CHAIN_STRENGTH = 40.0  # logit of the dictated token; the end of text has half of it


def write_tiny(
    path: Path,
    *,
    layers: int = 1,
    width: int = 32,
    heads: int = 2,
    hidden: int = 64,
    context: int = 512,
    seed: int = 0,
    template: str | None = ROLES_TEMPLATE,
    controls: Sequence[str] = (),
    plain: Sequence[str] = (),
    architecture: str = "llama",
    endless: bool = False,
) -> Path:
    """A random model. `controls` and `plain` are further tokens, of which it never says any; an `endless` one goes
    on to the longest answer."""
    tokens, types, scores = _vocabulary(controls, plain)
    writer = _header(path, tokens, types, scores, layers, width, heads, hidden, context, template, architecture)
    draw = partial(_draw, np.random.default_rng(seed))
    embedding = draw(len(tokens), width)
    embedding[:, 0] = 4.0  # dimension 0 is a constant: it acts as a bias
    output = draw(len(tokens), width)
    output[:, 0] = 0.0
    output[_FIRST_BYTE:_FIRST_CHAR, 0] = -30.0  # never emit raw bytes
    output[_EOS, 0] = -30.0 if endless else -1.2  # end of text now and then
    output[_FIRST_CHAR + 95 :, 0] = -30.0
    return _finish(writer, path, embedding, output, _layers(draw, layers, width, hidden))


def write_chain(
    path: Path,
    chain: Sequence[str],
    *,
    then: Mapping[str, str] | None = None,
    template: str | None = CHATML_TEMPLATE,
    controls: Sequence[str] = CHATML_TOKENS,
    plain: Sequence[str] = (),
    context: int = 4096,
    width: int = 128,
) -> Path:
    """Says `chain[1]` after `chain[0]`, and so on; anything else is followed by the end of text. A token may have
    one successor only. `then` adds successors, for loops. Tokens are written as in the vocabulary ("<0x0A>")."""
    tokens, types, scores = _vocabulary(controls, plain)
    number = {token.decode(): index for index, token in enumerate(tokens)}
    writer = _header(path, tokens, types, scores, 1, width, 2, 8, context, template, "llama")
    codes = np.random.default_rng(1).choice((-1.0, 1.0), (len(tokens), width)).astype(np.float32)
    codes[:, 0] = 1.0
    output = np.zeros((len(tokens), width), np.float32)
    for before, after in (*zip(chain, chain[1:], strict=False), *(then or {}).items()):
        output[number[after], 1:] += codes[number[before], 1:] * _CHAIN_STRENGTH / (width - 1)
    output[_EOS, 0] += _CHAIN_STRENGTH / 2
    return _finish(writer, path, codes, output, _layers(lambda *shape: np.zeros(shape, np.float32), 1, width, 8))


def _vocabulary(controls: Sequence[str], plain: Sequence[str]) -> tuple[list[bytes], list[gguf.TokenType], list[float]]:
    tokens = [b"<unk>", b"<s>", END.encode()]
    types = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    scores = [0.0, 0.0, 0.0]
    for byte in range(256):
        tokens.append(f"<0x{byte:02X}>".encode())
        types.append(gguf.TokenType.BYTE)
        scores.append(0.0)
    for rank, char in enumerate(["\u2581", *(chr(code) for code in range(33, 127))]):
        tokens.append(char.encode())
        types.append(gguf.TokenType.NORMAL)
        scores.append(-float(rank))
    for text in controls:
        tokens.append(text.encode())
        types.append(gguf.TokenType.CONTROL)
        scores.append(0.0)
    for text in plain:
        tokens.append(text.encode())
        types.append(gguf.TokenType.NORMAL)
        scores.append(-1.0)
    return tokens, types, scores


def _header(
    path: Path,
    tokens: list[bytes],
    types: list[gguf.TokenType],
    scores: list[float],
    layers: int,
    width: int,
    heads: int,
    hidden: int,
    context: int,
    template: str | None,
    architecture: str,
) -> Any:
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_name("tiny-random")
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(hidden)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores(scores)
    writer.add_token_types(types)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(_EOS)
    writer.add_unk_token_id(0)
    if template is not None:
        writer.add_chat_template(template)
    return writer


def _draw(random: np.random.Generator, *shape: int) -> npt.NDArray[np.float32]:
    return (random.standard_normal(shape) * 0.2).astype(np.float32)


def _layers(draw: Any, layers: int, width: int, hidden: int) -> dict[str, npt.NDArray[np.float32]]:
    tensors: dict[str, npt.NDArray[np.float32]] = {}
    for index in range(layers):
        block = f"blk.{index}."
        tensors[block + "attn_norm.weight"] = np.ones(width, np.float32)
        tensors[block + "ffn_norm.weight"] = np.ones(width, np.float32)
        for kind in "qkv":
            tensors[f"{block}attn_{kind}.weight"] = draw(width, width)
        tensors[block + "attn_output.weight"] = draw(width, width)
        tensors[block + "ffn_gate.weight"] = draw(hidden, width)
        tensors[block + "ffn_up.weight"] = draw(hidden, width)
        tensors[block + "ffn_down.weight"] = draw(width, hidden)
    return tensors


def _finish(
    writer: Any,
    path: Path,
    embedding: npt.NDArray[np.float32],
    output: npt.NDArray[np.float32],
    layers: Mapping[str, npt.NDArray[np.float32]],
) -> Path:
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("output_norm.weight", np.ones(embedding.shape[1], np.float32))
    writer.add_tensor("output.weight", output)
    for name, tensor in layers.items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def write_recurrent(path: Path) -> Path:
    """A random Mamba: its cache cannot forget a part of what it read."""
    tokens, types, scores = _vocabulary(CHATML_TOKENS, ())
    writer = _header(path, tokens, types, scores, 1, 32, 1, 0, 512, CHATML_TEMPLATE, "mamba")
    inner, state, rank = 64, 16, 4
    writer.add_ssm_conv_kernel(4)
    writer.add_ssm_inner_size(inner)
    writer.add_ssm_state_size(state)
    writer.add_ssm_time_step_rank(rank)
    draw = partial(_draw, np.random.default_rng(0))
    block = {
        "attn_norm.weight": np.ones(32, np.float32),
        "ssm_in.weight": draw(2 * inner, 32),
        "ssm_conv1d.weight": draw(inner, 4),
        "ssm_conv1d.bias": draw(inner),
        "ssm_x.weight": draw(rank + 2 * state, inner),
        "ssm_dt.weight": draw(inner, rank),
        "ssm_dt.bias": draw(inner),
        "ssm_a": -np.abs(draw(inner, state)),
        "ssm_d": draw(inner),
        "ssm_out.weight": draw(32, inner),
    }
    output = draw(len(tokens), 32)
    output[:_FIRST_CHAR] = output[_FIRST_CHAR + 95 :] = 0.0  # some other is always likelier
    return _finish(
        writer, path, draw(len(tokens), 32), output, {f"blk.0.{name}": value for name, value in block.items()}
    )
