"""Process corpora of any size: a corpus is a folder of Parquet files (parts), which are processed independently.

The results are the same, byte for byte, in one process or several, on Slurm or on a Dask cluster. To resume a run
that was stopped, give the same command again.

examples:
  wordorder scale import *.tsv.zst --columns source=1 target=2 --out corpus
  wordorder scale align corpus --out aligned --workers 0
  wordorder scale profile aligned --out profile
  wordorder scale score pairs --columns reference=ref A=hyp_a B=hyp_b --out scores --workers 0
  wordorder scale filter aligned --keep 'kendall >= .9 and rquantity <= .2' --out kept
  wordorder scale status scores
  wordorder scale merge scores -o scores.tsv.zst
  wordorder scale COMMAND --help                          options and examples of a command
"""

COMMANDS = {
    "import": "create a corpus of Parquet parts from TSV, JSON Lines, Parquet, datasets or Moses files",
    "align": "align words, adding a column of links to a corpus",
    "profile": "measure how much a corpus reorders; needs links, such as those from 'scale align'",
    "score": "score systems (columns of the corpus) against references",
    "filter": "keep or rank pairs by word order: monotonicity, RQuantity, widths, anticipation",
    "status": "show the progress and the failures of a run",
    "merge": "print the totals of a run, and write its rows to one file",
}
