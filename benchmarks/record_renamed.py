"""What 1.0.0rc1 says in other words than 0.2.0: ``record.py`` writes old recordings anew before it compares them."""

from __future__ import annotations

REWORDED = (
    ("version:0.2.0", "version:1.0.0rc1"),
    ('"version": "0.2.0"', '"version": "1.0.0rc1"'),
    ("--source and --target go together", "--source and --target must be given together"),
    (
        "with text, alignments are used by the orders 'source' and 'monotone'; choose one",
        "with text, --hyp-align requires --order source or --order monotone",
    ),
    (
        "--docs: 200 document ids for 300 segments; expected one per segment",
        "--docs: expected one document id per segment, found 200 document ids for 300 segments",
    ),
    (
        (
            "give --judgements with --ref and --hyp, or with --permutations; or --set xx-yy JUDGEMENTS "
            "REF HYP …; or --mtme"
        ),
        (
            "judgements or texts are missing; give --judgements with --ref and --hyp (or with "
            "--permutations), --set xx-yy JUDGEMENTS REF HYP …, or --mtme"
        ),
    ),
    (
        (
            "line 1: the policy birch needs the length of every source sentence; row 1 has none (give "
            "the source text (--source) or its lengths (--source-lengths), or use the policy 'drop')"
        ),
        (
            "line 1: the policy birch needs the length of every source sentence, but it is unknown for "
            "row 1; give --source or --source-lengths, or use --policy drop"
        ),
    ),
    (
        ("hypotheses are compared with references; give at least one reference, or the source (--ref or --source)"),
        "hypotheses require references or a source to compare with: give --ref or --source",
    ),
    ("the order 'source' needs the source text (--source)", "--order source needs the source text; give --source"),
    (
        (
            "there is nothing to score: give hypotheses with references or their source, permutations, "
            "alignments of hypotheses with those of references, or parses of both"
        ),
        (
            "nothing to score: give --hyp and --ref (or --source), or --permutations, or --hyp-align and "
            "--ref-align, or --hyp-parses and --ref-parses"
        ),
    ),
    (
        "metric bleu needs text with a reference, which this input does not have",
        "metric bleu needs text with a reference, which this input does not include",
    ),
    (
        "permutations are word orders already; the order 'source' is for text or alignments",
        "--order source applies to texts and alignments only; leave it out to score permutations",
    ),
    (
        "rankings.csv: has no comparison of xx-yy (found: cs-en (123), de-en (159), es-en (147), fr-en (154))",
        "rankings.csv: no comparisons for xx-yy (found: cs-en (123), de-en (159), es-en (147), fr-en (154))",
    ),
    (
        "give --grammar, --parser or --spacy to parse with; 'wordorder parse train' learns a parser",
        "no parser was given; use --grammar, --parser or --spacy ('wordorder parse train' learns one)",
    ),
    (
        "metric edpm needs parses, which this input does not have; give parses, or a grammar to parse with",
        "metric edpm needs parses, which this input does not include; give parses, or a grammar to parse with",
    ),
    (
        ("nothing to profile: give --source and --target, alignment files, --hyp-align, --factors or --cognates"),
        "no input; give --source and --target, alignments, --hyp-align, --factors or --cognates",
    ),
    (
        (
            "no rule set or file 'r9'; built-in rule sets: r1, r2, r3, r4, r5, head-initial-r3, "
            "head-initial-r4, head-initial-r5"
        ),
        (
            "there is no rule set or file named 'r9'; the built-in rule sets are r1, r2, r3, r4, r5, "
            "head-initial-r3, head-initial-r4, head-initial-r5"
        ),
    ),
    ("judgements of 11 systems match no text:", "no text for 11 systems with judgements:"),
    ("; there are texts of UG-WMT12", "; found texts for UG-WMT12"),
)
"""Pairs of a text in a recording of 0.2.0 and the text that stands in its place."""


def reword(text: str) -> str:
    """Write the output of 0.2.0 as 1.0.0rc1 words it."""
    for old, new in REWORDED:
        text = text.replace(old, new)
    return text
