"""Corpora from files and values: sentences beside links, words to unalign, several corpora side by side."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import wordorder
from wordorder.apps.profile import Corpus, Divider, Unaligned, measure, profile
from wordorder.apps.profile.corpus_profile import add_up
from wordorder.apps.profile.measures import bucket_names
from wordorder.apps.profile.profiles import _width_classes
from wordorder.apps.profile.sentences import Sentences, SentenceStream
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import InputError, UsageError, WordorderError
from wordorder.core.text import encode

SWAPPED, MONOTONE = Alignment(((0, 1), (1, 0)), 2, 2), Alignment(((0, 0), (1, 1)), 2, 2)

word = st.sampled_from(["the", "Tür", "a", "x"])
texts = st.lists(st.lists(word, max_size=4).map(" ".join), min_size=1, max_size=12)


@given(texts, st.data())
def test_sentences_are_taken_as_the_alignments_come(text: list[str], data: st.DataObject) -> None:
    def cuts() -> list[int]:
        inner = data.draw(st.lists(st.integers(0, len(text)), max_size=4))
        return sorted({0, len(text), *inner})

    pieces, blocks = cuts(), cuts()
    given_pieces = [
        Sentences.of(encode(text[start:stop])[0], encode([line.upper() for line in text[start:stop]])[0])
        for start, stop in pairwise(pieces)
    ]
    stream = SentenceStream(given_pieces)
    lengths = stream.lengths()
    ready = 0
    for start, stop in pairwise(blocks):
        while ready < stop:
            ready += len(next(lengths))
        taken = stream.take(stop - start)
        assert taken.words is not None
        assert taken.tags is not None
        assert list(taken.words) == [line.split() for line in text[start:stop]]
        assert list(taken.tags) == [line.upper().split() for line in text[start:stop]]
        assert taken.lengths.tolist() == [len(line.split()) for line in text[start:stop]]


def write(folder: Path, **files: str) -> dict[str, Path]:
    paths = {}
    for name, content in files.items():
        paths[name] = folder / name.replace("_", ".")
        paths[name].write_text(content, encoding="utf-8")
    return paths


def test_a_corpus_of_many_blocks_is_read_side_by_side(tmp_path: Path) -> None:
    count = 20_000  # more than a block of lines
    align = "".join("0-1 1-0\n" if row % 2 else "0-0 1-1 2-2 3-3\n" for row in range(count))
    text = "".join(f"a{row} b\n" if row % 2 else "a b c d\n" for row in range(count))
    files = write(tmp_path, x_align=align, x_source=text, x_target=text)
    seen: list[int] = []
    profiles = profile(
        Corpus("x", files["x_align"], source=files["x_source"], target=files["x_target"]),
        vocabulary=True,
        visit=lambda corpus, measures: seen.append(measures.first_row),
    )
    figures = profiles["x"].summary()
    assert (figures["sentences"], figures["reorderings"]) == (count, count // 2)
    assert figures["rquantity"] == 0.5
    assert figures["source_vocabulary"] == count // 2 + 4
    assert figures["similarity"] == pytest.approx(1)
    assert len(seen) == 2
    assert seen == sorted(seen)


def test_values_lines_and_files_give_the_same(tmp_path: Path) -> None:
    files = write(tmp_path, x_align="0-1 1-0\n0-0 1-1\n", x_source="a b\nc d\n", x_target="b a\nc d\n")
    expected = add_up([measure(Alignments.of([SWAPPED, MONOTONE]), references=encode(["b a", "c d"])[0])]).summary()
    for corpus in (
        Corpus("x", files["x_align"], source=files["x_source"], target=files["x_target"]),
        Corpus("x", str(files["x_align"]), source=["a b", "c d"], target=["b a", "c d"]),
        Corpus("x", [SWAPPED, MONOTONE], target=["b a", "c d"]),
        Corpus("x", Alignments.of([SWAPPED, MONOTONE]), source_lengths=[2, 2], target=files["x_target"]),
    ):
        assert profile(corpus)["x"].summary() == expected


def test_words_are_what_ascii_blanks_separate(tmp_path: Path) -> None:
    text = "10\u00a0000 x\n"
    files = write(tmp_path, x_align="0-1 1-0\n", x_text=text)
    figures = profile(Corpus("x", files["x_align"], source=files["x_text"], target=files["x_text"]))["x"].summary()
    assert figures["source_words"] == figures["target_words"] == 2


DETERMINERS = Unaligned(words=frozenset({"THE", "a"}))


def test_words_are_unaligned_by_form_or_by_tag(tmp_path: Path) -> None:
    # the big house / casa grande: "The" and "house" belong to "casa", so that "big" is hidden in a gap
    conllu = "".join(
        f"{place}\t{form}\t_\t{tag}" + "\t_" * 6 + "\n"
        for place, form, tag in ((1, "The", "DET"), (2, "big", "ADJ"), (3, "house", "NOUN"))
    )
    files = write(
        tmp_path, x_align="0-0 0-2 1-1\n", x_source="casa grande\n", x_target="The big house\n", x_conllu=conllu
    )
    common: dict[str, Any] = {"alignments": files["x_align"], "source": files["x_source"]}
    plain = Corpus("plain", target=files["x_target"], **common)
    by_form = Corpus("form", target=files["x_target"], unalign_target=DETERMINERS, **common)
    by_tag = Corpus("tag", target=files["x_conllu"], unalign_target=Unaligned(tags=frozenset({"DET"})), **common)
    profiles = profile(plain, by_form, by_tag)
    assert [each.reorderings for each in profiles] == [0, 1, 1]
    assert [each.count("links") for each in profiles] == [3, 2, 2]
    assert profiles.table().signature.startswith("align_format:pharaoh|base:0|unaligned_target:THE,a,pos=DET|")
    with pytest.raises(UsageError, match=r"removing the links of target words by part of speech needs a \.conllu file"):
        profile(Corpus("x", target=files["x_target"], unalign_target=Unaligned(tags=frozenset({"DET"})), **common))
    with pytest.raises(UsageError, match="removing the links of source words needs the source text"):
        profile(Corpus("x", [SWAPPED], unalign_source=DETERMINERS))
    no_source = Corpus("x", target=files["x_target"], unalign_source=Unaligned(tags=frozenset({"DET"})), **common)
    with pytest.raises(UsageError, match=r"links of source words by part of speech needs a \.conllu file"):
        profile(no_source)


def test_possible_links_are_left_out_on_request(tmp_path: Path) -> None:
    files = write(tmp_path, x_align="0-1 1?0\n")
    common: dict[str, Any] = {"source_lengths": [2], "target_lengths": [2]}
    every, sure = Corpus("x", files["x_align"], **common), Corpus("x", files["x_align"], sure=True, **common)
    assert [profile(corpus)["x"].reorderings for corpus in (every, sure)] == [1, 0]
    assert sure.signature["links"] == "sure"


def test_a_folder_of_treebanks_brings_its_own_text(tmp_path: Path) -> None:
    sentence = "".join(f"{place}\t{form}\t_\tX" + "\t_" * 6 + "\n" for place, form in ((1, "a"), (2, "b")))
    for name in ("en.conllu", "target.conllu"):
        (tmp_path / name).write_text(sentence, encoding="utf-8")
    (tmp_path / "alignment.json").write_text('[{"1": ["2"], "2": ["1"]}]', encoding="utf-8")
    figures = profile(Corpus("x", tmp_path), vocabulary=True)["x"].summary()
    assert (figures["rquantity"], figures["source_vocabulary"]) == (1, 2)
    with pytest.raises(UsageError, match="a folder of aligned treebanks includes texts"):
        Corpus("x", tmp_path, source=["a b"])


def test_errors_name_the_file(tmp_path: Path) -> None:
    files = write(tmp_path, x_align="0-0\n0-2\n", x_text="a\n", x_conllu="")
    for corpus, message in (
        (Corpus("x", files["x_align"]), "x.align:1: the length of source sentence 1 is needed for a profile"),
        (Corpus("x", files["x_align"], source_lengths=[1, 1]), "(give the target text or its lengths)"),
        (Corpus("x", files["x_align"], source=files["x_text"]), "x.align:2: one sentence too many"),
        (Corpus("x", files["x_align"], source_lengths=[1, 1], target_lengths=[1, 1]), "x.align:2: link 0-2 is out of"),
        (Corpus("x", files["x_align"], source=files["x_conllu"]), "x.conllu:1: no sentences"),
        (Corpus("v", [SWAPPED], source_lengths=[2, 2]), "found more sentence lengths than alignments"),
        (Corpus("v", [Alignment(((0, 0),))]), "v:1: the length of source sentence 1"),
    ):
        with pytest.raises(InputError) as error:
            profile(corpus)
        assert message in str(error.value)
    with pytest.raises(UsageError, match="the source text already determines the source lengths"):
        profile(Corpus("x", files["x_align"], source=["a"], source_lengths=[1]))
    with pytest.raises(UsageError, match="unknown alignment format 'pharao'"):
        Corpus("x", files["x_align"], align_format="pharao")


def test_a_sentence_without_end_is_refused() -> None:
    with pytest.raises(InputError, match="target text:2: the sentence exceeds the maximum length of 65536 words"):
        profile(Corpus("x", [SWAPPED, SWAPPED], target=["a b", "a " * 70_000]))


def test_wrong_questions() -> None:
    corpus = Corpus("x", [SWAPPED])
    with pytest.raises(UsageError, match="no corpora were given"):
        profile()
    with pytest.raises(UsageError, match=r"corpora must be of type wordorder\.Corpus, not 'x'"):
        profile("x")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="two corpora have the name 'x'"):
        profile(corpus, corpus)
    with pytest.raises(UsageError, match="unknown side 'left'"):
        profile(corpus, side="left")
    with pytest.raises(UsageError, match="profiling the vocabulary needs the source and the target text"):
        profile(corpus, vocabulary=True)
    with pytest.raises(UsageError, match="unknown corpus 'y'"):
        profile(corpus)["y"]


def test_tables_side_by_side() -> None:
    rows = [*([SWAPPED] * 3), Alignment(tuple((i, (i + 1) % 6) for i in range(6)), 6, 6)]
    profiles = wordorder.profile(wordorder.Corpus("many", rows), Corpus("none", [MONOTONE] * 2))
    table = {str(row[0].value): [cell.value for cell in row[1:]] for row in profiles.table().rows}
    assert table["sentences"] == [4, 2]
    assert table["RQuantity"] == [1, 0]
    assert table["short reorderings (2–4 words), share"] == [0.75, None]
    assert "BLEU of the reference in source order" not in table
    assert [[cell.value for cell in row] for row in profiles.width_table().rows] == [[2, 0.75, 0], [6, 0.25, 0]]
    lengths = [[cell.value for cell in row] for row in profiles.length_table(step=5).rows]
    assert lengths == [["1–5", 1, 0, 3, 0, 0, 2], ["6–10", 1, None, 1, None, None, 0]]
    assert "many" in str(profiles)
    assert profiles._repr_html_().startswith("<table>")
    assert repr(profiles) == "Profiles(many, none)"
    document = profiles.to_dict()
    assert [corpus["figures"]["reorderings"] for corpus in document["corpora"]] == [4, 0]
    assert document["corpora"][0]["by_width"][1] == {"width": 6, "reorderings": 1, "per_sentence": 0.25}
    assert document["corpora"][1]["by_length"][0]["deviation"] == 0


def test_the_histogram_counts_every_reordering() -> None:
    rows = [Alignment(tuple((i, (i + 1) % n) for i in range(n)), n, n) for n in range(2, 40)]
    drawn = profile(Corpus("x", rows)).histogram().split("\n")
    assert sum(float(line.split()[1]) for line in drawn[2:]) == pytest.approx(1, abs=0.01)
    assert profile(Corpus("x", [MONOTONE])).histogram() == "no reorderings: every sentence is monotone"


@given(st.integers(2, 5000))
def test_classes_of_width_are_without_gaps(widest: int) -> None:
    classes = _width_classes(widest)
    assert classes[0][0] == 2
    assert classes[-1][0] <= max(widest, 4) <= classes[-1][1]
    assert all(last + 1 == first for (_, last), (first, _) in pairwise(classes))
    assert {4, 8, 16} & set(range(widest)) <= {last for _, last in classes}


def test_a_divider_sees_blocks(tmp_path: Path) -> None:
    divider = Divider(side="source", shortest=1, longest=2)
    longer = Alignment(tuple((i, i) for i in range(3)), 3, 3)
    profile(Corpus("x", [SWAPPED, MONOTONE, longer]), visit=lambda corpus, measures: divider.add(measures))
    assert bucket_names(divider.buckets()) == ["low", "none", "-"]
    divider.write(tmp_path / "buckets")
    assert (tmp_path / "buckets").read_text(encoding="utf-8") == "low\nnone\n-\n"
    with pytest.raises(UsageError, match="larger than the maximum"):
        Divider(shortest=3, longest=2)
    assert not len(Divider().buckets())


def test_lengths_may_be_arrays() -> None:
    corpus = Corpus("x", [Alignment(((0, 0),))], source_lengths=np.array([4]), target_lengths=np.array([2]))
    assert profile(corpus)["x"].summary()["source_words"] == 4


soup = st.one_of(st.text("0123-? \n|", max_size=40).map(str.encode), st.binary(max_size=30))
sentences = st.one_of(st.text("ab \n\t1_", max_size=30).map(str.encode), st.binary(max_size=30))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(soup, sentences, sentences, st.sampled_from(["pharaoh", "naacl", "lader"]), st.sampled_from(["txt", "conllu"]))
def test_any_bytes_are_a_profile_or_an_error(
    tmp_path: Path, links: bytes, source: bytes, target: bytes, form: str, suffix: str
) -> None:
    paths = [tmp_path / name for name in ("x.align", "source.txt", f"target.{suffix}")]
    for path, content in zip(paths, (links, source, target), strict=True):
        path.write_bytes(content)
    corpus = Corpus("x", paths[0], source=paths[1], target=paths[2], align_format=form, unalign_source=DETERMINERS)
    message, count = "", 0
    try:
        count = profile(corpus, vocabulary=True)["x"].sentences
    except WordorderError as error:
        message = str(error)
    assert message or count
    assert "\n" not in message
