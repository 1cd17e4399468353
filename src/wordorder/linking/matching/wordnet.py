"""Synonyms from WordNet's database files (``index.noun`` …, ``noun.exc`` …), looked up as in METEOR.

Two words are synonyms if they share a synset (a set of words with one meaning). The index files list the synsets of
each lemma; only these files and the exception lists are read. A word has its own synsets and those of its base form,
regardless of part of speech. The base form is found in the exception lists (``geese`` → ``goose``) or by removing an
ending (``cars`` → ``car``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wordorder.core.runtime.errors import InputError, UsageError, excerpt
from wordorder.core.runtime.files import read_whole

DEFAULT_FOLDER = "/usr/share/wordnet"
"""The folder in which Debian's package ``wordnet-base`` installs the files."""

_PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")
_ROOM = 1_000_000_000  # synset numbers have at most nine digits and are unique per part of speech

# WordNet's morphology: endings of nouns, verbs and adjectives with their replacements; the first that fits is used.
_ENDINGS = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ("er", ""), ("est", ""), ("er", "e"), ("est", "e"),
)  # fmt: skip
_ANY_ENDING = tuple({ending for ending, _ in _ENDINGS})


def database_files(folder: str | os.PathLike[str] | None = None) -> list[Path]:
    """Return the files of the database in ``folder``: for each part of speech, its index and its exception list."""
    place = Path(DEFAULT_FOLDER if folder is None else folder)
    if not (place / "index.noun").is_file():
        raise UsageError(
            f"{place}: no WordNet database found (expected index.noun and related files); give its folder "
            f"or install Debian's package wordnet-base"
        )
    return [place / name for part in _PARTS_OF_SPEECH for name in (f"index.{part}", f"{part}.exc")]


@dataclass(frozen=True, eq=False)
class WordNet:
    """The synsets of each lemma and the base forms of irregular words."""

    lemmas: Mapping[str, tuple[int, ...]]
    exceptions: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls, folder: str | os.PathLike[str] | None = None) -> WordNet:
        """Read the database in ``folder``; the default is where Debian's package ``wordnet-base`` installs it."""
        files = database_files(folder)
        lemmas: dict[str, tuple[int, ...]] = {}
        exceptions: dict[str, tuple[str, ...]] = {}
        for number, (index, irregular) in enumerate(zip(files[::2], files[1::2], strict=True)):
            for lemma, synsets in _read_index(index):
                lemmas[lemma] = lemmas.get(lemma, ()) + tuple(number * _ROOM + synset for synset in synsets)
            for form, bases in _read_exceptions(irregular):
                exceptions[form] = exceptions.get(form, ()) + bases
        return cls(lemmas, exceptions)

    def synsets(self, word: str) -> frozenset[int]:
        """Return the synsets of a lower-case word, including those of its base form.

        >>> nouns = WordNet({"car": (1,), "auto": (1,), "goose": (2,)}, {"geese": ("goose",)})
        >>> sorted(nouns.synsets("cars") & nouns.synsets("autos")), sorted(nouns.synsets("geese"))
        ([1], [2])
        """
        bases = self.exceptions.get(word) or (self._base(word),)
        return frozenset(synset for form in (word, *bases) for synset in self.lemmas.get(form, ()))

    def _base(self, word: str) -> str:
        if len(word) > 2 and word.endswith(_ANY_ENDING) and not word.endswith("ss"):
            for ending, instead in _ENDINGS:
                if word.endswith(ending):
                    base = word[: len(word) - len(ending)] + instead
                    if base in self.lemmas:
                        return base
        return word


def _read_index(path: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Read lines like ``lemma pos synsets pointers [pointer …] senses tagged offset …``.

    Multi-word lemmas, which contain ``_``, are skipped.
    """
    for number, fields in _fields(path):
        lemma = fields[0]
        if "_" in lemma:  # the lemma of several words cannot match a single word
            continue
        try:
            count, pointers = int(fields[2]), int(fields[3])
            synsets = tuple(int(field) for field in fields[6 + pointers :])
        except (IndexError, ValueError):
            count, synsets = -1, ()
        if len(synsets) != count or not all(0 <= synset < _ROOM for synset in synsets):
            raise InputError(
                f"expected an entry of a WordNet index (lemma, part of speech, counts, synsets), "
                f"found {excerpt(' '.join(fields))}",
                path=str(path),
                line=number,
            )
        yield lemma, synsets


def _read_exceptions(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Read lines like ``geese goose``: an irregular form, followed by its base forms."""
    for number, fields in _fields(path):
        if len(fields) < 2:
            raise InputError(
                f"expected base forms after the irregular form {excerpt(fields[0])}, found none",
                path=str(path),
                line=number,
            )
        yield fields[0], tuple(fields[1:])


def _fields(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the fields of each line, except for the indented licence at the start."""
    for number, line in enumerate(read_whole(path).split(b"\n"), start=1):
        if line[:1].strip():
            try:
                yield number, [field.decode() for field in line.split()]
            except UnicodeDecodeError:
                raise InputError("not valid UTF-8", path=str(path), line=number) from None
