"""``python -m wordorder`` is the command line."""

from wordorder.cli.main import main

raise SystemExit(main())
