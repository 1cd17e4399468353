"""Specs: every metric reads back from what it prints, and a wrong spec says what would have been right."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.runtime.errors import UsageError, WordorderError
from wordorder.metrics import METRICS, Metric, Need, choose_metrics, metric
from wordorder.metrics.base import Array, Batch, MeanMetric, OrderMetric, options_of, parameter
from wordorder.metrics.combined import LRKB4
from wordorder.metrics.dependency import FRAGMENTS
from wordorder.metrics.flat import Fuzzy, Hamming
from wordorder.metrics.hierarchical import PEF, PET
from wordorder.metrics.lexical import TextMetric

ORDER = frozenset({Need.ORDER})


def values_of(field: dataclasses.Field[Any]) -> st.SearchStrategy[Any]:
    """Draw a value of a parameter from its declared kind and range."""
    if options := options_of(field):
        return st.sampled_from(options)
    if isinstance(field.default, bool):
        return st.booleans()
    if isinstance(field.default, float):
        return st.floats(field.metadata["low"], field.metadata["high"], allow_infinity=False)
    if field.metadata.get("values") == "a name":
        return st.from_regex(r"[A-Za-z][\w.+-]*", fullmatch=True)
    if field.metadata.get("values") == "a file":
        return st.just("")
    if field.metadata.get("key") == "parts":
        return st.sets(st.sampled_from(FRAGMENTS), min_size=1).map("+".join)
    if field.default is None:
        return st.none() | st.floats(field.metadata["low"], field.metadata["high"])
    if isinstance(field.default, int):
        return st.integers(int(field.metadata["low"]), field.metadata["high"])
    assert isinstance(field.default, Metric)
    family = OrderMetric if isinstance(field.default, OrderMetric) else TextMetric
    fitting = sorted(name for name, kind in METRICS.items() if issubclass(kind, family))
    return st.sampled_from(fitting).flatmap(lambda name: settings_of(METRICS[name]))


def settings_of(kind: type[Metric]) -> st.SearchStrategy[Metric]:
    """Draw a metric of a kind; combinations it refuses are drawn again."""
    fields = {field.name: values_of(field) for field in dataclasses.fields(kind)}
    settings = st.fixed_dictionaries({}, optional=fields)

    def build(given: dict[str, Any]) -> Metric | None:
        try:
            return kind(**given)
        except UsageError:
            return None

    return settings.map(build).filter(lambda made: made is not None)  # type: ignore[return-value]


@pytest.mark.parametrize("name", METRICS)
@given(data=st.data())
def test_every_metric_reads_back_from_what_it_prints(name: str, data: st.DataObject) -> None:
    made = data.draw(settings_of(METRICS[name]))
    spec = str(made)
    again = metric(spec)
    assert again == made
    assert str(again) == spec
    assert spec.split(":")[0] == made.name == name
    assert not set(spec) & set(" ,'\"$&|;<>()*?[]{}!#~`\\\n")  # shell-safe


@pytest.mark.parametrize(
    ("spec", "printed"),
    [
        ("kendall", "kendall"),
        (" pef ", "pef"),
        ("pef:beta=.6", "pef"),
        ("pef:gamma=0:beta=0.50", "pef:beta=0.5"),
        ("pef:beta=1", "pef:beta=1.0"),
        ("pef:operator=kendall-sqrt", "pef:operator=kendall-sqrt"),
        ("pef:weights=size:beta=0.25", "pef:beta=0.25:weights=size"),
        ("fuzzy:boundaries=false", "fuzzy"),
        ("fuzzy:boundaries=true", "fuzzy:boundaries=true"),
        ("pet:branching=right", "pet:branching=right"),
    ],
)
def test_one_metric_has_one_printed_form(spec: str, printed: str) -> None:
    assert str(metric(spec)) == printed


def test_whole_numbers_print_like_the_same_number_with_a_point() -> None:
    assert str(PEF(beta=1)) == str(PEF(beta=1.0)) == str(metric("pef:beta=1"))
    assert str(LRKB4(dk=1)) == str(metric("lr-kb4:dk=1"))


def test_metrics_are_values() -> None:
    assert metric("fuzzy:boundaries=true") == Fuzzy(boundaries=True)
    assert len({metric("pef"), PEF(), PEF(beta=0.6), PEF(beta=0.5)}) == 2
    assert PEF() != PET()  # type: ignore[comparison-overlap]
    with pytest.raises(dataclasses.FrozenInstanceError):
        PEF().beta = 0.5  # type: ignore[misc]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("kendal", "unknown metric 'kendal'; did you mean 'kendall'? ('wordorder metrics' lists them)"),
        ("pfe", "unknown metric 'pfe'; did you mean 'pef'? ('wordorder metrics' lists them)"),
        ("", "unknown metric '' ('wordorder metrics' lists them)"),
        (
            "pef:betta=1",
            "unknown parameter of pef 'betta'; did you mean 'beta'? "
            "(valid: beta, gamma, four, longer, operator, weights)",
        ),
        ("kendall:beta=1", "unknown parameter of kendall 'beta' (none are available)"),
        ("pef:beta.x=1", "metric 'pef:beta.x=1': beta is not a metric and has no settings of its own"),
        ("pef:beta", "metric 'pef:beta': expected key=value, found 'beta'"),
        ("pef:beta=", "metric 'pef:beta=': expected key=value, found 'beta='"),
        ("pef:", "metric 'pef:': expected key=value, found ''"),
        ("pef:beta=1:beta=0", "metric 'pef:beta=1:beta=0': beta is set twice; set it only once"),
        ("pef:beta=much", "pef: beta must be a number, not 'much'"),
        ("pef:beta=2", "pef: beta must be 0 to 1, not 2.0"),
        ("pef:beta=-0.1", "pef: beta must be 0 to 1, not -0.1"),
        ("pef:beta=nan", "pef: beta must be 0 to 1, not nan"),
        ("fuzzy:boundaries=yes", "fuzzy: boundaries must be true or false, not 'yes'"),
        (
            "pef:operator=pef",
            "unknown operator of pef 'pef' (valid: monotone, kendall, kendall-sqrt, hamming, spearman, ulam, fuzzy)",
        ),
        ("pet:branching=up", "unknown branching of pet 'up' (valid: left, right)"),
        ("pef:weights=words", "unknown weights of pef 'words' (valid: equal, size)"),
        ("pef:gamma=0.1:operator=kendall", "pef: gamma has no effect with operator=kendall; leave one of them out"),
        ("pef:weights=size:gamma=0.1", "pef: gamma has no effect with weights=size; leave it out"),
        ("pet:four=0.1:operator=kendall", "pet: four has no effect with operator=kendall; leave one of them out"),
        ("pef:weights=size:operator=fuzzy", "pef: operator has no effect with weights=size; leave it out"),
        (
            "pef:weights=size:beta=0",
            "pef: weights=size needs a beta above 0; with beta=0, all orders have the same score",
        ),
    ],
)
def test_wrong_specs_say_what_is_right(spec: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        metric(spec)
    assert str(caught.value) == message


@given(
    st.lists(
        st.sampled_from([*METRICS, ":", "=", ".", ",", "beta", "gamma", "operator", "0.5", "-1", "true", "nan", " "])
        | st.text(max_size=3),
        max_size=8,
    ).map("".join)
)
def test_any_text_is_a_metric_or_a_clear_error(spec: str) -> None:
    for read in (metric, lambda text: choose_metrics(text, available=ORDER)):
        message = "none"
        try:
            read(spec)
        except WordorderError as error:
            message = str(error)
        assert len(message.splitlines()) == 1


# --- metrics with parts -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Joined(MeanMetric):
    """A toy metric with two parts, one of them with a part of its own kind possible."""

    name: ClassVar[str] = "joined"
    formula: ClassVar[str] = ""
    paper: ClassVar[str] = ""
    needs: ClassVar[frozenset[Need]] = ORDER

    order: Metric = parameter(PEF(), "the order")
    other: Metric = parameter(Hamming(), "another")
    alpha: float = parameter(0.5, "weight", low=0, high=1)

    def statistics(self, batch: Batch) -> Array:
        raise NotImplementedError


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS._kinds, "joined", Joined)


@pytest.mark.usefixtures("joined")
@pytest.mark.parametrize(
    ("spec", "made"),
    [
        ("joined", Joined()),
        ("joined:order.beta=0.5", Joined(order=PEF(beta=0.5))),
        ("joined:order=pet:order.branching=right:alpha=0.25", Joined(order=PET(branching="right"), alpha=0.25)),
        ("joined:order=fuzzy:order.boundaries=true:other=pef", Joined(order=Fuzzy(boundaries=True), other=PEF())),
        (
            "joined:order=joined:order.order.beta=0.25:order.alpha=0.75:alpha=0.25",
            Joined(order=Joined(order=PEF(beta=0.25), alpha=0.75), alpha=0.25),
        ),
    ],
)
def test_parts_are_dotted(spec: str, made: Metric) -> None:
    assert metric(spec) == made
    assert str(made) == spec
    assert metric(str(made)) == made


@pytest.mark.usefixtures("joined")
def test_wrong_parts_say_what_is_right() -> None:
    with pytest.raises(UsageError, match=r"unknown metric for order of joined 'hammin'; did you mean 'hamming'\?"):
        metric("joined:order=hammin")
    with pytest.raises(UsageError, match=r"unknown parameter of kendall 'beta'"):
        metric("joined:order=kendall:order.beta=0.5")


# --- lists of metrics ---------------------------------------------------------------------------------------------


def test_lists_and_groups() -> None:
    names = [str(found) for found in choose_metrics("order", available=ORDER)]
    assert names == [name for name, kind in METRICS.items() if kind.needs == ORDER]
    assert [str(found) for found in choose_metrics("all", available=ORDER)] == names
    chosen = choose_metrics("pef:beta=0.6, hamming,pef,kendall", available=ORDER)
    assert [str(found) for found in chosen] == ["pef", "hamming", "kendall"]  # each once, in the order asked for
    with pytest.raises(UsageError, match="no metric was given"):
        choose_metrics("all", available=frozenset())


def test_lists_that_cannot_be() -> None:
    with pytest.raises(UsageError, match=r"a metric must be a spec such as 'pef:beta=0\.5', not None"):
        metric(None)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="a metric name is empty"):
        choose_metrics("pef,,kendall", available=ORDER)
    with pytest.raises(UsageError, match="metric pef needs word orders, which this input does not include"):
        choose_metrics("pef", available=frozenset({Need.TEXT}))


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_explains_itself(name: str) -> None:
    kind = METRICS[name]
    assert kind.name == name
    assert kind.formula
    assert kind.paper
    assert kind.needs
    assert kind().columns
    assert all(field.metadata["doc"] for field in dataclasses.fields(kind))
