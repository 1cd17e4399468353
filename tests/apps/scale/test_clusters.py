"""Dask as an engine: a real cluster of two workers, one of them killed, and Slurm by a stand-in for its commands."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_corpora import contents, pairs, write_corpus
from test_runner_processes import results, wait_until

from wordorder.apps import scale
from wordorder.apps.scale import clusters
from wordorder.apps.scale.folders import Folder
from wordorder.core.runtime.errors import UsageError

distributed = pytest.importorskip("distributed")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

PARTS = 14
HOW: dict[str, Any] = {"columns": {"reference": "ref", "A": "a"}, "metrics": "kendall,pef"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    columns = {name: texts * 50 * PARTS for name, texts in pairs(100).items()}
    write_corpus(folder / "pairs", columns, [5000 * part for part in range(1, PARTS)])
    scale.score(folder / "pairs", out=folder / "scores", **HOW)
    return folder


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as made:
        yield made


def test_a_worker_that_is_killed_changes_nothing(whole: Path, tmp_path: Path, cluster: Any) -> None:
    out = tmp_path / "scores"

    def kill_one() -> None:
        wait_until(lambda: len(results(out)) >= 3)
        os.kill(cluster.workers[0].pid, signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    scale.score(whole / "pairs", out=out, dask=cluster.scheduler_address, **HOW)
    killer.join()
    assert contents(out) == contents(whole / "scores")


def test_another_version_is_told(
    whole: Path, tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(clusters, "__version__", "9.9")
    with pytest.raises(
        UsageError, match=r"has wordorder .*, but the driver has 9\.9; install the same version on both"
    ):
        scale.score(whole / "pairs", out=tmp_path / "scores", dask=cluster.scheduler_address, **HOW)
    assert "dashboard at http" in capsys.readouterr().err


def test_a_cluster_without_workers(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "PATIENCE", 1)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        pytest.raises(UsageError, match="no worker connected within 1 seconds"),
    ):
        scale.score(whole / "pairs", out=tmp_path / "scores", dask=empty.scheduler_address, **HOW)
    for address, said in (("tcp://127.0.0.1:1", "no Dask scheduler answers"), ("host", "expected the address")):
        with pytest.raises(UsageError, match=said):
            scale.score(whole / "pairs", out=tmp_path / "scores", dask=address, **HOW)


class Answers:
    """A client whose workers say what they are told to."""

    def __init__(self, *answer: Any) -> None:
        self.answer = answer

    def run(self, function: Any, *arguments: Any) -> dict[str, Any]:
        return {"tcp://worker": self.answer}


def test_a_folder_that_is_not_shared(tmp_path: Path) -> None:
    folder = Folder(str(tmp_path))
    complaint, _ = clusters.probe(str(tmp_path), ".probe-1", [])
    assert complaint == f"files that the driver writes to {tmp_path} are not visible to this worker"
    with pytest.raises(
        UsageError, match="are not visible to this worker; use a folder that the driver and all workers share"
    ):
        clusters._check_folder(Answers(complaint, "x"), folder, [])
    with pytest.raises(UsageError, match=r"files that it writes to .* are not visible to the driver"):
        clusters._check_folder(Answers(None, "never-written"), folder, [])
    (tmp_path / ".probe-1").touch()
    complaint, name = clusters.probe(str(tmp_path), ".probe-1", [])
    assert complaint is None
    assert (tmp_path / name).exists()
    complaint, _ = clusters.probe(str(tmp_path), ".probe-1", [str(tmp_path / "none.parquet")])
    assert complaint == f"{tmp_path}/none.parquet is not visible to this worker"


SBATCH = """#!/bin/sh
# jobqueue deletes the script as soon as this ends
cp "$1" {folder}/job.sh
setsid bash {folder}/job.sh > {folder}/job.log 2>&1 < /dev/null &
echo $! > {folder}/job.pid
echo "Submitted batch job 4711"
"""


def test_slurm_by_a_stand_in(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("dask_jobqueue")
    import dask

    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "sbatch").write_text(SBATCH.format(folder=tmp_path))
    (commands / "scancel").write_text(f"#!/bin/sh\nkill -- -$(cat {tmp_path}/job.pid)\n")
    for command in commands.iterdir():
        command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    settings = {"cores": 1, "memory": "1GB", "walltime": "01:00:00", "queue": "cpu"}
    with dask.config.set({f"jobqueue.slurm.{name}": value for name, value in settings.items()}):
        scale.score(whole / "pairs", out=tmp_path / "scores", dask="slurm", jobs=1, **HOW)
    assert contents(tmp_path / "scores") == contents(whole / "scores")
    script = (tmp_path / "job.sh").read_text()
    assert "#SBATCH -p cpu" in script
    assert "export DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED=False" in script
    assert "--lifetime 3240s --lifetime-stagger 180s" in script
