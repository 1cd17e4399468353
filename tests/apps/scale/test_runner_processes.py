"""Processes that are killed: the same bytes in the end, nothing left behind, and hardly anything done twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # it comes with Dask
import pytest
from deadly import DeadlyJob
from small_corpora import contents, pairs, write_corpus

from wordorder.apps import scale
from wordorder.apps.scale.runner import run_job

PARTS = 12
COLUMNS = {"reference": "ref", "A": "a"}
METRICS = "kendall,pef"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of some parts that take a while, and its scores by one process."""
    folder = tmp_path_factory.mktemp("whole")
    few = pairs(100)
    columns = {name: texts * 60 * PARTS for name, texts in few.items()}
    size = 100 * 60
    write_corpus(folder / "pairs", columns, [size * part for part in range(1, PARTS)])
    scale.score(folder / "pairs", columns=COLUMNS, metrics=METRICS, out=folder / "scores")
    return folder


def wait_until(condition: Callable[[], Any], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


def results(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*.parquet"))


def workers_of(process: psutil.Process) -> list[psutil.Process]:
    """The processes that work: not the one they are copies of."""
    started = [each for each in process.children(recursive=True) if "multiprocessing" in " ".join(each.cmdline())]
    return [each for each in started if each.parent() in started]


def test_a_worker_that_is_killed(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores"

    def kill_one() -> None:
        wait_until(lambda: len(results(out)) >= 3)
        os.kill(workers_of(psutil.Process())[0].pid, signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    scale.score(whole / "pairs", columns=COLUMNS, metrics=METRICS, out=out, workers=2)
    killer.join()
    assert contents(out) == contents(whole / "scores")


def test_a_driver_that_is_killed(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores"
    command = [sys.executable, "-m", "wordorder", "scale", "score", str(whole / "pairs"), "--out", str(out)]
    command += ["--columns", "reference=ref", "A=a", "--metrics", METRICS, "--workers", "2"]
    driver = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    wait_until(lambda: len(results(out)) >= 3 or driver.poll() is not None)
    workers = workers_of(psutil.Process(driver.pid))
    driver.kill()
    driver.wait()
    wait_until(lambda: not any(worker.is_running() and worker.status() != "zombie" for worker in workers))
    done = {path: path.stat().st_mtime_ns for path in results(out)}
    assert 3 <= len(done) < PARTS
    assert all(name.startswith((".part-", "_", "part-")) for name in contents(out))
    scale.score(whole / "pairs", columns=COLUMNS, metrics=METRICS, out=out)
    assert contents(out) == contents(whole / "scores")
    assert {path: path.stat().st_mtime_ns for path in done} == done


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_end_of_a_driver_is_one_line_at_most(whole: Path, tmp_path: Path, number: signal.Signals) -> None:
    """What cleans up behind its processes says nothing."""
    out = tmp_path / "scores"
    command = [sys.executable, "-m", "wordorder", "scale", "score", str(whole / "pairs"), "--out", str(out)]
    command += ["--columns", "reference=ref", "A=a", "--metrics", METRICS, "--workers", "2"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with open(tmp_path / "said", "wb") as said:
        driver = subprocess.Popen(command, env=environment, stderr=said, start_new_session=True)
    wait_until(lambda: len(results(out)) >= 2 or driver.poll() is not None)
    others = psutil.Process(driver.pid).children(recursive=True)
    driver.send_signal(number)
    driver.wait()
    wait_until(lambda: not any(each.is_running() and each.status() != "zombie" for each in others))
    words = {signal.SIGINT: "wordorder: interrupted\n", signal.SIGTERM: "wordorder: terminated\n"}
    assert (tmp_path / "said").read_text() == words.get(number, "")


def test_a_part_that_kills_workers_is_set_aside(whole: Path, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "pairs", pairs(60), [20, 40])
    job = DeadlyJob((("reference", "ref"), ("A", "a")), ("kendall",), deadly="part-00001.parquet")
    run = run_job(job, corpus, tmp_path / "scores", workers=2)
    assert list(run.reports) == ["part-00000.parquet", "part-00002.parquet"]
    assert "every worker that processed this part died" in run.failed["part-00001.parquet"]
    names = list(contents(tmp_path / "scores"))
    assert names == ["_failed.jsonl", "_job.json", "part-00000.parquet", "part-00002.parquet"]
