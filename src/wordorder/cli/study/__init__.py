"""Ask people: make a study of word order, serve it to them, and see what follows from their answers."""

from __future__ import annotations

import argparse

from wordorder.cli.parser import add_commands
from wordorder.cli.study import analyse, check, close, export, invite, new, serve, simulate, status, withdraw

HELP = "run a study with people: stimuli, a web page for their answers, and the analysis"
EXAMPLES = """\
examples:
  wordorder study new rate DIR --ref ref.txt --hyp A.txt B.txt     the folder of a study
  wordorder study check DIR                    what people will see, minutes, lists, power
  wordorder study simulate DIR --people 28     a full dry run
  wordorder study invite DIR 28                links for 28 people
  wordorder study serve DIR                    serve the study; Ctrl-C stops it and nothing is lost
  wordorder study status DIR                   who has done what
  wordorder study close DIR                    take no more answers
  wordorder study analyse DIR                  analyse the answers
  wordorder study COMMAND --help               what each takes, with examples
"""

COMMANDS = (new, check, simulate, invite, serve, status, close, withdraw, export, analyse)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the commands below this one."""
    add_commands(parser, COMMANDS, required=True)
