"""Translate text with a system of 'wordorder smt train': the best translation of each line, and n-best lists."""

from __future__ import annotations

import argparse
import contextlib

from wordorder.core.runtime.errors import UsageError

EXAMPLES = """\
examples:
  wordorder smt translate de-en test.de > test.hyp
  wordorder smt translate de-en test.de --limit 0 -o monotone.hyp
  wordorder smt translate de-en dev.de --weights weights.tsv --nbest dev.nbest.gz --count 100 > dev.hyp
  wordorder nbest loop --decoder 'wordorder smt translate de-en {source} --weights {weights} --nbest {nbest}' …
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    parser.add_argument("system", metavar="FOLDER", help="a folder made by 'wordorder smt train'")
    parser.add_argument("source", metavar="FILE", help="text to translate, one sentence per line (-: standard input)")
    parser.add_argument("--weights", metavar="FILE", help="weights of the features: lines 'feature<TAB>weight'")
    parser.add_argument("--objective", metavar="NAME", help="which weights, where the file has several columns")
    parser.add_argument(
        "--limit", type=int, default=3, metavar="N", help="source words that may be skipped (default 3; 0: monotone)"
    )
    parser.add_argument(
        "--nbest",
        dest="nbest_file",
        metavar="FILE",
        help="also write the best translations and features, as Moses does",
    )
    parser.add_argument("--count", type=int, metavar="N", help="translations per sentence in it (default 100)")
    parser.add_argument(
        "-o", "--output", dest="result_file", metavar="FILE", help="translations (default: standard output)"
    )


def run(options: argparse.Namespace) -> None:
    """Translate a text line by line, and write the n-best lists if requested."""
    from wordorder.apps.nbest.weights import read_weights
    from wordorder.apps.smt import System
    from wordorder.core.runtime.files import atomic_write

    if options.count is not None and not options.nbest_file:
        raise UsageError("--count is for --nbest")
    if options.objective and not options.weights:
        raise UsageError("--objective is for --weights")
    weights = read_weights(options.weights, options.objective) if options.weights else None
    count = (100 if options.count is None else options.count) if options.nbest_file else 1
    found = System(options.system).translate(options.source, count=count, weights=weights, limit=options.limit)
    with contextlib.ExitStack() as files:
        lists = files.enter_context(atomic_write(options.nbest_file)) if options.nbest_file else None
        for sentence, translations in enumerate(found):
            print(translations[0].text)
            for translation in translations if lists else ():
                assert lists is not None
                lists.write(translation.line(sentence) + "\n")
