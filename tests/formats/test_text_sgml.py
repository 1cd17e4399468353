"""WMT test sets in SGML: files that are no XML, with tags in any place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from format_files import check_survival, saved, soup
from wordorder.core.runtime.errors import InputError
from wordorder.formats import text

TRAPS = """<refset trglang="en" setid="test" srclang="any">
<doc sysid="ref" docid="paper/1" genre="news" origlang="cs">
<h1>
<seg id="1">AT&T &amp; friends &lt;b&gt; &quot;&#228;&quot; 3 < 4</seg>
</h1>
<p><seg id="2">two</seg><seg id="3"> three  \t words </seg></p>
<hl>not a segment</hl>
</doc>
<DOC SYSID=ref DOCID=paper/2>
<SEG ID=1>upper
case over
lines</SEG>
<seg id="2"></seg>
< seg id="3" >blanks< / seg >
</DOC>
<doc>
<seg id="1">no <b>name</b></seg>
</doc>
</refset>
"""


def complaint(content: bytes | str) -> str:
    with saved(content, "set.sgm") as path, pytest.raises(InputError) as caught:
        text.read_sgml(path)
    return str(caught.value).replace(os.path.dirname(path) + "/", "")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_segments_come_in_the_order_of_the_file(end: str) -> None:
    with saved("\ufeff" + TRAPS.replace("\n", end)) as path:
        found = text.read_sgml(path)
    expected = ['AT&T & friends <b> "ä" 3 < 4', "two", "three words", "upper case over lines", "", "blanks"]
    assert found == [*expected, "no <b>name</b>"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "set.sgm:1: no <seg> found; expected a WMT test set in SGML"),
        ("<doc>\n</doc>\n", "set.sgm:2: no <seg> found; expected a WMT test set in SGML"),
        ("<seg>a\n<seg>b</seg>\n", "set.sgm:2: found <seg> inside the <seg> of line 1"),
        ("\n</seg>\n", "set.sgm:2: found </seg> without <seg> before it"),
        ("<seg>a</seg>\n<seg>the rest\nis missing", "set.sgm:2: <seg> without </seg>: 'the rest is missing'"),
        (b"<seg>a</seg>\n<seg>\xe4</seg>\n", "set.sgm:2: byte 0xe4 at position 6 is not UTF-8; convert the file"),
    ],
)
def test_damaged_files_are_told(content: bytes | str, message: str) -> None:
    assert complaint(content) == message


PIECES = ["<seg>", "</seg>", "<seg id=1>", "<doc docid='a'>", "</doc>", "a", "\n", "&#0;", "&#x;", "<"]


@given(st.one_of(soup("<>/segdoc =\"'1&; "), st.lists(st.sampled_from(PIECES)).map("".join).map(str.encode)))
def test_any_file_gives_segments_or_an_error(content: bytes) -> None:
    check_survival(text.read_sgml, content)


def test_odd_lines_do_not_take_forever() -> None:
    """A million signs that begin tags and end none: a pattern that tries them all twice would take hours."""
    for odd in ("<" + " " * 10**6, "<seg " * 200_000, "< / " * 250_000, "<" + " " * 10**5 + "/" + " " * 10**5 + "x>"):
        assert complaint(odd + "\n<seg>a</seg>\n<seg>") == "set.sgm:3: <seg> without </seg>: ''"


@pytest.mark.realdata
def test_real_excerpts(shared: Path) -> None:
    samples = shared / "formats" / "samples"
    assert [len(line.split()) for line in text.read_sgml(samples / "wmt12-ref.sgm.excerpt")] == [7, 28]
    assert [len(line.split()) for line in text.read_sgml(samples / "wmt12-src.sgm.excerpt")] == [8]
