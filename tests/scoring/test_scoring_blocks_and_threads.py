"""Neither the size of blocks nor the number of threads changes a byte of what comes out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wordorder import Alignment, Permutations, score
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import LINES_PER_BLOCK
from wordorder.linking.matching import Matching
from wordorder.scoring.scores import Scores
from wordorder.scoring.tables import _segment_lines

pytestmark = pytest.mark.slow

GENERATOR = np.random.default_rng(11)
VOCABULARY = ["the", "cats", "cat", "sleeps", "sleeping", "under", "a", "tree", "trees", ".", "no", "one"]


def lines(count: int) -> list[str]:
    return [" ".join(GENERATOR.choice(VOCABULARY, size=size)) for size in GENERATOR.integers(0, 9, size=count)]


GOLD, ALSO, ONE, TWO = (lines(60) for _ in range(4))
DOCUMENTS = [str(place // 7) for place in range(60)]


def everything(scores: Scores) -> bytes:
    """Give all that comes out, as bytes."""
    written = "".join(_segment_lines(scores))
    return (json.dumps(scores.to_dict()) + str(scores) + written).encode()


TEXT: dict[str, Any] = {
    "hyp": {"one": ONE, "two": TWO},
    "ref": [GOLD, ALSO],
    "metrics": "all,1-ter",
    "matching": Matching(("exact", "stem")),
    "samples": 150,
}
ORDERS: dict[str, Any] = {
    "permutations": {
        name: Permutations.of([tuple(map(int, GENERATOR.permutation(n) + 1)) for n in GENERATOR.integers(0, 9, 60)])
        for name in "AB"
    },
    "metrics": "all",
    "samples": 150,
    "test": "randomisation",
    "docs": DOCUMENTS,
    "resample": "documents",
}
ALIGNED: dict[str, Any] = {
    "hyp_align": [Alignment(((0, 1), (1, 0), (2, n % 4)), 4) for n in range(60)],
    "ref_align": [Alignment(((0, 0), (1, n % 3), (3, 2)), 4) for n in range(60)],
    "metrics": "all",
    "samples": 150,
}


@pytest.mark.parametrize("inputs", [TEXT, ORDERS, ALIGNED], ids=["text", "orders", "alignments"])
def test_blocks_and_threads_change_no_byte(inputs: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    expected = everything(score(**inputs))
    monkeypatch.setattr("wordorder.formats.sources.LINES_PER_BLOCK", 7)
    for threads in (1, 2, 4, 0):
        assert everything(score(**inputs, threads=threads)) == expected, threads


def test_files_of_several_blocks_give_the_same_bytes_for_any_threads(tmp_path: Path) -> None:
    total = 2 * LINES_PER_BLOCK + 5
    orders = [" ".join(map(str, GENERATOR.permutation(4) + 1)) for _ in range(50)]
    column = [orders[place % 50] if place % 97 else "" for place in range(total)]
    (tmp_path / "A").write_text("\n".join(column))
    (tmp_path / "B").write_text("\n".join(reversed(column)) + "\n")
    systems = {name: tmp_path / name for name in "AB"}
    found = [score(permutations=systems, metrics="kendall,pef", samples=20, threads=count) for count in (1, 2, 4)]
    assert len(found[0]) == total
    assert found[0].defined.tolist() == [[total - len(range(0, total, 97))] * 2] * 2
    for other in found[1:]:
        assert json.dumps(other.to_dict()) == json.dumps(found[0].to_dict())
        assert all(map(np.array_equal, other.statistics, found[0].statistics))
    assert found[0].values[0].tolist() == pytest.approx(found[0].values[1].tolist())


def test_a_line_beyond_the_first_block_is_named_rightly(tmp_path: Path) -> None:
    (tmp_path / "A").write_text("1 2\n" * LINES_PER_BLOCK + "1 1\n")
    with pytest.raises(InputError, match=rf"A:{LINES_PER_BLOCK + 1}: not a permutation of 2 words"):
        score(permutations=tmp_path / "A")
    (tmp_path / "A").write_text("1 2\n" * (LINES_PER_BLOCK + 1))
    (tmp_path / "B").write_text("1 2\n")
    with pytest.raises(InputError, match=rf"A has {LINES_PER_BLOCK + 1} lines, .*B has 1$"):
        score(permutations={name: tmp_path / name for name in "AB"})
