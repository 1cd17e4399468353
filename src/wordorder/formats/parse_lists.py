"""Lists of parses with their probabilities.

* ``nbest`` is the output of Charniak's parser with ``-N50``: a line ``n sentence-id``, followed by n pairs of lines,
  each with a log probability and a bracketed tree.
* ``conllu`` is CoNLL-U in which consecutive sentences with the same ``# sent_id`` are parses of one sentence, each
  with ``# parse_prob = p``.
* ``brackets`` are bracketed trees, one parse per sentence.

The log probabilities in ``nbest`` files have base 2, like those written by the multithreaded ``parseIt`` of the
reranking parser (since 2006), by its Python and Java interfaces, and by wordorder. The first ``parseIt``, from 2005,
wrote natural logarithms; use ``base`` for its output and for other parsers. A wrong base only scales the log
probabilities: if natural logarithms are read with base 2, they are multiplied by 0.69, which makes the weights of the
parses in a list more similar.
"""

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice

import numpy as np

from wordorder.core.runtime.columns import Floats, Offsets, offsets_from_lengths, rows_of
from wordorder.core.runtime.errors import InputError, choices, excerpt, refuse, reject
from wordorder.core.runtime.files import Path, display_name, without_packing
from wordorder.core.trees.constituency import FAULTS, ConstituencyTrees, scan_brackets
from wordorder.core.trees.dependency import DependencyTrees
from wordorder.core.trees.parse_lists import ParseLists, to_dependency_lists
from wordorder.formats import brackets, conllu

FORMATS = ("nbest", "brackets", "conllu")
SENTENCES_PER_BLOCK = 512
BASE = 2.0
"""The base of the logarithms in the output of Charniak's parser."""

_ROUNDING = 0.01


def read_dependencies(path: Path, *, format: str | None = None) -> ParseLists[DependencyTrees]:
    """Read parses in any format as lists of dependency trees."""
    parts = list(dependency_blocks(path, format=format))
    return ParseLists.concatenate(parts or [to_dependency_lists(_nothing())])


def dependency_blocks(
    path: Path, *, format: str | None = None, base: float = BASE, sentences: int = SENTENCES_PER_BLOCK
) -> Iterator[ParseLists[DependencyTrees]]:
    """Read parses in any format, in blocks of ``sentences`` sentences; the format is guessed if it is None."""
    format = format or guess_format(path)
    if format == "conllu":
        yield from (lists for lists, _ in _conllu_blocks(path, sentences))
    elif format == "nbest":
        for lists in read_blocks(path, base=base, sentences=sentences):
            yield to_dependency_lists(lists)
    elif format == "brackets":
        for lists in _regroup(map(one_best, brackets.read_blocks(path, lines=sentences)), sentences):
            yield to_dependency_lists(lists)
    else:
        raise choices(format, list(FORMATS), what="format of parses")


def guess_format(path: Path) -> str:
    """Guess the format of a file of parses from the file name extension ``.conllu`` or from its first line."""
    name = display_name(path)
    if without_packing(name).endswith(".conllu"):
        return "conllu"
    refuse(os.fspath(path) == "-", f"the format of parses on standard input must be given ({', '.join(FORMATS)})")
    line, text = next(((line, text) for line, text in conllu.text_lines(path) if text.strip()), (1, ""))
    if text.lstrip().startswith("("):
        return "brackets"
    if text.startswith("#") or text.count("\t") == conllu.COLUMNS - 1:
        return "conllu"
    if text.split(maxsplit=1)[:1] and text.split(maxsplit=1)[0].isdigit():
        return "nbest"
    expected = "expected '(' (brackets), 'n sentence-id' (nbest), '# …' or ten columns (conllu)"
    raise InputError(f"not a file of parses: {expected}, found {excerpt(text)}", path=name, line=line)


def _regroup(parts: Iterable[ParseLists[ConstituencyTrees]], size: int) -> Iterator[ParseLists[ConstituencyTrees]]:
    """Regroup blocks of any size into blocks of ``size`` sentences; the last block may be shorter."""
    held: ParseLists[ConstituencyTrees] | None = None
    for part in parts:
        held = part if held is None or not len(held) else ParseLists.concatenate([held, part])
        whole = len(held) - len(held) % size
        yield from (held[start : start + size] for start in range(0, whole, size))
        held = held[whole:]
    if held is not None and len(held):
        yield held


def one_best(trees: ConstituencyTrees) -> ParseLists[ConstituencyTrees]:
    """Return one parse list for each tree, with this tree as its only parse (probability 1)."""
    count = len(trees)
    return ParseLists(trees, np.zeros(count), np.arange(count + 1), tuple(str(i + 1) for i in range(count)))


def _nothing() -> ParseLists[ConstituencyTrees]:
    return one_best(ConstituencyTrees.of([]))


def read(path: Path, *, base: float = BASE) -> ParseLists[ConstituencyTrees]:
    """Read parse lists in the format of Charniak's parser; ``base`` is the base of the logarithms."""
    return ParseLists.concatenate(list(read_blocks(path, base=base)) or [_nothing()])


def read_blocks(
    path: Path, *, base: float = BASE, sentences: int = SENTENCES_PER_BLOCK
) -> Iterator[ParseLists[ConstituencyTrees]]:
    """Read parse lists in the format of Charniak's parser, in blocks of sentences."""
    name = display_name(path)
    source = _lists(path)
    while block := list(islice(source, sentences)):
        entries = [entry for _, _, entries in block for entry in entries]
        trees = _parse_trees([(line, text) for _, line, text in entries], name)
        scores = np.array([score for score, _, _ in entries], dtype=np.float64) * math.log(base)
        offsets = offsets_from_lengths([len(entries) for _, _, entries in block])
        _check_words(trees, offsets, [line for _, line, _ in entries], name)
        _check_sums(scores, offsets, [line for _, line, _ in block], name)
        yield ParseLists(trees, scores, offsets, tuple(identity for identity, _, _ in block))


def _lists(path: Path) -> Iterator[tuple[str, int, list[tuple[float, int, str]]]]:
    """Yield the sentence ID, the line number and the entries of each list.

    An entry has a log probability, the line number of a tree, and the tree as text.
    """
    name = display_name(path)
    lines = ((line, text.strip()) for line, text in conllu.text_lines(path) if text.strip())
    for count, (line, text) in enumerate(lines, start=1):
        parts = text.split(maxsplit=1)
        if not (parts[0].isascii() and parts[0].isdigit()):
            hint = "; does the list above have more parses than it announces?" if count > 1 else ""
            raise InputError(f"expected 'n sentence-id', found {excerpt(text)}{hint}", path=name, line=line)
        entries: list[tuple[float, int, str]] = []
        wanted = int(parts[0][:10])
        while len(entries) < wanted:
            at, score = next(lines, (line, ""))
            tree_at, tree = next(lines, (line, ""))
            if not tree:
                message = f"the file ends after {len(entries)} of {wanted} parses"
                raise InputError(message, path=name, line=line)
            entries.append((_log_probability(score, name, at), tree_at, tree))
        yield parts[1] if len(parts) > 1 else str(count), line, entries


def _log_probability(text: str, path: str, line: int) -> float:
    try:
        score = float(text)
    except ValueError:
        raise InputError(f"expected a log probability, found {excerpt(text)}", path=path, line=line) from None
    if not math.isfinite(score) or score > 0:
        raise InputError(f"found log probability {text}; expected a number of at most 0", path=path, line=line)
    return score


def _parse_trees(texts: Sequence[tuple[int, str]], path: str) -> ConstituencyTrees:
    """Parse one tree per line; ``texts`` contains pairs of a line number and the text of the line."""
    encoded = [text.encode() for _, text in texts]
    data = np.frombuffer(b"\n".join([*encoded, b""]), dtype=np.uint8)
    ends = np.cumsum([len(text) + 1 for text in encoded], dtype=np.int64)

    def error(message: str, position: int) -> InputError:
        row = min(int(np.searchsorted(ends, position, side="right")), len(texts) - 1)
        return InputError(message, path=path, line=texts[row][0])

    found = scan_brackets(data)
    first = np.searchsorted(ends, found.label_spans[found.node_offsets[:-1], 0], side="right")
    last = np.searchsorted(ends, found.word_spans[found.word_offsets[1:] - 1, 0], side="right")
    order = np.arange(len(first))
    astray = np.flatnonzero((first != order) | (last != order))
    if found.fault or len(astray) or len(first) != len(texts):
        strange = min(len(first), len(texts) - 1)
        if len(astray):  # a tree on several lines, or several trees on a line
            strange = int(astray[0]) if first[astray[0]] == astray[0] else int(astray[0]) - 1
        if found.fault and np.searchsorted(ends, found.position, side="right") <= strange:
            raise error(FAULTS[found.fault], found.position)
        raise InputError("expected one complete tree on this line", path=path, line=texts[strange][0])
    return brackets.clean_trees(data, found, error)


def _check_words(trees: ConstituencyTrees | DependencyTrees, offsets: Offsets, lines: Sequence[int], path: str) -> None:
    """Raise an error if the parses in a list do not all have the same words."""
    lengths = trees.lengths
    starts = offsets_from_lengths(lengths)
    first = np.repeat(offsets[:-1], np.diff(offsets))
    differs = np.flatnonzero(lengths != lengths[first])
    if len(differs):
        found, expected = lengths[differs[0]], lengths[first[differs[0]]]
        message = f"the number of words is {found}, but {expected} in the first parse of the list"
        raise InputError(message, path=path, line=lines[int(differs[0])])
    same = np.arange(starts[-1]) + np.repeat(starts[first] - starts[:-1], lengths)
    strange = np.flatnonzero(trees.words != trees.words[same])
    if len(strange):
        parse = int(np.searchsorted(starts, strange[0], side="right")) - 1
        found, expected = (excerpt(trees.strings[trees.words[at]].as_py()) for at in (strange[0], same[strange[0]]))
        message = f"word {strange[0] - starts[parse] + 1} is {found}, but {expected} in the first parse of the list"
        raise InputError(message, path=path, line=lines[parse])


def _check_sums(scores: Floats, offsets: Offsets, lines: Sequence[int], path: str) -> None:
    """Raise an error if the probabilities in a list sum to more than 1."""
    sums = np.bincount(rows_of(offsets), weights=np.exp(scores), minlength=len(offsets) - 1)
    large = np.flatnonzero(sums > 1 + _ROUNDING)
    if len(large):
        message = f"the probabilities of the list sum to {sums[large[0]]:.6g}; expected at most 1"
        raise InputError(message, path=path, line=lines[int(large[0])])


def format_lists(lists: ParseLists[ConstituencyTrees], *, base: float = BASE) -> Iterator[str]:
    """Yield each list as text in the format of Charniak's parser, with an empty line at the end."""
    texts = brackets.format_trees(lists.trees)
    for row, name in enumerate(lists.names):
        start, stop = lists.offsets[row], lists.offsets[row + 1]
        entries = [
            f"{score / math.log(base) + 0.0:.6f}\n{next(texts)}\n"
            for score in lists.log_probabilities[start:stop].tolist()
        ]
        yield f"{stop - start}\t{name}\n{''.join(entries)}\n"


def format_conllu(lists: ParseLists[DependencyTrees]) -> Iterator[str]:
    """Yield each parse as CoNLL-U text; if a sentence has several parses, their probabilities are normalised."""
    weights = lists.weights().tolist()
    for row, name in enumerate(lists.names):
        places = range(lists.offsets[row], lists.offsets[row + 1])
        if not places:
            yield conllu.format_sentence(conllu.ConlluSentence((f"# sent_id = {name}", "# text ="), ()))
        for place in places:
            shares = (f"# parse_prob = {weights[place]!r}",) if len(places) > 1 else ()
            comments = (f"# sent_id = {name}", *shares)
            yield conllu.format_sentence(conllu.ConlluSentence.of(lists.trees[place], comments=comments))


def read_conllu_sentences(path: Path) -> tuple[ParseLists[DependencyTrees], list[conllu.ConlluSentence]]:
    """Read CoNLL-U with one or more parses per sentence; return parse lists, and the parses as written."""
    blocks = list(_conllu_blocks(path, SENTENCES_PER_BLOCK))
    lists = ParseLists.concatenate([part for part, _ in blocks] or [to_dependency_lists(_nothing())])
    return lists, [parse for _, parses in blocks for parse in parses]


def _conllu_blocks(
    path: Path, sentences: int
) -> Iterator[tuple[ParseLists[DependencyTrees], list[conllu.ConlluSentence]]]:
    name = display_name(path)
    groups = groupby(enumerate(conllu.read_sentences(path)), key=_identity)
    members = ([parse for _, parse in group] for _, group in groups)
    first = 1
    while lists := list(islice(members, sentences)):
        names = [parses[0].comment("sent_id") or str(place) for place, parses in enumerate(lists, start=first)]
        lengths = [0 if len(parses) == 1 and not parses[0].rows else len(parses) for parses in lists]
        scores = [
            score
            for parses, title, length in zip(lists, names, lengths, strict=True)
            for score in (_log_probabilities(parses, title, name) if length else ())
        ]
        kept = [parse for parses, length in zip(lists, lengths, strict=True) for parse in parses if length]
        trees = conllu.gather(kept, path=name)
        offsets = offsets_from_lengths(lengths)
        _check_words(trees, offsets, [parse.lines[0] if parse.lines else 1 for parse in kept], name)
        yield ParseLists(trees, np.array(scores, dtype=np.float64), offsets, tuple(names)), kept
        first += len(lists)


def _identity(numbered: tuple[int, conllu.ConlluSentence]) -> tuple[str, int]:
    """Return a key that all parses of a sentence share; every sentence without an ID has its own key."""
    place, sentence = numbered
    name = sentence.comment("sent_id")
    return ("", place) if name is None else (name, -1)


def _log_probabilities(parses: Sequence[conllu.ConlluSentence], name: str, path: str) -> list[float]:
    """Return the log probabilities of the parses of a sentence; the probabilities must not sum to more than 1."""
    line = parses[0].lines[0] if parses[0].lines else None
    written = [parse.comment("parse_prob") for parse in parses]
    if written == [None]:
        return [0.0]
    found: list[float] = []
    for parse, text in zip(parses, written, strict=True):
        at = parse.lines[0] if parse.lines else line
        if text is None:
            message = f"one of several parses of sentence {excerpt(name)} has no '# parse_prob = …'"
            raise InputError(message, path=path, line=at)
        try:
            found.append(float(text))
        except ValueError:
            raise InputError(f"found parse_prob {excerpt(text)}; expected a number", path=path, line=at) from None
        reject(not 0 <= found[-1] <= 1, f"found parse_prob {text}; expected a number from 0 to 1", path=path, line=at)
    total = math.fsum(found)
    if not 0 < total <= 1 + _ROUNDING:
        message = f"the probabilities of sentence {excerpt(name)} sum to {total:.6g}; expected more than 0, at most 1"
        raise InputError(message, path=path, line=line)
    return [math.log(probability) if probability else -math.inf for probability in found]
