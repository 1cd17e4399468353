"""Weight files: a table with a row for each feature and a column of weights for each objective."""

import math
from collections.abc import Mapping, Sequence

from wordorder.core.runtime.errors import InputError, UsageError, check_choice, choices, excerpt, refuse, reject
from wordorder.core.runtime.files import Path, atomic_write, display_name
from wordorder.core.runtime.plain import to_number
from wordorder.formats.lines import numbered_lines

Weights = dict[str, float]

EXPECTED = "a line 'feature<TAB>weight' for each feature"


def write_weights(path: Path, weights: Mapping[str, Weights]) -> None:
    """Write the weights for each objective; reading the file returns exactly the same numbers."""
    features = list(next(iter(weights.values())))
    with atomic_write(path) as target:
        target.write("\t".join(["feature", *weights]) + "\n")
        for feature in features:
            target.write("\t".join([feature, *(repr(each[feature]) for each in weights.values())]) + "\n")


def sort_weights(weights: Mapping[str, float], names: Sequence[str], owner: str) -> list[float]:
    """Return weights in the order of ``names``; raise an error if one is missing or unknown."""
    for name in weights:
        check_choice(name, names, f"feature of {owner}")
    missing = [name for name in names if name not in weights]
    refuse(missing, f"{owner} has features without a weight: {', '.join(missing[:12])}")
    return [float(weights[name]) for name in names]


def read_weights(path: Path, objective: str | None = None) -> Weights:
    """Read weights from a file; ``objective`` selects a column and is required if there are several.

    The header line is optional, and spaces may separate the fields, as in ``lm 0.5``.
    """
    name = display_name(path)
    heading: list[str] | None = None
    found: dict[str, list[float]] = {}
    for line, content in numbered_lines(path, expected=EXPECTED):
        text = content.decode("utf-8", "replace").strip()
        fields = text.split("\t") if "\t" in text else text.split()
        if not fields:
            continue
        if heading is None and not found and fields[0] == "feature":
            heading = fields[1:]
            continue
        values = list(map(to_number, fields[1:]))
        if not values or not all(map(math.isfinite, values)) or len(values) != len(heading or values):
            raise InputError(f"expected {EXPECTED}, found {excerpt(text)}", path=name, line=line)
        if fields[0] in found:
            message = f"feature {fields[0]!r} appears twice; expected one line for each feature"
            raise InputError(message, path=name, line=line)
        found[fields[0]] = values
    reject(not found, f"no weights; expected {EXPECTED}", path=name)
    names = heading or [""] * len(next(iter(found.values())))
    if objective is None and len(names) > 1:
        raise UsageError(f"{name} has weights for several objectives; choose one of {', '.join(names)}")
    if objective is not None and objective not in names:
        raise choices(objective, names, what=f"objective of {name}")
    place = 0 if objective is None else names.index(objective)
    return {feature: values[place] for feature, values in found.items()}
