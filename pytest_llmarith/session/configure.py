"""Configures a run: parses settings, refuses wrong usage, and registers a controller,
worker or dry run.

Every pytest run loads this module, so slow imports are inside the functions.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_llmarith import options
from pytest_llmarith.session.items import (
    NO_MODEL,
    OPTIONS_INPUT,
    has_record,
    id_of,
    missing_option,
    problem_of,
    settings_of,
)

HELP_OUTPUT = "llmarith_nothing_selected"
_MOST_NAMED = 12  # variants
_WRONG_USAGE = "llmarith_wrong_usage"  # on reports

if TYPE_CHECKING:
    from pytest_llmarith.settings import Settings
    from pytest_llmarith.types import Model


def configure(config: pytest.Config) -> None:
    """Refuse wrong usage and register the plugin for the role of this process, if a run
    is requested.
    """
    is_worker = hasattr(config, "workerinput")
    of_controller = getattr(config, "workerinput", {}).get(OPTIONS_INPUT, {})
    vars(config.option).update(of_controller)
    config.pluginmanager.register(Missing(config), "llmarith-missing")
    config.pluginmanager.register(RefusedCollection(config), "llmarith-refused")
    if not options.are_given(config):
        if not is_worker:
            config.pluginmanager.register(Idle(config))
        return
    settings = settings_of(config)
    refuse_wrong_usage(config, settings)
    if settings.suite is not None:
        config.args = [str(settings.suite)]
        config.args_source = pytest.Config.ArgsSource.ARGS
    if settings.shard:
        from pytest_llmarith.session.planned import SHARDING, Sharding

        config.pluginmanager.register(Sharding(config, settings.shard), SHARDING)
    if is_worker:
        if settings.models:
            from pytest_llmarith.session.xdist import Worker

            config.pluginmanager.register(Worker(config, settings), "llmarith-worker")
        return
    _refuse_keys(config, settings)
    from pytest_llmarith.session.controller import RunController
    from pytest_llmarith.session.dry_run import DryRun

    run: RunController | DryRun
    if settings.asks_nothing:
        run = DryRun(config, settings)
    else:
        run = RunController(config, settings)
    config.pluginmanager.register(run, "llmarith-run")


class Missing:
    """Says what to write if no question can be asked, and lets the run end with the
    exit status of one without tests.

    Tests of others that hold a bench among them stay skipped.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._deselected: list[pytest.Item] = []
        self._help = ""

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self._deselected += items

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Before the first test, as hundreds of skipped ones follow."""
        deselected = list(filter(problem_of, self._deselected))
        self._deselected.clear()
        if deselected and not any(map(problem_of, session.items)):
            keyword = self._config.getoption("keyword", "")
            self._help = nothing_selected(keyword, deselected)
            output = getattr(self._config, "workeroutput", None)
            if output is not None:
                output[HELP_OUTPUT] = self._help
        terminal = self._config.pluginmanager.getplugin("terminalreporter")
        is_quiet = self._config.getoption("verbose", 0) < 0
        if terminal is None or is_quiet or self._config.getoption("collectonly"):
            return
        skipped = [mark for item in session.items if (mark := _skip_mark(item))]
        if skipped and len(skipped) == len(session.items):
            terminal.ensure_newline()
            terminal.write_line(f"llmarith: {NO_MODEL}", yellow=True)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._help = getattr(node, "workeroutput", {}).get(HELP_OUTPUT, self._help)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        terminal = self._config.pluginmanager.getplugin("terminalreporter")
        is_ok = session.exitstatus == pytest.ExitCode.OK
        stats = getattr(terminal, "stats", {})  # other reporters have none
        if is_ok and all_lack_an_option(stats):
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        if self._help:
            terminalreporter.write_line(f"llmarith: {self._help}", yellow=True)


def all_lack_an_option(stats: Mapping[str, Sequence[Any]]) -> bool:
    """Whether every test was skipped, and some of them because an option is missing:
    then nothing that could be asked was.
    """
    ran = any(
        reports
        for category, reports in stats.items()
        if category not in ("skipped", "deselected", "warnings", "")
    )
    return not ran and missing_option(stats.get("skipped", ())) is not None


def nothing_selected(keyword: str, items: Iterable[pytest.Item]) -> str:
    """That none of these items is selected, and what -k can name: if it is a list of
    words with `and`, beside those that some items have.
    """
    left = list(items)
    text = f"none of {len(left):,} items is selected"
    words = keyword.split(" and ")
    if keyword and all(re.fullmatch(r"\s*\w+\s*", word) for word in words):
        for word in map(str.strip, words):
            having = [item for item in left if word.lower() in item.nodeid.lower()]
            if not having:
                text += f", as none has {word}"
                break
            left = having
    names: dict[str, None] = {}
    depths = set()
    for item in left:
        problem = problem_of(item)
        names[problem.variant or problem.task] = None
        if problem.depth is not None:
            depths.add(problem.depth)
    shown = ", ".join(list(names)[:_MOST_NAMED])
    if len(names) > _MOST_NAMED:
        shown += ", ..."
    text += f"; variants: {shown}"
    if depths:
        text += f"; depths: {min(depths)} to {max(depths)}, as depth_{min(depths)}"
    return text


def _skip_mark(item: pytest.Item) -> bool:
    """Whether an item is skipped because no model was chosen."""
    mark = item.get_closest_marker("skip")
    return mark is not None and mark.kwargs.get("reason") == NO_MODEL


class RefusedCollection:
    """Shows wrong usage that is found during collection in one line, and ends the run
    with its exit status.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._is_refused = False

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self,
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        excinfo = report.call.excinfo if report.call is not None else None
        if excinfo is not None and hasattr(excinfo.value, "is_wrong_usage"):
            report.longrepr = str(excinfo.value)
            setattr(report, _WRONG_USAGE, True)
        return report

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Workers send the reports of their errors, after which xdist would run the
        tests of other files.
        """
        if not hasattr(report, _WRONG_USAGE):
            return
        self._is_refused = True
        loop = self._config.pluginmanager.getplugin("dsession")
        if loop and not self._config.option.continue_on_collection_errors:
            loop.shouldstop = "wrong usage found during collection"

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._is_refused and session.exitstatus == pytest.ExitCode.INTERRUPTED:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR


class Idle:
    """Begins a run that no option requests when the user's `model` fixture has
    replied.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if has_record(report):
            from pytest_llmarith.session.controller import RunController

            self._config.pluginmanager.unregister(self)
            controller = RunController(self._config, settings_of(self._config))
            self._config.pluginmanager.register(controller, "llmarith-run")
            controller.record(report)

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        hint = missing_option(terminalreporter.stats.get("skipped", ()))
        if hint is not None:
            terminalreporter.write_line(f"llmarith: {hint}", yellow=True)


def refuse_wrong_usage(config: pytest.Config, settings: Settings) -> None:
    """Raises pytest.UsageError for contradictory settings and unknown names."""
    graders = {model.name for model in settings.graders}
    by_id: dict[str, Model] = {}
    for model in settings.models:
        twin = by_id.setdefault(id_of(model.name), model)
        if twin is not model:
            raise pytest.UsageError(
                f"--llm-model: {twin.name!r} and {model.name!r} have the same id "
                f"{id_of(model.name)!r}; rename one: other-name={model.target}"
            )
        if model.name in graders:
            raise pytest.UsageError(
                f"--llm-model: {model.name!r} is the name of a model that grades; "
                f"rename the one or the other"
            )
    if settings.adaptive is not None:
        _refuse_adaptive(settings)
    if settings.questions_out is not None:
        _refuse_questions_out(settings)
    try:
        settings.check_tasks()
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    is_paid = settings.models and not settings.asks_nothing
    if is_paid and config.getoption("dist", "no") == "each":
        raise pytest.UsageError(
            "--dist each runs every item on every worker and would pay for each "
            "question several times; use --dist load or worksteal"
        )


def _refuse_adaptive(settings: Settings) -> None:
    """Raises pytest.UsageError for settings that a search for D50 contradicts."""
    if settings.prompt_configs.repeats > 1:
        raise pytest.UsageError(
            "--llm-adaptive: it asks each question once; remove --llm-repeats"
        )
    if settings.fail_under:
        raise pytest.UsageError(
            "--llm-adaptive: D50 is no percentage of correct answers; remove "
            "--llm-fail-under"
        )
    if settings.depths is not None and len(settings.depths) < 2:
        raise pytest.UsageError(
            "--llm-adaptive: D50 needs two depths or more; write --llm-depths=2-10"
        )


def _refuse_questions_out(settings: Settings) -> None:
    """Raises pytest.UsageError if the questions of this run cannot be written."""
    from pytest_llmarith.models.redact import header_values
    from pytest_llmarith.types import StoreMode

    why = ""
    if not settings.models:
        why = "there is no model to ask; name one with --llm-model"
    elif settings.dry_run:
        why = "a dry run writes nothing; remove --llm-dry-run"
    elif settings.store_mode is not StoreMode.ON:
        why = (
            f"replies come back through the store; remove "
            f"--llm-store={settings.store_mode}"
        )
    elif settings.request_limits.max_cost_usd or settings.request_limits.max_tokens:
        why = (
            "nothing is asked, so a cap has no effect; remove it, and write "
            "llmarith batch submit --max-cost=USD"
        )
    for model in settings.models:
        if model.is_local:
            why = f"{model.name} is asked by this machine alone; name another model"
        elif list(header_values(model.params)):
            why = f"{model.name}: a file holds no headers; remove them"
    if why:
        raise pytest.UsageError(f"--llm-questions-out: {why}")


def _refuse_keys(config: pytest.Config, settings: Settings) -> None:
    """Raises pytest.UsageError if a template, a system prompt or a parameter holds a
    key, as records would show it.
    """
    texts = list(_texts(config, settings))
    if not texts:
        return
    from pytest_llmarith.models.providers import dotenv_variables
    from pytest_llmarith.models.redact import leaked_variable

    for environ in (os.environ, dotenv_variables(config.rootpath / ".env")):
        for where, text in texts:
            variable = leaked_variable(text, environ)
            if variable:
                raise pytest.UsageError(
                    f"{where} holds the key in {variable}, which records and pages "
                    f"would show; remove it"
                )


def _texts(config: pytest.Config, settings: Settings) -> Iterator[tuple[str, str]]:
    """The source and text of each part of the requests, without headers."""
    from pytest_llmarith.models.redact import texts_in, with_headers_hidden

    for name, template in settings.prompt_configs.templates.items():
        yield f"--llm-prompt-template: the template {name!r}", template
    for text in config.getoption("--llm-system-prompt") or ():
        yield "--llm-system-prompt: the text", text
    for model in (*settings.models, *settings.graders):
        for name, value in with_headers_hidden(model.params).items():
            for text in texts_in(value):
                yield f"{model.name}: the parameter {name}", text
