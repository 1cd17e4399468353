"""Write a leaderboard of word order for a test set in the layout of mt-metrics-eval.

python -m leaderboard FOLDER PAIR [-o PAGE.html] [--tokenize zh] [--metrics kendall-sqrt,pef,bleu,chrf]

FOLDER has sources/PAIR.txt, references/PAIR.NAME.txt, system-outputs/PAIR/SYSTEM.txt and, if documents are to be
resampled instead of segments, documents/PAIR.docs. The page shows, for each system, how well it orders words, how
literally it translates beside the human references, and its strongest pattern of misplaced words. It is one file,
needs no network, and its columns can be sorted.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

import wordorder
from wordorder.apps.monotone.literalness import Literalness
from wordorder.apps.patterns.results import Pattern, Patterns
from wordorder.report.table import write_signature
from wordorder.scoring.scores import Score
from wordorder.scoring.verdicts import answer

METRICS = "kendall-sqrt,pef,bleu,chrf"


@dataclass(frozen=True)
class TestSet:
    """The texts of a test set: files of the source, the references and the systems, and a document per segment."""

    source: Path
    references: dict[str, Path]
    systems: dict[str, Path]
    documents: list[str] | None

    @classmethod
    def read(cls, folder: Path, pair: str) -> TestSet:
        """Find the files of a language pair."""
        source = folder / "sources" / f"{pair}.txt"
        references = {path.name.split(".")[-2]: path for path in sorted(folder.glob(f"references/{pair}.*.txt"))}
        systems = {path.stem: path for path in sorted(folder.glob(f"system-outputs/{pair}/*.txt"))}
        for found, what in ((source.is_file(), source), (references, "references"), (systems, "system outputs")):
            if not found:
                sys.exit(f"{folder}: there is no {what} for {pair}; expected the layout of mt-metrics-eval")
        documents = folder / "documents" / f"{pair}.docs"
        lines = documents.read_text(encoding="utf-8").splitlines() if documents.is_file() else None
        outputs = {name: path for name, path in systems.items() if name not in references}
        return cls(source, references, outputs, lines and [line.split("\t")[-1] for line in lines])


@dataclass(frozen=True)
class Board:
    """Everything that the page shows."""

    title: str
    scores: wordorder.Scores
    literal: Literalness
    patterns: Patterns

    @classmethod
    def measure(cls, texts: TestSet, title: str, *, metrics: str, tokenize: str) -> Board:
        """Score the systems, compare them with their source, and look for patterns."""
        hyp, ref = dict(texts.systems), list(texts.references.values())
        docs, resample = texts.documents, "segments" if texts.documents is None else "documents"
        scores = wordorder.score(hyp, ref, metrics=metrics, tokenize=tokenize, docs=docs, resample=resample)
        literal = wordorder.monotone(
            hyp, ref, source=texts.source, docs=docs, tokenize=tokenize, metrics="kendall-sqrt"
        )
        return cls(title, scores, literal, wordorder.patterns(hyp, ref[0], tokenize=tokenize))

    def strongest(self, system: str) -> Pattern | None:
        """Return the significant pattern of a system with the strongest evidence."""
        return next((found for found in self.patterns.found if found.system == system), None)

    def page(self) -> str:
        """Return the page."""
        ranking = self.scores.rankings[0]
        names = list(ranking.systems) if ranking else sorted(self.scores.systems)
        names += [name for name in self.scores.systems if name not in names]
        metrics = [metric.label for metric in self.scores.metrics]
        header = ["rank", "system", *metrics, "words matched", "order of the source", "against people", "pattern"]
        low, high = self.literal.band("kendall-sqrt")
        people = " to ".join(dict.fromkeys((f"{low:.3f}", f"{high:.3f}")))
        notes = [
            f"Rank, by {metrics[0]}: paired bootstrap tests of all pairs of systems, corrected; a dash: not ranked, "
            "because the system matches too few words of the references.",
            "Words matched: the share of reference words that order is measured on.",
            f"Order of the source: kendall-sqrt of a translation against its source ({people} for the human "
            "references); higher is more literal. Against people: whether it differs from every reference.",
            "Pattern: the words that stand too early or too late most conspicuously, with the share of them that do.",
            "Word order says what is wrong with a translation; it does not predict its quality.",
        ]
        signatures = (self.scores.signature, self.literal.signature)
        rows = "\n".join(map(self._row, names))
        heads = "".join(_head(place, name) for place, name in enumerate(header))
        template = files(__package__).joinpath("page.html").read_text(encoding="utf-8")
        filled = {
            "TITLE": escape(self.title),
            "ANSWER": escape(f"{answer(self.scores)}. {self.literal.summary}"),
            "HEADS": heads,
            "ROWS": rows,
            "NOTES": "\n".join(f"<li>{escape(note)}</li>" for note in notes),
            "SIGNATURE": "<br>".join(escape(write_signature(one)) for one in signatures),
        }
        for key, value in filled.items():
            template = template.replace(f"<!--{key}-->", value)
        return template

    def _row(self, system: str) -> str:
        scores, ranking = self.scores, self.scores.rankings[0]
        first = ranking.ranges.get(system, (10**6, 0))[0] if ranking else 0
        cells = [_cell(ranking.write(system) if ranking else "–", key=first), f"<th scope=row>{escape(system)}</th>"]
        cells += [_score(scores[system, metric]) for metric in scores.names]
        matched = None if scores.matched is None else float(scores.matched[scores.system_place(system)])
        cells.append("<td>–</td>" if matched is None else _cell(f"{matched:.0%}", key=matched))
        monotone = self.literal.scores[system, "kendall-sqrt"]
        cells += [_score(monotone, picture=self._band(monotone)), _cell(self.literal.verdict(system) or "–")]
        found = self.strongest(system)
        pattern = found.sentence if found else "–"
        return f"<tr>{''.join(cells)}<td class=text data-key={found.rate if found else 0}>{escape(pattern)}</td></tr>"

    def _band(self, found: Score) -> str:
        """Draw a score with its interval and the band of the references, on a scale that has room for all systems."""
        low, high = self.literal.band("kendall-sqrt")
        found_all = (self.literal.scores[system, "kendall-sqrt"] for system in self.scores.systems)
        ends = [end for one in found_all for end in (one.low, one.high) if math.isfinite(end)]
        start, stop = min(low, *ends), max(high, *ends)

        def x(value: float) -> float:
            return float(100 * (value - start) / (stop - start))

        return (
            '<svg class=band viewBox="0 0 100 8" preserveAspectRatio=none aria-hidden=true>'
            f'<rect class=people x="{x(low) - 0.5:.1f}" width="{x(high) - x(low) + 1:.1f}" height=8 />'
            f'<line x1="{x(found.low):.1f}" x2="{x(found.high):.1f}" y1=4 y2=4 />'
            f'<rect class=own x="{x(float(found)) - 0.8:.1f}" y=1 width=1.6 height=6 /></svg>'
        )

    def rows(self) -> Iterator[dict[str, object]]:
        """Yield what the page shows of each system as plain data."""
        for system in self.scores.systems:
            found = self.strongest(system)
            yield {
                "system": system,
                "rank": self.scores.rankings[0].write(system) if self.scores.rankings[0] else None,
                **{name: float(self.scores[system, name]) for name in self.scores.names},
                "source_order": float(self.literal.scores[system, "kendall-sqrt"]),
                "verdict": self.literal.verdict(system),
                "pattern": found and [found.label, found.direction, found.rate],
            }


def _head(place: int, name: str) -> str:
    side = " class=text" if name in ("system", "against people", "pattern") else ""
    return f'<th scope=col{side}><button type=button data-column="{place}">{escape(name)}</button></th>'


def _cell(text: str, *, key: float | None = None) -> str:
    return f"<td{' class=text' if key is None else f' data-key={key}'}>{escape(text)}</td>"


def _score(found: Score, *, picture: str = "") -> str:
    """Return a cell with a score, half of its interval, and a picture of both, if any."""
    text = f"{float(found):.3f} <small>±{(found.high - found.low) / 2:.3f}".replace("0.", ".") + "</small>"
    return f"<td data-key={float(found)}>{picture}{text}</td>"


def main() -> int:
    """Write the page, and next to it the same as JSON."""
    parser = argparse.ArgumentParser(
        prog="python -m leaderboard", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("pair")
    parser.add_argument("-o", "--output", type=Path, help="default: build/leaderboard/PAIR.html")
    parser.add_argument("--tokenize", default="13a", help="as for score (default 13a; Chinese and Japanese: zh)")
    parser.add_argument("--metrics", default=METRICS, help=f"the first one ranks the systems (default {METRICS})")
    options = parser.parse_args()
    output = options.output or Path("build", "leaderboard", f"{options.pair}.html")
    texts = TestSet.read(options.folder, options.pair)
    title = f"Word order: {options.folder.resolve().name}, {options.pair}"
    try:
        board = Board.measure(texts, title, metrics=options.metrics, tokenize=options.tokenize)
    except wordorder.WordorderError as error:
        sys.exit(f"error: {error}")
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(board.page(), encoding="utf-8")
    output.with_suffix(".json").write_text(json.dumps(list(board.rows()), indent=1) + "\n", encoding="utf-8")
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
