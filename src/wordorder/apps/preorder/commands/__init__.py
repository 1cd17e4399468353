"""Reorder parsed source sentences by rules, and find out how good the order is and what is to blame for errors.

Orders are compared with reference orders, which come from word alignments; no translation system is run (Talbot et
al. 2011).

examples:
  wordorder preorder rules r5 > mine.rules                                        a rule set to start from
  wordorder preorder apply --parses en.conllu --rules mine.rules > reordered.txt
  wordorder preorder evaluate --parses en.conllu --align en-ja.align --rules r1 r4 r5 mine.rules learned
  wordorder preorder blame --parses en.conllu --align en-ja.align --rules mine.rules
  wordorder preorder COMMAND --help                                               what each takes, with examples
"""

COMMANDS = {
    "evaluate": "score rule sets and parsers",
    "apply": "write the reordered sentences",
    "blame": "what goes wrong, and is it the rules or the parse?",
    "learn": "learn rules from reference orders",
    "select": "of several parses, choose the one that reorders best",
    "selftrain": "cross-validate whether a parser gains from its own parses that reorder best",
    "reference": "write reference orders people can edit, or check the alignments they come from",
    "rules": "list or print the built-in rule sets",
}
