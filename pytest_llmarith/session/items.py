"""What the plugin puts on pytest's items, reports and config: settings, the record of a
trial; and the hooks that do it.

Reports show the outcome of a trial by letter, word, colour and properties. Every pytest
run loads this module. The report of a worker holds the record as JSON text, because
xdist transports neither enums nor lone surrogates, which a reply may contain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from pytest_llmarith.session.company import tell_allure

if TYPE_CHECKING:
    from pytest_llmarith.records import Record, Reply
    from pytest_llmarith.settings import Settings
    from pytest_llmarith.types import Failure, Question

ARITHMETIC_MARK = "arithmetic"
ADDITION_MARK = "integer_addition"
OEIS_MARK = "oeis"
CUSTOM_MARK = "llmarith_task"
BREAKING_MARK = "breaking_point"
PROBLEM_MARKS = (ARITHMETIC_MARK, ADDITION_MARK, BREAKING_MARK, OEIS_MARK, CUSTOM_MARK)
CELL_MARK = "cell"
TIMEOUT_MARK = "timeout"
NO_MODEL = (
    "no model chosen: give --llm-model=NAME, any litellm model; "
    "llmarith/oracle and llmarith/sloppy are fake models and need no key"
)
NO_SEARCH = (
    "no search requested: --llm-breaking-point=80 searches with up to 80 questions each"
)

# Characters that -k cannot parse.
_UNPARSABLE = re.compile(r"[^A-Za-z0-9_:+./-]")


def problem_marks(metafunc: pytest.Metafunc) -> list[pytest.Mark]:
    """The problem marks of a function; none if it takes no `problem`, or parametrizes
    or overrides it.
    """
    if "problem" not in metafunc.fixturenames:
        return []
    if "problem" in metafunc._arg2fixturedefs:
        return []
    for mark in metafunc.definition.iter_markers("parametrize"):
        names = mark.args[0] if mark.args else mark.kwargs.get("argnames", ())
        if isinstance(names, str):
            names = [name.strip() for name in names.split(",")]
        if "problem" in names:
            return []
    return marks_on(metafunc.definition)


def marks_on(item: pytest.Item) -> list[pytest.Mark]:
    """The problem marks of an item or a function."""
    return [mark for mark in item.iter_markers() if mark.name in PROBLEM_MARKS]


def problem_of(item: pytest.Item) -> Any:
    """The problem of an item of the plugin; None for other items, even with a `cell`
    mark.
    """
    # The mark comes with the parameter; a search of all marks takes five times as long.
    for mark in item.own_markers:
        if mark.name == CELL_MARK:
            problem = parameter_of(item, "problem")
            return problem if hasattr(problem, "owner") else None
    return None


def limit_of(item: pytest.Item) -> Any:
    """The seconds of an item's timeout mark, or None."""
    mark = item.get_closest_marker(TIMEOUT_MARK)
    return None if mark is None else seconds_of(mark)


def seconds_of(mark: pytest.Mark) -> Any:
    """The seconds of a timeout mark."""
    return mark.args[0] if mark.args else mark.kwargs.get("timeout")


def parameter_of(item: pytest.Item, name: str) -> Any:
    """The value of a parameter of an item, or None."""
    return getattr(getattr(item, "callspec", None), "params", {}).get(name)


def grader_of(item: pytest.Item) -> Any:
    """The grader of an item's task; None for other items, and if a function grades."""
    problem = problem_of(item)
    return None if problem is None else problem.owner.grader


def id_of(model: str) -> str:
    """A model's name as part of an id, with only the characters that `-k` can parse."""
    return _UNPARSABLE.sub("_", model)


def missing_option(reports: Iterable[Any]) -> str | None:
    """The skip reason that names a missing option, or None."""
    reasons = ""
    for one in reports:
        longrepr = getattr(one, "longrepr", None)
        if isinstance(longrepr, tuple):
            reasons += f"{longrepr[2]}\n"
    for why in (NO_MODEL, NO_SEARCH):
        if why in reasons:
            return why
    return None


# --- settings and records -------------------------------------------------------------

# The key in xdist's `workerinput` of options that the controller passes to workers,
# which parse the command line anew.
OPTIONS_INPUT = "llmarith_options"
CRASHED = "???"  # the `when` that xdist sets for an item whose worker died
# Those of pytest. Other plugins have further ones for a try that is run again.
_OUTCOMES = ("passed", "failed", "skipped")
_RECORD_ATTRIBUTE, _OUTCOME_ATTRIBUTE = "llmarith", "llmarith_outcome"
_HIDDEN_ATTRIBUTE = "llmarith_hidden"
_MEASURES_ATTRIBUTE = "llmarith_measures"
_PROPERTY = "llmarith_"
_LONGEST_TEXT = 200
_SECTION = "llmarith stdout call"  # teamcity-messages prints those with these words
_EXTRA = "llmarith"
_SHOWN: Mapping[str, tuple[str, Mapping[str, bool]]] = {
    "correct": ("C", {"green": True}),
    "deviate": ("d", {"yellow": True}),
    "nan": ("n", {"purple": True}),
    "cheat": ("h", {"red": True}),
    "unanswered": ("U", {"red": True, "bold": True}),
}

# On an item: the record of its trial, whether its test has asked or is running, and its
# settings of pytest-timeout.
RECORD: pytest.StashKey[Record] = pytest.StashKey()
HAS_ASKED = pytest.StashKey[bool]()
RUNNING = pytest.StashKey[bool]()
TIMER = pytest.StashKey[Any]()
# The item that this process runs; of a run within it, the inner one is last.
_running: list[pytest.Item] = []
# On the config: the settings, the function that asks a question, directly or through
# the controller, and the one that shows the progress of the run.
_SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()
SHOW_PROGRESS: pytest.StashKey[Callable[[], None]] = pytest.StashKey()
ASK: pytest.StashKey[Callable[[Question], Reply | Failure]] = pytest.StashKey()


def running_item() -> pytest.Item:
    """The item that this process runs."""
    return _running[-1]


def settings_of(config: pytest.Config) -> Settings:
    """The settings of the run, parsed on first use. Raises pytest.UsageError."""
    if _SETTINGS not in config.stash:
        from pytest_llmarith.settings import parse_settings

        config.stash[_SETTINGS] = parse_settings(config)
    return config.stash[_SETTINGS]


def put_record(
    report: pytest.TestReport, record: Record, *, as_text: bool = False
) -> None:
    """Put a record on a report, and apart from it what stays to the end: pytest keeps
    every report.
    """
    from pytest_llmarith.records import encode

    setattr(report, _RECORD_ATTRIBUTE, encode(record) if as_text else record)
    shown = (str(record.outcome), record.raised is not None)
    setattr(report, _OUTCOME_ATTRIBUTE, shown)


def has_record(report: pytest.TestReport) -> bool:
    return hasattr(report, _RECORD_ATTRIBUTE)


def take_record(report: pytest.TestReport) -> Record | None:
    """Remove the record from a report."""
    from pytest_llmarith.records import decode_record

    found: Record | str | None = vars(report).pop(_RECORD_ATTRIBUTE, None)
    if isinstance(found, str):
        return decode_record(found)
    return found


def has_measures(report: pytest.TestReport) -> bool:
    """Whether a worker ran an item whose task brings measures."""
    return hasattr(report, _MEASURES_ATTRIBUTE)


def is_last_try(report: pytest.TestReport) -> bool:
    """Whether no other plugin runs the item again, as far as its report says."""
    return report.outcome in _OUTCOMES


def attach(report: pytest.TestReport, item: pytest.Item) -> None:
    """Put an item's record on the report of its call.

    While the test runs, reports are those of its subtests, which have no record.
    """
    record = item.stash.get(RECORD, None)
    is_part = report.when != "call" or item.stash.get(RUNNING, False)
    if record is None or is_part or not is_last_try(report):
        return
    is_worker = hasattr(item.config, "workerinput")
    put_record(report, record, as_text=is_worker)
    if is_worker and problem_of(item).owner.brings:
        setattr(report, _MEASURES_ATTRIBUTE, True)
    html = item.config.pluginmanager.hasplugin("html")
    _show(report, record.outcome, _why(record), html)


def hide(report: pytest.TestReport) -> None:
    """Show and count nothing for a further report of an item."""
    setattr(report, _HIDDEN_ATTRIBUTE, True)


def properties_of(record: Record) -> list[tuple[str, str]]:
    """Short facts about a trial for pytest's reports, such as JUnit XML; unknown ones
    are left out.
    """
    from pytest_llmarith.records import as_text
    from pytest_llmarith.safe_text import sanitize

    cost_usd = None
    if record.reply is not None and record.reply.cost_usd is not None:
        # Without an exponent.
        cost_usd = format(Decimal(repr(record.reply.cost_usd)), "f")
    is_wrong = record.outcome in ("deviate", "nan", "cheat")
    facts = (
        ("outcome", record.outcome),
        ("expected", as_text(record.problem.expected) if is_wrong else None),
        ("answer", record.answer_text if is_wrong else None),
        ("reason", record.why),
        ("error_class", record.error_class),
        ("cost_usd", cost_usd),
        ("model", record.model),
        ("task", record.task),
    )
    properties = []
    for name, value in facts:
        if value is not None:
            text = sanitize(str(value), _LONGEST_TEXT)
            properties.append((f"{_PROPERTY}{name}", text))
    return properties


def keep(record: Record, item: pytest.Item) -> None:
    """Put a record on an item, and its properties if a plugin reports them, in place of
    those of a try before.
    """
    item.stash[RECORD] = record
    if not _reports_properties(item.config):
        return
    others = []
    for name, value in item.user_properties:
        if not str(name).startswith(_PROPERTY):
            others.append((name, value))
    item.user_properties[:] = [*others, *properties_of(record)]


def _reports_properties(config: pytest.Config) -> bool:
    """Whether JUnit XML, pytest-html or allure is written; pytest and
    pytest-json-report keep properties to the end, 3 kB of each item.
    """
    if config.getoption("xmlpath", None):
        return True
    return any(map(config.pluginmanager.hasplugin, ("html", "allure_listener")))


def _why(record: Record) -> str | None:
    """Why a trial is not correct; None if it is."""
    if record.outcome == "correct":
        return None
    from pytest_llmarith.records import as_text
    from pytest_llmarith.safe_text import sanitize

    why = record.why
    if not why:
        expected = as_text(record.problem.expected)
        why = f"got {record.answer_text}, expected {expected}"
    return sanitize(why, _LONGEST_TEXT)


def _fail_if_strict(item: pytest.Item) -> None:
    """Fail a test that has passed, unless its outcome is correct; by an exception, as
    other plugins look at that.
    """
    __tracebackhide__ = True
    record = item.stash.get(RECORD, None)
    if record is None or record.outcome == "correct":
        return
    if settings_of(item.config).strict:
        pytest.fail(f"{record.outcome}: {_why(record)} (--llm-strict)", pytrace=False)


# --- hooks ----------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> bool | None:
    """Disable pytest-timeout for items whose grader enforces their timeout mark."""
    item.stash[TIMER] = settings
    grader = grader_of(item)
    return True if grader and grader.limit_s is not None else None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    _running.append(item)
    try:
        return (yield)
    finally:  # pytest keeps every item to the end
        _running.remove(item)
        if RECORD in item.stash:
            del item.stash[RECORD]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    __tracebackhide__ = True
    item.stash[RUNNING] = True
    try:
        result = yield
    finally:
        item.stash[RUNNING] = False
    _fail_if_strict(item)
    return result


# The innermost one: other plugins see the outcome.
@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    attach(report, item)
    record = item.stash.get(RECORD, None)
    if report.when == "teardown" and record is not None:
        tell_allure(item, record.outcome, _why(record))
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_logreport(
    report: pytest.TestReport,
) -> Generator[None, object, object]:
    # Another plugin may have run the item again since it made the report.
    for item in _running[-1:]:
        if item.nodeid == report.nodeid:
            attach(report, item)
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(
    report: pytest.TestReport,
) -> tuple[str, str, tuple[str, Mapping[str, bool]]] | None:
    """Category, letter and word of a report with a record; None for pytest's own.

    A test that failed for another reason after grading, or whose task raised, stays
    pytest's failed.
    """
    if report.when not in ("call", CRASHED) or not hasattr(report, _OUTCOME_ATTRIBUTE):
        return None
    if not is_last_try(report):
        return None
    outcome, has_raised = getattr(report, _OUTCOME_ATTRIBUTE)
    if report.failed:
        is_strict = str(report.longrepr).startswith(f"{outcome}: ")
        is_unanswered = outcome == "unanswered" and not has_raised
        if not is_strict and not is_unanswered:
            return None
    if hasattr(report, _HIDDEN_ATTRIBUTE):
        return "", "", ("", {})
    letter, markup = _SHOWN[outcome]
    return outcome, letter, (outcome.upper(), markup)


def _show(report: pytest.TestReport, outcome: str, why: str | None, html: bool) -> None:
    """Put the outcome of a trial that is not correct where reports look at a test that
    passed, in place of that of a try before.
    """
    sections = [one for one in report.sections if one[0] != _SECTION]
    if why is not None:
        sections.append((_SECTION, f"{outcome}: {why}\n"))
    report.sections[:] = sections
    if not html:
        return
    extras = [one for one in getattr(report, "extras", []) if one["name"] != _EXTRA]
    if why is not None:
        content = f"{outcome}: {why}"
        kind = {"mime_type": "text/plain", "extension": "txt", "format_type": "text"}
        extras.append({"name": _EXTRA, "content": content, **kind})
    report.extras = extras  # type: ignore[attr-defined]  # pytest-html's
