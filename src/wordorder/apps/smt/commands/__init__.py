"""Train a small phrase-based translation system (Thot), and translate with it.

The system writes n-best lists with features, and accepts feature weights and a reordering limit, so it can be tuned
for word order ('wordorder nbest loop').

examples:
  wordorder smt train --source train.de --target train.en -o de-en
  wordorder smt translate de-en test.de > test.hyp
  wordorder smt translate de-en dev.de --weights weights.tsv --limit 6 --nbest dev.nbest.gz --count 100
  wordorder smt COMMAND --help                                options and examples of a command
"""

COMMANDS = {
    "train": "train a phrase-based system from parallel text",
    "translate": "translate text, optionally with n-best lists, weights and a reordering limit",
}
