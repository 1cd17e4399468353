"""Translation errors marked by people: the errors that each judge found in each translation, plus the texts.

The readers of all error tables (MQM, chat, ESA, QRev, DEMETR) return :class:`Annotations`, which include the texts if
the table contains them. The attribute ``lines`` tells which line of the test-set files each segment comes from.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from wordorder.core.runtime.columns import Bools, Floats, Int64s
from wordorder.core.runtime.errors import InputError, choices, refuse, reject
from wordorder.formats.judgements import Ratings, number, place_systems

CRITICAL, MAJOR, MINOR, PUNCTUATION, NON_TRANSLATION = 10.0, 5.0, 1.0, 0.1, 25.0
ANY = "any"
"""The name that matches errors of any category."""

_MARK = re.compile(r"</?v>")
_CLEAN = ("no-error", "no error", "none", "")


class Error(NamedTuple):
    """One marked error, with its category and severity as written in the table."""

    category: str
    severity: str


def penalty(category: str, severity: str) -> float:
    """Return the penalty for one error (Freitag et al. 2021; for critical errors: Farinha et al. 2022).

    >>> penalty("Fluency/Grammar", "Minor"), penalty("Fluency/Punctuation", "minor"), penalty("No-error", "")
    (1.0, 0.1, 0.0)
    >>> penalty("Accuracy/Omission", "Critical")
    10.0
    """
    kind, level = category.strip().lower(), severity.strip().lower()
    if kind.startswith("non-translation"):
        return NON_TRANSLATION
    if level == "minor" and kind == "fluency/punctuation":
        return PUNCTUATION
    return {"critical": CRITICAL, "major": MAJOR, "minor": MINOR}.get(level, 0.0)


def errors_of(category: str, severity: str) -> list[Error]:
    """Return the error in a table row as a list, which is empty if the row has no error or is an attention check."""
    kind, level = category.strip(), severity.strip()
    if kind.lower() in _CLEAN or level.upper().startswith("HOTW"):
        return []
    return [Error(kind, level)]


def without_marks(text: str) -> str:
    """Return a text as one line, without the tags that mark error spans.

    >>> without_marks("a <v>b</v>\\nc")
    'a b c'
    """
    return " ".join(_MARK.sub("", text).split())


@dataclass(frozen=True, eq=False)
class Annotations:
    """Annotated translations: each annotation has a system, a segment, a judge and the marked errors, if any.

    Segments count from 0, in the order of the table. ``lines`` has the line of each segment in the files of the test
    set, counted from 0, or −1 if the table does not give it. ``hypotheses`` has the texts of each system by segment,
    with None for missing texts. ``scores`` has one score for each annotation, where higher is better.
    """

    pair: str
    systems: tuple[str, ...]
    judges: tuple[str, ...]
    system: Int64s
    segment: Int64s
    judge: Int64s
    errors: tuple[tuple[Error, ...], ...]
    lines: Int64s
    hypotheses: Mapping[str, Sequence[str | None]]
    sources: Sequence[str] | None = None
    references: Sequence[str] | None = None
    documents: tuple[str, ...] | None = None
    scores: Floats | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.segment)

    @property
    def numbered(self) -> bool:
        """Whether the line number in the test set is known for every segment."""
        return bool((self.lines >= 0).all())

    def translations(self) -> dict[str, list[str]]:
        """Return the texts of every system, with an empty line for each missing text."""
        return {name: [text or "" for text in texts] for name, texts in self.hypotheses.items()}

    def ratings(self) -> Ratings:
        """Return a rating for each annotation: its score or, without scores, minus the sum of its penalties."""
        values = self.scores
        if values is None:
            values = np.array([0.0 - sum(penalty(*error) for error in found) for found in self.errors])
        return Ratings(self.systems, self.judges, self.segment, self.system, self.judge, values, self.left_out)

    def categories(self) -> Counter[str]:
        """Count the errors in each category."""
        return Counter(error.category for found in self.errors for error in found)

    def marks(self, category: str) -> tuple[Bools, Bools, Bools]:
        """Return three masks ``[systems, segments]``: annotated, with an error of the category, and with any error.

        A category is given by its full name or by one of its parts, which are separated by slashes; case is ignored.
        Several categories are separated by commas, and ``any`` matches all of them.

        >>> found = AnnotationRows()
        >>> found.add("A", 1, "j", [Error("Fluency/Word order", "minor")], hypothesis="b a")
        >>> read, marked, wrong = found.gather("en-de", path="x.tsv").marks("word order")
        >>> marked.tolist()
        [[True]]
        """
        wanted = [one.strip().lower() for one in category.split(",") if one.strip()]
        refuse(not wanted, "the error category is empty; give the name of a category or 'any'")
        shape = len(self.systems), len(self.lines)
        read, marked, wrong = (np.zeros(shape, dtype=bool) for _ in range(3))
        known = {name: any(names_category(name, one) for one in wanted) for name in self.categories()}
        for system, segment, errors in zip(self.system, self.segment, self.errors, strict=True):
            read[system, segment] = True
            wrong[system, segment] |= bool(errors)
            marked[system, segment] |= any(known[error.category] for error in errors)
        return read, marked, wrong

    def among(self, systems: Sequence[str], *, unplaced: str = "error") -> "Annotations":
        """Return a copy with the systems numbered as in ``systems``.

        If other systems have annotations, raise an error or, if ``unplaced`` is ``drop``, leave out their
        annotations.
        """
        counts = np.bincount(self.system, minlength=len(self.systems))
        places = place_systems(self.systems, systems, counts=counts, unplaced=unplaced)
        system = places[self.system]
        kept = replace(self, systems=tuple(systems), system=system)
        return kept.select(system >= 0) if (system < 0).any() else kept

    def select(self, rows: Bools) -> "Annotations":
        """Return a copy with only the annotations that the mask ``rows`` selects."""
        columns: dict[str, Any] = {name: getattr(self, name)[rows] for name in ("system", "segment", "judge")}
        scores = None if self.scores is None else self.scores[rows]
        return replace(self, **columns, errors=tuple(compress(self.errors, rows)), scores=scores)

    def at_lines(self, lines: Int64s, count: int) -> "Annotations":
        """Return a copy in which segments are numbered by line in a test set of ``count`` lines.

        Segment i becomes line ``lines[i]``. The copy has no texts, because those of the test set are used instead.
        """
        if len(lines) and int(lines.max()) >= count:
            raise InputError(f"found annotations of segment {int(lines.max()) + 1}; the test set has only {count}")
        documents = None
        if self.documents is not None:
            names = dict(zip(lines.tolist(), self.documents, strict=True))
            documents = tuple(names.get(line, "") for line in range(count))
        everything = np.arange(count, dtype=np.int64)
        placed = replace(self, segment=lines[self.segment], lines=everything, documents=documents)
        return replace(placed, hypotheses={}, sources=None, references=None)


def names_category(category: str, wanted: str) -> bool:
    """Return whether a category or one of its parts equals ``wanted``, which must be in lower case.

    >>> names_category("Fluency/Word Order", "word order"), names_category("Style/Awkward", "style/awkward")
    (True, True)
    >>> names_category("REORDER", "order")
    False
    """
    name = category.lower()
    return wanted in (ANY, name) or wanted in (part.strip() for part in name.split("/"))


def check_category(found: Sequence[Annotations], category: str) -> None:
    """Raise an error if a category never occurs; the error message lists the categories that do."""
    counts: Counter[str] = Counter()
    for one in found:
        counts += one.categories()
    for wanted in (one.strip() for one in category.split(",")):
        if counts and not any(names_category(name, wanted.lower()) for name in counts):
            raise choices(wanted, [name for name, _ in counts.most_common(40)], what="error category")


class AnnotationRows:
    """A builder of :class:`Annotations`; the rows of a table are added one by one."""

    def __init__(self) -> None:
        self._segments: dict[object, int] = {}
        self._lines: list[int] = []
        self._documents: list[str] = []
        self._sources: list[str | None] = []
        self._references: list[str | None] = []
        self._hypotheses: dict[tuple[str, int], str] = {}
        self._errors: dict[tuple[str, int, str], list[Error]] = {}
        self._scores: dict[tuple[str, int, str], float] = {}
        self.left_out: Counter[str] = Counter()

    def add(
        self,
        system: str,
        key: object,
        judge: str,
        errors: Iterable[Error],
        *,
        hypothesis: str | None = None,
        source: str | None = None,
        reference: str | None = None,
        document: str = "",
        line: int = -1,
        score: float | None = None,
    ) -> None:
        """Add the errors that a judge marked in a translation of the segment ``key``, along with the texts."""
        place = self._segments.setdefault(key, len(self._lines))
        if place == len(self._lines):
            self._lines.append(line)
            self._documents.append(document)
            self._sources.append(None if source is None else without_marks(source))
            self._references.append(None if reference is None else without_marks(reference))
        if hypothesis is not None:
            self._hypotheses.setdefault((system, place), without_marks(hypothesis))
        self._errors.setdefault((system, place, judge), []).extend(errors)
        if score is not None:
            self._scores[system, place, judge] = score

    def gather(self, pair: str, *, path: str) -> Annotations:
        """Build the annotations from all rows; raise an error if there are none."""
        reject(not self._errors, "no annotated translations", path=path)
        names, segments, judges = zip(*self._errors, strict=True)
        (systems, system), (people, judge) = number(names), number(judges)
        places = range(len(self._lines))
        texts = {name: [self._hypotheses.get((name, place)) for place in places] for name in systems}
        return Annotations(
            pair,
            systems,
            people,
            system,
            np.array(segments, dtype=np.int64),
            judge,
            tuple(map(tuple, self._errors.values())),
            np.array(self._lines, dtype=np.int64),
            texts if self._hypotheses else {},
            _all(self._sources),
            _all(self._references),
            tuple(self._documents) if any(self._documents) else None,
            np.array([self._scores[key] for key in self._errors]) if len(self._scores) == len(self._errors) else None,
            dict(self.left_out),
        )


def _all(texts: Iterable[str | None]) -> list[str] | None:
    """Return the texts if every segment has one, else None."""
    found = list(texts)
    return None if None in found else [text or "" for text in found]
