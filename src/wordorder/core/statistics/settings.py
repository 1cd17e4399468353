"""The settings for resampling, kept apart from the kernels so that command-line help appears quickly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wordorder.core.runtime.errors import refuse, whole
from wordorder.core.runtime.settings import accepts_old_names, check_settings, setting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wordorder.core.statistics.resampling import Rows, Weights
    from wordorder.core.statistics.rows import CompactRows

DEFAULT_SAMPLES = 1000
DEFAULT_TRIALS = 10_000
DEFAULT_SEED = 12345
MOST_SAMPLES = 1_000_000
"""Maximum number of samples; more would exhaust memory without changing any printed digit."""

UNITS = ("segments", "documents", "judgements")


@accepts_old_names
@dataclass(frozen=True)
class Resampling:
    """Options for estimating uncertainty from bootstrap samples of segments, documents or judgements."""

    samples: int = setting(
        DEFAULT_SAMPLES, "number of bootstrap samples (0: no intervals)", low=0, high=MOST_SAMPLES, metavar="N"
    )
    seed: int = setting(DEFAULT_SEED, "random seed", low=0, metavar="N")
    threads: int = setting(1, "number of threads (0: one per core)", metavar="N")
    resample: str = setting("segments", "unit to resample", choices=UNITS)

    def __post_init__(self) -> None:
        for name in ("samples", "seed", "threads"):
            object.__setattr__(self, name, whole(getattr(self, name), name))
        check_settings(self)

    def check_unit(self, *allowed: str) -> None:
        """Raise an error if the unit to resample is not one of those ``allowed``."""
        refuse(self.resample not in allowed, f"{self.resample} cannot be resampled here, only {' or '.join(allowed)}")

    def sums(self, rows: Rows | CompactRows, *, groups: NDArray[np.integer] | None = None) -> Rows:
        """Return the sums of the rows in each bootstrap sample, ``[samples, K]``; see :func:`bootstrap_sums`."""
        import numpy as np

        from wordorder.core.statistics.resampling import bootstrap_sums

        if not self.samples:
            return np.empty((0, rows.shape[1]))
        return bootstrap_sums(rows, samples=self.samples, seed=self.seed, threads=self.threads, groups=groups)

    def each_count(self, rows: int) -> Iterator[Weights]:
        """Yield, for one bootstrap sample after the other, how often it contains each row."""
        from wordorder.core.statistics.resampling import each_count

        return each_count(rows, samples=self.samples, seed=self.seed)

    def counts(self, rows: int, *, places: NDArray[np.int64] | None = None) -> Weights:
        """Return how often each bootstrap sample contains each row, or each of the rows ``places``.

        The result is ``[samples, rows]``; see :func:`bootstrap_counts`.
        """
        import numpy as np

        from wordorder.core.statistics.resampling import bootstrap_counts

        if not self.samples:
            return np.zeros((0, rows if places is None else len(places)), dtype=np.uint8)
        return bootstrap_counts(rows, samples=self.samples, seed=self.seed, places=places)
