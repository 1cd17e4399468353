"""Split paragraphs into sentences, by rules for common scripts and at marks such as ``<p>``."""

import re

MARK = re.compile(r"\s*</?(?:p|br|s|seg)\s*/?>\s*", re.IGNORECASE)
"""Marks at which paragraphs and documents are always split."""

_CLOSING = "\"'»”’“)\\]}"
_END = re.compile(
    rf"[。！？｡]++(?:[」』”’）】》]++(?![とっでがはをのもに]))?+(?![」』”’）】》])\s*"  # Chinese, Japanese
    rf"|(?:[.!?…؟۔։।॥።]+[{_CLOSING}]*)\s+(?=[\"'«»“”„‘(\[¿¡—–-]*\s*(?P<next>\w))"
)
_ABBREVIATIONS = re.compile(
    "mr|mrs|ms|dr|prof|st|jr|sr|rev|gen|col|lt|sgt|capt|nos?|vol|figs?|eq|sec|ch|pp?|vs|ca|cf|al|inc|ltd|co|corp|etc|"
    "nr|abb|kap|bzw|evtl|ggf|inkl|usw|abs|art|hr|fr|frl|tel|str|mio|mrd|bd|jh|sog|vgl|mm|mme|mlle|av|dra|sra|sres|uds?|núm|pág|"
    "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec",
    re.IGNORECASE,
)
_MARKS_OR_WORD = re.compile(r"[\w.'’]+$")


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph or document, without spaces around them.

    A sentence ends at ``.``, ``!`` or ``?`` (or what other scripts use) before white space, unless a lower-case
    letter follows; a full stop after a single letter, an abbreviation or a number of one or two digits does not end it.
    The full stops of Chinese and Japanese need no space; where a particle follows a quotation, the sentence goes on.
    Marks such as ``<p>`` always end a sentence.

    >>> split_sentences("Dr. J. Smith left. Was it 3. May? Yes… <p> The end")
    ['Dr. J. Smith left.', 'Was it 3. May?', 'Yes…', 'The end']
    >>> split_sentences("他来了。她走了！")
    ['他来了。', '她走了！']
    """
    return [sentence for part in MARK.split(text) for sentence in _split_line(part) if sentence]


def _split_line(text: str) -> list[str]:
    found, start = [], 0
    for end in _END.finditer(text):
        following = end["next"]
        if following and (following.islower() or not _ends(text[start : end.start()], end[0])):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    return [*found, text[start:].strip()]


def _ends(before: str, stop: str) -> bool:
    """Return whether the mark ``stop`` ends a sentence after the text ``before``; only a single full stop may not."""
    word = _MARKS_OR_WORD.search(before)
    if stop[0] != "." or stop[1:2] == "." or word is None:
        return True
    last = word[0]
    return not (len(last) < 2 + last.isdigit() or "." in last or _ABBREVIATIONS.fullmatch(last))
