"""Configures a run: parses settings, refuses wrong usage, and registers a controller, worker or dry run.

Every pytest run loads this module, so slow imports are inside the functions.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from pytest_llmarith import options
from pytest_llmarith.session.marks import id_of, missing_option
from pytest_llmarith.session.outcomes import OPTIONS_INPUT, record_on, settings_of

if TYPE_CHECKING:
    from pytest_llmarith.settings import Settings


_IDLE = "llmarith-idle"


def configure(config: pytest.Config) -> None:
    """Begin the run if options, environment or ini file request it; else wait for a mark or a first record."""
    vars(config.option).update(getattr(config, "workerinput", {}).get(OPTIONS_INPUT, {}))
    if not options.are_given(config):
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(Idle(config), _IDLE)
        return
    _begin(config, settings_of(config))


def mark_collected(session: pytest.Session) -> None:
    """Parse the settings when a problem mark is collected, and begin the run if `.env` names models.

    Raises CollectError if the settings are wrong.
    """
    idle: Idle | None = session.config.pluginmanager.getplugin(_IDLE)
    try:
        if settings_of(session.config).models and idle is not None:
            idle.begin(session)
    except pytest.UsageError as error:
        if idle is not None:
            idle.error = error
        raise pytest.Collector.CollectError(str(error)) from None


def _begin(config: pytest.Config, settings: Settings) -> None:
    """Refuse wrong usage, then register the plugin for the role of this process."""
    refuse_wrong_usage(config, settings)
    if settings.shard:
        from pytest_llmarith.session.selection import SHARDING, Sharding

        config.pluginmanager.register(Sharding(config, settings.shard), SHARDING)
    if hasattr(config, "workerinput"):
        if settings.models:
            from pytest_llmarith.session.xdist import Worker

            config.pluginmanager.register(Worker(config, settings), "llmarith-worker")
        return
    _refuse_keys(config, settings)
    from pytest_llmarith.session.controller import DryRun, RunController

    run = DryRun if settings.dry_run else RunController
    config.pluginmanager.register(run(config, settings), "llmarith-run")


class Idle:
    """Begins a run that no option requests: with models of `.env`, or when the user's `model` fixture has replied."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.error: pytest.UsageError | None = None  # in `.env`

    def begin(self, session: pytest.Session) -> None:
        """Begin the run during collection, and call the session start hooks of the new plugins."""
        plugins = self._config.pluginmanager
        before = plugins.get_plugins()
        _begin(self._config, settings_of(self._config))
        plugins.unregister(self)
        if json_report := plugins.getplugin("pytest_jsonreport"):
            json_report.pytest_configure(self._config)
        plugins.subset_hook_caller("pytest_sessionstart", before)(session=session)

    def pytest_collection_modifyitems(self) -> None:
        """Raise the error here, because pytest does not accept a UsageError during collection."""
        if self.error is not None:
            raise self.error

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if record_on(report) is not None:
            from pytest_llmarith.session.controller import RunController

            self._config.pluginmanager.unregister(self)
            controller = RunController(self._config, settings_of(self._config))
            self._config.pluginmanager.register(controller, "llmarith-run")
            controller.record(report)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if hint := missing_option(terminalreporter.stats.get("skipped", ())):
            terminalreporter.write_line(f"llmarith: {hint}", yellow=True)


def refuse_wrong_usage(config: pytest.Config, settings: Settings) -> None:
    """Raises pytest.UsageError for contradictory settings and unknown names."""
    judge = settings.oeis.judge
    ids: dict[str, str] = {}
    for model in settings.models:
        twin = ids.setdefault(id_of(model.name), model.name)
        if twin != model.name:
            raise pytest.UsageError(
                f"--llm-model: {twin!r} and {model.name!r} have the same id {id_of(model.name)!r}; "
                f"rename one: other-name={model.target}"
            )
        if judge is not None and model.name == judge.name:
            raise pytest.UsageError(f"--llm-model: {judge.name!r} is the name of the judge; rename the model")
    for option, models in (("--llm-model", settings.models), ("--oeis-judge", filter(None, [judge]))):
        for model in models:
            if model.simulated:
                from pytest_llmarith.models.fake import NAMES

                known = [f"llmarith/{name}" for name in NAMES]
                if model.target not in known:
                    raise pytest.UsageError(f"{option}: there is no model {model.target!r}; write {' or '.join(known)}")
    if settings.oeis.sets:
        from pytest_llmarith.session.collection import sets_of

        sets_of(settings)
    if settings.models and not settings.dry_run and config.getoption("dist", "no") == "each":
        raise pytest.UsageError(
            "--dist each runs every item on every worker and would pay for each question several times; "
            "use --dist load, worksteal or loadscope"
        )


def _refuse_keys(config: pytest.Config, settings: Settings) -> None:
    """Raises pytest.UsageError if a template, a system prompt or a parameter holds a key, as records would show it."""
    texts = list(_texts(config, settings))
    if not texts:
        return
    from pytest_llmarith.model_options import dotenv_variables
    from pytest_llmarith.models.redact import leaked_variable

    for environ in (os.environ, dotenv_variables(config.rootpath / ".env")):
        for where, text in texts:
            if variable := leaked_variable(text, environ):
                raise pytest.UsageError(
                    f"{where} holds the key in {variable}, which records and pages would show; remove it"
                )


def _texts(config: pytest.Config, settings: Settings) -> Iterator[tuple[str, str]]:
    """The source and text of each part of the requests, without headers."""
    from pytest_llmarith.models.redact import texts_in, with_headers_hidden

    for name, template in settings.prompt_configs.texts.templates.items():
        yield f"--llm-prompt-template: the template {name!r}", template
    for text in config.getoption("--llm-system-prompt") or ():
        yield "--llm-system-prompt: the text", text
    for model in (*settings.models, *filter(None, [settings.oeis.judge])):
        for name, value in with_headers_hidden(model.params).items():
            yield from ((f"{model.name}: the parameter {name}", text) for text in texts_in(value))
