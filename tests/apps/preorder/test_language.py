"""The language of rule files: what it can say, that it says it back, and every mistake with its line."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
import slow_preordering as slow
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.apps.preorder import BUILT_IN, RuleSet, format_rules, load_rules
from wordorder.apps.preorder import parse_rules as parse
from wordorder.apps.preorder.language import (
    HEAD,
    LABELS,
    Element,
    HeadSide,
    Rule,
    WordPattern,
    built_in,
    can_be_named,
    write_rules,
)
from wordorder.core.runtime.errors import InputError, UsageError, WordorderError
from wordorder.formats.conllu import TAGS

OTHERS = Element(WordPattern())


def elements(text: str) -> tuple[Element, ...]:
    """The places of a rule for any head; the others and HEAD follow unless they are there."""
    (rule,) = parse(f"ANY -> {text}", name="x")
    return rule.elements


# --- what it can say -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("VERB", WordPattern(tags=("VERB",))),
        ("VERB|AUX", WordPattern(tags=("VERB", "AUX"))),
        ("VERB | AUX", WordPattern(tags=("VERB", "AUX"))),
        ("ANY", WordPattern()),
        ("VERB|ANY", WordPattern()),
        ("ANY(conj)", WordPattern(labels=("conj",))),
        ("NOUN(conj appos)", WordPattern(labels=("conj", "appos"), tags=("NOUN",))),
        ("NOUN(conj|appos)", WordPattern(labels=("conj", "appos"), tags=("NOUN",))),
        ('AUX (root "Is" "are")', WordPattern(labels=("root",), tags=("AUX",), forms=("is", "are"))),
        ('PUNCT("," "#" ")" "->")', WordPattern(tags=("PUNCT",), forms=(",", "#", ")", "->"))),
        ("NOUN(nmod:poss)", WordPattern(labels=("nmod:poss",), tags=("NOUN",))),
    ],
)
def test_heads(text: str, expected: WordPattern) -> None:
    (rule,) = parse(f"{text} -> HEAD, [other children]", name="x")
    assert rule == Rule(expected, (HEAD, OTHERS), 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nsubj", Element(WordPattern(("nsubj",)))),
        ("nsubj:pass", Element(WordPattern(("nsubj:pass",)))),
        ("nsubj|obj | iobj", Element(WordPattern(("nsubj", "obj", "iobj")))),
        ("nsubj<", Element(WordPattern(("nsubj",)), HeadSide.BEFORE)),
        ("nsubj > reversed", Element(WordPattern(("nsubj",)), HeadSide.AFTER, reversed=True)),
        ("obl reversed", Element(WordPattern(("obl",)), reversed=True)),
        ("obl(NOUN PRON)", Element(WordPattern(("obl",), ("NOUN", "PRON")))),
        ('advmod("not" "N\'T")', Element(WordPattern(("advmod",), (), ("not", "n't")))),
        (
            'advmod ( ADV|PART "#," )> reversed',
            Element(WordPattern(("advmod",), ("ADV", "PART"), ("#,",)), HeadSide.AFTER, reversed=True),
        ),
        ("[other children](NOUN)<", Element(WordPattern((), ("NOUN",)), HeadSide.BEFORE)),
        ("[ other children ]>", Element(WordPattern(), HeadSide.AFTER)),
    ],
)
def test_places(text: str, expected: Element) -> None:
    assert elements(f"{text}, HEAD, [other children]") == (expected, HEAD, OTHERS)


def test_others_may_stand_on_both_sides_alone() -> None:
    before, after = Element(WordPattern(), HeadSide.BEFORE), Element(WordPattern(), HeadSide.AFTER)
    assert elements("[other children]<, HEAD, [other children]>") == (before, HEAD, after)
    assert elements("[other children]<, HEAD, [other children]") == (before, HEAD, OTHERS)


def test_comments_blanks_and_lines_that_go_on() -> None:
    text = (
        "# a comment\n\n"
        "VERB -> nsubj,   # the subject\n"
        "\t# said in between\n"
        "\n"
        '    advmod("#"), # a 5" disk, said "so\n'
        "  HEAD, [other children]\r\n"
        "ANY -> HEAD, [other children]"
    )
    first, second = parse(text, name="x")
    assert first == Rule(
        WordPattern(tags=("VERB",)),
        (Element(WordPattern(("nsubj",))), Element(WordPattern(("advmod",), (), ("#",))), HEAD, OTHERS),
        3,
    )
    assert second == Rule(WordPattern(), (HEAD, OTHERS), 8)


def test_labels_and_tags_are_declared() -> None:
    text = "labels dobj prep # old\ntags VBN\n  VBG\nlabels NP/VP\n"
    rules = parse(f"{text}VBN|VBG(prep) -> dobj:x, NP/VP<, HEAD, [other children]", name="x")
    assert rules.labels == ("dobj", "prep", "NP/VP")
    assert rules.tags == ("VBN", "VBG")
    assert rules.rules[0].line == 5
    assert rules.rules[0].elements[0] == Element(WordPattern(("dobj:x",)))


def test_every_universal_label_and_tag_is_known() -> None:
    assert len(set(LABELS)) == 37
    assert len(set(TAGS)) == 17
    rules = parse(f"{'|'.join(TAGS)}({' '.join(LABELS)}) -> {'|'.join(LABELS)}, HEAD, [other children]", name="x")
    assert rules.rules[0].head.tags == TAGS


# --- that it says it back ------------------------------------------------------------------------------------------

names = st.text("abcXYZ:/'`.-$*=&+äß日", min_size=1, max_size=6).filter(can_be_named)
forms = st.text(st.characters(exclude_characters='"\n\r', exclude_categories=["Cs"]), min_size=1, max_size=5).map(
    str.lower
)


@st.composite
def declared_rules(draw: st.DrawFn) -> RuleSet:
    """Rules over labels, tags and words of any kind."""
    labels, tags = (tuple(draw(st.lists(names, min_size=1, max_size=3, unique=True))) for _ in range(2))

    def pattern(*, one: bool) -> WordPattern:
        some = st.lists(st.sampled_from(labels), min_size=one, max_size=2, unique=True)
        kinds = st.lists(st.sampled_from(tags), max_size=2, unique=True)
        return WordPattern(tuple(draw(some)), tuple(draw(kinds)), tuple(draw(st.lists(forms, max_size=2))))

    rules = []
    for line in range(draw(st.integers(1, 3))):
        places = [HEAD, Element(WordPattern(), draw(st.sampled_from(HeadSide)), draw(st.booleans()))]
        if places[1].side is not HeadSide.ANY:
            places.append(Element(WordPattern(), HeadSide.ANY, draw(st.booleans())))
        places += [
            Element(pattern(one=False), draw(st.sampled_from(HeadSide)), draw(st.booleans()))
            for _ in range(draw(st.integers(0, 3)))
        ]
        unique = {(place.pattern, place.side): place for place in places}.values()
        rules.append(Rule(pattern(one=False), tuple(draw(st.permutations(list(unique)))), line))
    return RuleSet("made", tuple(rules), labels, tags)


def without_lines(rules: RuleSet) -> RuleSet:
    return replace(rules, rules=tuple(replace(rule, line=0) for rule in rules))


@given(declared_rules() | slow.rule_sets().filter(len))
def test_rules_that_are_written_are_read_as_they_were(rules: RuleSet) -> None:
    text = format_rules(rules, comments=["one", "", 'said "so'])
    found = parse(text, name=rules.name)
    assert without_lines(found) == without_lines(rules)
    assert format_rules(found) == text.partition('said "so\n')[2]


@pytest.mark.parametrize("name", BUILT_IN)
def test_sets_that_come_along_read_as_they_are_written(name: str, tmp_path: Path) -> None:
    rules = load_rules(name)
    assert rules.name == name
    write_rules(tmp_path / "copy.rules", rules, comments=["a copy"])
    found = load_rules(tmp_path / "copy.rules")
    assert found.name == "copy"
    assert without_lines(replace(found, name=name)) == without_lines(rules)
    assert built_in(name).startswith("# ")


@pytest.mark.parametrize("name", ["nsubj", "NP/VP", "-LRB-", "''", "``", "PRP$", ":", ".", "_", "$", "-", "reversed"])
def test_odd_names_can_be_named(name: str) -> None:
    assert can_be_named(name)
    rules = RuleSet(
        "odd",
        (
            Rule(
                WordPattern((name,), (name,)),
                (
                    Element(WordPattern((name,)), HeadSide.AFTER),
                    Element(WordPattern((name,)), reversed=True),
                    HEAD,
                    Element(WordPattern((name,), (name,)), HeadSide.BEFORE, reversed=True),
                    OTHERS,
                ),
            ),
        ),
        (name,),
        (name,),
    )
    assert without_lines(parse(format_rules(rules), name="odd")) == rules


@pytest.mark.parametrize("name", ["", ",", "a b", "a|b", "(", "[", '"', "a#", "<", "a->b", "HEAD", "ANY", "\u00a0"])
def test_what_cannot_be_named(name: str) -> None:
    assert not can_be_named(name)


# --- mistakes ------------------------------------------------------------------------------------------------------

FINE = "ANY -> HEAD, [other children]\n"

MISTAKES = {
    "unknown label": ("VERB -> nsbj, HEAD, [other children]", 2, r"unknown label 'nsbj'; did you mean 'nsubj'\?"),
    "unknown subtype": ("VERB -> nsbj:pass, HEAD, [other children]", 2, "unknown label 'nsbj:pass'"),
    "label of a head": ("VERB(cnj) -> HEAD, [other children]", 2, "unknown label 'cnj'; did you mean 'conj'"),
    "unknown tag": ("VREB -> HEAD, [other children]", 2, r"unknown tag 'VREB'; did you mean 'VERB'\?"),
    "tag of a child": ("VERB -> obl(NUON), HEAD, [other children]", 2, "unknown tag 'NUON'; did you mean 'NOUN'"),
    "a tag where a label is": ("VERB -> NOUN, HEAD, [other children]", 2, "unknown label 'NOUN'"),
    "how to declare": ("VBZ -> HEAD, [other children]", 2, "declared in a line 'tags VBZ'"),
    "declared too late": ("VBZ -> HEAD, [other children]\ntags VBZ", 2, "unknown tag 'VBZ'"),
    "no head": ("VERB -> nsubj, [other children]", 2, "HEAD occurs 0 times in the rule; expected exactly once"),
    "two heads": ("VERB -> HEAD, [other children], HEAD", 2, "HEAD occurs 2 times"),
    "head with a side": ("VERB -> HEAD<, [other children]", 2, "HEAD"),
    "no others": (
        "VERB -> nsubj, HEAD",
        2,
        r"no position for children that it does not list; add '\[other children\]'",
    ),
    "others on one side": ("VERB -> [other children]<, HEAD", 2, "no position for children that it does not list"),
    "others with a tag": ("VERB -> [other children](NOUN), HEAD", 2, "no position for children that it does not list"),
    "an element twice": ("VERB -> obj, HEAD, [other children], obj", 2, "'obj' occurs twice in the rule"),
    "twice, once turned": ("VERB -> obj, HEAD, [other children], obj reversed", 2, "'obj reversed' occurs twice"),
    "others twice": ("VERB -> [other children], HEAD, [other children]", 2, r"'\[other children\]' occurs twice"),
    "open parenthesis": ("VERB -> obl(NOUN, HEAD, [other children]", 2, r"found 'obl\(NOUN'"),
    "closed parenthesis": ("VERB -> obl NOUN), HEAD, [other children]", 2, r"found 'obl NOUN\)'"),
    "open parenthesis of a head": ("VERB(conj -> HEAD, [other children]", 2, r"found 'VERB\(conj'"),
    "open quotation": ('VERB -> advmod("not), HEAD, [other children]', 2, "found 'advmod"),
    "no conditions": (
        "VERB -> obl(), HEAD, [other children]",
        2,
        "expected names or quoted words in parentheses, found ''",
    ),
    "only a bar": (
        "VERB -> obl(|), HEAD, [other children]",
        2,
        r"expected names or quoted words in parentheses, found '\|'",
    ),
    "no word": ('VERB -> obl(""), HEAD, [other children]', 2, "expected names or quoted words in parentheses"),
    "two labels": ("VERB -> obl obj, HEAD, [other children]", 2, "expected a label like 'nsubj'.*found 'obl obj'"),
    "both sides": ("VERB -> obl<>, HEAD, [other children]", 2, "found 'obl<>'"),
    "an empty place": ("VERB -> obl,, HEAD, [other children]", 2, "expected a label like 'nsubj'.*found ''"),
    "nothing to order": ("VERB ->", 2, "expected a label"),
    "no tags": ("-> HEAD, [other children]", 2, "expected head tags like 'VERB|AUX' or 'ANY', found ''"),
    "two tags": ("VERB AUX -> HEAD, [other children]", 2, "expected head tags.*found 'VERB AUX'"),
    "misspelt others": ("VERB -> HEAD, [others]", 2, r"found '\[others\]'"),
    "no arrow": ("VERB: HEAD, [other children]", 2, r"expected a rule like 'VERB -> \[other children\], HEAD'"),
    "labels alone": ("labels", 2, "expected a rule like"),
    "in a line that goes on": ("VERB -> HEAD,\n # so\n  nsbj, [other children]", 4, "unknown label 'nsbj'"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_have_their_line(case: str) -> None:
    text, line, message = MISTAKES[case]
    with pytest.raises(InputError, match=message) as caught:
        parse(FINE + text, name="x", path="my.rules")
    assert str(caught.value).startswith(f"my.rules:{line}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "labels dobj\n"])
def test_a_file_without_rules(text: str) -> None:
    with pytest.raises(InputError, match=r"my\.rules:1: no rules found; expected a rule like 'VERB -> "):
        parse(text, name="x", path="my.rules")


def test_a_line_that_goes_on_from_nowhere() -> None:
    with pytest.raises(
        InputError, match=r"my\.rules:2: an indented line continues the rule above it, but there is no rule"
    ):
        parse("# so\n  VERB -> HEAD, [other children]", name="x", path="my.rules")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no rule set or file named 'r6'; the built-in rule sets are r1, r2, .*"):
        load_rules("r6")
    with pytest.raises(UsageError, match="no rule set or file"):
        load_rules(tmp_path)
    (tmp_path / "latin.rules").write_bytes(FINE.encode() + 'ANY("sp\xe4t") -> HEAD'.encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.rules:2: .*UTF-8"):
        load_rules(tmp_path / "latin.rules")


def test_a_byte_order_mark_and_crlf_are_tolerated(tmp_path: Path) -> None:
    (tmp_path / "dos.rules").write_bytes(b"\xef\xbb\xbf# one\r\nVERB -> nsubj,\r\n  HEAD,\r\n  [other children]\r\n")
    (rule,) = load_rules(tmp_path / "dos.rules")
    assert rule == Rule(WordPattern(tags=("VERB",)), (Element(WordPattern(("nsubj",))), HEAD, OTHERS), 2)


pieces = st.sampled_from(
    [
        *("VERB", "ANY", "HEAD", "nsubj", "[other children]", "->", ",", "|", "(", ")", "<", ">", "reversed", '"'),
        *("labels", "tags", "#", "\n", "\n ", " ", ":", "\u2028", "\r"),
    ]
)


@settings(max_examples=300)
@given(st.lists(pieces, max_size=25).map("".join) | st.lists(pieces, max_size=25).map(" ".join) | st.text())
def test_any_text_gives_rules_or_one_clear_line(text: str) -> None:
    complaint = ""
    try:
        rules = parse(text, name="x", path="p")
    except WordorderError as error:
        complaint = str(error)
    if complaint:
        assert complaint.startswith("p:")
        assert len(complaint.splitlines()) == 1
    else:
        assert without_lines(parse(format_rules(rules), name="x")) == without_lines(rules)


def test_long_lines_do_not_take_forever() -> None:
    many = ", ".join(f'advmod("w{number}")' for number in range(800))
    (rule,) = parse(f"ANY -> {many}, HEAD, [other children] # {'#' * 20000}", name="x")
    assert len(rule.elements) == 802


@pytest.mark.parametrize(
    "between", ["nsubj{}?", "[ other children ]{}x", 'nsubj{}("a"){}<{}x', "[{}other children{}x]"]
)
def test_whitespace_does_not_take_forever(between: str) -> None:
    """A hundred thousand blanks: patterns that share them out among themselves would not come back."""
    for text in ("ANY -> " + between + ", HEAD", between + " -> HEAD, [other children]"):
        with pytest.raises(InputError, match="expected"):
            parse(text.replace("{}", " " * 100_000), name="x")
    (rule,) = parse("ANY -> nsubj" + " " * 100_000 + '("a  b"), HEAD, [other children]', name="x")
    assert rule.elements[0].pattern is not None
    assert rule.elements[0].pattern.forms == ("a  b",)


def test_a_rule_behind_the_one_for_any_head_is_refused_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "late.rules"
    for first, second in (
        ("ANY", "VERB"),
        ("NOUN|VERB", "VERB"),
        ("NOUN|VERB", "VERB(root)"),
        ('X("a" "b")', 'X("b")'),
    ):
        path.write_text(f"{first} -> [other children], HEAD\n\n{second} -> HEAD, [other children]\n")
        message = f"late.rules:3: the rule can never apply; it follows the rule for {re.escape(first)} in line 1"
        with pytest.raises(InputError, match=message):
            load_rules(path)
    for first, second in (("VERB", "ANY"), ("VERB", "NOUN|VERB"), ("VERB(root)", "VERB"), ('X("b")', "X")):
        path.write_text(f"{first} -> [other children], HEAD\n\n{second} -> HEAD, [other children]\n")
        assert len(load_rules(path)) == 2


def test_a_side_may_stand_before_the_conditions() -> None:
    one, other = (
        parse(f"VERB -> {place}, [other children], HEAD", name="x") for place in ('punct>(".")', 'punct(".")>')
    )
    assert one == other
