"""Tasks from generators of reasoning-gym: most runs have a small stand-in of it."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from pytest_llmarith import Task
from pytest_llmarith.bridges import reasoning_gym
from tests.llm_server import Call
from tests.session.bench import WAYS, Bench

STUB = Path(__file__).with_name("stub_gym.py")
HEAD = """
import pytest
from pytest_llmarith import bridges

task = bridges.reasoning_gym({arguments})

@pytest.mark.llmarith_task(task, trials={trials})
def test_it(problem, ask):
    ask(problem)
"""
SUMS = '"sums", {"num_digits": [2, 4]}'

# Arguments, and what the line of the error says.
REFUSED = {
    "unknown": ('"sumz"', "no generator 'sumz'"),
    "field": ('"sums", {"digits": [1]}', "there are: max_digits, min_digits, mode"),
    "twice": ('"sums", {"num_digits": [2, 2]}', "label 'depth_2-trial_0'"),
    "seed": ('"sums", seed=3', "has no 'seed'"),
    "unpicklable": ('"sums", mode=lambda: 1', "no other process can read"),
    "config": ('"sums", min_digits=0', "min_digits must be positive"),
    "argument": (
        '"sums", digits=0',
        "has no 'digits'; there are: max_digits, min_digits, mode",
    ),
    "limit": ('"sums", limit_s="1"', "raises TypeError"),
    "raises": ('"raises"', r"raises ValueError: no board\nwas found"),
    "exits": ('"exits"', "raises SystemExit: 3"),
    "dies": ('"dies"', "ends its process"),
    "hangs": ('"hangs", limit_s=1', "longer than limit_s"),
    "recursive": ('"recursive"', "RecursionError"),
    "no_dict": ('"no_dict"', "raises TypeError"),
    "no_question": ('"no_question"', "raises KeyError: 'question'"),
    "blank": ('"blank"', "makes an empty question"),
    "bytes": ('"bytes"', "b'2'"),
    "nan": ('"nan"', "scores its own answer nan"),
    "above": ('"above"', "scores its own answer 2"),
    "text": ('"text"', "scores its own answer 'right'"),
    "scoreless": ('"scoreless"', "raises KeyError"),
    "by_hash": ('"by_hash"', "PYTHONHASHSEED"),
    "unseeded": ('"unseeded"', "at a second call"),
    "by_state": ('"by_state"', "at a second call"),
    "few": ('"few"', "only 3 different questions"),
}


@pytest.fixture
def gym(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A folder whose reasoning_gym is the stand-in."""
    folder = bench.pytester.mkpydir("reasoning_gym")
    (folder / "factory.py").write_text(STUB.read_text("utf-8"), "utf-8")
    (bench.pytester.path / "test_bench.py").unlink()
    monkeypatch.setenv("PYTHONPATH", str(bench.pytester.path))
    return bench


def write(bench: Bench, arguments: str, trials: int = 3, name: str = "test_it") -> None:
    text = HEAD.format(arguments=arguments, trials=trials)
    bench.pytester.makepyfile(**{name: text})


def reply(call: Call) -> str:
    """Right, but for numbers of four digits, whose first digit is wrong."""
    lhs, rhs = map(int, re.findall(r"\d+", call.prompt)[:2])
    right = lhs + rhs
    if right > 1000:
        return f"It is <answer>{right + 1000:,}</answer>."
    return f"<answer>{right:,}</answer>"


def test_all_that_cannot_be_used_is_refused_in_a_line(gym: Bench) -> None:
    for name, (arguments, _) in REFUSED.items():
        write(gym, f'{arguments}, name="{name}"', 4, f"test_{name}")
    result = gym.run("-p", "no:xdist", "--continue-on-collection-errors")
    assert result.ret == 1
    assert not gym.server.requests
    sections = re.split(r"_+ ERROR collecting test_(\w+)\.py _+\n", result.stdout.str())
    said = dict(zip(sections[1::2], sections[2::2], strict=True))
    assert said.keys() == REFUSED.keys()
    for name, (_, expected) in REFUSED.items():
        (line, *_) = said[name].split("\n===")
        line = line.strip()
        assert "\n" not in line, name
        assert expected in line, name
        assert re.search(r"^(generator '\w+' of reasoning-gym|task \w+)[:, ]", line)


@pytest.mark.parametrize("size", ["'abc'", "2.5", "0", "True"])
def test_a_size_that_is_none_is_wrong_usage(gym: Bench, size: str) -> None:
    write(gym, f'"sums", size={size}')
    result = gym.run("-p", "no:xdist")
    assert result.ret == 4
    result.stdout.fnmatch_lines(["reasoning_gym sums: size is *; write a number of *"])
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.parametrize("depths", ["[1.5]", "[]", "[-1]", "[True]", "4", "'24'"])
def test_depths_that_are_none_are_wrong_usage(gym: Bench, depths: str) -> None:
    write(gym, f'"sums", {{"num_digits": {depths}}}')
    result = gym.run("-p", "no:xdist")
    assert result.ret == 4
    shown = result.stdout
    shown.fnmatch_lines(["reasoning_gym sums: difficulty is *; write the values as *"])
    shown.no_fnmatch_line("*Traceback*")


@pytest.mark.parametrize("way", [WAYS["plain"], WAYS["-n 2"]], ids=["plain", "-n 2"])
def test_arguments_from_the_command_line(gym: Bench, way: tuple[str, ...]) -> None:
    """A field of the configuration, the difficulty, and the number of questions."""
    write(gym, SUMS, 2)
    gym.script = reply
    given = ('sums.difficulty={"num_digits":[1]}', "sums.size=3", "sums.mode=hard")
    result = gym.run(*way, *(f"--llm-task-param={one}" for one in given))
    assert result.ret == 0, [*result.outlines, *result.errlines]
    asked = [(one["task"], one["problem"]["depth"]) for one in gym.records()]
    (name,) = {task for task, _ in asked}
    assert asked == [(name, 1)] * 3
    assert name.startswith("sums_")
    assert gym.summary_file()["run"]["tasks"]["sums"]["size"] == 3
    wrong = gym.run(*way, '--llm-task-param=sums.difficulty={"num_digits":[1.5]}')
    assert wrong.ret == 4


def test_a_thousand_questions_are_made_twice(
    gym: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of more, the others are made once: a generator that makes those alone otherwise
    in another process is not noticed.
    """
    log = gym.pytester.path / "made"
    monkeypatch.setenv("MADE_LOG", str(log))
    collect = ("-p", "no:xdist", "--collect-only", "-q")
    for name in ("counted", "late"):
        write(gym, f'"{name}", size=1500', name=f"test_{name}")
        result = gym.run(*collect, f"test_{name}.py")
        assert result.ret == 0
        assert "1500 tests collected" in result.stdout.str()
    few = 20  # to check the score, and a second call
    assert len(log.read_text().split()) <= 1500 + 1000 + few


def test_few_examples_are_made_of_many_questions(
    gym: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At another seed, whatever the size."""
    log = gym.pytester.path / "made"
    monkeypatch.setenv("MADE_LOG", str(log))
    write(gym, '"counted", size=400')
    test = gym.pytester.path / "test_it.py"
    text = test.read_text().replace(
        "\n@pytest", "task = replace(task, shots=3)\n@pytest"
    )
    test.write_text("from dataclasses import replace\n" + text)
    assert gym.run("-p", "no:xdist", "--collect-only", "-q").ret == 0
    made = Counter(log.read_text().split())
    assert len(made) == 2
    assert min(made.values()) < 100


OWN = """
from dataclasses import dataclass
from reasoning_gym import factory

@dataclass
class Config:
    seed: int = 0

    def validate(self):
        pass

@dataclass
class Doubles:
    config: Config

    def __getitem__(self, index):
        return {"question": f"{index} + {index} =", "answer": str(2 * index)}

    def score_answer(self, answer, entry):
        return float(answer == entry["answer"])

factory.DATASETS["doubles"] = Doubles, Config
"""


@pytest.mark.parametrize("way", [WAYS["plain"], WAYS["-n 2"]], ids=["plain", "-n 2"])
def test_a_generator_that_the_user_has_registered(
    gym: Bench, way: tuple[str, ...]
) -> None:
    """In a module that the test imports."""
    gym.pytester.makepyfile(own_generators=OWN)
    write(gym, '"doubles"')
    test = gym.pytester.path / "test_it.py"
    test.write_text("import own_generators\n" + test.read_text())
    gym.script = reply
    result = gym.run(*way)
    assert result.ret == 0, [*result.outlines, *result.errlines]
    outcomes = Counter((one["task"], one["outcome"]) for one in gym.records())
    assert outcomes == {("doubles", "correct"): 3}


def test_a_generator_that_only_this_process_knows(gym: Bench) -> None:
    """Registered by a module without a name that others can import."""
    write(gym, '"doubles"')
    test = gym.pytester.path / "test_it.py"
    test.write_text(
        OWN.replace(
            "factory.DATASETS", "Doubles.__module__ = 'nowhere'\nfactory.DATASETS"
        )
        + test.read_text()
    )
    result = gym.run("-p", "no:xdist")
    assert result.ret == 4
    result.stdout.fnmatch_lines(
        ["generator 'doubles' of * is registered by nowhere, *"]
    )


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_depths_and_scores(gym: Bench, way: tuple[str, ...]) -> None:
    """The depth is the difficulty, the score the generator's, and 1 alone is right."""
    write(gym, SUMS, 5)
    gym.script = reply
    result = gym.run(*way, "-v")
    assert result.ret == 0
    records = gym.records()
    assert Counter(
        (one["problem"]["depth"], one["outcome"], one["grade"]["score"])
        for one in records
    ) == {(2, "correct", 1.0): 5, (4, "deviate", 0.5): 5}
    for one in records:
        assert "," not in one["answer"]
        assert [*one["problem"]["inputs"]] == ["question"]
    (score,) = gym.summary()["results"][0]["scores"]
    assert score["mean"]["percent"] == 75
    asked = len(gym.server.requests)
    assert gym.run(*way).ret == 0
    assert len(gym.server.requests) == asked


def test_more_than_one_right_answer(gym: Bench) -> None:
    """Texts are graded by the generator; an answer for which it raises has no
    grade.
    """
    write(gym, '"words"', name="test_words")
    write(gym, '"parsed"', name="test_parsed")
    gym.script = lambda call: "abc" if "Name" in call.prompt else "I do not know."
    assert gym.run("-p", "no:xdist").ret == 1
    outcomes = Counter((one["task"], one["outcome"]) for one in gym.records())
    assert outcomes == {("words", "correct"): 3, ("parsed", "unanswered"): 3}
    for one in gym.records():
        if one["task"] == "parsed":
            assert "generator raises ValueError: invalid literal" in one["reason"]


def test_what_generators_do_to_the_process(gym: Bench) -> None:
    """They print, and change the random state, of nobody else."""
    write(gym, '"loud"')
    gym.pytester.makeconftest(
        """
        import random, pytest

        before = random.getstate()

        @pytest.hookimpl
        def pytest_sessionfinish():
            assert before == random.getstate()
        """
    )
    gym.script = reply
    result = gym.run("-p", "no:xdist", "-p", "no:randomly")
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*a question*")


def test_size_searches_and_regrade(gym: Bench) -> None:
    write(gym, f"{SUMS}, size=2", 20)
    gym.script = reply
    assert gym.run("-p", "no:xdist").ret == 0
    assert len(gym.records()) == 4
    first = {one["problem"]["label"]: one["prompt"] for one in gym.records()}
    write(gym, SUMS, 20)
    assert gym.run("-p", "no:xdist", "--llm-adaptive=2,40", "--llm-depths=2-4").ret == 0
    write(gym, SUMS, 20)
    assert gym.run("-p", "no:xdist").ret == 0
    again = {one["problem"]["label"]: one["prompt"] for one in gym.records()}
    assert first.items() <= again.items()
    regraded = gym.pytester.run(
        gym.programs / "llmarith", "regrade", gym.runs[-1], "--task=test_it.py:task"
    )
    assert regraded.ret == 0


def test_it_is_not_imported_and_may_be_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "reasoning_gym", None)
    assert isinstance(reasoning_gym("sums"), Task)
    for wrong in ("hard", {"a": [1], "b": [2]}, {}):
        with pytest.raises(ValueError, match=r"reasoning_gym sums: difficulty is .*"):
            reasoning_gym("sums", wrong)  # type: ignore[arg-type]


@pytest.mark.proof
def test_generators_of_reasoning_gym(bench: Bench) -> None:
    """Their own answers are right; those that no run could repeat say so."""
    pytest.importorskip("reasoning_gym")
    (bench.pytester.path / "test_bench.py").unlink()
    refused = {
        "composite": "Must specify at least one dataset",
        "isomorphic_strings": "PYTHONHASHSEED",
        "word_ladder": "PYTHONHASHSEED",
    }
    for name in refused:
        write(bench, f'"{name}"', name=f"test_{name}")
    chain = '"chain_sum", {"num_digits": [2, 8]}'
    for arguments in (chain, '"game_of_life"', '"zebra_puzzles"', '"basic_arithmetic"'):
        write(bench, arguments, 2, f"test_{len(arguments)}")
    way = ("-p", "no:xdist", "--continue-on-collection-errors")
    result = bench.run(*way, "--llm-model=llmarith/oracle", model=None)
    shown = result.stdout.str()
    for name, why in refused.items():
        assert re.search(f"generator '{name}' of reasoning-gym .*{why}", shown)
    assert Counter(one["outcome"] for one in bench.records()) == {"correct": 10}
