"""Make HTML pages that show profiles or reproduced reorderings together with every sentence pair."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.apps.profile import Corpus, Profiles, rquantity
from wordorder.apps.profile.reproduction import Reproductions
from wordorder.apps.profile.sentences import Sentences
from wordorder.core.orders import Alignments, order_against_source
from wordorder.linking.matching.matches import Chunks
from wordorder.show.explorer.page import Page
from wordorder.show.explorer.segments import Segments, write_lines


def profile_page(profiles: Profiles, corpora: Sequence[Corpus], *, command: str, threads: int) -> Page:
    """Make a page that shows profiles, and every sentence pair with its links and measures.

    The corpora must be readable again, because the profiles do not contain sentences.
    """
    tables = (
        profiles.table(),
        replace(profiles.width_table(), title="Reorderings by width"),
        replace(profiles.length_table(), title="RQuantity by length"),
    )
    policy = profiles.profiles[0].policy
    sets = tuple(_corpus_segments(corpus, policy, profiles.side, threads) for corpus in corpora)
    return Page(f"Profile of {', '.join(corpus.name for corpus in corpora)}", tables, sets, command)


def _corpus_segments(corpus: Corpus, policy: str, side: str, threads: int) -> Segments:
    blocks = list(corpus.blocks(words=True))
    measured = list(corpus.measure(iter(blocks), policy=policy, threads=threads))
    columns: dict[str, list[NDArray[Any]]] = {
        "rquantity": [rquantity(block.reorderings, block.alignments, side=side) for block in measured],
        "reorderings": [block.reorderings.lengths for block in measured],
        "crossings": [block.crossings for block in measured],
        "cycles": [block.cycles for block in measured],
        "largest operator": [block.largest_operator for block in measured],
    }
    links = Alignments.concatenate([block.alignments for block in measured])
    target = _lines([pairs[2] for pairs in blocks])
    return Segments(
        corpus.name,
        (corpus.name,),
        tuple(columns),
        np.array([[np.concatenate(column)] for column in columns.values()], dtype=np.float64),
        (0,) * len(columns),
        getattr(links, f"{side}_lengths").astype(np.int64),
        source=_lines([pairs[1] for pairs in blocks]),
        hypotheses=() if target is None else (target,),
        orders=((Chunks.of_orders(order_against_source(links, policy=policy)),),),
        system_links=(links,),
        counts=frozenset(columns) - {"rquantity"},
    )


def _lines(sides: Sequence[Sentences]) -> bytes | None:
    known = [side.words for side in sides if side.words is not None]
    return b"".join(map(write_lines, known)) if len(known) == len(sides) else None


def reproduction_page(found: Reproductions, reference: Corpus, systems: Sequence[Corpus], *, command: str) -> Page:
    """Make a page that shows the share of reorderings that each system reproduced, overall and in each sentence.

    The alignments are read a second time, because the results contain no links, so they cannot come from a pipe.
    """
    blocks = [list(corpus.blocks(words=True)) for corpus in (reference, *systems)]
    links = [Alignments.concatenate([pairs[0] for pairs in each]) for each in blocks]
    counts = np.stack([each.counts.sum(axis=1) for each in found.found]).astype(np.float64)
    with np.errstate(invalid="ignore"):
        shares = counts[:, :, 0] / counts[:, :, 1]
    reorderings = "reorderings in the reference"
    segments = Segments(
        "",
        found.systems,
        ("reproduced", reorderings),
        np.stack([shares, counts[:, :, 1]]),
        (1, 0),
        links[0].source_lengths.clip(0).astype(np.int64),
        source=_lines([pairs[1] for pairs in blocks[0]]),
        reference_links=(links[0],),
        system_links=tuple(links[1:]),
        counts=frozenset({reorderings}),
    )
    return Page("Reproduced reorderings", (found.table(),), (segments,), command)
