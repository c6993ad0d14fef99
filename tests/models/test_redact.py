"""No key gets out, and what is no key stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.models.redact import (
    hide_keys,
    one_line,
    secrets_in,
    variable_told,
    without_known_keys,
    without_userinfo,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Incorrect API key provided: sk-abc123def.", "Incorrect API key provided: [hidden]"),
        ("key sk-proj-ab***********xyz is wrong", "key [hidden] is wrong"),
        ("Authorization: Bearer abc.def-123, next", "Authorization: Bearer [hidden], next"),
        ("GET https://h/v1?key=AIzaSyA1234567890&alt=sse", "GET https://h/v1?key=[hidden]&alt=sse"),
        ("at http://user:pass@host:1/v1", "at http://[hidden]@host:1/v1"),
        ("{'api_key': 'abcdef'}", "{'api_key': '[hidden]'}"),
        ("X-Api-Key: 12345", "X-Api-Key: [hidden]"),
        ("gsk_abcd1234 and xai-abcd1234 and hf_abcd1234", "[hidden] and [hidden] and [hidden]"),
        ("the task-force asked for risk-free sk", "the task-force asked for risk-free sk"),
        ("max_tokens: 5, prompt_tokens=7", "max_tokens: 5, prompt_tokens=7"),
    ],
)
def test_what_looks_like_a_key_is_hidden(text: str, shown: str) -> None:
    """What looks like a key is hidden, whether or not anybody knows it for one."""
    assert hide_keys(text, {}) == shown


def test_keys_of_the_environment_are_hidden_whatever_they_look_like() -> None:
    """A name tells that a value is a key; short values would hide half the message."""
    environ = {"MY_API_KEY": "plain words", "HF_TOKEN": "tok123456", "HOME": "/home/me", "SOME_KEY": "a"}
    assert hide_keys("plain words, tok123456 at /home/me", environ) == "[hidden], [hidden] at /home/me"


@pytest.mark.parametrize("spaces", range(19_950, 20_010, 7))
def test_half_a_key_is_not_shown(spaces: int) -> None:
    """Where a message is so long that its end is not looked at, the cut may go through a key."""
    line = one_line(
        "no: " + " " * spaces + "plain0key0that0nobody0knows and more", {"MY_API_KEY": "plain0key0that0nobody0knows"}
    )
    assert "plain" not in line
    assert line in ("no:", "no: [hidden] and more", "no: [hidden]", "no: [hidden] and")


def test_secrets_among_parameters_are_found_at_any_depth() -> None:
    """Secrets among parameters are found at any depth, and are hidden in messages, too."""
    assert secrets_in({"api_key": "a", "extra_headers": {"Authorization": "b", "n": 1}}) == ["a", "b"]
    assert secrets_in({"extra_headers": {"X-Proxy": "a"}, "user": "b"}) == ["a"]
    assert secrets_in({"tools": [{"headers": {"Authorization": "a"}}, [{"api_key": "b"}], 1]}) == ["a", "b"]


def test_a_message_is_one_bounded_line_without_control_characters() -> None:
    """A provider's answer cannot move the cursor, nor fill the terminal."""
    line = one_line("bad\n\tthing \x1b[31mred\x07\u202e " + "x" * 100_000, {})
    assert line.startswith("bad thing [31mred xxx")
    assert len(line) == 300
    assert line.isprintable()


@given(st.text(), st.integers(0, 500))
def test_a_key_is_hidden_wherever_it_stands(around: str, before: int) -> None:
    """Cutting happens after hiding, so no half of a key is left at the cut."""
    secret = "q7w8e9r1t2y3"
    assert "q7w8e9" not in one_line("x" * before + secret + around, {"A_KEY": secret})


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://h/v1", "http://h/v1"),
        ("https://u:p@h:8/v1?a=b", "https://h:8/v1?a=b"),
        ("http://u@[::1]:8/", "http://[::1]:8/"),
    ],
)
def test_credentials_leave_a_url(url: str, shown: str) -> None:
    """User and password are taken out of a URL, and the rest of it stays as it was written."""
    assert without_userinfo(url) == shown


class Shrinking(dict[str, str]):
    """An environment from which another thread takes a name while it is looked through."""

    def __iter__(self) -> Iterator[str]:
        names = list(super().__iter__())
        self.pop("PYTEST_CURRENT_TEST", None)
        return iter(names)

    def items(self) -> Any:
        return [(name, self[name]) for name in self]


@pytest.mark.parametrize(
    "secret",
    ["1234567890", "1234567890" * 4, "postgres", "hunter2", "medium", "a1" * 7 + "a", "correct horse battery staple"],
)
def test_what_does_not_look_like_a_key_may_be_an_answer(secret: str) -> None:
    """A reply is graded: of what a variable calls a secret, only what nobody could have meant is taken out of it."""
    assert without_known_keys(f"It is {secret}.", {"SOME_PASSWORD": secret}) == f"It is {secret}."


@pytest.mark.parametrize("secret", ["sk-proj-0123456789", "a1" * 8, "AKIA0000EXAMPLE0", "0" * 15 + "f", "a\n1" * 8])
def test_what_looks_like_a_key_is_no_answer(secret: str) -> None:
    """Sixteen characters or more, with letters and digits among them."""
    assert without_known_keys(f"It is {secret}.", {"SOME_PASSWORD": secret}) == "It is [hidden]."


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "API_KEY", "HF_TOKEN", "proxy_token"])
def test_what_a_variable_calls_an_api_key_need_not_look_like_one(name: str) -> None:
    """Sixteen characters or more in one word, with digits or without; a number could be the answer whatever it is."""
    for secret in ("abcdefghijklmnop", "sk-correct-horse-battery", "a1" * 8):
        assert without_known_keys(f"It is {secret}.", {name: secret}) == "It is [hidden]."
    for answer in ("1234567890" * 4, "abcdefghijklmno", "correct horse battery staple", "1,234,567,890,123,456"):
        assert without_known_keys(f"It is {answer}.", {name: answer}) == f"It is {answer}."


@pytest.mark.parametrize(
    ("text", "variable"),
    [
        ("it is hunter2hunter2!", "SOME_API_KEY"),
        ("it is hunter2", None),
        ("short", None),
        ("1234567890", None),
        ("a word of the shell", None),
    ],
)
def test_the_variable_of_a_key_is_known(text: str, variable: str | None) -> None:
    """Whoever gave the text away hears which key it is; what is short, a number or no secret is none."""
    environ = {"SOME_API_KEY": "hunter2hunter2", "A_TOKEN": "short", "B_KEY": "1234567890", "SHELL": "word"}
    assert variable_told(text, environ) == variable
