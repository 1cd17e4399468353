"""Dask as an engine: a real cluster of two workers, one of them killed, and Slurm by a stand-in for its commands."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # it comes with Dask
import pytest
from small_corpora import contents, pairs, write_corpus
from test_runner_processes import results, wait_until

from wordorder.apps import scale
from wordorder.apps.scale import clusters
from wordorder.apps.scale.engines import WorkerError
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
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as made:
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
        distributed.LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as empty,
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


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two workers, as a user starts them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    quiet["env"] = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    dask = [sys.executable, "-m", "distributed.cli"]
    command = [f"{dask[2]}.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--dashboard-address", ":0"]
    started = [subprocess.Popen([*dask[:2], *command], **quiet)]
    worker = [f"{dask[2]}.dask_worker", address, "--nthreads", "1", "--no-nanny", "--dashboard-address", ":0"]
    started += [subprocess.Popen([*dask[:2], *worker], **quiet) for _ in range(2)]
    with distributed.Client(address, timeout=60) as client:
        client.wait_for_workers(2, timeout=60)
    yield address, started
    for process in started:
        process.kill()
        process.wait()


def kill_when_begun(out: Path, processes: list[subprocess.Popen[bytes]]) -> threading.Thread:
    def kill() -> None:
        wait_until(lambda: len(results(out)) >= 2)
        for process in processes:
            process.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    return killer


def test_a_dead_scheduler_is_one_line(whole: Path, tmp_path: Path, scheduler: Any) -> None:
    address, (first, *_) = scheduler
    out = tmp_path / "scores"
    killer = kill_when_begun(out, [first])
    with pytest.raises(WorkerError, match=rf"{address}: the scheduler .*; run the same command again to continue"):
        scale.score(whole / "pairs", out=out, dask=address, **HOW)
    killer.join()
    done = {path: path.stat().st_mtime_ns for path in results(out)}
    assert 2 <= len(done) < PARTS
    scale.score(whole / "pairs", out=out, **HOW)
    assert contents(out) == contents(whole / "scores")
    assert {path: path.stat().st_mtime_ns for path in done} == done


def test_lost_workers_are_mentioned_and_without_any_the_run_ends(
    whole: Path, tmp_path: Path, scheduler: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(clusters, "LOOK", 0.2)
    address, (_, one, two) = scheduler
    killer = kill_when_begun(tmp_path / "scores", [one])
    scale.score(whole / "pairs", out=tmp_path / "scores", dask=address, **HOW)
    killer.join()
    assert contents(tmp_path / "scores") == contents(whole / "scores")
    assert "lost 1 Dask worker, 1 worker left" in capsys.readouterr().err
    killer = kill_when_begun(tmp_path / "other", [two])
    monkeypatch.setattr(clusters, "PATIENCE", 2)
    with pytest.raises(WorkerError, match=r"all workers are gone.* parts were finished in this run; run the same"):
        scale.score(whole / "pairs", out=tmp_path / "other", dask=address, **HOW)
    killer.join()
    assert "lost 1 Dask worker, none left" in capsys.readouterr().err


def listening(process: psutil.Process) -> set[tuple[str, int]]:
    everyone = [process, *process.children(recursive=True)]
    found = [each.net_connections("tcp") for each in everyone if each.is_running() and each.status() != "zombie"]
    return {tuple(each.laddr) for connections in found for each in connections if each.status == psutil.CONN_LISTEN}


def test_a_local_cluster_listens_to_this_machine_alone(whole: Path, tmp_path: Path) -> None:
    seen: set[tuple[str, int]] = set()

    def look() -> None:
        wait_until(lambda: len(results(tmp_path / "scores")) >= 2)
        seen.update(listening(psutil.Process()))

    looker = threading.Thread(target=look)
    looker.start()
    scale.score(whole / "pairs", out=tmp_path / "scores", dask="local", workers=2, **HOW)
    looker.join()
    assert {address for address, _ in seen} == {"127.0.0.1"}


SBATCH = """#!/bin/sh
# jobqueue deletes the script as soon as this ends
test -e {folder}/closed && test -e {folder}/job.sh && {{ echo "Submitted batch job 4712"; exit; }}
cp "$1" {folder}/job.sh
setsid bash {folder}/job.sh >> {folder}/job.log 2>&1 < /dev/null &
echo $! > {folder}/job.pid
echo "Submitted batch job 4711"
"""


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Commands that do what those of Slurm do, on this machine; settings of its jobs."""
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
        yield settings


def test_slurm_by_a_stand_in(whole: Path, tmp_path: Path, slurm: Any, capsys: pytest.CaptureFixture[str]) -> None:
    dashboards: set[str] = set()

    def look() -> None:
        wait_until(lambda: len(results(tmp_path / "scores")) >= 1)
        job = psutil.Process(int((tmp_path / "job.pid").read_text()))
        places = listening(psutil.Process()) | listening(job)  # workers listen to other machines, dashboards do not
        dashboards.update(address for address, port in places if is_http(port))

    looker = threading.Thread(target=look)
    looker.start()
    scale.score(whole / "pairs", out=tmp_path / "scores", dask="slurm", jobs=1, **HOW)
    looker.join()
    assert dashboards == {"127.0.0.1"}
    assert "dashboard at http://127.0.0.1:" in capsys.readouterr().err
    assert contents(tmp_path / "scores") == contents(whole / "scores")
    script = (tmp_path / "job.sh").read_text()
    assert "#SBATCH -p cpu" in script
    assert "export DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED=False" in script
    assert "--lifetime 3240s --lifetime-stagger 180s" in script


def is_http(port: int) -> bool:
    from http.client import HTTPConnection, HTTPException

    try:
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False


@pytest.mark.parametrize("processes", [1, 2])
def test_a_job_of_slurm_that_ends_is_submitted_again(
    whole: Path, tmp_path: Path, slurm: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any, processes: int
) -> None:
    """As by scancel, or where the time of a job is shorter than the run."""
    import dask

    monkeypatch.setattr(clusters, "LOOK", 0.2)

    def cancel() -> None:
        wait_until(lambda: len(results(tmp_path / "scores")) >= 3)
        os.killpg(int((tmp_path / "job.pid").read_text()), signal.SIGKILL)

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with dask.config.set({"jobqueue.slurm.cores": processes, "jobqueue.slurm.processes": processes}):
        scale.score(whole / "pairs", out=tmp_path / "scores", dask="slurm", jobs=1, **HOW)
    canceller.join()
    assert contents(tmp_path / "scores") == contents(whole / "scores")
    said = capsys.readouterr().err
    assert "none left" in said
    assert "submitted new Slurm jobs" in said


def test_where_no_new_job_of_slurm_begins_the_run_ends(
    whole: Path, tmp_path: Path, slurm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").touch()
    monkeypatch.setattr(clusters, "LOOK", 0.2)

    def cancel() -> None:
        wait_until(lambda: len(results(tmp_path / "scores")) >= 3)
        monkeypatch.setattr(clusters, "PATIENCE", 2)
        os.killpg(int((tmp_path / "job.pid").read_text()), signal.SIGKILL)

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with pytest.raises(WorkerError, match=r"slurm: all workers are gone.* of 14 parts were finished.*to continue"):
        scale.score(whole / "pairs", out=tmp_path / "scores", dask="slurm", jobs=1, **HOW)
    canceller.join()
    scale.score(whole / "pairs", out=tmp_path / "scores", **HOW)
    assert contents(tmp_path / "scores") == contents(whole / "scores")
