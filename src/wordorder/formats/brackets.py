"""Bracketed trees as in the Penn Treebank; a tree may span several lines.

The reader removes traces (``-NONE-``), constituents that contain only traces, and function tags and indices
(``NP-SBJ-1`` → ``NP``). Every tree gets a single root node ``ROOT``, whether it is written as ``( (S …))``,
``(ROOT (S …))``, ``(TOP (S …))``, ``(S1 (S …))`` or ``(S …)``. Words such as ``-LRB-`` become brackets.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from wordorder.core.runtime.columns import Bools, Bytes, Ints, Offsets, number_strings, renumber
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import LINES_PER_BLOCK, Path, atomic_write, display_name, line_blocks
from wordorder.core.runtime.kernels import kernel
from wordorder.core.trees.constituency import (
    FAULTS,
    Bracketing,
    ConstituencyTree,
    ConstituencyTrees,
    format_brackets,
    scan_brackets,
    texts_of,
)
from wordorder.core.trees.conversion import ROOT_LABEL

TRACE = "-NONE-"
WRAPPERS = frozenset({"", ROOT_LABEL, "TOP", "S1", "VROOT"})
"""Labels of root nodes that are replaced by ``ROOT``."""

ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
"""The codes that stand for brackets in words."""

_ESCAPED = re.compile("|".join(ESCAPES))
_LONGEST_TREE = 1 << 24
_FUNCTION = re.compile(r"(?<=[^-=])[-=].*", re.DOTALL)


def read(path: Path) -> ConstituencyTrees:
    """Read a file of bracketed trees."""
    return ConstituencyTrees.concatenate(list(read_blocks(path)))


def read_blocks(path: Path, *, lines: int = LINES_PER_BLOCK) -> Iterator[ConstituencyTrees]:
    """Read a file of bracketed trees in blocks of lines; a tree may span several blocks."""
    name = display_name(path)
    rest = np.zeros(0, dtype=np.uint8)
    line = 1
    for block in line_blocks(path, lines=lines):
        data = np.concatenate((rest, block.data))
        found = scan_brackets(data)
        yield clean_trees(data, found, partial(_line_error, data, name, line))
        line += int(np.count_nonzero(data[: found.consumed] == 10))
        rest = data[found.consumed :]
        if len(rest) > _LONGEST_TREE:
            break
    unfinished = rest.tobytes().lstrip()
    if unfinished:
        line += int(np.count_nonzero(rest[: len(rest) - len(unfinished)] == 10))
        raise InputError("a bracket opened here is never closed", path=name, line=line)


def _line_error(data: Bytes, path: str, first_line: int, message: str, position: int) -> InputError:
    return InputError(message, path=path, line=first_line + int(np.count_nonzero(data[:position] == 10)))


def clean_trees(data: Bytes, found: Bracketing, error: Callable[[str, int], InputError]) -> ConstituencyTrees:
    """Build a column of cleaned trees from scanned brackets.

    ``error`` returns an exception, given a message and the byte position of the problem.
    """
    if found.fault:
        raise error(FAULTS[found.fault], found.position)
    labels, words = texts_of(data, found.label_spans), texts_of(data, found.word_spans)
    if labels is None or words is None:
        raise error("found bytes that are not valid UTF-8", undecodable(data))
    names, (label_numbers,) = number_strings(labels)
    clean = [strip_functions(label) for label in names.to_pylist()]
    forms, (word_numbers,) = number_strings(words)
    plain = [unescape(word) for word in forms.to_pylist()]
    strings, (new_labels, new_words, marks) = number_strings(clean, plain, [TRACE, ROOT_LABEL])
    coded = renumber(label_numbers, new_labels)
    wrapper = np.zeros(len(strings), dtype=np.bool_)
    wrapper[[number for label, number in zip(clean, new_labels, strict=True) if label in WRAPPERS]] = True
    cleaned, parents, nodes, kept_words, offsets, empty = _clean(coded, found, wrapper, marks[0], marks[1])
    if empty >= 0:
        raise error("found a tree without words", int(found.label_spans[found.node_offsets[empty], 0]))
    numbers = renumber(word_numbers[kept_words], new_words)
    return ConstituencyTrees(cleaned, parents, nodes, numbers, offsets, strings)


def undecodable(data: Bytes) -> int:
    """Return the position of the first byte that is not valid UTF-8 (0 if there is none)."""
    try:
        data.tobytes().decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return 0


def strip_functions(label: str) -> str:
    """Return a label without function tags and indices.

    >>> [strip_functions(label) for label in ("NP-SBJ-1", "NP=2", "-LRB-", "PRP$", "-NONE-")]
    ['NP', 'NP', '-LRB-', 'PRP$', '-NONE-']
    """
    return label if label.startswith("-") else _FUNCTION.sub("", label)


def write(path: Path, trees: ConstituencyTrees | Iterable[ConstituencyTree]) -> None:
    """Write trees, one per line; brackets in words are escaped."""
    column = trees if isinstance(trees, ConstituencyTrees) else ConstituencyTrees.of(trees)
    with atomic_write(path) as target:
        target.writelines(f"{text}\n" for text in format_trees(column))


def format_trees(trees: ConstituencyTrees) -> Iterator[str]:
    """Yield each tree of a column as one line of text; brackets in words are escaped.

    >>> tree = ConstituencyTree(("NP", "-LRB-", "NN"), (-1, 0, 0), ("(", "a"))
    >>> list(format_trees(tree.column()))
    ['(NP (-LRB- -LRB-) (NN a))']
    """
    names = trees.strings.to_pylist()
    forms = [escape(name) for name in names]
    for row in range(len(trees)):
        nodes = slice(trees.node_offsets[row], trees.node_offsets[row + 1])
        labels = [names[label] for label in trees.labels[nodes].tolist()]
        words = [forms[word] for word in trees.words[trees.offsets[row] : trees.offsets[row + 1]].tolist()]
        yield format_brackets(labels, trees.parents[nodes].tolist(), words)


def escape(word: str) -> str:
    """Replace brackets and whitespace in a word, so that it can be written in a bracketed tree.

    >>> escape("("), escape(":)"), escape("a b")
    ('-LRB-', ':-RRB-', 'a_b')
    """
    return re.sub(r"[ \t-\r]", "_", word.replace("(", "-LRB-").replace(")", "-RRB-")) or "_"


def unescape(word: str) -> str:
    """Replace bracket codes such as ``-LRB-`` in a word with the brackets that they stand for.

    >>> unescape("-LSB-"), unescape(":-RRB-"), unescape("--")
    ('[', ':)', '--')
    """
    return _ESCAPED.sub(lambda match: ESCAPES[match.group()], word) if word.count("-") > 1 else word


@kernel
def _clean(
    labels: Ints, found: Bracketing, wrapper: Bools, trace: int, root: int
) -> tuple[Ints, Ints, Offsets, Offsets, Offsets, int]:
    """Remove traces and the constituents that become empty, and give every tree exactly one root.

    Return the labels, parents, node offsets, kept words and word offsets, and the first tree without words (or −1).
    """
    parents, node_offsets, word_offsets = found.parents, found.node_offsets, found.word_offsets
    rows = len(node_offsets) - 1
    new_labels = np.empty(len(labels) + rows, dtype=np.int32)
    new_parents = np.empty(len(labels) + rows, dtype=np.int32)
    new_nodes = np.zeros(rows + 1, dtype=np.int64)
    kept_words = np.empty(word_offsets[-1], dtype=np.int64)
    new_words = np.zeros(rows + 1, dtype=np.int64)
    nodes = words = 0
    for row in range(rows):
        start, stop = node_offsets[row], node_offsets[row + 1]
        children = np.zeros(stop - start, dtype=np.int64)  # the children that are kept
        alive = np.zeros(stop - start, dtype=np.bool_)
        for node in range(stop - 1, start - 1, -1):
            leaf = node + 1 == stop or parents[node + 1] != node - start
            alive[node - start] = (leaf and labels[node] != trace) or children[node - start] > 0
            if node > start and alive[node - start]:
                children[parents[node]] += 1
        if not alive[0]:
            return new_labels, new_parents, new_nodes, kept_words, new_words, row
        first = nodes
        place = np.full(stop - start, -1, dtype=np.int64)
        new_labels[nodes], new_parents[nodes] = root, -1
        nodes += 1
        word = word_offsets[row]
        holding = True  # only wrappers so far
        for node in range(start, stop):
            leaf = node + 1 == stop or parents[node + 1] != node - start
            if alive[node - start]:
                if holding and wrapper[labels[node]] and not leaf:
                    place[node - start] = 0
                    holding = children[node - start] == 1
                else:
                    holding = False
                    new_labels[nodes] = labels[node]
                    new_parents[nodes] = place[parents[node]] if node > start else 0
                    place[node - start] = nodes - first
                    nodes += 1
                if leaf:
                    kept_words[words] = word
                    words += 1
            if leaf:
                word += 1
        new_nodes[row + 1], new_words[row + 1] = nodes, words
    return new_labels[:nodes], new_parents[:nodes], new_nodes, kept_words[:words], new_words, -1
