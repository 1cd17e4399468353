"""The aligner beside fast_align and eflomal: time and memory of whole commands, error rates on gold alignments.

    python benchmarks/aligning.py speed [--sizes 10000 300000]         made-up sentence pairs
    python benchmarks/aligning.py rates --data ../shared/data          real texts with links made by people
    python benchmarks/aligning.py dictionaries --data ../shared/data   the same, with installed dictionaries

fast_align is its own C++ code, as SYSTRAN packages it for Python (``systran-align``), with the options ``-d -o -v`` and
in both directions; eflomal runs through ``align --aligner eflomal``. What is not installed has no column. All links
are combined by grow-diag-final-and, and all tools get the same lower-case text. Version 0.2.0 comes from git.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora import write_corpus
from measure import Measured, ratio, run_whole

from wordorder.core.text import tokenise
from wordorder.formats import lexicons
from wordorder.formats.gold import read_texts
from wordorder.linking.aligning.lexicon import with_entries

FAST_ALIGN, EFLOMAL = "fast_align", "eflomal"
PACKAGES = {FAST_ALIGN: "systran_align", EFLOMAL: "eflomal"}
SIZES = (10_000, 100_000, 300_000)
LARGEST = {EFLOMAL: 100_000}
"""The largest sizes of tools that would take too long with more."""

BEFORE = "fb7f8904"
"""The commit of version 0.2.0."""

OURS = [sys.executable, "-m", "wordorder", "align", "-q"]
SIDES = ("source", "target")


@dataclass(frozen=True)
class Text:
    """Sentence pairs, arguments that name their gold alignments, further pairs to learn from, and a dictionary."""

    name: str
    lines: dict[str, list[str]]
    gold: list[str]
    more: dict[str, list[str]]
    dictionary: str | None = None

    def write(self, folder: Path) -> list[str]:
        """Write all files in lower case; return the arguments that name them."""
        files = self.lines | {f"train-{side}": lines for side, lines in self.more.items()}
        for name, lines in files.items():
            (folder / name).write_text("".join(f"{line.strip().lower()}\n" for line in lines), encoding="utf-8")
        return [word for name in files for word in (f"--{name}", name)]


def read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def texts(data: Path) -> Iterator[Text]:
    names = {"enfr": ("en-fr", "eng-fra"), "roen": ("ro-en", None), "zhen": ("zh-en", "zho-eng")}
    for file, (name, dictionary) in names.items():
        pairs = (line.split("|||") for line in read_lines(data / "gold-align" / f"{file}.src-tgt"))
        lines = dict(zip(SIDES, map(list, zip(*pairs, strict=True)), strict=True))
        gold = ["--gold", str(data / "gold-align" / f"{file}.gold"), "--gold-format", "pharaoh", "--gold-base", "1"]
        yield Text(name, lines, gold, {}, dictionary)
        if file == "enfr":
            words = (read_lines(data / "multi30k" / f"train.lc.norm.tok.{side}") for side in ("en", "fr"))
            more = dict(zip(SIDES, words, strict=True))
            yield Text(f"en-fr, with {len(more['source']):,} other pairs", lines, gold, more, dictionary)
    for file, name, dictionary in (("en-fr", "fr", "fra"), ("en-jp", "ja", "jpn"), ("en-zh", "zh", "zho")):
        treebank = f"pud:{data / 'pud-aligned' / file}"
        lines = dict(zip(SIDES, (side.to_pylist() for side in read_texts(treebank, "talp")), strict=True))
        yield Text(f"en-{name} of PUD", lines, ["--gold", treebank], {}, f"eng-{dictionary}")


def run_fast_align(files: dict[str, str], output: str) -> None:
    """Train on all files and write the links of the text; called in a process of its own."""
    library: Any = importlib.import_module(PACKAGES[FAST_ALIGN])
    sides = [[line.split() for line in read_lines(Path(files[side]))] for side in SIDES]
    with open("bitext", "w", encoding="utf-8") as bitext:
        for prefix in ("train-", ""):
            if f"{prefix}source" in files:
                columns = (read_lines(Path(files[prefix + side])) for side in SIDES)
                bitext.writelines(f"{one} ||| {two}\n" for one, two in zip(*columns, strict=True))
    options = {"favor_diagonal": True, "optimize_tension": True, "variational_bayes": True}
    library.generate_alignment_probabilities("bitext", "forward", "backward", **options)
    found = library.Aligner("forward", "backward").align_batch(*sides)
    with open(output, "w", encoding="utf-8") as links:
        links.writelines(" ".join(f"{i}-{j}" for i, j in row["alignments"]) + "\n" for row in found)


def commands(files: list[str]) -> dict[str, list[str]]:
    """Return the command of each installed tool; its links are written into the file that has its name."""
    found = {
        "wordorder": [*OURS, *files],
        FAST_ALIGN: [sys.executable, str(Path(__file__).resolve()), FAST_ALIGN, *files],
        EFLOMAL: [*OURS, *files, "--aligner", EFLOMAL],
    }
    known = {name: importlib.util.find_spec(PACKAGES.get(name, "wordorder")) for name in found}
    return {name: [*command, "-o", name] for name, command in found.items() if known[name]}


def speed(sizes: list[int]) -> None:
    rows = []
    for size in (1_000, *sizes):  # the first compiles
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_corpus(folder, pairs=size)
            found: dict[str, Measured] = {}
            for tool, command in commands(["--source", "source.txt", "--target", "target.txt"]).items():
                if size <= LARGEST.get(tool, size):
                    found[tool] = run_whole(command, folder)
                    print(f"{size:,} pairs, {tool}: {found[tool]}", file=sys.stderr, flush=True)
        rows.append((size, found))
    peers = [tool for tool in rows[0][1] if tool != "wordorder"]
    print("| sentence pairs | wordorder | " + " | ".join(f"{peer} | ratio" for peer in peers) + " |")
    print("|---|--:|" + "--:|--:|" * len(peers))
    for size, found in rows[1:]:
        ours = found["wordorder"]
        cells = [f"{found[p]} | {ratio(found[p].seconds / ours.seconds)}" if p in found else "– | –" for p in peers]
        print(f"| {size:,} | {ours} | " + " | ".join(cells) + " |")


def error_rate(folder: Path, text: Text, links: str) -> float:
    """Return the error rate of links in a file."""
    command = [*OURS, "--align", links, *text.gold, "--json"]
    printed = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    return float(json.loads(printed.stdout)["aer"])


def unpack_before(folder: Path) -> dict[str, str]:
    """Unpack the source of version 0.2.0; return the environment in which it is run, or nothing without git."""
    root = Path(__file__).resolve().parents[1]
    packed = subprocess.run(["git", "archive", BEFORE, "src"], cwd=root, capture_output=True)
    if packed.returncode:
        return {}
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return {"PYTHONPATH": str(folder / "src")}


def rates(data: Path) -> None:
    with tempfile.TemporaryDirectory() as old:
        before = unpack_before(Path(old))
        tools = [*(["wordorder 0.2.0"] if before else []), *commands([])]
        print("| text | sentence pairs | " + " | ".join(tools) + " |\n|---|--:|" + "--:|" * len(tools))
        for text in texts(data):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                files = text.write(folder)
                if before:
                    run_whole([*OURS, *files, "-o", "wordorder 0.2.0"], folder, **before)
                for command in commands(files).values():
                    run_whole(command, folder)
                found = " | ".join(f"{error_rate(folder, text, tool):.3f}" for tool in tools)
                print(f"| {text.name} | {len(text.lines['source']):,} | {found} |", flush=True)


def dictionaries(data: Path) -> None:
    print("| text | dictionary | entries | that fit | error rate without | with |\n|---|---|--:|--:|--:|--:|")
    for text in texts(data):
        if text.dictionary is None:
            continue
        entries = len(lexicons.read(text.dictionary))
        both = [[line.lower() for side in (text.lines, text.more) for line in side.get(name, [])] for name in SIDES]
        source, target = tokenise(both, tokenizer="none")
        fitting = len(with_entries([(source, target)], text.dictionary)[-1][0])
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            files = text.write(folder)
            run_whole([*OURS, *files, "-o", "without"], folder)
            run_whole([*OURS, *files, "--lexicon", text.dictionary, "-o", "with"], folder)
            pair = " | ".join(f"{error_rate(folder, text, links):.3f}" for links in ("without", "with"))
        share = f"{fitting:,} ({fitting / entries:.0%})"
        print(f"| {text.name} | `{text.dictionary}` | {entries:,} | {share} | {pair} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["speed", "rates", "dictionaries", FAST_ALIGN])
    parser.add_argument("--data", type=Path, help="the folder of real data")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="numbers of sentence pairs")
    for name in ("source", "target", "train-source", "train-target", "o"):
        parser.add_argument(f"--{name}" if len(name) > 1 else f"-{name}", help=argparse.SUPPRESS)
    options = parser.parse_args()
    for name in ("PYTHONDONTWRITEBYTECODE", "NUMBA_DISABLE_JIT"):
        os.environ.pop(name, None)
    if options.part == FAST_ALIGN:
        files = {name.replace("_", "-"): path for name, path in vars(options).items() if path}
        run_fast_align(files, options.o)
    elif options.part == "speed":
        speed(options.sizes)
    elif options.data is None:
        parser.error(f"{options.part} needs --data")
    else:
        {"rates": rates, "dictionaries": dictionaries}[options.part](options.data)


if __name__ == "__main__":
    main()
