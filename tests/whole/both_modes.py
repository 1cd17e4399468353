"""Every reader, every metric and every command with and without compilation, as a program.

    python both_modes.py FILES RESULTS

reads the files that ``write_files`` made and writes what it found; with ``NUMBA_DISABLE_JIT=1`` it must be the same.
Readers and metrics meet numbers that overflow a byte and a short (``large_files.py``). Commands are those of
``fuzzing/fuzzed_commands.py``, on the demo data: they run the kernels that no reader and no metric runs. With
``--short``, kernels are not compiled, but run as they do where there is little work (``plain_form``).
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import fuzzed_readers
import numpy as np
import pyarrow as pa
from fuzz_commands import MAY_DIFFER, Case, contents, lay_out, perform_in
from fuzzed_commands import MADE, Base, all_bases, make_files
from fuzzed_readers import Reader, all_readers
from large_files import BYTE, SHORT, SIZES, dependencies, large_files, turned, words
from mutations import Files

import wordorder
from wordorder.apps.scale.importing import ImportJob, find_sources, import_source
from wordorder.core.runtime import kernels
from wordorder.core.runtime.errors import InputWarning
from wordorder.core.text.tokens import Tokens
from wordorder.formats import reference_orders
from wordorder.metrics.base import Need
from wordorder.metrics.registry import METRICS

_QUADRATIC = ("pef", "1-ter", "1-wer", "gamma", "order-errors", "full", "dpm", "edpm", "meteor", "chrf", "lr")

VARIANTS = (
    *("pef:weights=size", "pet:branching=right", "pet:operator=kendall", "gamma:open=half", "fuzzy:boundaries=true"),
    *("1-ter:normalized=true", "meteor:parameters=thesis", "dpm:parts=chain+dh:score=recall", "anticipation:k=300"),
)
"""Metrics with kernels of their own for some parameters."""

COVERING = (
    *("preorder blame", "profile lengths", "find all", "score stdin", "score expected", "patterns", "monotone wait-k"),
    *("metaeval orders", "metaeval mqm", "scale score", "score talp", "find", "nbest pro", "preorder evaluate"),
    *("profile reproduced", "scale import texts", "nbest loop"),
)
"""Commands that run what no reader, no metric and no command of ``MADE`` runs."""

FURTHER = (
    "score --permutations many.orders -m hamming --samples 20 --format tsv",
    "score --ref reference.txt --hyp scrambled.txt --match exact+paraphrase --paraphrases known -m pef --samples 0",
    "score --ref reference.txt --hyp good.txt --grammar en.grammar -m dpm:parses=forest --samples 0 --no-cache",
    "parse --parser de.parser --beam 1 source.txt",
    "parse --grammar en.grammar --nbest 100 good.txt",
    "parse --grammar en.grammar --gold english.mrg",
    "parse train parser.conllu --beam 1 --passes 2 -o out",
    "preorder apply --parses crossing.conllu --rules german.rules",
    "preorder blame --parses wide.conllu --align wide.align --rules german.rules --samples 10",
    "score --ref reference.txt --hyp good.txt --match first -m kendall --samples 0",
)
"""Commands for kernels that few people meet, with files of their own."""


def write_files(folder: Path) -> None:
    """Write what the cases read."""
    for name, inputs in large_files().items():
        for number, files in enumerate(inputs):
            write(folder / name.replace(" ", "_") / str(number), files)
    for size in SIZES:
        place = folder / f"metrics_{size}"
        turns = " ".join(f"{place}-{where}" for where, place in enumerate(turned(size)))
        straight = " ".join(f"{place}-{place}" for place in range(size))
        padding = {"links": "0-0\n", "straight": "0-0\n", "other": "1\ta\t_\tX\tx\t_\t0\troot\t_\t_\n\n"}
        write(place, {
            "links": f"{padding['links']}{turns}\n0-1 1-0 2-2\n".encode(),
            "straight": f"{padding['straight']}{straight}\n0-0 1-1 2-2\n".encode(),
            "one.conllu": (dependencies(SHORT, 5, of="v") + dependencies(size, 5)).encode(),
            "other.conllu": (padding["other"] + dependencies(size, 7)).encode(),
        })  # fmt: skip


def write(folder: Path, files: Files) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


# --- readers --------------------------------------------------------------------------------------------------------


def readers(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield every reader with each of its files; what is only counted elsewhere is kept here."""
    for reader in all_readers():
        for place in sorted((folder / reader.name.replace(" ", "_")).iterdir()):
            yield f"{reader.name} {place.name}", partial(read, reader, place)


def read(reader: Reader, folder: Path) -> object:
    fuzzed_readers.used_up = lambda blocks: list(map(described, blocks or ()))  # type: ignore[assignment,return-value]
    (file,) = map(str, [folder] if reader.folder else folder.iterdir())
    if reader.name == "reference orders":
        return reference_orders.read(file, Tokens.of([["a"] * BYTE, words(SHORT)]))
    return imported(file) if reader.name.startswith("import") else reader.read(file)


def imported(path: str) -> object:
    """Import a file as a corpus, and return the columns."""
    columns = {"a": "text"}
    with tempfile.TemporaryDirectory() as out:
        for source in find_sources(path, columns):
            import_source(ImportJob(tuple(columns.items())), source, out)
        return contents(Path(out))


# --- metrics --------------------------------------------------------------------------------------------------------


def inputs(folder: Path, size: int) -> Mapping[str, dict[str, Any]]:
    """Return what metrics can be computed from; words and letters of the first segment take all numbers of 16 bits."""
    order, padding = turned(size), " ".join(chr((3 << 16) + number) for number in range(SHORT))
    sentence = " ".join(words(size))
    repeated = [f"w{place % (size - 20)}" for place in range(size)]  # some words can be matched with two others
    plain = {
        "hyp": {"A": ["v1", " ".join(repeated[place] for place in order), "b a c"]},
        "ref": [padding, " ".join(repeated), "a b c"],
        "tokenize": "none",
    }
    links, straight, one, other = (folder / f"metrics_{size}" / name for name in
                                   ("links", "straight", "one.conllu", "other.conllu"))  # fmt: skip
    return {
        "orders": {"permutations": {"A": ["1", " ".join(str(place + 1) for place in order), "2 1 3"]}},
        "monotone": {
            "source": [padding, sentence, "a b c"], "hyp": plain["hyp"], "hyp_align": {"A": links},
            "order": "monotone", "tokenize": "none",
        },
        "text": plain,
        "links": {
            **plain, "source": [padding, sentence, "x y z"], "hyp_align": {"A": links}, "ref_align": [straight],
            "order": "source",
        },
        "parses": {"hyp_parses": {"A": other}, "ref_parses": [one]},
        "given": {**plain, "given": {"comet": {"A": [70_000, 300.5, -32768.25]}}},
    }  # fmt: skip


def kind_of(spec: str) -> str:
    """Return the kind of input for a metric."""
    needs = METRICS[spec.partition(":")[0]].needs
    wants = {Need.GIVEN: "given", Need.PARSES: "parses", Need.PAIRS: "links", Need.SOURCE_ORDER: "monotone"}
    return next((kind for need, kind in (wants | {Need.TEXT: "text"}).items() if need in needs), "orders")


def metrics(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield all metrics on short sentences, and those that are fast enough on long ones."""
    for size in SIZES:
        for kind, given in inputs(folder, size).items():
            specs = [one for one in (*METRICS, *VARIANTS) if kind_of(one) == kind]
            chosen = [one for one in specs if size == BYTE or re.split("[:]|-[hk]b", one)[0] not in _QUADRATIC]
            if chosen:
                yield f"metrics of {kind} {size}", partial(scored, chosen, given)


def scored(names: list[str], given: dict[str, Any]) -> object:
    chosen = ["given:comet" if name == "given" else name for name in names]
    found = wordorder.score(**given, metrics=chosen, samples=20, cache=False)
    return found.segments().to_pylist(), found.to_dict()


# --- commands -------------------------------------------------------------------------------------------------------


def commands(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the commands that make files, in this order, and those that run further kernels."""
    files, work = folder / "files", folder / "work"
    for line in MADE:
        if "invite" not in line:  # links are secrets
            yield f"making {line}", partial(performed, Base.of(line, line), files, files)
    bases = {base.name: base for base in all_bases()}
    for base in (*(bases[name] for name in COVERING), *(Base.of(line, line) for line in FURTHER)):
        yield f"command {base.name}", partial(performed, base, files, work)


def performed(base: Base, files: Path, work: Path) -> object:
    """Run a command; return what it prints and writes."""
    if not files.exists():
        files.mkdir()
        make_files(files)
        rows = "".join(f"{word}\tw{word}\tl\tNOUN\tx\t_\t%d\tdep\t_\t_\n" for word in range(1, 15))
        odd = {
            "many.orders": "2 1 3\n1 3 2\n" * 2_500,
            "known": "0.5\nthe dog\nour cat\n0.7\nhave read\nread\n",
            "crossing.conllu": rows % (0, *(word * 7 % (word - 1) + 1 for word in range(2, 15))) + "\n",
            "wide.conllu": rows % (*[14] * 13, 0) + "\n",
            "wide.align": " ".join(f"{word}-{word * 5 % 14}" for word in range(14)) + "\n",
        }
        write(files, {name: text.encode() for name, text in odd.items()})
    before = contents(files)
    if work != files:
        shutil.rmtree(work, ignore_errors=True)
        lay_out(files, Case(base.name, base.arguments, base.stdin), work)
    code, output, errors = perform_in(base, work)
    found = code, output, re.sub(rb"wordorder: [^\n]* done after [^\n]*\n", b"", errors)  # a slow machine says more
    after = {name: content for name, content in contents(work).items() if before.get(name) != content}
    return found, {name: content for name, content in after.items() if not MAY_DIFFER.search(name)}


# --- the program ----------------------------------------------------------------------------------------------------


def cases(folder: Path, *, short: bool = False) -> dict[str, Callable[[], object]]:
    """Return everything that is compared, by its name."""
    return dict(metrics(folder)) if short else dict([*readers(folder), *metrics(folder), *commands(folder)])


def described(value: Any) -> Any:
    """Return a value as plain data."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return [str(value.dtype), value.shape, hashlib.sha256(value.tobytes()).hexdigest()]
    if isinstance(value, (pa.Array, pa.ChunkedArray, pa.Table)):
        value = value.to_pylist()
    if isinstance(value, list) and set(map(type, value)) <= {str, int, float, type(None)}:
        return value
    if isinstance(value, Mapping):
        return {str(key): described(part) for key, part in value.items()}
    if isinstance(value, (list, tuple, Iterator)):
        return list(map(described, value))
    if dataclasses.is_dataclass(value):
        return {field.name: described(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if hasattr(value, "__dict__") and not isinstance(value, (Enum, type, FunctionType)):
        return described(vars(value))
    return re.sub(" at 0x[0-9a-f]+", "", repr(value))


def found(case: Callable[[], object]) -> str:
    """Return what a case gives as text, shortened if it is long."""
    text = json.dumps(described(case()))
    return text if len(text) < 1000 else f"{text[:200]} {hashlib.sha256(text.encode()).hexdigest()}"


def run(folder: Path, *, short: bool) -> dict[str, Any]:
    """Return what all cases give, and which functions they call; further files are many calls of the same ones."""
    called: set[CodeType] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        called.add(frame.f_code)

    for name in ("files", "work"):
        shutil.rmtree(folder / name, ignore_errors=True)
    warnings.simplefilter("ignore", InputWarning)
    results = {}
    for name, case in cases(folder, short=short).items():
        sys.settrace(None if re.search(rf" {SHORT}$| [1-9]$", name) else note)
        results[name] = found(case)
    sys.settrace(None)
    package = f"{Path(wordorder.__file__).parent}{os.sep}"
    functions = {f"{code.co_filename.removeprefix(package)}:{code.co_name}" for code in called}
    return {"results": results, "functions": sorted(functions)}


def main() -> None:
    """Run all cases, and write what they give."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--short", action="store_true", help="only metrics, by the plain forms of kernels")
    options = parser.parse_args()
    if options.short:
        endless = kernels._Patience(sys.maxsize, float("inf"))
        kernels._TO_LOAD = kernels._TO_COMPILE_MORE = kernels._TO_COMPILE = endless
    os.environ["WORDORDER_CACHE"] = str(options.results.with_suffix(".cache"))
    options.results.write_text(json.dumps(run(options.files, short=options.short)), encoding="utf-8")


if __name__ == "__main__":
    main()
