"""The tables and figures of five papers on word order, theirs beside ours, and what goes beyond: ``make papers``.

One module a page. Each uses the command line and the public names of wordorder, and writes a page under
docs/results/. The papers' own values are typed in, with the number of the table; everything else is computed.
"""
