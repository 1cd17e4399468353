"""Create links for participants, and print a table with each person's id and link.

A link is shown only once: the database keeps only a digest of it, so that nobody who reads the database can answer in
another person's name. Because links cannot be recreated, existing files are never overwritten. People can be invited
while the study is being served.

examples:
  wordorder study invite DIR 28 -o links.tsv
  wordorder study invite DIR 28 --url https://studies.example.org
  wordorder study invite DIR --open                 one link for all visitors
  wordorder study invite DIR 1 --adjudicator        somebody who decides where two annotators disagree
"""

import argparse
import os
import sys

from wordorder.apps.study.commands.arguments import add_address, add_study, link_address, open_study, warn_of_consent
from wordorder.cli.output import add_file
from wordorder.core.runtime.errors import refuse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    add_study(parser)
    parser.add_argument("count", metavar="N", type=int, nargs="?", default=1, help="people to invite (default 1)")
    roles = parser.add_mutually_exclusive_group()
    add = roles.add_argument
    add("--open", action="store_const", const="open", dest="role", help="create one link that all visitors can use")
    add("--admin", action="store_const", const="admin", dest="role", help="create permanent links to the admin page")
    about = "create links for people who decide where annotators disagree (align)"
    add("--adjudicator", action="store_const", const="adjudicator", dest="role", help=about)
    add_address(parser)
    add_file(parser)


def run(options: argparse.Namespace) -> None:
    """Invite people and print their ids and links."""
    from wordorder.core.runtime.errors import UsageError

    refuse(not 1 <= options.count <= 10_000, f"cannot invite {options.count} people; expected 1 to 10,000")
    if options.result_file and os.path.isfile(options.result_file):
        raise UsageError(f"{options.result_file}: already exists and may contain links; choose another file")
    address = link_address(options)
    with open_study(options) as (study, store):
        if options.role == "adjudicator" and study.settings.kind != "align":
            raise UsageError(f"only align studies have adjudicators; this study is of kind {study.settings.kind}")
        warn_of_consent(study)
        if options.result_file:
            os.fchmod(sys.stdout.fileno(), 0o600)  # whoever reads a link can answer, or manage the study
        print("person", "link", sep="\t")
        for invitation in store.invite(options.count, options.role or "person", address=address):
            print(invitation.person.id, f"{address}/#t={invitation.token}", sep="\t")
