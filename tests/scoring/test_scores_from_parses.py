"""Scores of parses: given in every format, made by a grammar, kept on disk, beside metrics of text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder import Parsing, score
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.trees import (
    ConstituencyTrees,
    DependencyTree,
    DependencyTrees,
    ParseLists,
    to_dependencies,
    to_dependency_lists,
)
from wordorder.formats import parse_lists
from wordorder.linking.parsing import Grammar, Parser, save
from wordorder.linking.parsing.parsing import SEGMENTS_PER_BLOCK, dependency_lists, pack, unpack
from wordorder.scoring.inputs.parsed import text_of_parses
from wordorder.scoring.tables import groups_table

TREEBANK = [
    "(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat)) (PP (IN in) (NP (DT a) (NN box)))) (. .)))",
    "(ROOT (S (NP (DT a) (NN cat)) (VP (VBZ has) (NP (NP (DT the) (NN dog)) (PP (IN in) (NP (NN box))))) (. .)))",
    "(ROOT (S (NP (PRP she)) (VP (VBZ does) (RB n't) (VP (VB see) (NP (PRP him)))) (. .)))",
    "(ROOT (S (NP (NNS dogs)) (VP (VBP bark)) (. .)))",
]
REFERENCE = ["the dog sees a cat in a box.", "dogs bark.", "", "she doesn't see him."]
GOOD = ["the dog sees the cat in a box.", "dogs bark.", "", "she does see him."]
BAD = ["a box in sees a cat dog the.", "bark dogs", "him", "."]


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return Grammar.learn(ConstituencyTrees.of(TREEBANK * 60))


@pytest.fixture
def grammar_file(grammar: Grammar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORDORDER_CACHE", str(tmp_path / "cache"))
    save(grammar, tmp_path / "some.grammar")
    return tmp_path / "some.grammar"


@pytest.fixture
def files(grammar: Grammar, tmp_path: Path) -> Path:
    """Parses of the three texts in two formats."""
    parsing = Parsing(grammar)
    for name, lines in {"ref": REFERENCE, "good": GOOD, "bad": BAD}.items():
        trees: Any = parsing.parse_trees(pa.array(lines, pa.large_string()), tokenizer="13a", n=5)
        (tmp_path / f"{name}.nbest").write_text("".join(parse_lists.format_lists(trees)))
        (tmp_path / f"{name}.conllu").write_text(
            "".join(parse_lists.format_conllu(to_dependency_lists(trees))), encoding="utf-8"
        )
    return tmp_path


def parsed_here(grammar: Grammar, **options: Any) -> Any:
    return score({"good": GOOD, "bad": BAD}, REFERENCE, parsing=Parsing(grammar), samples=0, **options)


def test_forests_beside_lists(grammar: Grammar) -> None:
    """With all parses in the list, the list and the forest say the same; words and pairs need neither."""
    chain = "parts=1g+2g+dl+lh+chain"
    specs = [f"edpm:{chain}:n=500", f"edpm:{chain}:parses=forest", "edpm:parses=forest:gamma=1", "bleu"]
    scores = parsed_here(grammar, metrics=specs, lowercase=True)
    assert [str(metric) for metric in scores.metrics] == [*specs[:2], "edpm:gamma=1.0:parses=forest", "bleu"]
    np.testing.assert_allclose(scores.values[:, 0], scores.values[:, 1], atol=0.01)
    assert scores.values[0, 2] > scores.values[1, 2]
    alone = parsed_here(grammar, metrics=specs[1:2], lowercase=True)
    assert alone.values[:, 0].tolist() == scores.values[:, 1].tolist()
    assert alone.signature["metrics"] == specs[1:2]
    same = score(REFERENCE, REFERENCE, parsing=Parsing(grammar), metrics=specs[1], samples=0)
    assert same.values[0, 0] == pytest.approx(1.0)


def test_forests_need_a_grammar(files: Path) -> None:
    with pytest.raises(UsageError, match="edpm:parses=forest needs forests, which only a grammar produces"):
        score(
            GOOD,
            REFERENCE,
            hyp_parses=files / "good.nbest",
            ref_parses=files / "ref.nbest",
            metrics="edpm:parses=forest",
        )
    with pytest.raises(UsageError, match="needs forests, which only a grammar produces; give grammar"):
        score(GOOD, REFERENCE, parsing=Parsing(spacy="fr"), metrics="edpm:parses=forest")
    with pytest.raises(UsageError, match="n, the number of parses, has no effect"):
        score(GOOD, REFERENCE, metrics="edpm:parses=forest:n=10")
    with pytest.raises(UsageError, match="unknown parses of edpm 'woods'"):
        score(GOOD, REFERENCE, metrics="edpm:parses=woods")


def test_one_table_with_metrics_of_text_order_and_parses(grammar: Grammar) -> None:
    scores = parsed_here(grammar, metrics="edpm:n=5,dpm,bleu,1-ter,kendall,dpm:parts=1g+2g")
    names = [str(metric) for metric in scores.metrics]
    assert names == ["edpm:n=5", "dpm", "bleu", "1-ter", "kendall", "dpm:parts=1g+2g"]
    good, bad = scores.values
    assert (good[[0, 1, 2, 3, 5]] > bad[[0, 1, 2, 3, 5]]).all()
    text = score({"good": GOOD, "bad": BAD}, REFERENCE, metrics="bleu,1-ter,kendall", samples=0)
    np.testing.assert_array_equal(scores.values[:, 2:5], text.values[:, :3])
    assert scores.segment_scores("good", "dpm")[1] == 1.0
    assert np.isnan(scores.segment_scores("good", "dpm")[2])
    assert scores.inputs["parses"] == "pcfg"
    parts = scores.to_dict()["systems"][0]["scores"]["edpm:n=5"]["parts"]
    assert set(parts) == {"precision", "recall", "f", "1g", "2g", "dl", "lh"}


def test_parses_in_files_score_as_parses_made_here(grammar: Grammar, files: Path) -> None:
    here = parsed_here(grammar, metrics="edpm:n=5,dpm,kendall")
    for form, digits in (("conllu", 1e-12), ("nbest", 1e-6)):
        judged = {"good": files / f"good.{form}", "bad": files / f"bad.{form}"}
        beside = score(
            {"good": GOOD, "bad": BAD},
            REFERENCE,
            hyp_parses=judged,
            ref_parses=files / f"ref.{form}",
            metrics="edpm:n=5,dpm,kendall",
            samples=0,
        )
        np.testing.assert_allclose(beside.values, here.values, rtol=digits)
        assert beside.inputs["parses"] == "given"
        alone = score(hyp_parses=judged, ref_parses=files / f"ref.{form}", metrics="edpm:n=5,dpm", samples=0)
        np.testing.assert_allclose(alone.values[:, :2], here.values[:, :2], rtol=digits)
        assert alone.inputs["tokenizer"] == "none"
        mixed = score(
            {"good": GOOD, "bad": BAD},
            REFERENCE,
            ref_parses=files / f"ref.{form}",
            parsing=Parsing(grammar),
            metrics="edpm:n=5,dpm",
            samples=0,
        )
        np.testing.assert_allclose(mixed.values[:, :2], here.values[:, :2], rtol=digits)
        assert mixed.inputs["parses"] == "given+pcfg"


def test_the_words_of_parses_are_the_text(files: Path) -> None:
    found = text_of_parses(files / "ref.nbest", files / "ref.nbest")["ref"][0].to_pylist()
    assert found == ["the dog sees a cat in a box .", "dogs bark .", "", "she does n't see him ."]
    scores = score(hyp_parses=files / "good.nbest", ref_parses=files / "ref.nbest", metrics="edpm,bleu1", samples=0)
    words = ["the dog sees the cat in a box .", "dogs bark .", "", "she does see him ."]
    text = score(words, found, tokenize="none", metrics="bleu1", samples=0)
    assert scores.values[0, 1] == text.values[0, 0]
    assert scores.systems == ("good.nbest",)


def test_a_base_is_a_gamma(tmp_path: Path) -> None:
    """Reading the logarithms to the base 4 doubles them: it is γ twice as large."""
    (tmp_path / "one").write_text("1 a\n-1\n(NP (NN time) (NNS flies))\n", encoding="utf-8")
    (tmp_path / "two").write_text(
        "2 a\n-1\n(NP (NN time) (NNS flies))\n-3\n(S (NP (NN time)) (VP (VBZ flies)))\n", encoding="utf-8"
    )

    def dpm(gamma: float, base: float) -> float:
        spec = f"dpm:n=2:parts=dl:gamma={gamma}"
        scores = score(
            hyp_parses=tmp_path / "two",
            ref_parses=tmp_path / "one",
            metrics=spec,
            parsing=Parsing(log_base=base),
            samples=0,
        )
        return float(scores.values[0, 0])

    assert dpm(1, 2) == pytest.approx(0.8)  # 2⁻¹ and 2⁻³: .8 and .2
    assert dpm(0.5, 2) == pytest.approx(2 / 3)
    assert dpm(0.5, 4) == pytest.approx(0.8)
    assert dpm(1, math.e) == pytest.approx(1 / (1 + np.exp(-2)))


def test_trees_of_every_kind_are_accepted() -> None:
    brackets = TREEBANK[:2]
    columns: list[Any] = [
        brackets,
        ConstituencyTrees.of(brackets),
        list(ConstituencyTrees.of(brackets)),
        to_dependencies(ConstituencyTrees.of(brackets)),
        list(to_dependencies(ConstituencyTrees.of(brackets))),
        parse_lists.one_best(ConstituencyTrees.of(brackets)),
    ]
    for column in columns:
        scores = score(hyp_parses=column, ref_parses=brackets[::-1], metrics="dpm", samples=0)
        assert scores.values[0, 0] == pytest.approx(score(
            hyp_parses=brackets, ref_parses=brackets[::-1], metrics="dpm", samples=0
        ).values[0, 0])  # fmt: skip
        assert score(hyp_parses=column, ref_parses=[column], metrics="dpm", samples=0).values[0, 0] == 1
    empty = DependencyTree((), (), ())
    lists = dependency_lists([empty, DependencyTree(("a",), (-1,), ("r",))])
    assert lists.offsets.tolist() == [0, 0, 1]
    with pytest.raises(InputError, match="one tree per sentence"):
        score(hyp_parses=[1, 2], ref_parses=brackets, metrics="dpm")  # type: ignore[arg-type]


def test_several_references_and_documents(grammar: Grammar) -> None:
    documents = ["one", "one", "two", "two"]
    scores = score(
        {"good": GOOD}, [REFERENCE, GOOD], parsing=Parsing(grammar), metrics="edpm:n=3", samples=0, docs=documents
    )
    assert scores.values[0, 0] == 1.0  # the second reference is the hypothesis
    single = parsed_here(grammar, metrics="edpm:n=3", docs=documents)
    for name, members in (("one", [0, 1]), ("two", [2, 3])):
        rows = single.rows[0][0][members].sum(axis=0)
        found = [
            row for row in groups_table(single, "document").rows if row[0].value == name and row[1].value == "good"
        ]
        assert found[0][3].value == pytest.approx(float(single.metrics[0].corpus(rows)))


def test_lower_case_concerns_the_words_but_not_the_parser(grammar: Grammar) -> None:
    upper = [line.upper() for line in REFERENCE]
    assert score(upper, REFERENCE, parsing=Parsing(grammar), metrics="dpm:parts=1g+dh", samples=0).values[0, 0] < 0.5
    lower = score(upper, REFERENCE, parsing=Parsing(grammar), metrics="dpm:parts=1g+dh", samples=0, lowercase=True)
    parts = lower.metrics[0].parts(lower.rows[0][0].sum(axis=0))
    assert parts["1g"] > 0.9


def test_through_the_source_as_well(grammar: Grammar, files: Path) -> None:
    scores = score(
        {"good": GOOD}, REFERENCE, source=REFERENCE, order="source", metrics="edpm:n=5,kendall", samples=0,
        hyp_parses=files / "good.nbest", ref_parses=files / "ref.nbest",
    )  # fmt: skip
    matched = parsed_here(grammar, metrics="edpm:n=5")
    assert scores.values[0, 0] == pytest.approx(matched.values[0, 0], rel=1e-6)


def test_blocks_and_threads_change_nothing(grammar: Grammar) -> None:
    many = (REFERENCE * SEGMENTS_PER_BLOCK)[: 2 * SEGMENTS_PER_BLOCK + 5]
    other = (GOOD * SEGMENTS_PER_BLOCK)[: len(many)]
    found = [
        score(other, many, parsing=Parsing(grammar), metrics="edpm:n=4", samples=0, threads=threads).statistics[0]
        for threads in (1, 2)
    ]
    assert np.asarray(found[0]).tobytes() == np.asarray(found[1]).tobytes()
    assert found[0][:4].tobytes() == np.asarray(parsed_here(grammar, metrics="edpm:n=4").statistics[0]).tobytes()


def test_defaults_and_all(grammar: Grammar) -> None:
    assert [str(metric) for metric in parsed_here(grammar).metrics][:2] == ["edpm", "kendall-sqrt"]
    with pytest.raises(UsageError, match="no metric uses parses"):
        parsed_here(grammar, metrics="all")
    assert "edpm" in [str(metric) for metric in parsed_here(grammar, metrics="all,edpm").metrics]


# --- the cache ----------------------------------------------------------------------------------------------------


def test_parses_are_kept_on_disk(grammar_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []
    original = Parser.parse

    def counted(self: Parser, sentences: Any, **options: Any) -> Any:
        parsed.append(len(sentences))
        return original(self, sentences, **options)

    monkeypatch.setattr(Parser, "parse", counted)

    def run(**options: Any) -> Any:
        parsed.clear()
        chosen: dict[str, Any] = {"parsing": Parsing(grammar_file), "metrics": "edpm:n=3", "samples": 0} | options
        return score({"good": GOOD, "bad": BAD}, REFERENCE, **chosen)

    first = run()
    assert parsed == [4, 4, 4]
    assert first.inputs["parses"].startswith("pcfg:")
    again = run()
    assert parsed == []
    assert np.array_equal(again.statistics[0], first.statistics[0])
    run(metrics="edpm:n=2")
    assert len(parsed) == 3  # other lists
    assert np.array_equal(run(parsing=Parsing(grammar_file, cache=False)).statistics[0], first.statistics[0])
    assert len(parsed) == 3
    save(Grammar.learn(ConstituencyTrees.of(TREEBANK * 61)), grammar_file)
    run()
    assert len(parsed) == 3  # another grammar of the same name


@given(st.lists(st.lists(st.sampled_from(["a", "b", "dog"]), max_size=4), max_size=4), st.data())
def test_packing_keeps_parses(words: list[list[str]], data: st.DataObject) -> None:
    trees, counts = [], []
    for row in words:
        counts.append(data.draw(st.integers(1, 3)) if row else 0)
        chain = tuple(range(-1, len(row) - 1))
        labels = st.lists(st.sampled_from(["S/NP", "x"]), min_size=len(row), max_size=len(row))
        trees += [DependencyTree(tuple(row), chain, tuple(data.draw(labels))) for _ in range(counts[-1])]
    scores = np.array(data.draw(st.lists(st.floats(-9, 0), min_size=len(trees), max_size=len(trees))), dtype=float)
    names = tuple(str(row + 1) for row in range(len(words)))
    lists = ParseLists(DependencyTrees.of(trees), scores, np.cumsum([0, *counts]), names)
    again = unpack(pack(lists), words)
    assert list(again.trees) == trees
    assert again.log_probabilities.tolist() == scores.tolist()
    assert again.offsets.tolist() == lists.offsets.tolist()
    assert again.names == names


def test_spacy_parses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The pipeline is loaded once, and its version is part of what is kept."""
    monkeypatch.setenv("WORDORDER_CACHE", str(tmp_path))
    loaded: list[str] = []

    class Pipeline:
        meta = {"lang": "xx", "name": "toy", "version": "1.2"}  # noqa: RUF012

    def load(model: str) -> Any:
        loaded.append(model)
        return Pipeline()

    def parse(sentences: Any, *, model: Any) -> Any:
        assert isinstance(model, Pipeline)
        return dependency_lists(
            [
                DependencyTree(tuple(words), tuple(range(-1, len(words) - 1)), ("dep",) * len(words))
                for words in sentences
            ]
        )

    monkeypatch.setattr("wordorder.linking.parsing.load_spacy", load)
    monkeypatch.setattr("wordorder.linking.parsing.parse_with_spacy", parse)
    scores = score(GOOD, REFERENCE, parsing=Parsing(spacy="xx_toy"), metrics="dpm", samples=0)
    assert scores.inputs["parses"] == "spacy:xx_toy-1.2"
    assert loaded == ["xx_toy"]
    assert 0 < scores.values[0, 0] < 1


# --- mistakes -----------------------------------------------------------------------------------------------------


def mistakes(files: Path) -> Iterator[tuple[dict[str, Any], str]]:
    judged, gold = files / "good.nbest", files / "ref.nbest"
    short = files / "short.nbest"
    short.write_text("\n".join(gold.read_text(encoding="utf-8").split("\n\n")[0].split("\n")) + "\n", encoding="utf-8")
    text: dict[str, Any] = {"hyp": {"good": GOOD}, "ref": REFERENCE}
    yield text | {"metrics": "edpm"}, "metric edpm needs parses"
    yield {"hyp_parses": judged}, "must be compared with reference parses; give ref_parses"
    yield {"hyp_parses": judged, "ref": REFERENCE}, "without hyp, references must be parses: use ref_parses only"
    yield text | {"hyp_parses": judged}, "the references have no parses"
    yield text | {"ref_parses": gold}, "the hypotheses have no parses"
    yield (text | {"hyp_parses": judged, "ref_parses": [gold, gold]}, "expected parses of 1 reference text, found 2")
    yield text | {"hyp_parses": {"other": judged}, "ref_parses": gold}, "the systems are good"
    yield (
        text | {"hyp_parses": judged, "ref_parses": short, "metrics": "edpm"},
        r"differ in length: the text has 4 lines, .*short.nbest \(reference 1\) has 1",
    )
    yield (
        {"hyp": GOOD, "source": GOOD, "hyp_parses": judged, "ref_parses": gold},
        "order='monotone' uses no references",
    )
    yield text | {"parsing": Parsing("missing.grammar"), "metrics": "edpm"}, "missing.grammar: no such file"


def test_mistakes_have_one_clear_line(files: Path) -> None:
    for wrong, message in mistakes(files):
        with pytest.raises((UsageError, InputError), match=message):
            score(**wrong, samples=0)


def test_parsing_refuses_what_makes_no_sense() -> None:
    with pytest.raises(UsageError, match="give only one of grammar, parser and spacy"):
        Parsing("a.grammar", "xx_toy")
    with pytest.raises(UsageError, match="unknown format of parses 'penn'"):
        Parsing(parse_format="penn")
    with pytest.raises(UsageError, match="log_base must be e or a number above 1, not 1"):
        Parsing(log_base=1)


@pytest.mark.parametrize("format", ["nbest", "conllu"])
def test_parses_of_another_text_are_refused(files: Path, format: str) -> None:
    parses = {name: str(files / f"{name}.{format}") for name in ("ref", "good", "bad")}
    options: dict[str, Any] = {"metrics": "dpm", "samples": 0}
    with pytest.raises(
        InputError, match=r"good\.\w+: wrong parses for this text: expected .* in sentence 1, found 'the dog"
    ):
        score(BAD, REFERENCE, hyp_parses=parses["good"], ref_parses=parses["ref"], **options)
    with pytest.raises(InputError, match=r"ref\.\w+: wrong parses for this text: expected .* in sentence 1, found"):
        score(GOOD, GOOD, hyp_parses=parses["good"], ref_parses=parses["ref"], **options)
    # whoever cut the words, and in whatever case
    upper = [line.upper() for line in GOOD]
    score(upper, REFERENCE, hyp_parses=parses["good"], ref_parses=parses["ref"], **options)


def test_parses_belong_to_systems_by_name(files: Path) -> None:
    text: dict[str, Any] = {"hyp": {"good": GOOD, "bad": BAD}, "ref": REFERENCE, "metrics": "dpm", "samples": 0}
    found = [
        score(**text, ref_parses=str(files / "ref.nbest"), hyp_parses={n: str(files / f"{n}.nbest") for n in names})
        for names in (("good", "bad"), ("bad", "good"))
    ]
    assert found[0].values.tolist() == found[1].values.tolist()
    swapped = {"bad": str(files / "good.nbest"), "good": str(files / "bad.nbest")}
    with pytest.raises(InputError, match=r"bad\.nbest: wrong parses for this text"):
        score(**text, ref_parses=str(files / "ref.nbest"), hyp_parses=swapped)


def test_words_that_are_cut_already_stay_as_they_are(grammar: Grammar) -> None:
    lines = pa.array(["she doesn't see 'em"], pa.large_string())
    assert Parsing(grammar).words(lines, tokenizer="none") == [["she", "doesn't", "see", "'em"]]
    assert Parsing(grammar).words(lines, tokenizer="13a") == [["she", "does", "n't", "see", "'em"]]
