"""Options for making inputs and for scoring, declared once for Python and the command line."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from wordorder.core.runtime.settings import Setting

if TYPE_CHECKING:
    from wordorder.formats.sources import AlignmentSource, LengthSource, PermutationSource, TextSource
    from wordorder.linking.aligning import Aligning
    from wordorder.linking.matching import Matching
    from wordorder.linking.parsing import Parsing
    from wordorder.linking.parsing.sources import ParseSource

ORDERS = ("matched", "source", "monotone")
"""Which orders are compared: of the matched words, of the source words in both texts, or of a text and its source."""

WEIGHTS = ("segments", "ref-length")
REFERENCE_CHOICES = ("closest", "average")
TESTS = ("bootstrap", "randomisation", "wilcoxon", "sign")

TOKENIZERS = "13a, char, flores101, flores200, intl, ja-mecab, ko-mecab, none (at whitespace), spBLEU-1K, spm, zh"


class ScoreOptions(TypedDict, total=False):
    """Options for scoring and comparing systems, apart from the metrics and the resampling."""

    reference_choice: Annotated[
        str,
        Setting(
            "with several references: use the closest one per segment and metric, or the average over all",
            default="closest",
            choices=REFERENCE_CHOICES,
        ),
    ]
    docs: Annotated[
        Sequence[str] | None, Setting("file with one document id per line: show scores per document", metavar="FILE")
    ]
    buckets: Annotated[
        Sequence[str] | None,
        Setting(
            "file with one bucket per line (- for none): show scores per bucket (see wordorder profile "
            "--write-buckets)",
            metavar="FILE",
        ),
    ]
    baseline: Annotated[
        str | None,
        Setting(
            "compare with this system instead of the best one (default with --order monotone: the reference, if any)",
            metavar="SYSTEM",
        ),
    ]
    test: Annotated[
        str,
        Setting(
            "paired test; p-values are corrected for the number of systems",
            default="bootstrap",
            choices=TESTS,
        ),
    ]


class InputOptions(TypedDict, total=False):
    """All options for inputs apart from hypotheses and references; None means that an option is not given."""

    source: Annotated["TextSource | None", Setting("the source text", metavar="FILE")]
    order: Annotated[
        str | None,
        Setting(
            "matched: the words that hypothesis and reference share (default with --ref); source: the order of the "
            "source words in both, through word alignments; monotone: the order of each translation and reference "
            "compared with the source itself (default with --source and no --ref)",
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
            "source→hypothesis alignments, one file per system: in the order of --hyp, or NAME=FILE; with text, word "
            "numbers must refer to the text as split by --tokenize",
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
            "number of source words in each segment, one per line, as a replacement for --source", metavar="FILE"
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
        str | None,
        Setting(f"tokeniser, as in sacreBLEU: {TOKENIZERS}", default="13a", metavar="NAME", short=("-tok",)),
    ]
    lowercase: Annotated[bool | None, Setting("lower-case all text", default=False, kind=bool, short=("-lc",))]
    join_subwords: Annotated[
        bool | None, Setting("first join subwords (hel@@ lo, ▁hel lo, hel ##lo) into words", default=False, kind=bool)
    ]
    policy: Annotated[
        str | None,
        Setting(
            "how alignments are converted to orders: birch, talbot, attach-left, attach-right, drop (default birch)",
            metavar="NAME",
        ),
    ]
    align_format: Annotated[
        str | None,
        Setting(
            "alignment format: pharaoh (default), talp, naacl, giza, lader, target-list, moses or nbest",
            metavar="NAME",
        ),
    ]
    base: Annotated[
        int | None,
        Setting("the first index in the files, 0 or 1 (default: depends on the format)", kind=int, choices=(0, 1)),
    ]
    weight: Annotated[
        str | None,
        Setting(
            "weight of segments in means: equal, or proportional to reference length",
            default="segments",
            choices=WEIGHTS,
        ),
    ]
    expected: Annotated[
        int | None,
        Setting(
            "compute expected scores over N alignments sampled from link probabilities, instead of scoring only the "
            "best alignment; with --ref, implies --order source",
            kind=int,
            metavar="N",
        ),
    ]
    given: Annotated[
        Mapping[str, Any] | None,
        Setting(
            "segment scores of another metric, available as the metric given:NAME: a .seg.score file of "
            "mt-metrics-eval, a table or JSON Lines (FILE:column), or one file per system with a number per line "
            "(NAME/SYSTEM=FILE)",
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
    grammar: Any
    parser: Any
    spacy: str | None
    parse_format: str | None
    log_base: float | str | None
    cache: bool | None
