"""Is anything lost, and how fast is it? The server of studies under fifty clients.

    python benchmarks/studies.py [--kills 20] [--answers 7500] [PART ...]

Parts: ``loss`` (the server is killed again and again while fifty clients answer, with SQLite and with PostgreSQL,
which is stopped at once as well), ``rate`` (fifty clients as fast as they can, and answers per fsync), ``calm``
(fifty people, an answer a second each), ``export`` (100,000 answers are read while others come in), ``page``
(from a key to the next item in Chromium), ``null`` (studies where nothing has an effect: how often does each analysis
say otherwise? ``--studies`` of each, some minutes). The crowd, the server process and the cluster are those of the
tests.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "apps" / "study"))

from all_kinds import write_study
from crowd import Blow, Crowd, Process, gather_under_fire, losses
from postgres import Cluster, find_binaries

from wordorder.apps.study.store import Event, Store
from wordorder.apps.study.store.events import write_payload

CLIENTS = 50
PARTS = ("loss", "rate", "calm", "export", "page", "null")


def choice() -> dict[str, str]:
    return {"choice": "C"}


@contextmanager
def study(items: int, people: int, database: str | None = None) -> Iterator[tuple[Process, Store, dict[str, str]]]:
    """Make a study in a folder of its own, invite people and serve it."""
    with tempfile.TemporaryDirectory() as folder:
        server = Process(write_study(Path(folder) / "study", "judge", items=items - 1), database)
        with Store(server.folder, database) as store:
            invited = {one.token: one.person.id for one in store.invite(people)}
            server.start()
            try:
                yield server, store, invited
            finally:
                server.kill(signal.SIGINT)


def measure_loss(kills: int, answers: int) -> None:
    items = answers // CLIENTS
    binaries = find_binaries()
    for name in ("SQLite", "PostgreSQL"):
        cluster = Cluster.make(binaries) if name == "PostgreSQL" and binaries else None
        if name == "PostgreSQL" and cluster is None:
            print("PostgreSQL is not installed")
            continue
        try:
            with study(items, CLIENTS, cluster.create_database() if cluster else None) as (server, store, invited):
                blows = [_kill(server)] * kills
                if cluster:
                    blows[1::2] = [cluster.restart_at_once] * len(blows[1::2])
                crowd = Crowd()
                people = [[token] for token in invited]
                total = items * CLIENTS
                asyncio.run(gather_under_fire(crowd, server, people, choice, blows, total))
                found = losses(store, crowd, invited, total)
                print(
                    f"{name}: {kills} kills, {crowd.retries} retries, {len(crowd.acknowledged)} acknowledged: {found}"
                )
        finally:
            if cluster:
                cluster.remove()


def _kill(server: Process) -> Blow:
    def blow() -> None:
        server.kill()
        server.start()

    return blow


def measure_rate() -> None:
    for traced in (False, True):  # strace slows the server down, so fsyncs are counted in a run of their own
        items = 10 if traced else 20
        with study(items, CLIENTS * 6) as (server, _, invited):  # nobody may answer faster than five times a second
            tokens = list(invited)
            people = [tokens[place::CLIENTS] for place in range(CLIENTS)]
            crowd = Crowd()
            if traced:
                with _counting_fsyncs(server) as counts:
                    answer_all(crowd, server, people)
                print(*(f"{len(crowd.acknowledged) / count:.1f} answers per fsync" for count in counts if count))
                return
            cost = answer_all(crowd, server, people)
            answers = len(crowd.acknowledged)
            print(f"as fast as they can: {answers / cost.elapsed:.0f} answers/s, {_spread(crowd.times)}", end="")
            print(f", refused as too fast {crowd.refused[429]}; CPU an answer:", end="")
            print(f" server {1000 * cost.server / answers:.2f} ms, clients {1000 * cost.clients / answers:.2f} ms")


def _cpu_seconds(server: Process) -> Callable[[], float]:
    """Return a clock of the time that the server is at work from now on."""
    assert server.process is not None
    path = Path(f"/proc/{server.process.pid}/stat")

    def clock() -> float:
        fields = path.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    start = clock()
    return lambda: clock() - start


@contextmanager
def _counting_fsyncs(server: Process) -> Iterator[list[int]]:
    """Count what reaches the disk, where there is strace."""
    counts: list[int] = []
    if shutil.which("strace") is None or server.process is None:
        yield counts
        return
    command = ["strace", "-f", "-c", "-e", "trace=fsync,fdatasync", "-p", str(server.process.pid)]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    yield counts
    tracer.send_signal(signal.SIGINT)
    _, said = tracer.communicate()
    counts.append(sum(int(calls) for calls in re.findall(r"(\d+)\s+(?:\d+\s+)?f(?:data)?sync", said)))


def measure_calm(seconds: int = 20) -> None:
    with study(seconds, CLIENTS) as (server, _, invited):
        crowd = Crowd()
        answer_all(crowd, server, [[token] for token in invited], 1.0)
        print(f"an answer a second each: {len(crowd.acknowledged)} answers, {_spread(crowd.times)}")


def measure_export() -> None:
    with study(40, CLIENTS) as (server, store, invited):
        payload = write_payload({"answer": {"choice": "C"}, "visible": 1000, "hidden": 0})
        for person in range(1000):
            store.append(Event("answer", f"x{person}", f"i{item}", payload) for item in range(100))
        crowd, times = Crowd(), []
        done = threading.Event()

        def export() -> None:
            while not done.is_set():
                start = time.perf_counter()
                with Store(server.folder) as reader:
                    rows = reader.answers().num_rows
                times.append(time.perf_counter() - start)
            print(f"export: {rows} answers in {statistics.median(times):.1f} s, {len(times)} times over", end="")

        exporter = threading.Thread(target=export)
        exporter.start()
        answer_all(crowd, server, [[token] for token in invited], 0.5)
        done.set()
        exporter.join()
        print(f"; meanwhile {len(crowd.acknowledged)} answers, failed {crowd.retries}, {_spread(crowd.times)}")


def measure_page() -> None:
    from playwright.sync_api import sync_playwright

    timed = """() => new Promise((done) => {
      const start = performance.now();
      const before = document.querySelector("form.task").dataset.place;
      const look = () => document.querySelector("form.task")?.dataset.place !== before
        ? requestAnimationFrame(() => done(performance.now() - start)) : setTimeout(look, 1);
      document.querySelector("form.task").requestSubmit();
      look();
    })"""
    with study(40, 1) as (server, _, invited), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.port}/#t={next(iter(invited))}")
        page.click("main .primary")
        page.fill("#field0", "Dutch")
        page.keyboard.press("Enter")
        page.wait_for_selector("main .page:not(:has(#field0))")
        page.click("main .primary")
        page.wait_for_selector("form.task")
        times = []
        for _ in range(30):
            page.keyboard.press("c")
            times.append(page.evaluate(timed) / 1000)
            page.wait_for_timeout(250)
        print(f"from Enter to the next item: {_spread(times)}")
        browser.close()


def measure_null(studies: int) -> None:
    from scipy import stats
    from study_statistics import prefer, reject, reject_marks, reject_rates

    def tell(name: str, rate: float) -> None:
        low, high = stats.binomtest(round(rate * studies), studies).proportion_ci(method="wilson")
        print(f"  {name:52s} {rate:5.1%} ({low:.1%} to {high:.1%})", flush=True)

    print(f"{studies} studies without an effect: rejected at .05, with 95% interval")
    for people, items, systems in ((12, 40, 3), (6, 20, 3), (3, 30, 2)):
        rate = reject_rates(studies, 1, people, items, systems)
        tell(f"rate, {people} people × {items} items × {systems} systems: mixed model", rate)
    flips, signs = prefer(0.5, studies, 3)
    tell("prefer: sign-flip over segments (default)", flips)
    tell("prefer: sign test over judgements (thesis)", signs)
    for people, items, systems in ((12, 40, 2), (6, 20, 2), (12, 30, 3)):
        rate = reject_marks(studies, people, items, systems)
        tell(f"mark, {people} people × {items} items × {systems} systems: mixed model", rate)
    for name, rate in reject(studies, 1).items():
        tell(f"scramble: {name}", rate)


class Cost(NamedTuple):
    """Seconds: by the clock, and of the processors in server and clients."""

    elapsed: float
    server: float
    clients: float


def answer_all(crowd: Crowd, server: Process, people: list[list[str]], every: float = 0.0) -> Cost:
    """Let all consent, and then measure how they answer."""

    async def work() -> Cost:
        begun = await asyncio.gather(*(crowd.begin(server.port, tokens) for tokens in people))
        start, busy, own = time.perf_counter(), _cpu_seconds(server), time.process_time()
        await asyncio.gather(*(crowd.take_part(line, where, choice, every) for line, where in begun))
        return Cost(time.perf_counter() - start, busy(), time.process_time() - own)

    return asyncio.run(work())


def _spread(times: list[float]) -> str:
    ordered = sorted(times)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return f"median {1000 * statistics.median(ordered):.0f} ms, p99 {1000 * p99:.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("parts", nargs="*", metavar="PART", default=PARTS)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--answers", type=int, default=7500)
    parser.add_argument("--studies", type=int, default=400)
    options = parser.parse_args()
    work: dict[str, Callable[[], None]] = {
        "loss": lambda: measure_loss(options.kills, options.answers),
        "rate": measure_rate,
        "calm": measure_calm,
        "export": measure_export,
        "page": measure_page,
        "null": lambda: measure_null(options.studies),
    }
    print("load of this machine:", *(f"{load:.1f}" for load in os.getloadavg()))
    for part in options.parts:
        work[part]()


if __name__ == "__main__":
    main()
