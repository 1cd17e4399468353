"""Ask people about word order: make a study, serve it to participants, and analyse their answers."""

from __future__ import annotations

import argparse

from wordorder.cli.parser import add_commands

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

COMMANDS = {
    "new": ("wordorder.apps.study.commands.new", "make the folder of a study from aligned texts or outputs"),
    "check": ("wordorder.apps.study.commands.check", "what people will see, minutes, lists, checks, power"),
    "simulate": (
        "wordorder.apps.study.commands.simulate",
        "answers of simulated people with known effects, and their analysis",
    ),
    "invite": ("wordorder.apps.study.commands.invite", "make links for people"),
    "serve": ("wordorder.apps.study.commands.serve", "serve the study to people"),
    "status": ("wordorder.apps.study.commands.status", "who has done what"),
    "close": ("wordorder.apps.study.commands.close", "take no more answers, or take them again"),
    "withdraw": ("wordorder.apps.study.commands.withdraw", "withdraw a person, or erase all data about them"),
    "export": ("wordorder.apps.study.commands.export", "answers as texts, orders, ratings, preferences, alignments"),
    "analyse": ("wordorder.apps.study.commands.analyse", "analyse the answers"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands to a parser."""
    add_commands(parser, COMMANDS, required=True)
