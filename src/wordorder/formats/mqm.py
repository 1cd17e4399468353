"""Google's MQM tables: one error per line (``system doc doc_id seg_id rater source target category severity``).

Quotation marks have no special meaning. The rating of a segment by one rater is minus the sum of its penalties
(Freitag et al. 2021): major 5, minor 1, minor punctuation 0.1, non-translation 25; critical errors, which occur in
tables from other sources, cost 10. A segment without errors has a single line ``No-error``. Errors are marked with
``<v>`` and ``</v>`` in the source or the target.

In the tables of 2023, ``doc_id`` and ``seg_id`` are called ``docSegId`` and ``globalSegId``, and ``A_with_B`` is
system A shown next to B. If a rater annotated A next to different systems, these annotations are kept apart. If
``seg_id`` is −1 (Unbabel), a segment is identified by its document and its number in the document.
"""

from wordorder.core.runtime.files import Path
from wordorder.formats.annotations import AnnotationRows, Annotations, errors_of
from wordorder.formats.delimited import DelimitedTable
from wordorder.formats.judgements import Ratings, number_segments

_BESIDE = "_with_"


def read_annotations(path: Path, *, base: int = 1) -> Annotations:
    """Read the errors that each rater marked in each segment of each system, together with the texts."""
    table = DelimitedTable(path, separator="tab", quoted=False)
    system, rater, category, severity = map(table.place, ("system", "rater", "category", "severity"))
    segment = table.place("seg_id", "globalSegId")
    within = table.place("doc_id", "docSegId") if table.has("doc_id") or table.has("docSegId") else segment
    document, source, target = (table.columns.get(name) for name in ("doc", "source", "target"))
    beside = table.has("globalSegId")
    rows = AnnotationRows()
    for at, fields in table:
        place = -1  # unknown
        if fields[segment].strip() != "-1":
            place = table.segment(fields[segment], at, base=base, what=table.names[segment])
        name, judge = fields[system].strip(), fields[rater]
        if beside and _BESIDE in name:
            name, _, other = name.partition(_BESIDE)
            judge = f"{judge} beside {other}"
        of = "" if document is None else fields[document]
        rows.add(
            name,
            (of, fields[within]) if place == -1 else place,
            judge,
            errors_of(fields[category], fields[severity]),
            hypothesis=None if target is None else fields[target],
            source=None if source is None else fields[source],
            document=of,
            line=place,
        )
    return rows.gather("", path=table.path)


def read(path: Path, *, base: int = 1) -> Ratings:
    """Read the rating of each rater for each segment of each system; segments are numbered by test-set line."""
    found = read_annotations(path, base=base)
    return number_segments(found.ratings(), found.lines)
