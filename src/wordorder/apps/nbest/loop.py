"""Tune a decoder by alternating translation and tuning; weights are tuned on the lists of all iterations so far.

The decoder can be any program that reads weights and writes an n-best list with features. Its command is run by a
shell, which gets file names only as environment variables, so nothing in a name is executed. For each iteration, the
weights, the list, the result and the decoder's messages are stored in a folder. An interrupted loop resumes from
there and ends with the same weights, since each step depends only on files in the folder.
"""

import hashlib
import json
import os
import re
import subprocess
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np

from wordorder.apps.nbest.nbest import NBest
from wordorder.apps.nbest.tuning import optimise
from wordorder.apps.nbest.weights import Weights, read_weights, write_weights
from wordorder.core.runtime.errors import InputError, InputWarning, UsageError, count_of, refuse
from wordorder.core.runtime.files import atomic_write, count_lines, open_binary
from wordorder.core.runtime.own_inputs import refuse_input
from wordorder.report.table import Cell, Column, Mark, Table, Tabular

STILL = 1e-5
"""The loop stops when all changes of normalised weights are smaller than this."""

PLACEHOLDERS = {name: f"WORDORDER_{name[1:-1].upper()}" for name in ("{source}", "{weights}", "{nbest}")}
"""The placeholders of a decoder command, and the environment variables that have the file names."""

_QUOTED = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\(?:\{\w*\}|.)""", re.DOTALL)
"""A quoted part of a shell command."""

_SETTINGS, _WEIGHTS, _LIST, _RESULT, _LOG = "settings.json", "weights.tsv", "nbest", "result.json", "decoder.log"
_LAST_LINES = 5


@dataclass(frozen=True, kw_only=True)
class LoopSettings:
    """The settings of a loop; ``scoring`` has options for ``score_lists``, and ``tuning`` for ``optimise``.

    The loop stops after ``iterations`` iterations, when the score of the decoder's output has not improved for
    ``patience`` iterations, when the decoder finds no new hypotheses, or when the weights no longer change.
    """

    decoder: str
    source: str
    references: tuple[str, ...]
    start: Weights
    objective: str = "lr-kb4"
    seed: int = 12345
    restarts: int = 100
    format: str = "moses"
    weights_format: str = "tsv"
    scoring: Mapping[str, Any] = field(default_factory=dict)
    tuning: Mapping[str, Any] = field(default_factory=dict)
    iterations: int = 15
    patience: int = 3
    threads: int = 1

    def __post_init__(self) -> None:
        quoted = " ".join(_QUOTED.findall(self.decoder))
        for name, variable in PLACEHOLDERS.items():
            if name not in self.decoder and variable not in self.decoder:
                raise UsageError(f"the decoder command lacks {name}; it must contain {', '.join(PLACEHOLDERS)}")
            if name in quoted:
                raise UsageError(
                    f"{name} is inside quotes in the decoder command; write it without quotes (they are added), or "
                    f'use the environment variable, as in "${variable}"'
                )
        if self.iterations < 1 or self.patience < 1:
            raise UsageError("the number of iterations and the patience must both be 1 or more")
        if self.weights_format not in ("tsv", "moses"):
            raise UsageError(f"the format of weights must be tsv or moses, not {self.weights_format!r}")
        refuse(not self.start, "no initial weights were given; give a weight for each feature")

    def record(self) -> dict[str, Any]:
        """Return the settings that the result depends on; files are represented by digests of their contents."""
        values = asdict(self)
        for name in ("iterations", "patience", "threads", "source", "references"):
            values.pop(name)
        values["judging"] = {name: str(value) for name, value in self.scoring.items() if name != "threads"}
        values["tuning"] = {name: str(value) for name, value in self.tuning.items()}
        return values | {"source": _digest(self.source), "references": list(map(_digest, self.references))}


@dataclass(frozen=True)
class Iteration:
    """One iteration: the score of the decoder's output, its number of hypotheses, and how many of them were new."""

    number: int
    score: float
    hypotheses: int
    new: int
    reached: float
    """The score of the newly tuned weights on all lists so far."""


@dataclass(frozen=True, eq=False)
class Loop(Tabular):
    """The result of a loop: its iterations, and the weights of the best one."""

    objective: str
    iterations: tuple[Iteration, ...]
    weights: Weights
    stopped: str

    @property
    def best(self) -> Iteration:
        """The iteration with the best score; in case of a tie, the first."""
        return max(self.iterations, key=lambda each: each.score)

    def table(self) -> Table:
        """Return a table of all iterations, in which the best one is marked."""
        share = [Column(name, share=True) for name in (f"{self.objective} decoded", "tuned on all lists")]
        columns = [Column("iteration"), *share, Column("hypotheses"), Column("new")]
        rows: list[list[Cell | float]] = [
            [
                each.number,
                Cell(each.score, marks=frozenset({Mark.BEST} if each is self.best else ())),
                each.reached,
                each.hypotheses,
                each.new,
            ]
            for each in self.iterations
        ]
        return Table.of("", columns, rows, notes=[f"stopped: {self.stopped}"])


def tune_decoder(settings: LoopSettings, work: str | os.PathLike[str]) -> Loop:
    """Tune a decoder, or resume an interrupted loop, in the folder ``work``.

    The final weights are returned and also written to ``weights.tsv`` in this folder. In each iteration, the decoder
    translates the development set with the current weights, and the score of its best translations is the score of
    these weights. Weights tuned on the first n-best list alone may translate badly, because this list shows only a
    small part of what the decoder can produce; the lists of later iterations correct that.
    """
    folder = _open_folder(settings, Path(work))
    done: list[Iteration] = []
    pool: NBest | None = None
    weights = dict(settings.start)
    stopped = ""
    while not stopped:
        number = len(done) + 1
        place, following = (folder / f"{count:02d}" for count in (number, number + 1))
        _keep_weights(place, weights)
        lists = _decode(settings, place)
        before = 0 if pool is None else len(pool.text)
        pool = lists if pool is None else NBest.union([pool, lists])
        if not (place / _RESULT).exists():
            new = len(pool.text) - before
            _keep_result(settings, place, following, lists, pool, Iteration(number, 0.0, len(lists.text), new, 0.0))
        done.append(Iteration(**json.loads((place / _RESULT).read_text(encoding="utf-8"))))
        tuned = read_weights(following / _WEIGHTS)
        stopped = _reason_to_stop(settings, done, weights, tuned)
        weights = tuned
    best = max(done, key=lambda each: each.score)
    found = read_weights(folder / f"{best.number:02d}" / _WEIGHTS)
    write_weights(folder / _WEIGHTS, {settings.objective: found})
    return Loop(settings.objective, tuple(done), found, stopped)


def tune_runs(settings: LoopSettings, work: str | os.PathLike[str], *, runs: int = 3) -> list[Loop]:
    """Tune a decoder several times in separate folders, with different starting weights and random seeds.

    The first run starts from the given weights; for each other run, every weight is multiplied by a random number
    from 0 to 2. The mean weights of all runs are written to ``average.tsv`` (Cettolo, Bertoldi & Federico 2011).
    """
    refuse(runs < 1, f"the number of runs must be 1 or more, not {runs}")
    found = []
    for run in range(1, runs + 1):
        rng = np.random.default_rng([settings.seed, run])
        factors = rng.uniform(0.0, 2.0, len(settings.start)) if run > 1 else np.ones(len(settings.start))
        start = {name: value * float(by) for (name, value), by in zip(settings.start.items(), factors, strict=True)}
        own = LoopSettings(**{**vars(settings), "start": start, "seed": settings.seed + run - 1})
        found.append(tune_decoder(own, Path(work, f"run-{run}")))
    scaled = [_scaled(loop.weights) for loop in found]
    average = {name: float(np.mean([each[name] for each in scaled])) for name in found[0].weights}
    write_weights(Path(work, "average.tsv"), {settings.objective: average})
    return found


def runs_table(loops: Sequence[Loop]) -> Table:
    """Return a table with the best iteration of each run, and the score of this iteration."""
    scores = [loop.best.score for loop in loops]
    columns = [Column("run"), Column("iterations"), Column("best iteration"), Column(loops[0].objective, share=True)]
    rows = [[run, len(loop.iterations), loop.best.number, loop.best.score] for run, loop in enumerate(loops, start=1)]
    spread = f", standard deviation {stdev(scores):.4f}" if len(scores) > 1 else ""
    return Table.of("", columns, rows, notes=[f"on the development set: mean {mean(scores):.4f}{spread}"])


def _open_folder(settings: LoopSettings, folder: Path) -> Path:
    """Create the folder of a loop or, if it already contains a list, check its settings; return the folder."""
    record = json.loads(json.dumps(settings.record()))
    path = folder / _SETTINGS
    refuse_input(folder / _WEIGHTS)
    if path.exists() and (folder / "01" / _LIST).exists():
        _check_same(path, record)
        return folder
    if not path.exists() and folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty and does not belong to a tuning loop; choose a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "01" / _WEIGHTS).unlink(missing_ok=True)
    with atomic_write(path) as target:
        target.write(json.dumps(record, indent=2) + "\n")
    return folder


def _check_same(path: Path, record: Mapping[str, Any]) -> None:
    """Raise UsageError if the settings differ from those stored in the file ``path``."""
    try:
        known = dict(json.loads(path.read_text(encoding="utf-8")))
    except ValueError:
        raise InputError("the file is damaged; delete its folder to start the loop again", path=str(path)) from None
    for name, value in record.items():
        if known.get(name) != value:
            shown = name not in ("source", "references", "start")
            change = f"{name} was {known.get(name)!r} and is now {value!r}" if shown else f"{name} has changed"
            raise UsageError(
                f"{path.parent} belongs to a loop with other settings: {change}; choose another folder, or delete "
                "this one"
            )


def _keep_weights(place: Path, weights: Weights) -> None:
    place.mkdir(exist_ok=True)
    if not (place / _WEIGHTS).exists():
        write_weights(place / _WEIGHTS, {"weight": weights})


def _keep_result(
    settings: LoopSettings, place: Path, following: Path, lists: NBest, pool: NBest, counted: Iteration
) -> None:
    """Score the decoder's output, tune on all lists so far, and write the new weights, then the result."""
    options = {**settings.scoring, "threads": settings.threads}
    references = [Path(file) for file in settings.references]
    decoded = lists.score(references, settings.objective, **options)
    score = decoded.score(lists.choose())
    scored = pool.score(references, settings.objective, **options)
    with warnings.catch_warnings():  # warn only once; constant features may vary in later lists
        warnings.filterwarnings("ignore", "" if counted.number > 1 else ".* the same for all", InputWarning)
        tuned = optimise(
            scored,
            start=[read_weights(place / _WEIGHTS), *_earlier_weights(place)],
            restarts=settings.restarts,
            seed=settings.seed + counted.number,
            threads=settings.threads,
            **settings.tuning,
        )
    following.mkdir(exist_ok=True)
    write_weights(following / _WEIGHTS, {"weight": tuned.weights})
    result = {**asdict(counted), "score": score, "reached": tuned.best.score}
    with atomic_write(place / _RESULT) as target:
        target.write(json.dumps(result, indent=2) + "\n")


def _earlier_weights(place: Path) -> Iterator[Weights]:
    """Yield the weights of the earlier iteration with the best score, if there is an earlier iteration."""
    found = []
    for number in range(1, int(place.name)):
        earlier = place.parent / f"{number:02d}"
        found.append((-json.loads((earlier / _RESULT).read_text(encoding="utf-8"))["score"], number, earlier))
    if found:
        yield read_weights(min(found)[2] / _WEIGHTS)


def _decode(settings: LoopSettings, place: Path) -> NBest:
    """Return the n-best list of an iteration, running the decoder first if the list does not exist yet."""
    final = place / _LIST
    if not final.exists():
        for left in place.glob("*.part"):
            left.unlink()
        weights = place / _WEIGHTS
        if settings.weights_format == "moses":
            weights = place / "weights.moses"
            _write_for_moses(weights, read_weights(place / _WEIGHTS))
        draft = place / f"{_LIST}.{os.getpid()}.part"  # another running decoder has its own temporary file
        _run(settings, place, (settings.source, str(weights), str(draft)))
        if not draft.exists():
            missing = "the decoder did not write an n-best list; its command must write one to {nbest}"
            raise InputError(f"{missing}{_last_lines(place)}")
        _read_list(settings, draft)
        os.replace(draft, final)
    return _read_list(settings, final)


def _run(settings: LoopSettings, place: Path, files: Sequence[str]) -> None:
    command = settings.decoder
    for name, variable in PLACEHOLDERS.items():
        command = command.replace(name, f'"${variable}"')
    named = os.environ | dict(zip(PLACEHOLDERS.values(), map(os.path.abspath, files), strict=True))
    with open(place / "translations", "wb") as output, open(place / _LOG, "wb") as log:
        done = subprocess.run(
            command, shell=True, env=named, stdin=subprocess.DEVNULL, stdout=output, stderr=log, check=False
        )
    if done.returncode:
        how = f"exit code {done.returncode}" if done.returncode > 0 else f"signal {-done.returncode}"
        raise InputError(f"the decoder failed with {how}{_last_lines(place)}")


def _last_lines(place: Path) -> str:
    lines = (place / _LOG).read_text(encoding="utf-8", errors="replace").splitlines()[-_LAST_LINES:]
    ending = " / ".join(line.strip() for line in lines if line.strip())
    return f"; the end of {place / _LOG}: {ending}" if ending else f"; {place / _LOG} is empty"


def _read_list(settings: LoopSettings, path: Path) -> NBest:
    """Read a list, and check that it covers every source line and has the same features as the weights."""
    lists = NBest.read(path, format=settings.format, alignments=settings.scoring.get("order") == "source")
    lines = count_lines(settings.source)
    if lines is not None and len(lists) != lines:
        counts = f"{count_of(len(lists), 'sentence')}, but the source has {count_of(lines, 'line')}"
        raise InputError(f"the list that the decoder wrote has {counts}", path=str(path))
    lists.weights_of(settings.start)
    return lists


def _reason_to_stop(settings: LoopSettings, done: Sequence[Iteration], before: Weights, after: Weights) -> str:
    best = max(done, key=lambda each: each.score)
    if done[-1].new == 0:
        return "the decoder found nothing new"
    old, new = _scaled(before), _scaled(after)
    if max(abs(old[name] - new[name]) for name in old) < STILL:
        return "the weights no longer change"
    if len(done) - best.number >= settings.patience:
        return f"no improvement for {count_of(settings.patience, 'iteration')}"
    return f"{count_of(settings.iterations, 'iteration')} done" if len(done) >= settings.iterations else ""


def _scaled(weights: Weights) -> Weights:
    total = sum(map(abs, weights.values())) or 1.0
    return {name: value / total for name, value in weights.items()}


def _write_for_moses(path: Path, weights: Weights) -> None:
    """Write weights in the format of Moses (``-weight-file``), with all weights of a feature on one line."""
    lines: dict[str, list[str]] = {}
    for name, value in weights.items():
        stem, _, number = name.rpartition("_")
        lines.setdefault(stem if stem and number.isdigit() else name, []).append(repr(value))
    with atomic_write(path) as target:
        target.writelines(f"{name}= {' '.join(values)}\n" for name, values in lines.items())


def _digest(path: str) -> str:
    open_binary(path).close()  # a file that cannot be read is named as everywhere
    return hashlib.blake2b(Path(path).read_bytes(), digest_size=16).hexdigest()
