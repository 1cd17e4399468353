"""BLEU of the reference in source order, against sacreBLEU."""

from __future__ import annotations

import math

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from wordorder.apps.profile.measures import bleu, bleu_counts, in_source_order
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import InputError
from wordorder.core.text import encode

sentences = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=12)
pairs = st.lists(st.tuples(sentences.filter(bool), sentences.filter(bool)), min_size=1, max_size=4)


@given(pairs)
def test_counts_are_those_of_sacrebleu(rows: list[tuple[list[str], list[str]]]) -> None:
    lines = [" ".join(words) for words, _ in rows], [" ".join(words) for _, words in rows]
    counts = bleu_counts(*encode(*lines)).sum(axis=0)
    peer = sacrebleu.corpus_bleu(lines[0], [lines[1]], tokenize="none", smooth_method="none", force=True)
    assert counts.tolist() == [peer.sys_len, peer.ref_len, *peer.counts, *peer.totals]
    assert bleu(counts) == pytest.approx(peer.score / 100, abs=1e-12)


def test_the_reference_in_source_order() -> None:
    references = encode(["the green witch laughs", "no links", "b a"])[0]
    alignments = Alignments.of(
        [
            Alignment(((0, 0), (1, 2), (2, 1), (3, 3)), 4, 4),
            Alignment((), 2, 2),
            Alignment(((0, 1),), 1, 2),  # the unaligned word stays first
        ]
    )
    ordered = in_source_order(references, alignments)
    assert list(ordered) == [["the", "witch", "green", "laughs"], [], ["b", "a"]]
    assert list(in_source_order(references, alignments, policy="drop"))[2] == ["a"]
    counts = bleu_counts(ordered, references)
    assert counts[1].tolist() == [0] * 10  # no source order: left out on both sides
    assert counts[0].tolist() == [4, 4, 4, 0, 0, 0, 4, 3, 2, 1]


def test_a_monotone_corpus_has_bleu_1_and_an_empty_one_none() -> None:
    text = encode(["a b c d e"])[0]
    pair = Alignment(tuple((i, i) for i in range(5)), 5, 5).column()
    assert bleu(bleu_counts(in_source_order(text, pair), text).sum(axis=0)) == pytest.approx(1)
    none = encode([])[0]
    assert math.isnan(bleu(bleu_counts(none, none).sum(axis=0)))
    with pytest.raises(InputError, match="0 references but 1 alignment"):
        in_source_order(none, pair)
