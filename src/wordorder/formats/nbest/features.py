"""Features on a line: ``d: 0 -1``, ``Distortion0= 0``, ``lm_0=-28``, or numbers without names.

A feature with several numbers becomes several features, ``d_0`` and ``d_1``; numbers without a name become ``F0``,
``F1`` and so on. The first line defines the features of a list. Only sparse features may be missing from a line, in
which case they are 0, or appear for the first time on a later line. A feature with one number is sparse if it has an
underscore in its name or if there is no space before the number (``lm=-28``).

Kernels find the fields of lines and parse the numbers of features. Lines with an unexpected form are marked; Python
code then parses them again and reports errors.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from wordorder.core.runtime.columns import Bools, Bytes, Floats, Int64s, Offsets, offsets_from_lengths
from wordorder.core.runtime.errors import count_of
from wordorder.core.runtime.files import LineBlock
from wordorder.core.runtime.kernels import kernel
from wordorder.formats.line_kernels import _is_space, _number, _probability, _skip_space
from wordorder.formats.lines import excerpt_of

FIELDS = 8
"""The maximum number of fields in a line; the last one includes the rest of the line."""

_ID_DIGITS = 9


@kernel
def scan_fields(data: Bytes, starts: Offsets) -> tuple[Offsets, Offsets, Offsets, Offsets]:
    """Split lines at ``|||``; return the sentence numbers, the numbers of fields, and the starts and ends of fields.

    A sentence number is −1 if the first field is not a number. Whitespace around the fields is not part of them.
    """
    rows = len(starts) - 1
    sentences = np.full(rows, -1, dtype=np.int64)
    counts = np.zeros(rows, dtype=np.int64)
    begins = np.zeros((rows, FIELDS), dtype=np.int64)
    ends = np.zeros((rows, FIELDS), dtype=np.int64)
    for row in range(rows):
        at, stop = starts[row], starts[row + 1]
        field = 0
        begins[row, 0] = at
        while at < stop:
            if data[at] == 124 and at + 2 < stop and data[at + 1] == 124 and data[at + 2] == 124 and field < FIELDS - 1:
                ends[row, field] = at
                field += 1
                at += 3
                begins[row, field] = at
            else:
                at += 1
        ends[row, field] = stop
        counts[row] = field + 1
        for f in range(field + 1):
            begin = _skip_space(data, begins[row, f], ends[row, f])
            end = ends[row, f]
            while end > begin and _is_space(data[end - 1]):
                end -= 1
            begins[row, f], ends[row, f] = begin, end
        number, after = _number(data, begins[row, 0], ends[row, 0])
        if 0 < after - begins[row, 0] <= _ID_DIGITS and after == ends[row, 0]:
            sentences[row] = number
    return sentences, counts, begins, ends


@kernel
def scan_numbers(
    data: Bytes, begins: Offsets, ends: Offsets, names: tuple[Bytes, Offsets, Offsets], values: Floats
) -> Bools:
    """Parse fields that consist of the given names and numbers; return a mask of the rows with another form.

    ``names`` are the bytes of all names, their offsets, and how many numbers follow each name. Feature j of row i is
    stored in ``values[j, i]``. The mask also includes rows with a number that this kernel cannot parse exactly.
    """
    letters, offsets, counts = names
    differs = np.zeros(len(begins), dtype=np.bool_)
    for row in range(len(begins)):
        at, stop = begins[row], ends[row]
        fine = True
        feature = 0
        for name in range(len(counts)):
            at = _skip_space(data, at, stop)
            for letter in range(offsets[name], offsets[name + 1]):
                if at >= stop or data[at] != letters[letter]:
                    fine = False
                    break
                at += 1
            if not fine:
                break
            for _ in range(counts[name]):
                at = _skip_space(data, at, stop)
                negative = at < stop and data[at] == 45
                value, exact, after = _probability(data, at + negative, stop)
                fine = exact and after > at and (after == stop or _is_space(data[after]))
                if not fine:
                    break
                values[feature, row] = -value if negative else value
                feature += 1
                at = after
            if not fine:
                break
        differs[row] = not fine or _skip_space(data, at, stop) != stop
    return differs


@kernel
def copy_fields(data: Bytes, begins: Offsets, ends: Offsets) -> tuple[Bytes, Offsets, Bools]:
    """Copy fields one after the other; return the bytes, the offsets, and a mask of possible segmentation marks.

    The mask shows which fields have a word that begins with ``|``.
    """
    rows = len(begins)
    offsets = np.zeros(rows + 1, dtype=np.int64)
    for row in range(rows):
        offsets[row + 1] = offsets[row] + ends[row] - begins[row]
    copied = np.empty(offsets[rows], dtype=np.uint8)
    marked = np.zeros(rows, dtype=np.bool_)
    for row in range(rows):
        to = offsets[row]
        for at in range(begins[row], ends[row]):
            copied[to] = data[at]
            to += 1
            marked[row] |= data[at] == 124 and (at == begins[row] or _is_space(data[at - 1]))
    return copied, offsets, marked


MOST_FEATURES = 4096
"""The maximum number of features in a list; every hypothesis stores a number for each of them."""

_UNNAMED = "F"
_MARKS = (b":", b"=")


@dataclass
class _Group:
    """A feature on a line: its name as written, and the numbers after it."""

    written: bytes
    name: str
    values: list[float]
    joined: bool = False

    @property
    def sparse(self) -> bool:
        return len(self.values) == 1 and (self.joined or "_" in self.name)

    def columns(self) -> list[str]:
        """Return a column name for each number."""
        if len(self.values) == 1 and self.written:
            return [self.name]
        joint = "_" if self.written else ""
        return [f"{self.name}{joint}{place}" for place in range(len(self.values))]


@dataclass
class FeatureReader:
    """A reader for the features of one list; the first line defines the expected features."""

    names: list[str] = field(default_factory=list)
    _first_line: int = 0
    _places: dict[str, list[int]] = field(default_factory=dict)
    _dense: set[str] = field(default_factory=set)
    _model: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None

    def read(self, block: LineBlock, begins: Int64s, ends: Int64s) -> Floats:
        """Return the values ``[features, rows]``; the features of each row are between ``begins`` and ``ends``."""
        if self._model is None:
            self._start(block, begins, ends)
        assert self._model is not None
        values = np.zeros((int(self._model[2].sum()), len(begins)))
        differs = scan_numbers(block.data, begins, ends, self._model, values)
        if not differs.any():
            return self._widen(values)
        rows = np.flatnonzero(differs)
        found = [self._place(block, int(row), begins, ends) for row in rows.tolist()]
        values = self._widen(values)
        values[:, rows] = 0.0
        for row, numbers in zip(rows.tolist(), found, strict=True):
            for place, value in numbers:
                values[place, row] = value
        return values

    def _widen(self, values: Floats) -> Floats:
        more = len(self.names) - len(values)
        return np.vstack([values, np.zeros((more, values.shape[1]))]) if more else values

    def _start(self, block: LineBlock, begins: Int64s, ends: Int64s) -> None:
        self._first_line = block.first_line
        groups = _parse(block, 0, begins, ends)
        for group in groups:
            self._add(block, 0, group)
            if not group.sparse:
                self._dense.add(group.name)
        letters = b"".join(group.written for group in groups)
        self._model = (
            np.frombuffer(letters, dtype=np.uint8),
            offsets_from_lengths([len(group.written) for group in groups]),
            np.array([len(group.values) for group in groups], dtype=np.int64),
        )

    def _add(self, block: LineBlock, row: int, group: _Group) -> None:
        columns = group.columns()
        if len(self.names) + len(columns) > MOST_FEATURES:
            raise block.error(row, f"the list has more than {MOST_FEATURES} features; leave out rare ones")
        for name in columns:
            if name in self.names:
                raise block.error(row, f"two features have the name {name!r}")
        self._places[group.name] = list(range(len(self.names), len(self.names) + len(columns)))
        self.names += columns

    def _place(self, block: LineBlock, row: int, begins: Int64s, ends: Int64s) -> list[tuple[int, float]]:
        """Parse a line whose features differ from those of the first line; return pairs of a column and a number."""
        found: list[tuple[int, float]] = []
        seen: set[str] = set()
        where = f"line {self._first_line}"
        for group in _parse(block, row, begins, ends):
            if group.name in seen:
                raise block.error(row, f"feature {group.name!r} appears twice")
            seen.add(group.name)
            if group.name not in self._places:
                if not group.sparse:
                    raise block.error(row, f"feature {group.name!r} is not in {where}, which has {self._known()}")
                self._add(block, row, group)
            places = self._places[group.name]
            if len(places) != len(group.values):
                found_here = f"feature {group.name!r} has" if group.written else "there are"
                count = count_of(len(group.values), "number")
                raise block.error(row, f"{found_here} {count}, but {len(places)} in {where}")
            found += zip(places, group.values, strict=True)
        for name in sorted(self._dense - seen):
            problem = f"feature {name!r} is missing" if name != _UNNAMED else "there are no features"
            raise block.error(row, f"{problem}; {where} has {self._known()}")
        return found

    def _known(self) -> str:
        names = list(self._places)
        return ", ".join(names[:12]) + (" …" if len(names) > 12 else "") if names else "no features"


def _parse(block: LineBlock, row: int, begins: Int64s, ends: Int64s) -> list[_Group]:
    groups: list[_Group] = []
    for token in block.data[begins[row] : ends[row]].tobytes().split():
        if token.endswith(_MARKS) and len(token) > 1:
            groups.append(_Group(token, _name(token[:-1]), []))
            continue
        written, equals, number = token.rpartition(b"=")
        value = number_of(number)
        if value is None or (equals and not written):
            raise block.error(row, f"expected features like 'LM0= -1.5' or 'lm_0=-1.5', found {excerpt_of(token)}")
        if not math.isfinite(value):
            name = _name(written) if equals else groups[-1].name if groups else _UNNAMED
            raise block.error(row, f"feature {name!r} is {excerpt_of(number)}; expected a finite number")
        if equals:
            groups.append(_Group(written + b"=", _name(written), [value], joined=True))
            continue
        if not groups:
            groups.append(_Group(b"", _UNNAMED, []))
        if groups[-1].joined:
            raise block.error(row, f"expected the name of a feature, found {excerpt_of(token)}")
        groups[-1].values.append(value)
    for group in groups:
        if not group.values:
            raise block.error(row, f"feature {group.name!r} has no value")
    return groups


def number_of(token: bytes) -> float | None:
    """Parse a number, or return None if the token is not a number.

    >>> number_of(b"-1.5e3"), number_of(b"1_0"), number_of(b"low")
    (-1500.0, None, None)
    """
    try:
        return None if b"_" in token else float(token)
    except ValueError:
        return None


def _name(written: bytes) -> str:
    return written.decode("utf-8", "backslashreplace")  # that the line is UTF-8 is checked with the hypothesis
