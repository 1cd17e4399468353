"""Train a phrase-based system on parallel text, and write it to a folder.

Training aligns the words (IBM model 1 and HMM), extracts phrases, and estimates a trigram language model. It takes a
few seconds for 2,000 sentence pairs and a few minutes for 29,000.

examples:
  wordorder smt train --source train.de --target train.en -o de-en
  wordorder smt train --source raw.de --target raw.en --tokenize 13a --lowercase -o de-en
"""

import argparse

from wordorder.cli.arguments import add_settings, arguments_for
from wordorder.scoring.options import InputOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    text = parser.add_argument_group("text")
    text.add_argument("--source", required=True, metavar="FILE", help="source text, one sentence per line")
    text.add_argument("--target", required=True, metavar="FILE", help="translation of the source text, line by line")
    add_settings(text, InputOptions, "tokenize", "lowercase", tokenize={"default": "none"})
    add = parser.add_argument_group("training").add_argument
    add("--phrase-length", type=int, default=5, metavar="N", help="maximum length of phrases (default 5)")
    add("--iterations", type=int, default=5, metavar="N", help="training iterations per alignment model (default 5)")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="new folder; it must not exist yet")


def run(options: argparse.Namespace) -> None:
    """Train the system, and print the number of sentence pairs it was trained on."""
    from wordorder.apps.smt import train

    made = train(**arguments_for(options, train, folder=options.output, tokenizer=options.tokenize))
    left = made["pairs"] - made["used"]
    without = f" ({left} pairs are empty or too long and were left out)" if left else ""
    print(f"{options.output}: a system trained on {made['used']} sentence pairs{without}")
