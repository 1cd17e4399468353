"""Every command, as people give it: some ninety command lines, and the folder of small files that they read.

The files are the demo data and what the first commands below make of them. A command line is written as in a shell;
``< FILE`` is standard input. What a command writes is called ``out…``; the folder has no such file.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import wordorder

DEMO = Path(wordorder.__file__).parent / "data" / "demo"

MADE = (
    "parse train english.mrg -o en.grammar",
    "parse train source.conllu -o de.parser",
    "parse --grammar en.grammar --nbest 4 reference.txt -o reference.nbest",
    "parse --grammar en.grammar --nbest 4 good.txt -o good.nbest",
    "parse --grammar en.grammar --parse-format conllu good.txt -o good.conllu",
    "align --train-source train.de --train-target train.en --aligner model1 --save de-en.model",
    "align --bitext de-en.bitext --posteriors -o good.probabilities",
    "score --ref reference.txt --hyp good.txt monotone.txt --metrics chrf --mtme-scores theirs -o scores.txt",
    "preorder reference --parses source.conllu --align reference.align -o de-en.reference",
    "nbest tune dev.nbest.gz --ref reference.txt --restarts 1 --save weights.tsv",
    "scale import train.tsv --columns source=1 target=2 --out bitext",
    "scale import outputs.tsv --columns ref=1 good=2 scrambled=3 --out outputs",
    "scale align bitext --aligner model1 --out aligned",
    "scale score outputs --columns reference=ref A=good B=scrambled --metrics kendall,bleu --out scores",
    "smt train --source train.de --target train.en --iterations 2 -o phrases",
    *(
        f"study new {kind} {kind} {texts}"
        for kind, texts in {
            "prefer": "--ref reference.txt --hyp good.txt monotone.txt",
            "rate": "--source source.txt --ref reference.txt --hyp good.txt scrambled.txt",
            "mark": "--ref reference.txt --hyp monotone.txt",
            "align": "--source source.txt --target reference.txt --prefill reference.align",
            "judge": "--source source.txt --ref reference.txt --ref-align reference.align --hyp good.txt"
            " --hyp-align good.align --items 2",
            "scramble": "--align reference.align --source source.txt --target reference.txt --bins 0 0.5 --items 4"
            " --fillers 4 --length 4 40",
        }.items()
    ),
    *(f"study simulate {kind} --people 4" for kind in ("prefer", "rate", "mark", "align", "judge", "scramble")),
    "study invite prefer 2 -o links.tsv",
)
"""The commands that make the files of other commands, in this order; they are fuzzed as well."""

JUDGED = "--judgements rankings.csv --pair de-en --ref reference.txt --hyp good.txt monotone.txt scrambled.txt"
RATED = "--judgement-format ratings --judgements ratings.tsv"
TEXTS = "--ref reference.txt --hyp good.txt monotone.txt scrambled.txt"
LINKS = "--hyp-align good.align monotone.align --ref-align reference.align --source source.txt"
PARSED = "--parses source.conllu --align reference.align"
LISTS = "dev.nbest.gz --ref reference.txt"

COMMANDS = {
    "score": f"score {TEXTS}",
    "score references": "score --ref reference.txt reference2.txt --hyp a=good.txt b=monotone.txt"
    " -m full,ribes,bleu --reference-choice average --samples 20 --json",
    "score all": f"score {TEXTS} -m all,1-ter --samples 10 --format tsv --segments out.jsonl --segment-text",
    "score worst": "score --ref reference.txt --hyp good.txt scrambled.txt --worst 2 --by pef --samples 10"
    " --match exact+stem --language english --lowercase",
    "score between": "score --ref reference.txt --hyp good.txt scrambled.txt --worst-between good scrambled -o"
    " out.txt",
    "score documents": f"score {TEXTS} --docs documents.txt --resample documents --test wilcoxon --baseline"
    " good --samples 20",
    "score buckets": f"score {TEXTS} --buckets buckets.txt --weight ref-length --percent --format markdown",
    "score correlate": f"score {TEXTS} --docs documents.txt --correlate -m pef,bleu,kendall",
    "score versus": f"score {TEXTS} --source source.txt --versus previous --test randomisation --samples 20 -m"
    " lr-kb4",
    "score runs": "score --ref reference.txt --runs --hyp a=good.txt a=good.postedit.txt b=monotone.txt"
    " b=monotone.postedit.txt -m bleu --format latex --caption C",
    "score tables": "score --ref pairs.jsonl:translation.en --hyp systems.parquet:good s=systems.csv:monotone"
    " again=systems.tsv:2 -m pef,bleu --samples 0",
    "score gates": f"score {TEXTS} -m pef,1-ter --samples 50 --fail-under pef=0.1 --fail-if-worse --baseline scrambled",
    "score stdin": "score --ref reference.txt --hyp - -m kendall,f1 --tokenize char < good.txt",
    "score chinese": "score --ref zh-en/source.txt --hyp zh-en/source.txt -m kendall --tokenize zh --samples 10",
    "score subwords": "score --ref reference.txt --hyp good.txt good.bpe -m pef --join-subwords --html out.html",
    "score given": "score --ref reference.txt --hyp good.txt monotone.txt --given"
    " chrf=theirs/chrf-reference.seg.score"
    " -m given:chrf,full:lexical=given:chrf:alpha=0.8 --samples 10",
    "score given tables": f"score {TEXTS} --given p=rated.tsv:score -m pef,given:p:low=0:high=100 --mtme-scores out",
    "score permutations": "score --permutations good.orders s=scrambled.orders -m all --samples 10",
    "score links": f"score {LINKS} --policy talbot --segments out.jsonl --samples 10",
    "score talp": "score --hyp-align gold.talp --ref-align gold.talp --align-format talp --policy drop",
    "score lengths": "score --hyp-align good.align --ref-align talp:gold.talp --source-lengths source.len --json",
    "score links of texts": "score --source source.txt --ref reference.txt --hyp good.txt monotone.txt --order source"
    " --tokenize none --hyp-align good.align monotone.align --ref-align reference.align --samples 10",
    "score monotone": "score --source source.txt --hyp good.txt --order monotone --tokenize none"
    " --hyp-align good.align -m kendall,longest-jump,anticipation:k=5 --worst 1 --by kendall",
    "score model": "score --source source.txt --hyp good.txt --align-model de-en.model --symmetrise union",
    "score trained": "score --source source.txt --ref reference.txt --hyp good.txt --order source --aligner model1"
    " --train-source train.de --train-target train.en --samples 10",
    "score expected": "score --source source.txt --ref reference.txt --hyp good.txt --align-model de-en.model"
    " --expected 3 --samples 10 --segments out.jsonl",
    "score parses": "score --ref-parses reference.nbest --hyp-parses good.nbest -m edpm,dpm:parts=dh:n=1"
    " --log-base e",
    "score conllu": "score --ref good.txt --hyp good.txt --ref-parses good.conllu --hyp-parses good.conllu -m dpm",
    "score grammar": "score --ref reference.txt --hyp good.txt --grammar en.grammar -m edpm,bleu --samples 10",
    "score plot": f"score {TEXTS} -m pef --samples 10 --plot out.svg --plot-as histogram",
    "find": "find --source source.txt --hyp good.txt monotone.txt --ref reference.txt --align-model de-en.model"
    " --worst 2",
    "find all": "find --hyp good.txt --ref reference.txt --all --format tsv --match exact+stem",
    "find html": "find --source source.txt --hyp good.txt --hyp-align good.align --tokenize none --html out.html",
    "find given": "find --hyp good.txt monotone.txt --ref reference.txt --given c=theirs/chrf-reference.seg.score"
    " --by c --json --confidence 0.1",
    "find label studio": "find --hyp good.txt monotone.txt --ref reference.txt --label-studio out.json",
    "monotone": "monotone --source source.txt --hyp good.txt monotone.txt --ref reference.txt --hyp-align good.align"
    " monotone.align --ref-align reference.align --tokenize none --docs documents.txt --samples 10",
    "monotone wait-k": "monotone --source source.txt --hyp good.txt --hyp-align good.align --tokenize none --wait-k 2"
    " --samples 10",
    "monotone delays": "monotone --delays wait2.log wait5.log --hyp-align monotone.align good.align --samples 10",
    "monotone sentences": "monotone --source source.txt --hyp good.txt --ref reference.txt --hyp-align good.align"
    " --ref-align reference.align --tokenize none --sentences --json --samples 10",
    "find measure": "find --measure --source source.txt --ref reference.txt --aligner model1",
    "patterns": "patterns --hyp good.txt source.txt --ref source.txt --tags source.conllu --html out.html",
    "patterns source": "patterns --source source.txt --ref reference.txt --source-tags source.conllu"
    " --ref-align reference.align --tokenize none --all --json",
    "patterns measure": "patterns --ref source.txt --tags source.conllu --measure --runs 1",
    "inspect": 'inspect "2 4 5 6 1 3" --json',
    "inspect links": 'inspect "0-0 1-2 2-1" --source "a b c d" --policy talbot --metrics order,pef:beta=0.5',
    "inspect words": 'inspect "sat the cat" --reference "the cat sat" -m kendall-sqrt,pef,bleu --picture out.svg',
    "inspect grid": 'inspect "0-0 1-2 2-1" --source "ich dich sehe" --target "I see you" --picture out.svg',
    "metrics": "metrics pef lr-kb4 edpm --json",
    "align": "align --source source.txt --target reference.txt --aligner model1 -o out.align --save out.model",
    "align model": "align --source source.txt --target good.txt --align-model de-en.model --posteriors --threads 2",
    "align gold": "align --bitext de-en.bitext --gold gold.talp --aligner diagonal --symmetrise intersection",
    "align judged": "align --align reference.align --gold gold.talp --json",
    "align treebank": "align --gold pud:en-de --aligner model1 -o out.align",
    "parse": "parse --grammar en.grammar --nbest 3 good.txt -o out.nbest --threads 2 --tokenize 13a",
    "parse dependencies": "parse --parser de.parser --nbest 3 --beam 4 source.txt",
    "parse gold": "parse --parser de.parser --gold source.conllu --tags given",
    "parse grammar": "parse train english.mrg --vertical 1 --horizontal 2 -o out.grammar",
    "parse stdin": "parse --grammar en.grammar --parse-format brackets - < good.txt",
    "profile": "profile de=reference.align fr=fr-en/reference.align --source source.txt fr-en/source.txt"
    " --target reference.txt --vocabulary",
    "profile words": "profile reference.align --source source.conllu --target reference.txt --unalign-source-pos DET"
    " --segments out.jsonl --by width --side source",
    "profile treebank": "profile en-de --policy talbot --json",
    "profile characters": "profile zh-en/characters.align --words zh-en/source.txt --target zh-en/reference.txt",
    "profile lengths": "profile reference.align --source-lengths source.len --target-lengths reference.len --by"
    " length"
    " --step 5 --write-buckets out.txt --bucket-lengths 6-13",
    "profile gold": "profile made=reference.align --gold gold.talp --source source.txt --target reference.txt --sure",
    "profile reproduced": "profile --ref-align reference.align --hyp-align a=good.align b=monotone.align"
    " --source source.txt --samples 10 --html out.html",
    "profile factors": "profile --factors pairs.tsv --response chrf --predictors rquantity,similarity",
    "profile matrix": "profile --factors pairs.tsv --matrix chrf",
    "profile pairs": "profile de-en=reference.align fr-en=fr-en/reference.align --source source.txt fr-en/source.txt"
    " --target reference.txt --matrix rquantity --pairs out.tsv",
    "profile cognates": "profile --cognates cognates.tsv --pairs out.tsv",
    "profile trained": "profile --source source.txt --target reference.txt --align-model de-en.model",
    "preorder evaluate": f"preorder evaluate {PARSED} --rules r1 german.rules learned --least 2 -m fuzzy"
    " --samples 10",
    "preorder parsers": "preorder evaluate --parses a=source.conllu b=parser.conllu --gold source.conllu"
    " --align reference.align --rules r1 german.rules --samples 10 --segments out.jsonl",
    "preorder parser": "preorder evaluate --source source.conllu --parser de.parser --gold source.conllu"
    " --align reference.align --rules german.rules --samples 10 --html out.html",
    "preorder treebank": "preorder evaluate --treebank en-de --rules r1 r5 --policy drop --samples 10 --json",
    "preorder apply": "preorder apply --parses source.conllu --rules german.rules -o out.txt",
    "preorder picture": "preorder apply --parses en-de/en.conllu --rules r5 --sentence 3 --picture out.svg",
    "preorder orders": "preorder apply --parses english.mrg --parse-format brackets --rules head-initial-r3"
    " --format orders",
    "preorder blame": "preorder blame --parses parser.conllu --align reference.align --rules german.rules --top 3"
    " --worst 2 --samples 10",
    "preorder learn": f"preorder learn {PARSED} --least 2 -o out.rules",
    "preorder select": "preorder select --parses source.nbest.conllu --align reference.align --rules german.rules"
    " -o out.conllu",
    "preorder selftrain": "preorder selftrain --gold source.conllu --align reference.align --rules german.rules"
    " --folds 2 --nbest 2",
    "preorder reference": f"preorder reference {PARSED} --target reference.txt --check --report out.txt",
    "preorder edited": "preorder evaluate --parses source.conllu --reference de-en.reference --rules german.rules"
    " --samples 10",
    "preorder rules": "preorder rules german.rules",
    "metaeval": f"metaeval {JUDGED} -m full,lr-kb4,bleu --samples 10",
    "metaeval sets": "metaeval --set de-en rankings.csv reference.txt good.txt monotone.txt scrambled.txt"
    " --set fr-en rankings.csv reference.txt fr-en/systems/good.txt fr-en/systems/monotone.txt -m kendall,bleu"
    " --segment tau,accuracy --samples 10 --allow-unplaced",
    "metaeval ratings": f"metaeval {RATED} --columns system=system segment=segment score=score {TEXTS} -m pef,bleu"
    " --segment pearson.none --samples 10",
    "metaeval orders": f"metaeval {RATED} --permutations good=good.orders scrambled=scrambled.orders"
    " -m fuzzy,kendall --segment pearson.none,spearman.none --system none --samples 10 --allow-unplaced",
    "metaeval mqm": "metaeval --judgement-format mqm --judgements mqm.tsv --ref reference.txt -m kendall,bleu"
    " --segment pearson.none --system spa --samples 10",
    "metaeval preferences": "metaeval --judgement-format preferences --judgements preferences.tsv"
    f" {TEXTS} -m pef,bleu --samples 10 --json",
    "metaeval hter": "metaeval --judgement-format hter --judgements good.hter monotone.hter --post-edits"
    " good.postedit.txt monotone.postedit.txt --ref reference.txt --hyp good.txt monotone.txt -m bleu,1-ter"
    " --segment pearson.none --docs documents.txt --document delta-r --samples 10",
    "metaeval mtme": "metaeval --mtme mtme --pair de-en --human-score mqm -m pef,bleu --segment pearson.segment"
    " --samples 10",
    "metaeval ranking": f"metaeval {JUDGED} -m kendall-sqrt,bleu --human best --ranking --samples 10",
    "metaeval compare": f"metaeval {JUDGED} -m kendall,pef,bleu --compare --samples 10 --html out.html",
    "metaeval versus": f"metaeval {JUDGED} -m kendall,pef --versus kendall --weight ref-length --samples 10",
    "metaeval source": f"metaeval {JUDGED} -m kendall,bleu --order matched source --source source.txt --tokenize none"
    " --hyp-align good.align monotone.align scrambled.align --ref-align reference.align --samples 10 --system none",
    "metaeval agreement": "metaeval --judgements rankings.csv --pair de-en --agreement",
    "metaeval agreed": f"metaeval {JUDGED} -m pef,bleu --agreed 0.5 --samples 10",
    "metaeval influences": f"metaeval {JUDGED} --influences --samples 10",
    "metaeval anova": f"metaeval {RATED} --anova",
    "metaeval agreement of ratings": f"metaeval {RATED} --agreement --json",
    "metaeval choices": "metaeval --judgement-format preferences --judgements preferences.tsv --preferences",
    "metaeval probe": "metaeval --ref reference.txt --probe --amounts 1,2 -m kendall,bleu --samples 10",
    "metaeval influences texts": "metaeval --ref reference.txt --hyp good.txt --influences -m bleu,pef",
    "metaeval distinguish": "metaeval --ref reference.txt reference2.txt --hyp good.txt --distinguish -m pef"
    " --seed 3",
    "metaeval detect": "metaeval --detect awkward --judgements mqm.tsv --ref reference.txt -m kendall-sqrt,bleu"
    " --samples 10",
    "metaeval qrev": "metaeval --qrev qrev --lowercase -m pef --samples 10",
    "tune": f"tune full:order=pef --vary alpha=0:1 order.beta=0:1 {JUDGED} --restarts 1 --samples 10 --save out.spec",
    "tune grid": f"tune lr-kb4 --vary theta=0:1 --search grid --steps 3 --curve --share 0.7 --dk de-en=0.7 {JUDGED}"
    " --samples 10 --level system --coefficient r",
    "nbest oracle": f"nbest oracle {LISTS} -m lr-kb4,bleu",
    "nbest oracle links": f"nbest oracle {LISTS} -m kendall --order source --source source.txt"
    " --ref-align reference.align --json",
    "nbest tune": f"nbest tune {LISTS} --objective bleu kendall --runs 2 --restarts 1 --metrics bleu --test"
    " samples.nbest.gz --test-ref reference.txt --save out.tsv",
    "nbest pro": f"nbest tune {LISTS} --method pro --objective bleu",
    "nbest mira": f"nbest tune {LISTS} --method mira --objective bleu",
    "nbest rerank": "nbest rerank dev.nbest.gz --weights weights.tsv -o out.txt",
    "nbest rerank late": "nbest rerank dev.nbest.gz --utility edpm --best 3 --grammar en.grammar -o out.txt",
    "nbest mbr": "nbest mbr samples.nbest.gz --utility lr-kb4 -o out.txt",
    "nbest mbr evidence": "nbest mbr dev.nbest.gz --evidence samples.nbest.gz --utility bleu --posterior"
    " score:scale=0.5",
    "nbest loop": "nbest loop --decoder 'cat {source} {weights}; zcat dev.nbest.gz > {nbest}' --start"
    " weights.tsv --work out --source source.txt"
    " --ref reference.txt --iterations 1 --restarts 1 --objective bleu",
    "smt train": "smt train --source train.de --target train.en --iterations 1 -o out",
    "smt translate": "smt translate phrases source.txt --limit 3 --nbest out.nbest.gz --count 5",
    "scale import": "scale import pairs.jsonl systems.parquet --columns a=reference --out out",
    "scale import texts": "scale import --columns source=good.txt target=systems.tsv:2 --out out --strict",
    "scale align": "scale align bitext --aligner model1 --symmetrise union --out out",
    "scale profile": "scale profile aligned --out out --segments",
    "scale score": "scale score outputs --columns reference=ref A=good -m kendall --samples 10 --out out --json",
    "scale filter": "scale filter aligned --keep 'kendall >= .9 and rquantity <= .5 and unaligned_source <= .3'"
    " --out out --sample 3",
    "scale top": "scale filter aligned --top 5 --by kendall --preset simt:k=3 --out out",
    "scale merge": "scale merge scores --rows out.tsv.zst --scores-jsonl out.jsonl",
    "scale status": "scale status scores",
    "study check": "study check prefer --json",
    "study check scramble": "study check scramble --people 5",
    "study status": "study status prefer",
    "study invite": "study invite prefer 3 --url https://example.org -o out.tsv",
    "study close": "study close prefer",
    "study withdraw": "study withdraw prefer p1 --erase",
    "study simulate": "study simulate rate --people 3 --set good=1 scrambled=-1 --clickers 1 -o out.txt",
    "study export": "study export rate --to out --simulated",
    **{f"study analyse {kind}": f"study analyse {kind} --simulated" for kind in
       ("prefer", "rate", "mark", "align", "judge", "scramble")},
    "demo": "demo --format tsv",
    "demo files": "demo --files out",
    "completion": "completion zsh",
}  # fmt: skip


@dataclass(frozen=True)
class Base:
    """A command line to begin with: its name, its arguments and its standard input."""

    name: str
    arguments: tuple[str, ...]
    stdin: str | None = None

    @classmethod
    def of(cls, name: str, line: str) -> Base:
        """Read a command line."""
        words = shlex.split(line)
        return cls(name, tuple(words[:-2]), words[-1]) if words[-2:-1] == ["<"] else cls(name, tuple(words))


def all_bases() -> list[Base]:
    """Return every command line; those that make files of others write ``out…`` instead."""
    return [Base.of(name, line) for name, line in [*COMMANDS.items(), *_made_elsewhere()]]


def _made_elsewhere() -> Iterator[tuple[str, str]]:
    for line in MADE:
        words = shlex.split(line)
        if words[:2] == ["study", "new"]:
            yield f"study new {words[2]}", shlex.join([*words[:3], "out", *words[4:]])
        elif words[:2] == ["parse", "train"] or "--posteriors" in words:
            yield f"{' '.join(words[:2])} {words[-1]}", shlex.join([*words[:-1], "out"])


def make_files(folder: Path) -> None:
    """Fill a folder with the files that need no command; ``MADE`` makes the others."""
    shutil.copytree(DEMO, folder, dirs_exist_ok=True)
    columns = {name: lines(folder / f"{name}.txt") for name in ("reference", "good", "monotone", "scrambled")}
    good, monotone = columns["good"], columns["monotone"]
    pq.write_table(pa.table(columns), folder / "systems.parquet")
    texts = {
        "systems.csv": ["good,monotone", *(f'"{a}","{b}"' for a, b in zip(good, monotone, strict=True))],
        "systems.tsv": [f"{a}\t{b}" for a, b in zip(good, monotone, strict=True)],
        "outputs.tsv": ["\t".join(row) for row in zip(columns["reference"], good, columns["scrambled"], strict=True)],
        "train.tsv": [f"{a}\t{b}" for a, b in zip(lines(folder / "train.de"), lines(folder / "train.en"), strict=True)],
        "pairs.jsonl": [f'{{"reference": "a", "translation": {{"en": "{line}"}}}}' for line in columns["reference"]],
        "rated.tsv": [
            "system\tsegment\tscore",
            *(f"{name}\t{row}\t{row * 5}" for name in ("good", "monotone", "scrambled") for row in range(1, 17)),
        ],
        "good.bpe": [line.replace("oo", "o@@ o") for line in good],
        "empty": [],
        "two\nlines=ü.txt": columns["reference"],
    }
    for name, rows in texts.items():
        (folder / name).write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()
