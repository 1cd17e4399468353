"""The settings in ``study.toml``: the kind of a study, its questions, people, checks and pages.

Errors name the line of the mistake if it can be found.
"""

import hashlib
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from wordorder.apps.study.words import read_words
from wordorder.core.runtime.errors import InputError, UsageError, excerpt
from wordorder.core.runtime.own_inputs import note_input

KINDS = ("scramble", "prefer", "judge", "align", "rate", "mark")
PAGES = ("consent", "instructions", "examples", "details", "thanks")
"""The pages before and after the items, in plain text with ``{minutes}`` for the expected duration; each line of
``details`` is a field to fill in (:class:`Field`)."""

MOST_CHOICES = 11


@dataclass(frozen=True)
class Question:
    """A question about an item; ``scale`` is the lowest and highest number, and ``ends`` are their labels."""

    name: str
    text: str
    scale: tuple[int, int] | None = None
    ends: tuple[str, str] | None = None

    @property
    def values(self) -> range:
        """The numbers of the scale."""
        low, high = self.scale or (0, -1)
        return range(low, high + 1)


@dataclass(frozen=True)
class Field:
    """A field that people fill in about themselves: a line of ``details`` such as ``Age* [18-99]``.

    A star makes it required. Brackets hold the smallest and the largest whole number, or choices such as
    ``[yes | no = out]``; people who choose one marked ``= out`` cannot take part.
    """

    name: str
    numbers: tuple[int, int] | None = None
    choices: tuple[str, ...] = ()
    out: tuple[str, ...] = ()

    @classmethod
    def parse(cls, line: str) -> "Field":
        """Read a field from a line; raise UsageError if its brackets hold neither a range nor choices."""
        found = re.fullmatch(r"(.*?)\s*\[([^\[\]]*)\]", line)
        if found is None:
            return cls(line)
        name, inside = found.groups()
        if numbers := re.fullmatch(r"\s*(-?\d+)\s*[-–]\s*(\d+)\s*", inside):
            return cls(name, numbers=(int(numbers[1]), int(numbers[2])))
        parts = [part.strip() for part in inside.split("|")]
        choices = tuple(re.sub(r"\s*=\s*out$", "", part) for part in parts)
        if len(set(choices)) < 2 or len(set(choices)) < len(choices) or not all(choices) or not name:
            raise UsageError(
                f"[{inside}] after {name!r}: expected a range such as [18-99] or choices such as [yes | no]"
            )
        return cls(
            name, choices=choices, out=tuple(one for one, part in zip(choices, parts, strict=True) if one != part)
        )

    @property
    def is_required(self) -> bool:
        """Whether the field must be filled in."""
        return self.name.endswith("*")

    def allows(self, value: str) -> bool:
        """Return whether the field can have this value."""
        if self.numbers:
            return bool(re.fullmatch(r"-?\d{1,9}", value)) and self.numbers[0] <= int(value) <= self.numbers[1]
        return not self.choices or value in self.choices


@dataclass(frozen=True)
class People:
    """How many people answer each item, what share of the items one person may see, and whether people may go back.

    If one person per item is enough in general, ``twice`` is the share of the items that a second person does too.
    Nobody can join once ``wanted`` people take part or have finished and passed the checks. ``minutes`` is the
    expected duration (0: estimated from the texts), ``limit`` the most minutes that a person may take (0: no limit).
    """

    per_item: int = 3
    share: float = 1.0
    back: bool = True
    twice: float = 0.0
    wanted: int = 0
    minutes: int = 0
    limit: int = 0


@dataclass(frozen=True)
class Recruiting:
    """How people come from a recruiting service and get back to it.

    ``parameter`` is that of the address whose value becomes the id of a person. The others are the links at the
    end, in which ``{person}`` and ``{code}`` are filled in: for people who ``completed`` the study, those who
    ``failed`` the checks (empty: as ``completed``), and those who are ``screened_out``. With ``code``, the last page
    shows everybody a code of their own.
    """

    parameter: str = ""
    completed: str = ""
    failed: str = ""
    screened_out: str = ""
    code: bool = False


@dataclass(frozen=True)
class Checks:
    """The numbers of practice items, attention checks and repeated items, and the criteria for screening.

    People must answer at least the share ``gold_pass`` of gold and attention items correctly. At most the share
    ``guesses`` of their answers may take less than ``seconds`` each.
    """

    practice: int = 0
    attention: int = 0
    repeats: int = 0
    gold_pass: float = 0.0
    seconds: float = 0.5
    guesses: float = 0.5


@dataclass(frozen=True)
class StudySettings:
    """The settings of a study; ``materials`` depends on its kind, and ``words`` translates the words on its pages.

    ``id`` distinguishes the study from all others, so that its answers are never stored with theirs.
    """

    kind: str
    title: str
    id: str = ""
    seed: int = 12345
    language: str = "en"
    source_language: str = ""
    questions: tuple[Question, ...] = ()
    materials: Mapping[str, Any] = field(default_factory=dict)
    people: People = field(default_factory=People)
    checks: Checks = field(default_factory=Checks)
    recruiting: Recruiting = field(default_factory=Recruiting)
    pages: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def page_words(self) -> dict[str, str]:
        """The words of the page in its language (``lang`` in ``words``, or ``language``), and the study's own."""
        return {**read_words(self.words.get("lang", self.language)), **self.words}

    @property
    def details(self) -> list[Field]:
        """The fields that people fill in about themselves."""
        return [Field.parse(line.strip()) for line in self.pages.get("details", "").splitlines() if line.strip()]

    @property
    def rules(self) -> dict[str, float]:
        """The rules that decide whose answers count, and how many of each item."""
        kept = {name: getattr(self.checks, name) for name in ("gold_pass", "seconds", "guesses")}
        return kept | {"per_item": self.people.per_item}

    @property
    def consent_digest(self) -> str:
        """A digest of the text that people agree to."""
        return hashlib.sha256(self.pages.get("consent", "").encode()).hexdigest()[:16]

    def fingerprint_fields(self) -> dict[str, Any]:
        """Return the settings that determine what people see; they must not change after the first answer."""
        return {
            "kind": self.kind,
            "seed": self.seed,
            "language": self.language,
            "questions": [[one.name, one.text, one.scale, one.ends] for one in self.questions],
            "shares": [self.people.share, self.people.twice],
            "checks": [self.checks.practice, self.checks.attention, self.checks.repeats],
        }


def read_settings(path: str | os.PathLike[str]) -> StudySettings:
    """Read ``study.toml`` and check every setting."""
    name = os.fspath(path)
    note_input(name)
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{name}: not found; create a study with 'wordorder study new'") from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read as UTF-8 ({error})", path=name) from None
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column \d+\)", str(error))
        message = str(error)[: found.start()].strip() if found else str(error)
        raise InputError(f"invalid TOML: {message}", path=name, line=int(found[1]) if found else None) from None
    return _SettingsReader(name, text).settings(document)


class _SettingsReader:
    """Turns a TOML document into settings; errors name the line of the mistake."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = text.splitlines()

    def settings(self, document: dict[str, Any]) -> StudySettings:
        known = {one.name for one in fields(StudySettings)}
        for key in document:
            if key not in known:
                raise self.error(key, f"unknown setting {key!r} (valid: {', '.join(sorted(known))})")
        if document.get("kind") not in KINDS:
            found = excerpt(str(document["kind"])) if "kind" in document else "no kind"
            raise self.error("kind", f"found {found}; kind must be one of {', '.join(KINDS)}")
        values = dict(document)
        for key in ("materials", "people", "checks", "recruiting", "pages", "words"):
            if not isinstance(values.get(key, {}), dict):
                raise self.error(key, f"{key} must be a table, written as [{key}]")
        for key, made_of in (("people", People), ("checks", Checks), ("recruiting", Recruiting)):
            values[key] = self.table(made_of, document.get(key, {}), key)
        values["questions"] = self.questions(document.get("questions", []))
        for page, text in document.get("pages", {}).items():
            if page not in PAGES or not isinstance(text, str):
                raise self.error(page, f"page {page!r}: expected one of {', '.join(PAGES)}, with text as its value")
        english = read_words("en")
        for word, text in document.get("words", {}).items():
            if not isinstance(text, str):
                raise self.error(word, f"{word!r} in [words] must be text")
            if word not in english:
                near = "".join(f"; did you mean {one!r}?" for one in get_close_matches(word, english, n=1))
                raise self.error(word, f"unknown word {word!r} in [words]{near}")
            for name in re.findall(r"\{(\w+)\}", text):
                if f"{{{name}}}" not in english[word]:
                    raise self.error(word, f"{word} in [words] has {{{name}}}, which the English words do not have")
        values.setdefault("title", "")
        made: StudySettings = self.table(StudySettings, values, "")
        self.check(made)
        return made

    def questions(self, found: Any) -> tuple[Question, ...]:
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise self.error("questions", "each question must be written as a [[questions]] block")
        read = []
        for one in found:
            for key in ("scale", "ends"):
                if key in one and not (isinstance(one[key], list) and len(one[key]) == 2):
                    raise self.error(key, f"{key} of question {one.get('name')!r} must have two values")
            given = {key: tuple(value) if isinstance(value, list) else value for key, value in one.items()}
            read.append(self.table(Question, given, "questions"))
        names = [question.name for question in read]
        for question in read:
            if names.count(question.name) > 1:
                raise self.error(question.name, f"two questions have the name {question.name!r}; rename one")
            if not re.fullmatch(r"[\w-]+", question.name):
                raise self.error(question.name, f"name {question.name!r} may contain only letters, digits, _ and -")
            if question.scale and not 1 <= question.scale[1] - question.scale[0] < MOST_CHOICES:
                raise self.error("scale", f"scale {list(question.scale)} must span 2 to {MOST_CHOICES} whole numbers")
        return tuple(read)

    def table(self, made: type[Any], found: dict[str, Any], where: str) -> Any:
        """Build a dataclass from a TOML table; raise an error unless each value has the type of its field."""
        types = get_type_hints(made)
        place = f" in [{where}]" if where else ""
        for key, value in found.items():
            if key not in types:
                raise self.error(key, f"unknown setting {key!r}{place} (valid: {', '.join(types)})")
            if not _fits(value, types[key]):
                raise self.error(key, f"{key} = {excerpt(repr(value))}{place}: expected {_describe_type(types[key])}")
        missing = [one for one in ("name", "text") if made is Question and one not in found]
        if missing:
            raise self.error("questions", f"a question lacks the required setting {missing[0]}")
        return made(**found)

    def check(self, settings: StudySettings) -> None:
        values = {**vars(settings.people), **vars(settings.checks)}
        for key in ("share", "twice", "gold_pass", "guesses"):
            if not 0 <= values[key] <= 1 or (key == "share" and values[key] == 0):
                raise self.error(key, f"{key} = {values[key]}: expected a share from 0 to 1")
        for key in ("per_item", "wanted", "minutes", "limit", "practice", "attention", "repeats"):
            least = int(key == "per_item")
            if values[key] < least:
                raise self.error(key, f"{key} = {values[key]}: expected {least} or more")
        for line in settings.pages.get("details", "").splitlines():
            try:
                Field.parse(line.strip())
            except UsageError as error:
                raise self.error(line.strip(), f"details: {error}") from None
        if not re.fullmatch(r"[\w.-]*", settings.recruiting.parameter, re.ASCII):
            found = excerpt(settings.recruiting.parameter)
            raise self.error("parameter", f"parameter = {found}: expected a name such as PROLIFIC_PID")
        for key in ("completed", "failed", "screened_out"):
            link = getattr(settings.recruiting, key)
            if link and not re.fullmatch(r"https?://[^\s{}]+(\{(person|code)\}[^\s{}]*)*", link):
                raise self.error(
                    key, f"{key} = {excerpt(link)}: expected a link (https://…), with {{person}} or {{code}}"
                )
        needed = settings.kind in ("scramble", "rate")
        scaled = [question for question in settings.questions if question.scale]
        if needed and (not scaled or len(scaled) < len(settings.questions)):
            raise self.error("questions", f"a study of kind {settings.kind} needs questions, each with a scale")

    def error(self, key: str, message: str) -> InputError:
        name = re.compile(rf"(?<![\w-]){re.escape(key)}(?!\w)")
        lines = [(number, found) for number, line in enumerate(self.lines, start=1) if (found := name.search(line))]
        first = sorted(lines, key=lambda pair: pair[1].start() > 1)[:1]  # rather at the start of a line than inside
        return InputError(message, path=self.path, line=first[0][0] if first else None)


def _fits(value: Any, expected: Any) -> bool:
    """Return whether a value has a type; a whole number is a number, too, but true and false are not numbers."""
    if isinstance(expected, UnionType):  # a pair, or None
        part = get_args(get_args(expected)[0])[0]
        return isinstance(value, tuple) and len(value) == 2 and all(_fits(one, part) for one in value)
    if expected is int or expected is float:
        return type(value) in (int, expected)
    return isinstance(value, get_origin(expected) or expected)


def _describe_type(expected: Any) -> str:
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
    return names.get(expected, "two values" if "tuple" in str(expected) else "another kind of value")


def write_value(value: Any) -> str:
    """Return a value in the notation of TOML, using the multi-line form for text that has several lines."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{write_value(key)} = {write_value(one)}' for key, one in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(write_value, value))}]"
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else str(value)
    plain = value.replace("\\", "\\\\").replace('"', '\\"')
    plain = "".join(c if (c >= " " and c != "\x7f") or c == "\n" else f"\\u{ord(c):04x}" for c in plain)
    return f'"""\n{plain}"""' if "\n" in plain else f'"{plain}"'
