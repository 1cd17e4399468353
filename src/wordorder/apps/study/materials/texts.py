"""Make items from parallel texts: pairs to compare, outputs to rate or correct, and sentences to align.

Items of the kind ``judge`` show one reordering each, half of them reproduced by the system (Birch 2011, §3.3.5).
"""

import random
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import Any

from wordorder.apps.profile import Reordering, extract, find_reproduced
from wordorder.apps.study.folder import Item
from wordorder.apps.study.kinds.choosing import NEITHER
from wordorder.apps.study.settings import Question
from wordorder.apps.study.words import read_words
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import InputError, UsageError, count_of, excerpt, refuse, reject
from wordorder.core.runtime.files import Path
from wordorder.core.text.tokens import is_punctuation
from wordorder.formats.delimited import DelimitedTable
from wordorder.formats.sources import TextSource, read_text

MOST_OUTPUTS = 5

_GOLD = (("1", "a", "first"), ("2", "b", "second"), (NEITHER, "n", "0", "don't know"))
"""What a table of gold answers can say instead of the first system, the second system and neither."""


@dataclass(frozen=True)
class StudyTexts:
    """Texts with one line per segment: the outputs of systems and, optionally, the source and the reference."""

    outputs: Mapping[str, list[str]]
    source: list[str] | None = None
    reference: list[str] | None = None

    @classmethod
    def read(
        cls, outputs: Mapping[str, TextSource], source: TextSource | None = None, reference: TextSource | None = None
    ) -> "StudyTexts":
        """Read texts, which must have the same number of lines."""
        read = {name: read_text(text).to_pylist() for name, text in outputs.items()}
        others = [None if text is None else read_text(text).to_pylist() for text in (source, reference)]
        named = {**read, "the source": others[0], "the reference": others[1]}
        counts = {name: len(lines) for name, lines in named.items() if lines is not None}
        if len(set(counts.values())) > 1:
            lengths = ", ".join(f"{name} has {count_of(count, 'line')}" for name, count in counts.items())
            raise InputError(f"the texts differ in length: {lengths}")
        reject(not counts or not max(counts.values()), "the texts are empty")
        return cls(read, *others)

    def __len__(self) -> int:
        return max(map(len, [*self.outputs.values(), self.source or [], self.reference or []]))

    @property
    def best(self) -> list[str]:
        """The reference, or else the output of the first system."""
        return self.reference or next(iter(self.outputs.values()))

    def context(self, row: int) -> dict[str, Any]:
        """Return the source and the reference of a segment, if there are any."""
        named = {"source": self.source, "reference": self.reference}
        return {name: text[row] for name, text in named.items() if text is not None and text[row].strip()}


def sample(rows: Sequence[int], count: int | None, seed: int, condition: str) -> list[int]:
    """Choose ``count`` of the rows at random (None: all), and return them in ascending order."""
    reject(not rows, f"no segment can be used; expected segments where {condition}")
    if count is None:
        return list(rows)
    if count > len(rows):
        raise InputError(
            f"{count} items were requested, but only {count_of(len(rows), 'segment')} can be used "
            f"(condition: {condition})"
        )
    chance = random.Random(seed)
    return sorted(sorted(rows, key=lambda row: (chance.random(), row))[:count])


@dataclass(frozen=True)
class Guides:
    """How many practice items and attention checks to make; ``words`` are those of the page."""

    practice: int = 0
    attention: int = 0
    words: Mapping[str, str] = field(default_factory=lambda: read_words("en"))

    def rows(self, lines: Sequence[str], *, barred: Container[int] = ()) -> list[int]:
        """Return the rows of the practice items: the shortest lines of four or more different words."""
        pieces = [_pieces(line)[0] for line in lines]
        usable = [row for row, words in enumerate(pieces) if 4 <= len(words) == len(set(words)) and row not in barred]
        return sorted(usable, key=lambda row: (len(pieces[row]), row))[: self.practice]

    def practice_item(self, number: int, content: Mapping[str, Any], why: str, *, seed: int) -> Item:
        """Return a practice item; ``why`` names the reason that is shown after an answer."""
        content = {**content, "reason": self.words[why]}
        return Item.of(f"practice {number + 1}", content, seed=seed, role="practice", condition="practice")

    def attention_items(self, *contents: Mapping[str, Any], seed: int) -> list[Item]:
        """Return the attention checks, which have the given contents in turn."""
        return [
            Item.of(f"attention {number}", content, seed=seed, role="attention", condition="attention")
            for number, content in enumerate(islice(cycle(contents), self.attention), start=1)
        ]

    def ask(self, answer: object) -> str:
        """Return the text that asks for an answer."""
        return self.words["attention"].replace("{answer}", str(answer))

    def numbers(self, questions: Sequence[Question]) -> Iterator[tuple[str, dict[str, int]]]:
        """Yield texts that ask for a number, and the expected number for each question."""
        values = questions[0].values
        for value in values[1:-1] or values[1:]:
            yield self.ask(value), {question.name: value for question in questions if value in question.values}


NO_GUIDES = Guides()


def _pieces(line: str) -> tuple[list[str], str]:
    """Return the words of a line, or the characters of one without spaces, and what joins them."""
    words = line.split()
    return (words, " ") if len(words) > 3 else (list(line.strip()), "")


def _practice_outputs(texts: StudyTexts, rows: Sequence[int], guides: Guides, seed: int) -> list[Item]:
    """Return practice items whose outputs are a line as it is and with its words shuffled."""
    found, chance = [], random.Random(seed)
    for number, row in enumerate(rows):
        pieces, joint = _pieces(texts.best[row])
        moved, inside = pieces, len(pieces) - is_punctuation(pieces[-1])
        while moved == pieces:
            moved = sorted(pieces[:inside], key=lambda piece: chance.random()) + pieces[inside:]
        content = {"outputs": {"usual": texts.best[row], "shuffled": joint.join(moved)}, "gold": "usual"}
        found.append(guides.practice_item(number, {**content, **texts.context(row)}, "why_better", seed=seed))
    return found


def preference_items(
    texts: StudyTexts,
    *,
    seed: int,
    items: int | None = None,
    length: tuple[int, int] | None = None,
    gold: Path | None = None,
    guides: Guides = NO_GUIDES,
) -> list[Item]:
    """Make items from pairs of outputs that differ; ``length`` is the allowed range of words in the longer output."""
    refuse(len(texts.outputs) != 2, f"a preference study needs two systems, not {len(texts.outputs)}")
    (first, one), (second, two) = texts.outputs.items()
    low, high = length or (1, 1 << 30)
    words = [max(len(a.split()), len(b.split())) for a, b in zip(one, two, strict=True)]
    known = {} if gold is None else _read_gold(gold, (first, second), len(texts))
    practice = guides.rows(texts.best, barred=known)
    usable = [
        row
        for row in range(len(texts))
        if row not in practice
        and one[row].split() != two[row].split()
        and low <= words[row] <= high
        and one[row].strip()
        and two[row].strip()
    ]
    for row in known:
        if row not in usable:
            raise InputError(
                f"segment {row + 1} is a gold item, but its outputs are equal, empty or "
                f"outside the range of {low} to {high} words"
            )
    rest = [row for row in usable if row not in known]
    chosen = sample(rest, items, seed, "the outputs differ and have the right length")
    found = _practice_outputs(texts, practice, guides, seed)
    for row in sorted([*chosen, *known]):
        content = {"outputs": {first: one[row], second: two[row]}, **texts.context(row), "segment": row + 1}
        content |= known.get(row, {})
        role = "gold" if row in known else "item"
        found.append(Item.of(str(row + 1), content, seed=seed, role=role, condition=f"{first} {second}"))
    checks = [
        {"outputs": dict.fromkeys(texts.outputs, guides.ask(guides.words[f"choice_{choice}"])), "expected": choice}
        for choice in "AB"
    ]
    return [*found, *guides.attention_items(*checks, seed=seed)]


def _read_gold(path: Path, systems: tuple[str, str], count: int) -> dict[int, dict[str, str]]:
    """Read a table of gold answers: segment, choice (a system, 1, 2, A, B or neither) and optionally reason."""
    table = DelimitedTable(path)
    places = {name: table.place(name, *more) for name, *more in (("segment",), ("choice", "gold", "better"))}
    reason = table.place("reason") if table.has("reason") else None
    meant = {word: name for name, words in zip((*systems, NEITHER), _GOLD, strict=True) for word in words}
    found: dict[int, dict[str, str]] = {}
    for line, fields in table:
        row = table.whole(fields[places["segment"]], line, what="segment", low=1) - 1
        choice = fields[places["choice"]].strip()
        reject(row >= count, f"segment is {row + 1}, but the last segment is {count}", path=table.path, line=line)
        gold = choice if choice in systems else meant.get(choice.lower())
        if gold is None:
            expected = f"{systems[0]}, {systems[1]} or {NEITHER}"
            raise InputError(f"choice is {excerpt(choice)}, expected {expected}", path=table.path, line=line)
        why = fields[reason].strip() if reason is not None else ""
        found[row] = {"gold": gold} | ({"reason": why} if why else {})
    return found


def rating_items(
    texts: StudyTexts, *, seed: int, questions: Sequence[Question], items: int | None = None, guides: Guides = NO_GUIDES
) -> list[Item]:
    """Make items, each with the outputs of all systems for one segment, and add practice items and checks."""
    if not 1 <= len(texts.outputs) <= MOST_OUTPUTS:
        raise UsageError(f"a rating study needs 1 to {MOST_OUTPUTS} systems, not {len(texts.outputs)}")
    practice = guides.rows(texts.best)
    usable = [row for row in range(len(texts)) if row not in practice]
    usable = [row for row in usable if all(output[row].strip() for output in texts.outputs.values())]
    chosen = sample(usable, items, seed, "every system has an output")
    found = _practice_outputs(texts, practice, guides, seed)
    for row in chosen:
        outputs = {name: lines[row] for name, lines in texts.outputs.items()}
        found.append(Item.of(str(row + 1), {"outputs": outputs, **texts.context(row), "segment": row + 1}, seed=seed))
    checks = [
        {"outputs": dict.fromkeys(texts.outputs, text), "expected": expected}
        for text, expected in guides.numbers(questions)
    ]
    return [*found, *guides.attention_items(*checks, seed=seed)]


def marking_items(texts: StudyTexts, *, seed: int, items: int | None = None, guides: Guides = NO_GUIDES) -> list[Item]:
    """Make an item for each segment and system; each person sees the output of only one system for a segment."""
    practice = guides.rows(texts.best)
    usable = [row for row in range(len(texts)) if row not in practice]
    usable = [row for row in usable if all(len(text[row].split()) > 1 for text in texts.outputs.values())]
    chosen = sample(usable, items, seed, "every output has two or more words")
    found = []
    for number, row in enumerate(practice):
        first, second, *others, last = _pieces(texts.best[row])[0]
        back = [0, len(others) + 1, *range(1, len(others) + 1), len(others) + 2]
        shown = {"words": [first, *others, second, last], "system": "", "expected": back}
        content = {**shown, **texts.context(row)}
        found.append(guides.practice_item(number, content, "why_moved", seed=seed))
    for row in chosen:
        for name, output in texts.outputs.items():
            content = {"words": output[row].split(), "system": name, **texts.context(row), "segment": row + 1}
            found.append(Item.of(str(row + 1), content, seed=seed, condition=name))
    words = [*guides.words["attention_mark"].split(), "★"]
    check = {"words": words, "system": "", "expected": [len(words) - 1, *range(len(words) - 1)]}
    return [*found, *guides.attention_items(check, seed=seed)]


def alignment_items(
    source: list[str],
    *,
    seed: int,
    target: list[str] | None = None,
    links: Alignments | None = None,
    items: int | None = None,
    guides: Guides = NO_GUIDES,
) -> list[Item]:
    """Make items from sentences to align; without ``target``, people translate the sentences first.

    ``links`` are the initial links, if there are any. In practice items, both sides have the same words.
    """
    practice = guides.rows(source)
    usable = [row for row in range(len(source)) if row not in practice]
    usable = [row for row in usable if source[row].split() and (target is None or target[row].split())]
    found = []
    for number, row in enumerate(practice):
        words = _pieces(source[row])[0]
        half = len(words) // 2
        back = [[place, (place - half) % len(words)] for place in range(len(words))]
        pair = {"source": words, "target": words[half:] + words[:half], "expected": back}
        found.append(guides.practice_item(number, pair, "why_links", seed=seed))
    for row in sample(usable, items, seed, "both sides have words"):
        content: dict[str, Any] = {"source": source[row].split(), "segment": row + 1}
        if target is not None:
            content["target"] = target[row].split()
        if links is not None:
            content["links"] = [list(link) for link in links[row].links]
        found.append(Item.of(str(row + 1), content, seed=seed))
    words = [*guides.words["attention_align"].split(), "★"]
    check = {"source": words, "target": ["★", "●"], "expected": [[len(words) - 1, 0]]}
    return [*found, *guides.attention_items(check, seed=seed)]


CONDITIONS = ("reproduced", "not reproduced")


def judging_items(
    reference: list[str],
    translation: list[str],
    reference_links: Alignments,
    translation_links: Alignments,
    *,
    seed: int,
    system: str = "",
    items: int = 50,
    guides: Guides = NO_GUIDES,
) -> list[Item]:
    """Make an item from each of several random sentences, using a reordering that can be shown in the translation.

    In practice items, the translation is the reference, or the reference with the two blocks exchanged.
    """
    reorderings = extract(reference_links)
    flags = find_reproduced(reorderings, extract(translation_links)).flags
    chance = random.Random(seed)
    wanted = {CONDITIONS[0]: items - items // 2, CONDITIONS[1]: items // 2}
    found: list[Item] = []
    practice: list[Item] = []
    for row in sorted(range(len(reference)), key=lambda row: (chance.random(), row)):
        places = range(int(reorderings.offsets[row]), int(reorderings.offsets[row + 1]))
        for place in sorted(places, key=lambda place: (chance.random(), place)):
            condition = CONDITIONS[0 if flags[place] else 1]
            one = reorderings[row][place - places[0]]
            if len(practice) < guides.practice:
                content, why = _judged_reference(reference[row].split(), one, exchanged=len(practice) % 2 == 1)
                practice.append(guides.practice_item(len(practice), content, why, seed=seed))
                break
            blocks = _translated(one, translation_links[row])
            if wanted[condition] and blocks is not None:
                wanted[condition] -= 1
                content = {
                    "reference": reference[row].split(),
                    "translation": translation[row].split(),
                    "reference_blocks": [[*range(a, b + 1)] for a, b in (one.a_target, one.b_target)],
                    "translation_blocks": blocks,
                    "reordering": str(one),
                    "width": one.width(),
                    "system": system,
                    "segment": row + 1,
                }
                found.append(Item.of(str(row + 1), content, seed=seed, condition=condition))
                break
    if missing := {name: count for name, count in wanted.items() if count}:
        lacking = " and ".join(f"{count} {name}" for name, count in missing.items())
        raise InputError(
            f"{items} items were requested, but only {count_of(len(found), 'item')} can be made, because too few "
            f"sentences have a reordering that can be shown (missing: {lacking}); request fewer items"
        )
    checks: list[dict[str, Any]] = []
    for verdict in "IC":
        words = guides.ask(guides.words[f"choice_{verdict}"]).split()
        unmarked: dict[str, Any] = {"reference_blocks": [[], []], "translation_blocks": [[], []]}
        checks.append({"reference": words, "translation": words, **unmarked, "expected": verdict})
    found.sort(key=lambda item: int(item.group))
    return [*practice, *found, *guides.attention_items(*checks, seed=seed)]


def _judged_reference(words: list[str], one: Reordering, *, exchanged: bool) -> tuple[dict[str, Any], str]:
    """Return the content of a practice item with a reference as the translation, and the reason of its answer."""
    blocks = [[*range(first, last + 1)] for first, last in (one.a_target, one.b_target)]
    (low, until), (high, end) = sorted((one.a_target, one.b_target))
    order = [*range(len(words))]
    if exchanged:
        order[low : end + 1] = [*range(high, end + 1), *range(until + 1, high), *range(low, until + 1)]
    content = {
        "reference": words,
        "translation": [words[place] for place in order],
        "reference_blocks": blocks,
        "translation_blocks": [sorted(map(order.index, block)) for block in blocks],
        "expected": "I" if exchanged else "C",
    }
    return content, "why_incorrect" if exchanged else "why_correct"


def _translated(one: Reordering, links: Alignment) -> list[list[int]] | None:
    """Return the positions of the translation words aligned to each of the two blocks.

    Return None if no word is aligned to one of the blocks, or if a word is aligned to both.
    """
    blocks = [
        sorted({target for source, target in links.links if span[0] <= source <= span[1]})
        for span in (one.a_source, one.b_source)
    ]
    return blocks if all(blocks) and not set(blocks[0]) & set(blocks[1]) else None
