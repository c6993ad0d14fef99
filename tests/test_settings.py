"""Options, environment, `.env` and ini file: what they set, and the one line for each
mistake.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.options import OPTIONS
from pytest_llmarith.sandbox.program_runs import IsolationLevel
from pytest_llmarith.settings import Settings, parse_settings
from pytest_llmarith.tasks.oeis.details import Rules
from pytest_llmarith.types import (
    Condition,
    Model,
    NumberFormat,
    Price,
    RequestLimits,
    StoreMode,
    Symbols,
)

PLAIN = "def test_it(): pass"
MARKED = "import pytest\n@pytest.mark.integer_addition(trials=1)\ndef test_it(problem, ask): ask(problem)"

Parse = Callable[..., Settings]


@pytest.fixture
def parse(pytester: pytest.Pytester) -> Parse:
    """The settings of a command line, typed in the test's folder."""
    return lambda *args: parse_settings(
        pytester.parseconfig("-p", "no:cacheprovider", *args)
    )


def test_defaults(parse: Parse) -> None:
    settings = parse()
    assert settings.models == ()
    assert settings.seed == 0
    assert settings.request_limits == RequestLimits()
    assert settings.prompt_configs.are_default
    assert settings.prompt_configs.are_default
    oeis = settings.oeis
    assert (oeis.sets, oeis.terms, oeis.sandbox, oeis.judge) == (None,) * 4
    assert (oeis.limits.seconds, oeis.limits.memory_bytes) == ((0.5, 4.0), 1 << 30)
    assert (oeis.rules, oeis.static_judge) == (Rules.DEFAULT, True)


@pytest.mark.parametrize(
    ("option", "field", "value"),
    [
        ("--llm-depths=2-10", "depths", (2, 3, 4, 5, 6, 7, 8, 9, 10)),
        ("--llm-adaptive=0.5", "adaptive", (0.5, 100)),
        ("--llm-adaptive=2,40", "adaptive", (2.0, 40)),
        ("--llm-rpm=500", "request_limits.requests_per_minute", 500),
        ("--llm-store=only", "store_mode", StoreMode.ONLY),
        ("--llm-max-cost=0.25", "request_limits.max_cost_usd", 0.25),
        ("--llm-price=1.1, 4.4", "request_limits.price", Price(1.1, 4.4)),
        ("--oeis-limits=4, 0.5,4", "oeis.limits.seconds", (0.5, 4.0)),
        ("-ooeis_memory=512MiB", "oeis.limits.memory_bytes", 512 << 20),
        ("--oeis-terms=40", "oeis.terms", 40),
        ("--oeis-sandbox=standard", "oeis.sandbox", IsolationLevel.STANDARD),
        ("--oeis-judge=none", "oeis.static_judge", False),
        ("--oeis-scheduler=tcp://a:1", "oeis.scheduler", "tcp://a:1"),
        ("--oeis-judge=both:mine=openai/x", "oeis.judge.name", "judge:mine"),
    ],
)
def test_values(parse: Parse, option: str, field: str, value: Any) -> None:
    assert attrgetter(field)(parse(option)) == value


DEEP = ["[" * 100_000, '{"a":' * 100 + "1" + "}" * 100]
# Each mistake, and what its message says.
MISTAKES = [
    line.split(" | ")
    for line in Path(__file__).with_name("mistakes.txt").read_text("utf-8").splitlines()
]
MISTAKES += [
    ["--llm-system-prompt=\udcff", "is not UTF-8 text"],
    ["--llm-param=a=b\udcff", "is not UTF-8 text"],
    ["--llm-api-base=" + "x" * 999, "is not a base URL"],
    *(
        [f"--llm-model={text}", "is not"]
        for text in ("  ", "a\nb", "a\x1b[31m", "a=b\udcff")
    ),
    *([f"--llm-param=stop={value}", "is nested too deep"] for value in DEEP),
]
NO_TEMPLATES = ["{lhs.__class__}", "{lhs!r}", "{lhs:>9}", "{}", "{lhs", "What?", ""]


@pytest.mark.proof
def test_mistakes(parse: Parse, pytester: pytest.Pytester) -> None:
    """A mistake is one line: the option, what is wrong, what to write instead; it
    repeats no key.
    """
    for name, text in {"a.txt": "{lhs}", "a.md": "{lhs}"}.items():
        (pytester.path / name).write_text(text, encoding="utf-8")
    (pytester.path / "latin.txt").write_bytes(b"\xe9")
    for name, text in {"empty": "\n", "twice": "http://a http://a/"}.items():
        (pytester.path / f"{name}.txt").write_text(text, encoding="utf-8")
    (pytester.path / "key.txt").write_text("http://me:hunter2@a", encoding="utf-8")
    for option, message in MISTAKES:
        said = refused(parse, option)
        assert option == option
        assert said.partition(": ")[0] == option.partition("=")[0].removeprefix("-o")
        assert (option, message in said, "hunter2" in said) == (option, True, False), (
            said
        )
        assert len(said) < 400
    for template in NO_TEMPLATES:
        (pytester.path / "mine.txt").write_text(template, encoding="utf-8")
        assert refused(parse, "--llm-prompt-template=mine.txt").startswith(
            "--llm-prompt-template: 'mine.txt': "
        )


def refused(parse: Parse, option: str) -> str:
    """The one line that refuses these options."""
    first, *others = option.split(" --")
    with pytest.raises(pytest.UsageError) as raised:
        parse(first, *(f"--{more}" for more in others))
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_conditions_combine(parse: Parse) -> None:
    """Two formats, two signs and two contexts are eight conditions, in the order
    given.
    """
    found = parse(
        "--llm-number-format=comma,plain",
        "--llm-symbols=ascii,unicode",
        "--llm-context=2k, none",
    ).prompt_configs
    assert len(found.conditions) == 8
    assert found.conditions[0] == Condition(NumberFormat.COMMA, Symbols.ASCII, "2k")
    assert found.conditions[-1] == Condition(NumberFormat.PLAIN, Symbols.UNICODE, None)
    assert not found.are_default


@pytest.mark.parametrize(
    ("texts", "own", "systems"),
    [
        ([], None, [None]),
        ([""], None, [None]),
        (["Be brief."], "Be brief.", [None]),
        (["Be long.", "Be brief."], None, ["1", "2"]),
        (["", "Be brief."], None, [None, "1"]),
        (["Be brief.", ""], None, ["1", None]),
    ],
)
def test_system_prompts(
    parse: Parse, texts: list[str], own: str | None, systems: list[str | None]
) -> None:
    settings = parse(
        "--llm-model=m", *(f"--llm-system-prompt={text}" for text in texts)
    )
    assert settings.models[0].system_prompt == own
    assert [
        condition.system for condition in settings.prompt_configs.conditions
    ] == systems
    given = (
        {}
        if len(texts) < 2
        else {
            number: text for number, text in zip(systems, texts, strict=True) if number
        }
    )
    assert settings.prompt_configs.systems == given


def test_templates_are_called_like_their_files(
    parse: Parse, pytester: pytest.Pytester
) -> None:
    """An id can hold the name; `standard` is each task's own prompt; a byte order mark
    is not sent.
    """
    (pytester.path / "just-the.number.txt").write_text(
        "{lhs}{sign}{rhs}=\n", encoding="utf-8-sig"
    )
    found = parse(
        "--llm-prompt-template=standard", "--llm-prompt-template=just-the.number.txt"
    ).prompt_configs
    assert [condition.prompt for condition in found.conditions] == [
        None,
        "just_the_number",
    ]
    assert found.templates == {"just_the_number": "{lhs}{sign}{rhs}="}


def test_a_judge_is_asked_for_0_or_1(parse: Parse) -> None:
    """Temperature 0 and a structured reply, unless the judge's own parameters differ;
    null leaves one out.
    """
    plain, own = (
        parse(f"--oeis-judge=llm:{text}").oeis.judge
        for text in ("gpt-4o", "o3?temperature=null&seed=7")
    )
    assert plain is not None
    assert own is not None
    assert plain.grades
    assert plain.params["temperature"] == 0
    assert plain.params["response_format"]["type"] == "json_schema"
    assert own.params == {"response_format": plain.params["response_format"], "seed": 7}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ollama/llama3:8b", Model("ollama/llama3:8b", "ollama/llama3:8b")),
        (
            "high=o4-mini?reasoning_effort=high",
            Model("high", "o4-mini", {"reasoning_effort": "high"}),
        ),
        (
            'x=m?thinking={"a":"b&c"}&temperature=1',
            Model("x", "m", {"thinking": {"a": "b&c"}, "temperature": 1}),
        ),
        (
            "x=m?api_base=http://localhost:1/v1",
            Model("x", "m", {}, "http://localhost:1/v1"),
        ),
    ],
)
def test_models(parse: Parse, text: str, expected: Model) -> None:
    """A model is a litellm string, with a name and parameters of its own, which replace
    those for all.
    """
    assert parse(f"--llm-model={text}").models == (expected,)
    shared = (
        "--llm-param=temperature=0",
        "--llm-param=top_p=1",
        "--llm-api-base=http://a",
    )
    (model,) = parse("--llm-model=m?temperature=1", *shared).models
    assert model == Model("m", "m", {"temperature": 1, "top_p": 1}, "http://a")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("reasoning_effort=high", {"reasoning_effort": "high"}),
        ('stop=["a", "b"]', {"stop": ["a", "b"]}),
        (
            'thinking={"type":"enabled","budget_tokens":4096}',
            {"thinking": {"type": "enabled", "budget_tokens": 4096}},
        ),
        ("top_p=NaN", {"top_p": "NaN"}),
    ],
)
def test_parameters(parse: Parse, text: str, expected: dict[str, Any]) -> None:
    """The value is JSON, or else text; a schema may have a property with the name of a
    key.
    """
    (model,) = parse("--llm-model=m", f"--llm-param={text}").models
    assert model.params == expected


def test_a_sweep_is_a_model_per_value(parse: Parse) -> None:
    """Each value ends a name, which an expression of -k may hold; the first model gets
    all its values first.
    """
    models = parse(
        "--llm-model=openai/o3",
        "--llm-model=mine=m?top_p=1",
        "--llm-param=seed=7",
        "--llm-sweep=effort=low, high,0.5",
    ).models
    values = {"low": "low", "high": "high", "0.5": 0.5}
    assert models == (
        *(
            Model(f"openai/o3-{word}", "openai/o3", {"seed": 7, "effort": value})
            for word, value in values.items()
        ),
        *(
            Model(f"mine-{word}", "m", {"seed": 7, "top_p": 1, "effort": value})
            for word, value in values.items()
        ),
    )


def test_the_test_parameters_of_litellm_are_refused(pytester: pytest.Pytester) -> None:
    """They would make replies that no model gave: exit status 4 wherever they come
    from.
    """
    pytester.makepyfile(PLAIN)
    pytester.makeini("[pytest]\nllm_model = o4-mini?mock_response=42")
    for place, args in {
        "--llm-param": ("--llm-model=o4-mini", "--llm-param=mock_response=42"),
        "--llm-model": ("--llm-model=o4-mini?temperature=0&mock_response=42",),
        "llm_model (ini file)": (),
        "--oeis-judge": (
            "--llm-model=o4-mini",
            "--oeis-judge=llm:o4-mini?mock_response=42",
        ),
    }.items():
        result = pytester.runpytest(*args)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"ERROR: {place}: mock_response *"])


def test_an_empty_value_is_wrong_usage(parse: Parse) -> None:
    """An empty value is a script's mistake, and not the default."""
    for flag in [
        o.name
        for o in OPTIONS.values()
        if o.metavar and not o.repeatable and not o.is_ini
    ]:
        with pytest.raises(pytest.UsageError, match=rf"^{flag}: "):
            parse(f"{flag}=")


def test_where_models_are_named(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The option, then LLMARITH_MODEL of the environment, then the ini file."""
    pytester.makepyfile(MARKED)
    pytester.makeini("[pytest]\nllm_model =\n    one\n    two=o4-mini?temperature=0\n")
    pytester.runpytest("--collect-only").stdout.fnmatch_lines(["llmarith: one, two"])
    monkeypatch.setenv("LLMARITH_MODEL", "o4-mini gpt-4o")
    result = pytester.runpytest("--collect-only", "--llm-trials=2")
    result.stdout.fnmatch_lines(
        ["llmarith: o4-mini, gpt-4o", "*o4-mini-trial_0*", "*gpt-4o-trial_1*"]
    )
    pytester.runpytest("--llm-model=mine", "--collect-only").stdout.fnmatch_lines(
        ["llmarith: mine"]
    )
    monkeypatch.setenv("LLMARITH_MODEL", "m?mock_response=x")
    result = pytester.runpytest()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: LLMARITH_MODEL (environment): *"])


def test_a_dotenv_file_that_cannot_be_read(pytester: pytest.Pytester) -> None:
    """Its keys are needed only if models are asked."""
    pytester.makepyfile(MARKED)
    (pytester.path / ".env").write_bytes(b"OPENAI_API_KEY=\xff\xfe\n")
    assert pytester.runpytest().ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result = pytester.runpytest("--llm-model=gpt-4o")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *.env cannot be read: it is not UTF-8 text"])


def test_a_base_url_that_is_none(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named with the place where it stands, of which the environment wins; other
    providers have no use for it.
    """
    pytester.makepyfile(PLAIN)
    (pytester.path / ".env").write_text("OPENAI_BASE_URL=nowhere\n", encoding="utf-8")
    assert pytester.runpytest("--llm-model=claude-sonnet-4-5").ret == pytest.ExitCode.OK
    for where, name in {
        "OPENAI_BASE_URL in .env": "OTHER",
        "OPENAI_BASE_URL (environment)": "OPENAI_BASE_URL",
    }.items():
        monkeypatch.setenv(name, "somewhere")
        result = pytester.runpytest("--llm-model=gpt-4o")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"ERROR: {where}: *where' is not a base URL; *"])
