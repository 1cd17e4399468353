"""Alignment error rate of every model and symmetrisation, and the time to train.

    python benchmarks/aligning.py FOLDER [--threads N] [--models model1 diagonal hmm]

FOLDER holds ``gold-align`` (``NAME.src-tgt`` and ``NAME.gold``) and ``multi30k``. Everything is lower-cased, and
nothing but the text named is used.
"""

from __future__ import annotations

import argparse
import re
import time
from dataclasses import dataclass
from pathlib import Path

from wordorder.core.orders import Alignment, Alignments
from wordorder.core.text import encode
from wordorder.linking.aligning import METHODS, error_rate, train
from wordorder.linking.aligning.symmetrisation import POSTERIOR_METHODS

EFLOMAL = {"enfr": 0.181, "enfr+multi30k": 0.146, "roen": 0.379, "zhen": 0.332}
"""What eflomal reaches with grow-diag-final-and."""


@dataclass(frozen=True)
class Setting:
    name: str
    source: list[str]
    target: list[str]
    gold: Alignments

    def with_more(self, name: str, source: list[str], target: list[str]) -> Setting:
        return Setting(name, self.source + source, self.target + target, self.gold)


def read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def read_gold(path: Path) -> Alignments:
    """Read links like ``3-4`` (sure) and ``3p4`` (possible), counted from 1."""
    rows = []
    for line in read_lines(path):
        found = [(int(i) - 1, int(j) - 1, mark) for i, mark, j in re.findall(r"(\d+)([-p])(\d+)", line)]
        sure = {(i, j) for i, j, mark in found if mark == "-"}
        rows.append(
            Alignment(
                tuple(sorted({(i, j) for i, j, _ in found})), possible=frozenset((i, j) for i, j, _ in found) - sure
            )
        )
    return Alignments.of(rows)


def read_settings(folder: Path) -> list[Setting]:
    settings = {}
    for name in ("enfr", "roen", "zhen"):
        pairs = [line.lower().split("|||") for line in read_lines(folder / "gold-align" / f"{name}.src-tgt")]
        gold = read_gold(folder / "gold-align" / f"{name}.gold")
        settings[name] = Setting(name, [one for one, _ in pairs], [two for _, two in pairs], gold)
    english, french = (read_lines(folder / "multi30k" / f"train.lc.norm.tok.{side}") for side in ("en", "fr"))
    more = settings["enfr"].with_more("enfr+multi30k", english, french)
    return [settings["enfr"], more, settings["roen"], settings["zhen"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--models", nargs="+", default=["model1", "diagonal", "hmm"])
    options = parser.parse_args()
    settings = read_settings(options.folder)
    for model in options.models:  # compile everything before the clock runs
        warm = encode(["a b"], ["c d"])
        train(*warm, model=model).align(*warm)
    methods = [method for method in METHODS if "eflomal" not in options.models or method not in POSTERIOR_METHODS]
    print("\t".join(["text", "model", *methods, "seconds", "cpu", "words/s", "eflomal grow-diag-final-and"]))
    for setting in settings:
        source, target = encode(setting.source, setting.target)
        test = slice(0, len(setting.gold))
        for model in options.models:
            wall, cpu = time.perf_counter(), time.process_time()
            aligner = train(source, target, model=model, threads=options.threads)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            rates = [
                error_rate(
                    aligner.align(
                        source[test.start : test.stop],
                        target[test.start : test.stop],
                        symmetrise=method,
                        threads=options.threads,
                    ),
                    setting.gold,
                ).aer
                for method in methods
            ]
            words = (len(source.ids) + len(target.ids)) / wall
            costs = [f"{wall:.1f}", f"{cpu:.1f}", f"{words:.0f}", f"{EFLOMAL[setting.name]:.3f}"]
            print("\t".join([setting.name, model, *(f"{rate:.3f}" for rate in rates), *costs]), flush=True)


if __name__ == "__main__":
    main()
