"""The matcher against an exhaustive one: every way to match, most words, fewest chunks, smallest displacement."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.core.text import encode
from wordorder.linking.matching import Matches, Matching, match

Pairs = list[tuple[int, int]]
sentences = st.integers(2, 4).flatmap(lambda k: st.lists(st.sampled_from("abcd"[:k]), max_size=7))
rows = st.lists(st.tuples(sentences, sentences), min_size=1, max_size=6)


def rate(pairs: Pairs) -> tuple[int, int, int]:
    """Matched words (more is smaller), chunks, displacement: the smallest is best."""
    chunks = sum((a - 1, b - 1) not in pairs for a, b in pairs)
    return -len(pairs), chunks, sum(abs(a - b) for a, b in pairs)


def best(hypothesis: list[str], reference: list[str]) -> tuple[int, int, int]:
    """Try everything."""

    def explore(i: int, pairs: Pairs) -> tuple[int, int, int]:
        if i == len(hypothesis):
            return rate(pairs)
        used = {b for _, b in pairs}
        found = [explore(i + 1, pairs)]
        for j, word in enumerate(reference):
            if word == hypothesis[i] and j not in used:
                found.append(explore(i + 1, [*pairs, (i, j)]))
        return min(found)

    return explore(0, [])


def pairs_of(matches: Matches, row: int) -> Pairs:
    span = slice(matches.offsets[row], matches.offsets[row + 1])
    return list(zip(matches.hypothesis[span].tolist(), matches.reference[span].tolist(), strict=True))


@settings(max_examples=150)
@given(rows)
def test_no_matching_is_better(pairs: list[tuple[list[str], list[str]]]) -> None:
    found = match(*encode([" ".join(h) for h, _ in pairs], [" ".join(r) for _, r in pairs]))
    for row, (hypothesis, reference) in enumerate(pairs):
        chosen = pairs_of(found, row)
        assert all(hypothesis[a] == reference[b] for a, b in chosen)
        assert len({b for _, b in chosen}) == len({a for a, _ in chosen}) == len(chosen)
        assert bool(found.proven[row])
        assert rate(chosen) == best(hypothesis, reference)
        assert int(found.chunks[row]) == rate(chosen)[1]


@settings(max_examples=60)
@given(rows)
def test_words_of_one_stem_match_as_well(pairs: list[tuple[list[str], list[str]]]) -> None:
    forms = {"a": "walk", "b": "walks", "c": "house", "d": "houses"}
    stems = {"a": "walk", "b": "walk", "c": "house", "d": "house"}
    lines = [" ".join(forms[w] for w in h) for h, _ in pairs], [" ".join(forms[w] for w in r) for _, r in pairs]
    columns = encode(*lines)
    found = match(*columns, relations=Matching(("exact", "stem")).resources.relate(columns[0].vocabulary))
    for row, (hypothesis, reference) in enumerate(pairs):
        expected = best([stems[w] for w in hypothesis], [stems[w] for w in reference])
        assert rate(pairs_of(found, row)) == expected


def test_orders_are_matches_read_in_hypothesis_order() -> None:
    found = match(*encode(["x b c a", "", "q"], ["a b c y", "a", "z"]))
    assert [str(order) for order in found.orders()] == ["2 3 1", "", ""]


def test_threads_do_not_matter() -> None:
    lines = [f"a b c {k % 7} d a b" for k in range(9000)], [f"d {k % 5} a b c a" for k in range(9000)]
    columns = encode(*lines)
    one, two = match(*columns, threads=1), match(*columns, threads=2)
    for name in ("hypothesis", "reference", "offsets", "stage"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()
