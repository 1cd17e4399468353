"""The Python calls that ``record.py`` records: a function each, whose result is written as text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

CALLS: dict[str, Callable[[], object]] = {}


def call(function: Callable[[], object]) -> Callable[[], object]:
    """Add a Python call to those that are recorded; what it returns is recorded as text."""
    CALLS["call-" + function.__name__.replace("_", "-")] = function
    return function


def lines(path: str) -> list[str]:
    return Path(path).read_text("utf-8").splitlines()


@call
def score_lists() -> object:
    import wordorder

    return wordorder.score({"A": lines("de-en/onlineA"), "B": lines("de-en/jhu-hiero")}, lines("ref.en"))


@call
def score_one_list() -> object:
    import wordorder

    return wordorder.score(["the cat sat down", "a dog"], ["down sat the cat", "a dog"], metrics="kendall,bleu1")


@call
def score_paths() -> object:
    import wordorder

    return wordorder.score(
        {"A": Path("multi/out0"), "B": Path("multi/out1")}, [Path("multi/ref0"), Path("multi/ref1")], metrics="order"
    )


@call
def score_file_names() -> object:
    import wordorder

    return wordorder.score("de-en/onlineA", "ref.en", metrics=["pef", "bleu"], lowercase=True)


@call
def score_arrow() -> object:
    import pyarrow as pa

    import wordorder

    hypotheses = pa.chunked_array([lines("de-en/onlineA")[:100], lines("de-en/onlineA")[100:]])
    return wordorder.score(hypotheses, pa.array(lines("ref.en")), metrics="lr-kb4,ribes,full")


@call
def score_pandas() -> object:
    import pandas as pd

    import wordorder

    frame = pd.DataFrame({"hypothesis": lines("de-en/onlineA"), "reference": lines("ref.en")})
    return wordorder.score({"A": frame["hypothesis"]}, frame["reference"], metrics="kendall-sqrt,bleu")


@call
def score_documents() -> object:
    import wordorder

    documents = [str(number // 50) for number in range(300)]
    return wordorder.score(
        {"A": "de-en/onlineA", "B": "de-en/jhu-hiero"}, "ref.en", docs=documents, resample="documents"
    )


@call
def score_segments() -> object:
    import wordorder

    scores = wordorder.score({"A": "de-en/onlineA", "B": "de-en/jhu-hiero"}, "ref.en", metrics="pef,bleu,ribes")
    return scores.segments().to_pydict()


@call
def score_tests() -> object:
    import wordorder

    scores = wordorder.score({"A": "de-en/onlineA", "B": "de-en/jhu-hiero"}, "ref.en", metrics="pef,bleu,ribes")
    return "\n".join(map(repr, scores.compare(test="sign")))


@call
def score_permutations() -> object:
    import wordorder

    orders = {"A": ["1 2 3", "2 1 3"], "B": ["3 2 1", "1 2 3"]}
    return wordorder.score(permutations=orders, metrics="kendall,hamming,pef")


@call
def score_alignments() -> object:
    import wordorder

    return wordorder.score(
        hyp_align={"A": "onlineA.align", "B": "jhu.align"}, ref_align="ref.align", source="src.de", policy="attach-left"
    )


@call
def score_source() -> object:
    import wordorder

    return wordorder.score(
        {"A": "de-en/onlineA"},
        "ref.en",
        source="src.de",
        order="source",
        aligning=wordorder.Aligning(align_model="de-en.model"),
    )


@call
def score_monotone() -> object:
    import wordorder

    return wordorder.score({"A": lines("few-onlineA")}, source=lines("few.de"), metrics="kendall,jump")


@call
def score_parses() -> object:
    import wordorder

    hypothesis, reference = "(S (NP (DT the) (NN cat)) (VP (VBD sat)))", "(S (NP (DT a) (NN cat)) (VP (VBD sat)))"
    return wordorder.score(hyp_parses=[hypothesis], ref_parses=[reference], metrics="dpm,edpm")


@call
def score_parsing() -> object:
    import wordorder

    parsing = wordorder.Parsing("en.grammar", cache=False)
    return wordorder.score("few-onlineA", "few.en", metrics="edpm,bleu", parsing=parsing, samples=50)


@call
def expected() -> object:
    import wordorder

    aligning = wordorder.Aligning(align_model="de-en.model")
    texts = {"A": "de-en/onlineA", "B": "de-en/jhu-hiero"}
    return wordorder.score(texts, "ref.en", source="src.de", aligning=aligning, expected=3, samples=0).table()


@call
def metric_values() -> object:
    import wordorder

    specs = ["kendall", "kendall-sqrt", "hamming", "spearman", "ulam", "fuzzy", "pet", "pef:beta=0.5", "pet-size"]
    return {spec: wordorder.metric(spec)("2 4 5 6 1 3") for spec in specs}


@call
def metric_reference() -> object:
    import wordorder

    return wordorder.metric("kendall")("2 1 3", reference="1 3 2")


@call
def metric_specs() -> object:
    import wordorder

    specs = ["pef:beta=0.50", "full:order=pef:order.beta=0.5:lexical=f1", "lr:order=hamming:lexical=bleu", "edpm"]
    return [str(wordorder.metric(spec)) for spec in specs]


@call
def metric_unknown() -> object:
    import wordorder

    return wordorder.metric("pef:bta=1")


@call
def order_of_items() -> object:
    import wordorder

    return wordorder.order(["mix", "sift", "bake", "eat"], ["sift", "mix", "bake"]).permutation


@call
def permutation() -> object:
    import wordorder

    value = wordorder.Permutation.parse("2 4 5 6 1 3")
    return [repr(value), str(value), len(value), repr(wordorder.PermutationTree.of(value))]


@call
def against_source() -> object:
    import wordorder

    links = wordorder.Alignment(((0, 0), (1, 2), (2, 1), (3, 3)), source_length=5).column()
    policies = ("birch", "talbot", "attach-left", "drop")
    return [str(wordorder.order_against_source(links, policy=policy)[0]) for policy in policies]


@call
def against_reference() -> object:
    import wordorder

    judged = wordorder.Alignment(((0, 0), (1, 2), (2, 1)), source_length=3).column()
    gold = wordorder.Alignment(((0, 1), (1, 0), (2, 2)), source_length=3).column()
    return str(wordorder.order_against_reference(judged, gold)[0])


@call
def profile() -> object:
    import wordorder

    return wordorder.profile(wordorder.Corpus("de-en", "ref.align", source="src.de", target="ref.en"))


@call
def preordering() -> object:
    from wordorder.apps.preorder import Reference, evaluate_orders, load_rules, reorder
    from wordorder.core.orders import place
    from wordorder.formats import conllu, pharaoh

    trees = conllu.read("pud/en-jp/en.conllu")
    links = pharaoh.read("pud/en-jp.align", source_lengths=trees.lengths)
    reference = Reference.of(place(links, policy="talbot"), trees)
    return evaluate_orders({name: reorder(trees, load_rules(name)) for name in ("r1", "r5")}, reference)


@call
def metaevaluation() -> object:
    import wordorder
    from wordorder.apps.metaeval import JudgedSet, metaevaluate
    from wordorder.formats import wmt_rankings

    texts = {path.name: str(path) for path in sorted(Path("de-en").iterdir())}
    scores = wordorder.score(texts, "ref.en", metrics="kendall-sqrt,pef,bleu", samples=0)
    judgements = wmt_rankings.read("rankings.csv", pair="de-en").among(tuple(texts), unplaced="drop")
    judged = JudgedSet.of("de-en", scores, judgements)
    return metaevaluate([judged], segment=["tau"], system=["rho", "r"])
