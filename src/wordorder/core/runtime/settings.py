"""Settings: each is declared once, as a field of the class that uses it, with its help, choices, range and default.

The Python argument, the command-line option, their help texts, and the name in error messages are all derived from
this declaration. The name is the same everywhere: ``tokenize="zh"``, ``--tokenize zh``.
"""

import dataclasses
import warnings
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from wordorder.core.runtime.errors import UsageError, check_choice, choices, mention


@dataclass(frozen=True)
class Setting:
    """The declaration of a setting: its help text, its default and the values that it accepts.

    ``kind`` converts text to a value of the right type; ``many`` means that the setting takes several values. If
    there are ``choices``, the value must be one of them. A number must lie between ``low`` and ``high`` if these are
    given.
    """

    help: str
    default: Any = None
    kind: Callable[[str], Any] = str
    choices: tuple[Any, ...] = ()
    low: float | None = None
    high: float | None = None
    metavar: str | None = None
    many: bool = False
    short: tuple[str, ...] = ()


def setting(default: Any, help: str, *, kind: Callable[[str], Any] | None = None, **known: Any) -> Any:
    """Declare a setting as a dataclass field; unless ``kind`` is given, it is the type of the default.

    >>> @dataclass(frozen=True)
    ... class Style:
    ...     digits: int = setting(3, "digits after the point", low=0, high=15)
    >>> Style().digits, settings_of(Style)["digits"].help
    (3, 'digits after the point')
    """
    kind = kind or (str if default is None else type(default))
    return dataclasses.field(default=default, metadata={"setting": Setting(help, default, kind, **known)})


@cache
def settings_of(owner: Hashable) -> Mapping[str, Setting]:
    """Map names to the settings declared as fields of a dataclass or as annotations of a ``TypedDict``."""
    if dataclasses.is_dataclass(owner):
        fields = dataclasses.fields(owner)
        return {field.name: field.metadata["setting"] for field in fields if "setting" in field.metadata}
    annotated: Any = owner
    found = {name: getattr(kind, "__metadata__", ()) for name, kind in annotated.__annotations__.items()}
    return {name: known[0] for name, known in found.items() if known and isinstance(known[0], Setting)}


def check_settings(value: Any) -> None:
    """Check that every setting of an object is None or valid according to its declaration."""
    for name, known in settings_of(value.__class__).items():
        given = getattr(value, name)
        if given is None:
            continue
        if known.choices and given not in known.choices:
            raise choices(given, list(known.choices), what=f"value of {mention(name)}:")
        if known.low is not None and given < known.low:
            bound = f"{known.low:,} or more" if known.high is None else f"from {known.low:,} to {known.high:,}"
            raise UsageError(f"{mention(name)} must be {bound}, not {given}")
        if known.high is not None and given > known.high:
            raise UsageError(f"{mention(name)} must be at most {known.high:,}, not {given:,}")


OLD_NAMES: Mapping[str, tuple[str, ...]] = {
    "align_file": ("hyp_align", "align"),
    "as": ("format",),
    "base": ("log_base",),
    "buckets": ("write_buckets",),
    "cached": ("cache",),
    "count": ("worst",),
    "documents": ("docs",),
    "form": ("judgement_format",),
    "format": ("align_format", "parse_format"),
    "hypotheses": ("hyp",),
    "hypothesis_alignments": ("hyp_align",),
    "hypothesis_parses": ("hyp_parses",),
    "load": ("align_model",),
    "model": ("aligner",),
    "nbest": ("parses",),
    "nbest_format": ("parse_format",),
    "reference_alignments": ("ref_align",),
    "reference_parses": ("ref_parses",),
    "references": ("ref",),
    "scores": ("given",),
    "stages": ("match",),
    "tokenizer": ("tokenize",),
    "trees": ("parses",),
    "trees_format": ("parse_format",),
    "unaligned_source": ("unalign_source",),
    "unaligned_target": ("unalign_target",),
    "unit": ("resample",),
}
"""Former names of settings, in Python or as options, and their present names.

If a former name has several present names, the first one known to the function or command applies.
"""


def current_name(name: str, known: Collection[str]) -> str:
    """Return the name among ``known`` that replaced an old name, or ``name`` itself if it is not an old name.

    >>> current_name("tokenizer", ["tokenize"]), current_name("format", ["format"])
    ('tokenize', 'format')
    """
    return name if name in known else next((new for new in OLD_NAMES.get(name, ()) if new in known), name)


def rename_old(given: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return the arguments with old names replaced by current ones; issue a deprecation warning for each old name."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        new = current_name(name, known)
        if new != name:
            warnings.warn(f"{name} is now called {new}", DeprecationWarning, stacklevel=3)
        if new in found:
            same = " and ".join(one for one in given if current_name(one, known) == new)
            raise UsageError(f"{same} are the same setting; give only one of them")
        found[new] = value
    return found


Made = TypeVar("Made")


def accepts_old_names(value: type[Made]) -> type[Made]:
    """Make a dataclass accept the former names of its fields as arguments."""
    known = tuple(field.name for field in dataclasses.fields(value))  # type: ignore[arg-type]
    make: Callable[..., None] = value.__init__

    @wraps(make)
    def init(self: Made, *args: Any, **given: Any) -> None:
        make(self, *args, **(given if all(name in known for name in given) else rename_old(given, known)))

    value.__init__ = init  # type: ignore[method-assign, assignment]
    return value


Arguments = ParamSpec("Arguments")


def accepts_options(
    owner: type, *, passed_to: Callable[..., Any] | None = None
) -> Callable[[Callable[Arguments, Made]], Callable[Arguments, Made]]:
    """Return a decorator that makes a function accept the keys of a ``TypedDict`` as keyword arguments.

    Old names are accepted, too. An unknown keyword raises an error that lists the valid ones. If the function passes
    its keyword arguments on to another function, ``passed_to``, the parameters of that function are also accepted.
    """

    def decorate(function: Callable[Arguments, Made]) -> Callable[Arguments, Made]:
        named = [*signature(function).parameters.values()]
        named += signature(passed_to).parameters.values() if passed_to else []
        own = list(dict.fromkeys(one.name for one in named if one.kind is not one.VAR_KEYWORD))
        known = [*own, *(name for name in owner.__annotations__ if name not in own)]

        @wraps(function)
        def call(*args: Any, **given: Any) -> Made:
            if not given.keys() <= set(known):
                given = rename_old(given, known)
                for name in given:
                    check_choice(name, known, "argument")
            return function(*args, **given)

        return call

    return decorate
