"""The results of a search for patterns: patterns and differences between systems, strongest evidence first."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from wordorder.apps.find.page import mark_pieces, write_document
from wordorder.core.runtime.errors import count_of
from wordorder.core.runtime.plain import plain
from wordorder.report.table import Cell, Column, Table, write_signature
from wordorder.version import __version__

LEVEL = 0.05
"""Corrected p-values below this are significant."""

SHOWN = 5
"""Number of patterns of each system, and of differences, that are printed as sentences."""


@dataclass(frozen=True)
class MarkedExample:
    """A segment (counted from 1) in which a word of a pattern must move: the reference and the marked translation.

    ``pieces`` are the kind and the text of each piece of the translation (see :meth:`Finding.pieces`).
    """

    segment: int
    reference: str
    pieces: tuple[tuple[str, str], ...]

    @property
    def marked(self) -> str:
        """The translation with brackets around the words that must move, and an arrow where they belong."""
        return " ".join(text for _, text in self.pieces)


@dataclass(frozen=True)
class Pattern:
    """Words with a label that stand too ``early`` or too ``late`` in a system more often than they do elsewhere.

    ``words`` is the weight of all words with this label, and ``moved`` the weight of those that stand too early (or
    late); ``rate`` is their quotient. ``elsewhere`` is the rate of all other words or, with a ``baseline``, the rate
    of the same label in the baseline system; ``interval`` is that of the rate or, with a baseline, of the difference.
    ``share`` is the share of this direction among all moves of the label, and ``distance`` the mean distance in
    words. ``p`` is corrected for everything tried. ``repeats`` is true if at least half of the moved words belong to
    patterns with stronger evidence.
    """

    system: str
    kind: str
    label: str
    direction: str
    words: float
    moved: float
    rate: float
    elsewhere: float
    share: float
    distance: float
    p: float
    baseline: str | None = None
    interval: tuple[float, float] | None = None
    repeats: bool = False
    mostly: tuple[tuple[str, float], ...] = ()
    examples: tuple[MarkedExample, ...] = ()

    @property
    def sentence(self) -> str:
        """The pattern in words."""
        name = f"'{self.label}'" if self.kind == "word" else f"{self.kind} {self.label}"
        stands = f"{name} stands too {self.direction} {self.rate:.1%} of the time"
        if self.baseline is not None:
            return f"{stands} ({self.baseline}: {self.elsewhere:.1%})"
        return f"{stands} (other words {self.elsewhere:.1%}), by {self.distance:.1f} words on average"

    def __str__(self) -> str:
        lines = [f"{self.system}: {self.sentence}"]
        if self.kind != "word" and self.mostly:
            lines.append(f"     mostly {', '.join(f'{word} ({count:.0f})' for word, count in self.mostly)}")
        for one in self.examples[:2]:
            lines += [f"     ref  {one.reference}", f"     hyp  {one.marked}"]
        return "\n".join([*lines, ""])

    def to_dict(self) -> dict[str, Any]:
        """Return the pattern as plain data."""
        made = {name: plain(value) if isinstance(value, float) else value for name, value in vars(self).items()}
        shown = [{"segment": e.segment, "reference": e.reference, "marked": e.marked} for e in self.examples]
        return made | {"examples": shown}


@dataclass(frozen=True, eq=False)
class Patterns:
    """The patterns of all systems and the differences from the first system, strongest evidence first.

    ``tried`` and ``compared`` hold every label that was tested, ``found`` and ``differences`` those that are
    significant.
    """

    systems: tuple[str, ...]
    segments: int
    tried: tuple[Pattern, ...]
    compared: tuple[Pattern, ...]
    signature: dict[str, Any]
    notes: tuple[str, ...] = ()

    @property
    def found(self) -> tuple[Pattern, ...]:
        """The significant patterns."""
        return tuple(one for one in self.tried if one.p < LEVEL)

    @property
    def differences(self) -> tuple[Pattern, ...]:
        """The significant differences from the first system."""
        return tuple(one for one in self.compared if one.p < LEVEL)

    def tables(self, *, all_tried: bool = False) -> dict[str, Table]:
        """Return a table of the significant patterns and, if there are several systems, one of the differences.

        With ``all_tried``, the tables have everything that was tried.
        """
        tables = {"patterns": self._table("", self.tried if all_tried else self.found, "elsewhere")}
        if self.systems[1:]:
            title = f"Differences from {self.systems[0]}"
            tables["differences"] = self._table(title, self.compared if all_tried else self.differences, "baseline")
        return tables

    def _table(self, title: str, chosen: tuple[Pattern, ...], other: str) -> Table:
        columns = [Column(name, "left") for name in ("system", "kind", "label", "too")]
        columns += [Column("rate"), Column(other), Column("share", number=".2f"), Column("distance", number=".1f")]
        columns += [Column("words", number=".0f"), Column("p", number=".2g")]
        rows: list[list[Cell | str]] = [
            [
                *(one.system, one.kind, one.label, one.direction),
                Cell(one.rate, interval=one.interval if one.baseline is None else None),
                *map(Cell, (one.elsewhere, one.share, one.distance, one.words, one.p)),
            ]
            for one in chosen
        ]
        return Table.of(title, columns, rows, notes=self.all_notes, signature=self.signature)

    @property
    def all_notes(self) -> list[str]:
        """Notes on the number of patterns tried, the meaning of the columns, and the method."""
        found = f"{len(self.found)} of {count_of(len(self.tried), 'pattern')} tried in {self.segments:,} segments"
        shown = f"{found} {'is' if len(self.found) == 1 else 'are'} significant (corrected)"
        meaning = (
            "rate: share of the words that stand too early (or late); elsewhere: that of all other words; share: of "
            "this direction among the moves of these words; distance: in words"
        )
        return [shown, meaning, *self.notes]

    def __str__(self) -> str:
        lines = []
        for system in dict.fromkeys(one.system for one in self.tried):
            mine = [one for one in self.found if one.system == system and not one.repeats]
            lines += [str(one) for one in mine[:SHOWN]] or [f"{system}: no pattern was found\n"]
        return "\n".join([*lines, *map(str, self.differences[:SHOWN])])

    def _repr_html_(self) -> str:
        return self.tables()["patterns"]._repr_html_()

    def plot(self, kind: str = "class", *, system: str | None = None) -> Any:
        """Return an Altair chart of how often words move left and right in one system, by label of one kind."""
        from wordorder.report.charts import plot_intervals

        chosen = [one for one in self.tried if one.kind == kind and one.system == (system or self.systems[0])]
        records = [
            {"label": one.label, "too": one.direction, "rate": one.rate}
            | dict(zip(("low", "high"), one.interval or (None, None), strict=True))
            for one in sorted(chosen, key=lambda one: (-one.words, one.direction))
        ]
        return plot_intervals(records, name="label", value="rate", series="too")

    def page(self) -> str:
        """Return the patterns as an HTML page, each with its segments."""
        return write_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, unrounded."""
        return {
            "version": __version__,
            "signature": self.signature,
            "segments": self.segments,
            "patterns": [one.to_dict() for one in self.found],
            "differences": [one.to_dict() for one in self.differences],
            "tried": len(self.tried),
            "compared": len(self.compared),
            "notes": self.all_notes,
        }

    @property
    def footer(self) -> str:
        """The notes and the signature as text."""
        return "\n".join([*self.all_notes, write_signature(self.signature)])


def write_page(found: Patterns) -> str:
    """Return the HTML page, which shows the patterns of each system; a click on a pattern opens its segments."""
    names = list(dict.fromkeys(one.system for one in found.tried))
    grouped = {name: [one for one in found.found if one.system == name] for name in names}
    largest = max((one.rate for one in found.found), default=1.0)
    parts = []
    for name, mine in grouped.items():
        if mine:
            parts += [f"<h2>{escape(name)}</h2>", *(_details(one, one.rate / largest) for one in mine)]
    if none := [escape(name) for name, mine in grouped.items() if not mine]:
        parts.append(f"<p>No pattern was found in: {', '.join(none)}</p>")
    if found.differences:
        parts.append("<h2>Differences</h2>")
        parts += [f"<p>{escape(one.system)}: {escape(one.sentence)}</p>" for one in found.differences]
    return write_document("Patterns of order errors", parts, found.footer.splitlines())


def _details(one: Pattern, length: float) -> str:
    shown = "\n".join(
        f'<p class="small">segment {each.segment}</p>\n'
        f'<p dir="auto"><span class="label">ref</span> {escape(each.reference)}</p>\n'
        f'<p dir="auto"><span class="label">hyp</span> {mark_pieces(each.pieces)}</p>'
        for each in one.examples
    )
    words = ", ".join(f"{escape(word)} ({count:.0f})" for word, count in one.mostly)
    bar = f'<span class="scale"><span class="bar {one.direction}" style="width: {100 * length:.1f}%"></span></span>'
    head = f"<summary>{bar} {escape(one.sentence)}</summary>"
    return f"<details>\n{head}\n<article>\n<p>mostly {words}</p>\n{shown}\n</article>\n</details>"
