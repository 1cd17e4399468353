"""Folders of results of version 0.2.0, without checksums: the results are recomputed, and a run says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_corpora import write_corpus

from wordorder.apps import scale
from wordorder.apps.scale import jobs, runner
from wordorder.apps.scale.runner import PartError
from wordorder.apps.scale.scores import score_job
from wordorder.core.runtime.errors import InputWarning, UsageError

CORPUS: dict[str, list[Any]] = {"ref": ["a b c", "b a", None], "hyp": ["a c b", "b a", "x"]}
COLUMNS = {"reference": "ref", "A": "hyp"}
SIGNATURE = {
    "order": "matched", "match": "exact", "matcher": 2, "tokenizer": "13a", "case": "mixed", "references": 1,
}  # fmt: skip
JOB = {
    "command": "score",
    "version": "0.2.0",
    "settings": {"columns": COLUMNS, "metrics": ["kendall"], **SIGNATURE},
    "job": "ef288269e3dcca66ac25f46231b78a7c",
    "parts": ["part-00000.parquet"],
}
REPORT: dict[str, Any] = {
    **{name: JOB[name] for name in ("command", "version", "settings")},
    "signature": SIGNATURE,
    "job": JOB["job"],
    "input": "f8e69e66ff5e237f364442a6dbc33a6f",
    "rows": 3,
    "bad": {"ref missing": 1},
    "sums": {"statistics": [[5 / 3, 2.0]], "counts": [[5.0, 5.0, 4.0, 5.0]], "words": [5], "defined": [[2]]},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write by hand what version 0.2.0 writes for a corpus of three rows."""
    write_corpus(tmp_path / "corpus", CORPUS)
    scores = tmp_path / "scores"
    scores.mkdir()
    (scores / "_job.json").write_text(json.dumps(JOB, indent=1), encoding="utf-8")
    rows = pa.table({"kendall": [2 / 3, 1.0, None], "reason": [None, None, "ref missing"]})
    report = {"wordorder": json.dumps(REPORT)}
    pq.write_table(rows.replace_schema_metadata(report), scores / "part-00000.parquet")
    return tmp_path


def test_results_without_checksums_are_not_believed(folder: Path) -> None:
    found = scale.status(folder / "scores")
    assert (found.command, found.complete, found.rows) == ("score", False, 0)
    reason = "a result of version 0.2.0, which has no checksums"
    assert found.damaged == {"part-00000.parquet": reason}
    assert f"part-00000.parquet will be recomputed: {reason}" in str(found.table())
    with pytest.raises(PartError, match=r"no result yet for .* \(part-00000\.parquet: a result of version 0\.2\.0"):
        scale.totals(folder / "scores")


def test_the_digest_of_a_job_depends_on_no_name_in_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "__version__", "0.2.0")
    assert score_job(COLUMNS, "kendall").digest == JOB["job"]


def test_a_later_version_does_them_again(folder: Path) -> None:
    with pytest.warns(InputWarning, match=r"1 result is recomputed: part-00000\.parquet \(a result of version 0\.2\.0"):
        scale.score(folder / "corpus", columns=COLUMNS, metrics="kendall", out=folder / "scores")
    assert scale.status(folder / "scores").complete
    totals: Any = scale.totals(folder / "scores")
    assert totals.values.tolist() == [[pytest.approx(5 / 6)]]
    with pytest.raises(UsageError, match="replace its contents with overwrite=True"):
        scale.score(folder / "corpus", columns=COLUMNS, metrics="bleu", out=folder / "scores")


def test_sound_results_of_another_version_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    how: dict[str, Any] = {"columns": COLUMNS, "metrics": "kendall", "out": folder / "new"}
    scale.score(folder / "corpus", **how)
    for module in (jobs, runner):
        monkeypatch.setattr(module, "__version__", "9.9")
    with pytest.raises(UsageError, match=r"another job \(version was .* and is now \"9\.9\"\)"):
        scale.score(folder / "corpus", **how)
    scale.score(folder / "corpus", overwrite=True, **how)
    assert scale.status(folder / "new").complete
