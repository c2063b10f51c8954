"""Models in folders of this machine: model2vec and sentence-transformers, of the extra `local`.

Nothing is downloaded: the path must be a folder that holds a model, the libraries are told to use
local files only, and code that a folder may hold is not run. The id holds a digest of the folder's
files, so that another model in the same place means other vectors.
"""

from __future__ import annotations

import hashlib
import json
import math
import threading
import time
from abc import abstractmethod
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeVar, cast

import numpy as np

from clew.errors import ProviderDownError, ProviderRefusedError, SettingsError
from clew.models.embedder import TextEmbedder
from clew.models.extras import local_library
from clew.models.vectors import unit_rows
from clew.models.where import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    import numpy.typing as npt

T = TypeVar("T")
_SAMPLE: Final = 65_536  # bytes at each end of a file that make its part of the digest
MAX_CHARS: Final = 8_000  # of one text: what 2,000 tokens of code take, more than most models read
_HEADLESS: Final = ("Model", "ForMaskedLM", "ForPreTraining")  # kinds that end without a score
PAIRS: Final = 8  # texts scored at a time, between looks at the clock


class _Static(Protocol):
    @property
    def dim(self) -> int: ...

    def encode(self, sentences: Sequence[str], *, use_multiprocessing: bool) -> object: ...


class _Encoder(Protocol):
    def encode_query(self, text: Sequence[str], **options: bool) -> object: ...

    def encode_document(self, text: Sequence[str], **options: bool) -> object: ...


class _CrossEncoder(Protocol):
    def predict(self, pairs: Sequence[tuple[str, str]], **options: bool) -> object: ...


class _FolderEmbedder(TextEmbedder):
    """What every model in a folder has; its vectors are of `id`'s folder as it stood."""

    def __init__(self, folder: Path, provider: str, dims: int) -> None:
        self._name = f"{provider}:{folder}"
        self._dims = dims
        self._id = f"{provider}:{folder.name}@{digest(folder)}/{dims}"

    @property
    def id(self) -> str:
        """The folder's name, a digest of its files, and the dimensions."""
        return self._id

    @property
    def dims(self) -> int:
        """Numbers in one vector."""
        return self._dims

    @property
    def max_chars(self) -> int:
        """Characters of one text that are given to it."""
        return MAX_CHARS

    def query(self, text: str, terms: Sequence[str]) -> npt.NDArray[np.float32]:  # noqa: ARG002 - the port's
        """See `Embedder`."""
        return self._rows(self._questions, [text])[0]

    def embed(
        self,
        texts: Sequence[str],
        seconds: float = math.inf,  # noqa: ARG002 - the port's
        told: Callable[[str], None] | None = None,  # noqa: ARG002 - the port's
    ) -> npt.NDArray[np.float32]:
        """See `TextEmbedder`; a text of which the model knows no word has a row of zeros."""
        if not texts:
            return np.zeros((0, self._dims), np.float32)
        return self._rows(self._documents, texts)

    @abstractmethod
    def _questions(self, texts: Sequence[str]) -> object: ...

    @abstractmethod
    def _documents(self, texts: Sequence[str]) -> object: ...

    def _rows(
        self, encode: Callable[[Sequence[str]], object], texts: Sequence[str]
    ) -> npt.NDArray[np.float32]:
        return unit_rows(encode(texts), len(texts), self._dims, self._name, zeros=True)


class Model2VecEmbedder(_FolderEmbedder):
    """A static model as model2vec saves it."""

    def __init__(self, path: str) -> None:
        """Loads the model.

        Raises:
            SettingsError: No such folder, no model in it, or the package isn't installed.
        """
        folder = model_folder("model2vec", path)
        library = local_library("model2vec", "model2vec")
        self._model: _Static = _loaded(
            f"model2vec:{folder}",
            lambda: library.StaticModel.from_pretrained(folder, force_download=False),
        )
        super().__init__(folder, "model2vec", self._model.dim)

    @property
    def batch(self) -> int:
        """Texts that it takes at a time."""
        return 1024

    def _documents(self, texts: Sequence[str]) -> object:
        return self._model.encode(_cut(texts), use_multiprocessing=False)

    _questions = _documents


class SentenceTransformersEmbedder(_FolderEmbedder):
    """A model as sentence-transformers saves it, with the prompts it was saved with."""

    def __init__(self, path: str) -> None:
        """Loads the model.

        Raises:
            SettingsError: No such folder, no model in it, or the package isn't installed.
        """
        folder = model_folder("sentence-transformers", path)
        library = local_library("sentence_transformers", "sentence-transformers")
        with _without_bars():
            self._model: _Encoder = _loaded(
                f"sentence-transformers:{folder}",
                lambda: library.SentenceTransformer(str(folder), local_files_only=True),
            )
        self._lock = threading.Lock()
        dims = np.asarray(self._documents(["dimensions"])).shape[1]
        super().__init__(folder, "sentence-transformers", dims)

    @property
    def batch(self) -> int:
        """Texts that it takes at a time."""
        return 32

    def _questions(self, texts: Sequence[str]) -> object:
        return self._encoded(self._model.encode_query, texts)

    def _documents(self, texts: Sequence[str]) -> object:
        return self._encoded(self._model.encode_document, texts)

    def _encoded(self, encode: Callable[..., object], texts: Sequence[str]) -> object:
        with self._lock:  # its tokenizer may not be used by two threads at once
            return encode(_cut(texts), show_progress_bar=False, convert_to_numpy=True)


class CrossEncoderReranker:
    """A cross-encoder as sentence-transformers saves it; see `Reranker`."""

    def __init__(self, path: str, seconds: float) -> None:
        """Loads the model; `seconds` bound one question.

        Raises:
            SettingsError: No such folder, no such model in it, or the package isn't installed.
        """
        folder = model_folder("sentence-transformers", path)
        library = local_library("sentence_transformers", "sentence-transformers")
        self._name = f"sentence-transformers:{folder}"
        if not _may_score(folder):
            raise SettingsError(
                f"{self._name} holds no cross-encoder: it was not trained to score a text for a "
                "question, so name the folder of one that was, or take model.rerank out."
            )
        with _without_bars():
            self._model: _CrossEncoder = _loaded(
                self._name, lambda: library.CrossEncoder(str(folder), local_files_only=True)
            )
        self._seconds = seconds
        self._lock = threading.Lock()

    @property
    def id(self) -> str:
        """The library and the folder."""
        return self._name

    def scores(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """See `Reranker`; the clock is looked at between texts, some at a time."""
        until = time.monotonic() + self._seconds
        parts: list[npt.NDArray[np.float32]] = []
        for at in range(0, len(texts), PAIRS):
            if time.monotonic() > until:
                raise ProviderDownError(f"{self._name} did not finish in time.")
            pairs = [(query, text) for text in _cut(texts[at : at + PAIRS])]
            with self._lock:
                given = self._model.predict(pairs, show_progress_bar=False)
            parts.append(self._read(given, len(pairs)))
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)

    def _read(self, given: object, count: int) -> npt.NDArray[np.float32]:
        found = np.asarray(given, np.float32)
        if found.size != count:
            raise ProviderRefusedError(
                f"{self._name} gave {found.size} scores for {count} texts: it is no reranker."
            )
        if not np.isfinite(found).all():
            raise ProviderRefusedError(
                f"{self._name} gave a score that is no number: check the model."
            )
        return found.reshape(count)


def model_folder(provider: str, path: str) -> Path:
    """The folder that a setting names.

    Raises:
        SettingsError: It isn't a folder: a name of a hub is not looked up.
    """
    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise SettingsError(
            f"{provider}:{path[:200]} is not a folder on this machine: download the model and name "
            "its folder, since Clew downloads none."
        )
    return folder.resolve()


def digest(folder: Path) -> str:
    """12 hex digits of the names, sizes and ends of the folder's files."""
    said = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        size = file.stat().st_size
        said.update(f"{file.relative_to(folder).as_posix()}\0{size}\0".encode("utf-8", "replace"))
        with file.open("rb") as data:
            said.update(data.read(_SAMPLE))
            data.seek(max(size - _SAMPLE, 0))
            said.update(data.read(_SAMPLE))
    return said.hexdigest()[:12]


def _may_score(folder: Path) -> bool:
    """Whether a folder may hold a cross-encoder.

    The library makes one of any transformer, with a last layer of random numbers where the folder
    has none: results would be shuffled, and nobody would know.
    """
    if _json(folder / "config_sentence_transformers.json").get("model_type") == "CrossEncoder":
        return True
    named = _json(folder / "config.json").get("architectures")
    kinds = [str(each) for each in cast("list[object]", named)] if isinstance(named, list) else []
    return not kinds or not all(kind.endswith(_HEADLESS) for kind in kinds)


def _json(path: Path) -> dict[str, object]:
    """What a file says; nothing when it isn't there or no such file: the library tells that."""
    try:
        said: object = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return cast("dict[str, object]", said) if isinstance(said, dict) else {}


@contextmanager
def _without_bars() -> Generator[None]:
    """Keep the library from drawing its bars between what Clew itself says."""
    told = import_module("transformers.utils.logging")
    if not told.is_progress_bar_enabled():
        yield
        return
    told.disable_progress_bar()
    try:
        yield
    finally:
        told.enable_progress_bar()


def _loaded(name: str, load: Callable[[], T]) -> T:
    try:
        return load()
    except Exception as error:  # the tokenizers raise nothing finer than this
        said = quoted(str(error)) or type(error).__name__
        raise SettingsError(f"{name} can't be loaded: {said}") from error


def _cut(texts: Sequence[str]) -> list[str]:
    """The texts as a tokenizer takes them: UTF-8, and not for ever."""
    return [text[:MAX_CHARS].encode("utf-8", "replace").decode() for text in texts]
