"""Sentences of paragraphs, in several scripts, and what does not end a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.text.splitting import MARK, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("He said: “Go.” Then he left.", ["He said: “Go.”", "Then he left."]),
        ('"Who?" she asked.', ['"Who?" she asked.']),
        ("Wait... what? Yes... Fine.", ["Wait... what?", "Yes...", "Fine."]),
        ("Dr. Smith met J. Doe at 3 p.m. in Mr. Roe's room.", ["Dr. Smith met J. Doe at 3 p.m. in Mr. Roe's room."]),
        ("Am 3. Mai kam er. Im Jahr 2012. Dann ging er.", ["Am 3. Mai kam er.", "Im Jahr 2012.", "Dann ging er."]),
        ("On Jan. 6 it cost 3.5 euros. „Ja.“ Gut.", ["On Jan. 6 it cost 3.5 euros.", "„Ja.“", "Gut."]),
        ("¿Quién? ¡Yo! Bien.", ["¿Quién?", "¡Yo!", "Bien."]),
        ("他来了。她说：「走吧！」然后走了", ["他来了。", "她说：「走吧！」", "然后走了"]),
        ("彼は「行くよ。」と言った。本当（です。）か？", ["彼は「行くよ。」と言った。", "本当（です。）", "か？"]),
        ("z. B. Hunde, d. h. Tiere (s. Abb. 3). Gut so.", ["z. B. Hunde, d. h. Tiere (s. Abb. 3).", "Gut so."]),
        ("It is Kari’s. On it is Jo's. Yes.", ["It is Kari’s.", "On it is Jo's.", "Yes."]),
        ("They took the A1. Then they left.", ["They took the A1.", "Then they left."]),
        ("वह आया। वह गया।", ["वह आया।", "वह गया।"]),
        ("هل جاء؟ نعم.", ["هل جاء؟", "نعم."]),
        ("one line<p>another<br/>third </p> ", ["one line", "another", "third"]),
        ("no end", ["no end"]),
        ("  ", []),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@given(st.text(alphabet="aB1 .!?…。\"')<p>", max_size=40))
def test_no_character_is_lost_but_spaces_and_marks(text: str) -> None:
    found = split_sentences(text)
    assert "".join("".join(found).split()) == "".join(MARK.sub("", text).split())
    assert all(sentence and sentence == sentence.strip() for sentence in found)
    assert [part for sentence in found for part in split_sentences(sentence)] == found
