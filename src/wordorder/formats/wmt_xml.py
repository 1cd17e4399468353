"""WMT test sets in XML (since 2021): one file has the source, the references and the output of every system."""

from dataclasses import dataclass
from xml.etree import ElementTree
from xml.parsers import expat

from wordorder.core.runtime.errors import InputError, count_of, excerpt, reject
from wordorder.core.runtime.files import Path, display_name, read_whole


@dataclass(frozen=True)
class TestSet:
    """The texts of one file, and the document of each segment.

    Sources are labelled with their language, references with their translator, and hypotheses with their system.
    """

    __test__ = False  # not a test for pytest to collect

    sources: dict[str, list[str]]
    references: dict[str, list[str]]
    systems: dict[str, list[str]]
    documents: list[str]


def read(path: Path) -> TestSet:
    """Read all texts in a file; raise an error if some texts lack segments that others have."""
    name = display_name(path)
    root = _parse(read_whole(path), name)
    found: dict[str, dict[str, list[str]]] = {"src": {}, "ref": {}, "hyp": {}}
    key = {"src": "lang", "ref": "translator", "hyp": "system"}
    documents: list[str] = []
    for doc in root.iter("doc"):
        counts = set()
        ids = []
        for text in doc.iter():
            if text.tag not in found:
                continue
            segments = list(text.iter("seg"))
            ids = [segment.get("id", "") for segment in segments]
            label = text.get(key[text.tag]) or text.get("lang") or text.tag
            lines = found[text.tag].setdefault(label, [])
            if len(lines) > len(documents):
                raise InputError(f"{text.tag} {label!r} occurs twice in document {doc.get('id')!r}", path=name)
            if len(lines) < len(documents):
                missing = f"{text.tag} {label!r} is missing from a document before {doc.get('id')!r}"
                raise InputError(missing, path=name)
            lines.extend(" ".join("".join(segment.itertext()).split()) for segment in segments)
            counts.add(len(segments))
        if len(counts) > 1:
            raise InputError(f"the texts of document {doc.get('id')!r} differ in their number of segments", path=name)
        documents.extend([doc.get("id", "")] * len(ids))
    for kind, texts in found.items():
        for label, lines in texts.items():
            if len(lines) != len(documents):
                size = count_of(len(lines), "segment")
                raise InputError(f"{kind} {label!r} has {size}, expected {len(documents)}", path=name)
    reject(not documents, "no <doc> with <seg> found; expected a WMT test set in XML", path=name, line=1)
    return TestSet(found["src"], found["ref"], found["hyp"], documents)


def _parse(content: bytes, name: str) -> ElementTree.Element:
    """Parse XML; raise an error if it defines entities or refers to other files."""
    parser, tree = expat.ParserCreate(), ElementTree.TreeBuilder()

    def refuse(entity: str, *_: object) -> None:
        message = f"found entity {excerpt(entity)}; only predefined entities such as &amp; are allowed"
        raise InputError(message, path=name, line=parser.CurrentLineNumber)

    def refuse_rest() -> int:
        message = "the DOCTYPE refers to another file or to entities, which are not read; delete it"
        raise InputError(message, path=name, line=parser.CurrentLineNumber)

    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = tree.start, tree.end
    parser.CharacterDataHandler = tree.data
    parser.EntityDeclHandler = parser.SkippedEntityHandler = refuse
    parser.NotStandaloneHandler = refuse_rest  # expat would leave out, unnoticed, unknown entities in attributes
    try:
        parser.Parse(content, True)
        return tree.close()
    except expat.ExpatError as error:
        message = f"not well-formed XML: {expat.ErrorString(error.code)}, column {error.offset}"
        raise InputError(message, path=name, line=error.lineno) from None
    except (LookupError, ValueError) as error:
        raise InputError(f"the file cannot be read as XML ({error})", path=name) from None


def read_single(path: Path) -> list[str]:
    """Read a file that contains only one text: a source, a reference or a system output."""
    content = read(path)
    texts = content.systems or content.references or content.sources
    reject(len(texts) != 1, f"found {len(texts)} texts ({', '.join(texts)}); expected one", path=display_name(path))
    return next(iter(texts.values()))
