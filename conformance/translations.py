"""Scores of translations: sacreBLEU, its tokenisers and its tests; nltk's and compare-mt's BLEU; METEOR."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

import wordorder
from conformance import inputs
from conformance.comparing import Comparison, Difference, Section, compare
from conformance.peers import COMPARE_MT, NLTK, SACREBLEU
from wordorder.core.runtime.errors import UsageError
from wordorder.core.statistics.resampling import bootstrap_sums
from wordorder.core.statistics.tests import approximate_randomisation, bootstrap_p, randomisation_p
from wordorder.core.text.tokenizers import tokenise, tokenizer_names

Texts = list[tuple[list[str], list[list[str]]]]


def segments(metric: str, hypotheses: list[str], references: Any, **settings: Any) -> list[float]:
    """Our scores of segments."""
    scores = wordorder.score(hypotheses, references, metrics=metric, samples=0, **settings)
    return list(scores.segment_scores("system", metric))


def corpus(metric: str, hypotheses: list[str], references: Any, **settings: Any) -> float:
    """Our score of a corpus."""
    return float(wordorder.score(hypotheses, references, metrics=metric, samples=0, **settings).values[0, 0])


def sacrebleu() -> Section:
    """BLEU, chrF, TER and the p values, with one reference and with two."""
    bleu, chrf, ter = (
        getattr(SACREBLEU.load(f"metrics.{module}"), name)
        for module, name in (("bleu", "BLEU"), ("chrf", "CHRF"), ("ter", "TER"))
    )
    systems, references = inputs.demo()
    texts = [(lines, chosen) for lines in systems.values() for chosen in (references[:1], references)]
    texts.append((inputs.pairs()[0], [inputs.pairs()[1]]))
    rows = [
        compare(
            "`bleu` of a corpus",
            'sacreBLEU `BLEU(smooth_method="none")`',
            [corpus("bleu", lines, chosen) for lines, chosen in texts],
            [bleu(smooth_method="none").corpus_score(lines, chosen).score / 100 for lines, chosen in texts],
        ),
        compare(
            "`bleu` of a corpus",
            "sacreBLEU `BLEU()`",
            [corpus("bleu", lines, chosen) for lines, chosen in texts],
            [bleu().corpus_score(lines, chosen).score / 100 for lines, chosen in texts],
        ),
        compare(
            "`bleu` of a segment",
            'sacreBLEU `BLEU(smooth_method="add-k", smooth_value=1)`',
            _all("bleu", texts),
            _each(bleu(smooth_method="add-k", smooth_value=1), texts),
        ),
        compare("`chrf` of a corpus", "sacreBLEU `CHRF()`", *_corpora("chrf", chrf(), texts)),
        compare("`chrf` of a segment", "sacreBLEU `CHRF()`", _all("chrf", texts), _each(chrf(), texts)),
    ]
    rows.append(_compare_ter(ter, texts))
    rows += _p_values(bleu)
    return Section(
        "sacreBLEU: BLEU, chrF, TER, p-values",
        "three systems of the demo data, with one reference and with two, and 500 invented sentence pairs with many"
        " repeated words",
        rows,
        [_smoothing(bleu), _one_segment(bleu)],
    )


_TER_OPTIONS = ("normalized", "no_punct", "asian_support", "case_sensitive")


def _all(metric: str, texts: Texts) -> list[float]:
    return [value for lines, chosen in texts for value in segments(metric, lines, chosen)]


def _each(peer: Any, texts: Texts) -> list[float]:
    return [
        peer.sentence_score(line, list(row)).score / 100
        for lines, chosen in texts
        for line, row in zip(lines, zip(*chosen, strict=True), strict=True)
    ]


def _corpora(metric: str, peer: Any, texts: Texts) -> tuple[list[float], list[float]]:
    ours = [corpus(metric, lines, chosen) for lines, chosen in texts]
    return ours, [peer.corpus_score(lines, chosen).score / 100 for lines, chosen in texts]


def _compare_ter(ter: Any, texts: Texts) -> Comparison:
    used = [*texts, (list(inputs.HARD_LINES[2:]), [list(inputs.HARD_LINES[:1:-1])])]
    ours, theirs = [], []
    for options in product((False, True), repeat=len(_TER_OPTIONS)):
        chosen = dict(zip(_TER_OPTIONS, options, strict=True))
        spec = "1-ter" + "".join(f":{name}=true" for name, on in chosen.items() if on)
        ours += [corpus(spec, lines, references) for lines, references in used]
        theirs += [1 - ter(**chosen).corpus_score(lines, references).score / 100 for lines, references in used]
    return compare("`1-ter` of a corpus, all 16 combinations of options", "1 − sacreBLEU `TER(…)`", ours, theirs)


def _p_values(bleu: Any) -> list[Comparison]:
    """The same replicates give the same p; other random numbers give one within four standard errors."""
    significance = SACREBLEU.load("significance")
    differences = np.random.default_rng(3).normal(0.3, 0.5, 1000)
    size = np.abs(differences)
    rows = [
        compare(
            "p of 1,000 bootstrap replicates (`sacrebleu` method)",
            "sacreBLEU `_compute_p_value`",
            [float(bootstrap_p(0.3, differences, method="sacrebleu"))],
            [significance._compute_p_value(size - size.mean(), 0.3)],
        ),
        compare(
            "p of 1,000 random exchanges",
            "sacreBLEU `_compute_p_value`",
            [float(randomisation_p(0.3, differences))],
            [significance._compute_p_value(size, 0.3)],
        ),
    ]
    hypotheses, references = inputs.pairs()
    other = list(hypotheses)
    other[::9] = references[::9]
    other[4::6] = [" ".join(reversed(line.split())) for line in other[4::6]]
    scorer = bleu(references=[references])
    stats = [np.array(scorer._extract_corpus_statistics(system, None), float) for system in (other, hypotheses)]

    def score(sums: Any) -> Any:
        flat = [scorer._compute_score_from_stats(list(row)).score for row in sums.reshape(-1, sums.shape[-1])]
        return np.array(flat).reshape(sums.shape[:-1])

    trials = 1000
    for kind, name in (("bs", "--paired-bs"), ("ar", "--paired-ar")):
        named = [("one", hypotheses), ("other", other)]
        _, found = significance.PairedTest(named, {"bleu": scorer}, None, kind, trials)()
        if kind == "bs":
            observed = score(stats[0].sum(axis=0)) - score(stats[1].sum(axis=0))
            drawn = [score(bootstrap_sums(rows, samples=trials)) for rows in stats]
            p = bootstrap_p(observed, drawn[0] - drawn[1], method="sacrebleu").item()
        else:
            p = approximate_randomisation(stats[0], stats[1], score, trials=trials).p
        within = round(4 * (2 * max(p * (1 - p), 0.001) / trials) ** 0.5, 3)
        rows.append(
            compare(
                f"p of BLEU's difference, {'bootstrap' if kind == 'bs' else 'randomisation'}, {trials:,} samples",
                f"sacreBLEU `{name}`",
                [p],
                [found["BLEU"][1].p_value],
                within=within,
            )
        )
    return rows


def _one_segment(bleu: Any) -> Difference:
    hypotheses, references = inputs.pairs()
    named = [("one", hypotheses), ("other", ["something else", *hypotheses[1:]])]
    test = SACREBLEU.load("significance").PairedTest
    _, found = test(named, {"bleu": bleu(references=[references])}, None, "ar", 1000)()
    scores = wordorder.score(dict(named), references, metrics="bleu", test="randomisation")
    return Difference(
        "Two systems that hardly differ",
        "bug",
        "two outputs that differ in one of 500 segments, and 1,000 random exchanges",
        float(scores.comparisons[0].p),
        float(found["BLEU"][1].p_value),
        "Whether that segment is exchanged or not, the difference between the outputs is as large as the one observed,"
        " so p is 1: a difference in one segment proves nothing. sacreBLEU counts only differences that are *larger*,"
        " finds none, and prints a p of .001, as if the difference were significant. sacreBLEU does so even for two"
        " identical outputs. When many segments differ, ties are rare, and the two tools agree.",
    )


def _smoothing(bleu: Any) -> Difference:
    hypothesis, reference = ["the old man walked"], ["the old man saw"]
    return Difference(
        "Smoothing of corpus BLEU",
        "definition",
        f"the hypothesis `{hypothesis[0]}` and the reference `{reference[0]}`",
        corpus("bleu", hypothesis, reference),
        bleu().corpus_score(hypothesis, [reference]).score / 100,
        "No 4-gram is matched, so BLEU as defined (Papineni et al. 2002) is 0, and so is our corpus score. By default,"
        " sacreBLEU replaces the zero count by a half (`exp` smoothing). The two scores are equal as soon as at least"
        " one n-gram of every length is matched, which is the case in any corpus worth scoring.",
    )


def tokenizers() -> Section:
    """Every tokeniser that can be loaded, as it is and in lower case."""
    bleu = SACREBLEU.load("metrics.bleu").BLEU
    systems, references = inputs.demo()
    lines = [*inputs.HARD_LINES, *references[0], *(line for name in systems for line in systems[name])]
    rows, absent = [], []
    for name in tokenizer_names():
        if name.startswith(("spm", "flores")):  # these download a model
            absent.append(name)
            continue
        for lowercase in (False, True):
            try:
                ours = tokenise([lines], tokenizer=name, lowercase=lowercase)[0]
            except UsageError:
                absent.append(name)
                break
            peer = bleu(tokenize=name, lowercase=lowercase)
            theirs = [peer._preprocess_segment(line.rstrip()).split() for line in lines]
            same = [float(ours.words(row) == words) for row, words in enumerate(theirs)]
            label = f"`--tokenize {name}{' --lowercase' if lowercase else ''}`: lines with the same words"
            rows.append(
                compare(label, f"sacreBLEU `-tok {name}{' -lc' if lowercase else ''}`", same, [1.0] * len(lines))
            )
    named = ", ".join(f"`{name}`" for name in dict.fromkeys(absent))
    return Section(
        "sacreBLEU: tokenisers",
        f"{len(lines)} lines, some from the demo data and some that are hard to tokenise (with entities, digits,"
        " Chinese, Japanese, Korean, Thai, Arabic, emoji or no-break spaces). The following tokenisers are not"
        f" compared, because their packages are missing or because they download a model: {named or 'none'}; for these"
        " we call sacreBLEU's own code",
        rows,
        [],
    )


def nltk() -> Section:
    """BLEU, chrF, METEOR of nltk."""
    bleu, meteor = NLTK.load("translate.bleu_score"), NLTK.load("translate.meteor_score")
    hypotheses, references = inputs.pairs()
    split = [(h.split(), r.split()) for h, r in zip(hypotheses, references, strict=True)]
    smoothing = bleu.SmoothingFunction()
    long = [(h, r) for h, r in split if len(h) >= 4]
    kept = [" ".join(h) for h, _ in long], [" ".join(r) for _, r in long]
    method2 = [bleu.sentence_bleu([r], h, smoothing_function=smoothing.method2) for h, r in long]
    rows = [
        compare(
            "`bleu` of a corpus",
            "nltk `corpus_bleu`",
            [corpus("bleu", hypotheses, references, tokenize="none")],
            [bleu.corpus_bleu([[r] for _, r in split], [h for h, _ in split])],
            why="[short segments](#short-segments)",
        ),
        compare(
            "`bleu` of a segment of four words or more",
            "nltk `sentence_bleu`, `method2`",
            segments("bleu", *kept, tokenize="none"),
            method2,
        ),
    ]
    numbered = _without_repetition()
    for name, alpha, gamma, theta in (("thesis", 0.8, 0.4, 2.5), ("2007", 0.81, 0.28, 0.83)):
        for kind, (hyps, refs) in (("no word repeats", numbered), ("words repeat", (hypotheses, references))):
            ours = segments(f"meteor:parameters={name}", hyps, refs, tokenize="none")
            theirs = [_nltk_meteor(meteor, h, r, alpha, gamma, theta) for h, r in zip(hyps, refs, strict=True)]
            why = (
                "[greedy matching](#nltks-meteor-matches-greedily)"
                if kind == "words repeat"
                else "[one chunk](#one-chunk)"
            )
            rows.append(
                compare(f"`meteor:parameters={name}`, {kind}", "nltk `single_meteor_score`", ours, theirs, why=why)
            )
    return Section(
        "nltk: BLEU and METEOR",
        "500 invented sentence pairs with a vocabulary of twelve words, and 500 sentence pairs made of numbered"
        " words, in which no word repeats. METEOR uses exact matches only, because nltk's synonyms require WordNet's"
        " files",
        rows,
        [_short_segments(bleu), *_meteor_differences(meteor)],
    )


def _short_segments(bleu: Any) -> Difference:
    lines = ["the old man walked in", "it walked"]
    words = [line.split() for line in lines]
    return Difference(
        "Short segments",
        "bug",
        "perfect translations of two segments, `the old man walked in` and `it walked`",
        corpus("bleu", lines, lines, tokenize="none"),
        bleu.corpus_bleu([[segment] for segment in words], words),
        "A segment of two words has no 3-gram and no 4-gram. nltk and compare-mt nevertheless count one of each. As"
        " these n-grams cannot be matched, the BLEU of a perfect translation is below 1.",
    )


def _without_repetition() -> tuple[list[str], list[str]]:
    """Sentences in which no word repeats, from permutations; a few words differ."""
    hypotheses = [" ".join(f"w{x}" if x % 7 else f"v{x}" for x in order) for order in inputs.orders()]
    return hypotheses, [" ".join(f"w{x}" for x in sorted(order)) for order in inputs.orders()]


class _NoWordnet:
    def synsets(self, word: str) -> list[str]:
        """No word has synonyms."""
        return []


class _NoStemmer:
    def stem(self, word: str) -> str:
        """Every word is its own stem."""
        return word


def _nltk_meteor(peer: Any, hypothesis: str, reference: str, alpha: float, gamma: float, theta: float) -> float:
    return float(
        peer.single_meteor_score(
            reference.split(),
            hypothesis.split(),
            preprocess=str,
            stemmer=_NoStemmer(),
            wordnet=_NoWordnet(),
            alpha=alpha,
            beta=theta,
            gamma=gamma,
        )
    )


def _meteor_differences(peer: Any) -> list[Difference]:
    greedy = "the man saw the dog", "the dog saw the man the"
    equal = "it walked", "it walked"
    spec = "meteor:parameters=thesis"

    def both(hypothesis: str, reference: str) -> tuple[float, float]:
        ours = segments(spec, [hypothesis], [reference], tokenize="none")[0]
        return float(ours), _nltk_meteor(peer, hypothesis, reference, 0.8, 0.4, 2.5)

    return [
        Difference(
            "nltk's METEOR matches greedily",
            "bug",
            f"the hypothesis `{greedy[0]}` and the reference `{greedy[1]}`",
            *both(*greedy),
            "METEOR is defined on the matching with the most words and, among all such matchings, the one with the"
            " fewest chunks. nltk goes through the hypothesis from its end and takes the last free occurrence of"
            " each word, so a repeated word is often matched to the wrong occurrence and the sentence breaks into"
            " more chunks.",
        ),
        Difference(
            "One chunk",
            "definition",
            f"the hypothesis `{equal[0]}` and the same reference",
            *both(*equal),
            "If hypothesis and reference are equal, METEOR's own program applies no penalty, and the score is 1."
            " nltk applies the formula as printed, which penalises even a single chunk.",
        ),
    ]


def compare_mt() -> Section:
    """BLEU of compare-mt."""
    scorers = COMPARE_MT.load("scorers")
    systems, references = inputs.demo()
    scorers.global_scorer_scale = 1.0
    texts = [(lines, references[0]) for lines in systems.values()] + [inputs.pairs()]

    def theirs(lines: list[str], reference: list[str]) -> float:
        words = [line.split() for line in reference], [line.split() for line in lines]
        return float(scorers.BleuScorer().score_corpus(*words)[0])

    short = ["the old man walked"], ["the old man saw"]
    return Section(
        "compare-mt: BLEU",
        "the demo data and 500 invented sentence pairs, split at spaces",
        [
            compare(
                "`bleu` of a corpus",
                "compare-mt `BleuScorer`",
                [corpus("bleu", lines, reference, tokenize="none") for lines, reference in texts],
                [theirs(lines, reference) for lines, reference in texts],
                why="[short segments](#short-segments)",
            )
        ],
        [
            Difference(
                "compare-mt's BLEU without a matched 4-gram",
                "bug",
                f"the hypothesis `{short[0][0]}` and the reference `{short[1][0]}`",
                corpus("bleu", *short, tokenize="none"),
                theirs(*short),
                "No 4-gram is matched, so the 4-gram precision is 0, and so is the geometric mean of the precisions."
                " compare-mt leaves this factor out of the product, as if it were 1.",
            )
        ],
    )


def sections() -> list[Any]:
    """What this module compares."""
    return [sacrebleu, tokenizers, nltk, compare_mt]
