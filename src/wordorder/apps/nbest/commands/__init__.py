"""Work with n-best lists and samples of a translation system: evaluate them, and choose translations from them.

Lists are read in the format of Moses, or in another format (--nbest-format, or FORMAT:FILE).

examples:
  wordorder nbest oracle dev.nbest.gz --ref dev.ref --metrics lr-kb4,bleu         how good they could be
  wordorder nbest tune dev.nbest.gz --ref dev.ref --objective lr-kb4 --save weights.tsv      better weights
  wordorder nbest rerank test.nbest.gz --weights weights.tsv -o best.txt          … and use the weights
  wordorder nbest mbr samples.nbest.gz --utility lr-kb4 -o best.txt               the one most like the others
  wordorder nbest loop --decoder '… {source} {weights} {nbest}' --work tuning …     tune a decoder from end to end
  wordorder nbest COMMAND --help                                                  what each takes, with examples
"""

COMMANDS = {
    "oracle": "oracle scores: the best and the worst choice from lists",
    "tune": "tune feature weights for one or more objectives",
    "rerank": "choose the best translation of each sentence under given weights",
    "mbr": "take the translation that is most like all the others (minimum Bayes risk)",
    "loop": "tune a decoder by translating and tuning in turn; can be resumed",
}
