"""Stems, synonyms and paraphrases: examples, and whole matching against a literal twin."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from Stemmer import Stemmer

from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.text import encode
from wordorder.linking.matching import STAGES, Matches, Matching, Paraphrases, Resources, Weights, WordNet, match

TABLE = """0.5
to begin with
first
0.25
in spite of
despite
0.1
a lot of
many
0.9
big
large
1e-3
as well as
and
"""

NETWORK = WordNet(
    {
        "car": (1, 2),
        "automobile": (1,),
        "wagon": (2,),
        "quick": (3,),
        "fast": (3, 4),
        "starve": (4,),
        "man": (5,),
        "adult": (5,),
        "be": (6,),
        "exist": (6,),
    },
    {"was": ("be",), "is": ("be",), "men": ("man",)},
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.gz"
    path.write_bytes(gzip.compress(TABLE.encode()))
    return path


def stages_of(matches: Matches) -> list[tuple[int, int, str]]:
    rows = zip(matches.hypothesis.tolist(), matches.reference.tolist(), matches.stage.tolist(), strict=True)
    return [(i, j, STAGES[stage]) for i, j, stage in rows]


def run(resources: Resources, hypothesis: str, reference: str) -> Matches:
    columns = encode([hypothesis], [reference])
    return match(*columns, relations=resources.relate(columns[0].vocabulary))


def test_stems_match_in_any_case() -> None:
    matches = run(Resources(stem="english"), "He walks to Walking shoes", "he walked in the shoe")
    assert stages_of(matches) == [(0, 0, "stem"), (1, 1, "stem"), (4, 4, "stem")]


@pytest.mark.parametrize(("language", "one", "other"), [("German", "Häuser", "Haus"), ("fr", "maisons", "maison")])
def test_stemmers_of_other_languages(language: str, one: str, other: str) -> None:
    assert stages_of(run(Resources(stem=language), one, other)) == [(0, 0, "stem")]


@pytest.mark.parametrize(
    ("one", "other"),
    [("car", "automobile"), ("cars", "automobiles"), ("Car", "WAGON"), ("men", "adults"), ("was", "exists")],
)
def test_synonyms_share_a_synset(one: str, other: str) -> None:
    assert stages_of(run(Resources(synonyms=NETWORK), one, other)) == [(0, 0, "synonym")]


@pytest.mark.parametrize(("one", "other"), [("automobile", "wagon"), ("quick", "starve"), ("be", "bes-"), ("x", "y")])
def test_words_without_a_common_synset_do_not_match(one: str, other: str) -> None:
    assert stages_of(run(Resources(synonyms=NETWORK), one, other)) == []


def test_the_endings_are_tried_in_order() -> None:
    nouns = WordNet({"class": (1,), "clas": (2,), "fly": (3,), "flie": (4,), "box": (5,), "s": (6,)}, {})
    assert nouns.synsets("class") == {1}  # nothing is taken off "ss"
    assert nouns.synsets("flies") == {4}  # "s" comes before "ies"
    assert nouns.synsets("boxes") == {5}
    assert nouns.synsets("ss") == frozenset()


def test_a_phrase_contributes_its_reference_words_in_order(table: Path) -> None:
    resources = Matching(("exact", "paraphrase"), paraphrases=str(table)).resources
    matches = run(resources, "despite rain he came first", "to begin with he came in spite of rain")
    assert stages_of(matches) == [
        (0, 5, "paraphrase"), (1, 8, "exact"), (2, 3, "exact"), (3, 4, "exact"), (4, 0, "paraphrase")
    ]  # fmt: skip
    assert matches.hypothesis_size.tolist() == [1, 1, 1, 1, 1]
    assert matches.reference_size.tolist() == [3, 1, 1, 1, 3]
    assert str(matches.orders()[0]) == "6 7 8 9 4 5 1 2 3"
    assert matches.chunks.tolist() == [3]
    assert matches.hypothesis_words.tolist() == [[3, 0, 0, 2]]
    assert matches.reference_words.tolist() == [[3, 0, 0, 6]]


def test_paraphrases_work_both_ways_and_in_any_case(table: Path) -> None:
    resources = Matching(("paraphrase",), paraphrases=str(table)).resources
    matches = run(resources, "A LOT OF Large cats", "Many big cats")
    assert stages_of(matches) == [(0, 0, "paraphrase"), (3, 1, "paraphrase"), (4, 2, "exact")]
    assert matches.hypothesis_size.tolist() == [3, 1, 1]
    assert str(matches.orders()[0]) == "1 2 3"
    assert matches.chunks.tolist() == [1]


def test_weights_decide_between_stages() -> None:
    hypothesis, reference = "cars", "car"
    both = Resources(stem="english", synonyms=NETWORK)
    assert stages_of(run(both, hypothesis, reference)) == [(0, 0, "stem")]
    rank = Resources(stem="english", synonyms=NETWORK, weights=(1.0, 0.6, 0.8, 0.6))
    matches = run(rank, hypothesis, reference)
    assert stages_of(matches) == [(0, 0, "synonym")]
    assert matches.hypothesis_words.tolist() == matches.reference_words.tolist() == [[0, 0, 1, 0]]


VOCABULARY = "car cars automobile wagon Quick fast starve a lot of many big large first to begin with was is"
words = st.sampled_from(VOCABULARY.split())
weights = st.sampled_from([(1.0, 1.0, 1.0, 1.0), (1.0, 0.6, 0.8, 0.6), (1.0, 0.5, 0.0, 0.3)])


@settings(max_examples=150)
@given(
    sentences=st.lists(st.tuples(st.lists(words, max_size=8), st.lists(words, max_size=8)), min_size=1, max_size=3),
    weights=weights,
)
def test_matching_with_all_stages_against_a_literal_twin(
    sentences: list[tuple[list[str], list[str]]], weights: Weights, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("table") / "table"
    path.write_text(TABLE)
    resources = Resources(stem="english", synonyms=NETWORK, paraphrases=Paraphrases.read(path), weights=weights)
    columns = encode([" ".join(h) for h, _ in sentences], [" ".join(r) for _, r in sentences])
    matches = match(*columns, relations=resources.relate(columns[0].vocabulary))
    assert matches.proven.all()
    for row, (hypothesis, reference) in enumerate(sentences):
        possible = candidates_of(hypothesis, reference, weights)
        span = slice(matches.offsets[row], matches.offsets[row + 1])
        chosen = [
            (i, i + more, j, j + longer)
            for i, more, j, longer in zip(
                matches.hypothesis[span].tolist(),
                matches.hypothesis_size[span].tolist(),
                matches.reference[span].tolist(),
                matches.reference_size[span].tolist(),
                strict=True,
            )
        ]
        total = 0
        for (i, k, j, t), stage in zip(chosen, matches.stage[span].tolist(), strict=True):
            total += round(10 * weights[stage]) * (k - i + t - j)
            assert round(10 * weights[stage]) == possible[i, k, j, t]
        ends = {(k, t) for _, k, _, t in chosen}
        chunks = sum((i, j) not in ends for i, _, j, _ in chosen)
        assert chunks == matches.chunks[row]
        displacement = sum(abs(i - j) for i, _, j, _ in chosen)
        assert (total, -chunks, -displacement) == best_of(len(hypothesis), possible)


def candidates_of(
    hypothesis: list[str], reference: list[str], weights: Weights
) -> dict[tuple[int, int, int, int], int]:
    """Return every possible match by the definition of its stage, at its best weight (in tenths)."""
    stemmer = Stemmer("english")
    lines = TABLE.splitlines()
    paraphrases = set(zip(lines[1::3], lines[2::3], strict=True)) | set(zip(lines[2::3], lines[1::3], strict=True))
    found = {}
    for i in range(len(hypothesis)):
        for k in range(i + 1, len(hypothesis) + 1):
            for j in range(len(reference)):
                for t in range(j + 1, len(reference) + 1):
                    one, other = " ".join(hypothesis[i:k]), " ".join(reference[j:t])
                    low, high = one.lower(), other.lower()
                    single = k - i == t - j == 1
                    options = []
                    if single and one == other:
                        options = [weights[0]]
                    else:
                        if single and stemmer.stemWord(low) == stemmer.stemWord(high):
                            options.append(weights[1])
                        if single and NETWORK.synsets(low) & NETWORK.synsets(high):
                            options.append(weights[2])
                        if (low, high) in paraphrases:
                            options.append(weights[3])
                    if options:
                        found[i, k, j, t] = round(10 * max(options))
    return found


def best_of(n: int, possible: dict[tuple[int, int, int, int], int]) -> tuple[int, int, int]:
    """Try every set of matches that share no word."""

    @cache
    def go_on(start: int, used: frozenset[int], end: tuple[int, int]) -> tuple[int, int, int]:
        if start >= n:
            return 0, 0, 0
        best = go_on(start + 1, used, end)
        for (i, k, j, t), weight in possible.items():
            if i == start and used.isdisjoint(range(j, t)):
                rest = go_on(k, used | set(range(j, t)), (k, t))
                mine = rest[0] + weight * (k - i + t - j), rest[1] - int(end != (i, j)), rest[2] - abs(i - j)
                best = max(best, mine)
        return best

    return go_on(0, frozenset(), (-1, -1))


def test_an_empty_vocabulary_and_an_empty_table(tmp_path: Path) -> None:
    (tmp_path / "none").write_text("")
    resources = Resources(stem="english", synonyms=NETWORK, paraphrases=Paraphrases.read(tmp_path / "none"))
    assert len(run(resources, "", "")) == 1
    assert stages_of(run(resources, "walks", "walked")) == [(0, 0, "stem")]


def test_what_cannot_be_used_is_said_clearly(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"unknown stemming language 'klingon' .*english"):
        Resources(stem="klingon")
    with pytest.raises(UsageError, match="unknown matching stage 'stems'; did you mean 'stem'"):
        Matching(("exact", "stems"))
    with pytest.raises(UsageError, match="needs a table"):
        Matching(("paraphrase",))
    with pytest.raises(UsageError, match=r"no WordNet database found.*wordnet-base"):
        _ = Matching(("synonym",), wordnet=str(tmp_path)).resources
    with pytest.raises(UsageError, match="4 weights from 0 to 1"):
        Resources(weights=(1.0, 0.5, -0.1, 0.0))
    with pytest.raises(UsageError, match="no such file"):
        _ = Matching(("paraphrase",), paraphrases=str(tmp_path / "absent")).resources


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"0.5\none\n", "table:2: the last entry is incomplete"),
        (b"0.5\none\ntwo\nhalf\none\ntwo\n", "table:4: expected a probability, found 'half'"),
        (b"0.5\none\n\n", "table:3: expected a phrase, found an empty line"),
        (b"0.5\n  \nx\n", "table:2: expected a phrase, found an empty line"),
        (b"0.5\none\n\xff\n", "table:3: byte 0xff at position 1 is not UTF-8"),
    ],
)
def test_a_bad_table_names_its_line(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "table").write_bytes(content)
    with pytest.raises(InputError, match=message):
        Paraphrases.read(tmp_path / "table")


@given(st.binary(max_size=60) | st.text("0.5\nab \r").map(str.encode))
def test_any_bytes_are_a_table_or_an_error(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "table"
    path.write_bytes(content)
    try:
        table = Paraphrases.read(path)
    except InputError:
        return
    assert (
        len(table.phrases)
        == len(table.others)
        == (content.removeprefix(b"\xef\xbb\xbf").rstrip(b"\n").count(b"\n") + 1) // 3
    )
