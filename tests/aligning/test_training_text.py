"""The digest of what an aligner learnt from."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wordorder.aligning.training_text import TrainingText
from wordorder.text import encode

SENTENCES = st.lists(st.lists(st.sampled_from("abc"), max_size=3), min_size=2, max_size=3)


@given(one=SENTENCES, two=SENTENCES, three=SENTENCES, four=SENTENCES)
def test_digests_are_equal_exactly_where_the_words_are(
    one: list[list[str]], two: list[list[str]], three: list[list[str]], four: list[list[str]]
) -> None:
    def lines(sentences: list[list[str]]) -> list[str]:
        return [" ".join(words) for words in sentences]

    source, target = encode(lines(one), lines(two))
    _, target_again, source_again = encode(["c b a z"], lines(four), lines(three))  # other numbers for the same words
    here, there = TrainingText.of([(source, target)]), TrainingText.of([(source_again, target_again)])
    assert (here.digest == there.digest) == (one == three and two == four)
    assert here.pairs == len(one)
    assert TrainingText.of([(source, target)]) == here
