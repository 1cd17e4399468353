"""Options for creating inputs and for scoring, declared once for both Python and the command line."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from wordorder.core.runtime.settings import Setting

if TYPE_CHECKING:
    from wordorder.formats.sources import AlignmentSource, LengthSource, PermutationSource, TextSource
    from wordorder.linking.aligning import Aligning
    from wordorder.linking.matching import Matching
    from wordorder.linking.parsing import Parsing
    from wordorder.linking.parsing.parsing import ParseSource

ORDERS = ("matched", "source", "monotone")
"""The comparisons: of shared words, of source words in hypothesis and reference, or of a text with its source."""

WEIGHTS = ("segments", "ref-length")
REFERENCE_CHOICES = ("closest", "average")
TESTS = ("bootstrap", "randomisation", "wilcoxon", "sign")

TOKENIZERS = "13a, char, flores101, flores200, intl, ja-mecab, ko-mecab, none (at whitespace), spBLEU-1K, spm, zh"


class ScoreOptions(TypedDict, total=False):
    """Options for scoring and comparing systems, except those for metrics and resampling."""

    reference_choice: Annotated[
        str,
        Setting(
            "with several references: use the closest one for each segment and metric, or the average over all",
            default="closest",
            choices=REFERENCE_CHOICES,
        ),
    ]
    docs: Annotated[
        Sequence[str] | None,
        Setting("file with the document name of each segment, one per line; shows scores per document", metavar="FILE"),
    ]
    buckets: Annotated[
        Sequence[str] | None,
        Setting(
            "file with the bucket of each segment, one per line (- for none), as written by wordorder profile "
            "--write-buckets; shows scores per bucket",
            metavar="FILE",
        ),
    ]
    baseline: Annotated[
        str | None,
        Setting(
            "system to compare with instead of the best one (default with --order monotone: the reference, if any)",
            metavar="SYSTEM",
        ),
    ]
    test: Annotated[
        str,
        Setting(
            "paired significance test; p-values are corrected for the number of systems",
            default="bootstrap",
            choices=TESTS,
        ),
    ]


class InputOptions(TypedDict, total=False):
    """All options for inputs, except hypotheses and references; None means that an option is not given."""

    source: Annotated["TextSource | None", Setting("the source text", metavar="FILE")]
    order: Annotated[
        str | None,
        Setting(
            "word orders to compare. matched: the words that hypothesis and reference share (default with --ref); "
            "source: the source words in hypothesis and reference, through word alignments; monotone: the order of "
            "each hypothesis and reference with that of the source (default with --source and no --ref)",
            choices=ORDERS,
        ),
    ]
    permutations: Annotated[
        "Mapping[str, PermutationSource] | PermutationSource | None",
        Setting("word orders, one permutation per line", many=True, metavar="FILE"),
    ]
    hyp_align: Annotated[
        "Mapping[str, AlignmentSource] | AlignmentSource | None",
        Setting(
            "source→hypothesis alignments, one file per system: in the order of --hyp, or NAME=FILE; with text, "
            "links must count words as --tokenize splits them",
            many=True,
            metavar="FILE",
        ),
    ]
    ref_align: Annotated[
        "AlignmentSource | Sequence[AlignmentSource] | None",
        Setting(
            "source→reference alignments, one file per reference, in the order of --ref", many=True, metavar="FILE"
        ),
    ]
    source_lengths: Annotated[
        "LengthSource | None",
        Setting(
            "file with the number of source words in each segment, one per line, instead of --source", metavar="FILE"
        ),
    ]
    hyp_parses: Annotated[
        "Mapping[str, ParseSource] | ParseSource | None",
        Setting(
            "parses of the hypotheses, one file per system: in the order of --hyp, or NAME=FILE; without --hyp, the "
            "words of the parses are used as the text",
            many=True,
            metavar="FILE",
        ),
    ]
    ref_parses: Annotated[
        "ParseSource | Sequence[ParseSource] | None",
        Setting("parses of the references, one file per reference, in the order of --ref", many=True, metavar="FILE"),
    ]
    tokenize: Annotated[
        str | None, Setting(f"tokeniser, as in sacreBLEU: {TOKENIZERS}", default="13a", metavar="NAME", short=("-tok",))
    ]
    lowercase: Annotated[bool | None, Setting("lower-case all text", default=False, kind=bool, short=("-lc",))]
    join_subwords: Annotated[
        bool | None,
        Setting("join subwords (hel@@ lo, ▁hel lo, hel ##lo) into words before scoring", default=False, kind=bool),
    ]
    policy: Annotated[
        str | None,
        Setting(
            "how to convert alignments to orders: birch (default), talbot, attach-left, attach-right, drop",
            metavar="NAME",
        ),
    ]
    align_format: Annotated[
        str | None,
        Setting(
            "format of alignment files: pharaoh (default), talp, naacl, giza, lader, target-list, moses or nbest",
            metavar="NAME",
        ),
    ]
    base: Annotated[
        int | None,
        Setting(
            "index of the first word in the files, 0 or 1 (default: depends on the format)", kind=int, choices=(0, 1)
        ),
    ]
    weight: Annotated[
        str | None,
        Setting(
            "weight of each segment in means: the same for all segments, or the length of its reference",
            default="segments",
            choices=WEIGHTS,
        ),
    ]
    expected: Annotated[
        int | None,
        Setting(
            "average scores over N alignments sampled from link probabilities, instead of scoring only the best "
            "alignment; with --ref, this implies --order source",
            kind=int,
            metavar="N",
        ),
    ]
    given: Annotated[
        Mapping[str, Any] | None,
        Setting(
            "segment scores of another metric, which can then be used as the metric given:NAME: a .seg.score file of "
            "mt-metrics-eval, a table or JSON Lines file (FILE:column), or one file per system with one number per "
            "line (NAME/SYSTEM=FILE)",
            many=True,
            metavar="NAME=FILE",
        ),
    ]
    matching: "Matching | None"
    aligning: "Aligning | None"
    parsing: "Parsing | None"
    # The settings of these three objects can also be passed directly:
    match: str | Sequence[str] | None
    language: str | None
    wordnet: str | None
    paraphrases: str | None
    aligner: str | None
    symmetrise: str | None
    align_model: str | None
    train_source: "TextSource | None"
    train_target: "TextSource | None"
    lexicon: str | None
    grammar: Any
    parser: Any
    spacy: str | None
    parse_format: str | None
    log_base: float | str | None
    cache: bool | None
