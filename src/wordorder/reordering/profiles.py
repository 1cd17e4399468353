"""Profiles of one or more corpora side by side: one call, tables, JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from wordorder.orders import DEFAULT_POLICY
from wordorder.reordering.characteristics import count_words
from wordorder.reordering.corpus import Corpus, Pairs, check_names
from wordorder.reordering.corpus_profile import Profile, add_up
from wordorder.reordering.links import check_side
from wordorder.reordering.measures import Measures
from wordorder.report.histogram import draw_histogram
from wordorder.report.table import Cell, Column, Table
from wordorder.runtime.errors import UsageError, choices
from wordorder.runtime.plain import plain
from wordorder.runtime.progress import progress
from wordorder.version import __version__

FIGURES = {
    "sentences": "sentences",
    "unlinked_sentences": "sentences without links",
    "source_words": "source words",
    "target_words": "target words",
    "links": "links",
    "unaligned_source": "unaligned source words, share",
    "unaligned_target": "unaligned target words, share",
    "rquantity": "RQuantity",
    "rquantity_source": "RQuantity, source side",
    "reorderings": "reorderings",
    "per_sentence": "reorderings per sentence",
    "reordered_sentences": "sentences with reordering, share",
    "short": "short reorderings (2–4 words), share",
    "medium": "medium reorderings (5–8), share",
    "long": "long reorderings (over 8), share",
    "wider_than_7": "wider than 7, per sentence",
    "wider_than_15": "wider than 15, per sentence",
    "mean_width": "mean width",
    "mean_depth": "mean nesting",
    "deepest": "deepest nesting",
    "blocked": "neighbours in a discontinuous area, share",
    "crossings_per_word": "crossing links per source word",
    "cycles_per_sentence": "cycles per sentence",
    "longest_cycle": "longest cycle",
    "binarisable": "binarisable (ITG) sentences, share",
    "largest_operator": "largest simple operator",
    "source_order_bleu": "BLEU of the reference in source order",
    "source_vocabulary": "source vocabulary",
    "target_vocabulary": "target vocabulary",
    "similarity": "similarity (character trigrams)",
}
"""The figures of a profile by name, as tables label them."""

_FROM_TEXT = ("source_order_bleu", "source_vocabulary", "target_vocabulary", "similarity")

STEP = 10
"""How many sentence lengths are grouped: 1–10, 11–20 …"""


@dataclass(frozen=True, eq=False)
class Profiles:
    """The profiles of some corpora. ``side`` is where the width of reorderings is measured in tables."""

    profiles: tuple[Profile, ...]
    signatures: tuple[dict[str, object], ...]
    side: str = "target"

    def __iter__(self) -> Iterator[Profile]:
        return iter(self.profiles)

    def __len__(self) -> int:
        return len(self.profiles)

    def __getitem__(self, name: str) -> Profile:
        """Return the profile of a corpus by its name."""
        for profile in self.profiles:
            if profile.name == name:
                return profile
        raise choices(name, [profile.name for profile in self.profiles], what="corpus")

    @property
    def signature(self) -> dict[str, object]:
        """Return what says how the figures were made."""
        return {"policy": self.profiles[0].policy, "side": self.side, "version": __version__}

    def signature_text(self) -> str:
        """Write the signature in one line; where corpora were read in different ways, it lists all of them."""
        found: dict[str, dict[str, None]] = {}
        for signature in (*self.signatures, self.signature):
            for key, value in signature.items():
                found.setdefault(key, {})[str(value)] = None
        return "|".join(f"{key}:{','.join(values)}" for key, values in found.items())

    def table(self) -> Table:
        """Return the table of all figures, one column per corpus; figures that need text are left out without it."""
        summaries = [profile.summary(self.side) for profile in self]
        rows: list[list[Cell | str]] = []
        for name, label in FIGURES.items():
            values = [summary.get(name) for summary in summaries]
            if name not in _FROM_TEXT or any(value is not None for value in values):
                rows.append([label, *map(Cell, values)])
        policy = self.profiles[0].policy
        how = f"widths in {self.side} words; cycles and operators of the order under the policy {policy}"
        notes = [how, self.signature_text()]
        return Table.of("", [Column("figure", "left"), *self._columns()], rows, notes=notes)

    def width_table(self) -> Table:
        """Return the table of reorderings per sentence by total width."""
        found = self._per_sentence()
        widths = sorted(set().union(*found))
        rows = [[width, *(each.get(width, 0.0) for each in found)] for width in widths]
        notes = [f"reorderings per sentence by total width in words, {self.side} side", self.signature_text()]
        return Table.of("", [Column("width"), *self._columns(".4f")], rows, notes=notes)

    def length_table(self, *, step: int = STEP) -> Table:
        """Return the table of RQuantity by sentence length, with the number of sentences of each length."""
        found = [{row.shortest: row for row in profile.by_length(self.side, step=step)} for profile in self]
        columns = [Column("words", "left")]
        for profile in self:
            columns += [Column(profile.name), Column(f"{profile.name} sentences")]
        rows = []
        for shortest in sorted(set().union(*found)):
            row: list[str | float | int | None] = []
            for each in found:
                here = each.get(shortest)
                row += [None, 0] if here is None else [here.rquantity, here.sentences]
            last = max(each[shortest].longest for each in found if shortest in each)
            rows.append([f"{shortest}–{last}" if last > shortest else str(shortest), *row])
        notes = [f"RQuantity by number of {self.side} words", self.signature_text()]
        return Table.of("", columns, rows, notes=notes)

    def histogram(self, *, width: int = 80) -> str:
        """Draw how many reorderings of each width a sentence has."""
        found = self._per_sentence()
        classes = _width_classes(max(set().union(*found), default=0))
        if not classes:
            return "no reorderings: every sentence is monotone"
        labels = [f"{first}–{last}" if last > first else f"{first}" for first, last in classes]
        series = {
            profile.name: [sum(each.get(w, 0.0) for w in range(first, last + 1)) for first, last in classes]
            for profile, each in zip(self, found, strict=True)
        }
        title = f"reorderings per sentence by width in {self.side} words\n"
        return title + draw_histogram(labels, series, width=width)

    def plot(self, kind: str = "width", *, step: int = STEP) -> Any:
        """Draw an Altair chart (extra ``pictures``): reorderings by ``width``, or RQuantity by ``length``."""
        from wordorder.reordering.plots import plot_profiles

        return plot_profiles(self, kind, step=step)

    def to_dict(self, *, step: int = STEP) -> dict[str, Any]:
        """Return everything unrounded; undefined values are None."""
        corpora = [
            {
                "name": profile.name,
                "signature": signature,
                "figures": profile.summary(self.side),
                "by_width": [vars(row) for row in profile.by_width(self.side)],
                "by_length": [plain(vars(row)) for row in profile.by_length(self.side, step=step)],
            }
            for profile, signature in zip(self, self.signatures, strict=True)
        ]
        return {"version": __version__, "signature": self.signature, "corpora": corpora}

    def __repr__(self) -> str:
        return f"Profiles({', '.join(profile.name for profile in self)})"

    def __str__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def _per_sentence(self) -> list[dict[int, float]]:
        """Return the reorderings per sentence of each width, for each corpus."""
        return [{row.width: row.per_sentence for row in profile.by_width(self.side)} for profile in self]

    def _columns(self, number: str = ".3f") -> list[Column]:
        return [Column(profile.name, number=number) for profile in self]


def profile(
    *corpora: Corpus,
    side: str = "target",
    policy: str = DEFAULT_POLICY,
    vocabulary: bool = False,
    threads: int = 1,
    visit: Callable[[Corpus, Measures], None] | None = None,
) -> Profiles:
    """Profile corpora, to be compared side by side. Memory does not grow with the number of sentences.

    ``vocabulary`` asks for the size of both vocabularies and their similarity (texts are needed). ``visit`` sees
    the measures of every block as they come, sentence by sentence.

    >>> from wordorder.orders import Alignment
    >>> swapped = Corpus("swapped", [Alignment(((0, 1), (1, 0)), 2, 2), Alignment(((0, 0),), 1, 1)])
    >>> profile(swapped)["swapped"].rquantity()
    0.5
    """
    check_names(corpora, "corpora")
    check_side(side)
    found = [_profile(corpus, policy, vocabulary, threads, visit) for corpus in corpora]
    return Profiles(tuple(found), tuple(corpus.signature for corpus in corpora), side)


def _profile(
    corpus: Corpus, policy: str, vocabulary: bool, threads: int, visit: Callable[[Corpus, Measures], None] | None
) -> Profile:
    words: tuple[Counter[str], Counter[str]] = (Counter(), Counter())

    def counted() -> Iterator[Pairs]:
        for pairs in corpus.blocks(words=vocabulary):
            for counter, sentences in zip(words, pairs[1:], strict=True):
                if vocabulary:
                    if sentences.words is None:
                        raise UsageError(f"{corpus.name}: the vocabulary needs the text of both sides")
                    counter.update(count_words(sentences.words))
            yield pairs

    def seen() -> Iterator[Measures]:
        blocks = progress(counted(), label=f"profiling {corpus.name}", unit=" blocks")
        for measures in corpus.measure(blocks, policy=policy, threads=threads):
            if visit is not None:
                visit(corpus, measures)
            yield measures

    result = add_up(seen(), policy=policy, name=corpus.name)
    return replace(result, words=words) if vocabulary else result


def _width_classes(widest: int) -> list[tuple[int, int]]:
    """Return classes of width up to the widest: two, three, four words, then two classes for each doubling.

    >>> _width_classes(14)
    [(2, 2), (3, 3), (4, 4), (5, 6), (7, 8), (9, 12), (13, 16)]
    """
    classes = [(2, 2), (3, 3), (4, 4)] if widest else []
    while classes and classes[-1][1] < widest:
        first = classes[-1][1] + 1
        half = 1 << ((first - 1).bit_length() - 2)
        classes.append((first, first + half - 1))
    return classes
