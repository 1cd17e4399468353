"""How well are order errors found? Every figure of docs/find.md, from the data that are at hand.

    python benchmarks/finding.py                       all parts whose data are present
    python benchmarks/finding.py --part qrev moves     some of them
    python benchmarks/finding.py --data ../shared/data

Parts: ``qrev``, segments that professionals tagged ORDER (Popović 2020); ``demetr``, words swapped and shuffled on
purpose (Karpinska et al. 2022); ``moves``, references with known block moves.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import wordorder
import wordorder.finding
from wordorder.aligning import Aligning
from wordorder.finding.measuring import measure
from wordorder.inputs.monotone import MonotoneTexts
from wordorder.inputs.source import SourceTexts
from wordorder.inputs.texts import MatchedTexts
from wordorder.matching import Matching
from wordorder.metrics.partial import wrong_pairs
from wordorder.scoring import score
from wordorder.statistics import Resampling
from wordorder.statistics.detection import auc

SYSTEMS = ("amazon", "bing", "dcu-gen", "dcu-rev", "google")
METRICS = "kendall,kendall-sqrt,ulam,hamming,fuzzy,pef,bleu,chrf"


def lines_of(path: Path) -> list[str]:
    """Read a text."""
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


# --- QRev ----------------------------------------------------------------------------------------------------------


def qrev_part(data: Path) -> None:
    """Print areas under the ROC curve of each view and of both, and precision at k."""
    folder = data / "wordorder" / "qrev"
    texts = folder / "src+hyp+ref"
    source = lines_of(texts / "en.src.txt")
    reviews = [line.strip() for line in lines_of(texts / "en.src.id")]
    tagged = _tagged(folder, reviews)
    columns: dict[str, list[NDArray[np.float64]]] = {}
    marked: list[bool] = []
    lengths: list[int] = []
    documents: list[str] = []
    for language in ("hr", "sr"):
        outputs = {name: lines_of(texts / f"en-{language}.{name}.hyp.txt") for name in SYSTEMS}
        scores = _qrev_views(outputs, lines_of(texts / f"{language}.ref.txt"), source)
        for system, output in outputs.items():
            found = tagged[language, system]
            rows = sorted(found)
            for name, values in scores.items():
                columns.setdefault(name, []).append(values[system][rows])
            marked += [found[row] for row in rows]
            lengths += [len(output[row].split()) for row in rows]
            documents += [f"{language} {reviews[row]}" for row in rows]
    badness = {name: -np.concatenate(values) for name, values in columns.items()}
    badness["length"] = np.array(lengths, dtype=np.float64)
    _print_areas(badness, np.array(marked), np.array(lengths), documents)


def _print_areas(
    badness: dict[str, NDArray[np.float64]],
    labels: NDArray[np.bool_],
    lengths: NDArray[np.int64],
    documents: list[str],
) -> None:
    """Print the areas, overall and among segments of the same tenth by length, and precision at k.

    Intervals draw whole documents of a language, as those of ``wordorder metaeval`` do.
    """
    strata = np.searchsorted(np.quantile(lengths, np.arange(1, 10) / 10), lengths)
    document = np.unique(documents, return_inverse=True)[1]
    draws = Resampling().counts(int(document.max()) + 1)[:, document]
    print(
        f"{labels.sum()} of {len(labels)} segments are marked; AUC, at equal length, precision at k (± 95 % interval)"
    )
    for name, values in badness.items():
        areas = []
        for groups in (None, strata):
            low, high = np.quantile(auc(values, labels, weights=draws, strata=groups), [0.025, 0.975])
            areas.append(f"{float(auc(values, labels, strata=groups)):.3f} ±{(high - low) / 2:.3f}")
        order = np.argsort(-values, kind="stable")
        shown = "  ".join(f"{k}: {labels[order[:k]].mean():.3f}" for k in (25, 50, 100, 200, 500))
        print(f"  {name:20}  {'  '.join(areas)}  {shown}")
    print(f"  base rate {labels.mean():.3f}")


def _tagged(folder: Path, reviews: list[str]) -> dict[tuple[str, str], dict[int, bool]]:
    """Say of each annotated segment of a language and system whether any annotator tagged a word ORDER."""
    seen: Counter[str] = Counter()
    places = {}
    for place, review in enumerate(reviews):
        seen[review] += 1
        places[f"{review}_{seen[review]}"] = place
    found: dict[tuple[str, str], dict[int, bool]] = {}
    for path in sorted(folder.glob("*-round/R*_en-*-issue-types_e*.txt")):
        _, pair, system, _ = path.name.split("_", 3)
        language = pair.removeprefix("en-")
        (names,) = path.parent.glob(f"*.{language}.{system}.id")
        marks = found.setdefault((language, system), {})
        for key, line in zip(lines_of(names), lines_of(path), strict=True):
            row = places.get(key.split("\t")[0].strip())  # a few ids are misspelt
            if row is not None:
                tags = {tag for word in line.split() for tag in word.rsplit("|", 2)[1].split("+")}
                marks[row] = marks.get(row, False) or "ORDER" in tags
    return found


def _qrev_views(
    outputs: dict[str, list[str]], reference: list[str], source: list[str]
) -> dict[str, dict[str, NDArray[np.float64]]]:
    stems = Matching(("exact", "stem"), "serbian")
    both = SourceTexts(outputs, [reference], source, lowercase=True, matching=stems)
    found: dict[str, dict[str, list[Any]]] = {name: {} for name in ("matched", "source", "both")}
    for block in both.batches(()):
        for system, batch in zip(both.systems, block, strict=True):
            matched, linked, product = wrong_pairs(batch)
            views = {"matched": 1 / (1 + matched), "source": 1 / (1 + linked), "both": product}
            for name, values in views.items():
                found[name].setdefault(system, []).append(np.nan_to_num(values[:, 0], nan=1.0))  # nothing seen: clean
    result = {name: {s: np.concatenate(parts) for s, parts in each.items()} for name, each in found.items()}
    alone = MonotoneTexts(outputs, (), source, lowercase=True)
    alone.__dict__.update(aligner=both.aligner)
    from wordorder.finding.find import _count
    from wordorder.finding.usual import usual_pairs

    counts = _count(alone, 1)
    usual = usual_pairs(alone, [each.source for each in counts], None).pairs
    result["no reference"] = {
        s: np.nan_to_num(each.against(expected).score, nan=1.0)
        for s, each, expected in zip(alone.systems, counts, usual, strict=True)
    }
    expected = replace(both, expected=40)
    expected.__dict__.update(aligner=both.aligner)
    ranks = {s: _ranks(result["matched"][s]) + _ranks(result["source"][s]) for s in outputs}
    result["both, sum of ranks"] = ranks
    for label, inputs, metric in (
        ("kendall, matched", MatchedTexts(outputs, [reference], lowercase=True, matching=stems), "kendall"),
        ("kendall, best links", both, "kendall"),
        ("kendall, expected", expected, "kendall"),
        ("bleu", MatchedTexts(outputs, [reference]), "bleu"),
    ):
        scores = score(inputs, metrics=metric, resampling=Resampling(0))
        result[label] = {s: np.nan_to_num(scores.segment_scores(s, metric), nan=1.0) for s in outputs}
    return result


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.stats import rankdata

    found: NDArray[np.float64] = rankdata(values) / len(values)
    return found


# --- DEMETR --------------------------------------------------------------------------------------------------------


def demetr_part(data: Path) -> None:
    """Print how often a disturbed translation scores lower than the original, and whether the swap is marked."""
    for name in ("minor_id14_word_swap", "critical_id20_shuffled"):
        rows = json.loads((data / "wordorder" / "demetr" / f"{name}.json").read_text(encoding="utf-8"))
        print(f"\n{name}: {len(rows)} pairs; share with a lower score (equal scores)")
        systems = {"original": [row["mt_sent"] for row in rows], "disturbed": [row["pert_sent"] for row in rows]}
        reference = [row["eng_sent"] for row in rows]
        stems = Matching(("exact", "stem"))
        matched = MatchedTexts(systems, [reference], lowercase=True, matching=stems)
        scores = score(
            matched, metrics="kendall,kendall-sqrt,ulam,hamming,fuzzy,pef,bleu,chrf", resampling=Resampling(0)
        )
        for metric in scores.names:
            _compare(metric, scores.segment_scores("original", metric), scores.segment_scores("disturbed", metric))
        values: dict[str, dict[str, NDArray[np.float64]]] = {}
        for language in sorted({row["lang_tag"] for row in rows}):
            chosen = [place for place, row in enumerate(rows) if row["lang_tag"] == language]
            part = {system: [lines[place] for place in chosen] for system, lines in systems.items()}
            inputs = SourceTexts(
                part,
                [[reference[place] for place in chosen]],
                [_spaced(rows[place]["src_sent"], language) for place in chosen],
                lowercase=True,
                matching=stems,
            )
            for block in inputs.batches(()):
                for system, batch in zip(inputs.systems, block, strict=True):
                    first, second, product = wrong_pairs(batch)
                    for view, found in (
                        ("matched", 1 / (1 + first)),
                        ("source", 1 / (1 + second)),
                        ("both", product),
                    ):
                        values.setdefault(view, {}).setdefault(system, np.full(len(rows), np.nan))[chosen] = found[
                            :, 0
                        ]
        for view, each in values.items():
            _compare(f"view: {view}", each["original"], each["disturbed"])
        if "swap" in name:
            _swaps(rows, systems, reference, stems)


def _compare(name: str, original: NDArray[np.float64], disturbed: NDArray[np.float64]) -> None:
    one, two = np.nan_to_num(original, nan=1.0), np.nan_to_num(disturbed, nan=1.0)
    print(f"  {name:16} {np.mean(two < one):.3f} ({np.mean(two == one):.3f})")


def _spaced(line: str, language: str) -> str:
    """Put spaces between the letters of languages that have none between words."""
    return " ".join(line) if language in ("chinese_simple", "japanese") else line


def _swaps(rows: list[Any], systems: dict[str, list[str]], reference: list[str], stems: Matching) -> None:
    """Print whether either word of a swap is marked, against the reference and against the original translation."""
    common: dict[str, Any] = {"count": None, "confidence": 0.0, "matching": stems, "tokenizer": "none"}
    made, original = systems["disturbed"], systems["original"]
    marks = {
        "matched words": _marks(wordorder.find(made, reference, **common)),
        "both views": {},
        "matched words, the original as the reference": _marks(wordorder.find(made, original, **common)),
    }
    for language in sorted({row["lang_tag"] for row in rows}):
        chosen = [place for place, row in enumerate(rows) if row["lang_tag"] == language]
        source = [_spaced(rows[place]["src_sent"], language) for place in chosen]
        texts = ([text[place] for place in chosen] for text in (made, reference))
        found = _marks(wordorder.find(*texts, source=source, **common))
        marks["both views"] |= {chosen[segment]: moves for segment, moves in found.items()}
    for label, found in marks.items():
        for sure in (0.0, 0.5, 0.8):
            hits = marked = right = 0
            for place, row in enumerate(rows):
                swapped = _swapped(row["mt_sent"].split(), row["pert_sent"].split())
                moves = [set(range(m.first, m.end)) for m in found.get(place, ()) if m.confidence >= sure]
                hits += any(words & swapped for words in moves)
                right += sum(bool(words & swapped) for words in moves)
                marked += len(moves)
            recall, precision = hits / len(rows), right / marked
            print(f"  swaps marked, {label}, confidence ≥ {sure}: recall {recall:.3f}, precision {precision:.3f}")


def _marks(found: wordorder.finding.Findings) -> dict[int, tuple[wordorder.finding.Move, ...]]:
    return {one.segment - 1: one.moves for one in found}


def _swapped(one: Sequence[str], two: Sequence[str]) -> set[int]:
    """Return the places of two neighbours that changed places, capital letters and punctuation aside."""
    plain = [[word.lower().strip(".,;:!?\"'") for word in words] for words in (one, two)]
    return {place for place, (was, now) in enumerate(zip(*plain, strict=False)) if was != now}


# --- block moves ---------------------------------------------------------------------------------------------------


def moves_part(data: Path) -> None:
    """Print recall and precision for references with one known block move, half of them left alone."""
    multi = data / "multi30k"
    test, train = (multi / f"{name}.lc.norm.tok" for name in ("test_2016_flickr", "train"))
    learnt = Aligning(train_source=f"{train}.de", train_target=f"{train}.en")
    for name, aligning in (("29,000 training pairs", learnt), ("no training text", Aligning())):
        print(f"\nMulti30k de-en, {name}")
        print(measure(f"{test}.en", source=f"{test}.de", tokenizer="none", aligning=aligning).table())
    print("\nWMT12 de-en, no training text")
    news = data / "wmt12" / "newstest2012-ref"
    print(measure(f"{news}.en", source=f"{news}.de").table())


PARTS = {
    "qrev": ("wordorder/qrev", qrev_part),
    "demetr": ("wordorder/demetr", demetr_part),
    "moves": ("multi30k", moves_part),
}


def main() -> None:
    """Run the parts whose data are there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usual = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=usual, help="folder of the data")
    parser.add_argument("--part", nargs="+", choices=list(PARTS), default=list(PARTS))
    options = parser.parse_args()
    for name in options.part:
        folder, run = PARTS[name]
        if (options.data / folder).exists():
            print(f"== {name}")
            run(options.data)
        else:
            print(f"== {name}: no data in {options.data / folder}")


if __name__ == "__main__":
    main()
