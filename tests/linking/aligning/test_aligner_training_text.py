"""The digest of what an aligner learnt from."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.text import encode
from wordorder.linking.aligning.aligner import TrainingText

SENTENCES = st.lists(st.sampled_from("abc"), max_size=3)
PAIRS = st.lists(st.tuples(SENTENCES, SENTENCES), min_size=2, max_size=3)


@given(one=PAIRS, two=PAIRS)
def test_digests_are_equal_exactly_where_the_words_are(
    one: list[tuple[list[str], list[str]]], two: list[tuple[list[str], list[str]]]
) -> None:
    def lines(pairs: list[tuple[list[str], list[str]]], side: int) -> list[str]:
        return [" ".join(pair[side]) for pair in pairs]

    source, target = encode(lines(one, 0), lines(one, 1))
    _, target_again, source_again = encode(
        ["c b a z"], lines(two, 1), lines(two, 0)
    )  # other numbers for the same words
    here, there = TrainingText.of([(source, target)]), TrainingText.of([(source_again, target_again)])
    assert (here.digest == there.digest) == (one == two)
    assert here.pairs == len(one)
    assert TrainingText.of([(source, target)]) == here
