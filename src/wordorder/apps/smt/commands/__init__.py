"""Train a small phrase-based translation system (Thot), and translate with it.

It writes n-best lists with features, and accepts weights and a reordering limit: all it takes to tune a system for
word order ('wordorder nbest loop').

examples:
  wordorder smt train --source train.de --target train.en -o de-en
  wordorder smt translate de-en test.de > test.hyp
  wordorder smt translate de-en dev.de --weights weights.tsv --limit 6 --nbest dev.nbest.gz --count 100
  wordorder smt COMMAND --help                                what each takes, with examples
"""

COMMANDS = {
    "train": "train a phrase-based system from parallel text",
    "translate": "translate text, with n-best lists, weights and a reordering limit",
}
