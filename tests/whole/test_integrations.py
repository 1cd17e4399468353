"""The examples in ``integrations/`` give the numbers of ``wordorder.score`` inside other people's tools."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import wordorder
from wordorder.report.table import write_signature

FOLDER = Path(__file__).resolve().parents[2] / "integrations"
PREDICTIONS = ["sat the cat today", "all day it rained", "we saw the red house"]
REFERENCES = ["the cat sat today", "it rained all day", "we saw the red house"]
OTHERS = ["today the cat sat", "all day it rained", "we have seen the house"]


def load(path: Path) -> ModuleType:
    """Import a file that belongs to no package."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module
    specification.loader.exec_module(module)
    return module


def test_the_interface_of_sacrebleu() -> None:
    adapter = load(FOLDER / "sacrebleu_style.py")
    metric = adapter.WordOrder("kendall-sqrt")
    with pytest.raises(ValueError, match="nothing has been scored yet"):
        metric.get_signature()
    found = metric.corpus_score(PREDICTIONS, [REFERENCES, OTHERS])
    expected = wordorder.score(PREDICTIONS, [REFERENCES, OTHERS], metrics="kendall-sqrt", samples=0)
    assert found.score == pytest.approx(100 * expected.values[0, 0])
    assert str(found) == f"kendall-sqrt = {found.score:.2f}"
    assert metric.get_signature() == write_signature(expected.signature)
    one = metric.sentence_score(PREDICTIONS[0], [REFERENCES[0]])
    assert one.score == pytest.approx(100 * wordorder.metric("kendall-sqrt")(PREDICTIONS[0], REFERENCES[0]))
    nothing = metric.sentence_score("x", ["y"])
    assert (nothing.score, str(nothing)) == (None, "kendall-sqrt = undefined")


def test_a_metric_of_evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    evaluate = pytest.importorskip("evaluate", reason="the library evaluate is not installed")
    metric = evaluate.load(str(FOLDER / "evaluate" / "word_order"), cache_dir=str(tmp_path))
    found = metric.compute(predictions=PREDICTIONS, references=REFERENCES, metrics="kendall-sqrt,pef")
    expected = wordorder.score(PREDICTIONS, REFERENCES, metrics="kendall-sqrt,pef", samples=0)
    assert [found["kendall-sqrt"], found["pef"]] == expected.values[0].tolist()
    assert found["matched"] == 1.0
    several = [[first, second] for first, second in zip(REFERENCES, OTHERS, strict=True)]
    closest = metric.compute(predictions=PREDICTIONS, references=several, metrics="pef")
    both = wordorder.score(PREDICTIONS, [REFERENCES, OTHERS], metrics="pef", samples=0)
    assert closest["pef"] == both.values[0, 0]


def test_a_task_of_lm_evaluation_harness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("lm_eval", reason="lm-evaluation-harness (lm-eval) is not installed")
    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Parrot(LM):
        """A model that knows the answers by heart."""

        def generate_until(self, requests: Any, *_: Any, **__: Any) -> list[str]:
            return [PREDICTIONS[request.doc["number"]] for request in requests]

        def loglikelihood(self, *_: Any) -> Any: ...

        def loglikelihood_rolling(self, *_: Any) -> Any: ...

    rows = [{"number": n, "source": f"Satz {n}", "target": target} for n, target in enumerate(REFERENCES)]
    (tmp_path / "translations.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    tasks = TaskManager(include_path=str(FOLDER / "lm_eval"), include_defaults=False)
    found = simple_evaluate(model=Parrot(), tasks=["word_order_example"], task_manager=tasks, bootstrap_iters=0)
    results = found["results"]["word_order_example"]
    expected = wordorder.score(PREDICTIONS, REFERENCES, metrics="kendall-sqrt,pef", samples=0)
    assert [results["kendall_sqrt,none"], results["pef,none"]] == expected.values[0].tolist()
    assert results["matched,none"] == 1.0
