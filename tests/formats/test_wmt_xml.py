"""WMT test sets in XML: one file with sources, references and systems."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from format_files import check_survival, saved, soup
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.formats import wmt_xml

WHOLE = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="test">
  <doc origlang="de" id="first">
    <src lang="de"><p><seg id="1">eins</seg></p><p><seg id="2">zwei &amp; mehr</seg></p></src>
    <ref lang="en" translator="A"><p><seg id="1">one</seg><seg id="2">two
      <hi>and</hi>   more</seg></p></ref>
    <ref lang="en" translator="B"><seg id="1">1</seg><seg id="2"/></ref>
    <hyp system="Online-A" lang="en"><seg id="1">one</seg><seg id="2"><![CDATA[<two>]]></seg></hyp>
    <hyp system="ours" lang="en"><seg id="1">uno</seg><seg id="2">dos</seg></hyp>
  </doc>
  <!-- a comment -->
  <doc id="second">
    <src lang="de"><seg id="1">drei</seg></src>
    <ref lang="en" translator="A"><seg id="1">three</seg></ref>
    <ref lang="en" translator="B"><seg id="1">3</seg></ref>
    <hyp system="ours" lang="en"><seg id="1">tres</seg></hyp>
    <hyp system="Online-A" lang="en"><seg id="1">three</seg></hyp>
  </doc>
</dataset>
"""


def complaint(content: bytes | str, name: str = "set.xml") -> str:
    with saved(content, name) as path, pytest.raises(InputError) as caught:
        wmt_xml.read(path)
    return str(caught.value).replace(os.path.dirname(path) + "/", "")


def text(tag: str, *segments: str) -> str:
    return f"<{tag}>" + "".join(f"<seg>{line}</seg>" for line in segments) + f"</{tag.split()[0]}>"


def dataset(*documents: str) -> str:
    return "<dataset>\n" + "\n".join(f"<doc id='{n}'>{doc}</doc>" for n, doc in enumerate(documents)) + "</dataset>"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_all_texts_of_a_file(encoding: str) -> None:
    with saved(WHOLE.replace("'utf-8'", f"'{encoding}'").encode(encoding)) as path:
        found = wmt_xml.read(path)
    assert found.sources == {"de": ["eins", "zwei & mehr", "drei"]}
    assert found.references == {"A": ["one", "two and more", "three"], "B": ["1", "", "3"]}
    assert found.systems == {"Online-A": ["one", "<two>", "three"], "ours": ["uno", "dos", "tres"]}
    assert found.documents == ["first", "first", "second"]


def test_packed_files_are_read() -> None:
    with saved(gzip.compress(WHOLE.encode()), "set.xml.gz") as path:
        assert wmt_xml.read(path).documents == ["first", "first", "second"]


def test_a_file_with_one_text_needs_no_name() -> None:
    for tag in ("src lang='de'", "ref lang='en'", "hyp system='x'"):
        with saved(dataset(text(tag, "a", "b"), text(tag, "c"))) as path:
            assert wmt_xml.read_single(path) == ["a", "b", "c"]
    with saved(WHOLE) as path, pytest.raises(InputError, match=r"found 2 texts \(Online-A, ours\); expected one"):
        wmt_xml.read_single(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "set.xml:1: not well-formed XML: no element found"),
        ("<dataset>\n<doc>", "set.xml:2: not well-formed XML: no element found"),
        ("<dataset>\n&nbsp;</dataset>", "set.xml:2: not well-formed XML: undefined entity"),
        (b"<dataset>\xff</dataset>", "set.xml:1: not well-formed XML: not well-formed (invalid token)"),
        ("<dataset></dataset>", "set.xml:1: no <doc> with <seg> found; expected a WMT test set in XML"),
        (
            dataset(text("src", "a", "b") + text("ref", "a")),
            "set.xml: the texts of document '0' differ in their number of segments",
        ),
        (
            dataset(text("src", "a") + text("hyp system='x'", "a"), text("src", "b")),
            "set.xml: hyp 'x' has 1 segment, expected 2",
        ),
        (
            dataset(text("src", "a"), text("src", "b") + text("hyp system='x'", "b")),
            "set.xml: hyp 'x' is missing from a document before '1'",
        ),
    ],
)
def test_damaged_and_incomplete_files_are_told(content: bytes | str, message: str) -> None:
    assert complaint(content).startswith(message)


def test_a_text_that_comes_twice_in_a_document_is_told() -> None:
    twice = dataset(text("hyp system='x'", "a") + text("hyp system='x'", "b"))
    assert complaint(twice) == "set.xml: hyp 'x' occurs twice in document '0'"


def test_a_file_that_explodes_is_refused() -> None:
    bomb = "<!DOCTYPE d [<!ENTITY a0 'aaaaaaaaaa'>"
    for level in range(1, 12):
        bomb += f"<!ENTITY a{level} '{f'&a{level - 1};' * 10}'>"
    assert "found entity 'a0'; only predefined entities" in complaint(bomb + "]><d>&a11;</d>")


@pytest.mark.parametrize("declared", ['[<!ENTITY x SYSTEM "secret.txt">]', "[<!ENTITY % y '<!ENTITY x \"b\">'> %y;]"])
def test_entities_are_refused(declared: str, tmp_path: Path) -> None:
    """Also those of other files, which are never read."""
    (tmp_path / "secret.txt").write_text("secret")
    path = tmp_path / "a.xml"
    path.write_text(f"<!DOCTYPE dataset {declared}>" + dataset(text("src lang='de'", "a &x;")))
    with pytest.raises(InputError, match=r"a\.xml:[12]: found entity '[xy]'"):
        wmt_xml.read(path)


@pytest.mark.parametrize("declared", ['SYSTEM "other.dtd"', 'PUBLIC "-//other" "other.dtd" []', "[%other;]"])
@pytest.mark.parametrize("place", ["text", "attribute", "none"])
def test_a_document_type_elsewhere_is_refused(declared: str, place: str, tmp_path: Path) -> None:
    """It could declare any entity; those in attributes would be left out without a word."""
    language, words = "&x;" if place == "attribute" else "de", "a &x;" if place == "text" else "a"
    path = tmp_path / "a.xml"
    path.write_text(f"<!DOCTYPE dataset {declared}>" + dataset(text(f"src lang='{language}'", words)))
    with pytest.raises(InputError, match=r"a\.xml:1: the DOCTYPE refers to another file or to entities"):
        wmt_xml.read(path)


def test_a_document_type_without_entities_is_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<!DOCTYPE dataset [<!ELEMENT seg ANY>]>" + dataset(text("src lang='de'", "a &lt; b")))
    assert wmt_xml.read(path).sources == {"de": ["a < b"]}


def test_damaged_gzip_and_missing_files_are_told() -> None:
    packed = gzip.compress(WHOLE.encode() * 3)
    for damaged in (packed[:-12], b"no gzip", packed[:30] + b"\xff" * 9 + packed[39:]):
        assert complaint(damaged, "set.xml.gz").startswith("set.xml.gz: the file is damaged, or its extension is wrong")
    with pytest.raises(UsageError, match="no such file"):
        wmt_xml.read("nowhere/missing.xml")


PIECES = ["<dataset>", "</dataset>", "<doc>", "</doc>", "<src>", "</src>", "<hyp>", "</hyp>", "<seg>", "</seg>", "a"]


@given(
    st.one_of(
        soup("<>/docsreg ='1&;?!"),
        st.lists(st.sampled_from(PIECES)).map("".join).map(str.encode),
        st.sampled_from(["utf-7", "ebcdic", "utf-32", "big5", "no-such"]).map(
            lambda name: f"<?xml version='1.0' encoding='{name}'?><d/>".encode()
        ),
    )
)
def test_any_file_gives_texts_or_an_error(content: bytes) -> None:
    check_survival(lambda path: wmt_xml.read(path).documents, content)


@given(st.lists(st.lists(st.lists(st.sampled_from(["a", ""]), max_size=3), max_size=3), max_size=3))
def test_texts_are_complete_or_refused(documents: list[list[list[str]]]) -> None:
    """Each document holds the texts 0, 1, … of some systems: they must all be there, and as long."""
    written = ["".join(text(f"hyp system='{n}'", *lines) for n, lines in enumerate(doc)) for doc in documents]
    systems: dict[str, list[str]] = {str(n): [] for doc in documents for n in range(len(doc))}
    total = 0
    fine = True
    for doc in documents:
        size = len(doc[0]) if doc else 0
        fine &= all(len(lines) == size for lines in doc)
        total += size
        for n, lines in enumerate(doc):
            systems[str(n)] += lines
    fine &= total > 0 and all(len(lines) == total for lines in systems.values())
    with saved(dataset(*written)) as path:
        if fine:
            assert wmt_xml.read(path).systems == systems
        else:
            with pytest.raises(InputError):
                wmt_xml.read(path)


@pytest.mark.realdata
def test_a_real_excerpt_is_cut_off_and_says_where(shared: Path) -> None:
    with pytest.raises(InputError, match=r"wmt21-xml-excerpt.txt:\d+: not well-formed XML"):
        wmt_xml.read(shared / "formats" / "samples" / "wmt21-xml-excerpt.txt")
