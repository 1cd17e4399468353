"""Record what every command prints and what Python calls return, to see that a redesign changes nothing.

    python benchmarks/record.py BEFORE --package ../old/src      record the package in that folder
    python benchmarks/record.py AFTER                            record the package of this repository
    python benchmarks/record.py AFTER --only 'metaeval*'         only these (and what writes their files)
    python benchmarks/record.py --compare BEFORE AFTER           what differs; exit code 1 if anything does
                                                                 (modulo the table of record_renamed.py)

A recording is a folder with one file per command and output format: the command line, its exit code, standard output,
standard error and the files it wrote. Every command runs in a process of its own, inside a temporary folder with
small parts of the real data (``../shared``), so no output depends on where it was made. To save the time of importing
numba and loading kernels again and again, one process imports the libraries and forks for every command, and the
formats of a command come one after the other in the same process (cold runs in one, warm runs in another).
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import fnmatch
import glob
import hashlib
import json
import multiprocessing
import os
import shlex
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from record_calls import CALLS
from record_data import prepare
from record_renamed import reword

HERE = Path(__file__).resolve()
REPOSITORY = HERE.parents[1]

# Commands are written as in a shell: `*` is expanded, `< FILE` is standard input, `> FILE` keeps standard output for
# a later command. The commands stand in the order in which they run; a name is also the name of the recorded files.

WRITING = {  # the files they write are recorded, and later commands read them
    "parse-train": "parse train gum/*.ptb -o en.grammar",
    "parse-train-markov": "parse train gum/*interview*.ptb --vertical 1 --horizontal 2 -o flat.grammar",
    "parse-best": "parse --grammar en.grammar few.en > few.trees",
    "parse-conllu": "parse --grammar en.grammar --parse-format conllu few.en -o few.conllu",
    "parse-nbest": "parse --grammar en.grammar --nbest 8 few.en -o few.nbest --threads 2",
    "parse-nbest-onlineA": "parse --grammar en.grammar --nbest 8 few-onlineA -o few-onlineA.nbest",
    "parse-nbest-jhu": "parse --grammar en.grammar --nbest 8 few-jhu -o few-jhu.nbest",
    "parse-untokenised": "parse --grammar flat.grammar --tokenize none few.en",
    "align-save": "align --train-source train.de --train-target train.en --save de-en.model",
    "align-reference": "align --source src.de --target ref.en --load de-en.model -o ref.align",
    "align-onlineA": "align --source src.de --target de-en/onlineA --load de-en.model -o onlineA.align",
    "align-jhu": "align --source src.de --target de-en/jhu-hiero --load de-en.model -o jhu.align",
    "align-posteriors": "align --source src.de --target ref.en --load de-en.model --posteriors -o ref.likely",
    "align-posteriors-jhu": "align --source src.de --target de-en/jhu-hiero --load de-en.model --posteriors"
    " -o jhu.likely",
    "preorder-apply-text": "preorder apply --trees pud/en-jp/en.conllu --rules r5",
    "preorder-apply-r4": "preorder apply --treebank pud/en-jp --rules r4 --as orders > r4.orders",
    "preorder-apply-r5": "preorder apply --trees pud/en-jp/en.conllu --rules r5 --as orders > r5.orders",
    "preorder-apply-brackets": "preorder apply --trees few.trees --trees-format brackets --rules head-initial-r3",
    "preorder-rules": "preorder rules",
    "preorder-rules-r5": "preorder rules r5 > mine.rules",
    "preorder-rules-check": "preorder rules mine.rules",
    "preorder-orders": "preorder reference --treebank pud/en-jp -o en-jp.orders",
    "profile-buckets-written": "profile ref.align --source src.de --target ref.en --buckets buckets.txt",
    "score-worst": "score --ref ref.en --hyp de-en/onlineA de-en/jhu-hiero --worst 3 --by pef",
    "score-worst-between": "score --ref ref.en --hyp de-en/* --worst-between onlineA jhu-hiero --samples 0",
    "score-worst-source": "score --ref ref.en --hyp de-en/onlineA --source src.de --order source"
    " --align-model de-en.model"
    " --worst 2 --by kendall-sqrt --samples 100",
    "score-default-format": "score --ref ref.en --hyp de-en/onlineA",
}

TABLES = {  # recorded as JSON, as a table for the terminal and as TSV
    "demo": "demo",
    "score-text": "score --ref ref.en --hyp de-en/*",
    "score-text-all": "score --ref ref.en --hyp de-en/onlineA de-en/jhu-hiero --metrics all,1-ter --samples 100",
    "score-text-groups": "score --ref ref.en --hyp de-en/UG-WMT12 -m combined,lexical --weight ref-length --samples 50",
    "score-text-specs": "score --ref ref.en --hyp ours=de-en/onlineA theirs=de-en/jhu-hiero"
    " -m full:order=pef:order.beta=0.3:lexical=f1,pef:operator=kendall,lr-kb1:alpha=0.3,ribes:alpha=0.5",
    "score-text-lowercase": "score --ref ref.en --hyp de-en/onlineA de-en/onlineB -lc -tok none --threads 2",
    "score-text-characters": "score --ref zh/pe --hyp zh/mt --tokenize zh --metrics kendall,chrf,bleu",
    "score-text-unsegmented": "score --ref zh/pe.raw --hyp zh/mt.raw --metrics kendall,bleu --samples 0",
    "score-text-stem": "score --ref ref.en --hyp de-en/onlineA de-en/jhu-hiero --match exact+stem -m order,meteor",
    "score-text-german": "score --ref mlqe/pe --hyp mlqe/mt --match exact+stem --language german",
    "score-text-synonym": "score --ref ref.en --hyp de-en/onlineA --match exact+stem+synonym --wordnet wordnet",
    "score-text-paraphrase": "score --ref ref.en --hyp de-en/onlineA --match exact+paraphrase --paraphrases table.par",
    "score-text-gz": "score --ref ref.en.gz --hyp de-en/onlineB --metrics pef",
    "score-text-stdin": "score --ref ref.en --hyp - --metrics kendall,f1 < de-en/onlineB",
    "score-references": "score --ref multi/ref* --hyp multi/out*",
    "score-references-average": "score --ref multi/ref0 multi/ref1 --hyp multi/out* --references average"
    " -m order,bleu,full",
    "score-references-text": "score --ref multi/ref* --hyp multi/out0 -m lexical,ribes --weight ref-length"
    " --samples 50",
    "score-sgm": "score --ref sgm/ref.sgm --hyp sgm/onlineA.sgm sgm/jhu-hiero.sgm",
    "score-xml": "score --hyp sgm/all.xml --ref sgm/all.xml --metrics kendall-sqrt,bleu",
    "score-docs": "score --ref ref.en --hyp de-en/* --docs docs.txt --resample documents -m kendall-sqrt,pef,bleu",
    "score-correlate": "score --ref ref.en --hyp de-en/* -m order,bleu,lr-kb4 --correlate",
    "score-correlate-docs": "score --ref ref.en --hyp de-en/* -m pef,bleu,ribes --docs docs.txt --correlate",
    "score-randomisation": "score --ref ref.en --hyp de-en/* --baseline onlineA --test randomisation",
    "score-wilcoxon": "score --ref ref.en --hyp de-en/onlineA de-en/jhu-hiero --test wilcoxon --seed 7 --samples 300",
    "score-sign": "score --ref ref.en --hyp de-en/onlineA de-en/jhu-hiero --test sign --samples 0",
    "score-segments": "score --ref ref.en --hyp de-en/onlineA de-en/onlineB -m all --segments text.jsonl --samples 0",
    "score-permutations": "score --permutations r4.orders r5.orders",
    "score-permutations-all": "score --permutations r4=r4.orders r5.orders -m all --segments orders.jsonl"
    " --samples 200",
    "score-aligned": "score --hyp-align A=onlineA.align B=jhu.align --ref-align ref.align --source src.de",
    "score-aligned-talbot": "score --hyp-align onlineA.align jhu.align --ref-align ref.align --source src.de -m all"
    " --policy talbot --segments links.jsonl --samples 100",
    "score-aligned-lengths": "score --hyp-align gold/out --ref-align gold/out --source-lengths gold/src.len"
    " --policy attach-left -m order",
    "score-aligned-talp": "score --hyp-align gold/gold --ref-align gold/gold --align-format talp --policy drop",
    "score-aligned-monotone": "score --hyp-align gold/out --order monotone --source gold/src -m all"
    " --policy attach-right",
    "score-aligned-people": "score --hyp-align jhu.align --ref-align ref.align --source src.de --order monotone",
    "score-format-marks": "score --hyp-align samples/pharaoh-with-P-suffix.align --order monotone --policy drop",
    "score-format-doubt": "score --hyp-align samples/pharaoh-questionmark-possible.align --order monotone"
    " --policy drop",
    "score-format-giza": "score --hyp-align samples/giza.A3.final --align-format giza --order monotone -m all",
    "score-format-lader": "score --hyp-align samples/lader-talbot-test.align --align-format lader --order monotone",
    "score-format-naacl": "score --hyp-align samples/naacl-like-0based.wa --align-format naacl --base 0"
    " --order monotone"
    " --policy drop",
    "score-format-list": "score --hyp-align target.list --align-format target-list --order monotone --policy drop",
    "score-format-moses": "score --hyp-align moses.out --align-format moses --order monotone --policy drop",
    "score-format-nbest": "score --hyp-align samples/moses.nbest-with-segmentation-and-alignment --align-format nbest"
    " --order monotone",
    "score-source-given": "score --source src.de --ref ref.en --hyp A=de-en/onlineA B=de-en/jhu-hiero --order source"
    " --tokenize none --hyp-align onlineA.align jhu.align --ref-align ref.align",
    "score-source-trained": "score --source src.de --ref ref.en --hyp de-en/onlineA de-en/jhu-hiero --order source"
    " --train-source train.de --train-target train.en --aligner diagonal --symmetrise intersection -m all"
    " --samples 50",
    "score-source-model": "score --source src.de --ref ref.en --hyp de-en/* --order source --align-model de-en.model"
    " --policy talbot --segments source.jsonl",
    "score-source-partly": "score --source mlqe/src --ref mlqe/pe --hyp mlqe/mt --hyp-align mlqe/mt.align"
    " --order source"
    " --tokenize none --aligner model1 -m order,combined --weight ref-length --samples 100",
    "score-monotone": "score --source src.de --hyp de-en/onlineA de-en/jhu-hiero --align-model de-en.model",
    "score-monotone-people": "score --source src.de --ref ref.en --hyp de-en/onlineA de-en/jhu-hiero --order monotone"
    " --align-model de-en.model -m kendall,longest-jump,anticipation:k=5,unaligned-source",
    "score-monotone-given": "score --source mlqe/src --hyp mlqe/mt --hyp-align mlqe/mt.align --tokenize none -m all",
    "score-expected": "score --source src.de --ref ref.en --hyp de-en/onlineA de-en/jhu-hiero --expected 4"
    " --align-model de-en.model",
    "score-expected-monotone": "score --source src.de --hyp de-en/jhu-hiero --expected 3 --align-model de-en.model",
    "score-expected-given": "score --source src.de --ref ref.en --hyp de-en/jhu-hiero --expected 3 --tokenize none"
    " --hyp-align jhu.likely --ref-align ref.likely --policy drop",
    "score-parses": "score --ref-parses few.nbest --hyp-parses few-onlineA.nbest few-jhu.nbest"
    " -m edpm,dpm:parts=dh:n=1,kendall,bleu",
    "score-parses-text": "score --ref few.en --hyp A=few-onlineA B=few-jhu --ref-parses few.nbest --log-base e"
    " --hyp-parses B=few-jhu.nbest A=few-onlineA.nbest -m edpm,dpm,kendall-sqrt,bleu",
    "score-parses-conllu": "score --ref-parses few.conllu --hyp-parses few.conllu -m dpm,edpm --parse-format conllu",
    "score-parses-brackets": "score --ref-parses few.trees --hyp-parses few.trees -m dpm:parts=dl+lh,full",
    "align-gold": "align --bitext gold/src-tgt --gold gold/gold --model diagonal -o gold.links",
    "align-judged": "align --align-file gold/out --gold gold/gold",
    "profile": "profile ref.align --source src.de --target ref.en",
    "profile-corpora": "profile ref=ref.align jhu=jhu.align --source src.de --target ref.en de-en/jhu-hiero"
    " --vocabulary",
    "profile-treebanks": "profile pud/en-jp pud/en-fr --unalign-source-pos DET --segments profile.jsonl",
    "profile-width": "profile pud/en-jp pud/en-fr --by width --side source",
    "profile-length": "profile ref.align --source src.de --target ref.en --by length --step 5"
    " --unalign-source der,die,das",
    "profile-talp": "profile gold/gold --align-format talp --source gold/src --target gold/tgt --sure --policy talbot",
    "profile-buckets": "profile ref.align --source src.de --target ref.en --buckets middle.txt --bucket-lengths 10-40",
    "profile-reproduced": "profile --ref-align ref.align --hyp-align A=onlineA.align B=jhu.align --samples 200",
    "profile-factors": "profile --factors --predictors rquantity,similarity",
    "score-buckets": "score --ref ref.en --hyp de-en/* --buckets buckets.txt",
    "preorder-evaluate": "preorder evaluate --treebank pud/en-jp --rules r1 r4 r5 mine.rules learned",
    "preorder-evaluate-parsers": "preorder evaluate --trees P1=pud/en-jp/en.conllu P2=pud/other.conllu"
    " --gold pud/en-jp/en.conllu --align pud/en-jp.align --rules r1 r5 --metrics fuzzy,pef --policy drop",
    "preorder-blame": "preorder blame --treebank pud/en-jp --rules r5 --top 8 --worst 3 --samples 200",
    "preorder-learn": "preorder learn --treebank pud/en-fr --least 10 --folds 3 --policy drop -o en-fr.rules"
    " --beside r1",
    "preorder-reference": "preorder reference --treebank pud/en-fr -o en-fr.orders",
    "preorder-check": "preorder reference --treebank pud/en-jp --check --allow-pos DET,PUNCT --report findings.txt",
    "preorder-edited": "preorder evaluate --trees pud/en-jp/en.conllu --reference en-jp.orders --rules r5 r4"
    " --segments rules.jsonl --samples 100",
    "preorder-select": "preorder select --parses few.nbest --parse-format nbest --align few.align --rules r4"
    " -o chosen.mrg",
    "metaeval-agreement": "metaeval --set de-en rankings.csv ref.en de-en/* --set cs-en rankings.csv ref.en cs-en/*"
    " --agreement",
    "metaeval-distinguish": "metaeval --ref multi/ref* --hyp multi/out* --distinguish -m kendall,bleu,full",
    "metaeval-probe": "metaeval --ref few.en --probe move,shuffle --amounts 1,2,4 -m kendall,pef,bleu --samples 100",
    "metaeval-probe-real": "metaeval --ref ref.en --hyp de-en/* --probe real -m kendall-sqrt,bleu --samples 100",
    "metaeval-qrev": "metaeval --qrev qrev --pair en-hr -m kendall,bleu,full --samples 100",
    "tune-climb": "tune full:order=pef --vary alpha=0:1 order.beta=0:1 --judgements rankings.csv --pair de-en"
    " --ref ref.en --hyp de-en/* --allow-unplaced --restarts 3 --samples 100 --save tuned.spec",
    "tune-grid": "tune lr-kb4 --vary theta=0:1 --search grid --steps 5 --dk de-en=0.74 cs-en=0.85 --samples 100"
    " --set de-en rankings.csv ref.en de-en/* --set cs-en rankings.csv ref.en cs-en/* --level system --coefficient r"
    " --allow-unplaced",
    "tune-curve": "tune lr-hb1 --vary alpha=0:1 --search grid --steps 6 --curve --share 0.7 --lowercase"
    " --match exact+stem"
    " --judgements rankings.csv --pair cs-en --ref ref.en --hyp cs-en/* --allow-unplaced",
}

CACHED = {  # as TABLES, but each format twice: with an empty cache, and again with what the first run left in it
    "score-grammar": "score --ref few.en --hyp few-onlineA few-jhu --grammar en.grammar -m edpm,dpm,kendall-sqrt,bleu",
    "score-grammar-source": "score --ref few.en --hyp few-jhu --source few.de --order source"
    " --align-model de-en.model"
    " --grammar en.grammar -m edpm,pef --samples 100",
    "metaeval": "metaeval --judgements rankings.csv --pair de-en --ref ref.en --hyp de-en/* --allow-unplaced",
    "metaeval-sets": "metaeval --set de-en rankings.csv ref.en de-en/* --set cs-en rankings.csv ref.en cs-en/*"
    " -m full:order=kendall,full:order=pef,bleu --segment tau,tau-b,accuracy --system rho,r --samples 100"
    " --allow-unplaced",
    "metaeval-weighted": "metaeval --judgements rankings.csv --pair de-en --ref ref.en --hyp de-en/* --docs docs.txt"
    " --allow-unplaced --document delta-r --weight ref-length --lowercase --match exact+stem --human better-or-equal"
    " --resample judgements --samples 100",
    "metaeval-compare": "metaeval --judgements rankings.csv --pair de-en --ref ref.en --hyp de-en/* --compare"
    " --allow-unplaced --test williams --system r --segment none -m kendall,pef,bleu",
    "metaeval-versus": "metaeval --judgements rankings.csv --pair cs-en --ref ref.en --hyp cs-en/* --versus kendall"
    " --allow-unplaced -m kendall,pef,fuzzy --samples 100",
    "metaeval-influences": "metaeval --judgements rankings.csv --pair de-en --ref ref.en --hyp de-en/* --influences"
    " --allow-unplaced",
    "metaeval-grammar": "metaeval --judgements few.csv --pair de-en --ref few.en --hyp onlineA=few-onlineA"
    " jhu-hiero=few-jhu --grammar en.grammar -m edpm,bleu --samples 100 --allow-unplaced",
    "metaeval-ratings": "metaeval --form ratings --judgements mlqe/ratings.tsv --columns score=z_mean"
    " --segment-base 0"
    " --ref mlqe/pe --hyp mlqe/mt --docs mlqe/docs --document r -m pef,bleu --samples 100"
    " --segment pearson.none,spearman.none,kendall.none",
    "metaeval-hter": "metaeval --form hter --judgements mlqe/hter --ref mlqe/pe --hyp mlqe/mt -m kendall,1-ter"
    " --samples 100",
    "metaeval-preferences": "metaeval --form preferences --judgements preferences.tsv --ref ref.en --hyp de-en/*"
    " -m kendall-sqrt,bleu --samples 100",
    "metaeval-mqm": "metaeval --form mqm --judgements mqm.tsv --ref few.en --hyp A=few-onlineA B=few-jhu"
    " -m kendall,bleu --segment pearson.none --samples 100",
    "metaeval-mtme": "metaeval --mtme mtme --pair de-en --human-score rank --document delta-r -m pef,bleu"
    " --samples 100",
}

LOOKS = {  # recorded as JSON and as they are
    "inspect-permutation": 'inspect "2 4 5 6 1 3"',
    "inspect-alignment": 'inspect "0-0 1-2 2-1 3-3"',
    "inspect-source": 'inspect "0-0 1-2 2-1" --source "a b c d" --policy talbot --metrics order,pef:beta=0.5',
    "inspect-reference": 'inspect "2 1 3" --reference "1 3 2"',
    "inspect-base": 'inspect "1-1 2-3 3-2" --reference "1-2 2-1 3-3" --base 1',
    "metrics": "metrics",
    "metrics-some": "metrics pef lr-kb4 edpm",
}

MISTAKES = {  # what people get wrong; standard error and the exit code matter
    "mistake-nothing": "score",
    "mistake-no-reference": "score --hyp de-en/onlineA",
    "mistake-missing-file": "score --ref ref.en --hyp nothing.en",
    "mistake-lengths": "score --ref ref.en --hyp few-onlineA",
    "mistake-metric": "score --ref ref.en --hyp de-en/onlineA --metrics kendal",
    "mistake-parameter": "score --ref ref.en --hyp de-en/onlineA --metrics pef:bta=0.5",
    "mistake-parses": "score --ref ref.en --hyp de-en/onlineA --metrics edpm",
    "mistake-order-metric": "score --permutations r4.orders --metrics bleu",
    "mistake-permutation": "score --permutations ref.en",
    "mistake-same-name": "score --ref ref.en --hyp de-en/onlineB cs-en/onlineB",
    "mistake-no-source": "score --ref ref.en --hyp de-en/onlineA --order source",
    "mistake-alignments-beside-text": "score --ref ref.en --hyp de-en/onlineA --hyp-align onlineA.align",
    "mistake-no-lengths": "score --hyp-align onlineA.align --ref-align ref.align",
    "mistake-format": "score --hyp-align gold/out --ref-align gold/gold --align-format giza --policy drop",
    "mistake-base": "score --hyp-align gold/out --ref-align gold/out --align-format talp --policy drop",
    "mistake-baseline": "score --ref ref.en --hyp de-en/onlineA de-en/onlineB --baseline nobody",
    "mistake-docs": "score --ref ref.en --hyp de-en/onlineA --docs multi/ref0",
    "mistake-policy": "score --hyp-align onlineA.align --ref-align ref.align --source src.de --policy brich",
    "mistake-tokenizer": "score --ref ref.en --hyp de-en/onlineA --tokenize 13b",
    "mistake-order-twice": "score --permutations r4.orders --order source",
    "mistake-option": "score --reference ref.en --hyp de-en/onlineA",
    "mistake-inspect": 'inspect "1 2 2"',
    "mistake-align": "align --source src.de",
    "mistake-profile": "profile",
    "mistake-rules": "preorder apply --trees pud/en-jp/en.conllu --rules r9",
    "mistake-parse": "parse few.en",
    "mistake-metaeval": "metaeval --ref ref.en --hyp de-en/onlineA",
    "mistake-pair": "metaeval --judgements rankings.csv --pair xx-yy --ref ref.en --hyp de-en/*",
    "mistake-tune": "tune pef --vary gama=0:1 --judgements rankings.csv --pair de-en --ref ref.en --hyp de-en/*",
}

JSON, TERMINAL, TSV = ["--json"], ["--format", "terminal"], ["--format", "tsv"]
THREE = {"json": JSON, "terminal": TERMINAL, "tsv": TSV}
KINDS: list[tuple[dict[str, str], dict[str, list[str]], tuple[str, ...]]] = [
    (WRITING, {"plain": []}, ("",)),
    (TABLES, THREE, ("",)),
    (CACHED, THREE, (".cold", ".warm")),
    (LOOKS, {"json": JSON, "plain": []}, ("",)),
    (MISTAKES, {"plain": []}, ("",)),
]
"""Commands, the formats they are recorded in, and how often they run with the same cache."""

OUTPUTS = {"-o", "--segments", "--report", "--save"}
"""Options that name a file to write; of ``profile`` also ``--buckets``."""

LONGEST_FILE = 100_000
"""Of a longer file, or one that is not text, only size and digest are recorded."""

LONGEST_DIFF, WIDEST = 12, 300
"""Lines of a difference that are printed, and characters of a line."""

ENVIRONMENT = {"PYTHONUTF8": "1", "COLUMNS": "118", "LINES": "50", "NO_COLOR": "1", "TERM": "dumb"}


@dataclass(frozen=True)
class Run:
    """A command line in one format: its name, arguments, where standard input and output go, and its own cache."""

    name: str
    arguments: list[str]
    cache: str
    stdin: str | None = None
    stdout: str | None = None

    @classmethod
    def of(cls, name: str, line: str, options: list[str], cache: str) -> Run:
        """Read a command line and add the options of a format."""
        words = shlex.split(line)
        files = {}
        while len(words) > 1 and words[-2] in ("<", ">"):
            files["stdin" if words[-2] == "<" else "stdout"] = words[-1]
            words = words[:-2]
        return cls(name, [*words, *options], cache, **files)

    @property
    def outputs(self) -> list[str]:
        """The files that it writes."""
        options = OUTPUTS | {"--buckets"} if "profile" in self.arguments[:1] else OUTPUTS
        pairs = zip(self.arguments, self.arguments[1:], strict=False)
        return [value for option, value in pairs if option in options]

    def __str__(self) -> str:
        redirected = (f" < {self.stdin}" if self.stdin else "") + (f" > {self.stdout}" if self.stdout else "")
        if not self.arguments:
            return self.name
        return f"wordorder {shlex.join(self.arguments)}{redirected}"


def groups(pattern: str) -> Iterator[list[Run]]:
    """List what runs in one process: commands and calls whose names match, and commands that write files for them."""
    for commands, formats, turns in KINDS:
        for name, line in commands.items():
            if commands is WRITING or fnmatch.fnmatch(name, pattern):
                for turn in turns:
                    yield [
                        Run.of(f"{name}.{form}{turn}", line, options, f"cache/{name}.{form}")
                        for form, options in formats.items()
                    ]
    for name in CALLS:
        if fnmatch.fnmatch(name, pattern):
            yield [Run(name, [], f"cache/{name}")]


def record(out: Path, package: Path, pattern: str) -> int:
    """Record every run and call of ``package`` into files in ``out``."""
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder), REPOSITORY.parent / "shared")
        command = [sys.executable, str(HERE), str(out.resolve()), "--inside", str(package), "--only", pattern]
        environment = os.environ | ENVIRONMENT | {"PYTHONPATH": str(package)}
        return subprocess.run(command, cwd=folder, env=environment).returncode


def record_inside(out: Path, package: Path, pattern: str) -> None:
    """Record in the prepared folder, with the libraries that every command needs already imported."""
    import numba  # noqa: F401
    import pyarrow.compute  # noqa: F401
    import scipy.stats  # noqa: F401

    import wordorder.cli.main

    if package not in Path(wordorder.__file__).parents:
        raise SystemExit(f"{wordorder.__file__} is not in {package}")
    out.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    for group in groups(pattern):
        process = multiprocessing.get_context("fork").Process(target=record_group, args=(out, group))
        process.start()
        process.join()
        if process.exitcode:
            print(f"{group[0].name}: the process ended with {process.exitcode}", file=sys.stderr)
    count, seconds = len(list(out.iterdir())), time.monotonic() - start
    print(f"{count} outputs in {out}: {seconds:.0f} s, {sum(os.times()[:4]):.0f} s of CPU", file=sys.stderr)


def record_group(out: Path, group: list[Run]) -> None:
    """Do some runs one after the other, with standard streams in files, and write down what came of them."""
    for run in group:
        os.environ["WORDORDER_CACHE"] = run.cache
        files = ((run.stdin or os.devnull, "rb"), (run.stdout or "stdout", "wb"), ("stderr", "wb"))
        for number, (name, mode) in enumerate(files):
            with open(name, mode) as file:
                os.dup2(file.fileno(), number)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115  # multiprocessing has put another one in its place
        code = perform(run)
        sys.stdout.flush()
        sys.stderr.flush()
        parts = {"stdout": content(run.stdout or "stdout"), "stderr": content("stderr")}
        parts |= {name: content(name) for name in run.outputs}
        sections = [f"--- {name}\n{text}" for name, text in parts.items() if text]
        text = "\n".join([f"$ {run}", f"--- exit code {code}", *sections])
        (out / f"{run.name}.txt").write_text(text, "utf-8")


def perform(run: Run) -> int:
    """Run a command, or a Python call and print its result; return the exit code."""
    from wordorder.cli.main import main

    try:
        return main(expand(run.arguments)) if run.arguments else show(CALLS[run.name])
    except SystemExit as stop:
        return int(stop.code or 0)
    except Exception:
        traceback.print_exc()
        return 1


def show(function: Callable[[], object]) -> int:
    """Print what a Python call returns, or its error."""
    try:
        found = function()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
        return 1
    print(json.dumps(found, ensure_ascii=False, indent=1) if isinstance(found, dict | list) else found)
    return 0


def expand(words: list[str]) -> list[str]:
    """Expand names of files as a shell does."""
    return [found for word in words for found in (("*" in word and sorted(glob.glob(word))) or [word])]


def content(name: str) -> str:
    """Return the text in a file; of what is long or not text, the size and a digest."""
    if not os.path.exists(name):
        return "(no file)"
    data = Path(name).read_bytes()
    with contextlib.suppress(UnicodeDecodeError):
        if len(data) <= LONGEST_FILE or name in ("stdout", "stderr"):
            return data.decode()
    return f"({len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()})"


def compare(before: Path, after: Path) -> int:
    """Print what differs between two recordings; return 1 if anything does."""
    names = sorted({path.name for folder in (before, after) for path in folder.iterdir()})
    differing = 0
    for name in names:
        old, new = ((folder / name) for folder in (before, after))
        if not (old.exists() and new.exists()):
            print(f"## {name}: only in {before if old.exists() else after}")
            differing += 1
        elif reword(old.read_text("utf-8")) != new.read_text("utf-8"):
            print(f"## {name}")
            first, second = reword(old.read_text("utf-8")).split("\n"), new.read_text("utf-8").split("\n")
            found = list(difflib.unified_diff(first, second, lineterm="", n=0))[2:]
            print("\n".join(line if len(line) <= WIDEST else f"{line[:WIDEST]}…" for line in found[:LONGEST_DIFF]))
            if len(found) > LONGEST_DIFF:
                print(f"… {len(found) - LONGEST_DIFF} lines more")
            differing += 1
    print(f"{differing} of {len(names)} outputs differ")
    return int(differing > 0)


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="?", type=Path, metavar="OUT", help="folder to record into")
    parser.add_argument("--package", type=Path, default=REPOSITORY / "src", help="folder that has the package")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="record only the commands of these names")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("A", "B"), help="compare two recordings")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.compare:
        return compare(*options.compare)
    if options.out is None:
        parser.error("give a folder to record into, or --compare")
    if options.inside:
        record_inside(options.out, options.inside, options.only)
        return 0
    return record(options.out, options.package.resolve(), options.only)


if __name__ == "__main__":
    sys.exit(main())
