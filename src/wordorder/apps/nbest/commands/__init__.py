"""Evaluate n-best lists and samples from a translation system, and choose translations from them.

Lists are read in the format of Moses, or in another format (--nbest-format, or FORMAT:FILE).

examples:
  wordorder nbest oracle dev.nbest.gz --ref dev.ref --metrics lr-kb4,bleu         best possible scores
  wordorder nbest tune dev.nbest.gz --ref dev.ref --objective lr-kb4 --save weights.tsv      better weights
  wordorder nbest rerank test.nbest.gz --weights weights.tsv -o best.txt          … and use the weights
  wordorder nbest mbr samples.nbest.gz --utility lr-kb4 -o best.txt               most similar to the others
  wordorder nbest loop --decoder '… {source} {weights} {nbest}' --work tuning …     tune a decoder iteratively
  wordorder nbest COMMAND --help                                                  what each takes, with examples
"""

COMMANDS = {
    "oracle": "compute oracle scores, for the best and the worst choice from lists",
    "tune": "tune feature weights for one or more objectives",
    "rerank": "choose the best translation of each sentence, given feature weights",
    "mbr": "choose the translation most similar to all others (minimum Bayes risk)",
    "loop": "tune a decoder by alternating translation and tuning; can be resumed",
}
