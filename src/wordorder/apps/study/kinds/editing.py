"""Studies in which people edit: ``mark`` and ``align``.

In ``mark``, people move misplaced words of a translation without changing any word (an order-only post-edit). An item
has ``words``, the ``system`` that produced them, and optionally ``reference`` and ``source``. Attention checks and
practice items have ``expected``, the positions of the words in the right order.

In ``align``, they translate a sentence, correct its tokenisation, and align its words (Talbot et al. 2011, §3.1). An
item has the words of ``source`` and optionally those of ``target``; without a target, people write the translation
first. It may also have initial ``links``, which are ``[source, target]`` word positions counted from 0; attention
checks and practice items have ``expected``, the right links.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wordorder.apps.study.kinds.base import (
    LONGEST_TEXT,
    Answer,
    AnswerError,
    Kind,
    View,
    check_fields,
    is_count,
    need_expected,
    need_text,
    need_words,
    reading_seconds,
    sides,
)
from wordorder.core.runtime.errors import InputError

if TYPE_CHECKING:
    from wordorder.apps.study.folder import Item


SEVERITIES = ("minor", "major")
MOST_MOVES = 200


class MarkKind(Kind):
    """Answers are ``{"moves": [{"words": [3, 4], "before": 7, "severity": "minor"}, …]}``.

    Words are identified by their positions in the original text, counted from 0, regardless of earlier moves. Moved
    words keep their relative order and go before the word at position ``before``, or to the end if ``before`` is the
    number of words. An answer without moves means that the order is right.
    """

    name = "mark"

    def check(self, item: Item) -> None:
        """Check that the words are a list of words, and that source and reference are text if given."""
        words = need_words(item, "words")
        need_text(item, optional=("source", "reference"))
        what = "a list of all word positions, counted from 0, in the right order"
        need_expected(item, lambda order: _is_order(order, len(words)), what)

    def view(self, item: Item, person: str) -> View:
        """Return the words, the source, the reference and the names of the severities."""
        return {**sides(item), "words": item.content["words"], "severities": list(SEVERITIES)}

    def validate(self, item: Item, answer: Any) -> Answer:
        """Return the answer if all its moves are possible; otherwise raise AnswerError."""
        kept = check_fields(answer, "moves")
        moves = kept.get("moves")
        if not isinstance(moves, list) or len(moves) > MOST_MOVES:
            raise AnswerError(f"moves must be a list of at most {MOST_MOVES} moves", "moves")
        count = len(item.content["words"])
        for move in moves:
            if not isinstance(move, dict) or set(move) != {"words", "before", "severity"}:
                raise AnswerError("a move must have the fields words, before and severity", "moves")
            words, before = move["words"], move["before"]
            if not isinstance(words, list) or not words or not all(is_count(word, count) for word in words):
                raise AnswerError("select the words to be moved", "moves")
            if len(set(words)) < len(words):
                raise AnswerError("a move cannot contain a word twice", "moves")
            if not is_count(before, count + 1) or before in words:
                raise AnswerError("choose the gap where the words belong", "moves")
            if move["severity"] not in SEVERITIES:
                raise AnswerError(f"severity must be one of {', '.join(SEVERITIES)}", "moves")
        return kept

    def ratings(self, item: Item, answer: Mapping[str, Any], question: str, person: str) -> list[tuple[str, float]]:
        """Return the number of moves that the output of a system needs."""
        return [(item.condition, float(len(answer["moves"])))]

    def expected(self, item: Item, person: str) -> list[str]:
        """Return the words in the right order."""
        return [item.content["words"][place] for place in item.content["expected"]]

    def is_right(self, item: Item, answer: Mapping[str, Any], person: str) -> bool:
        """Return whether the moves lead to the right order."""
        words = item.content["words"]
        return [words[place] for place in apply_moves(len(words), answer["moves"])] == self.expected(item, person)

    def seconds(self, item: Item) -> float:
        """Return the estimated time to read everything twice, plus ten seconds for moving words."""
        return 2 * reading_seconds(*sides(item).values(), item.content["words"]) + 10


def apply_moves(count: int, moves: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the original positions of the words in the order of the corrected text.

    >>> apply_moves(4, [{"words": [3], "before": 1}])
    [0, 3, 1, 2]
    """
    order = list(range(count))
    for move in moves:
        moved = [place for place in order if place in set(move["words"])]
        order = [place for place in order if place not in set(moved)]
        spot = len(order) if move["before"] == count else order.index(move["before"])
        order[spot:spot] = moved
    return order


RULES = ("unaligned source word", "non-contiguous alignment", "unaligned target word")
"""Guidelines that can be checked without part-of-speech tags; ``materials.rules`` sets the level of each."""

LEVELS = ("block", "warn", "off")


class AlignKind(Kind):
    """Answers are ``{"target": [words], "links": [[s, t], …], "possible": [[s, t], …]}``; positions count from 0.

    If the item has a target, people may split and join its words, but not change its letters.
    """

    name = "align"

    def check(self, item: Item) -> None:
        """Check the words, the links between them, and the levels of the guidelines."""
        source = need_words(item, "source")
        target = need_words(item, "target") if item.content.get("target") is not None else []
        links = item.content.get("links", [])
        if not _are_links(links, len(source), len(target)):
            raise InputError("links must be a list of valid [source, target] word positions, counted from 0")
        need_expected(
            item, lambda links: _are_links(links, len(source), len(target)), "a list of [source, target] links"
        )
        for rule, level in self.rules.items():
            if rule not in RULES or level not in LEVELS:
                raise InputError(
                    f"rule {rule!r} = {level!r}: expected one of the rules {', '.join(RULES)} "
                    f"with one of the levels {', '.join(LEVELS)}"
                )

    @property
    def rules(self) -> Mapping[str, str]:
        """The level of each guideline, which decides whether a breach is blocked, causes a warning or is ignored."""
        return dict.fromkeys(RULES, "warn") | dict(self.settings.materials.get("rules", {}))

    def view(self, item: Item, person: str) -> View:
        """Return the words of both sides and the initial links."""
        content = item.content
        return {"source": content["source"], "target": content.get("target"), "links": content.get("links", [])}

    def validate(self, item: Item, answer: Any) -> Answer:
        """Return the checked answer; raise AnswerError if it is incomplete or breaches a blocking guideline."""
        kept = self.draft(item, answer)
        if not kept["target"]:
            raise AnswerError("write a translation", "target")
        for finding in self.findings(item, kept):
            if finding["blocks"]:
                raise AnswerError(finding["message"], f"{finding['side']}-{finding['word']}")
        return kept

    def draft(self, item: Item, answer: Any) -> Answer:
        """Check an answer that may be unfinished, and return it with sorted links and no missing fields."""
        kept = check_fields(answer, "target", "links", "possible")
        target = kept.get("target", [])
        if not isinstance(target, list) or not all(isinstance(word, str) and word.strip() for word in target):
            raise AnswerError("target must be a list of words", "target")
        if sum(map(len, target)) > LONGEST_TEXT:
            raise AnswerError(f"a translation can have at most {LONGEST_TEXT} characters", "target")
        given = item.content.get("target")
        if given is not None and _letters(target) != _letters(given):
            raise AnswerError("the words of the target may be split and joined, but not changed", "target")
        for name in ("links", "possible"):
            links = kept.setdefault(name, [])
            if not _are_links(links, len(item.content["source"]), len(target)):
                raise AnswerError("a link must connect a source word with a target word", name)
            kept[name] = [list(link) for link in sorted({(s, t) for s, t in links})]
        kept["possible"] = [link for link in kept["possible"] if link not in kept["links"]]
        kept["target"] = target
        return kept

    def findings(self, item: Item, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the breaches of the guidelines, each with the side and position of the word and a message."""
        from wordorder.core.orders import Alignment
        from wordorder.linking.annotation import UNALIGNED_TARGET, check_annotation

        source, target = item.content["source"], answer.get("target") or []
        if not target or item.role == "attention":
            return []
        links = sorted({(s, t) for s, t in (*answer.get("links", []), *answer.get("possible", []))})
        pair = Alignment(tuple(links), len(source), len(target))
        allowed = self.settings.materials.get("unaligned")
        how = {} if allowed is None else {"allowed_words": allowed}
        found = check_annotation(pair.column(), [source], [target], **how).findings
        return [
            {
                "rule": one.kind,
                "side": "target" if one.kind == UNALIGNED_TARGET else "source",
                "word": one.position - 1,
                "message": str(one),
                "blocks": self.rules[one.kind] == "block",
            }
            for one in found
            if self.rules.get(one.kind, "off") != "off"
        ]

    def expected(self, item: Item, person: str) -> list[list[str]]:
        """Return the pairs of words that are to be linked."""
        source, target = item.content["source"], item.content["target"]
        return [[source[s], target[t]] for s, t in item.content["expected"]]

    def is_right(self, item: Item, answer: Mapping[str, Any], person: str) -> bool:
        """Return whether exactly the right words are linked."""
        linked = {(s, t) for s, t in (*answer["links"], *answer["possible"])}
        return answer["target"] == item.content["target"] and linked == {(s, t) for s, t in item.content["expected"]}

    def adjudicate(self, item: Item, answers: Sequence[Mapping[str, Any]]) -> View:
        """Return the links of two answers in three groups: those in both, only in the first and only in the second.

        If the two targets have different words, their links cannot be compared, and ``comparable`` is false.
        """
        targets = [one["target"] for one in answers]
        first, second = ({(s, t) for s, t in (*one["links"], *one["possible"])} for one in answers)
        groups = {"both": first & second, "first": first - second, "second": second - first}
        links = {name: [list(link) for link in sorted(group)] for name, group in groups.items()}
        return {"source": item.content["source"], "targets": targets, "comparable": targets[0] == targets[1], **links}

    def seconds(self, item: Item) -> float:
        """Return the reading time plus four seconds per source word, or eight if a translation must be written."""
        words = len(item.content["source"])
        return reading_seconds(item.content["source"]) + words * (4 if item.content.get("target") else 8)


def _is_order(order: Any, count: int) -> bool:
    return isinstance(order, list) and all(is_count(one, count) for one in order) and len(set(order)) == count


def _letters(words: Sequence[str]) -> str:
    return "".join("".join(words).split())


def _are_links(links: Any, source: int, target: int) -> bool:
    """Return whether ``links`` is a list of pairs of valid word positions, given the lengths of both sentences."""
    return isinstance(links, list) and all(
        isinstance(link, list | tuple) and len(link) == 2 and is_count(link[0], source) and is_count(link[1], target)
        for link in links
    )
