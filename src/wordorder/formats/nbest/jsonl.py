"""JSON objects, one per line: either all translations of a sentence, or one hypothesis::

    {"id": 0, "translations": ["a b", "b a"], "scores": [-1.5, -2]}            a sentence (Sockeye, CTranslate2)
    {"id": 0, "text": "a b", "score": -1.5, "features": {"lm": -3, "tm": -2}}  a hypothesis

In ``translations``, a translation is a string, a list of tokens, or an object with the keys of a hypothesis. A
sentence without an id is numbered by its line, from 0. Each value is looked up under the names that common tools use,
or under the name given in ``keys``.
"""

import math
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from wordorder.core.runtime.errors import InputError, check_choice, excerpt, located, reject
from wordorder.core.runtime.files import LINES_PER_BLOCK, Path, display_name
from wordorder.formats.nbest.features import MOST_FEATURES
from wordorder.formats.nbest.hypotheses import Hypotheses, Hypothesis, gather_hypotheses
from wordorder.formats.tables import json_records

KEYS = {
    "id": ("id", "sentence_id", "sent_id", "segment"),
    "translations": ("translations", "hypotheses", "nbest", "samples", "outputs"),
    "scores": ("scores", "log_probs"),
    "text": ("text", "translation", "translation_text", "generated_text", "hypothesis"),
    "score": ("score", "log_prob"),
    "features": ("features",),
}
"""The names that common tools use for each value."""

EXPECTED = 'objects like {"id": 0, "translations": ["a b"], "scores": [-1.5]}'


def read_blocks(path: Path, *, keys: Mapping[str, str] | None = None) -> Iterator[Hypotheses]:
    """Read hypotheses in blocks; ``keys`` maps values (``text``, ``score`` …) to keys that are not the usual ones."""
    for key in keys or {}:
        check_choice(key, KEYS, "key")
    names = {key: (keys[key],) if keys and key in keys else known for key, known in KEYS.items()}
    found = _hypotheses(path, names)
    columns: dict[str, None] = {}
    scored: bool | None = None
    while rows := list(islice(found, LINES_PER_BLOCK)):
        scored = rows[0].score is not None if scored is None else scored
        for row in rows:
            with located(display_name(path), row.line):
                if (row.score is not None) != scored:
                    raise InputError("some hypotheses have a score and others do not; all or none must have one")
            columns.update(dict.fromkeys(row.features))
        if len(columns) > MOST_FEATURES:
            raise InputError(
                f"the list has more than {MOST_FEATURES} features; leave out rare ones",
                path=display_name(path),
                line=rows[-1].line,
            )
        yield gather_hypotheses(rows, columns, scored=scored)
    reject(scored is None, f"no hypotheses; expected {EXPECTED}", path=display_name(path), line=1)


def _hypotheses(path: Path, names: Mapping[str, tuple[str, ...]]) -> Iterator[Hypothesis]:
    for line, record in json_records(path):
        with located(display_name(path), line):
            found = list(_of_record(record, line, names))
        yield from found


def _of_record(record: dict[str, Any], line: int, names: Mapping[str, tuple[str, ...]]) -> Iterator[Hypothesis]:
    translations = _get(record, names["translations"])
    sentence = _get(record, names["id"])
    if sentence is None and translations is not None:
        sentence = line - 1
    if isinstance(sentence, str) and sentence.isascii() and sentence.isdigit():
        sentence = int(sentence)
    if not isinstance(sentence, int) or isinstance(sentence, bool) or not 0 <= sentence < 10**9:
        raise InputError(f"the id of a sentence must be a whole number of at least 0, not {excerpt(repr(sentence))}")
    if translations is None:
        yield _one(record, line, sentence, names, None)
        return
    if not isinstance(translations, list) or not translations:
        raise InputError(f"expected a list of translations for sentence {sentence}, found none")
    scores = _get(record, names["scores"])
    if scores is None:
        scores = [None] * len(translations)
    if not isinstance(scores, list) or len(scores) != len(translations):
        count = len(scores) if isinstance(scores, list) else 1
        raise InputError(f"expected one score per translation, found {count} for {len(translations)}")
    for translation, score in zip(translations, scores, strict=True):
        yield _one(translation, line, sentence, names, score)


def _one(value: Any, line: int, sentence: int, names: Mapping[str, tuple[str, ...]], score: Any) -> Hypothesis:
    features: dict[str, float] = {}
    if isinstance(value, dict):
        score = _get(value, names["score"]) if score is None else score
        given = _get(value, names["features"])
        if given is not None and not isinstance(given, dict):
            raise InputError("features must be an object that maps names to numbers")
        features = {str(name): _number(number, f"feature {name!r}") for name, number in (given or {}).items()}
        value = _get(value, names["text"])
    if isinstance(value, list) and all(isinstance(token, str) for token in value):
        value = " ".join(value)
    if not isinstance(value, str):
        raise InputError(f"expected the text of a translation under the key {' or '.join(names['text'][:2])}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(f"{excerpt(value)} contains characters that cannot be encoded as UTF-8") from None
    if isinstance(score, list) and len(score) == 1:  # Sockeye
        score = score[0]
    number = None if score is None else _number(score, "the score")
    if number is not None and not features:
        features = {"score": number}
    return Hypothesis(line, sentence, " ".join(value.split("\n")), number, features)


def _number(value: Any, what: str) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            if math.isfinite(value):
                return float(value)
        except OverflowError:
            pass
    raise InputError(f"{what} must be a finite number, not {excerpt(repr(value))}")


def _get(record: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((record[name] for name in names if name in record), None)
