"""What ``wordorder scale`` makes of killed processes, damaged results and changed inputs: always the same bytes.

    python benchmarks/kills.py --texts a.de a.en --pairs 1000000 --kills 20 --damages 10 --changes 3

Pairs of sentences are repeated until there are enough of them; the second text is scored against itself with every
sentence turned round at a random word. A share of the results is deleted, the run that makes them again is killed
while it writes (in turn a worker, the driver, a Dask worker and a Dask scheduler) and started once more; then results
are damaged or deleted, and inputs changed. Each time the folder of results must be, byte for byte, that of a clean
run. The last line is the share of the time of a clean run that the hashes of the inputs take.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import psutil  # type: ignore[import-untyped]  # it comes with Dask
import pyarrow as pa
import pyarrow.parquet as pq

from wordorder.apps.scale.parts import find_parts

COLUMNS = ("source", "target", "turned")
USED = ("reference=target", "A=turned")
TARGETS = ("worker", "driver", "worker", "driver", "Dask worker", "worker", "driver", "scheduler")
QUIET = subprocess.DEVNULL


def make_corpus(folder: Path, texts: list[Path], pairs: int, parts: int, draw: Random) -> None:
    """Repeat the sentences, and write them in so many parts."""
    source, target = (path.read_text(encoding="utf-8").splitlines() for path in texts)
    folder.mkdir()
    size = -(-pairs // parts)
    for number in range(parts):
        rows = [draw.randrange(len(source)) for _ in range(min(size, pairs - number * size))]
        turned = []
        for row in rows:
            words = target[row].split()
            cut = draw.randrange(len(words) or 1)
            turned.append(" ".join([*words[cut:], *words[:cut]]))
        columns = [source[row] for row in rows], [target[row] for row in rows], turned
        pq.write_table(pa.table(dict(zip(COLUMNS, columns, strict=True))), folder / f"part-{number:05d}.parquet")


class Trial:
    """A corpus, the results of a clean run, and a folder of results that things happen to."""

    def __init__(self, place: Path, draw: Random) -> None:
        self.corpus, self.out, self.draw = place / "corpus", place / "out", draw

    def command(self, out: Path, *more: str) -> list[str]:
        """Return the command that scores the corpus."""
        start = [sys.executable, "-m", "wordorder", "scale", "score", str(self.corpus), "--columns", *USED]
        return [*start, "-m", "kendall,bleu", "--samples", "20", "--out", str(out), *more]

    def clean(self, out: Path) -> tuple[dict[str, bytes], float]:
        """Run without interruption; return the results and the seconds of processor time."""
        before = psutil.Process().cpu_times()
        subprocess.run(self.command(out), check=True, stdout=QUIET, stderr=QUIET)
        after = psutil.Process().cpu_times()
        return self.contents(out), sum(after[2:4]) - sum(before[2:4])

    def contents(self, out: Path) -> dict[str, bytes]:
        """Return the results, and what ``merge`` prints."""
        merged = [sys.executable, "-m", "wordorder", "scale", "merge", str(out), "--json"]
        totals = subprocess.run(merged, check=True, capture_output=True).stdout
        return {"totals": totals} | {path.name: path.read_bytes() for path in sorted(out.iterdir())}

    def done(self) -> int:
        """Return the number of results."""
        return len(list(self.out.glob("part-*.parquet")))

    def finish(self) -> None:
        """Run until all is done; a run that has lost a worker may say how to go on."""
        for _ in range(5):
            if subprocess.run(self.command(self.out, "--workers", "2"), stdout=QUIET, stderr=QUIET).returncode == 0:
                return
        raise AssertionError("five runs did not finish")

    def kill(self, target: str) -> str:
        """Start a run, kill something while it writes, and wait for the end; return what came of it."""
        dask: list[subprocess.Popen[bytes]] = []
        more = ["--workers", "2"]
        if target in ("Dask worker", "scheduler"):
            more, dask = self.start_dask()
        parts, done = len(list(self.corpus.iterdir())), self.done()
        driver = subprocess.Popen(self.command(self.out, *more), stdout=QUIET, stderr=subprocess.PIPE)
        wanted = self.draw.randint(done + 1, (done + parts) // 2)
        while self.done() < wanted and driver.poll() is None:
            time.sleep(0.01)
        victims = {"driver": [driver.pid], "Dask worker": [one.pid for one in dask[1:2]],
                   "scheduler": [one.pid for one in dask[:1]]}.get(target)  # fmt: skip
        if victims is None:
            victims = [one.pid for one in psutil.Process(driver.pid).children(recursive=True)
                       if "tracker" not in " ".join(one.cmdline())][-1:]  # fmt: skip
        assert victims, "the run ended before anything was killed"
        assert driver.poll() is None, "the run ended before anything was killed"
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        _, errors = driver.communicate(timeout=600)
        for process in dask:
            process.kill()
            process.wait()
        last = errors.decode().strip().split("\n")[-1][:110]
        return f"killed after {wanted} parts, ended with {self.done()} parts, exit code {driver.returncode} {last}"

    def forget(self, share: float) -> None:
        """Delete a share of the results, and what is not a result of a part."""
        results = sorted(self.out.glob("part-*.parquet"))
        kept = set(results) - set(self.draw.sample(results, max(2, round(share * len(results)))))
        for path in self.out.iterdir():
            if path not in kept:
                path.unlink()

    def start_dask(self) -> tuple[list[str], list[subprocess.Popen[bytes]]]:
        """Start a scheduler and two workers, as a user does; return the option, and the processes."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        start = [sys.executable, "-m"]
        first = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", address.rpartition(":")[2],
                 "--dashboard-address", "127.0.0.1:0"]  # fmt: skip
        other = ["distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--dashboard-address", ":0"]
        commands = [first, other, other]
        dask = [subprocess.Popen([*start, *one], stdout=QUIET, stderr=QUIET, cwd=self.out.parent) for one in commands]
        return ["--dask", address], dask

    def damage(self, kind: int) -> str:
        """Damage or delete a result."""
        path = self.draw.choice(sorted(self.out.glob("part-*.parquet")))
        content = bytearray(path.read_bytes())
        place = self.draw.randrange(len(content))
        if kind % 4 == 0:
            path.unlink()
        elif kind % 4 == 1:
            content[place] ^= 1 << self.draw.randrange(8)
            path.write_bytes(content)
        elif kind % 4 == 2:
            path.write_bytes(content[:place])
        else:
            path.write_bytes(content[:4] + bytes(396) + content[400:])
        return f"{path.name} {('deleted', 'one bit changed', 'cut off', 'bytes 4 to 400 destroyed')[kind % 4]}"

    def change(self) -> str:
        """Rewrite a part with the same rows, two texts having changed places; the size remains."""
        path = self.draw.choice(sorted(self.corpus.iterdir()))
        table, size = pq.read_table(path), path.stat().st_size
        turned = table.column("turned").to_pylist()
        one, two = self.draw.sample(range(len(turned)), 2)
        turned[one], turned[two] = turned[two], turned[one]
        pq.write_table(table.set_column(2, "turned", pa.array(turned)), path)
        return f"{path.name}: rows {one} and {two} have changed places ({size} bytes, now {path.stat().st_size})"


def main() -> None:
    """Kill, damage and change, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", nargs=2, type=Path, required=True, metavar="FILE", help="source and target text")
    for name, count in (
        ("pairs", 1_000_000),
        ("parts", 40),
        ("kills", 20),
        ("damages", 10),
        ("changes", 3),
        ("seed", 1),
    ):
        parser.add_argument(f"--{name}", type=int, default=count, metavar="N", help=f"({count})")
    parser.add_argument("--share", type=float, default=1.0, help="of the results, deleted before each kill (1)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wordorder-kills-") as folder:
        place, draw = Path(folder), Random(options.seed)
        trial = Trial(place, draw)
        make_corpus(trial.corpus, options.texts, options.pairs, options.parts, draw)
        expected, seconds = trial.clean(place / "clean")
        print(f"{options.pairs:,} pairs, {options.parts} parts; a clean run takes {seconds:.1f} s", flush=True)

        def check(what: str, happen: Callable[[], str]) -> None:
            begun = time.monotonic()
            said = happen()
            trial.finish()
            same = trial.contents(trial.out) == expected
            print(
                f"{what}: {said}; {'the same' if same else 'DIFFERENT'} bytes ({time.monotonic() - begun:.0f} s)",
                flush=True,
            )
            assert same

        for number in range(options.kills):
            if number:
                trial.forget(options.share)
            target = TARGETS[number % len(TARGETS)]
            check(f"kill {number + 1}, {target}", lambda target=target: trial.kill(target))  # type: ignore[misc]
        for number in range(options.damages):
            check(f"damage {number + 1}", lambda number=number: trial.damage(number))  # type: ignore[misc]
        for number in range(options.changes):
            said = trial.change()
            expected, _ = trial.clean(place / f"clean{number}")
            check(f"change {number + 1}", lambda said=said: said)  # type: ignore[misc]
        begun = time.process_time()
        for part in find_parts(trial.corpus):
            part.fingerprint(["target", "turned"])
        spent = time.process_time() - begun
        print(f"hashes of the inputs: {spent:.3f} s, {spent / seconds:.2%} of a clean run")


if __name__ == "__main__":
    main()
