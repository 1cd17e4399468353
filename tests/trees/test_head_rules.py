"""Head rules against a literal search, and what they say about some phrases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.runtime.errors import UsageError
from wordorder.trees import ConstituencyTree, ConstituencyTrees, HeadRules
from wordorder.trees.heads import PUNCTUATION

TOY = HeadRules({"A": ("right: x y", "left: A z"), "B": ("left: y", "right: B A")})
labels = st.sampled_from(["A", "B", "x", "y", "z", ",", "."])


def search(category: str, children: list[str]) -> int:
    """Look step by step, as the rules say."""
    side = "left:"
    for step in TOY.table.get(category, ()):
        side, *wanted = step.split()
        places = range(len(children)) if side == "left:" else range(len(children) - 1, -1, -1)
        for place in places:
            if children[place] in wanted:
                return place
    places = range(len(children)) if side == "left:" else range(len(children) - 1, -1, -1)
    for place in places:
        if children[place] not in PUNCTUATION:
            return place
    return places[0]


@given(st.sampled_from("ABC"), st.lists(labels, min_size=1, max_size=6))
def test_the_head_is_found_as_the_rules_say(category: str, children: list[str]) -> None:
    tree = ConstituencyTrees.of([f"({category} {' '.join(f'({child} w)' for child in children)})"])
    assert TOY.head_children(tree)[0] == search(category, children) + 1


def head_word(rules: HeadRules, text: str) -> str:
    tree = ConstituencyTree.parse(text)
    heads = rules.head_children(tree.column()).tolist()
    node = 0
    while heads[node] >= 0:
        node = heads[node]
    leaves = [place for place in range(len(heads)) if heads[place] < 0]
    return tree.words[leaves.index(node)]


@pytest.mark.parametrize(
    ("text", "with_changes", "without"),
    [
        ("(NP (DT the) (JJ old) (NN cat))", "cat", "cat"),
        ("(NP (NP (NN king)) (PP (IN of) (NP (NNP France))))", "king", "king"),
        ("(S (NP (PRP she)) (VP (VBZ sings)) (. .))", "sings", "sings"),
        ("(PP (IN in) (NP (DT the) (NN house)))", "house", "in"),
        ("(PP (IN because) (PP (IN of) (NP (NN rain))))", "rain", "because"),
        ("(SBAR (IN that) (S (NP (PRP she)) (VP (VBZ sings))))", "sings", "that"),
        ("(SBAR (WHNP (WP who)) (S (VP (VBZ sings))))", "sings", "who"),
        ("(VP (MD can) (RB not) (VP (VB sing)))", "sing", "can"),
        ("(VP (TO to) (VP (VB sing)))", "sing", "to"),
        ("(VP (VBZ is) (ADJP (JJ glad)))", "is", "is"),
        ("(SQ (VBD did) (NP (PRP she)) (VP (VB sing)))", "sing", "did"),
        ("(VP (VP (VBZ sings)) (CC and) (VP (VBZ dances)))", "sings", "sings"),
        ("(ADJP (RB very) (JJ glad))", "glad", "glad"),
        ("(ROOT (FRAG (. .) (NP (NN rain))))", "rain", "rain"),
        ("(XYZ (, ,) (UH oh) (, ,))", "oh", "oh"),
    ],
)
def test_english_phrases(text: str, with_changes: str, without: str) -> None:
    plain = HeadRules.english(nominal_prepositions=False, verbal_complementisers=False, auxiliary_modifiers=False)
    assert head_word(HeadRules.english(), text) == with_changes
    assert head_word(plain, text) == without


def test_each_change_has_its_switch() -> None:
    phrases = {
        "nominal_prepositions": "(PP (IN in) (NP (NN town)))",
        "verbal_complementisers": "(SBAR (IN if) (S (VP (VB go))))",
        "auxiliary_modifiers": "(VP (MD will) (VP (VB go)))",
    }
    for switch, own in phrases.items():
        rules = HeadRules.english(**{switch: False})
        for other, text in phrases.items():
            changed = head_word(rules, text) == head_word(HeadRules.english(), text)
            assert changed == (other != switch), (switch, other)
        assert own


def test_a_step_must_name_its_side() -> None:
    with pytest.raises(UsageError, match="expected steps like 'left: NP NX'"):
        HeadRules({"NP": ("NN NNS",)})
