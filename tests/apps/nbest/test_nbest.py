"""N-best lists as columns, their judgements, and the best and worst choices."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordorder
from wordorder.apps.nbest import NBest, nbest, optimise, oracle, oracle_table, read_weights, rerank, write_weights
from wordorder.core.runtime.errors import InputError, InputWarning, UsageError
from wordorder.formats import brackets
from wordorder.formats.nbest import read_blocks
from wordorder.formats.nbest.hypotheses import Hypotheses
from wordorder.linking.parsing import Grammar, Parsing
from wordorder.scoring.inputs import MatchedTexts, ParsedTexts, SourceTexts
from wordorder.scoring.score import score

LIST = (
    "2 ||| c d ||| lm= -1 tm= -2 -3 ||| -1\n"
    "0 ||| the cat sat ||| lm= -1 tm= -2 -3 ||| -2\n"
    "0 ||| sat the cat ||| lm= -2 tm= -1 -1 ||| -1\n"
    "2 ||| d c ||| lm= -4 tm= 0 0 ||| -1\n"
)
REFERENCE = ["the cat sat", "nothing", "c d"]


@pytest.fixture
def lists(tmp_path: Path) -> NBest:
    (tmp_path / "list").write_text(LIST)
    return NBest.read(tmp_path / "list")


def test_hypotheses_of_a_sentence_stand_together(lists: NBest) -> None:
    assert (lists.ids.tolist(), lists.offsets.tolist()) == ([0, 2], [0, 2, 4])
    assert lists.names == ("lm", "tm_0", "tm_1")
    assert lists.texts_at(range(4)) == ["the cat sat", "sat the cat", "c d", "d c"]
    assert lists.features[0].tolist() == [-1, -2, -1, -4]
    assert lists.lines is not None
    assert lists.lines.tolist() == [2, 1]
    assert lists.texts_at(lists.choose()) == ["sat the cat", "c d"]  # of equal totals the first
    assert (lists.expand("tm"), lists.expand("lm")) == ([1, 2], [0])
    with pytest.raises(UsageError, match="unknown feature of"):
        lists.expand("t")


def test_reranking(lists: NBest, tmp_path: Path) -> None:
    weights = {"lm": 1.0, "tm_0": 0.0, "tm_1": 0.25}
    with pytest.warns(InputWarning, match="sentence 1 is missing"):
        assert rerank(lists, weights) == ["the cat sat", "c d"]
    assert rerank(lists.renumbered()) == ["sat the cat", "c d"]
    write_weights(tmp_path / "w.tsv", {"bleu": weights, "lr-kb4": dict.fromkeys(weights, -1 / 3)})
    assert read_weights(tmp_path / "w.tsv", "bleu") == weights
    assert read_weights(tmp_path / "w.tsv", "lr-kb4")["lm"] == -1 / 3
    with pytest.raises(UsageError, match="several objectives; choose one of bleu, lr-kb4"):
        read_weights(tmp_path / "w.tsv")
    with pytest.raises(UsageError, match="unknown objective"):
        read_weights(tmp_path / "w.tsv", "blue")
    (tmp_path / "plain").write_text("lm 0.5\ntm_0 1\n")
    assert read_weights(tmp_path / "plain") == {"lm": 0.5, "tm_0": 1.0}
    with pytest.raises(UsageError, match="features without a weight: tm_1"):
        lists.choose(read_weights(tmp_path / "plain"))
    with pytest.raises(UsageError, match="unknown feature"):
        lists.choose(weights | {"x": 1.0})
    for wrong in ("lm\n", "lm x\n", "lm nan\n", "lm 1\nlm 2\n", "feature\ta\nlm 1 2\n", "\n"):
        (tmp_path / "wrong").write_text(wrong)
        with pytest.raises(InputError, match="wrong"):
            read_weights(tmp_path / "wrong")


@pytest.mark.filterwarnings("ignore:.*no hypotheses")
def test_hypotheses_are_scored_as_systems_are(lists: NBest) -> None:
    scored = lists.score(REFERENCE, "lr-kb4,bleu1,kendall")
    systems = {"A": ["the cat sat", "c d"], "B": ["sat the cat", "d c"]}
    scores = score(MatchedTexts(systems, ["the cat sat", "c d"]), metrics="lr-kb4,bleu1,kendall")
    for choice, name in (([0, 2], "A"), ([1, 3], "B")):
        for metric in ("lr-kb4", "bleu1", "kendall"):
            assert scored.score(np.array(choice), metric) == pytest.approx(float(scores[name, metric].value))
    assert scored.segments("kendall").tolist() == [1, 1 / 3, 1, 0]
    with pytest.raises(UsageError, match="unknown metric of the scored lists 'bleu'"):
        scored.rows("bleu")


def test_hypotheses_are_parsed_as_systems_are() -> None:
    demo = Path(wordorder.__file__).parent / "data" / "demo"
    parsing = Parsing(grammar=Grammar.learn(brackets.read(demo / "english.mrg")), cache=False)
    lists = NBest.read(demo / "dev.nbest.gz")
    scored = lists.score(demo / "reference.txt", "edpm,bleu,dpm:parses=forest", parsing=parsing)
    for place in range(3):
        rows = [min(start + place, stop - 1) for start, stop in itertools.pairwise(lists.offsets.tolist())]
        alone = score(
            ParsedTexts(MatchedTexts(lists.texts_at(rows), demo / "reference.txt"), parsing),
            metrics="edpm,bleu,dpm:parses=forest",
        )
        for name in alone.names:
            assert scored.segments(name)[rows].tolist() == pytest.approx(alone.segment_scores("system", name).tolist())
            assert scored.score(np.array(rows), name) == pytest.approx(alone["system", name].value)
    assert oracle(scored, "edpm").best >= scored.score(lists.choose(), "edpm")


@given(st.lists(st.lists(st.integers(-3, 3), min_size=1, max_size=5), min_size=1, max_size=4), st.integers(1, 4))
def test_the_best_keep_their_order(totals: list[list[int]], count: int) -> None:
    texts = [[f"{row} {place}" for place in range(len(values))] for row, values in enumerate(totals)]
    lists = NBest.of(texts, features={"f": [[-float(x) for x in row] for row in totals]}, totals=totals)
    for weights, sign in ((None, 1), ({"f": 2.0}, -1)):
        kept = []
        for row, values in enumerate(totals):
            best = sorted(range(len(values)), key=lambda place: (-sign * values[place], place))[:count]
            kept += [texts[row][place] for place in sorted(best)]
        found = lists.best(count, weights)
        assert found.texts_at(range(len(found.text))) == kept
        assert rerank(found, weights) == rerank(lists, weights)


def test_sentences_are_the_lines_of_their_number(lists: NBest) -> None:
    with pytest.warns(InputWarning, match=r"no hypotheses for 1 line of the reference \(first: line 2\)"):
        lists.score(REFERENCE, "bleu1")
    with pytest.raises(InputError, match=r"list:1: sentence 2 is beyond the reference, which has 2 lines \(0 to 1\)"):
        lists.score(["the cat sat", "c d"], "bleu1")
    assert lists.score(["the cat sat", "c d"], "bleu1", renumber=True).score(np.array([0, 2])) == 1
    with pytest.raises(InputError, match="the references must have the same number of lines, but they have 1, 2"):
        lists.score([["a"], ["a", "b"]], "bleu1")
    with pytest.raises(UsageError, match="no reference was given"):
        lists.score([], "bleu1")


def test_orders_through_the_source(tmp_path: Path) -> None:
    source, reference = ["x y z"], ["b a c"]
    (tmp_path / "list").write_text("0 ||| b a c ||| 1 ||| 0 ||| 0-0 1-1 2-2\n0 ||| b a c ||| 2 ||| 0 ||| 1-0 0-1 2-2\n")
    (tmp_path / "ref.align").write_text("1-0 0-1 2-2\n")
    lists = NBest.read(tmp_path / "list", alignments=True)
    given = {"order": "source", "ref_align": [tmp_path / "ref.align"]}
    scored = lists.score([reference], "kendall,lr-kb4", source=source, **given)
    through = SourceTexts(
        {"A": reference},
        [reference],
        source=source,
        hyp_align={"A": [lists.alignments[0]]},  # type: ignore[index]
        ref_align=[tmp_path / "ref.align"],
    )
    scores = score(through, metrics="kendall,lr-kb4")
    assert scored.segments("kendall").tolist() == [2 / 3, 1]
    assert str(scored.metrics[1]) == str(scores.metrics[1])  # with the d_k of the references
    assert scored.score(np.array([0]), "lr-kb4") == pytest.approx(float(scores["A", str(scores.metrics[1])].value))
    with pytest.raises(UsageError, match=r"lengths of the source sentences; give the source text \(source\)"):
        lists.score([reference], "kendall", **given)
    with pytest.raises(UsageError, match="alignments=True"):
        NBest.read(tmp_path / "list").score([reference], "kendall", source=source, **given)
    with pytest.raises(UsageError, match="0 reference alignments for 1 reference"):
        lists.score([reference], "kendall", source=source, order="source")
    with pytest.raises(InputError, match=r"ref.align:1: link 1-0 is out of range"):
        lists.score([reference], "kendall", source=["x"], **given)
    (tmp_path / "ref.align").write_text("0-0\n")
    with pytest.raises(InputError, match="hypothesis 1: link 2-2 is out of range"):
        lists.score([reference], "kendall", source=["x"], **given)
    with pytest.raises(UsageError, match="require order='source'"):
        lists.score([reference], "kendall", source=source)


def test_a_union_keeps_what_is_new(lists: NBest, tmp_path: Path) -> None:
    again = NBest.union([lists, lists])
    assert (again.ids.tolist(), again.offsets.tolist()) == (lists.ids.tolist(), lists.offsets.tolist())
    assert again.texts_at(range(4)) == lists.texts_at(range(4))
    assert again.features.tolist() == lists.features.tolist()
    (tmp_path / "more").write_text("2 ||| c d ||| lm= -1 tm= -2 -4 ||| -1\n1 ||| e ||| lm= 0 tm= 0 0 ||| 0\n")
    both = NBest.union([lists, NBest.read(tmp_path / "more")])
    assert (both.ids.tolist(), both.offsets.tolist()) == ([0, 1, 2], [0, 2, 3, 6])
    assert both.texts_at(range(6)) == ["the cat sat", "sat the cat", "e", "c d", "d c", "c d"]
    both.write(tmp_path / "written")
    back = NBest.read(tmp_path / "written")
    assert back.texts_at(range(6)) == both.texts_at(range(6))
    assert (back.names, back.features.tolist()) == (both.names, both.features.tolist())
    (tmp_path / "other").write_text("0 ||| e ||| x= 0 ||| 0\n")
    with pytest.raises(InputError, match=r"\(lm, tm_0, tm_1\) differ from those of .* \(x\)"):
        NBest.union([lists, NBest.read(tmp_path / "other")])


TEXT = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(" ".join)


@given(st.lists(st.lists(TEXT, min_size=1, max_size=3), min_size=1, max_size=4), st.data())
@settings(max_examples=30)
def test_the_oracle_against_all_choices(texts: list[list[str]], data: st.DataObject) -> None:
    references = [data.draw(TEXT) for _ in texts]
    scored = NBest.of(texts).score(references, "kendall-sqrt,bleu1")
    spans = itertools.pairwise(scored.lists.offsets.tolist())
    choices = [np.array(choice) for choice in itertools.product(*(range(*span) for span in spans))]
    for metric in scored.metrics:
        found = oracle(scored, metric)
        scores = [scored.score(choice, metric) for choice in choices]
        best, worst = np.nanmax([*scores, -1]), np.nanmin([*scores, 2])
        assert found.best == pytest.approx(scored.score(found.best_choice, metric), nan_ok=True)
        if metric.name == "bleu1" and len(texts) > 1:  # a local optimum of the corpus score
            assert found.best <= best + 1e-12
            continue
        if not np.isnan(scores).any():
            assert found.best == pytest.approx(best)
            assert found.worst == pytest.approx(worst)
    table = oracle_table(scored)
    assert [row[0].value for row in table.rows] == ["kendall-sqrt", "bleu1"]


def test_lists_in_hand_are_checked() -> None:
    with pytest.raises(InputError, match="sentence 1 has no hypotheses"):
        NBest.of([["a"], []])
    with pytest.raises(InputError, match="one number for each hypothesis"):
        NBest.of([["a", "b"]], features={"lm": [[1.0]]})
    assert NBest.of([["a", "b"]], totals=[[1.0, 2.0]]).choose().tolist() == [1]


def test_equal_texts_are_known_across_blocks(tmp_path: Path) -> None:
    lines = [f"{sentence} ||| {'abca'[row]} ||| f= 1 ||| 0\n" for sentence in (0, 1) for row in range(4)]
    for order in (range(8), (4, 0, 1, 5, 6, 2, 3, 7)):  # the sentences together, and mixed
        (tmp_path / "list").write_text("".join(lines[place] for place in order))
        blocks = list(read_blocks(tmp_path / "list"))
        lists = NBest.gather([block for whole in blocks for block in _cut(whole)], name="list")
        rows, row_of = lists.distinct()
        assert len(rows) == 6
        assert row_of.tolist() == [0, 1, 2, 0, 3, 4, 5, 3]
        assert lists.texts_at(rows) == ["a", "b", "c"] * 2


def _cut(block: Hypotheses) -> list[Hypotheses]:
    """Cut a block into blocks of three hypotheses."""
    return [
        Hypotheses(
            block.sentences[start : start + 3],
            block.texts[start : start + 3],
            block.names,
            block.features[:, start : start + 3],
            None,
            block.lines[start : start + 3],
        )
        for start in range(0, len(block), 3)
    ]


def test_blocks_of_any_size_give_the_same_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts and features are put together in parts, and equal texts are looked for in parts, to save memory."""
    rng = np.random.default_rng(1)
    rows = [(row // 7, f"ü{rng.integers(3)}" if row % 5 else "", rng.normal(), row % 3) for row in range(60)]
    lines = [f"{s} ||| {t} ||| lm= {x!r} {'s_1=2' if extra else ''} ||| 0\n" for s, t, x, extra in rows]
    (tmp_path / "list").write_text("".join(lines), encoding="utf-8")
    whole = NBest.read(tmp_path / "list")
    assert whole.texts_at(range(60)) == [text for _, text, *_ in rows]
    assert whole.features.tolist() == [[x for *_, x, _ in rows], [2.0 * bool(extra) for *_, extra in rows]]
    places, row_of = whole.distinct()
    assert len(places) == len({(s, t) for s, t, *_ in rows})
    assert whole.texts_at(places[row_of]) == whole.texts_at(range(60))
    (block,) = read_blocks(tmp_path / "list")
    parts = []
    for start in range(0, 60, 4):
        own = slice(start, start + 4)
        numbers = block.features[:, own]
        parts.append(
            Hypotheses(block.sentences[own], block.texts.slice(start, 4), block.names, numbers, None, block.lines[own])
        )
    monkeypatch.setattr(nbest, "BLOCKS_TOGETHER", 2)
    monkeypatch.setattr(nbest, "ROOM_BYTES", 100)
    monkeypatch.setattr(nbest, "SENTENCES_AT_A_TIME", 2)
    found = NBest.gather(parts, name="parts")
    assert found.texts_at(range(60)) == whole.texts_at(range(60))
    assert found.features.tolist() == whole.features.tolist()
    again, row_of = found.distinct()
    assert sorted(again) == sorted(places)
    assert found.texts_at(again[row_of]) == whole.texts_at(range(60))


def test_tuning_does_without_texts(lists: NBest) -> None:
    scored = lists.score(["the cat sat", "c d"], "bleu1", renumber=True)
    bare = scored.without_texts()
    assert len(bare.lists.texts) == 0
    assert optimise(bare, restarts=2).runs == optimise(scored, restarts=2).runs
