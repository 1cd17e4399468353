"""Constituents to dependencies: a hand-worked tree, and the literal definition of the A/B labels."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.trees import ConstituencyTree, ConstituencyTrees, HeadRules, to_dependencies

names = st.sampled_from(["NP", "VP", "S", "PP", "NN", "VB", "IN", ",", "X"])
nested_trees = st.recursive(
    names.map(lambda tag: f"({tag} w)"),
    lambda inner: st.builds(lambda label, parts: f"({label} {' '.join(parts)})", names, st.lists(inner, min_size=1)),
    max_leaves=12,
)


def convert_literally(text: str) -> list[tuple[int, str]]:
    """For each word its head and its label, from the definition."""
    tree = ConstituencyTree.parse(text)
    head_children = HeadRules.english().head_children(tree.column()).tolist()
    spans = tree.column().spans().tolist()
    leaves = [node for node in range(len(tree.labels)) if head_children[node] < 0]

    def head_word(node: int) -> int:
        while head_children[node] >= 0:
            node = head_children[node]
        return leaves.index(node)

    result = []
    for word in range(len(tree.words)):
        highest = min(node for node in range(len(tree.labels)) if head_word(node) == word)
        if tree.parents[highest] == -1:
            if tree.labels[0] == "ROOT" and head_children[0] >= 0:
                highest = head_children[0]
            result.append((-1, f"ROOT/{tree.labels[highest]}"))
            continue
        head = head_word(tree.parents[highest])
        dominating = [
            node
            for node in range(len(tree.labels))
            if head_word(node) == head and spans[node][0] <= word < spans[node][1]
        ]
        lowest = max(dominating)  # in preorder the deepest of nested nodes comes last
        result.append((head, f"{tree.labels[lowest]}/{tree.labels[highest]}"))
    return result


@given(st.lists(nested_trees | nested_trees.map(lambda text: f"(ROOT {text})"), max_size=3))
def test_conversion_follows_the_definition(texts: list[str]) -> None:
    found = to_dependencies(ConstituencyTrees.of(texts))
    assert [list(zip(tree.heads, tree.labels, strict=True)) for tree in found] == [
        convert_literally(text) for text in texts
    ]
    assert found.first_fault() is None
    assert found.projective().all()


def test_a_sentence_by_hand() -> None:
    text = (
        "(ROOT (S (NP (DT the) (NN red) (NN fox)) (VP (MD will) (VP (VB sleep)"
        " (PP (IN under) (NP (DT a) (NN tree))))) (. .)))"
    )
    tree = to_dependencies(ConstituencyTrees.of([text]))[0]
    assert list(zip(tree.words, tree.heads, tree.labels, tree.fine_tags, strict=True)) == [
        ("the", 2, "NP/DT", "DT"),
        ("red", 2, "NP/NN", "NN"),
        ("fox", 4, "S/NP", "NN"),
        ("will", 4, "VP/MD", "MD"),
        ("sleep", -1, "ROOT/S", "VB"),
        ("under", 7, "PP/IN", "IN"),
        ("a", 7, "NP/DT", "DT"),
        ("tree", 4, "VP/PP", "NN"),
        (".", 4, "S/.", "."),
    ]


def test_without_a_root_node_the_label_is_the_same() -> None:
    with_root = to_dependencies(ConstituencyTrees.of(["(ROOT (S (NP (PRP I)) (VP (VBP go))))"]))[0]
    without = to_dependencies(ConstituencyTrees.of(["(S (NP (PRP I)) (VP (VBP go)))"]))[0]
    assert with_root == without
    assert with_root.labels == ("S/NP", "ROOT/S")


def test_no_trees_give_no_trees() -> None:
    assert len(to_dependencies(ConstituencyTrees.of([]))) == 0
