"""A run is put together: which objects it needs depends on what this process is."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pytest_llmarith.items.marks import id_of
from pytest_llmarith.items.sequences import sets_of
from pytest_llmarith.session.begin import ASKER
from pytest_llmarith.session.display import Display
from pytest_llmarith.session.keyless import refuse_keys
from pytest_llmarith.session.recorder import Recorder
from pytest_llmarith.session.sharding import SHARDING, Sharding
from pytest_llmarith.settings import Settings
from pytest_llmarith.values import EMBEDDED_PROVIDER, Model


def assemble(config: pytest.Config, settings: Settings) -> None:
    """Register what the run needs; wrong usage is refused here, before anything is collected."""
    _refuse_same_ids(settings.models)
    _refuse_model_as_judge(settings)
    _refuse_unknown_embedded("--llm-model", settings.models)
    _refuse_unknown_embedded("--oeis-judge", filter(None, [settings.oeis.judge]))
    if settings.oeis.sets:
        sets_of(settings)
    if settings.shard:
        config.pluginmanager.register(Sharding(config, settings.shard), SHARDING)
    if hasattr(config, "workerinput"):
        _assemble_worker(config, settings)
        return
    refuse_keys(config, settings)
    if settings.dry_run:
        from pytest_llmarith.session.dry import DryRun

        config.pluginmanager.register(DryRun(config, settings), "llmarith-dry-run")
    else:
        _assemble_controller(config, settings)


def assemble_recorder(config: pytest.Config, settings: Settings) -> Recorder:
    """Whoever writes a run down and shows it, whatever model replies."""
    recorder = Recorder(config, settings)
    config.pluginmanager.register(recorder, "llmarith-recorder")
    config.pluginmanager.register(Display(config, settings, recorder), "llmarith-display")
    return recorder


def _assemble_worker(config: pytest.Config, settings: Settings) -> None:
    if settings.models:
        from pytest_llmarith.session.worker import Worker

        worker = Worker(config, settings)
        config.stash[ASKER] = worker
        config.pluginmanager.register(worker, "llmarith-worker")


def _assemble_controller(config: pytest.Config, settings: Settings) -> None:
    """The controller of xdist, or the only process."""
    if settings.models:
        _refuse_each(config)
        _switch_on_json_report(config)
    recorder = assemble_recorder(config, settings)
    if settings.models:
        _assemble_asking(config, settings, recorder)


def _assemble_asking(config: pytest.Config, settings: Settings, recorder: Recorder) -> None:
    from pytest_llmarith.session.conductor import Conductor
    from pytest_llmarith.session.progress import ProgressLines
    from pytest_llmarith.session.workers import Workers

    conductor = Conductor(config, settings)
    config.stash[ASKER] = conductor
    workers = Workers(config, settings, conductor)
    recorder.listen(conductor, workers)
    config.pluginmanager.register(conductor, "llmarith-conductor")
    config.pluginmanager.register(workers, "llmarith-workers")
    if any("ssh=" in spec for spec in config.getoption("tx", None) or ()):
        from pytest_llmarith.session.hosts import SshHosts

        config.pluginmanager.register(SshHosts(config, conductor), "llmarith-ssh-hosts")
    config.pluginmanager.register(ProgressLines(config, conductor, recorder), "llmarith-progress")


def _refuse_same_ids(models: Iterable[Model]) -> None:
    """Two models whose items could not be told apart are wrong usage."""
    seen: dict[str, str] = {}
    for model in models:
        twin = seen.setdefault(id_of(model.name), model.name)
        if twin != model.name:
            raise pytest.UsageError(
                f"--llm-model: {twin!r} and {model.name!r} have the same id {id_of(model.name)!r}; "
                f"give one a name of its own: other-name={model.target}"
            )


def _refuse_model_as_judge(settings: Settings) -> None:
    """A judge goes by a name of its own; a model of that name would be asked in its place."""
    judge = settings.oeis.judge
    if judge is not None and judge.name in {model.name for model in settings.models}:
        raise pytest.UsageError(f"--llm-model: {judge.name!r} is the name of the judge; give the model another one")


def _refuse_unknown_embedded(option: str, models: Iterable[Model]) -> None:
    """The embedded models are known without asking."""
    for model in models:
        if model.simulated:
            from pytest_llmarith.models.fake import NAMES

            known = [f"{EMBEDDED_PROVIDER}/{name}" for name in NAMES]
            if model.target not in known:
                raise pytest.UsageError(f"{option}: there is no {model.target!r}; write {' or '.join(known)}")


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
        option.json_report_verbosity = 0  # or it would say that it saved nothing; we say where the report is
    option.json_report_omit = option.json_report_omit or ["collectors", "keywords", "streams", "log"]


def _names_file(config: pytest.Config) -> bool:
    """Whether the user named a file of their own, even without --json-report."""
    return config.option.json_report_file not in (None, ".report.json")
