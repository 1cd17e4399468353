"""Run the command-line interface with ``python -m wordorder``."""

from wordorder.cli.start import main

main()
