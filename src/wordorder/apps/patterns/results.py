"""The results of looking for patterns: sentences, tables and plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from wordorder.apps.patterns.labels import describe
from wordorder.core.runtime.errors import count_of
from wordorder.core.runtime.plain import plain
from wordorder.report.table import Cell, Column, Table, split_shared, write_signature
from wordorder.version import __version__

if TYPE_CHECKING:
    from wordorder.scoring.inputs.texts import TextInputs

LEVEL = 0.05
"""Corrected p-values below this are significant."""

TOGETHER = "all systems"
"""The name under which the sums of several systems are tested."""

SHOWN = 5
"""Number of patterns of each system, and of differences, that are printed as sentences."""

ROWS, BESIDE = 12, 3
"""Number of patterns in the overview of several systems, and number of patterns beside each system."""


@dataclass(frozen=True)
class MarkedExample:
    """A segment (counted from 1) in which a word of a pattern must move: the reference and the marked translation.

    ``pieces`` are the kind and the text of each piece of the translation (see :meth:`Finding.pieces`), and ``other``
    is the translation by the system with which this one is compared.
    """

    segment: int
    reference: str
    pieces: tuple[tuple[str, str], ...]
    other: str | None = None

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
    patterns with stronger evidence. ``segments`` are the segments with such words, each with its words; with a
    baseline, those in which the system with the higher rate moves more of them than the other. Examples come from the
    same segments.
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
    segments: tuple[tuple[int, str], ...] = ()

    @property
    def key(self) -> tuple[str, str, str]:
        """The kind of label, the label and the direction, which are the same in other systems."""
        return self.kind, self.label, self.direction

    @property
    def sentence(self) -> str:
        """The pattern in words."""
        stands = f"{describe(self.kind, self.label)} stand{'s' * (self.kind == 'word')} too {self.direction}"
        if self.baseline is not None:
            often = "more" if self.rate > self.elsewhere else "less"
            return f"{stands} {often} often than in {self.baseline}: {self.rate:.1%} against {self.elsewhere:.1%}"
        return (
            f"{stands} {self.rate:.1%} of the time (other words {self.elsewhere:.1%}), "
            f"by {self.distance:.1f} words on average"
        )

    def __str__(self) -> str:
        lines = [f"  {self.sentence}"]
        if self.kind != "word" and self.mostly:
            lines.append(f"     mostly {', '.join(f'{word} ({count:.0f})' for word, count in self.mostly)}")
        names = ["hyp"] if self.baseline is None else [self.system, self.baseline]
        names = ["ref", *(names if self.baseline is None or self.rate > self.elsewhere else names[::-1])]
        width = max(map(len, names))
        for one in self.examples[:2]:
            texts = (one.reference, one.marked, one.other)
            lines += [f"     {name:{width}}  {text}" for name, text in zip(names, texts, strict=False)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the pattern as plain data."""
        made = {name: plain(value) if isinstance(value, float) else value for name, value in vars(self).items()}
        shown = [{"segment": e.segment, "reference": e.reference, "marked": e.marked} for e in self.examples]
        return made | {"sentence": self.sentence, "examples": shown}


@dataclass(frozen=True, eq=False)
class Patterns:
    """The patterns of all systems and the differences from the first system, strongest evidence first.

    ``tried`` and ``compared`` hold every label that was tested, ``found`` and ``differences`` those that are
    significant. ``rates`` has the share of words that stand too early or too late in each system, and ``unranked``
    the systems that match too few words to be examined, each with the reason. ``texts`` are the inputs.
    """

    rates: Mapping[str, float]
    unranked: Mapping[str, str]
    segments: int
    tried: tuple[Pattern, ...]
    compared: tuple[Pattern, ...]
    texts: TextInputs = field(repr=False)
    signature: dict[str, Any]
    notes: tuple[str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that were examined."""
        return tuple(self.rates)

    @property
    def found(self) -> tuple[Pattern, ...]:
        """The significant patterns."""
        return tuple(one for one in self.tried if one.p < LEVEL)

    @property
    def differences(self) -> tuple[Pattern, ...]:
        """The significant differences from the first system."""
        return tuple(one for one in self.compared if one.p < LEVEL)

    def of(self, system: str) -> list[Pattern]:
        """Return the significant patterns of a system without those that repeat stronger ones."""
        return [one for one in self.found if one.system == system and not one.repeats]

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

    def overview(self) -> list[Table]:
        """Return two tables for many systems: which patterns they share, and what stands out in each system."""
        shared, names = self._short_names()
        rates = {(one.system, *one.key): one.rate for one in self.tried}
        counts = Counter(one.key for one in self.found if one.system != TOGETHER)
        keys = dict.fromkeys(one.key for one in self.found if not one.repeats)
        rows: list[list[Any]] = []
        for key in sorted(keys, key=lambda key: -counts[key]):
            name = describe(*key[:2]).replace("translations of", "source")  # the column is narrow
            rate, system = max((rates.get((system, *key), 0.0), names[system]) for system in self.systems)
            count = f"{counts[key]} of {len(self.systems)}"
            rows.append([f"{name} too {key[2]}", count, rates[TOGETHER, *key], f"{rate:.1%} {system}"])
        columns = [Column("pattern", "left"), Column("systems"), Column("rate", number=".1%")]
        columns += [Column("highest", "left", shorten=True)]
        found = Table.of(f"{shared}: " * bool(shared) + f"{self.segments:,} segments", columns, rows[:ROWS])
        lines: list[list[Any]] = []
        for system, rate in sorted(self.rates.items(), key=lambda each: each[1]):
            best = [f"{one.label} {one.direction} {one.rate:.0%}" for one in self.of(system)[:BESIDE]]
            lines.append([names[system], rate, ", ".join(best) or "–"])
        columns = [Column("system", "left", shorten=True), Column("out of place", number=".1%")]
        beside = Table.of("", [*columns, Column("what stands out", "left")], lines)
        return [found, beside]

    def _short_names(self) -> tuple[str, dict[str, str]]:
        shared, rest = split_shared(self.systems) if self.systems else ("", [])
        return shared, dict(zip(self.systems, rest, strict=True)) | {TOGETHER: TOGETHER}

    @property
    def all_notes(self) -> list[str]:
        """Notes on the number of patterns tried, the meaning of the columns, and the method."""
        found = f"{len(self.found)} of {count_of(len(self.tried), 'pattern')} tried in {self.segments:,} segments"
        shown = f"{found} {'is' if len(self.found) == 1 else 'are'} significant (corrected)"
        meaning = (
            "rate: share of the words that stand too early (or late); elsewhere: that of all other words; share: of "
            "this direction among the moves of these words; distance: in words"
        )
        left_out = (f"{system} is not examined: {reason}" for system, reason in self.unranked.items())
        return [shown, meaning, *left_out, *self.notes]

    def __str__(self) -> str:
        """Return what people should read first: sentences for one or two systems, tables for more."""
        if len(self.systems) > 2:
            return "\n\n".join(map(str, self.overview()))
        shared = self._short_names()[0]
        lines = [f"{shared}: {self.segments:,} segments\n"] if shared else []
        for heading, patterns in self.groups():
            lines += [heading, *(str(shown) for _, shown in patterns[:SHOWN]), ""]
        return "\n".join(lines)

    def groups(self) -> list[tuple[str, list[tuple[Pattern, Pattern]]]]:
        """Return headings, each with its patterns as they are and with short names of systems, without repetitions.

        There is a group for each system, and one for its differences from the first system, of which those come first
        in which it is worse. The differences of two systems come before everything else.
        """
        names, first = self._short_names()[1], "".join(self.systems[:1])
        moved = {
            system: f"{rate:.1%} of its matched words stand too early or too late"
            for system, rate in self.rates.items()
        }
        found, compared = [], []
        if self.systems[2:]:
            found.append((f"{TOGETHER}, added up", self.of(TOGETHER)))
        for system in self.systems:
            mine = self.of(system)
            found.append((f"{names[system]}: {moved[system]}" + "; no pattern was found" * (not mine), mine))
        for system in self.systems[1:]:
            mine = [one for one in self.differences if one.system == system and not one.repeats]
            mine.sort(key=lambda one: one.rate < one.elsewhere)
            heading = f"{names[system]} against {names[first]}: {moved[system]}, against {self.rates[first]:.1%}"
            compared.append((heading + "; no pattern differs" * (not mine), mine))
        groups = [*found, *compared] if self.systems[2:] else [*compared, *found]

        def rename(one: Pattern) -> Pattern:
            return replace(one, system=names[one.system], baseline=one.baseline and names[one.baseline])

        return [(heading, [(one, rename(one)) for one in mine]) for heading, mine in groups]

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

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, unrounded."""
        return {
            "version": __version__,
            "signature": self.signature,
            "segments": self.segments,
            "rates": dict(self.rates),
            "unranked": dict(self.unranked),
            "patterns": [one.to_dict() for one in self.found],
            "differences": [one.to_dict() for one in self.differences],
            "tried": len(self.tried),
            "compared": len(self.compared),
            "notes": self.all_notes,
        }

    @property
    def footer(self) -> str:
        """What stands below the sentences: systems left out, the number of patterns, and the signature."""
        shown, _, *rest = self.all_notes
        more = f"{shown}; for all of them: --all, --format or --html"
        return "\n".join([more, *rest, write_signature(self.signature)])
