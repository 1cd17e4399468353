"""Profiles: figures against their definitions, whatever the blocks and the threads."""

from __future__ import annotations

import dataclasses
import json
import math
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.apps.profile import Profile, extract, measure, rquantity
from wordorder.apps.profile.corpus_profile import add_up
from wordorder.apps.profile.measures import measure_blocks
from wordorder.core.orders import Alignment, Alignments, PermutationTree, order_against_source
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.text import encode


def profile_blocks(blocks: Iterable[Alignments], *, policy: str = "birch", threads: int = 1) -> Profile:
    pairs = ((block, None) for block in blocks)
    return add_up(measure_blocks(pairs, policy=policy, threads=threads), policy=policy)


@st.composite
def corpora(draw: st.DrawFn) -> Alignments:
    rows = []
    for _ in range(draw(st.integers(0, 8))):
        source, target = draw(st.integers(0, 12)), draw(st.integers(0, 12))
        if source and target:
            links = draw(st.sets(st.tuples(st.integers(0, source - 1), st.integers(0, target - 1)), max_size=14))
        else:
            links = set()
        rows.append(Alignment(tuple(links), source, target))
    return Alignments.of(rows)


@settings(max_examples=150)
@given(corpora())
def test_figures_follow_their_definitions(corpus: Alignments) -> None:
    result = profile_blocks([corpus])
    found = extract(corpus)
    widths = found.widths()
    figures = result.summary()
    quantities = rquantity(found, corpus)
    defined = quantities[~np.isnan(quantities)]
    assert result.sentences == len(corpus)
    assert result.reorderings == len(widths)
    if len(defined):
        assert figures["rquantity"] == pytest.approx(defined.mean())
        (everything,) = result.by_length(step=0)
        assert everything.sentences == len(defined)
        if len(defined) > 1:
            assert everything.deviation == pytest.approx(defined.std(ddof=1), abs=1e-12)
    else:
        assert figures["rquantity"] is None
    for row in result.by_length(step=5):
        inside = (corpus.target_lengths >= row.shortest) & (corpus.target_lengths <= row.longest)
        assert row.longest - row.shortest == 4
        assert row.sentences == inside.sum()
        assert row.rquantity == pytest.approx(quantities[inside].mean())
    orders = [order for order in order_against_source(corpus) if len(order)]
    trees = [PermutationTree.of(order) for order in orders]
    simple = [[len(node.operator) for node in tree.nodes() if node.kind == "simple"] for tree in trees if tree]
    assert figures["largest_operator"] == max(map(max, filter(None, simple)), default=0)
    if orders:
        assert figures["binarisable"] == pytest.approx(sum(not found for found in simple) / len(orders))
    if len(widths):
        assert figures["short"] == pytest.approx((widths <= 4).mean())
        assert figures["medium"] == pytest.approx(((widths > 4) & (widths <= 8)).mean())
        assert figures["long"] == pytest.approx((widths > 8).mean())
        assert figures["wider_than_7"] == pytest.approx((widths > 7).sum() / len(corpus))
        assert figures["mean_depth"] == pytest.approx(found.depths().mean())
        assert sum(row.reorderings for row in result.by_width()) == len(widths)
        assert sum(row.width * row.reorderings for row in result.by_width()) == widths.sum()
        assert figures["reordered_sentences"] == pytest.approx((found.lengths > 0).mean())


@settings(max_examples=60)
@given(corpora(), st.integers(1, 5), st.integers(1, 2))
def test_blocks_and_threads_change_nothing(corpus: Alignments, size: int, threads: int) -> None:
    blocks = [corpus[start : start + size] for start in range(0, len(corpus), size)]
    whole, parts = profile_blocks([corpus]), profile_blocks(iter(blocks), threads=threads)
    assert whole.summary() == parts.summary()
    assert repr(whole.by_length(step=3)) == repr(parts.by_length(step=3))
    if blocks:
        added = profile_blocks(blocks[:1]) + profile_blocks(blocks[1:])
        assert added.summary() == whole.summary()


def test_a_corpus_without_reordering_has_a_sensible_profile() -> None:
    monotone = Alignment(tuple((i, i) for i in range(6)), 6, 6)
    figures = add_up([measure(Alignments.of([monotone] * 3), references=encode(["a b c d e f"] * 3)[0])]).summary()
    assert (
        figures["rquantity"] == figures["reorderings"] == figures["wider_than_7"] == figures["crossings_per_word"] == 0
    )
    assert figures["short"] is None
    assert figures["mean_width"] is None
    assert figures["source_order_bleu"] == pytest.approx(1)
    assert figures["longest_cycle"] == figures["binarisable"] == 1
    assert figures["largest_operator"] == 0


def test_widths_of_either_side() -> None:
    pair = Alignment(((0, 3), (0, 4), (0, 5), (0, 6), (0, 7), (1, 0), (1, 1), (1, 2)), 2, 8).column()
    result = profile_blocks([pair])
    assert (result.summary()["medium"], result.summary("source")["short"]) == (1, 1)
    assert (result.summary()["mean_width"], result.summary("source")["mean_width"]) == (8, 2)


def test_profiles_with_words_are_added() -> None:
    one = dataclasses.replace(profile_blocks([]), words=(Counter("ab"), Counter("c")))
    two = dataclasses.replace(profile_blocks([]), words=(Counter("bd"), Counter("c")))
    figures = (one + two).summary()
    assert (figures["source_vocabulary"], figures["target_vocabulary"]) == (3, 1)
    assert "similarity" not in (one + profile_blocks([])).summary()


def test_an_empty_corpus_has_a_profile() -> None:
    result = profile_blocks([])
    assert result.sentences == 0
    assert result.summary()["rquantity"] is None
    assert result.by_width() == []
    assert result.by_length() == []
    assert math.isnan(result.rquantity("source"))


def test_sentences_as_records() -> None:
    corpus = Alignments.of([Alignment(((0, 1), (1, 0), (0, 1)), 2, 2), Alignment((), 0, 0)])
    first, second = (json.loads(json.dumps(record)) for record in measure(corpus, first_row=4).records())
    assert first["sentence"] == 5
    assert first["links"] == 2
    assert first["rquantity"] == 1
    assert first["reorderings"] == ["1,2,2,1"]
    assert first["crossings"] == first["cycles"] == 1
    assert second["rquantity"] is None


def test_errors_name_the_sentence_of_the_corpus() -> None:
    known, unknown = Alignment(((0, 0),), 1, 1).column(), Alignment(((0, 0),), 1).column()
    with pytest.raises(InputError, match="length of target sentence 3 is needed for a profile") as error:
        profile_blocks([known, known, unknown])
    assert error.value.line == 3
    outside = Alignments(np.array([0], np.int32), np.array([7], np.int32), np.array([0, 1])).with_lengths(
        source=np.array([1], np.int32)
    )
    outside = dataclasses.replace(outside, target_lengths=np.array([7], np.int32))
    with pytest.raises(InputError, match="sentence 2: link 0-7 is out of range: the target sentence has 7 words"):
        profile_blocks([known, outside])


def test_wrong_questions() -> None:
    result = profile_blocks([])
    with pytest.raises(UsageError, match="unknown side 'left'"):
        result.by_width("left")
    with pytest.raises(UsageError, match="unknown policy 'brich'"):
        profile_blocks([], policy="brich")
    with pytest.raises(UsageError, match="only profiles with the same policy can be added"):
        result + profile_blocks([], policy="drop")
    with pytest.raises(UsageError, match="must be 1 or more, or 0 for a single group"):
        result.by_length(step=-1)
