"""A first look: three invented systems translate sixteen German sentences. Which of them orders words best?

One writes good English, one puts English words in German order, and one scrambles the right words. --files writes the
demo data to a folder; in this folder, every command in the documentation runs as printed.

examples:
  wordorder demo
  wordorder demo --format tsv
  wordorder demo --files demo          the data, to try other commands on
  wordorder demo --compile             compile ahead of time, so that no command is slow on its first run
"""

import argparse
import contextlib
import io
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from wordorder.cli.output import add_output, for_people, print_result
from wordorder.core.runtime.drafts import draft_folder
from wordorder.core.runtime.errors import UsageError, refuse

SYSTEMS = ("good", "monotone", "scrambled")

_TEXTS = "--ref reference.txt --hyp good.txt monotone.txt"
_JUDGED = f"--judgements rankings.csv --pair de-en {_TEXTS} scrambled.txt --samples 10 --no-cache"
_PREORDERED = "--align reference.align --samples 10 --rules german.rules"
COMPILED = (
    "score --ref long-reference.txt --hyp long-scrambled.txt --samples 10",
    f"score {_TEXTS} --metrics all --worst 1",
    f"score {_TEXTS} --metrics 1-ter --baseline good --test randomisation --samples 10",
    'inspect "2 4 5 6 1 3"',
    "score --hyp-align good.align monotone.align --ref-align reference.align --source source.txt --metrics all",
    "align --source source.txt --target reference.txt --train-source train.de --train-target train.en -o made.align",
    "align --align made.align --gold gold.talp",
    "score --source source.txt --hyp good.txt monotone.txt",
    f"find --source source.txt {_TEXTS} --worst 1",
    f"patterns {_TEXTS}",
    "monotone --source source.txt --hyp good.txt --ref reference.txt",
    "parse train english.mrg -o en.grammar",
    f"score {_TEXTS} --grammar en.grammar --metrics edpm,bleu --no-cache",
    "profile reference.align --source source.txt --target reference.txt",
    f"preorder evaluate --parses source.conllu {_PREORDERED} r1 learned --least 2 --metrics fuzzy,kendall",
    f"preorder blame --parses parser.conllu {_PREORDERED} --metrics fuzzy",
    "preorder apply --parses source.conllu --rules german.rules -o reordered.txt",
    f"metaeval {_JUDGED}",
    f"tune full --vary alpha=0:1 {_JUDGED}",
    "nbest oracle dev.nbest.gz --ref reference.txt",
    "nbest mbr samples.nbest.gz",
    "nbest tune dev.nbest.gz --ref reference.txt --restarts 1",
)
"""Commands that together use every kernel needed by the first pages of the documentation."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    folder = "write the demo data to this folder (new or empty) instead of scoring it"
    parser.add_argument("--files", metavar="FOLDER", help=folder)
    compiled = "run every kind of command once on the demo data to compile its code (takes a few minutes)"
    parser.add_argument("--compile", action="store_true", help=compiled)
    add_output(parser, percent=True)


def run(options: argparse.Namespace) -> None:
    """Score the demo systems and show the worst-ordered sentence of each, or write the demo data to a folder."""
    folder = Path(__file__).parents[1] / "data" / "demo"
    if options.files:
        _write_files(folder, Path(options.files))
        return
    if options.compile:
        _compile(folder)
        return
    from wordorder.scoring.shortcuts import score

    scores = score({name: str(folder / f"{name}.txt") for name in SYSTEMS}, str(folder / "reference.txt"))
    made = scores.summary if for_people(options) else scores.table
    print_result(options, lambda: made(digits=options.digits, percent=options.percent), scores.to_dict)
    if for_people(options):
        print("\nThe worst-ordered sentence of each system (chunks are numbered in reference order):\n")
        print(scores.worst(1, by="kendall-sqrt"))
        print("To try it on these files: wordorder demo --files demo && cd demo; then: wordorder score -h")


def _compile(data: Path) -> None:
    """Run one command of each kind in a temporary folder, discarding its output, so that all kernels are compiled."""
    from wordorder.cli.main import main

    os.environ["NUMBA_DISABLE_JIT"] = "0"  # the demo data are too little work to be compiled otherwise
    print(f"Compiling for {len(COMPILED)} kinds of commands: a few minutes, but only once.", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        shutil.copytree(data, "demo")
        os.chdir("demo")
        for name in ("reference", "scrambled"):  # texts with many or long lines use other kernels
            text = Path(f"{name}.txt").read_text(encoding="utf-8")
            Path(f"long-{name}.txt").write_text(text * 300 + (text.replace("\n", " ") + "\n") * 20, encoding="utf-8")
        for number, command in enumerate(COMPILED, start=1):
            print(f"  {number} of {len(COMPILED)}: wordorder {command}", file=sys.stderr)
            with contextlib.redirect_stdout(io.StringIO()):
                code = main([*shlex.split(command), "-q"])
            refuse(code, f"the command 'wordorder {command}' ended with exit code {code}")
    print("Compiled: these commands now start at once.")


def _write_files(data: Path, folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"--files {folder}: expected a new or empty folder")
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with draft_folder(folder) as draft:
            for file in sorted(data.rglob("*")):
                target = Path(draft, file.relative_to(data))
                if file.is_dir():
                    target.mkdir()
                else:
                    target.write_bytes(file.read_bytes())
            for name in os.listdir(draft):
                os.replace(Path(draft, name), folder / name)
    except OSError as error:
        error.filename, error.filename2 = str(folder), None
        if new:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise
    print(f"The demo data are in {folder}. Try:")
    print(f"  cd {folder}")
    print("  wordorder score --ref reference.txt --hyp good.txt monotone.txt scrambled.txt")
