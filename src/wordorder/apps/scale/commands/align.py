"""Align the words of a corpus: train a model on a sample of it, or load one, and add a column of links.

All columns of the corpus are kept; the column 'links' has 0-based source-target links. By default,
text is split at whitespace and lowercased for the aligner. If the product of both sentence lengths exceeds 2,048 ×
2,048 words, a pair gets no links, but a reason in the column 'reason'.

examples:
  wordorder scale align corpus --out aligned --workers 0                      train on 2,000,000 pairs, then align
  wordorder scale align corpus --train-sample 500000 --save de-en.model       train only
  wordorder scale align corpus --model de-en.model --out aligned --shard 3/40
  wordorder scale align corpus --columns source=translation.de target=translation.en --tokenize 13a --out aligned
"""

import argparse

from wordorder.apps.scale.commands import arguments
from wordorder.cli.arguments import add_settings, add_threads
from wordorder.cli.output import add_output, print_result
from wordorder.core.runtime.errors import UsageError
from wordorder.scoring.options import InputOptions

COMMON = "corpus out columns model save train_sample workers shard dask"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    group = arguments.add_corpus(parser, columns="columns of source and target (default: columns with these names)")
    add_settings(group, InputOptions, "tokenize", tokenize={"default": "none"})
    group.add_argument("--keep-case", action="store_true", help="align the text without lowercasing it")
    model = parser.add_argument_group("aligner")
    add = model.add_argument
    add("--model", metavar="FILE", help="use a model saved by --save or by 'wordorder align --save'")
    samples = "train a model on about N pairs from the whole corpus (default 2000000)"
    add("--train-sample", type=int, metavar="N", help=samples)
    add("--save", metavar="FILE", help="file for the new model (default: a file in the output folder)")
    add("--aligner", default="hmm", metavar="NAME", help="model to train: model1, diagonal or hmm (default hmm)")
    methods = "how to combine alignments of both directions (default grow-diag-final-and), as in 'wordorder align'"
    add("--symmetrise", default="grow-diag-final-and", metavar="NAME", help=methods)
    add_threads(model)
    arguments.add_running(parser)
    add_output(parser, file=False)


def run(options: argparse.Namespace) -> None:
    """Train a model unless one is given, align the corpus, and print the number of links."""
    arguments.require(options, "corpus")
    if options.model and (options.train_sample or options.save):
        raise UsageError(
            "--model loads a trained model, so it cannot be combined with --train-sample or --save; leave "
            "out these options or --model"
        )
    if not options.out and not options.save:
        raise UsageError("nothing to write; give --out FOLDER to align the corpus, or --save FILE to train a model")
    if options.shard and not options.model:
        raise UsageError("--shard needs --model, because all shards need the same model; train it once with --save")
    from wordorder.apps.scale import align
    from wordorder.linking.aligning import Aligning

    with arguments.end_of_shard(options):
        aligning = Aligning(options.aligner, options.symmetrise)
        found = align(**arguments.arguments_of(options, align, aligning=aligning))
        if found is None:
            print(f"wrote {options.save}")
        else:
            print_result(options, found.table, found.to_dict)
