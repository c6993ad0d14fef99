"""Texts of options become values, or one line that says what to write instead."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pytest_llmarith.options import parsing
from pytest_llmarith.values import Model, StoreMode

OPTION = "--llm-x"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2-10", (2, 3, 4, 5, 6, 7, 8, 9, 10)),
        ("7", (7,)),
        ("2,5,8", (2, 5, 8)),
        ("8, 2-3", (8, 2, 3)),
        ("1000", (1000,)),
    ],
)
def test_depths(text: str, expected: tuple[int, ...]) -> None:
    """Depths are a range, a list or both, in the order given."""
    assert parsing.depths(OPTION, text) == expected


@pytest.mark.parametrize("text", ["", "x", "0", "5-2", "2-", "-3", "2,,3", "1001", "2-10000", "2.5", "٣"])
def test_no_depths(text: str) -> None:
    """What is no range of depths is named, with what to write instead."""
    with pytest.raises(ValueError, match=r"^--llm-x: .* is not a range of depths from 1 to 1000; write 2-10 or 2,5,8$"):
        parsing.depths(OPTION, text)


def test_a_depth_named_twice() -> None:
    """A depth named twice would make two items with one id."""
    with pytest.raises(ValueError, match=r"--llm-x: '2-4,3' names a depth twice"):
        parsing.depths(OPTION, "2-4,3")


@pytest.mark.parametrize("text", ["", "-1", "1.5", "1e3", "eleven", "0", "11"])
def test_no_whole_number(text: str) -> None:
    """What is no whole number within bounds is refused with a message that names these."""
    with pytest.raises(ValueError, match=r"^--llm-x: .* is not a whole number from 1 to 10$"):
        parsing.whole_number(OPTION, text, 1, 10)


@pytest.mark.parametrize(("text", "expected"), [("600", 600.0), ("0.5", 0.5)])
def test_seconds(text: str, expected: float) -> None:
    """Seconds are whole numbers or decimals, and are kept as such."""
    assert parsing.seconds(OPTION, text) == expected


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "1m", ""])
def test_no_seconds(text: str) -> None:
    """A time limit is positive and finite, and the message shows two that are."""
    with pytest.raises(ValueError, match=r"^--llm-x: .* is not a positive number of seconds; write 600 or 0.5$"):
        parsing.seconds(OPTION, text)


@pytest.mark.parametrize(("text", "expected"), [("0", 0), ("123456789", 123456789), ("random", None)])
def test_seed(text: str, expected: int | None) -> None:
    """A seed is a whole number; `random` asks for one."""
    assert parsing.seed(OPTION, text) == expected


@pytest.mark.parametrize("text", ["", "-1", "Random", "0x1", "1" * 19])
def test_no_seed(text: str) -> None:
    """What is no seed is refused with one line that says what one looks like."""
    with pytest.raises(ValueError, match=r"is not a seed; write a whole number from 0, or random"):
        parsing.seed(OPTION, text)


def test_an_unknown_word_of_a_choice() -> None:
    """The words that a choice takes stand in its message."""
    with pytest.raises(ValueError, match=r"^--llm-x: 'yes' is unknown; write on, refresh, off or only$"):
        parsing.choice(OPTION, "yes", StoreMode)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("reasoning_effort=high", ("reasoning_effort", "high")),
        ("temperature=0", ("temperature", 0)),
        ('stop=["a", "b"]', ("stop", ["a", "b"])),
        (
            'thinking={"type":"enabled","budget_tokens":4096}',
            ("thinking", {"type": "enabled", "budget_tokens": 4096}),
        ),
        ("user=", ("user", "")),
        ("note=a=b", ("note", "a=b")),
        ("top_p=NaN", ("top_p", "NaN")),
        ("max_tokens=100", ("max_tokens", 100)),
    ],
)
def test_parameter(text: str, expected: tuple[str, Any]) -> None:
    """The value of a parameter is JSON where it can be read as such, else text."""
    assert parsing.parameter(OPTION, text) == expected


@pytest.mark.parametrize("text", ["", "temperature", "=1", "a b=1", "1x=2"])
def test_no_parameter(text: str) -> None:
    """What is no KEY=VALUE is refused with one line that shows two."""
    with pytest.raises(ValueError, match=r"is not KEY=VALUE; write temperature=0 or reasoning_effort=high"):
        parsing.parameter(OPTION, text)


@pytest.mark.parametrize("name", ["api_key", "aws_secret_access_key", "azure_ad_token", "password"])
def test_a_key_as_a_parameter_is_refused_unseen(name: str) -> None:
    """A key would be written into files; the message does not repeat it."""
    with pytest.raises(ValueError, match=rf"^--llm-x: {name} would write a key into files") as refused:
        parsing.parameter(OPTION, f"{name}=hunter2")
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        'extra_headers={"Authorization": "Bearer hunter2"}',
        'tools=[{"type": "mcp", "headers": {"Authorization": "Bearer hunter2"}}]',
        'a=[[{"Authorization": "Bearer hunter2"}]]',
    ],
)
def test_a_key_deep_in_a_parameter_is_refused_unseen(text: str) -> None:
    """Headers hold keys too, and tools have headers."""
    with pytest.raises(ValueError, match=r"^--llm-x: Authorization would write a key into files") as refused:
        parsing.parameter(OPTION, text)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("name", ["Ocp-Apim-Subscription-Key", "X-Auth", "accessKey"])
def test_a_key_in_a_header_is_refused_under_every_name_that_is_hidden(name: str) -> None:
    """What counts as the name of a key is the same wherever it is asked."""
    with pytest.raises(ValueError, match=rf"^--llm-x: {name} would write a key into files"):
        parsing.parameter(OPTION, f'extra_headers={{"{name}": "hunter2"}}')


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('extra_body={"parameters": {"api_key": "hunter2"}}', "api_key"),
        ('extra_body={"provider": {"credentials": {"user": "me", "pw": "hunter2"}}}', "credentials"),
        ('mock={"credentials": {"user": "me", "pw": "hunter2"}}', "credentials"),
        ('tools=[{"type": "mcp", "authorization": ["Bearer hunter2"]}]', "authorization"),
    ],
)
def test_a_key_is_refused_whatever_holds_it(text: str, name: str) -> None:
    """A mapping or a list of secrets is as secret as a text, also where others have a schema."""
    with pytest.raises(ValueError, match=rf"^--llm-x: {name} would write a key into files") as refused:
        parsing.parameter(OPTION, text)
    assert "hunter2" not in str(refused.value)


def test_a_schema_may_name_a_property_like_a_key() -> None:
    """It says what a model may write, and holds nothing."""
    schema = {"json_schema": {"properties": {"token": {"type": "string", "const": "a"}}}}
    assert parsing.parameter(OPTION, f"response_format={json.dumps(schema)}") == ("response_format", schema)


@pytest.mark.parametrize("value", ["[" * 100_000, "[" * 100 + "]" * 100, '{"a":' * 100 + "1" + "}" * 100])
def test_a_parameter_that_is_nested_too_deep(value: str) -> None:
    """Brackets without end are wrong usage, not a crash; nor are those that only json.loads can follow."""
    with pytest.raises(ValueError, match=rf"^--llm-x: a value of {len(value):,} characters is nested too deep$"):
        parsing.parameter(OPTION, f"stop={value}")


@pytest.mark.parametrize(
    "parse",
    [parsing.parameter, parsing.sendable, lambda option, text: parsing.model(option, text, {}, None, None)],
)
def test_bytes_that_are_no_text_are_wrong_usage(parse: Callable[[str, str], object]) -> None:
    """Nobody could send them; a model of such a name could not be stored."""
    with pytest.raises(ValueError, match=r"^--llm-x: 'a=b\\udcff' is no UTF-8 text, which no provider would take$"):
        parse(OPTION, "a=b\udcff")


@pytest.mark.parametrize(
    ("place", "args", "ini"),
    [
        ("--llm-param", ("--llm-model=o4-mini", "--llm-param=mock_response=42"), ""),
        ("--llm-model", ("--llm-model=o4-mini?temperature=0&mock_response=42",), ""),
        ("--llm-model", ("--llm-model=fake=llmarith/exact?mock_response=42",), ""),
        ("llm_model (ini file)", (), "llm_model = o4-mini?mock_response=42"),
        ("--oeis-judge", ("--llm-model=o4-mini", "--oeis-judge=llm:o4-mini?mock_response=42"), ""),
    ],
)
def test_the_test_parameters_of_litellm_are_refused(
    pytester: pytest.Pytester, place: str, args: tuple[str, ...], ini: str
) -> None:
    """They would make replies that no model gave: exit status 4 wherever they come in."""
    pytester.makepyfile("def test_it(): pass")
    pytester.makeini(f"[pytest]\n{ini}")
    result = pytester.runpytest(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {place}: mock_response *"])


@pytest.mark.parametrize(
    "text", ['fallbacks=["gpt-4o"]', 'context_window_fallback_dict={"o4-mini":"gpt-4o"}', "model_list=[]"]
)
def test_a_parameter_that_asks_another_model_is_refused(text: str) -> None:
    """Its reply would count as one of the model that is measured, at a price that no cap has room for."""
    with pytest.raises(ValueError, match=rf"^--llm-param: {text.partition('=')[0]} "):
        parsing.parameter("--llm-param", text)


@pytest.mark.parametrize("name", ["base_url", "timeout", "num_retries", "messages", "stream"])
def test_what_the_plugin_sets_itself_is_refused(name: str) -> None:
    """Parameters that the plugin sets itself are refused, as options of their own set them."""
    with pytest.raises(ValueError, match=rf"^--llm-x: {name} is set by the plugin itself"):
        parsing.parameter(OPTION, f"{name}=1")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("o4-mini", Model("o4-mini", "o4-mini")),
        ("openai/gpt-4o", Model("openai/gpt-4o", "openai/gpt-4o")),
        ("ollama/llama3:8b", Model("ollama/llama3:8b", "ollama/llama3:8b")),
        ("mine=o4-mini", Model("mine", "o4-mini")),
        ("o4-mini-high=o4-mini?reasoning_effort=high", Model("o4-mini-high", "o4-mini", {"reasoning_effort": "high"})),
        (
            'x=m?thinking={"a":"b&c"}&temperature=1',
            Model("x", "m", {"thinking": {"a": "b&c"}, "temperature": 1}),
        ),
        ("x=m?api_base=http://localhost:1/v1", Model("x", "m", {}, "http://localhost:1/v1")),
    ],
)
def test_model(text: str, expected: Model) -> None:
    """A model is a litellm string, with a name and parameters of its own where they are given."""
    assert parsing.model(OPTION, text, {}, None, None) == expected


def test_a_models_own_parameters_win() -> None:
    """What holds for all models yields to what one model says."""
    model = parsing.model(OPTION, "m?temperature=1", {"temperature": 0, "top_p": 1}, "http://a", "Be brief.")
    assert model == Model("m", "m", {"temperature": 1, "top_p": 1}, "http://a", "Be brief.")


@pytest.mark.parametrize("text", ["", "  ", "?a=1", "a=", "=b", "a\nb", "a\x1b[31m"])
def test_no_model(text: str) -> None:
    """What names no model is refused with one line that shows two that do."""
    with pytest.raises(ValueError, match=r"is not a model; write o4-mini or my-name=o4-mini\?reasoning_effort=high"):
        parsing.model(OPTION, text, {}, None, None)


@pytest.mark.parametrize(
    "url", ["localhost:8000", "ftp://x", "http://", "http://h:abc/", "http://h o/", "http://[::1", 5]
)
def test_no_base_url(url: Any) -> None:
    """A base URL that is neither http nor https is refused with one line that shows one."""
    with pytest.raises(ValueError, match=r"is not a base URL; write http://localhost:8000/v1"):
        parsing.checked_url(OPTION, url)


@pytest.mark.parametrize("url", ["https://me:hunter2@host/v1", "https://host/v1?api_key=hunter2"])
def test_a_base_url_with_a_key_is_refused_unseen(url: str) -> None:
    """A password in a URL would be written into files; the message does not repeat it."""
    with pytest.raises(ValueError, match=r"could write a key into files") as refused:
        parsing.checked_url(OPTION, url)
    assert "hunter2" not in str(refused.value)
