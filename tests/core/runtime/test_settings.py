"""Settings: declared once, known by one name, accepted under the names that they had before."""

import warnings
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict, Unpack

import pytest

from wordorder.core.runtime.errors import (
    InputError,
    InputWarning,
    UsageError,
    WordorderError,
    mention,
    spell_argument,
    spell_option,
)
from wordorder.core.runtime.settings import (
    OLD_NAMES,
    Setting,
    accepts_old_names,
    accepts_options,
    check_settings,
    current_name,
    rename_old,
    setting,
    settings_of,
)


@accepts_old_names
@dataclass(frozen=True)
class Cutting:
    """Settings of every kind, and a field that is none."""

    tokenize: str = setting("13a", "how text is cut", choices=("13a", "none", "zh"), metavar="NAME", short=("-tok",))
    worst: int | None = setting(None, "how many are shown", kind=int, low=1)
    digits: int = setting(3, "digits after the point", low=0, high=15)
    log_base: float = setting(2.0, "base of logarithms")
    cache: bool = setting(True, "cache on disk")
    plain: int = 0


class Options(TypedDict, total=False):
    """Options of a function; one is a setting, one is a value of its own."""

    tokenize: Annotated[str | None, Setting("how text is cut", choices=("13a", "none"))]
    cutting: Cutting | None


# --- declared ------------------------------------------------------------------------------------------------------


def test_a_setting_is_a_field_with_a_default() -> None:
    assert Cutting() == Cutting("13a", None, 3, 2.0, True, 0)
    assert list(settings_of(Cutting)) == ["tokenize", "worst", "digits", "log_base", "cache"]
    known = settings_of(Cutting)["tokenize"]
    assert known == Setting("how text is cut", "13a", str, ("13a", "none", "zh"), metavar="NAME", short=("-tok",))


def test_the_kind_is_that_of_the_default_unless_it_is_given() -> None:
    kinds = {name: known.kind for name, known in settings_of(Cutting).items()}
    assert kinds == {"tokenize": str, "worst": int, "digits": int, "log_base": float, "cache": bool}

    @dataclass
    class Unknown:
        label: str | None = setting(None, "a label")

    assert settings_of(Unknown)["label"].kind is str


def test_the_settings_of_options_are_in_their_annotations() -> None:
    assert list(settings_of(Options)) == ["tokenize"]
    assert settings_of(Options)["tokenize"].choices == ("13a", "none")


def test_a_class_has_the_settings_that_it_inherits() -> None:
    @dataclass(frozen=True)
    class More(Cutting):
        seed: int = setting(0, "random seed")

    assert list(settings_of(More)) == [*settings_of(Cutting), "seed"]


# --- checked -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "argument", "option"),
    [
        (
            {"tokenize": "nome"},
            "unknown value of tokenize: 'nome'; did you mean 'none'? (valid: 13a, none, zh)",
            "unknown value of --tokenize: 'nome'; did you mean 'none'? (valid: 13a, none, zh)",
        ),
        ({"worst": 0}, "worst must be 1 or more, not 0", "--worst must be 1 or more, not 0"),
        ({"digits": -1}, "digits must be from 0 to 15, not -1", "--digits must be from 0 to 15, not -1"),
        ({"digits": 1600}, "digits must be at most 15, not 1,600", "--digits must be at most 15, not 1,600"),
    ],
)
def test_a_value_outside_the_declaration_is_refused(values: dict[str, Any], argument: str, option: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_settings(Cutting(**values))
    assert str(caught.value) == argument
    assert caught.value.spelled(spell_option) == option


@pytest.mark.parametrize("values", [{}, {"worst": 1}, {"digits": 0}, {"digits": 15}, {"tokenize": "zh"}, {"plain": -1}])
def test_values_inside_the_declaration_are_taken(values: dict[str, Any]) -> None:
    check_settings(Cutting(**values))


# --- old names -----------------------------------------------------------------------------------------------------


def test_the_present_name_depends_on_what_is_known() -> None:
    assert current_name("format", ["parse_format"]) == "parse_format"
    assert current_name("format", ["align_format", "parse_format"]) == "align_format"
    assert current_name("format", ["format", "parse_format"]) == "format"
    assert current_name("stages", ["tokenize"]) == "stages"
    assert current_name("anything", ["tokenize"]) == "anything"


def test_no_name_is_old_and_new_for_the_same_setting() -> None:
    for old, names in OLD_NAMES.items():
        assert names
        assert old not in names


def test_an_old_name_is_taken_with_a_warning_where_it_is_used() -> None:
    with pytest.warns(DeprecationWarning, match=r"^tokenizer is now called tokenize$") as told:
        cut = Cutting(tokenizer="zh")  # type: ignore[call-arg]
    assert cut == Cutting(tokenize="zh")
    assert [one.filename for one in told] == [__file__]
    with pytest.warns(DeprecationWarning, match="base is now called log_base"):
        assert Cutting(base=10.0).log_base == 10.0  # type: ignore[call-arg]


def test_present_names_are_taken_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Cutting("none", log_base=10.0) == Cutting(tokenize="none", log_base=10.0)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("names", [("tokenizer", "tokenize"), ("tokenize", "tokenizer")])
def test_an_old_name_beside_the_new_one_is_an_error(names: tuple[str, str]) -> None:
    with pytest.raises(UsageError, match=f"^{names[0]} and {names[1]} are the same setting; give only one of them$"):
        rename_old(dict.fromkeys(names, "zh"), ["tokenize"])
    with pytest.raises(UsageError, match="are the same setting; give only one of them"):
        Cutting(**dict.fromkeys(names, "zh"))  # type: ignore[arg-type]


def test_a_name_that_never_was_is_an_error() -> None:
    with pytest.raises(TypeError, match="tokens"):
        Cutting(tokens="zh")  # type: ignore[call-arg]


# --- options of functions ------------------------------------------------------------------------------------------


@accepts_options(Options)
def cut(hyp: str, *, worst: int = 10, **options: Unpack[Options]) -> dict[str, Any]:
    """Return what arrived."""
    return {"hyp": hyp, "worst": worst, **options}


@accepts_options(Options, passed_to=cut)
def cut_often(hyp: str, *, times: int = 1, **options: Any) -> list[dict[str, Any]]:
    """Hand everything on."""
    return [cut(hyp, **options)] * times


def test_options_are_passed_on() -> None:
    assert cut("a", tokenize="none") == {"hyp": "a", "worst": 10, "tokenize": "none"}
    assert cut_often("a", times=2, worst=3, tokenize="none") == [{"hyp": "a", "worst": 3, "tokenize": "none"}] * 2


@pytest.mark.parametrize(
    ("call", "known"), [(cut, "hyp, worst, tokenize, cutting"), (cut_often, "hyp, times, worst, tokenize, cutting")]
)
def test_an_unknown_argument_is_answered_with_those_that_are_known(call: Any, known: str) -> None:
    with pytest.raises(UsageError) as caught:
        call("a", tokenise="none")
    assert str(caught.value) == f"unknown argument 'tokenise'; did you mean 'tokenize'? (valid: {known})"


@pytest.mark.parametrize("call", [cut, lambda *args, **given: cut_often(*args, **given)[0]])
def test_old_names_of_arguments_work_with_a_warning(call: Any) -> None:
    with pytest.warns(DeprecationWarning, match="hypotheses is now called hyp"):
        assert call(hypotheses="a") == {"hyp": "a", "worst": 10}
    with pytest.warns(DeprecationWarning, match="tokenizer is now called tokenize"):
        assert call("a", tokenizer="none") == {"hyp": "a", "worst": 10, "tokenize": "none"}
    with pytest.warns(DeprecationWarning, match="count is now called worst"):
        assert call("a", count=3) == {"hyp": "a", "worst": 3}


def test_the_warning_names_the_line_of_the_call() -> None:
    with pytest.warns(DeprecationWarning, match="tokenizer") as told:
        cut("a", tokenizer="none")  # type: ignore[call-arg]
    assert [one.filename for one in told] == [__file__]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_old_argument_beside_the_new_one_is_an_error() -> None:
    with pytest.raises(UsageError, match="tokenizer and tokenize are the same setting; give only one of them"):
        cut("a", tokenizer="none", tokenize="none")  # type: ignore[call-arg]


# --- mentioned -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "argument", "option"),
    [
        ("tokenize", "zh", "tokenize='zh'", "--tokenize zh"),
        ("ref_align", None, "ref_align", "--ref-align"),
        ("join_subwords", True, "join_subwords=True", "--join-subwords"),
        ("cache", False, "cache=False", "--no-cache"),
        ("base", 0, "base=0", "--base 0"),
        ("expected", 50, "expected=50", "--expected 50"),
        ("match", "exact+stem", "match='exact+stem'", "--match exact+stem"),
    ],
)
def test_a_setting_is_spelled_as_the_caller_does(name: str, value: object, argument: str, option: str) -> None:
    for kind in (UsageError, InputError, WordorderError, InputWarning):
        message = kind(f"here {mention(name, value)} helps")
        assert str(message) == f"here {argument} helps"
        assert message.spelled(spell_argument) == str(message)
        assert message.spelled(spell_option) == f"here {option} helps"


def test_several_settings_in_a_message_beside_characters_of_control() -> None:
    message = InputError(f"{mention('order', 'source')}: '\x1b[31m' needs {mention('source')}", path="a", line=2)
    assert str(message) == r"a:2: order='source': '\x1b[31m' needs source"
    assert message.spelled(spell_option) == r"a:2: --order source: '\x1b[31m' needs --source"
