"""``wordorder.score`` and ``wordorder.score_runs``: each makes inputs from its arguments and scores them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from wordorder.core.runtime.errors import UsageError, mistyped
from wordorder.core.runtime.settings import accepts_options
from wordorder.core.statistics import Resampling
from wordorder.metrics.registry import MetricSelection
from wordorder.scoring.inputs import InputOptions, Inputs, make_inputs
from wordorder.scoring.score import score as score_inputs
from wordorder.scoring.scores import Scores

if TYPE_CHECKING:
    from wordorder.scoring.runs import Runs


@accepts_options(InputOptions)
def score(
    hyp: Any = None,
    ref: Any = None,
    *,
    metrics: MetricSelection | None = None,
    reference_choice: str = "closest",
    docs: Sequence[str] | None = None,
    buckets: Sequence[str] | None = None,
    baseline: str | None = None,
    test: str = "bootstrap",
    resample: str = "segments",
    samples: int = 1000,
    seed: int = 12345,
    threads: int = 1,
    **options: Unpack[InputOptions],
) -> Scores:
    """Score translations against references or against their source; word orders can also be given directly.

    ``hyp`` is a mapping from system names to texts, the text of a single system, or an object from
    :mod:`wordorder.scoring.inputs`. A text is a file name, a list of lines, an Arrow column or a pandas series.
    ``ref`` is one text or a list of texts. A list of strings is always one text, so a list of files must consist of
    ``pathlib.Path`` objects. Word orders are given as ``permutations`` or ``hyp_align``; for these and other options,
    see :func:`wordorder.scoring.inputs.make_inputs`.

    >>> scores = score(["the cat sat down", "a dog"], ["down sat the cat", "a dog"], metrics="kendall,bleu1")
    >>> scores.values.round(3).tolist()
    [[0.583, 1.0]]
    """
    if not isinstance(hyp, Inputs):
        hyp = make_inputs(hyp, ref, threads=threads, seed=seed, **options)
    elif ref is not None or options:
        raise UsageError("an inputs object already includes references and options; pass them when creating it")
    return score_inputs(
        hyp,
        metrics=metrics,
        reference_choice=reference_choice,
        docs=docs,
        buckets=buckets,
        baseline=baseline,
        test=test,
        resampling=Resampling(samples, seed, threads, resample),
    )


@accepts_options(InputOptions, passed_to=score)
def score_runs(
    hyp: Mapping[str, Sequence[Any]], ref: Any = None, *, baseline: str | None = None, **options: Any
) -> Runs:
    """Score several runs of each system; the result provides means, spreads and significance tests.

    ``hyp`` maps each system name to the texts of its runs. ``options`` are the other arguments of :func:`score`.

    >>> tuned = {"A": [["the cat sat"], ["the cat sat"]], "B": [["sat the cat"], ["the cat sat"]]}
    >>> score_runs(tuned, ["the cat sat"], metrics="kendall", samples=0).means.round(3).tolist()
    [[1.0], [0.667]]
    """
    from wordorder.scoring.runs import Runs, name_runs

    if not isinstance(hyp, Mapping):
        raise mistyped("hyp", hyp, expected="a mapping from system names to lists of runs")
    members = name_runs({name: len(texts) for name, texts in hyp.items()})
    texts = {run: text for name, runs in members.items() for run, text in zip(runs, hyp[name], strict=True)}
    return Runs(score(texts, ref, **options), members, baseline)
