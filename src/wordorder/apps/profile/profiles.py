"""Profile one or more corpora, and compare them in tables and JSON."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from wordorder.apps.profile.corpus import Corpus, Pairs, check_names
from wordorder.apps.profile.corpus_profile import Difference, Profile, add_up, compare, count_words
from wordorder.apps.profile.language_pairs import LanguagePairs
from wordorder.apps.profile.measures import Measures
from wordorder.core.orders import DEFAULT_POLICY
from wordorder.core.reorderings.links import check_side
from wordorder.core.runtime.errors import UsageError, check_choice, choices
from wordorder.core.runtime.plain import plain
from wordorder.core.runtime.threads import progress
from wordorder.core.statistics.corrections import holm
from wordorder.report.histogram import draw_histogram
from wordorder.report.table import Cell, Column, Table, Tabular, write_p
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
"""The label of each figure of a profile, by the name of the figure."""

_FROM_TEXT = ("source_order_bleu", "source_vocabulary", "target_vocabulary", "similarity")

_MOST_COMPARED = 3  # with more corpora, only pairs without a significant difference are listed

KINDS = ("width", "length")
STEP = 10
"""Number of sentence lengths in a group: 1–10, 11–20 …"""


@dataclass(frozen=True, eq=False)
class Profiles(Tabular):
    """The profiles of one or more corpora; in tables, widths are counted in words of ``side``."""

    profiles: tuple[Profile, ...]
    signatures: tuple[dict[str, object], ...]
    side: str = "target"

    def __iter__(self) -> Iterator[Profile]:
        return iter(self.profiles)

    def __len__(self) -> int:
        return len(self.profiles)

    def __getitem__(self, name: str) -> Profile:
        """Return the profile of the corpus with the given name."""
        for profile in self.profiles:
            if profile.name == name:
                return profile
        raise choices(name, [profile.name for profile in self.profiles], what="corpus")

    @property
    def signature(self) -> dict[str, object]:
        """The settings of the profiles: the policy, the side and the version of wordorder."""
        return {"policy": self.profiles[0].policy, "side": self.side, "version": __version__}

    def full_signature(self) -> dict[str, list[str]]:
        """Return the signature combined with those of all corpora; each key has a list of its distinct values."""
        found: dict[str, dict[str, None]] = {}
        for signature in (*self.signatures, self.signature):
            for key, value in signature.items():
                found.setdefault(key, {})[str(value)] = None
        return {key: list(values) for key, values in found.items()}

    def table(self) -> Table:
        """Return the table of figures, with a column for each corpus.

        Figures that need text are left out if no corpus has text.
        """
        summaries = [profile.summary(self.side) for profile in self]
        rows: list[list[Cell | str]] = []
        for name, label in FIGURES.items():
            values = [summary.get(name) for summary in summaries]
            if name not in _FROM_TEXT or any(value is not None for value in values):
                found = [each.estimate(name, self.side) for each in self]
                bounds = [None if each is None else each.interval for each in found]
                rows.append([label, *map(Cell, values, bounds)])
        policy = self.profiles[0].policy
        settings = f"widths in {self.side} words; cycles and operators of the order under the policy {policy}"
        columns = [Column("measure", "left"), *self._columns()]
        notes = [f"{settings}; 95% intervals over sentences", *self._verdicts()]
        return Table.of("", columns, rows, notes=notes, signature=self.full_signature())

    @property
    def comparisons(self) -> list[Difference]:
        """The comparison of RQuantity for every pair of corpora."""
        found = {profile.name: profile.estimate("rquantity") for profile in self}
        pairs = combinations([(name, each) for name, each in found.items() if each is not None], 2)
        tested = [compare("rquantity", one, two) for one, two in pairs]
        corrected = holm([each.p for each in tested])
        return [replace(each, p_corrected=float(p)) for each, p in zip(tested, corrected, strict=True)]

    def _verdicts(self) -> list[str]:
        """Return notes that say which corpora differ significantly in RQuantity.

        With more than three corpora, only the pairs without a significant difference are listed.
        """
        tested = self.comparisons
        if len(self) <= _MOST_COMPARED:
            return [_sentence(each) for each in tested]
        alike = [f"{each.a} and {each.b} (p {write_p(each.p_corrected)})" for each in tested if not each.significant]
        but = f", except {', '.join(alike)}" if alike else ""
        return [f"RQuantity: every pair of corpora differs significantly{but} (Welch's t-test, Holm-corrected)"]

    def width_table(self) -> Table:
        """Return a table of the number of reorderings per sentence for each width."""
        found = self._per_sentence()
        widths = sorted(set().union(*found))
        rows = [[width, *(each.get(width, 0.0) for each in found)] for width in widths]
        notes = [f"reorderings per sentence by total width in words, {self.side} side"]
        columns = [Column("width"), *self._columns(".4f")]
        return Table.of("", columns, rows, notes=notes, signature=self.full_signature())

    def length_table(self, *, step: int = STEP) -> Table:
        """Return a table of RQuantity by sentence length (Birch 2011, Figures 3.15 and 3.16).

        For each corpus and range of lengths, it shows the mean, the standard deviation and the number of sentences.
        """
        found = [{row.shortest: row for row in profile.by_length(self.side, step=step)} for profile in self]
        columns = [Column("words", "left")]
        for profile in self:
            columns += [Column(f"{profile.name}{what}") for what in ("", " SD", " sentences")]
        rows = []
        for shortest in sorted(set().union(*found)):
            row: list[str | float | int | None] = []
            for each in found:
                here = each.get(shortest)
                row += [None, None, 0] if here is None else [here.rquantity, here.deviation, here.sentences]
            last = max(each[shortest].longest for each in found if shortest in each)
            rows.append([f"{shortest}–{last}" if last > shortest else str(shortest), *row])
        notes = [f"RQuantity by number of {self.side} words; SD: standard deviation over the sentences"]
        return Table.of("", columns, rows, notes=notes, signature=self.full_signature())

    def pairs(self) -> LanguagePairs:
        """Return the figures as a table of language pairs; the corpora must be named after them, as in ``de-en``.

        Figures that are undefined for at least one corpus are left out.
        """
        named = [profile.name.split("-") for profile in self]
        for profile, parts in zip(self, named, strict=True):
            if len(parts) != 2 or not all(parts):
                raise UsageError(f"expected corpora named after language pairs such as de-en, found {profile.name!r}")
        summaries = [profile.summary(self.side) for profile in self]
        columns = {name: [summary.get(name) for summary in summaries] for name in FIGURES}
        known = {name: np.array(values, np.float64) for name, values in columns.items() if None not in values}
        sources, targets = zip(*named, strict=True)
        return LanguagePairs(sources, targets, known)

    def histogram(self, *, width: int = 80) -> str:
        """Draw a histogram of the reorderings per sentence by width, as text."""
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
        """Plot reorderings by ``width`` or RQuantity by ``length`` as an Altair chart.

        Around the mean RQuantity is a band of one standard deviation. This needs the extra ``pictures``.
        """
        from wordorder.report.charts import plot_curves

        check_choice(kind, KINDS, "kind of chart")
        side = self.side
        if kind == "width":
            records = [
                {"corpus": profile.name, "width": row.width, "reorderings per sentence": row.per_sentence}
                for profile in self
                for row in profile.by_width(side)
            ]
            titles = f"width in {side} words", "reorderings per sentence"
            return plot_curves(records, x="width", y=titles[1], series="corpus", labels=titles)
        lengths = [
            {
                "corpus": profile.name,
                "length": (row.shortest + row.longest) / 2,
                "words": f"{row.shortest}–{row.longest}",
                "sentences": row.sentences,
                "RQuantity": row.rquantity,
                "low": row.rquantity - row.deviation if row.sentences > 1 else None,
                "high": row.rquantity + row.deviation if row.sentences > 1 else None,
            }
            for profile in self
            for row in profile.by_length(side, step=step)
        ]
        titles = f"{side} words (band: one standard deviation)", "RQuantity"
        return plot_curves(lengths, x="length", y="RQuantity", series="corpus", labels=titles)

    def to_dict(self, *, step: int = STEP) -> dict[str, Any]:
        """Return all figures as unrounded plain data; undefined numbers are None."""
        corpora = [
            {
                "name": profile.name,
                "signature": signature,
                "figures": profile.summary(self.side),
                "intervals": self._intervals(profile),
                "by_width": [vars(row) for row in profile.by_width(self.side)],
                "by_length": [plain(vars(row)) for row in profile.by_length(self.side, step=step)],
            }
            for profile, signature in zip(self, self.signatures, strict=True)
        ]
        tests = [plain(vars(each)) for each in self.comparisons]
        return {"version": __version__, "signature": self.signature, "corpora": corpora, "tests": tests}

    def _intervals(self, profile: Profile) -> dict[str, list[float | None]]:
        found = {name: profile.estimate(name, self.side) for name in FIGURES}
        return {name: plain(list(each.interval)) for name, each in found.items() if each is not None}

    def __repr__(self) -> str:
        return f"Profiles({', '.join(profile.name for profile in self)})"

    def _per_sentence(self) -> list[dict[int, float]]:
        """Return, for each corpus, the number of reorderings per sentence by width."""
        return [{row.width: row.per_sentence for row in profile.by_width(self.side)} for profile in self]

    def _columns(self, number: str = ".3f") -> list[Column]:
        return [Column(profile.name, number=number) for profile in self]


def _sentence(found: Difference) -> str:
    """Return a note on which corpus has more reordering, by how much, and whether this is significant."""
    if math.isnan(found.p):
        return f"RQuantity: {found.a} and {found.b} cannot be compared; one has too few sentences"
    sign = 1 if found.difference >= 0 else -1
    more, less = (found.a, found.b)[::sign]
    low, high = sorted((sign * found.low, sign * found.high))
    bounds = f"{low:.3f} to {high:.3f}".replace("-", "−")
    size = f"{abs(found.difference):.3f} (95% interval {bounds}; p {write_p(found.p_corrected)}, Welch's t-test)"
    if found.significant:
        return f"RQuantity: {more} reorders more than {less} by {size}"
    return f"RQuantity: {more} does not reorder significantly more than {less}; the difference is {size}"


def profile(
    *corpora: Corpus,
    side: str = "target",
    policy: str = DEFAULT_POLICY,
    vocabulary: bool = False,
    threads: int = 1,
    visit: Callable[[Corpus, Measures], None] | None = None,
) -> Profiles:
    """Profile one or more corpora; memory use does not grow with the number of sentences.

    With ``vocabulary``, profiles include the size and the similarity of both vocabularies, which requires both texts.
    ``visit`` is called with the corpus and the measures of every block.

    >>> from wordorder.core.orders import Alignment
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
                        raise UsageError(
                            f"{corpus.name}: profiling the vocabulary needs the source and the target text; give both"
                        )
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
    """Return the first and last width of each class of a histogram, up to the class of the ``widest`` reordering.

    The widths 2, 3 and 4 are classes of their own; from there on, two classes cover each doubling of the width.


    >>> _width_classes(14)
    [(2, 2), (3, 3), (4, 4), (5, 6), (7, 8), (9, 12), (13, 16)]
    """
    classes = [(2, 2), (3, 3), (4, 4)] if widest else []
    while classes and classes[-1][1] < widest:
        first = classes[-1][1] + 1
        half = 1 << ((first - 1).bit_length() - 2)
        classes.append((first, first + half - 1))
    return classes
