"""What stands too early or too late: planted errors, systems of WMT12 in both directions, and languages of PUD."""

from __future__ import annotations

from typing import Any

import numpy as np

import wordorder
from papers.writing import DATA, Page, enumerate_words, write_cell, write_p
from wordorder.apps.patterns.measuring import NEGATIONS, SHARES, negation_early
from wordorder.apps.patterns.patterns import Search
from wordorder.core.statistics import Resampling
from wordorder.core.text import tokenise
from wordorder.formats import pud, text

REFERENCE = "wmt12/newstest2012-ref"
OUTPUTS = "wmt12/system-outputs"
RUNS = 20
INTO_GERMAN = ("DFKI-hunsicker", "jhu-hiero", "onlineB", "uk-dan-moses")
HERE = {"early": "earlier", "late": "later"}
EXPECTED = {
    "French": (
        "English puts adjectives and compounds before the noun; French puts the noun first.",
        {"amod", "compound"},
    ),
    "Japanese": (
        "English puts verbs, copulas, auxiliaries and prepositions first; Japanese puts them after the words that"
        " they belong to.",
        {"root", "cop", "aux", "case"},
    ),
}
"""What a grammar book says of English and the other language, and the relations that should then stand earlier."""


def tag_references(page: Page) -> None:
    """Tag the English side with our own parser."""
    page.say("## Tags")
    page.say(
        "The English side of WMT12 is tagged and parsed by our own parser, which has learned from only 999 sentences"
        " of another kind (PUD), so some tags are wrong (see [how good the parsers are](parsers.md))."
    )
    page.shell(
        "wordorder --quiet parse train pud-aligned/en-fr/en.conllu -o en.parser",
        f"wordorder --quiet parse {REFERENCE}.en --parser en.parser -o en.conllu",
    )


def planted(page: Page) -> None:
    """Errors that were planted in references and in a translation."""
    page.say("## Planted errors")
    page.say(
        f"In each of {RUNS} random samples of 1,000 sentences, errors of one kind are planted in 3, 10 and 30% of the"
        " sentences (or in all that contain words of this kind, such as verbs, if there are fewer), once in the"
        " reference and once in a translation. For the reference, we look at its patterns; for the translation, at"
        " the differences from the translation without these errors. `first` is the share of samples in which the"
        " strongest of them names"
        " the planted error; `found` is the share in which any of them does:"
    )
    command = f"patterns --measure --ref {REFERENCE}.en --tags en.conllu --runs {RUNS}"
    made = {
        "reference": page.run(command)["rows"],
        "`onlineB`": page.run(f"{command} --hyp {OUTPUTS}/de-en/newstest2012.de-en.onlineB")["rows"],
    }
    keys = [(row["planted"], row["share"]) for row in made["reference"]]
    found = {(name, row["planted"], row["share"]): row for name, rows in made.items() for row in rows}
    page.table(
        ["planted", "share", *(f"{name}: {what}" for name in made for what in ("sentences", "first", "found"))],
        [
            [
                planted,
                "" if share is None else f"{share:.0%}",
                *(
                    write_cell(found[name, planted, share][what], digits)
                    for name in made
                    for what, digits in (("sentences", 0), ("first", 2), ("found", 2))
                ),
            ]
            for planted, share in keys
        ],
    )
    errors = [key for key in keys if key[1] is not None]
    alarms = [rows[-1]["found"] for rows in made.values()]
    in_hyp = {key: found["`onlineB`", *key]["first"] for key in errors}
    lowest = min(in_hyp[key] for key in errors if key[1] == SHARES[0])
    page.conclude(
        "In references, every kind of error comes first in at least 95% of the samples if it is planted in 10% of the"
        " sentences or more, and in at least 60% of the samples if it is planted in 3% of the sentences. In a"
        " translation, misplaced verbs and adverbs come first just as often, and so do negations planted in 10% of the"
        f" sentences. If they are planted in 3% of the sentences, negations come first in {lowest:.0%} of the samples."
        " With shuffled labels, a pattern is found in at most 5% of the samples.",
        all(found["reference", *key]["first"] >= (0.6 if key[1] == SHARES[0] else 0.95) for key in errors),
        all(first >= (0.6 if share == SHARES[0] else 0.95) for (_, share), first in in_hyp.items()),
        max(alarms) <= 0.05,
    )
    page.sum_up(
        "If one kind of error is planted in 10% of the sentences of a reference, it is nearly always found as the"
        " strongest pattern."
    )


def bounds(page: Page) -> None:
    """How much of a planted error can be seen in a translation at all, and what two equal systems give."""
    system = f"{OUTPUTS}/de-en/newstest2012.de-en.onlineB"
    lines, gold = (text.read(DATA / name).to_pylist() for name in (system, f"{REFERENCE}.en"))
    plain = [[(word, "") for word in line] for line in tokenise([lines])[0]]
    changed = [row for row, words in enumerate(plain) if negation_early(words) != words]
    texts = {
        "original": [" ".join(word for word, _ in plain[row]) for row in changed],
        "planted": [" ".join(word for word, _ in negation_early(plain[row])) for row in changed],
    }
    search = Search.of(
        texts, [" ".join(words) for words in tokenise([[gold[row] for row in changed]])[0]], tokenize="none"
    )
    known = [number for word, number in search.numbers.known["word"].items() if word in NEGATIONS]
    sums = []
    for moved, codes in zip(search.moved, search.codes, strict=True):
        mine = np.isin(codes["word"], known)
        sums.append(
            [np.bincount(moved.segment[mine], part[mine], len(changed)) for part in (moved.weight, moved.early)]
        )
    matched, seen = int((sums[1][0] > 0).sum()), int((sums[1][1] > sums[0][1]).sum())
    chance, alarms = np.random.default_rng(1), 0
    other = text.read(DATA / f"{OUTPUTS}/de-en/newstest2012.de-en.uk-dan-moses").to_pylist()
    for _ in range(RUNS):
        flips = chance.random(len(lines)) < 0.5
        one = [a if flip else b for a, b, flip in zip(lines, other, flips, strict=True)]
        two = [b if flip else a for a, b, flip in zip(lines, other, flips, strict=True)]
        tags = page.folder / "en.conllu"
        made = wordorder.patterns({"one": one, "two": two}, gold, tags=tags, examples=0, resampling=Resampling(0))
        alarms += bool(made.differences)
    page.conclude(
        f"The data limit how many planted negations can be seen: of {len(changed)} sentences of `onlineB` in which a"
        f" negation can be moved, {matched} contain a negation that matches the reference, and in {seen} of these the"
        f" negation is moved past words that match, too. So only about {30 * seen / len(changed):.0f} of 30 planted"
        " errors can be seen. If two systems do not differ, hardly any difference is found: when `onlineB` and"
        " `uk-dan-moses` exchanged their translations in a random half of the segments, a difference was found in"
        f" {alarms or 'none'} of {RUNS} runs.",
        matched < 0.7 * len(changed),
        seen < 0.5 * len(changed),
        alarms <= 0.05 * RUNS,
    )


def into_english(page: Page) -> None:
    """All systems of German to English."""
    page.say("## German to English")
    page.say(
        "The table lists the significant patterns of word classes and dependency relations in the output of WMT12's"
        " sixteen systems, strongest first. Patterns that repeat a stronger one are left out."
    )
    made = page.run(f"patterns --hyp {OUTPUTS}/de-en/* --ref {REFERENCE}.en --tags en.conllu")
    show(page, made, "newstest2012.de-en.", ("class", "relation"))
    two = page.run(
        f"patterns --hyp {OUTPUTS}/de-en/newstest2012.de-en.onlineB {OUTPUTS}/de-en/newstest2012.de-en.uk-dan-moses"
        f" --ref {REFERENCE}.en --tags en.conllu"
    )
    page.table(
        ["`uk-dan-moses` against `onlineB`", "too", "rate", "`onlineB`", "p"],
        [
            [f"{one['kind']} `{one['label']}`", one["direction"], one["rate"], one["elsewhere"], write_p(one["p"])]
            for one in two["differences"]
            if not one["repeats"]
        ],
    )
    verbs = [one for one in made["patterns"] if (one["label"], one["direction"]) == ("VERB", "late")]
    systems = {one["system"].removeprefix("newstest2012.de-en.") for one in verbs} - {"all systems"}
    words = [one for one in made["patterns"] if one["kind"] == "word" and one["system"] != "all systems"]
    page.conclude(
        f"The typical pattern in this translation direction is that verbs come too late: this holds for {len(systems)}"
        " of 16 systems, and in the output of none do verbs come too early. This is what one expects of systems that"
        " leave German verbs at the end of the clause. Most single words are too rare for a test. Only the following"
        f" words are significant in any system: {enumerate_words(sorted({one['label'] for one in words}))}.",
        len(systems) >= 5,
        not any((one["label"], one["direction"]) == ("VERB", "early") for one in made["patterns"]),
        0 < len(words) < 10,
    )
    page.sum_up(
        f"Verbs come too late in the output of {len(systems)} of 16 systems that translate from German into English,"
        " and too early in that of none."
    )


def into_german(page: Page) -> None:
    """Four systems of English to German, by words and by the classes of the English words."""
    page.say("## English to German")
    page.say(
        "We have no German tagger, so German words get the classes of the English words to which an aligner links"
        " them. This aligner learns from these texts alone. The table shows the patterns of four systems:"
    )
    systems = " ".join(f"{OUTPUTS}/en-de/newstest2012.en-de.{name}" for name in INTO_GERMAN)
    made = page.run(f"patterns --hyp {systems} --ref {REFERENCE}.de --source {REFERENCE}.en --source-tags en.conllu")
    show(page, made, "newstest2012.en-de.", ("source class", "source relation", "word"))
    verbs = {
        one["system"].removeprefix("newstest2012.en-de."): one["direction"]
        for one in made["patterns"]
        if (one["kind"], one["label"]) == ("source class", "VERB")
    }
    page.conclude(
        "In the output of `uk-dan-moses`, words for English verbs come too early, as one expects of a phrase-based"
        " system that leaves verbs where they stand in English. In the output of `DFKI-hunsicker`, they come too late."
        " Over all four systems together, neither pattern is significant.",
        verbs == {"uk-dan-moses": "early", "DFKI-hunsicker": "late"},
    )


def between_languages(page: Page) -> None:
    """PUD: which relations move between English and the other language."""
    page.say("## Between languages")
    page.say(
        "Patterns can also be found between two languages, without any system: the order of the source is compared"
        " with that of its translation. The data are those of PUD, with English as the source, gold trees, and gold"
        " links between content words. The tables show the strongest relations in either direction:"
    )
    for pair, language in (("en-fr", "French"), ("en-jp", "Japanese")):
        corpus = pud.read(DATA / "pud-aligned" / pair)
        found = wordorder.patterns(
            None,
            [" ".join(words) for words in corpus.target],
            source=[" ".join(words) for words in corpus.source],
            source_tags=DATA / "pud-aligned" / pair / "en.conllu",
            ref_align=corpus.alignments,
            tokenize="none",
        )
        rows = [one for one in found.found if one.kind == "relation"][:10]
        earlier = {one.label for one in rows if one.direction == "early"}
        page.table(
            [f"English against {language}", "stands", "rate", "elsewhere", "distance"],
            [
                [f"`{one.label}`", HERE[one.direction], one.rate, one.elsewhere, write_cell(one.distance, 1)]
                for one in rows
            ],
        )
        text, holds = EXPECTED[language]
        page.conclude(text, holds <= earlier)


def show(page: Page, made: Any, prefix: str, kinds: tuple[str, ...]) -> None:
    """Add the table of patterns of some kinds of label."""
    page.table(
        ["system", "label", "too", "rate", "elsewhere", "share", "distance", "p"],
        [
            [
                one["system"].removeprefix(prefix),
                f"{one['kind']} `{one['label']}`",
                *(one["direction"], one["rate"], one["elsewhere"], write_cell(one["share"], 2)),
                *(write_cell(one["distance"], 1), write_p(one["p"])),
            ]
            for one in made["patterns"]
            if one["kind"] in kinds and not one["repeats"]
        ],
    )


def make() -> Page:
    """Compute the page."""
    page = Page("patterns", "Patterns: what stands too early or too late")
    for part in (tag_references, planted, bounds, into_english, into_german, between_languages):
        part(page)
    return page
