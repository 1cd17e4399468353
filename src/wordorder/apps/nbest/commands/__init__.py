"""Evaluate n-best lists and sampled translations, and choose the best translation of each sentence.

Lists are read in Moses format by default; --nbest-format or FORMAT:FILE selects another format.

examples:
  wordorder nbest oracle dev.nbest.gz --ref dev.ref --metrics lr-kb4,bleu         best possible scores
  wordorder nbest tune dev.nbest.gz --ref dev.ref --objective lr-kb4 --save weights.tsv      better weights
  wordorder nbest rerank test.nbest.gz --weights weights.tsv -o best.txt          choose with these weights
  wordorder nbest mbr samples.nbest.gz --utility lr-kb4 -o best.txt               most similar to the others
  wordorder nbest loop --decoder '… {source} {weights} {nbest}' --work tuning …     tune a decoder iteratively
  wordorder nbest COMMAND --help                                                  options and examples of a command
"""

COMMANDS = {
    "oracle": "compute oracle scores, for the best and the worst choice from lists",
    "tune": "tune feature weights for one or more objectives",
    "rerank": "choose the best translation of each sentence, given feature weights",
    "mbr": "choose the translation most similar to all others (minimum Bayes risk)",
    "loop": "tune a decoder by alternating translation and tuning; can be resumed",
}
