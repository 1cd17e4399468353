"""Slow literal twins of the draws: the same random numbers, spelt out with Python's integers and fractions."""

from __future__ import annotations

from collections import Counter, deque
from fractions import Fraction

BLOCK = 4096
MASK = 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15


def mix(state: int) -> int:
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


class Stream:
    """Splitmix64 as its authors wrote it, keyed by seed and sample."""

    def __init__(self, seed: int, sample: int) -> None:
        self.state = mix((mix(seed & MASK) + sample * GAMMA) & MASK)

    def next(self) -> int:
        self.state = (self.state + GAMMA) & MASK
        return mix(self.state)

    def below(self, limit: int) -> int:
        """A row from 0 to limit − 1, every one equally likely: 2^32 mod limit of the products are refused."""
        while True:
            product = (self.next() >> 32) * limit
            if product % 2**32 >= 2**32 % limit:
                return product >> 32

    def bits(self, count: int) -> str:
        """Random bits; of the last number the highest."""
        return "".join(f"{self.next():064b}" for _ in range(-(-count // 64)))[:count]

    def binomial(self, count: int, fraction: Fraction) -> int:
        """How many of ``count`` numbers between 0 and 1 are below a fraction, their bits drawn one after another."""
        below = 0
        while count and fraction:
            digit, fraction = divmod(2 * fraction, 1)
            ones = self.bits(count).count("1")
            below += (count - ones) * digit
            count = ones if digit else count - ones
        return below

    def shares(self, rows: int) -> list[int]:
        """The number of draws in every block: 2^j neighbouring blocks, as far as there are so many, are halved."""
        blocks = -(-rows // BLOCK)
        found = [rows] * blocks
        ranges = deque([(0, 1 << blocks.bit_length())])
        while ranges:
            left, width = ranges.popleft()
            if width == 1:
                continue
            middle, end = left + width // 2, min((left + width) * BLOCK, rows)
            if middle < blocks:
                share = Fraction((middle - left) * BLOCK, end - left * BLOCK)
                count = found[left]
                found[left] = self.binomial(count, share)
                found[middle] = count - found[left]
            ranges += [(left, width // 2), (middle, width // 2)]
        return found

    def draws(self, rows: int) -> list[int]:
        """The rows of a bootstrap sample."""
        if rows < BLOCK:
            return [self.below(rows) for _ in range(rows)]
        drawn = []
        for block, share in enumerate(self.shares(rows)):
            size = min(BLOCK, rows - block * BLOCK)
            inside: list[int] = []
            while size == BLOCK and len(inside) + 5 <= share:
                number = self.next()
                inside += [number // BLOCK**place % BLOCK for place in range(5)]
            inside += [self.below(size) for _ in range(share - len(inside))]
            drawn += [block * BLOCK + row for row in inside]
        return drawn

    def counts(self, rows: int) -> list[int]:
        """How often each row is drawn."""
        drawn = Counter(self.draws(rows))
        return [drawn[row] for row in range(rows)]

    def coins(self, rows: int) -> list[int]:
        """One coin per row, 64 per random number, the lowest bit first."""
        return [int(bit) for _ in range(0, rows, 64) for bit in f"{self.next():064b}"[::-1]][:rows]
