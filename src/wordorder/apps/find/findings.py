"""The results of finding order errors: segments, worst first, with the words that must move and where they belong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wordorder.core.runtime.errors import count_of
from wordorder.core.runtime.plain import plain
from wordorder.report.table import Cell, Column, Table, write_signature
from wordorder.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Move:
    """A correction: words ``first`` to ``end`` − 1 of a translation belong after word ``after`` (−1: at the start).

    ``place`` is the position of these words in the reference or the source. If two spans of words belong after the
    same word, the one with the lower ``place`` comes first.
    """

    first: int
    end: int
    after: int
    confidence: float
    place: int = 0

    @property
    def region(self) -> tuple[int, int]:
        """The first word and the end of the region that the move crosses, which includes the moved words."""
        return min(self.first, self.after + 1), max(self.end, self.after + 1)


@dataclass(frozen=True)
class Finding:
    """The order errors of one segment (counted from 1) of a system.

    ``matched`` is the number of pairs of matched words in the wrong order, and ``source`` is the total weight of the
    pairs of source words in the wrong order; either is None if these words are not compared. Without a reference,
    ``usual`` is the usual total weight in sentences of similar length. ``reference_text`` is the reference that the
    segment was compared with, and ``given`` holds external scores by name.
    """

    system: str
    segment: int
    score: float
    matched: int | None
    source: float | None
    usual: float | None
    words: tuple[str, ...]
    moves: tuple[Move, ...]
    source_text: str | None = None
    reference_text: str | None = None
    given: dict[str, float] = field(default_factory=dict)

    @property
    def confidence(self) -> float:
        """The highest confidence of all moves, or 0 if no word has to move."""
        return max((move.confidence for move in self.moves), default=0.0)

    @property
    def marked(self) -> str:
        """The translation with numbered brackets around words that must move, and arrows to show where they belong.

        >>> words = ("after", "dinner", "we", "talk", ".")
        >>> Finding("A", 1, 0.2, 4, None, None, words, (Move(0, 2, 3, 1.0),)).marked
        '[1 after dinner] we talk →1 .'
        """
        return " ".join(text for _, text in self.pieces())

    def pieces(self) -> Iterator[tuple[str, str]]:
        """Yield the kind and the text of each piece of the marked translation.

        The kinds are ``text`` for words that stay, ``move`` for words that must move, and ``place`` for arrows.
        """
        starts = {move.first: (number, move) for number, move in enumerate(self.moves, start=1)}
        inside = {word for move in self.moves for word in range(move.first, move.end)}
        arrows: dict[int, list[int]] = {}
        for number in self._in_new_order:
            arrows.setdefault(self.moves[number - 1].after, []).append(number)
        for word in range(-1, len(self.words)):
            if word in starts:
                number, move = starts[word]
                yield "move", f"[{number} {' '.join(self.words[move.first : move.end])}]"
            elif word >= 0 and word not in inside:
                yield "text", self.words[word]
            for number in arrows.get(word, ()):
                yield "place", f"→{number}"

    @property
    def _in_new_order(self) -> list[int]:
        """The numbers of the moves, in the order in which their words appear in the corrected translation."""
        return sorted(range(1, len(self.moves) + 1), key=lambda number: self.moves[number - 1].place)

    @property
    def details(self) -> list[str]:
        """Lines of text that describe the finding: pairs in the wrong order, external scores, and moves."""
        parts = [] if self.matched is None else [f"{self.matched} of matched words"]
        if self.source is not None and self.usual is None:
            parts.append(f"{self.source:.1f} of source words")
        if self.source is not None and self.usual is not None:
            parts.append(f"{self.source:.1f} of source words, {self.usual:.1f} are usual")
        given = ", ".join(f"{name} {value:.4g}" for name, value in self.given.items())
        moves = map(self.describe, range(1, len(self.moves) + 1))
        return [f"pairs in the wrong order: {', '.join(parts)}", *([f"given: {given}"] if given else []), *moves]

    def __str__(self) -> str:
        lines = [f"segment {self.segment}  {self.system} {self.score:.2g}"]
        texts = (("src", self.source_text), ("ref", self.reference_text), ("hyp", self.marked))
        lines += [f"  {label}  {text}".rstrip() for label, text in texts if text is not None]
        lines += [f"       {line}" for line in self.details]
        return "\n".join([*lines, ""])

    def describe(self, number: int) -> str:
        """Describe move ``number`` (from 1) in words: what moves, where to, and with which confidence."""
        move = self.moves[number - 1]
        before = [one for one in self._in_new_order if self.moves[one - 1].after == move.after]
        where = f"after '{self.words[move.after]}'" if move.after >= 0 else "at the beginning"
        if before[0] != number:
            where = f"after {before[before.index(number) - 1]}"
        return f"{number}: '{' '.join(self.words[move.first : move.end])}' {where} (confidence {move.confidence:.2f})"

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain data; words are counted from 1, and 0 in ``after`` means the beginning."""
        return {
            "system": self.system,
            "segment": self.segment,
            "score": plain(self.score),
            "confidence": plain(self.confidence),
            "matched_pairs": self.matched,
            "source_pairs": plain(self.source),
            "usual_pairs": plain(self.usual),
            **({"given": {name: plain(value) for name, value in self.given.items()}} if self.given else {}),
            "words": list(self.words),
            "moves": [
                {
                    "first": move.first + 1,
                    "last": move.end,
                    "text": " ".join(self.words[move.first : move.end]),
                    "after": move.after + 1,
                    "region": [move.region[0] + 1, move.region[1]],
                    "confidence": plain(move.confidence),
                }
                for move in self.moves
            ],
            "marked": self.marked,
            **({} if self.source_text is None else {"source": self.source_text}),
            **({} if self.reference_text is None else {"reference": self.reference_text}),
        }


@dataclass(frozen=True, eq=False)
class Findings(Sequence[Finding]):
    """A sequence of segments that may have order errors, worst first.

    ``segments`` is the number of segments examined over all systems, and ``undefined`` is how many of them have no
    score. ``by`` is the name of the external scores by which the findings are sorted, if any.
    """

    found: tuple[Finding, ...]
    segments: int
    undefined: int
    signature: dict[str, Any]
    notes: tuple[str, ...] = ()
    by: str | None = None

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, place: Any) -> Any:
        return self.found[place]

    def table(self) -> Table:
        """Return a table with one row for each segment found."""
        first = self.found[0] if self.found else None
        counted = [name for name in ("matched", "source", "usual") if getattr(first, name, None) is not None]
        given = list(first.given) if first else []
        columns = [
            Column("system", "left"),
            Column("segment"),
            Column("score", number=".2g"),
            Column("confidence", number=".2f"),
        ]
        columns += [Column(f"{name} pairs" if name != "usual" else name, number=".1f") for name in counted]
        columns += [Column(f"given:{name}", number=".4g") for name in given]
        columns += [Column("text", "left"), Column("moves", "left")]
        rows: list[list[Cell | str | int]] = [
            [
                one.system,
                one.segment,
                Cell(one.score),
                Cell(one.confidence),
                *(Cell(getattr(one, name)) for name in counted),
                *(Cell(one.given[name]) for name in given),
                one.marked,
                "; ".join(one.describe(number) for number in range(1, len(one.moves) + 1)),
            ]
            for one in self.found
        ]
        return Table.of("", columns, rows, notes=self.all_notes, signature=self.signature)

    @property
    def all_notes(self) -> list[str]:
        """Notes on the sorting of the findings, the number of segments left out, and the method."""
        first = "" if self.by is None else f" by {self.by} among those in which a word must move"
        notes = [
            f"{len(self.found)} of {count_of(self.segments, 'segment')}, worst first{first}; a score of 1 is in "
            "order, a lower one a reason to look, not a verdict (how reliable: wordorder find --measure)"
        ]
        if self.undefined:
            notes.append(f"left out, as no word is matched or aligned: {count_of(self.undefined, 'segment')}")
        return [*notes, *self.notes]

    def __str__(self) -> str:
        shown = "\n".join(map(str, self.found)) or "nothing was found to be out of order\n"
        return "\n".join([shown, *self.all_notes, write_signature(self.signature)])

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """Return all findings as plain data, unrounded."""
        return {
            "version": __version__,
            "signature": self.signature,
            "segments": self.segments,
            "undefined": self.undefined,
            "found": [one.to_dict() for one in self.found],
            "notes": self.all_notes,
        }

    def page(self) -> str:
        """Return the findings as an HTML page, with the words that must move in colour."""
        from wordorder.apps.find.page import write_page

        return write_page(self)
