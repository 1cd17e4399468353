from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from format_files import check_survival, everything, links, saved, soup
from wordorder.core.orders import Alignments
from wordorder.core.runtime.errors import InputError
from wordorder.formats import giza


def pair(number: int, target: str, source: str, *, lengths: tuple[int, int] | None = None) -> str:
    words = source.count("({") - 1, len(target.split())
    one, two = lengths or words
    header = f"# Sentence pair ({number}) source length {one} target length {two} alignment score : 0.5"
    return f"{header}\n{target} \n{source} \n"


HOUSE = ("das kleine Haus", "NULL ({ 2 }) the ({ 1 }) tiny ({ }) house ({ 3 })")
ROWS = [[(0, 0), (2, 2)], [(0, 0)], []]
PAIRS = [pair(1, *HOUSE), pair(2, "ja", "NULL ({ }) yes ({ 1 })"), pair(3, "", "NULL ({ }) so ({ })")]


def test_reads() -> None:
    with saved("\ufeff" + "".join(PAIRS).replace("\n", "\r\n")) as path:
        column = giza.read(path)
    assert links(column) == ROWS
    assert column.source_lengths.tolist() == [3, 1, 1]
    assert column.target_lengths.tolist() == [3, 1, 0]


@given(st.permutations(range(3)), st.integers(1, 4))
def test_pairs_in_any_order_are_sorted(order: list[int], lines: int) -> None:
    with saved("".join(PAIRS[place] for place in order)) as path:
        blocks = list(giza.read_blocks(path, lines=lines))
    assert links(Alignments.concatenate(blocks)) == ROWS
    assert all(len(block) <= lines for block in blocks)


def test_pairs_without_numbers_keep_the_order_of_the_file() -> None:
    with saved("".join(pair(0, *HOUSE) for _ in range(2))) as path:
        assert links(giza.read(path)) == [ROWS[0]] * 2
    with saved(pair(0, *HOUSE) + PAIRS[0]) as path:  # numbered from 0
        assert len(giza.read(path)) == 2


def test_a_word_may_look_like_a_brace_or_a_header() -> None:
    content = pair(1, "# Sentence })", "NULL ({ }) ({ ({ 2 }) }) ({ 3 }) NULL ({ 1 })", lengths=(3, 3))
    with saved(content) as path:
        assert links(giza.read(path)) == [[(0, 1), (1, 2), (2, 0)]]


def test_a_truncated_file_is_never_taken_for_a_whole_one() -> None:
    content = "".join(PAIRS[:2])
    ends = [len(PAIRS[0]), len(content)]
    only_blanks_lost = {end - back for end in ends for back in (0, 1, 2)}
    for cut in range(1, len(content)):
        kept = content[:cut]
        with saved(kept) as path:
            if cut in only_blanks_lost:
                assert links(giza.read(path)) == ROWS[: kept.count("# S")]
                continue
            with pytest.raises(InputError) as caught:
                giza.read(path)
        assert caught.value.line == kept.rstrip("\n").count("\n") + 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":1: the file is empty; expected '# Sentence pair"),
        (
            "0-0 1-1\n",
            ":1: expected '# Sentence pair (n) source length m target length n alignment score : p', found '0-0",
        ),
        ("\n" + PAIRS[0], ":1: expected '# Sentence pair"),
        (
            "".join(PAIRS[0].splitlines(keepends=True)[:2]),
            ":2: the file ends within sentence pair 1: expected 3 lines, found 2",
        ),
        (PAIRS[0] + PAIRS[0], ":6: sentence pair 1 appears twice"),
        (PAIRS[1] + PAIRS[1], ":6: sentence pair 2 appears twice"),
        (PAIRS[0] + PAIRS[2], ":6: sentence pair 2 is missing"),
        (pair(0, *HOUSE) * 2 + PAIRS[0], ":9: sentence pair 1 appears twice"),
        (pair(1, *HOUSE, lengths=(3, 2)), ":2: the target length is 3, but the header of sentence pair 1 says 2"),
        (pair(1, *HOUSE, lengths=(4, 3)), ":3: sentence pair 1: the source length is 3, but the header says 4"),
        (pair(1, "a", "NULL ({ 0 }) b ({ 1 })"), ":3: sentence pair 1: '0' is not the index of a target word (1 to 1)"),
        (pair(1, "a", "NULL ({ }) b ({ 2 })"), ":3: sentence pair 1: '2' is not the index of a target word (1 to 1)"),
        (pair(1, "a", "NULL ({ }) b ({ x })"), ":3: sentence pair 1: 'x' is not the index of a target word"),
        (pair(1, "a", "NULL ({ }) b c ({ 1 })"), ":3: sentence pair 1: expected 'word ({ … })', found 'b c ({'"),
        (pair(1, "a", "b ({ 1 }) ({"), ":3: sentence pair 1: expected 'NULL ({ … }) word ({ … })'"),
    ],
)
def test_refuses(content: str, message: str) -> None:
    with saved(content) as path, pytest.raises(InputError) as caught:
        giza.read(path)
    assert str(caught.value).startswith(path + message)


def test_given_lengths_must_be_those_of_the_file() -> None:
    with saved(PAIRS[0]) as path:
        assert everything(giza.read(path, source_lengths=[3])) == everything(giza.read(path))
        with pytest.raises(InputError, match=":3: the source length is 3 in this file, but 4 in the source text"):
            giza.read(path, source_lengths=[4])
        with pytest.raises(InputError, match="ends after 1 sentence, but the target has 2"):
            giza.read(path, target_lengths=[3, 3])


@given(
    st.one_of(
        soup("# Sentence pair(1)lengtharoc:({})NUL0123 "),
        st.tuples(st.sampled_from(PAIRS), st.integers(0, 120), st.binary(max_size=3)).map(
            lambda parts: parts[0].encode()[: parts[1]] + parts[2] + parts[0].encode()[parts[1] :]
        ),
    )
)
def test_any_bytes_give_data_or_an_error(content: bytes) -> None:
    check_survival(giza.read, content)


@pytest.mark.realdata
def test_real_sample(shared: Path) -> None:
    path = shared / "formats" / "samples" / "giza.A3.final"
    column = giza.read(path)
    assert len(column) == len(path.read_text().splitlines()) // 3
    assert links(column[:2]) == [[(0, 0), (1, 1)], [(0, 0), (1, 1), (4, 2)]]
    assert (column.source_lengths > 0).all()
