"""Score files in the format of mt-metrics-eval: for each metric, one file of segment and one of system scores.

``NAME-REF.seg.score`` has a line "SYSTEM SCORE" for every segment, system by system. ``NAME-REF.sys.score`` has one
such line for every system. In these files, higher scores are better and every segment has a score. Therefore, scores
of metrics for which lower is better are negated, and undefined scores are replaced with a number that the caller
chooses.
"""

import os
import re
from collections.abc import Sequence

import numpy as np

from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.formats import mtme
from wordorder.metrics import Metric
from wordorder.scoring.scores import Scores

SOURCE_ONLY = "src"


def write_submission(
    scores: Scores, folder: str | os.PathLike[str], *, references: Sequence[str] = (), undefined: float = 0.0
) -> dict[str, int]:
    """Write the files of all metrics into a folder; return the number of undefined segment scores by metric.

    The names of the written files include the names of the references (such as ``refA``), which are taken from the
    file names in ``references``; if there are none, they include ``src`` instead. References among the systems are left
    out of the files that they were used for.
    """
    names = {file_name(metric): metric for metric in scores.metrics}
    if len(names) < len(scores.metrics):
        raise UsageError("the scores of two metrics would be written to the same file; use different folders")
    for system in scores.systems:
        if re.search(r"\s", system):
            raise InputError(f"system names in mt-metrics-eval files must not contain spaces; rename {system!r}")
    os.makedirs(folder, exist_ok=True)
    refs = [reference_name(file) for file in references]
    used = ".".join(refs) or SOURCE_ONLY
    lost = {}
    for name, metric in names.items():
        sign = -1.0 if metric.higher_is_better is False else 1.0
        m = scores.metric_place(metric)
        segments = {one: scores.segment_scores(one, metric) * sign + 0.0 for one in scores.systems if one not in refs}
        systems = {one: scores.values[[scores.system_place(one)], m] * sign + 0.0 for one in segments}
        for level, found in (("seg", segments), ("sys", systems)):
            filled = {system: np.where(np.isnan(values), undefined, values) for system, values in found.items()}
            mtme.write_scores(os.path.join(folder, f"{name}-{used}.{level}.score"), filled)
        lost[str(metric)] = sum(int(np.isnan(values).sum()) for values in segments.values())
    return lost


def file_name(metric: Metric) -> str:
    """Return the spec of a metric with all characters replaced that are unsafe in file names.

    >>> from wordorder.metrics import metric
    >>> file_name(metric("full:order=pet:alpha=0.4")), file_name(metric("kendall-sqrt"))
    ('full_order_pet_alpha_0_4', 'kendall-sqrt')
    """
    return re.sub(r"[^\w-]+", "_", str(metric))


def reference_name(file: str) -> str:
    """Derive a reference name from a file name: its last component between dots, with the dashes removed.

    >>> reference_name("references/en-de.refA.txt"), reference_name("my-reference.txt.gz")
    ('refA', 'myreference')
    """
    name = re.sub(r"(\.txt)?(\.(gz|xz|bz2|zst))?$", "", os.path.basename(file))
    return re.sub(r"[^\w]+", "", name.rpartition(".")[2]) or "ref"
