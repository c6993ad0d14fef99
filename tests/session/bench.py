"""A folder with both benches, and real runs of pytest in it against a real server."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.golden.frozen import summary_of
from tests.llm_server import Answer, Call, LlmServer

BENCH = """
    import pytest

    @pytest.mark.arithmetic(depths=[2, 3], trials=1)
    def test_arithmetic(problem, ask):
        ask(problem)

    @pytest.mark.integer_addition(trials=4)
    def test_integer_addition(problem, ask):
        ask(problem)
"""
ITEMS = 8 * 2 + 4
WAYS = {"plain": ("-p", "no:xdist"), "-n 0": ("-n", "0"), "-n 2": ("-n", "2")}
# litellm brings a package along that is a plugin as well.
_WARMTH = ("-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning")

_OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}

Scripted = Callable[[Call], Answer | str]


def right(call: Call) -> str:
    """The right answer to a prompt of either task."""
    if '"' in call.prompt:
        _, int1, _, int2, _ = call.prompt.split('"')
        return str(int(int1) + int(int2))
    lhs, sign, rhs = call.prompt.splitlines()[-1].split()
    return str(_OPERATORS[sign](Decimal(lhs), Decimal(rhs)))


def right_in_all_shapes() -> Callable[[Call], Answer]:
    """The right answers, each in another of the shapes in which servers send thoughts
    and turns; their numbers elsewhere are wrong.
    """
    nth = count()

    def answer(call: Call) -> Answer:
        number, wrong = right(call), "So it is 123456789."
        unused = {"reasoning": None, "reasoning_content": None}
        user = "<|im_end|>\n<|im_start|>user\nAnd 1 + 1?<|im_end|>\n"
        parts = [
            {"type": "thinking", "thinking": [{"type": "text", "text": wrong}]},
            {"type": "text", "text": number},
        ]
        shapes: list[tuple[Any, dict[str, Any]]] = [
            (f"<think>{wrong}</think>\n\n{number}", unused),
            (f"{wrong}\n</think>\n\n{number}", {"reasoning_content": ""}),
            (f"</think>\n\n{number}", {"reasoning_content": wrong}),
            (f"<seed:think>{wrong}</seed:think>{number}", {}),
            (f"analysis{wrong}assistantfinal{number}", {"reasoning": None}),
            (f"{number}{user}<|im_start|>assistant\n2", unused),
            (number, {"reasoning_content": None, "reasoning": wrong}),
            (parts, unused),
        ]
        content, message = shapes[next(nth) % len(shapes)]
        return Answer(message={**message, "content": content})

    return answer


@dataclass
class Bench:
    """A folder with both benches, and a server that answers as the test says (all
    right, unless told otherwise).

    `programs` is where a warm pytest lies (`tests.warm`). A `cold` bench is run as
    users do it, who import litellm.
    """

    pytester: pytest.Pytester
    server: LlmServer
    script: Scripted
    programs: Path
    cold: bool = False
    _runs: Iterator[int] = field(default_factory=count)

    def run(
        self, *args: str, model: str | None = "openai/gpt-4o-mini"
    ) -> pytest.RunResult:
        """One run in a process of its own, with every warning an error; without a
        model, the bench has its own.
        """
        if model is not None:
            args = (
                f"--llm-model={model}",
                f"--llm-api-base={self.server.base_url}",
                *args,
            )
        if self.cold:
            return self.pytester.runpytest_subprocess("-W", "error", *args)
        base = self.pytester.path / f"base-{next(self._runs)}"
        return self.pytester.run(
            self.programs / "pytest",
            f"--basetemp={base}",
            "-W",
            "error",
            *_WARMTH,
            *args,
        )

    @property
    def runs(self) -> list[Path]:
        return sorted(
            path for path in (self.pytester.path / "reports").iterdir() if path.is_dir()
        )

    def records(self, run: int = -1) -> list[dict[str, Any]]:
        lines = (
            (self.runs[run] / "trials.jsonl").read_text(encoding="utf-8").splitlines()
        )
        return [json.loads(line) for line in lines]

    def summary(self, run: int = -1) -> dict[str, Any]:
        return summary_of((self.runs[run] / "summary.json").read_bytes())

    def summary_file(self, run: int = -1) -> dict[str, Any]:
        return self._json("summary.json", run)

    def report(self, run: int = -1) -> dict[str, Any]:
        return self._json("report.json", run)

    def _json(self, name: str, run: int) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(
            (self.runs[run] / name).read_text(encoding="utf-8")
        )
        return content
