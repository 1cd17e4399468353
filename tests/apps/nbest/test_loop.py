"""Tuning a decoder in a loop: what it finds, what it keeps, and that interruptions change nothing."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from toy_corpus import PAIRS
from wordorder.apps.nbest import read_weights
from wordorder.apps.nbest.loop import Loop, LoopSettings, runs_table, tune_decoder, tune_runs
from wordorder.cli.main import main
from wordorder.core.runtime.errors import UsageError, WordorderError

TOY = f"{shlex.quote(sys.executable)} -S {shlex.quote(str(Path(__file__).parents[2] / 'toy_decoder.py'))}"
COMMAND = f"{TOY} {{source}} {{weights}} {{nbest}}"
START = {"order": -1.0, "first": 0.1, "noise": 0.3}


@pytest.fixture
def settings(tmp_path: Path) -> LoopSettings:
    """Sentences whose translation is themselves, and weights that turn them around."""
    (tmp_path / "source").write_text("a b c d\ne f g h\nc a d b\nh g f b\n")
    (tmp_path / "reference").write_text("a b c d\ne f g h\nc a d b\nh g b f\n")
    return LoopSettings(
        decoder=COMMAND,
        source=str(tmp_path / "source"),
        references=(str(tmp_path / "reference"),),
        start=START,
        objective="bleu1",
        restarts=3,
        iterations=4,
    )


def by_order(settings: LoopSettings) -> LoopSettings:
    return replace(settings, objective="lr:order=kendall:lexical=bleu1:alpha=0.5")


def test_translations_get_better_and_all_is_kept(settings: LoopSettings, tmp_path: Path) -> None:
    found = tune_decoder(by_order(settings), tmp_path / "work")
    scores = [each.score for each in found.iterations]
    assert found.best.score > scores[0] + 0.2
    assert found.weights["order"] > 0 > START["order"]
    assert found.iterations[0].hypotheses == found.iterations[0].new == 24
    work = tmp_path / "work"
    assert read_weights(work / "weights.tsv") == found.weights
    assert read_weights(work / "01" / "weights.tsv") == START
    assert {path.name for path in (work / "01").iterdir()} == {
        "weights.tsv", "nbest", "result.json", "decoder.log", "translations",
    }  # fmt: skip
    assert json.loads((work / "02" / "result.json").read_text())["score"] == scores[1]
    table = str(found.table())
    assert "stopped: " in table
    assert "*" in table


def test_the_best_weights_are_those_whose_translations_were_best(settings: LoopSettings, tmp_path: Path) -> None:
    found = tune_decoder(by_order(settings), tmp_path / "work")
    best = found.best.number
    assert found.weights == read_weights(tmp_path / "work" / f"{best:02d}" / "weights.tsv")
    assert found.best.score == max(each.score for each in found.iterations)


@pytest.mark.parametrize("lost", ["02/result.json", "03/weights.tsv", "02/nbest", "weights.tsv"])
def test_what_is_missing_is_made_again_and_the_rest_is_not(settings: LoopSettings, tmp_path: Path, lost: str) -> None:
    whole = tune_decoder(by_order(settings), tmp_path / "work")
    kept = (tmp_path / "work" / "01" / "nbest").stat().st_mtime_ns
    gone = tmp_path / "work" / lost
    gone.unlink()
    if lost == "03/weights.tsv":  # they come before the result
        (tmp_path / "work" / "02" / "result.json").unlink()
    (tmp_path / "work" / "02" / "nbest.1.part").write_text("half a li")
    again = tune_decoder(by_order(settings), tmp_path / "work")
    assert again.weights == whole.weights
    assert again.iterations == whole.iterations
    assert (tmp_path / "work" / "01" / "nbest").stat().st_mtime_ns == kept


def test_more_iterations_go_on_where_fewer_ended(settings: LoopSettings, tmp_path: Path) -> None:
    whole = tune_decoder(by_order(settings), tmp_path / "whole")
    first = tune_decoder(replace(by_order(settings), iterations=1), tmp_path / "work")
    assert [each.number for each in first.iterations] == [1]
    assert first.stopped == "1 iteration done"
    assert tune_decoder(by_order(settings), tmp_path / "work").iterations == whole.iterations


@pytest.mark.slow
def test_killed_and_resumed_it_ends_with_the_same_weights(settings: LoopSettings, tmp_path: Path) -> None:
    start = tmp_path / "start.tsv"
    start.write_text("".join(f"{name}\t{value}\n" for name, value in START.items()))
    command = [
        "nbest", "loop", "--decoder", f"sleep 0.3; {COMMAND}", "--start", str(start), "--source", settings.source,
        "--ref", *settings.references, "--objective", by_order(settings).objective, "--restarts", "3",
        "--iterations", "4", "--work",
    ]  # fmt: skip
    killed, whole = (str(tmp_path / name) for name in ("killed", "whole"))
    assert main([*command, whole]) == 0
    with subprocess.Popen([sys.executable, "-m", "wordorder", *command, killed], stdout=subprocess.DEVNULL) as process:
        while not Path(killed, "02", "weights.tsv").exists() and process.poll() is None:
            time.sleep(0.02)
        process.kill()
    assert process.returncode == -9
    assert not Path(killed, "weights.tsv").exists()
    assert main([*command, killed]) == 0
    for name in ("weights.tsv", "02/nbest", "02/weights.tsv", "02/result.json"):
        assert Path(killed, name).read_bytes() == Path(whole, name).read_bytes()


@pytest.mark.slow
def test_thot_gets_better(tmp_path: Path) -> None:
    """A loop with a real decoder that starts from weights that like to jump."""
    pytest.importorskip("thot")
    from wordorder.apps import smt

    smt.train([one for one, _ in PAIRS], [other for _, other in PAIRS], tmp_path / "system")
    source, reference = tmp_path / "dev.de", tmp_path / "dev.en"
    source.write_text("".join(one + "\n" for one, _ in PAIRS[::5]))
    reference.write_text("".join(other + "\n" for _, other in PAIRS[::5]))
    command = f"{shlex.quote(sys.executable)} -m wordorder smt translate {shlex.quote(str(tmp_path / 'system'))}"
    found = tune_decoder(
        LoopSettings(
            decoder=f"{command} {{source}} --weights {{weights}} --nbest {{nbest}} --count 30",
            source=str(source),
            references=(str(reference),),
            start=smt.START | {"Jump": -1.0, "LM": 0.1},
            restarts=2,
            iterations=2,
        ),
        tmp_path / "work",
    )
    assert found.iterations[1].score > found.iterations[0].score
    assert found.best.number == 2


def test_runs_start_elsewhere(settings: LoopSettings, tmp_path: Path) -> None:
    loops = tune_runs(replace(by_order(settings), iterations=2), tmp_path / "work", runs=2)
    assert len(loops) == 2
    starts = [read_weights(tmp_path / "work" / f"run-{run}" / "01" / "weights.tsv") for run in (1, 2)]
    assert starts[0] == START
    assert starts[1] != START
    average = read_weights(tmp_path / "work" / "average.tsv")
    assert sum(map(abs, average.values())) <= 1 + 1e-9
    assert [row[0].value for row in runs_table(loops).rows] == [1, 2]
    assert "mean" in str(runs_table(loops))


def test_weights_for_moses_have_one_line_for_each_feature(settings: LoopSettings, tmp_path: Path) -> None:
    from wordorder.apps.nbest.loop import _write_for_moses

    _write_for_moses(tmp_path / "w", {"LM": 0.5, "tm_0": 1.0, "tm_1": -2.0, "_": 3.0})
    assert (tmp_path / "w").read_text() == "LM= 0.5\ntm= 1.0 -2.0\n_= 3.0\n"
    found = tune_decoder(replace(settings, weights_format="moses", iterations=1), tmp_path / "work")
    assert len(found.iterations) == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"decoder": "moses {source} {nbest}"}, r"lacks \{weights\}"),
        ({"iterations": 0}, "1 or more"),
        ({"weights_format": "xml"}, "tsv or moses"),
        ({"start": {}}, "no initial weights were given"),
        ({"start": {"order": 1.0}}, "KeyError|exit code 1"),
        ({"start": START | {"lm": 1.0}}, "unknown feature of .* 'lm'"),
        ({"decoder": f"{COMMAND} 0"}, "is empty; expected"),
        ({"decoder": f"head -2 {{source}} > s; {TOY} s {{weights}} {{nbest}}"}, "2 sentences, but the source has 4"),
        ({"decoder": "echo no model >&2; false {source} {weights} {nbest}"}, "exit code 1; .*decoder.log: no model"),
        ({"decoder": "true {source} {weights} {nbest}"}, "did not write an n-best list"),
        ({"decoder": "kill -15 $$; : {source} {weights} {nbest}"}, "signal 15"),
    ],
)
def test_mistakes(
    settings: LoopSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: dict[str, str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WordorderError, match=message):
        tune_decoder(replace(settings, **changed), tmp_path / "work")  # type: ignore[arg-type]


def test_a_mistake_before_the_first_list_can_be_put_right(settings: LoopSettings, tmp_path: Path) -> None:
    with pytest.raises(WordorderError, match="exit code"):
        tune_decoder(replace(settings, decoder="false {source} {weights} {nbest}"), tmp_path / "work")
    found = tune_decoder(replace(settings, start=START | {"noise": 0.5}, iterations=1), tmp_path / "work")
    assert found.weights["noise"] == 0.5


def test_a_folder_belongs_to_one_experiment(settings: LoopSettings, tmp_path: Path) -> None:
    found: Loop = tune_decoder(replace(settings, iterations=1), tmp_path / "work")
    assert found.iterations
    with pytest.raises(UsageError, match="objective was 'bleu1' and is now 'bleu'"):
        tune_decoder(replace(settings, objective="bleu"), tmp_path / "work")
    Path(settings.source).write_text("a b c d\n")
    with pytest.raises(UsageError, match="source has changed"):
        tune_decoder(settings, tmp_path / "work")
    with pytest.raises(UsageError, match="does not belong to a tuning loop"):
        tune_decoder(settings, tmp_path)
