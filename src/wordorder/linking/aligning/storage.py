"""Saving and loading of trained aligners: one file of arrays in NumPy's ``.npz`` format, without pickled objects.

Loading checks every property that the compiled code relies on, so a damaged file raises an error instead of crashing
the program.
"""

import hashlib
import io
import itertools
import json
import math
import os
import zipfile
from dataclasses import asdict
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Int64s, Strings, offsets_from_lengths, strings
from wordorder.core.runtime.errors import InputError, WordorderError
from wordorder.core.runtime.files import atomic_write, display_name, largest_unpacked, read_model
from wordorder.linking.aligning.aligner import DIGEST_SIZE, Aligner, TrainedAligner, TrainingText
from wordorder.linking.aligning.hmm import FARTHEST
from wordorder.linking.aligning.motion import UNIFORM, Diagonal, Jumps, Motion
from wordorder.linking.aligning.translation_tables import (
    Smoothing,
    TranslatedPairs,
    TranslationTables,
    WordTable,
    classify,
)

Arrays = dict[str, NDArray[Any]]

_FORMAT = "wordorder alignment model"
_VERSION = 1
_PARTS: dict[str, Any] = {"counts": np.int64, "totals": np.float64, "shares": np.float64, "null": np.float64}


def save(aligner: TrainedAligner, path: str | os.PathLike[str]) -> None:
    """Write an aligner to one file; the file is written either completely or not at all."""
    tables = aligner.tables
    description = {
        "format": _FORMAT,
        "version": _VERSION,
        "model": aligner.model,
        "null": aligner.null,
        "smoothing": asdict(tables.smoothing),
        "pairs": aligner.training_text.pairs,
        "lexicon": aligner.training_text.lexicon,
    }
    arrays: Arrays = {
        "description": np.frombuffer(json.dumps(description).encode(), dtype=np.uint8),
        "forward_motion": aligner.motions[0].parameters,
        "backward_motion": aligner.motions[1].parameters,
    }
    kinds = {"": tables.pairs, "class_": tables.class_pairs}
    arrays |= {f"{kind}{way}": getattr(pairs, way) for kind, pairs in kinds.items() for way in ("forward", "backward")}
    for kind, pairs in kinds.items():
        arrays |= {f"{kind}pairs_offsets": pairs.offsets, f"{kind}pairs_columns": pairs.columns}
    for name, side in (("source", tables.source), ("target", tables.target)):
        words = [word.encode() for word in side.words.to_pylist()]
        arrays |= {
            f"{name}_words": np.frombuffer(b"".join(words), dtype=np.uint8),
            f"{name}_word_offsets": offsets_from_lengths([len(word) for word in words]),
            **{f"{name}_{part}": getattr(side, part) for part in _PARTS},
        }
    archive = io.BytesIO()
    np.savez_compressed(archive, allow_pickle=False, **arrays)
    with atomic_write(path) as target:
        cast(io.TextIOWrapper, target).buffer.write(archive.getvalue())


def load(path: str | os.PathLike[str]) -> Aligner:
    """Read an aligner that was saved with :func:`save`; raise an error if the file is damaged or not an aligner."""
    name = display_name(path)
    content = io.BytesIO(read_model(path))
    try:
        _check_size(content)
        content.seek(0)
        with np.load(content, allow_pickle=False) as stored:
            return _unpack({key: stored[key] for key in stored.files})
    except WordorderError as error:
        reason: object = error
    except Exception as error:  # zipfile, zlib and NumPy raise various errors for damaged archives
        reason = type(error).__name__
    raise InputError(f"not an alignment model made by wordorder, or the file is damaged ({reason})", path=name)


def _check_size(content: io.BytesIO) -> None:
    """Raise an error if an archive would unpack to far more data than a model needs, or an array to more than it has.

    NumPy reserves memory for as many numbers as the header of an array states.
    """
    packed = len(content.getbuffer())
    with zipfile.ZipFile(content) as archive:
        unpacked = sum(entry.file_size for entry in archive.infolist())
        _require(unpacked <= largest_unpacked(packed), f"its {packed} bytes would decompress to {unpacked}")
        for entry in archive.infolist():
            with archive.open(entry) as array:
                first = np.lib.format.read_magic(array) == (1, 0)
                read = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
                shape, _, dtype = read(array)
                fine = math.prod(shape) * dtype.itemsize <= entry.file_size
                _require(fine, f"{entry.filename} states more numbers than it has")


def _unpack(arrays: Arrays) -> TrainedAligner:
    description = json.loads(arrays["description"].tobytes())
    _require(isinstance(description, dict) and description.get("format") == _FORMAT, "its description is missing")
    version = description["version"]
    _require(version == _VERSION, f"expected version {_VERSION} of the format, found {version!r}")
    smoothing = Smoothing(**description["smoothing"])
    null = float(description["null"])
    _require(0 < null < 1, "the probability of the null word is not between 0 and 1")
    source, target = _side("source", arrays), _side("target", arrays)
    pairs = _pairs("", arrays, len(source.words), len(target.words))
    class_pairs = _pairs("class_", arrays, len(source.stems), len(target.stems))
    tables = TranslationTables(source, target, pairs, class_pairs, smoothing)
    model = description["model"]
    motions = _motion(model, "forward_motion", arrays), _motion(model, "backward_motion", arrays)
    pairs = description.get("pairs")  # absent from models that version 0.1.0 saved
    _require(pairs is None or (isinstance(pairs, int) and pairs >= 0), "the number of training pairs is invalid")
    lexicon = description.get("lexicon")  # absent from models that version 0.2.0 saved
    _require(lexicon is None or isinstance(lexicon, str), "the name of the dictionary is invalid")
    return TrainedAligner(model, tables, motions, null, TrainingText(pairs, _digest(arrays), True, lexicon))


def _digest(arrays: Arrays) -> str:
    """Return a digest of the stored arrays, independent of their compression."""
    digest = hashlib.blake2b(digest_size=DIGEST_SIZE)
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape} ".encode())
        digest.update(np.ascontiguousarray(arrays[name]).data)
    return digest.hexdigest()


def _side(name: str, arrays: Arrays) -> WordTable:
    words = _words(arrays[f"{name}_words"].tobytes(), _offsets(f"{name}_word_offsets", arrays))
    stems, classes = classify(words)
    parts = (_numbers(f"{name}_{part}", arrays, dtype, len(words)) for part, dtype in _PARTS.items())
    return WordTable(words, stems, classes, *parts)


def _words(letters: bytes, offsets: Int64s) -> Strings:
    _require(int(offsets[-1]) == len(letters), "the letters do not match the offsets of the words")
    ends = offsets.tolist()
    return strings(letters[start:end].decode() for start, end in itertools.pairwise(ends))


def _pairs(prefix: str, arrays: Arrays, rows: int, columns: int) -> TranslatedPairs:
    name = f"{prefix}pairs"
    offsets = _offsets(f"{name}_offsets", arrays)
    _require(len(offsets) == rows + 1, f"expected {rows} rows in {name}, found {len(offsets) - 1}")
    found = _numbers(f"{name}_columns", arrays, np.int32, int(offsets[-1]))
    _require(not len(found) or found.max() < columns, f"{name} contains the number of a word that does not exist")
    both = (_numbers(f"{prefix}{way}", arrays, np.float32, len(found)) for way in ("forward", "backward"))
    return TranslatedPairs(offsets, found, *both)


def _motion(model: str, name: str, arrays: Arrays) -> Motion:
    if model == "model1":
        return UNIFORM
    if model == "diagonal":
        return Diagonal(float(_numbers(name, arrays, np.float64, 1)[0]))
    _require(model == "hmm", f"unknown model {model!r}")
    weights = _numbers(name, arrays, np.float64, 2 * FARTHEST + 1)
    _require(bool(weights.all()), f"{name} contains a jump of weight 0")
    return Jumps(weights)


def _offsets(name: str, arrays: Arrays) -> Int64s:
    offsets = arrays[name]
    fine = offsets.dtype == np.int64 and offsets.ndim == 1 and len(offsets) > 0 and offsets[0] == 0
    _require(fine and bool((np.diff(offsets) >= 0).all()), f"{name} does not contain valid offsets")
    return offsets


def _numbers(name: str, arrays: Arrays, dtype: type[np.generic], length: int) -> NDArray[Any]:
    numbers = arrays[name]
    fine = numbers.dtype == dtype and numbers.shape == (length,)
    _require(fine, f"{name} does not consist of {length} numbers of type {dtype.__name__}")
    _require(bool(np.isfinite(numbers).all() and (numbers >= 0).all()), f"{name} contains an invalid number")
    return numbers


def _require(fine: bool, reason: str) -> None:
    if not fine:
        raise InputError(reason)
