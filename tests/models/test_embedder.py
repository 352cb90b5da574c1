import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from models.embedder import DIMENSIONS, MODEL_FILE, TOKENIZER_FILE, MiniLmEmbedder
from models.errors import ModelMissing, ModelRefused
from tests.support.tiny_embedder import WORDS, vectors, write_embedder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_embedder(tmp_path / MODEL_FILE, tmp_path / TOKENIZER_FILE)
    return tmp_path


@pytest.fixture
def embedder(folder: Path) -> MiniLmEmbedder:
    return MiniLmEmbedder.in_folder(folder)


def test_a_vector_is_the_mean_of_its_words_scaled_to_one(embedder: MiniLmEmbedder) -> None:
    table = np.array(vectors(), dtype=np.float32)
    expected = table[[WORDS.index(word) for word in ("i", "like", "tea")]].mean(axis=0)
    (vector,) = embedder.embed(["I like tea"])
    assert vector.shape == (DIMENSIONS,)
    assert vector.dtype == np.float32
    np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), rtol=1e-5)


def test_the_dot_product_is_the_cosine(embedder: MiniLmEmbedder) -> None:
    same, near, far = embedder.embed(["i like tea", "i hate tea", "the train leaves now"])
    assert same @ same == pytest.approx(1)
    assert 1 > same @ near > same @ far


def test_a_batch_is_each_alone(embedder: MiniLmEmbedder) -> None:
    texts = [" ".join(WORDS[1 : 2 + number % 9]) for number in range(75)]
    together = embedder.embed(texts)
    np.testing.assert_allclose(together, np.vstack([embedder.embed([text]) for text in texts]), rtol=1e-5)


def test_empty_text_and_nothing(embedder: MiniLmEmbedder) -> None:
    assert embedder.embed([]).shape == (0, DIMENSIONS)
    empty, blank, word = embedder.embed(["", " \n\t", "tea"])
    assert not empty.any()
    assert not blank.any()
    assert word.any()


@pytest.mark.parametrize("text", ["tea " * 100_000, "\x00\x1b[31m", "\U0001f468\u200d\U0001f469 שלום 你好", "\ud800"])
def test_any_text_has_a_vector(embedder: MiniLmEmbedder, text: str) -> None:
    assert np.isfinite(embedder.embed([text])).all()


def test_long_text_is_cut_as_trained(embedder: MiniLmEmbedder) -> None:
    cut, longer = embedder.embed(["tea " * 256, "tea " * 256 + "coffee " * 256])
    np.testing.assert_allclose(cut, longer, rtol=1e-5)


def test_missing_files_say_how_to_get_them(tmp_path: Path) -> None:
    embedder = MiniLmEmbedder.in_folder(tmp_path)
    assert not embedder.available
    with pytest.raises(ModelMissing) as caught:
        embedder.embed(["tea"])
    assert "steward models pull all-minilm-l6-v2" in caught.value.failure.hint


@pytest.mark.parametrize("name", [MODEL_FILE, TOKENIZER_FILE])
def test_damaged_files_are_refused_in_one_line(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"not what it should be")
    embedder = MiniLmEmbedder.in_folder(folder)
    assert embedder.available
    with pytest.raises(ModelRefused) as caught:
        embedder.embed(["tea"])
    assert "\n" not in caught.value.failure.message


def test_many_threads_load_it_once_and_agree(embedder: MiniLmEmbedder) -> None:
    found: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: found.append(embedder.embed(["i like tea"]).tobytes())) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_nothing_heavy_is_loaded_before_the_first_use() -> None:
    program = (
        "import sys; from pathlib import Path; from models.embedder import MiniLmEmbedder\n"
        "MiniLmEmbedder.in_folder(Path('.')).available\n"
        "print([name for name in ('onnxruntime', 'tokenizers', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.real_model
@pytest.mark.skipif("STEWARD_TEST_EMBEDDER" not in os.environ, reason="STEWARD_TEST_EMBEDDER names no models folder")
def test_the_published_model_knows_what_is_alike() -> None:
    embedder = MiniLmEmbedder.in_folder(Path(os.environ["STEWARD_TEST_EMBEDDER"]))
    coriander, cilantro, train = embedder.embed(
        ["I hate coriander", "She dislikes cilantro in her food", "The train leaves at nine"]
    )
    assert coriander @ cilantro > 0.4
    assert coriander @ train < 0.2
