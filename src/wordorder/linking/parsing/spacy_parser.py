"""Parsing with spaCy pipelines, with one parse per sentence (requires the optional extra ``parsers``)."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from wordorder.core.runtime.columns import offsets_from_lengths
from wordorder.core.runtime.errors import UsageError, refuse
from wordorder.core.runtime.libraries import optional
from wordorder.core.text import Tokens
from wordorder.core.trees import ROOT, DependencyTree, DependencyTrees, ParseLists

SENTENCES_PER_BATCH = 128


def parse_with_spacy(sentences: Tokens | Sequence[Sequence[str]], *, model: str | Any) -> ParseLists[DependencyTrees]:
    """Parse tokenised sentences with a spaCy pipeline: a name such as ``fr_core_news_sm`` or a loaded pipeline.

    The given words and sentences are never split or joined: if a pipeline finds several roots in a sentence, the
    later roots become dependents of the first. Tags are spaCy's universal tags; fine tags are specific to the
    pipeline.
    """
    pipeline = load_spacy(model) if isinstance(model, str) else model
    trees = [_tree(document) for document in _documents(pipeline, sentences)]
    filled = [tree for tree in trees if len(tree)]
    offsets = offsets_from_lengths([bool(len(tree)) for tree in trees])
    names = tuple(str(place + 1) for place in range(len(trees)))
    return ParseLists(DependencyTrees.of(filled), np.zeros(len(filled)), offsets, names)


def load_spacy(model: str) -> Any:
    """Load a spaCy pipeline that has a dependency parser."""
    spacy = optional("spacy", "parsers")
    try:
        pipeline = spacy.load(model)
    except OSError:
        raise UsageError(f"spaCy cannot find the pipeline {model!r}; install it, or give its folder") from None
    refuse("parser" not in pipeline.pipe_names, f"the spaCy pipeline {model!r} has no dependency parser")
    return pipeline


def _documents(pipeline: Any, sentences: Tokens | Sequence[Sequence[str]]) -> Iterator[Any]:
    from spacy.tokens import Doc

    documents = (
        Doc(pipeline.vocab, words=list(words), sent_starts=[place == 0 for place in range(len(words))])
        for words in sentences
    )
    return iter(pipeline.pipe(documents, batch_size=SENTENCES_PER_BATCH))


def _tree(document: Any) -> DependencyTree:
    heads = [ROOT if token.head.i == token.i else token.head.i for token in document]
    roots = [place for place, head in enumerate(heads) if head == ROOT]
    for extra in roots[1:]:
        heads[extra] = roots[0]
    return DependencyTree(
        tuple(token.text for token in document),
        tuple(heads),
        tuple(token.dep_ for token in document),
        tuple(token.pos_ or "_" for token in document),
        tuple(token.tag_ or "_" for token in document),
    )
