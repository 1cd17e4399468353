"""Inputs for ``record.py``: small parts of the real data, under short names, in one folder."""

from __future__ import annotations

import csv
import gzip
import json
from html import escape
from itertools import combinations
from pathlib import Path

SEGMENTS = 300
"""Segments of most texts."""

FEW = 30
"""Segments that are parsed."""

SENTENCES = 120
"""Sentences of a treebank."""

GERMAN = ("onlineA", "onlineB", "uedin-wmt12", "jhu-hiero", "UG-WMT12")
CZECH = ("cu-bojar", "onlineB", "uedin-wmt12")
"""Systems that translate from German and from Czech."""


def prepare(work: Path, shared: Path) -> None:
    """Write all inputs into the folder ``work``."""
    data = shared / "data"
    (work / "samples").symlink_to(shared / "formats" / "samples")
    (work / "qrev").symlink_to(data / "wordorder" / "qrev")
    prepare_wmt(work, data / "wmt12")
    prepare_judgements(work, data / "wmt12" / "wmt12.rankings.anon.csv")
    prepare_marked_up(work)
    for number in range(4):
        copy_lines(data / "nbest/multeval/reg-test/set1" / f"set1.ref{number}", work / f"multi/ref{number}", 200)
    for number in range(2):
        copy_lines(data / "nbest/multeval/reg-test/set1" / f"set1.out.{number}", work / f"multi/out{number}", 200)
    for language in ("de", "en"):
        copy_lines(data / f"multi30k/train.lc.norm.tok.{language}", work / f"train.{language}", 3000)
    prepare_quality_estimation(work, data / "mlqe-pe")
    prepare_gold_links(work, data / "gold-align")
    prepare_treebanks(work, data)
    write(work / "target.list", ["0,2,1_3,,4", "1,0", ""])
    write(work / "moses.out", ["the house |0-1| is small |2-3|", "small |1-1| is |0-0|"])
    write(work / "table.par", ["0.5", "the", "this", "0.2", "in order to", "to", "0.1", "according to", "as for"])
    write(work / "wordnet/index.noun", ["year n 1 0 1 0 00000100", "twelvemonth n 1 0 1 0 00000100"])
    write(work / "wordnet/index.verb", ["say v 1 0 1 0 00000200", "state v 1 0 1 0 00000200"])
    write(work / "wordnet/index.adj", ["big a 1 0 1 0 00000300", "large a 1 0 1 0 00000300"])
    write(work / "wordnet/index.adv", ["also r 1 0 1 0 00000400", "too r 1 0 1 0 00000400"])
    for name in ("noun", "verb", "adj", "adv"):
        write(work / f"wordnet/{name}.exc", ["said say"] if name == "verb" else [])


def prepare_wmt(work: Path, folder: Path) -> None:
    """Texts of WMT12: German source, English reference, systems; documents of thirty segments."""
    copy_lines(folder / "newstest2012-ref.en", work / "ref.en")
    copy_lines(folder / "newstest2012-ref.de", work / "src.de")
    for pair, systems in (("de-en", GERMAN), ("cs-en", CZECH)):
        for system in systems:
            copy_lines(folder / "system-outputs" / pair / f"newstest2012.{pair}.{system}", work / pair / system)
    for name, few in (("ref.en", "few.en"), ("src.de", "few.de")):
        copy_lines(work / name, work / few, FEW)
    copy_lines(work / "de-en/onlineA", work / "few-onlineA", FEW)
    copy_lines(work / "de-en/jhu-hiero", work / "few-jhu", FEW)
    with gzip.open(work / "ref.en.gz", "wb") as packed:
        packed.write((work / "ref.en").read_bytes())
    write(work / "docs.txt", [f"document{number // 30}" for number in range(SEGMENTS)])


def prepare_judgements(work: Path, rankings: Path) -> None:
    """Write rankings of WMT12, and the same as preferences, as ratings in the folders of mt-metrics-eval, as MQM."""
    with rankings.open(encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file))
    place = {name: number for number, name in enumerate(head)}
    rows = [row for row in rows if int(row[place["srcIndex"]]) <= SEGMENTS and row[place["trglang"]] == "English"]
    write(work / "rankings.csv", [",".join(row) for row in [head, *rows]])
    few = [row for row in rows if int(row[place["srcIndex"]]) <= FEW]
    write(work / "few.csv", [",".join(row) for row in [head, *few]])
    preferences = ["segment\tsystem1\tsystem2\tpreference\tjudge"]
    ratings: dict[tuple[str, int], list[int]] = {}
    for row in rows:
        if row[place["srclang"]] != "German":
            continue
        segment, judge = row[place["srcIndex"]], row[place["judgeId"]]
        ranks = {row[place[f"system{n}Id"]]: int(row[place[f"system{n}rank"]]) for n in range(1, 6)}
        ranks = {system: rank for system, rank in ranks.items() if system in GERMAN and rank > 0}
        for system, rank in ranks.items():
            ratings.setdefault((system, int(segment)), []).append(-rank)
        for first, second in combinations(ranks, 2):
            better = "tie" if ranks[first] == ranks[second] else first if ranks[first] < ranks[second] else second
            preferences.append(f"{segment}\t{first}\t{second}\t{better}\t{judge}")
    write(work / "preferences.tsv", preferences)
    segments = range(1, SEGMENTS + 1)
    copy_lines(work / "ref.en", work / "mtme/references/de-en.refA.txt")
    copy_lines(work / "src.de", work / "mtme/sources/de-en.txt")
    write(work / "mtme/documents/de-en.docs", [f"news document{number // 30}" for number in range(SEGMENTS)])
    for system in GERMAN:
        copy_lines(work / "de-en" / system, work / f"mtme/system-outputs/de-en/{system}.txt")
    means = {key: sum(given) / len(given) for key, given in ratings.items()}
    scores = [f"{system} {means.get((system, segment))}" for system in GERMAN for segment in segments]
    write(work / "mtme/human-scores/de-en.rank.seg.score", scores)
    errors = ["system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"]
    for line in range(1, FEW + 1):
        for number, system in enumerate("AB"):
            severity = ("major", "minor", "no-error")[(line + number) % 3]
            errors.append(f"{system}\tnews\t1\t{line}\trater1\ts\tt <v>x</v>\tFluency/Grammar\t{severity}")
    write(work / "mqm.tsv", errors)


def prepare_marked_up(work: Path) -> None:
    """Write the texts of two systems in WMT's SGML, and all in one XML file; two documents."""
    texts = {"src": "src.de", "ref": "ref.en", "onlineA": "de-en/onlineA", "jhu-hiero": "de-en/jhu-hiero"}
    documents = {name: [read(work / file)[start : start + 20] for start in (0, 20)] for name, file in texts.items()}
    for name, parts in documents.items():
        kind = {"src": "srcset", "ref": "refset"}.get(name, "tstset")
        content = [f'<{kind} setid="newstest2012" srclang="de" trglang="en">']
        for number, part in enumerate(parts):
            content.append(f'<doc sysid="{name}" docid="news{number}" genre="news" origlang="de">\n<p>')
            content += [f'<seg id="{place}">{text}</seg>' for place, text in enumerate(part, start=1)]
            content.append("</p>\n</doc>")
        write(work / f"sgm/{name}.sgm", [*content, f"</{kind}>"])
    tags = {"src": ("src", 'lang="de"'), "ref": ("ref", 'lang="en" translator="A"')}
    content = ["<?xml version='1.0' encoding='utf-8'?>", '<dataset id="newstest2012">']
    for number in range(2):
        content.append(f'<doc origlang="de" id="news{number}">')
        for name, parts in documents.items():
            tag, attributes = tags.get(name, ("hyp", f'system="{name}" lang="en"'))
            content.append(f"<{tag} {attributes}><p>")
            content += [f'<seg id="{place}">{escape(text)}</seg>' for place, text in enumerate(parts[number], 1)]
            content.append(f"</p></{tag}>")
        content.append("</doc>")
    write(work / "sgm/all.xml", [*content, "</dataset>"])


def prepare_quality_estimation(work: Path, folder: Path) -> None:
    """Texts of MLQE-PE with post-edits, links, HTER and direct assessments; Chinese ones with and without spaces."""
    names = {"src": "src", "mt": "mt", "pe": "pe", "src-mt.alignments": "mt.align", "hter": "hter"}
    for name, short in names.items():
        copy_lines(folder / "en-de-test20" / f"test20.{name}", work / "mlqe" / short)
    copy_lines(folder / "en-de/test20.ende.df.short.tsv", work / "mlqe/ratings.tsv", SEGMENTS + 1)
    write(work / "mlqe/docs", [f"group{number // 10}" for number in range(SEGMENTS)])
    for name in ("mt", "pe"):
        copy_lines(folder / "en-zh-test20" / f"test20.{name}", work / "zh" / name, 100)
        write(work / f"zh/{name}.raw", [text.replace(" ", "") for text in read(work / "zh" / name)])


def prepare_gold_links(work: Path, folder: Path) -> None:
    """Gold and automatic links of English and French, with the text."""
    for name, short in (("enfr.gold", "gold"), ("enfr.awesome-align.out", "out"), ("enfr.src-tgt", "src-tgt")):
        copy_lines(folder / name, work / "gold" / short, 400)
    pairs = [line.split(" ||| ") for line in read(work / "gold/src-tgt")]
    for place, name in enumerate(("src", "tgt")):
        write(work / "gold" / name, [pair[place].strip() for pair in pairs])
    write(work / "gold/src.len", [str(len(source.split())) for source, _ in pairs])


def prepare_treebanks(work: Path, data: Path) -> None:
    """Trees to learn a grammar from; aligned treebanks, their links as a file, and another parse of the text."""
    for path in sorted((data / "gum-trees").glob("GUM_[in]*.ptb"))[:12]:
        copy_lines(path, work / "gum" / path.name, 10_000)
    for pair in ("en-jp", "en-fr"):
        folder = data / "pud-aligned" / pair
        for name in ("en.conllu", "target.conllu"):
            blocks = (folder / name).read_text("utf-8").split("\n\n")[:SENTENCES]
            write(work / "pud" / pair / name, [f"{block}\n" for block in blocks])
        links = json.loads((folder / "alignment.json").read_text("utf-8"))[:SENTENCES]
        write(work / "pud" / pair / "alignment.json", [json.dumps(links)])
        pairs = [[(a, b) for a, others in row.items() for b in others if "X" not in (a, b)] for row in links]
        rows = [" ".join(f"{int(a) - 1}-{int(b) - 1}" for a, b in row) for row in pairs]
        write(work / f"pud/{pair}.align", rows)
    attached = []
    for line in read(work / "pud/en-jp/en.conllu"):
        fields = line.split("\t")
        if len(fields) == 10 and fields[7] == "obl":  # a parser that takes every oblique for a modifier of the noun
            fields[7] = "nmod"
        attached.append("\t".join(fields))
    write(work / "pud/other.conllu", attached)
    rows = [" ".join(f"{n}-{n}" for n in range(len(text.split()))) for text in read(work / "few.en")]
    write(work / "few.align", rows)


def read(path: Path) -> list[str]:
    """Read the lines of a file, which end at a line feed only."""
    return path.read_text("utf-8").removesuffix("\n").split("\n")


def write(path: Path, content: list[str]) -> None:
    """Write lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in content), "utf-8")


def copy_lines(source: Path, target: Path, count: int = SEGMENTS) -> None:
    """Copy the first lines of a file."""
    write(target, read(source)[:count])
