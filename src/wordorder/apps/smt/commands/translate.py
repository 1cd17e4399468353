"""Translate each line of a text with a system trained by 'wordorder smt train', and optionally write n-best lists.

examples:
  wordorder smt translate de-en test.de > test.hyp
  wordorder smt translate de-en test.de --limit 0 -o monotone.hyp
  wordorder smt translate de-en dev.de --weights weights.tsv --nbest dev.nbest.gz --count 100 > dev.hyp
  wordorder nbest loop --decoder 'wordorder smt translate de-en {source} --weights {weights} --nbest {nbest}' …
"""

import argparse
import contextlib

from wordorder.core.runtime.errors import refuse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add = parser.add_argument
    add("system", metavar="FOLDER", help="a folder written by 'wordorder smt train'")
    add("source", metavar="FILE", help="text to translate, one sentence per line (-: standard input)")
    add("--weights", metavar="FILE", help="file with feature weights, one 'feature<TAB>weight' per line")
    add("--objective", metavar="NAME", help="column of the weights file to use, if it has several")
    skipped = "reordering limit: number of source words that may be skipped (default 3; 0: monotone)"
    add("--limit", type=int, default=3, metavar="N", help=skipped)
    best = "also write n-best lists with features to this file, in the format of Moses"
    add("--nbest", dest="nbest_file", metavar="FILE", help=best)
    add("--count", type=int, metavar="N", help="number of translations per sentence in --nbest (default 100)")
    add("-o", "--output", dest="result_file", metavar="FILE", help="output file (default: standard output)")


def run(options: argparse.Namespace) -> None:
    """Translate the text line by line, and write n-best lists if requested."""
    from wordorder.apps.nbest.weights import read_weights
    from wordorder.apps.smt import System
    from wordorder.core.runtime.files import atomic_write

    size = "--count is the size of the n-best lists, so it requires --nbest FILE"
    refuse(options.count is not None and not options.nbest_file, size)
    column = "--objective selects a column of the weights file, so it requires --weights FILE"
    refuse(options.objective and not options.weights, column)
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
