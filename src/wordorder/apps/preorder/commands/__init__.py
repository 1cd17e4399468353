"""Reorder parsed source sentences by rules, evaluate the new orders, and find the causes of errors.

The new orders are compared with reference orders derived from word alignments, without running a translation system
(Talbot et al. 2011).

examples:
  wordorder preorder rules r5 > mine.rules                                        a rule set to start from
  wordorder preorder apply --parses en.conllu --rules mine.rules > reordered.txt
  wordorder preorder evaluate --parses en.conllu --align en-ja.align --rules r1 r4 r5 mine.rules learned
  wordorder preorder blame --parses en.conllu --align en-ja.align --rules mine.rules
  wordorder preorder COMMAND --help                                               options and examples of a command
"""

COMMANDS = {
    "evaluate": "score rule sets and parsers",
    "apply": "write the reordered sentences",
    "blame": "find out which errors are due to the rules and which to the parses",
    "learn": "learn rules from reference orders",
    "select": "choose, from several parses of each sentence, the one with the best reordering",
    "selftrain": "test whether a parser improves if trained on its own parses with the best reordering",
    "reference": "write reference orders that people can edit, or check word alignments",
    "rules": "list or print the built-in rule sets",
}
