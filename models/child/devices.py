"""Compute devices as ggml lists them, and how many layers of a model fit on one."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from llama_cpp import _ggml

from models.child.native import Weights

MARGIN_BYTES = 700 * 1024 * 1024  # compute buffers, and whatever else draws on the card
_KINDS: tuple[Literal["cpu", "gpu"], ...] = ("cpu", "gpu", "gpu")  # ggml_backend_dev_type: CPU, GPU, integrated GPU
_BYTES_PER_VALUE = {"f16": 2.0, "q8_0": 34 / 32}


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    kind: Literal["cpu", "gpu"]
    backend: str  # "CPU", "CUDA", "Metal", "Vulkan"
    name: str  # as the vendor calls it
    free: int  # bytes
    total: int


def devices() -> tuple[Device, ...]:
    """Accelerator-only devices (BLAS and such) are left out."""
    return tuple(_devices(_ggml.libggml))


def _devices(ggml: Any) -> Iterator[Device]:
    pointer, size, text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
    ggml.ggml_backend_dev_count.restype = size
    ggml.ggml_backend_dev_get.restype, ggml.ggml_backend_dev_get.argtypes = pointer, [size]
    ggml.ggml_backend_dev_type.argtypes = [pointer]
    ggml.ggml_backend_dev_backend_reg.restype, ggml.ggml_backend_dev_backend_reg.argtypes = pointer, [pointer]
    for function in (ggml.ggml_backend_dev_description, ggml.ggml_backend_reg_name):
        function.restype, function.argtypes = text, [pointer]
    ggml.ggml_backend_dev_memory.restype = None
    ggml.ggml_backend_dev_memory.argtypes = [pointer, ctypes.POINTER(size), ctypes.POINTER(size)]
    for index in range(ggml.ggml_backend_dev_count()):
        device = ggml.ggml_backend_dev_get(index)
        kind = ggml.ggml_backend_dev_type(device)
        if kind >= len(_KINDS):
            continue
        free, total = size(), size()
        ggml.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(total))
        yield Device(
            kind=_KINDS[kind],
            backend=ggml.ggml_backend_reg_name(ggml.ggml_backend_dev_backend_reg(device)).decode("utf-8", "replace"),
            name=ggml.ggml_backend_dev_description(device).decode("utf-8", "replace").strip(),
            free=free.value,
            total=total.value,
        )


def layers_that_fit(header: Weights, *, file_bytes: int, context_length: int, kv_type: str, free: int) -> int:
    """Layers, the output layer included, whose weights and KV cache fit into `free` bytes with a margin.

    `header` needs metadata only. A file that does not say how many layers it has counts as one."""
    arch = header.metadata("general.architecture") or ""

    def number(key: str) -> int:
        value = header.metadata(f"{arch}.{key}") or "0"
        return int(value) if value.isdigit() else 0

    layers, heads = number("block_count"), number("attention.head_count")
    kv_heads = number("attention.head_count_kv") or heads
    head_width = number("attention.key_length") or (number("embedding_length") // heads if heads else 0)
    cache = 2 * context_length * kv_heads * head_width * _BYTES_PER_VALUE[kv_type]
    return max(0, min(layers + 1, int((free - MARGIN_BYTES) // (file_bytes / (layers + 1) + cache))))
