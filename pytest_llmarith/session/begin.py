"""What a pytest run has of ours from its start: nothing, until somebody asks for it.

Every pytest run of an environment loads this module, so it imports nothing that costs.
"""

from __future__ import annotations

import sys
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING

import pytest

from pytest_llmarith import options
from pytest_llmarith.items.marks import NO_MODEL, why_skipped
from pytest_llmarith.items.records import carries_record
from pytest_llmarith.session.timer import TimerWatch

if TYPE_CHECKING:
    from pytest_llmarith.session.ask import Asker
    from pytest_llmarith.settings import Settings

# The controller's word on options, in xdist's `workerinput`: a worker parses the command line anew.
OPTIONS_INPUT = "llmarith_options"
ASKER: pytest.StashKey[Asker] = pytest.StashKey()
_INTERRUPTED = "\nllmarith: interrupted by Ctrl-C; the same command goes on\n"
_GUARD = "llmarith-guard"
_DORMANT = "llmarith-dormant"
_SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()


def begin(config: pytest.Config) -> None:
    """Put the run together, where options, environment or ini file ask for it; else wait for a first record."""
    vars(config.option).update(getattr(config, "workerinput", {}).get(OPTIONS_INPUT, {}))
    if config.pluginmanager.hasplugin("timeout"):
        config.pluginmanager.register(TimerWatch(), "llmarith-timer")
    if options.are_given(config):
        from pytest_llmarith.session.assembly import assemble

        _tell_interrupts_in_a_line()
        assemble(config, settings_of(config))
    elif not hasattr(config, "workerinput"):
        config.pluginmanager.register(Dormant(config), _DORMANT)


def marks_found(session: pytest.Session) -> None:
    """A mark of the plugin was collected: if nothing else began the run, `.env` may name models and begin it."""
    dormant: Dormant | None = session.config.pluginmanager.getplugin(_DORMANT)
    try:
        settings_of(session.config)
        if dormant is not None:
            dormant.begin_with_dotenv(session)
    except pytest.UsageError as mistake:
        if dormant is not None:
            dormant.mistake = mistake
        raise pytest.Collector.CollectError(str(mistake)) from None


@cache
def _tell_interrupts_in_a_line() -> None:
    """Ctrl-C while pytest begins or ends reaches Python itself, which shows a traceback.

    pytest keeps its own hook for unraisable exceptions on top of this one, and takes it away before Python ends.
    """
    show, show_unraisable = sys.excepthook, sys.unraisablehook

    def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.stderr.write(_INTERRUPTED)
        else:
            show(kind, error, trace)

    def unraisablehook(args: sys.UnraisableHookArgs) -> None:
        if issubclass(args.exc_type, KeyboardInterrupt):
            sys.stderr.write(_INTERRUPTED)
        else:
            show_unraisable(args)

    sys.excepthook, sys.unraisablehook = excepthook, unraisablehook


def settings_of(config: pytest.Config) -> Settings:
    """What the run was asked to do; parsed once, at first need."""
    if _SETTINGS not in config.stash:
        from pytest_llmarith.settings import parse_settings

        config.stash[_SETTINGS] = parse_settings(config)
    return config.stash[_SETTINGS]


def expect_programs(config: pytest.Config) -> None:
    """Items of this run want programs to be run."""
    if not config.pluginmanager.hasplugin(_GUARD):
        from pytest_llmarith.session.programs import Guard

        config.pluginmanager.register(Guard(), _GUARD)


class Dormant:
    """Wakes up when a record arrives that no option asked for: somebody's own `model` fixture has replied."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._hint: str | None = None
        self.mistake: pytest.UsageError | None = None

    def begin_with_dotenv(self, session: pytest.Session) -> None:
        """Put the run together during collection; new plugins have missed the start of the session."""
        plugins, settings = self._config.pluginmanager, settings_of(self._config)
        if not settings.models:
            return
        from pytest_llmarith.session.assembly import assemble

        before = plugins.get_plugins()
        assemble(self._config, settings)
        plugins.unregister(self)
        if json_report := plugins.getplugin("pytest_jsonreport"):
            json_report.pytest_configure(self._config)
        plugins.subset_hook_caller("pytest_sessionstart", before)(session=session)

    def pytest_collection_modifyitems(self) -> None:
        """End the run here if `.env` holds a mistake: pytest takes no wrong usage from a test's collection."""
        if self.mistake is not None:
            raise self.mistake

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self._hint != NO_MODEL:  # nothing is asked without one, whatever else an item lacks
            self._hint = why_skipped(report) or self._hint
        if carries_record(report):
            from pytest_llmarith.session.assembly import assemble_recorder

            self._config.pluginmanager.unregister(self)
            recorder = assemble_recorder(self._config, settings_of(self._config))
            recorder.take_in(report)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Benches that were skipped for want of an option must not look like a run that went well."""
        if self._hint is not None:
            terminalreporter.write_line(f"llmarith: {self._hint}", yellow=True)
