"""What stands behind a magic's name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.errors import InvalidIntentError, LimitExceededError, ServiceError
from service_nb.notebook.extension import list_magics
from service_nb.notebook.magic import MAX_CHARS, Arguments, read_pairs, split_words
from service_nb.notebook.question_magics import ASK
from service_nb.notebook.source_magics import CONNECT


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a b", ["a", "b"]),
        ("a 'b c'", ["a", "b c"]),
        ('a "b c"', ["a", "b c"]),
        ("a 'it''s'", ["a", "it's"]),
        ('a "b"c', ["a", "bc"]),
        (r"a C:\data\new.csv", ["a", r"C:\data\new.csv"]),
        ("a it's", ["a", "it's"]),
        ("a ''", ["a", ""]),
        ("  a\t b  ", ["a", "b"]),
    ],
)
def test_words_are_parted_by_blanks_outside_quotes(line: str, words: list[str]) -> None:
    assert [word.text for word in split_words(line)] == words


def test_options_are_taken_from_anywhere_and_leave_blanks() -> None:
    read = ASK.read("sum x --as y by z --rows=none --chart")
    assert read.options == {"--as": "y", "--rows": "none", "--chart": True}
    assert read.question == "sum x        by z" + " " * 20
    assert [word.text for word in read.words] == ["sum", "x", "by", "z"]


def test_a_value_in_quotes_may_hold_blanks_and_signs() -> None:
    read = CONNECT.read("""shop a.sqlite --query "SELECT 'it''s', \"\"x y\"\" FROM t" --sheet 'Sheet 1'""")
    assert read.get_text("--query") == """SELECT 'it''s', "x y" FROM t"""
    assert read.get_text("--sheet") == "Sheet 1"


@pytest.mark.parametrize("line", ["sum x;", "sum x ; ", "--chart sum x;"])
def test_a_closing_semicolon_silences(line: str) -> None:
    read = ASK.read(line)
    assert read.silent
    assert ";" not in read.question


@pytest.mark.parametrize("remark", ["# it's a remark", "#", "#x --chart 'and so on", "# … ; and more"])
def test_a_remark_ends_the_line(remark: str) -> None:
    read = ASK.read(f"sum x by y --as z;  {remark}")
    assert read.question.split() == ["sum", "x", "by", "y"]
    assert (read.options, read.silent) == ({"--as": "z"}, True)
    assert ASK.read(remark).question == ""


@pytest.mark.parametrize("word", ["a#b", "'# a'", "`#a`", 'x="#"', "$a#"])
def test_a_sign_within_a_word_or_quotes_begins_no_remark(word: str) -> None:
    assert [read.raw for read in ASK.read(f"sum {word} by y").words] == ["sum", word, "by", "y"]


def test_a_semicolon_inside_quotes_silences_nothing() -> None:
    assert not ASK.read("sum x where a = ';'").silent


def test_pairs_are_parted_by_commas_outside_parentheses() -> None:
    assert read_pairs("--types", "zip=string, amount=decimal(12,2)") == {"zip": "string", "amount": "decimal(12,2)"}


@pytest.mark.parametrize("text", ["", "a", "a=", "=b", "a=b,a=c", ",", "a=b,,c"])
def test_a_broken_pair_is_refused(text: str) -> None:
    with pytest.raises(InvalidIntentError):
        read_pairs("--types", text)


def test_a_line_has_a_limit() -> None:
    with pytest.raises(LimitExceededError):
        ASK.read("x" * (MAX_CHARS + 1))


@given(st.sampled_from(list_magics()), st.text(alphabet=" '\"`-=;$ax\n\\", max_size=60) | st.text(max_size=60))
def test_every_line_is_read_or_refused(usage: object, line: str) -> None:
    outcome = read_or_refused(usage, line)
    assert isinstance(outcome, Arguments | InvalidIntentError)
    if isinstance(outcome, Arguments):
        assert len(outcome.question) <= len(line)


def read_or_refused(usage: object, line: str) -> object:
    try:
        return usage.read(line)
    except ServiceError as error:
        return error
