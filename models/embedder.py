"""Sentence vectors from all-MiniLM-L6-v2 (Reimers and Gurevych 2019; int8 ONNX): the only owner of onnxruntime.

A text's vector is the mean of its token vectors, scaled to length 1, so that the dot product is the cosine.
"""

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.errors import ModelMissing, ModelRefused
from models.types import Failure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "all-minilm-l6-v2"
MODEL_FILE = "all-minilm-l6-v2-int8.onnx"
TOKENIZER_FILE = "all-minilm-l6-v2-tokenizer.json"
DIMENSIONS = 384
MAX_TOKENS = 256  # as trained; longer text is cut
MAX_CHARACTERS = 16_384  # behind these no token within MAX_TOKENS begins, in any text people write
BATCH = 32


class MiniLmEmbedder:
    """Loads on first use, on one thread of computation, and may be called from any thread; calls take turns."""

    def __init__(self, model: Path, tokenizer: Path) -> None:
        self._model = model
        self._tokenizer_file = tokenizer
        self._lock = threading.Lock()
        self._session: Any = None
        self._tokenizer: Any = None

    @classmethod
    def in_folder(cls, folder: Path) -> "MiniLmEmbedder":
        """The embedder whose files were fetched into the models folder."""
        return cls(folder / MODEL_FILE, folder / TOKENIZER_FILE)

    @property
    def available(self) -> bool:
        """Whether its files are here; looks at the disk."""
        return self._model.is_file() and self._tokenizer_file.is_file()

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Vectors of shape (len(texts), DIMENSIONS), each of length 1; an empty text's is all zeros. Blocks.

        Raises ModelMissing, ModelRefused."""
        import numpy as np

        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        with self._lock:
            self._load()
            encoded = [self._encode(text) for text in texts]
            # Texts of like length together: a batch is padded to its longest.
            order = sorted((len(each.ids), at) for at, each in enumerate(encoded) if each is not None)
            for start in range(0, len(order), BATCH):
                places = [at for _, at in order[start : start + BATCH]]
                vectors[places] = self._run([encoded[at].ids for at in places])
        return vectors

    def _load(self) -> None:
        if self._session is not None:
            return
        if not self.available:
            raise ModelMissing(
                Failure(
                    kind="model_missing",
                    message="the model that finds related texts is not on this machine",
                    hint=f"Fetch it: steward models pull {NAME}",
                )
            )
        # Read by the tokenizer's Rust side when it first works in parallel, which it never should here.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        import onnxruntime  # type: ignore[import-untyped]
        from tokenizers import Tokenizer

        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # fatal only: it writes to the terminal
        try:
            session = onnxruntime.InferenceSession(str(self._model), options, providers=["CPUExecutionProvider"])
            tokenizer = Tokenizer.from_file(str(self._tokenizer_file))
        except Exception as error:  # tokenizers raises nothing narrower for a file it cannot use
            raise ModelRefused(
                Failure(
                    kind="model_refused",
                    message=f"{self._model.name} or its tokenizer is damaged",
                    hint=f"Fetch them again: steward models remove {NAME}, then steward models pull {NAME}",
                )
            ) from error
        tokenizer.enable_truncation(MAX_TOKENS)
        tokenizer.no_padding()
        self._session, self._tokenizer = session, tokenizer

    def _encode(self, text: str) -> Any:
        """Tokens of the part that can matter; None for a text without any. Lone surrogates are no text to Rust."""
        part = text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        return self._tokenizer.encode(part) if part.strip() else None

    def _run(self, rows: Sequence[Sequence[int]]) -> "NDArray[np.float32]":
        import numpy as np

        longest = max(len(row) for row in rows)
        ids = np.zeros((len(rows), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for at, row in enumerate(rows):
            ids[at, : len(row)] = row
            mask[at, : len(row)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        wanted = {node.name for node in self._session.get_inputs()}
        (tokens, *_) = self._session.run(None, {name: value for name, value in given.items() if name in wanted})
        weights = mask[:, :, None].astype(np.float32)
        mean = (tokens * weights).sum(axis=1) / weights.sum(axis=1)
        unit: NDArray[np.float32] = mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12)
        return unit
