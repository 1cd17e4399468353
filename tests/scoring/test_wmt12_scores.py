"""Real translations (WMT12 German–English): BLEU is sacreBLEU's, and the order metrics have something to say."""

from __future__ import annotations

from pathlib import Path

import pytest
from sacrebleu.metrics.bleu import BLEU

from wordorder import score

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
