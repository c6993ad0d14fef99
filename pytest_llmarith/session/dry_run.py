"""Runs that ask nothing: one shows its questions, another writes them into files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_llmarith.models.process import BrokerProcess
from pytest_llmarith.models.redact import hide_keys, with_headers_hidden
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.session.collection import MODEL_FIXTURE
from pytest_llmarith.session.console import Terminal, header
from pytest_llmarith.session.forecast import (
    Forecast,
    ModelForecast,
    planning,
    refuse,
    start_broker,
)
from pytest_llmarith.session.items import NO_MODEL, parameter_of, problem_of
from pytest_llmarith.session.planned import (
    PlannedQuestion,
    config_of,
    planned_questions,
    question_of,
    selected,
)
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks.prompts import render
from pytest_llmarith.types import messages_of, text_of, without_system
from pytest_llmarith.views.formatting import counted

_LONGEST_LINE = 500


class DryRun:
    """The plugin of a run without items: shows the questions and their estimated cost,
    or writes those that have no reply.
    """

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._terminal = Terminal(config, settings)
        self._out = settings.questions_out
        option = config.option
        if hasattr(option, "dist"):
            # As -n 0 does; pytest-xdist configures itself last.
            option.numprocesses = 0
            option.dist = "no"
            option.tx = []

    def pytest_report_header(self) -> list[str]:
        what = "dry run, nothing is asked"
        if self._out is not None:
            what = "questions are written, nothing is asked"
        return [*header(self._settings), f"llmarith: {what}"]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        failed = session.testsfailed
        if failed and not self._config.option.continue_on_collection_errors:
            raise session.Interrupted(f"{failed} errors during collection")
        items = selected(session.items)
        asked = list(planned_questions(items, self._settings))
        refuse(self._config, self._settings, asked)
        if asked:
            self._forecast(asked)
        others = len(items) - len(asked)
        if others:
            self._say(
                f"forecast: {others:,} questions to your model fixture, of unknown cost"
            )
        if not items:
            why = "" if self._settings.models else f"; {NO_MODEL}"
            self._say(f"no question was selected{why}")
        if self._out is None:
            self._show_requests()
            self._show_prompts(items)
        return True

    def _forecast(self, asked: list[PlannedQuestion]) -> None:
        broker = start_broker(self._config, self._settings, read_only=True)
        try:
            plan = planning(broker, self._terminal.say, self._settings.models)
            forecast = Forecast(self._settings, asked, plan)
            if forecast.error is not None:
                raise pytest.UsageError(forecast.error)
            for line in forecast.lines():
                self._say(line)
            forecast.refuse()
            if self._out is not None:
                self._write(broker, self._out, forecast.forecasts)
        finally:
            broker.close()

    def _write(
        self, broker: BrokerProcess, path: Path, forecasts: Sequence[ModelForecast]
    ) -> None:
        """Write a file of questions for each model, named by it if there are several.

        Raises pytest.UsageError.
        """
        asked = {one.model.name: one.asked for one in forecasts if one.asked}
        paths = {}
        for name in asked:
            paths[name] = path
            if len(self._settings.models) > 1:
                part = re.sub(r"[^\w.=-]+", "-", name)
                paths[name] = path.with_name(f"{path.stem}-{part}{path.suffix}")
        if len(set(paths.values())) < len(paths):
            raise pytest.UsageError(
                "--llm-questions-out: the files of two models would have one name; name "
                "a model otherwise with --llm-model=NAME=MODEL"
            )
        for one in paths.values():
            if one.exists():
                raise pytest.UsageError(
                    f"--llm-questions-out: {one} exists, and its replies may be on the "
                    f"way; import them and remove it, or choose another name"
                )
        why = broker.write(paths)
        if why is not None:
            raise pytest.UsageError(f"--llm-questions-out: {why}")
        for name, count in asked.items():
            file = sanitize(str(paths[name]), _LONGEST_LINE)
            self._say(f"{counted(count, 'question')} to {name} in {file}")
        if not asked:
            self._say("no question lacks a reply; nothing is written")

    def _show_requests(self) -> None:
        """Print what is sent to each model, without the messages and without keys."""
        for model in (*self._settings.models, *self._settings.graders):
            sent = {"model": model.served_as, **with_headers_hidden(model.params)}
            request = hide_keys(json.dumps(sent, ensure_ascii=False), os.environ)
            address = f" to {model.api_base}" if model.api_base else ""
            if model.servers is not None:
                address = f" to {', '.join(model.servers.addresses)}"
            self._say(f"request{address}: {sanitize(request, _LONGEST_LINE)}")

    def _show_prompts(self, items: list[pytest.Item]) -> None:
        """Print the first question of each task."""
        first: dict[str, pytest.Item] = {}
        for item in items:
            first.setdefault(problem_of(item).task, item)
        for task, item in first.items():
            nodeid = sanitize(item.nodeid, _LONGEST_LINE)
            self._terminal.line("")
            self._terminal.line(f"{task}, as {nodeid} asks:")
            for line in self._prompt_text(item).split("\n"):
                self._terminal.line(f"    {sanitize(line, _LONGEST_LINE)}".rstrip())

    def _prompt_text(self, item: pytest.Item) -> str:
        """The system prompt and the messages of an item's question."""
        settings = self._settings
        condition = config_of(item).condition
        templates = settings.prompt_configs.templates
        prompt = render(problem_of(item), condition, templates, settings.seed)
        messages = messages_of(prompt)
        model = parameter_of(item, MODEL_FIXTURE)
        if model is None:  # the user's model fixture gets only prompts
            return text_of(messages)
        question = question_of(item, model, prompt, settings)
        if model.is_completion:
            return text_of(model.for_question(question).said(prompt))
        system = question.system_prompt
        if system is None:
            system = model.system_prompt
        if not system:
            return text_of(messages)
        return "\n".join(filter(None, (system, text_of(without_system(messages)))))

    def _say(self, line: str) -> None:
        self._terminal.line(f"llmarith: {line}")
