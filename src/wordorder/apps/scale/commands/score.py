"""Score the translations in a corpus of Parquet files: write the scores of every row, and print the totals.

Every system and every reference is a column. A row whose text is missing, not UTF-8 or longer than 65,536 words gets
a reason instead of a score.

examples:
  wordorder scale score pairs --columns reference=ref A=hyp_a B=hyp_b --out scores --workers 0
  wordorder scale score 's3://bucket/pairs/*.parquet' --columns reference=ref A=hyp --metrics kendall,pef,bleu --out s
  wordorder scale score pairs --columns reference1=r1 reference2=r2 A=hyp --out scores --dask tcp://host:8786
  wordorder scale score pairs --columns reference=ref A=hyp --samples 1000 --out scores
  wordorder scale score pairs --columns reference=ref A=hyp --out scores --shard $SLURM_ARRAY_TASK_ID/40
"""

import argparse

from wordorder.apps.scale.commands import arguments
from wordorder.cli.arguments import add_metrics, add_settings
from wordorder.cli.inputs import add_words, text_options
from wordorder.cli.output import add_output, chosen_style, print_result
from wordorder.scoring.options import InputOptions, ScoreOptions

COMMON = "corpus columns out metrics samples match tokenize workers shard dask format"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    group = arguments.add_corpus(parser, columns="columns of the reference (or reference1, reference2 …) and systems")
    add_words(group)
    what = parser.add_argument_group("measures")
    add_metrics(what, "names or groups, as in 'wordorder score' (default kendall-sqrt,pef,bleu)")
    add_settings(what, InputOptions, "weight")
    add_settings(what, ScoreOptions, "reference_choice")
    drawn = "number of Poisson bootstrap samples for 95%% intervals (default 0: no intervals)"
    what.add_argument("--samples", type=int, default=0, metavar="N", help=drawn)
    what.add_argument("--seed", type=int, default=12345, metavar="N", help="seed for --samples (default 12345)")
    arguments.add_running(parser)
    add_output(parser, percent=True)


def run(options: argparse.Namespace) -> None:
    """Score the systems and print the totals."""
    arguments.require(options, "corpus", "columns", "out")
    from wordorder.apps.scale import score

    with arguments.end_of_shard(options):
        scores = score(**arguments.arguments_of(options, score, **text_options(options)))
        style = chosen_style(options)
        print_result(options, lambda: style.apply(scores.table()), scores.to_dict)
