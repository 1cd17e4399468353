"""Word order in a task of lm-evaluation-harness: the functions that the task's YAML file names.

The harness scores a list of (prediction, reference) pairs at the end, so every metric is one that
``wordorder.score`` computes for a whole text. See ``example.yaml`` for a task.
"""

import wordorder


def process_results(doc, results):
    """Return the prediction and its reference for each metric that ``metric_list`` names."""
    pair = (results[0].strip().replace("\n", " "), doc["target"])
    return {"kendall_sqrt": pair, "pef": pair, "matched": pair}


def kendall_sqrt(pairs):
    """Return Birch's d_k over all segments."""
    return float(_score(pairs, "kendall-sqrt").values[0, 0])


def pef(pairs):
    """Return the score of permutation forests over all segments."""
    return float(_score(pairs, "pef").values[0, 0])


def matched(pairs):
    """Return the share of reference words that the predictions match, on which the other two scores rest."""
    return float(_score(pairs, "kendall-sqrt").matched[0])


def _score(pairs, metric):
    predictions, references = (list(side) for side in zip(*pairs, strict=True))
    return wordorder.score(predictions, references, metrics=metric, samples=0)
