"""Test sets that sacreBLEU has already downloaded: ``sacrebleu:wmt14:en-de:ref``."""

from __future__ import annotations

import os

from wordorder.core.runtime.errors import UsageError

PREFIX = "sacrebleu:"


def find_file(name: str) -> str:
    """Return the path of the file ``sacrebleu:SET:PAIR:FIELD``; the field is ``src``, ``ref`` or ``ref:B``."""
    test_set, _, rest = name.removeprefix(PREFIX).partition(":")
    pair, _, field = rest.partition(":")
    if not (test_set and pair and field):
        raise UsageError(f"{name}: expected a test set, language pair and src or ref, like sacrebleu:wmt14:en-de:ref")
    root = os.environ.get("SACREBLEU") or os.path.join(os.path.expanduser("~"), ".sacrebleu")
    folder = os.path.join(root, test_set)
    path = os.path.join(folder, f"{test_set.replace('/', '_')}.{pair}.{field.replace(':', '-')}")
    if not os.path.isfile(path):
        raise UsageError(f"{path}: no such file; download it with: sacrebleu -t {test_set} -l {pair} --echo {field}")
    return path
