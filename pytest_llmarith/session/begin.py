"""A run is put together: which objects it needs depends on what this process is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_llmarith.items.parametrize import refuse_same_ids
from pytest_llmarith.options import Settings, parse_settings
from pytest_llmarith.session.ask import AskedModel, Asker
from pytest_llmarith.session.timer import TimerWatch
from pytest_llmarith.values import Model

if TYPE_CHECKING:
    from pytest_llmarith.session.display import Display
    from pytest_llmarith.session.recorder import Recorder

SETTINGS = pytest.StashKey[Settings]()
ASKER = pytest.StashKey[Asker]()


def begin(config: pytest.Config) -> None:
    """Parse the options and register what the run needs."""
    settings = config.stash[SETTINGS] = parse_settings(config)
    refuse_same_ids(settings.models)
    if config.pluginmanager.hasplugin("timeout"):
        config.pluginmanager.register(TimerWatch(), "llmarith-timer")
    if hasattr(config, "workerinput"):
        _begin_worker(config, settings)
    else:
        _begin_controller(config, settings)


def settings_of(config: pytest.Config) -> Settings:
    """What the run was asked to do."""
    return config.stash[SETTINGS]


def asked_model(item: pytest.Item, model: Model) -> AskedModel:
    """The `model` fixture of one item."""
    problem = item.callspec.params.get("problem")  # type: ignore[attr-defined]  # it has a model: it was parametrized
    return AskedModel(model, problem.trial if problem else 0, item.config.stash[ASKER])


def _begin_worker(config: pytest.Config, settings: Settings) -> None:
    if settings.models:
        from pytest_llmarith.session.worker import Worker

        worker = config.stash[ASKER] = Worker(config, settings)
        config.pluginmanager.register(worker, "llmarith-worker")


def _begin_controller(config: pytest.Config, settings: Settings) -> None:
    """The controller of xdist, or the only process. Nothing slow is imported before the first record."""
    from pytest_llmarith.session.display import Display
    from pytest_llmarith.session.recorder import Recorder

    recorder = Recorder(config, settings)
    display = Display(config, settings, recorder)
    if settings.models:
        _refuse_each(config)
        _switch_on_json_report(config)
        _register_asking(config, settings, recorder, display)
    config.pluginmanager.register(display, "llmarith-display")
    config.pluginmanager.register(recorder, "llmarith-recorder")


def _register_asking(config: pytest.Config, settings: Settings, recorder: Recorder, display: Display) -> None:
    from pytest_llmarith.session.conductor import Conductor
    from pytest_llmarith.session.workers import Workers

    conductor = config.stash[ASKER] = Conductor(config, settings)
    workers = Workers(config, settings, conductor)
    recorder.listen(conductor, workers)
    display.listen(conductor)
    config.pluginmanager.register(conductor, "llmarith-conductor")
    config.pluginmanager.register(workers, "llmarith-workers")


def _refuse_each(config: pytest.Config) -> None:
    if config.getoption("dist", "no") == "each":
        raise pytest.UsageError(
            "--dist each runs every item on every worker and would pay for each question several times; "
            "use --dist load, worksteal or loadscope"
        )


def _switch_on_json_report(config: pytest.Config) -> None:
    """report.json is pytest-json-report's; a user's own settings of it are left alone."""
    option = config.option
    if not hasattr(option, "json_report") or option.json_report:
        return
    option.json_report = True
    if not _names_file(config):
        option.json_report_file = None
        option.json_report_verbosity = 99  # it would say that it saved nothing; we say where the report is
    option.json_report_omit = option.json_report_omit or ["collectors", "keywords", "streams", "log"]


def _names_file(config: pytest.Config) -> bool:
    """Whether the user named a file of their own, even without --json-report."""
    return config.option.json_report_file not in (None, ".report.json")
