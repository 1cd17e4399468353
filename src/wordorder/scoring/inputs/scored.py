"""Inputs with segment scores that other programs have computed."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.errors import InputError, UsageError, count_of, refuse
from wordorder.core.runtime.files import LINES_PER_BLOCK
from wordorder.formats.judgements import match_systems
from wordorder.metrics import Metric, Need
from wordorder.metrics.external_scores import ExternalScores
from wordorder.scoring.inputs.base import Blocks, Inputs, InputsWrapper

Column = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ScoredInputs(InputsWrapper):
    """Inputs with segment scores that other programs have computed, such as COMET scores.

    ``given`` maps the name of each metric to segment scores by system or, if there is only one system, to a list of
    scores. The system names may differ slightly from those of the inputs, as in human judgements. Scores of systems
    that the inputs do not contain are ignored.
    """

    inputs: Inputs
    given: Mapping[str, Any]

    def __post_init__(self) -> None:
        columns = {name: self._placed(name, scores) for name, scores in self.given.items()}
        object.__setattr__(self, "given", columns)

    def _placed(self, name: str, scores: Any) -> dict[str, Column]:
        """Return the scores of each system as an array; raise an error if a system has no scores."""
        if not isinstance(scores, Mapping):
            scores = {self.systems[0] if len(self.systems) == 1 else "": scores}
        found = list(scores)
        places = match_systems(found, self.systems)
        placed = {self.systems[at]: scores[found[n]] for n, at in enumerate(places.tolist()) if at >= 0}
        lacking = [system for system in self.systems if system not in placed]
        if lacking:
            of = f"for {', '.join(found[:12])}" if any(found) else "for one system without a name"
            raise InputError(f"{name}: no scores found for {', '.join(lacking)}; the given scores are {of}")
        return {system: _column(name, system, placed[system]) for system in self.systems}

    @property
    def given_scores(self) -> Mapping[str, Mapping[str, Column]]:
        """The external scores by metric name and system."""
        return self.given

    @property
    def inner(self) -> Inputs:
        """The inputs without the external scores."""
        return self.inputs

    @property
    def offers(self) -> frozenset[Need]:
        """Everything the plain inputs provide, plus external scores."""
        return self.inputs.offers | {Need.GIVEN}

    @property
    def defaults(self) -> tuple[Metric, ...]:
        """The default metrics of the plain inputs, followed by one metric for each kind of external scores."""
        return (*self.inputs.defaults, *map(ExternalScores, self.given))

    @property
    def without_scores(self) -> Inputs:
        """The inputs without the external scores."""
        return self.inputs.without_scores

    def signature(self, metrics: Sequence[Metric]) -> dict[str, Any]:
        """Return the signature of the plain inputs, plus the names and digests of the external scores."""
        marks = []
        for name, columns in self.given.items():
            digest = hashlib.blake2b(digest_size=4)
            for column in columns.values():
                digest.update(column.tobytes())
            marks.append(f"{name}#{digest.hexdigest()}")
        return self.inputs.signature(metrics) | {"given": marks}

    def count_blocks(self) -> int | None:
        """Return the number of blocks of the inputs."""
        return self.inner.count_blocks()

    def select(self, segments: NDArray[np.integer]) -> "ScoredInputs":
        """Return inputs and scores that contain only the given segments."""
        for name, columns in self.given.items():
            for system, column in columns.items():
                if len(segments) and int(segments.max()) >= len(column):
                    raise self._other_count(name, system, f"segment {int(segments.max()) + 1} is required")
        given = {name: {s: column[segments] for s, column in columns.items()} for name, columns in self.given.items()}
        return replace(self, inputs=self.inputs.select(segments), given=given)

    def batches(self, metrics: Sequence[Metric], *, lines: int = LINES_PER_BLOCK) -> Blocks:
        """Yield the blocks of the plain inputs, with the external scores of their segments."""
        done = 0
        for block in self.inputs.batches(metrics, lines=lines):
            stop = done + len(block[0])
            given = []
            for system in self.systems:
                self._check_count(system, stop, at_least=True)
                given.append({name: columns[system][done:stop] for name, columns in self.given.items()})
            yield [batch.with_given(some) for batch, some in zip(block, given, strict=True)]
            done = stop
        for system in self.systems:
            self._check_count(system, done)

    def _check_count(self, system: str, segments: int, *, at_least: bool = False) -> None:
        for name, columns in self.given.items():
            count = len(columns[system])
            if count < segments or (count > segments and not at_least):
                raise self._other_count(
                    name,
                    system,
                    f"the texts have {segments} segments or more"
                    if at_least
                    else f"the texts have {segments} segments",
                )

    def _other_count(self, name: str, system: str, segments: str) -> InputError:
        count = len(self.given[name][system])
        return InputError(
            f"{name}: expected one score per segment, found {count_of(count, 'score')} for {system}, but {segments}"
        )


def _column(name: str, system: str, values: Any) -> Column:
    try:
        column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"{name}: expected numbers as the scores of {system}") from None
    refuse(column.ndim != 1, f"{name}: expected a flat list of numbers as the scores of {system}")
    lost = np.flatnonzero(~np.isfinite(column))
    if len(lost):
        more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
        raise InputError(f"{name}: every segment of {system} needs a score, but segment {lost[0] + 1}{more} has none")
    return column
