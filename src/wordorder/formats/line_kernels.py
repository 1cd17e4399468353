"""Kernels that parse the numbers in blocks of lines without creating a Python object per number.

A kernel stops at the first invalid token and returns an error code, the row, and the byte at which the token starts;
:func:`wordorder.formats.lines.check_scan` turns these into an error message. Whitespace is ASCII whitespace. Numbers
that are too large are capped, so that they cannot overflow.
"""

import numpy as np

from wordorder.core.runtime.columns import Bools, Bytes, Floats, Ints, Offsets
from wordorder.core.runtime.kernels import find_slot, hash_table, inner_kernel, kernel

FINE, SYNTAX, ZERO, HUGE, IMPROBABLE, LONG, DISORDER = range(7)

_SATURATED = 2**31 - 1
_DIGITS = 9  # numbers with at most this many digits cannot overflow
_EXACT_MANTISSA = 2**53
_EXACT_POWERS = 10.0 ** np.arange(23)  # the powers of ten that are exact in a double

Failure = tuple[int, int, int]
"""The error code of a kernel (or FINE), and the row and the byte where it stopped."""


@inner_kernel
def _is_space(byte: int) -> bool:
    return byte == 32 or 9 <= byte <= 13


@inner_kernel
def _skip_space(data: Bytes, at: int, stop: int) -> int:
    while at < stop and _is_space(data[at]):
        at += 1
    return at


@kernel
def _number(data: Bytes, at: int, stop: int) -> tuple[int, int]:
    value = 0
    while at < stop and 48 <= data[at] <= 57:
        value = min(10 * value + int(data[at]) - 48, _SATURATED)
        at += 1
    return value, at


@inner_kernel
def _probability(data: Bytes, at: int, stop: int) -> tuple[float, bool, int]:
    # The result is exact if mantissa and power of ten are exact doubles (Clinger 1990). Otherwise, the caller parses
    # the number again.
    mantissa = exponent = digits = 0
    fraction = False
    while at < stop:
        byte = int(data[at])
        if 48 <= byte <= 57:
            digits += 1
            if mantissa < 10**17:
                mantissa = 10 * mantissa + byte - 48
                exponent -= fraction
            else:
                exponent += not fraction
        elif byte == 46 and not fraction:
            fraction = True
        else:
            break
        at += 1
    if digits == 0:
        return 0.0, True, -1
    if at < stop and (data[at] == 69 or data[at] == 101):
        at += 1
        negative = at < stop and data[at] == 45
        if at < stop and (data[at] == 43 or data[at] == 45):
            at += 1
        power, after = _number(data, at, stop)
        if after == at:
            return 0.0, True, -1
        at = after
        exponent += -power if negative else power
    if mantissa == 0:
        return 0.0, True, at
    if mantissa <= _EXACT_MANTISSA and -22 <= exponent <= 22:
        power_of_ten = _EXACT_POWERS[abs(exponent)]
        return (mantissa / power_of_ten if exponent < 0 else mantissa * power_of_ten), True, at
    return mantissa * 10.0**exponent, False, at


@inner_kernel
def _room(begins: Offsets, ends: Offsets, bytes_each: int) -> tuple[int, int]:
    # The largest possible numbers of tokens in all rows, and in the longest row.
    total = most = 0
    for row in range(len(begins)):
        tokens = max(ends[row] - begins[row] + 1, 0) // bytes_each
        total += tokens
        most = max(most, tokens)
    return total, most


@inner_kernel
def _drop_repeated(
    table: tuple[Offsets, Offsets], source: Ints, target: Ints, possible: Bools, shares: Floats, row: tuple[int, int]
) -> int:
    """Remove repeated links from a row of the arrays; return the new end of the row.

    ``row`` is a pair: the first link of the row, and its end. A repeated link is sure if any of its instances is
    sure. ``possible`` and ``shares`` may be empty.
    """
    (keys, places), (first, count) = table, row
    kept = first
    for link in range(first, count):
        key = (np.int64(source[link]) << 32) | target[link]
        slot = find_slot(keys, places, first, key)  # links of earlier rows have places before the first
        known = places[slot]
        if known >= first:
            if len(possible):
                possible[known] &= possible[link]
            continue
        keys[slot], places[slot] = key, kept
        source[kept], target[kept] = source[link], target[link]
        if len(possible):
            possible[kept] = possible[link]
        if len(shares):
            shares[kept] = shares[link]
        kept += 1
    return kept


@inner_kernel
def _spelled_out(data: Bytes, token: int, stop: int) -> tuple[int, int, int, bool, float, int]:
    """Parse one link in any notation; return an error code, both indices and three more values.

    These are whether the link is marked as possible, its probability, and the position of its end. The probability is
    NaN if there is none. If it cannot be parsed exactly here, the position of its first byte is returned instead of
    that of the end, as −1 − position.
    """
    one, at = _number(data, token, stop)
    if at == token or at >= stop:
        return SYNTAX, 0, 0, False, np.nan, at
    mark = data[at]
    two, after = _number(data, at + 1, stop)
    if after == at + 1 or not (mark == 45 or mark == 63 or mark == 112 or mark == 80):
        return SYNTAX, 0, 0, False, np.nan, at
    at = after
    possible = mark != 45
    share = np.nan
    if at + 1 < stop and data[at] == 45 and (data[at + 1] | 32 == 112 or data[at + 1] | 32 == 115):
        possible = data[at + 1] | 32 == 112
        at += 2
    if at < stop and (data[at] == 58 or data[at] == 47 or data[at] == 45):
        share, exact, after = _probability(data, at + 1, stop)
        if after < 0:
            return SYNTAX, 0, 0, False, np.nan, at
        if share > (1.0 if exact else 1.0 + 1e-9):
            return IMPROBABLE, 0, 0, False, np.nan, at
        if not exact:
            share = -2.0 - at
        at = after
    if at < stop and not _is_space(data[at]):
        return SYNTAX, 0, 0, False, np.nan, at
    return FINE, one, two, possible, share, at


@kernel
def scan_links(
    data: Bytes, begins: Offsets, ends: Offsets, base: int, longest: int
) -> tuple[Ints, Ints, Offsets, Bools, Floats, Failure]:
    """Parse rows of links ``3-4``, in all notations of :mod:`wordorder.formats.pharaoh`.

    Return the sources, targets, offsets, possible marks (empty if all links are sure), probabilities (empty if no
    link has one), and the failure (code, row, byte).
    """
    rows = len(begins)
    room, most = _room(begins, ends, 4)
    table = hash_table(most)
    source = np.empty(room, dtype=np.int32)
    target = np.empty(room, dtype=np.int32)
    possible = np.empty(room, dtype=np.bool_)
    probability = np.empty(room, dtype=np.float64)
    offsets = np.zeros(rows + 1, dtype=np.int64)
    count = 0
    some_possible = some_probable = False
    code, token, row = FINE, 0, 0
    for row in range(rows):
        at, stop = begins[row], ends[row]
        first = count
        ascending, last = True, -1
        rising, highest = True, -1
        while at < stop:
            if _is_space(data[at]):
                at += 1
                continue
            token = at
            one = two = 0
            maybe, share, plain = False, np.nan, False
            # Most links are two numbers below 100, which are parsed here: a call or loops would take longer.
            if at + 6 <= stop and 48 <= data[at] <= 57:
                one = int(data[at]) - 48
                at += 1
                if 48 <= data[at] <= 57:
                    one = 10 * one + int(data[at]) - 48
                    at += 1
                if data[at] == 45 and 48 <= data[at + 1] <= 57:
                    two = int(data[at + 1]) - 48
                    at += 2
                    if 48 <= data[at] <= 57:
                        two = 10 * two + int(data[at]) - 48
                        at += 1
                    plain = _is_space(data[at])
                    at += 1
            if not plain:
                code, one, two, maybe, share, at = _spelled_out(data, token, stop)
                if code != FINE:
                    break
                some_possible |= maybe
                if share == share and not some_probable:
                    probability[:count] = 1.0
                    some_probable = True
            one -= base
            two -= base
            if one < 0 or two < 0:
                code = ZERO
                break
            if one >= longest or two >= longest:
                code = HUGE
                break
            ascending &= (one << 32) + two > last
            last = (one << 32) + two
            rising &= two > highest
            highest = two
            source[count] = one
            target[count] = two
            possible[count] = maybe
            if some_probable:
                probability[count] = share if share == share else 1.0
            count += 1
        if code != FINE:
            break
        if not (ascending or rising):  # otherwise, no link can be repeated
            shares = probability if some_probable else probability[:0]
            count = _drop_repeated(table, source, target, possible, shares, (first, count))
        offsets[row + 1] = count
    marked, shared = count * some_possible, count * some_probable
    return source[:count], target[:count], offsets, possible[:marked], probability[:shared], (code, row, token)


@kernel
def scan_lader_lengths(data: Bytes, starts: Offsets, longest: int) -> tuple[Ints, Ints, Offsets, Failure]:
    """Parse ``m-n |||`` at the start of rows.

    Return the source and target lengths (−1 for empty rows), the byte at which the links of each row begin, and the
    failure.
    """
    rows = len(starts) - 1
    source = np.full(rows, -1, dtype=np.int32)
    target = np.full(rows, -1, dtype=np.int32)
    begins = starts[1:].copy()
    for row in range(rows):
        stop = starts[row + 1]
        token = _skip_space(data, starts[row], stop)
        if token == stop:
            continue
        one, at = _number(data, token, stop)
        two, after = _number(data, at + 1, stop)
        bars = _skip_space(data, after, stop)
        numbers = at > token and after > at + 1 and data[at] == 45
        if not numbers or bars + 3 > stop or data[bars] != 124 or data[bars + 1] != 124 or data[bars + 2] != 124:
            return source, target, begins, (SYNTAX, row, token)
        if max(one, two) > longest:
            return source, target, begins, (HUGE, row, token)
        source[row], target[row], begins[row] = one, two, bars + 3
    return source, target, begins, (FINE, 0, 0)


@kernel
def scan_target_lists(
    data: Bytes, starts: Offsets, base: int, longest: int
) -> tuple[Ints, Ints, Offsets, Ints, Failure]:
    """Parse rows like ``6,6,7_8,,0``; return sources, targets, offsets, target lengths and the failure."""
    rows = len(starts) - 1
    room, most = _room(starts[:-1], starts[1:], 2)
    table = hash_table(most)
    source = np.empty(room, dtype=np.int32)
    target = np.empty(room, dtype=np.int32)
    offsets = np.zeros(rows + 1, dtype=np.int64)
    lengths = np.zeros(rows, dtype=np.int32)
    no_marks = np.empty(0, dtype=np.bool_)
    no_shares = np.empty(0, dtype=np.float64)
    count = value = 0
    for row in range(rows):
        stop = starts[row + 1]
        first = count
        at = _skip_space(data, starts[row], stop)
        if at < stop:
            words = 1
            empty = True  # the field of this target word is empty so far
            while at < stop:
                token = at
                code = FINE
                if data[at] == 44:
                    words += 1
                    empty = True
                    at += 1
                else:
                    if not empty:  # another source position needs an underscore
                        at += data[at] == 95
                        code = SYNTAX if at == token else FINE
                    digits = at
                    value, at = _number(data, at, stop)
                    if at == digits or code != FINE:
                        code = SYNTAX
                    elif value < base:
                        code = ZERO
                    elif value - base >= longest:
                        code = HUGE
                    empty = False
                if words > longest:
                    code = LONG
                if code != FINE:
                    return source, target, offsets, lengths, (code, row, token)
                if not empty:
                    source[count] = value - base
                    target[count] = words - 1
                    count += 1
                at = _skip_space(data, at, stop)
            lengths[row] = words
            count = _drop_repeated(table, source, target, no_marks, no_shares, (first, count))
        offsets[row + 1] = count
    return source[:count], target[:count], offsets, lengths, (FINE, 0, 0)


@kernel
def scan_permutations(data: Bytes, starts: Offsets, base: int, longest: int) -> tuple[Ints, Offsets, Failure]:
    """Parse rows that are permutations; return their ranks (counted from 0), their offsets and the failure."""
    rows = len(starts) - 1
    room, most = _room(starts[:-1], starts[1:], 2)
    ranks = np.empty(room, dtype=np.int32)
    offsets = np.zeros(rows + 1, dtype=np.int64)
    seen_in = np.full(min(most, longest), -1, dtype=np.int32)  # the last row that had this rank
    count = 0
    for row in range(rows):
        stop = starts[row + 1]
        first = count
        at = starts[row]
        while at < stop:
            if _is_space(data[at]):
                at += 1
                continue
            token = at
            value = 0
            while at < stop and 48 <= data[at] <= 57:
                value = 10 * value + int(data[at]) - 48
                at += 1
            if at == token or (at < stop and not _is_space(data[at])):
                return ranks, offsets, (SYNTAX, row, token)
            if at - token > _DIGITS:
                value, at = _number(data, token, stop)
            if value < base:
                return ranks, offsets, (ZERO, row, token)
            if count - first == longest:
                return ranks, offsets, (LONG, row, token)
            ranks[count] = value - base
            count += 1
        length = count - first
        for place in range(first, count):
            rank = ranks[place]
            if rank >= length or seen_in[rank] == row:
                return ranks, offsets, (DISORDER, row, starts[row])
            seen_in[rank] = row
        offsets[row + 1] = count
    return ranks[:count], offsets, (FINE, 0, 0)


@kernel
def scan_lengths(data: Bytes, starts: Offsets, longest: int) -> tuple[Ints, Failure]:
    """Parse rows with one number each; return the numbers and the failure."""
    lengths = np.zeros(len(starts) - 1, dtype=np.int32)
    for row in range(len(lengths)):
        stop = starts[row + 1]
        token = _skip_space(data, starts[row], stop)
        value, at = _number(data, token, stop)
        if at == token or _skip_space(data, at, stop) != stop:
            return lengths, (SYNTAX, row, token)
        if value > longest:
            return lengths, (LONG, row, token)
        lengths[row] = value
    return lengths, (FINE, 0, 0)


@kernel
def count_words(data: Bytes, starts: Offsets, longest: int) -> tuple[Ints, Failure]:
    """Count the words in each row, separated by ASCII whitespace; return the counts and the failure."""
    lengths = np.zeros(len(starts) - 1, dtype=np.int32)
    for row in range(len(lengths)):
        words, before = 0, True
        for byte in data[starts[row] : starts[row + 1]]:
            space = _is_space(byte)
            words += before and not space
            before = space
        if words > longest:
            return lengths, (LONG, row, starts[row])
        lengths[row] = words
    return lengths, (FINE, 0, 0)


@kernel
def first_outside(places: Ints, offsets: Offsets, lengths: Ints) -> int:
    """Return the number of the first link that points beyond the length of its row, or −1 if there is none.

    Rows with a length of −1, which means unknown, are not checked.
    """
    for row in range(len(lengths)):
        length = lengths[row]
        if length >= 0:
            for link in range(offsets[row], offsets[row + 1]):
                if places[link] >= length:
                    return link
    return -1
