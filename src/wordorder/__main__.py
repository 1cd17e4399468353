"""``python -m wordorder`` is the command line."""

from wordorder.cli.start import main

main()
