"""Real translations (WMT12 German–English): BLEU is sacreBLEU's, and the order metrics have something to say."""

from __future__ import annotations

from pathlib import Path

import pytest
from sacrebleu.metrics.bleu import BLEU

from wordorder import Parsing, score
from wordorder.core.trees import ConstituencyTrees
from wordorder.formats import brackets
from wordorder.linking.parsing import Grammar

SYSTEMS = ("onlineB", "jhu-hiero")


@pytest.mark.realdata
def test_two_systems_against_sacrebleu(shared: Path) -> None:
    folder = shared / "data" / "wmt12"
    reference = folder / "newstest2012-ref.en"
    files = {name: folder / "system-outputs" / "de-en" / f"newstest2012.de-en.{name}" for name in SYSTEMS}
    scores = score(files, reference, metrics="bleu,kendall-sqrt,lr-kb4", samples=100)
    gold = reference.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    assert len(scores) == len(gold) == 3003
    for s, path in enumerate(files.values()):
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        theirs = BLEU(smooth_method="none").corpus_score(lines, [gold])
        assert scores.values[s, 0] == pytest.approx(theirs.score / 100, abs=1e-12)
        assert scores.rows[s][0].sum(axis=0).tolist() == [
            theirs.sys_len,
            theirs.ref_len,
            *theirs.counts,
            *theirs.totals,
        ]
    assert (scores.values[0] > scores.values[1]).all()
    assert all(comparison.significant for comparison in scores.comparisons)
    assert (scores.defined[:, 1] > 2950).all()


@pytest.mark.realdata
def test_expected_dependencies(shared: Path) -> None:
    """A grammar of GUM's news; the reference scores 1, a shuffled one as many words but hardly an arc."""
    trees = [brackets.read(path) for path in sorted((shared / "data" / "gum-trees").glob("GUM_news_*.ptb"))]
    grammar = Grammar.learn(ConstituencyTrees.concatenate(trees))
    folder = shared / "data" / "wmt12"
    gold = (folder / "newstest2012-ref.en").read_text(encoding="utf-8").split("\n")[:30]
    text = (folder / "system-outputs" / "de-en" / "newstest2012.de-en.onlineB").read_text(encoding="utf-8")
    systems = {
        "onlineB": text.split("\n")[:30],
        "reference": gold,
        "sorted": [" ".join(sorted(line.split())) for line in gold],
    }
    scores = score(systems, gold, parsing=Parsing(grammar), metrics="edpm,dpm,bleu,1-ter,f1", samples=0)
    parts = [scores.metrics[0].parts(rows[0].sum(axis=0)) for rows in scores.rows]
    assert scores.values[1].tolist() == pytest.approx([1.0] * scores.values.shape[1])
    assert all(part[name] > 0.1 for part in parts for name in ("1g", "dl", "lh"))
    assert parts[2]["1g"] > 0.95
    assert scores.values[2, 1] < 0.3
    assert 0.2 < scores.values[0, 0] < 0.5
