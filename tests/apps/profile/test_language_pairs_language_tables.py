"""Characteristics of language pairs as matrices and means (Birch 2011, Figures 4.1 to 4.10)."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.apps.profile import Corpus, LanguageMatrix, LanguagePairs, europarl, profile, read_pairs
from wordorder.core.orders import Alignment
from wordorder.core.runtime.errors import InputError, UsageError


def test_figure_4_3_is_table_c_2() -> None:
    matrix = LanguageMatrix.of(europarl(), "rquantity")
    assert matrix.sources == matrix.targets == ("el", "it", "pt", "es", "fr", "en", "sv", "da", "nl", "de", "fi")
    assert np.isnan(matrix.values.diagonal()).all()
    cells = {row[0].value: [cell.value for cell in row[1:]] for row in matrix.table().rows}
    # not quite symmetrical, as the thesis remarks
    assert cells["pt"][3] == 0.202
    assert cells["es"][2] == 0.216
    assert cells["de"][4] == 0.637


def test_figure_4_4_german_is_reordered_most() -> None:
    means = {row.language: row for row in LanguageMatrix.of(europarl(), "rquantity").means()}
    assert max(means.values(), key=lambda row: row.as_target).language == "de"
    column = [0.493, 0.593, 0.565, 0.581, 0.613, 0.586, 0.480, 0.495, 0.369, 0.575]  # Table C.2, into German
    assert means["de"].as_target == pytest.approx(sum(column) / 10)
    assert means["de"].pairs == 20


def test_figure_4_9_finnish_is_related_to_nothing() -> None:
    means = {row.language: row for row in LanguageMatrix.of(europarl(), "similarity").means()}
    assert means["fi"].either == 0 < min(row.either for name, row in means.items() if name != "fi")


@given(st.dictionaries(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), st.integers(0, 9), min_size=1))
def test_figures_4_1_and_4_7_are_means_over_pairs(known: dict[tuple[str, str], int]) -> None:
    sources, targets = zip(*known, strict=True)
    pairs = LanguagePairs(sources, targets, {"x": np.array([*known.values()], np.float64)})
    found = LanguageMatrix.of(pairs, "x").means()
    assert {row.language for row in found} == {language for pair in known for language in pair}
    for row in found:
        for mean, chosen in (
            (row.as_source, [value for (source, _), value in known.items() if source == row.language]),
            (row.as_target, [value for (_, target), value in known.items() if target == row.language]),
            (row.either, [value for pair, value in known.items() if row.language in pair]),
        ):
            assert mean == pytest.approx(sum(chosen) / len(chosen)) if chosen else math.isnan(mean)


def test_a_pair_stands_once_in_a_matrix() -> None:
    pairs = LanguagePairs(("a", "a"), ("b", "b"), {"x": np.zeros(2)})
    with pytest.raises(InputError, match="the language pair a-b occurs twice in the table"):
        LanguageMatrix.of(pairs, "x")
    with pytest.raises(UsageError, match="unknown column 'y'"):
        LanguageMatrix.of(pairs, "y")


def test_profiles_become_a_table_of_pairs(tmp_path: Path) -> None:
    swapped, flat = Alignment(((0, 1), (1, 0)), 2, 2), Alignment(((0, 0), (1, 1)), 2, 2)
    pairs = profile(Corpus("de-en", [swapped, flat]), Corpus("fr-en", [flat])).pairs()
    assert pairs.named() == [("de", "en"), ("fr", "en")]
    assert pairs.column("rquantity").tolist() == [0.5, 0]
    assert "mean_width" not in pairs.columns  # fr-en has no reordering
    pairs.write(tmp_path / "pairs.tsv")
    again = read_pairs(tmp_path / "pairs.tsv")
    assert again.named() == pairs.named()
    assert {name: values.tolist() for name, values in again.columns.items()} == {
        name: values.tolist() for name, values in pairs.columns.items()
    }
    with pytest.raises(UsageError, match="expected corpora named after language pairs such as de-en, found 'x'"):
        profile(Corpus("x", [flat])).pairs()
