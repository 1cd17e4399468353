"""Every reader of files and every metric, on numbers that overflow a byte and a short, as a program.

    python both_modes.py FILES RESULTS

reads the files that ``write_files`` made and writes what it found; with ``NUMBA_DISABLE_JIT=1`` it must be the same.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import wordorder
from wordorder.apps.nbest.nbest import NBest
from wordorder.formats import brackets, conllu, lengths, parse_lists, permutations, pud, reference_orders, text
from wordorder.formats.alignments import ALIGNMENT_FORMATS, read_alignments
from wordorder.metrics.base import Need
from wordorder.metrics.registry import METRICS

BYTE, SHORT = 300, 40_000
"""Lengths of sentences: their last places do not fit into a byte or into 16 bits with a sign."""

SIZES = (BYTE, SHORT)
_NUMBERS = (0, 9, 10, 99, 127, 128, 255, 256, 257, 299)
_LARGE = (*_NUMBERS, 999, 32_767, 32_768, 39_999)
_QUADRATIC = ("pef", "1-ter", "1-wer", "gamma", "order-errors", "full", "dpm", "edpm", "meteor", "chrf")


def words(count: int) -> list[str]:
    return [f"w{number}" for number in range(count)]


def turned(count: int) -> list[int]:
    """An order with a long jump, a stretch that runs backwards, and two neighbours that have changed places."""
    third = count // 3
    moved = [*range(2 * third, count), *range(third, 2 * third), *range(third)]
    moved[5:25] = moved[5:25][::-1]
    moved[40], moved[41] = moved[41], moved[40]
    return moved


def alignment_files() -> Iterator[tuple[str, str]]:
    for size in SIZES:
        known = [number for number in _LARGE if number < size]
        pairs = list(zip(known, reversed(known), strict=True))
        last = size - 1
        sentence = " ".join(words(size))
        pharaoh = " ".join(f"{one}-{two}" for one, two in pairs)
        yield f"pharaoh-{size}", f"{pharaoh} {last}-{last}-P {last}-0:0.12345678901234567 {last}?{last - 1}\n"
        yield f"talp-{size}", " ".join(f"{one + 1}-{two + 1}" for one, two in pairs) + f" {size}p{size}\n"
        yield f"naacl-{size}", "".join(f"{row + 1} {a + 1} {b + 1}\n" for row in range(2) for a, b in pairs)
        yield f"lader-{size}", f"{size}-{size} ||| {pharaoh}\n"
        yield f"target-list-{size}", ",".join(f"{one}_{two}" for one, two in pairs) + "\n"
        placed = " ".join(f"{word} ({{ {place} }})" for place, word in enumerate(words(size), start=1))
        yield (
            f"giza-{size}",
            f"# Sentence pair (1) source length {size} target length {size} alignment score : 0.1\n"
            f"{sentence}\nNULL ({{ }}) {placed}\n",
        )
        phrases = (f"a b c d |{start}-{start + 3}|" for start in range(0, size, 4))
        yield f"moses-{size}", " ".join(reversed(list(phrases))) + "\n"
        yield f"xl-wa-{size}", f"{sentence}\t{sentence}\t{pharaoh}\n"
        found = {"source": words(size), "target": sentence, "links": pairs}
        yield f"jsonl-{size}", json.dumps(found) + "\n"
        yield f"nbest-{size}", f"0 ||| {sentence} ||| d: -1 ||| -3 ||| {pharaoh}\n"


def nbest_files() -> Iterator[tuple[str, str]]:
    numbers = ("-14.61", "-126.855", "256", "300.5", "32768", "-65537.25", "1e-300", "123456789012345678901234567890")
    features = " ".join(numbers)
    for size in SIZES:
        sentence = " ".join(words(size))
        yield (
            f"moses-{size}",
            f"0 ||| a b ||| d: {features} lm: -2.5 ||| -14.61\n0 ||| {sentence} ||| d: {features} lm: -300 ||| -1\n"
            f"{size} ||| b a ||| d: {features} lm: -3.25 ||| -32768.5\n",
        )
        yield f"marian-{size}", f"{size} ||| {sentence} ||| 0-0 {size - 1}-{size - 1} ||| F0= -300.5 ||| -0.712\n"
        yield (
            f"fairseq-{size}",
            f"S-{size}\t{sentence}\nH-{size}\t-300.25\t{sentence}\nD-{size}\t-300.25\t{sentence}\n"
            f"P-{size}\t{' '.join(['-0.15'] * size)}\n",
        )
        yield f"lines-{size}", f"{sentence}\n{sentence} a\n"
        found = {"id": size, "nbest": [{"text": sentence, "score": -300.5, "features": {"lm": -32768.25}}]}
        yield f"jsonl-{size}", json.dumps(found) + "\n"


def tree_files() -> Iterator[tuple[str, str]]:
    for size in SIZES:
        leaves = "".join(f" (A w{word})" for word in range(size))
        for each in (5, 7):
            heads = [size if word % each == 0 else word + 1 for word in range(1, size)] + [0]
            rows = (
                f"{word}\tw{word}\t_\tX\tx\t_\t{head}\t{'dep' if head else 'root'}\t_\t_\n"
                for word, head in enumerate(heads, start=1)
            )
            yield f"conllu-{each}-{size}.conllu", "".join(rows) + "\n"
        yield f"brackets-{size}", f"(S{leaves})\n(S (A a)" + " (B (C b)" * 50 + ")" * 51 + "\n"
        yield f"parse-lists-{size}", f"2 s{size}\n-300.5\n(S{leaves})\n-32768.25\n(S (B{leaves}))\n\n"


def other_files() -> Iterator[tuple[str, str]]:
    for size in SIZES:
        order = " ".join(str(place + 1) for place in turned(size))
        yield (
            f"text-{size}.txt",
            " ".join(words(size)) + "\n" + " ".join(f"w{place}" for place in turned(size)) + "\n",
        )
        turns = " ".join(f"{place}-{where}" for where, place in enumerate(turned(size)))
        yield f"links-{size}", f"{turns}\n0-1 1-0 2-2\n"
        yield f"straight-{size}", " ".join(f"{place}-{place}" for place in range(size)) + "\n0-0 1-1 2-2\n"
        yield f"permutations-{size}", f"{order}\n2 1 3\n"
        yield f"lengths-{size}", "".join(f"{number}\n" for number in _LARGE if number <= size)
        yield f"reference-orders-{size}", " ".join(f"w{place}" for place in turned(size)) + "\n"


def write_files(folder: Path) -> None:
    kinds = {"align": alignment_files, "nbest": nbest_files, "trees": tree_files, "other": other_files}
    for kind, files in kinds.items():
        (folder / kind).mkdir()
        for name, content in files():
            (folder / kind / name).write_text(content, encoding="utf-8")


def readers(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    for size in SIZES:
        for format in ALIGNMENT_FORMATS:
            if format != "pud":  # its links are read as pharaoh, its words as CoNLL-U
                path = str(folder / "align" / f"{format}-{size}")
                yield f"alignments {format} {size}", partial(read_alignments, path, format=format)
        for format in ("moses", "marian", "fairseq", "lines", "jsonl"):
            options: dict[str, Any] = {"count": 2} if format == "lines" else {}
            path = str(folder / "nbest" / f"{format}-{size}")
            yield f"nbest {format} {size}", partial(NBest.read, path, format=format, **options)
        trees, other = folder / "trees", folder / "other"
        for name, read in (
            ("brackets", partial(brackets.read, trees / f"brackets-{size}")),
            ("conllu", partial(conllu.read, trees / f"conllu-5-{size}.conllu")),
            ("tagged conllu", partial(pud.read_tagged, trees / f"conllu-5-{size}.conllu")),
            ("parse lists", partial(parse_lists.read, trees / f"parse-lists-{size}")),
            ("text", partial(text.read, other / f"text-{size}.txt")),
            ("permutations", partial(permutations.read, other / f"permutations-{size}")),
            ("lengths", partial(lengths.read_blocks, other / f"lengths-{size}")),
            ("words counted", partial(lengths.count_blocks, other / f"text-{size}.txt")),
            ("reference orders", partial(read_orders, other / f"reference-orders-{size}", size)),
        ):
            yield f"{name} {size}", read


def read_orders(path: Path, size: int) -> object:
    from wordorder.core.text.tokens import Tokens

    return reference_orders.read(path, Tokens.of([words(size)]))


def inputs(folder: Path, size: int) -> Mapping[str, dict[str, Any]]:
    """What metrics can be computed from."""
    order = turned(size)
    sentence = words(size)
    repeated = [f"w{place % (size - 20)}" for place in range(size)]  # some words can be matched with two others
    plain = {
        "hyp": {"A": [" ".join(repeated[place] for place in order), "b a c"]},
        "ref": [" ".join(repeated), "a b c"],
        "tokenize": "none",
    }
    links, straight = (str(folder / "other" / f"{name}-{size}") for name in ("links", "straight"))
    one, other = (folder / "trees" / f"conllu-{each}-{size}.conllu" for each in (5, 7))
    return {
        "orders": {"permutations": {"A": [" ".join(str(place + 1) for place in order), "2 1 3"]}},
        "monotone": {
            "source": [" ".join(sentence), "a b c"], "hyp": plain["hyp"], "hyp_align": {"A": links},
            "order": "monotone", "tokenize": "none",
        },
        "text": plain,
        "links": {
            **plain, "source": [" ".join(sentence), "x y z"], "hyp_align": {"A": links}, "ref_align": [straight],
            "order": "source",
        },
        "parses": {"hyp_parses": {"A": one}, "ref_parses": [other]},
        "given": {**plain, "given": {"comet": {"A": [300.5, -32768.25]}}},
    }  # fmt: skip


def kind_of(name: str) -> str:
    """Return the kind of input for a metric."""
    needs = METRICS[name].needs
    wants = {Need.GIVEN: "given", Need.PARSES: "parses", Need.PAIRS: "links", Need.SOURCE_ORDER: "monotone"}
    return next((kind for need, kind in (wants | {Need.TEXT: "text"}).items() if need in needs), "orders")


def metrics(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    for size in SIZES:
        for kind, given in inputs(folder, size).items():
            names = [name for name in METRICS if kind_of(name) == kind and (size == BYTE or name not in _QUADRATIC)]
            if names:
                yield f"metrics of {kind} {size}", partial(scored, names, given)


def scored(names: list[str], given: dict[str, Any]) -> object:
    chosen = ["given:comet" if name == "given" else name for name in names]
    found = wordorder.score(**given, metrics=chosen, samples=20, cache=False)
    return found.segments().to_pylist(), found.to_dict()


def cases(folder: Path) -> dict[str, Callable[[], object]]:
    return dict([*readers(folder), *metrics(folder)])


def described(value: Any) -> Any:
    """Return a value as plain data."""
    if isinstance(value, np.ndarray):
        return [str(value.dtype), described(value.tolist())]
    if isinstance(value, (pa.Array, pa.ChunkedArray, pa.Table)):
        return value.to_pylist()
    if isinstance(value, Mapping):
        return {str(key): described(part) for key, part in value.items()}
    if isinstance(value, (list, tuple, Iterator)):
        return list(map(described, value))
    if dataclasses.is_dataclass(value):
        return {field.name: described(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if hasattr(value, "__dict__"):
        return described(vars(value))
    return repr(value)


def found(case: Callable[[], object]) -> str:
    """Return what a case gives as text."""
    return json.dumps(described(case()))


if __name__ == "__main__":
    results = {name: found(case) for name, case in cases(Path(sys.argv[1])).items()}
    Path(sys.argv[2]).write_text(json.dumps(results), encoding="utf-8")
