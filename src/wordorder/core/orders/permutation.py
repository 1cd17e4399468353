"""Word orders: ``Permutation`` is the order of one sentence, and ``Permutations`` is a column of such orders.

A permutation lists the words of one order from left to right, each by its rank in the reference order. Ranks count
from 1 in text (``2 4 1 3``) and from 0 in arrays. An empty permutation stands for an undefined order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.core.runtime.columns import Ints, Offsets, ValueColumn, join_offsets, offsets_from_lengths, positions
from wordorder.core.runtime.errors import InputError, excerpt, mistyped, whole
from wordorder.core.runtime.kernels import kernel


@dataclass(frozen=True, order=True)
class Permutation:
    """The immutable word order of one sentence; ``ranks`` count from 0.

    >>> order = Permutation.parse("2 4 1 3")
    >>> str(order), len(order), order.ranks
    ('2 4 1 3', 4, (1, 3, 0, 2))
    """

    ranks: tuple[int, ...]

    def __post_init__(self) -> None:
        seen = bytearray(len(self.ranks))
        for rank in self.ranks:
            if not 0 <= rank < len(seen):
                raise InputError(f"{rank + 1} is not a rank in a permutation of length {len(seen)}")
            try:
                found, seen[rank] = seen[rank], 1
            except TypeError:
                raise mistyped("a rank", rank, expected="a whole number") from None
            if found:
                raise InputError(f"rank {rank + 1} appears twice")

    @classmethod
    def parse(cls, text: str) -> "Permutation":
        """Parse a permutation from ranks that are numbered from 1 and separated by whitespace.

        >>> Permutation.parse("3 1 2").ranks
        (2, 0, 1)
        """
        try:
            return cls(tuple(int(word) - 1 for word in text.split()))
        except ValueError:
            raise InputError(f"{excerpt(text)} is not a permutation: expected numbers like '2 4 1 3'") from None

    @classmethod
    def of(cls, order: "Permutation | str | Sequence[int]") -> "Permutation":
        """Build a permutation from text or from ranks numbered from 1; a permutation is returned unchanged."""
        if isinstance(order, str):
            return cls.parse(order)
        if isinstance(order, Permutation):
            return order
        if not isinstance(order, Iterable):
            raise mistyped("an order", order, expected="ranks such as '2 4 1 3' or [2, 4, 1, 3]")
        return cls(tuple(whole(rank, "a rank") - 1 for rank in order))

    @classmethod
    def identity(cls, length: int) -> "Permutation":
        """Return the identity permutation, in which all ``length`` words keep their position.

        >>> str(Permutation.identity(3))
        '1 2 3'
        """
        return cls(tuple(range(length)))

    def __str__(self) -> str:
        return " ".join(str(rank + 1) for rank in self.ranks)

    def __len__(self) -> int:
        return len(self.ranks)

    def inverse(self) -> "Permutation":
        """Return the inverse permutation, which gives the position of each rank.

        >>> str(Permutation.parse("2 3 1").inverse())
        '3 1 2'
        """
        return Permutation(tuple(sorted(range(len(self)), key=self.ranks.__getitem__)))

    def compose(self, first: "Permutation") -> "Permutation":
        """Return the composition self∘first, which applies ``first`` and then this permutation.

        >>> str(Permutation.parse("2 3 1").compose(Permutation.parse("2 1 3")))
        '3 2 1'
        """
        if len(self) != len(first):
            raise InputError(f"permutations of different lengths ({len(self)} and {len(first)}) cannot be composed")
        return Permutation(tuple(self.ranks[rank] for rank in first.ranks))

    def relative_to(self, reference: "Permutation") -> "Permutation":
        """Return this order of the source words relative to a reference order: reference∘self⁻¹.

        Both permutations give the rank of each source word. The result lists the words in the order that this
        permutation defines, each by its rank in the reference.

        >>> str(Permutation.parse("3 1 2").relative_to(Permutation.parse("1 3 2")))
        '3 2 1'
        """
        return reference.compose(self.inverse())

    def cycles(self) -> tuple[tuple[int, ...], ...]:
        """Return the cycles of the permutation, with elements numbered from 1.

        Each cycle starts at its smallest element, and a fixed point is a cycle of length one.

        >>> Permutation.parse("2 1 3 5 6 4").cycles()
        ((1, 2), (3,), (4, 5, 6))
        """
        seen = [False] * len(self)
        found = []
        for start in range(len(self)):
            cycle = []
            place = start
            while not seen[place]:
                seen[place] = True
                cycle.append(place + 1)
                place = self.ranks[place]
            if cycle:
                found.append(tuple(cycle))
        return tuple(found)

    def column(self) -> "Permutations":
        """Return a column whose only row is this permutation."""
        return Permutations.of([self])


@dataclass(frozen=True, eq=False)
class Permutations(ValueColumn[Permutation]):
    """A column of word orders; ``ranks[offsets[i]:offsets[i + 1]]`` are the ranks of row i, counting from 0.

    >>> column = Permutations.of(["2 1", "", "1 3 2"])
    >>> len(column), column.lengths.tolist(), str(column[2])
    (3, [2, 0, 3], '1 3 2')
    """

    of_values = ("ranks",)

    ranks: Ints
    offsets: Offsets

    @classmethod
    def of(cls, orders: Iterable[Permutation | str | Sequence[int]]) -> "Permutations":
        """Build a column from permutations, which may be given as text or as ranks numbered from 1."""
        if not hasattr(orders, "__iter__"):
            raise mistyped("permutations", orders, expected="a file or a list of orders such as '2 4 1 3'")
        rows = [Permutation.of(order) for order in orders]
        ranks = np.fromiter((rank for row in rows for rank in row.ranks), dtype=np.int32)
        return cls(ranks, offsets_from_lengths([len(row) for row in rows]))

    @classmethod
    def concatenate(cls, parts: "Sequence[Permutations]") -> "Permutations":
        """Return one column with the rows of all parts in order."""
        ranks = np.concatenate([part.ranks for part in parts] or [np.zeros(0, np.int32)])
        return cls(ranks, join_offsets([part.offsets for part in parts]))

    def __repr__(self) -> str:
        return f"Permutations({len(self)} orders, {len(self.ranks)} words)"

    def _value(self, row: int) -> Permutation:
        return Permutation(tuple(self.ranks[self.offsets[row] : self.offsets[row + 1]].tolist()))

    def inverse(self) -> "Permutations":
        """Return the inverse permutation of each row."""
        return Permutations(_relative(self.ranks, positions(self.offsets), self.offsets), self.offsets)

    def relative_to(self, reference: "Permutations") -> "Permutations":
        """Return each order relative to the reference order of the same words in the same row: reference∘self⁻¹.

        >>> str(Permutations.of(["3 1 2"]).relative_to(Permutations.of(["1 3 2"]))[0])
        '3 2 1'
        """
        if not np.array_equal(self.offsets, reference.offsets):
            raise InputError("in every row, the permutations of the two columns must have the same length")
        return Permutations(_relative(self.ranks, reference.ranks, self.offsets), self.offsets)


@kernel
def _relative(orders: Ints, reference: Ints, offsets: Offsets) -> Ints:
    result = np.empty_like(orders)
    for row in range(len(offsets) - 1):
        start = offsets[row]
        for i in range(start, offsets[row + 1]):
            result[start + orders[i]] = reference[i]
    return result
