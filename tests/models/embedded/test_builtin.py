"""The embedded models: what they reply to the benches, and to anything else."""

import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import product

import pytest
from hypothesis import given

from pytest_llmarith.models.embedded import builtin
from pytest_llmarith.models.embedded.builtin import NAMES, BuiltinReply
from pytest_llmarith.tasks import TASKS, addition, arithmetic
from pytest_llmarith.tasks.putting import put
from pytest_llmarith.trials import verdict_of
from pytest_llmarith.values import (
    USUAL,
    AdditionProblem,
    ArithmeticProblem,
    Condition,
    Dtype,
    NanReason,
    NumberFormat,
    NumberProblem,
    Op,
    Outcome,
    Reading,
    Reply,
    Symbols,
    Wordings,
)
from tests.tasks.problem_strategies import addition_problems, arithmetic_problems


def ask(target: str, prompt: str, *before: dict[str, str], temperature: float = 1.0) -> BuiltinReply:
    return builtin.reply(target, [*before, {"role": "user", "content": prompt}], temperature=temperature)


def settled(
    problem: NumberProblem, temperature: float = 1.0, condition: Condition = USUAL, target: str = "sloppy"
) -> tuple[Outcome, NanReason | None]:
    """What a reply comes to, of the sloppy model where nobody asks for another one."""
    task = TASKS[problem.task]
    wordings = Wordings({"asked": "What is {lhs} {sign} {rhs}?\nReply with the number alone."})
    said = ask(target, put(problem, condition, wordings, 0), temperature=temperature)
    verdict = verdict_of(problem, Reply(said.text, finish_reason=said.finish_reason), task.READING or Reading.TOLERANT)
    return verdict.outcome, verdict.reason


@cache
def default_benches() -> dict[NumberProblem, tuple[Outcome, NanReason | None]]:
    """The sloppy model on everything that the benches ask by default."""
    problems: list[NumberProblem] = [*arithmetic.problems(0, range(2, 11), 10), *addition.problems(0, 100)]
    return {problem: settled(problem) for problem in problems}


def percent_correct(dtype: Dtype, op: Op, depth: int) -> float:
    """Over so many trials that chance hardly shows."""
    trials = 300
    outcomes = (settled(arithmetic.problem(1, dtype, op, depth, trial))[0] for trial in range(trials))
    return 100 * sum(outcome is Outcome.CORRECT for outcome in outcomes) / trials


def test_names() -> None:
    """There are two embedded models, exact and sloppy."""
    assert NAMES == ("exact", "sloppy")


@pytest.mark.parametrize("target", ["llmarith/exact", "", "gpt-4o"])
def test_unknown_name(target: str) -> None:
    """A name that nobody has is an error that names it."""
    with pytest.raises(KeyError, match=repr(target)):
        ask(target, "1 + 1")


@pytest.mark.parametrize("symbols", Symbols)
@given(problem=arithmetic_problems())
def test_exact_is_right(symbols: Symbols, problem: ArithmeticProblem) -> None:
    """The exact model gives what is expected, to the letter."""
    said = ask("exact", arithmetic.prompt(problem, Condition(symbols=symbols)))
    assert (said.text, said.reasoning, said.finish_reason) == (problem.expected, None, "stop")


@given(addition_problems())
def test_exact_adds(problem: AdditionProblem) -> None:
    """The exact model answers an addition with the bare sum."""
    assert ask("exact", addition.prompt(problem)).text == problem.expected


@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("prompt", ["What is the capital of France?", "", "12 / 0", "Write a program."])
def test_not_understood(target: str, prompt: str) -> None:
    """A prompt without a calculation gets a few honest words without a number."""
    said = ask(target, prompt)
    assert said.text
    assert not any(character.isdigit() for character in said.text)
    assert said.finish_reason == "stop"


@pytest.mark.parametrize("target", NAMES)
def test_no_user_message(target: str) -> None:
    """Without a message of the user's the embedded models have nothing to answer."""
    assert "cannot find" in builtin.reply(target, [{"role": "system", "content": "12 + 5"}]).text


def test_last_question_counts() -> None:
    """Of several questions the last one is answered, and a system prompt is none."""
    system = {"role": "system", "content": "Be brief."}
    earlier = {"role": "user", "content": "1 + 1"}
    assert ask("exact", "12 + 5", system, earlier, {"role": "assistant", "content": "2"}).text == "17"


@pytest.mark.parametrize("task", ["arithmetic", "integer_addition"])
def test_exact_is_right_in_every_condition(task: str) -> None:
    """Numbers, signs, small talk and templates: every combination, and every variant, comes to a correct answer."""
    arithmetical = task == "arithmetic"
    cells, sums = arithmetic.problems(0, [1, 5, 10], 1), addition.problems(0, 10)
    problems: list[NumberProblem] = [*(cells if arithmetical else sums)]
    templates = (None, "asked") if arithmetical else (None,)
    ways = product(list(NumberFormat), list(Symbols), (None, "1k"), templates)
    for problem, way in product(problems, [Condition(*way) for way in ways]):
        assert settled(problem, condition=way, target="exact") == (Outcome.CORRECT, None), (problem, way)


def test_conditions_cost_sloppy_a_little() -> None:
    """Digits in groups and a long context are harder, on the same problems; the usual prompt is not."""
    problems = [arithmetic.problem(0, Dtype.INT, Op.MUL, 5, trial) for trial in range(400)]

    def share(condition: Condition) -> float:
        outcomes = [settled(problem, condition=condition)[0] for problem in problems]
        return sum(outcome is Outcome.CORRECT for outcome in outcomes) / len(problems)

    usual = share(USUAL)
    for harder in (Condition(NumberFormat.COMMA), Condition(context="4k")):
        assert usual - 0.3 < share(harder) < usual - 0.02


def test_another_seed_is_another_chance() -> None:
    """So a question that is asked again may get another reply; without a seed it is what it always was."""
    prompts = [arithmetic.prompt(problem) for problem in arithmetic.problems(0, [6], 5)]
    replies = [
        [builtin.reply("sloppy", [{"role": "user", "content": prompt}], seed=seed).text for prompt in prompts]
        for seed in (0, 1, 1)
    ]
    assert replies[0] == [ask("sloppy", prompt).text for prompt in prompts]
    assert replies[0] != replies[1] == replies[2]


def test_sloppy_repeats_itself() -> None:
    """The same messages get the same reply, in another process too."""
    prompt = "12345678 * 87654321"
    asked = f"[{{'role': 'user', 'content': {prompt!r}}}]"
    code = f"from pytest_llmarith.models.embedded import builtin; print(builtin.reply('sloppy', {asked}))"
    elsewhere = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert elsewhere.stdout.strip() == str(ask("sloppy", prompt))


def test_sloppy_listens_to_the_system_prompt() -> None:
    """Other messages around the same question may change the reply."""
    prompts = [arithmetic.prompt(problem) for problem in arithmetic.problems(0, [6], 5)]
    urged = {"role": "system", "content": "Take care."}
    assert [ask("sloppy", prompt) for prompt in prompts] != [ask("sloppy", prompt, urged) for prompt in prompts]


def test_a_cooler_sloppy_makes_fewer_slips() -> None:
    """None at 0, which leaves the replies without an answer; a hotter one errs wherever a cooler one does."""
    problems = [arithmetic.problem(0, Dtype.INT, Op.MUL, depth, trial) for depth in range(2, 7) for trial in range(20)]
    wrong = {
        heat: {problem for problem in problems if settled(problem, heat)[0] is Outcome.DEVIATE}
        for heat in (0.0, 0.5, 1.0, 2.0)
    }
    assert wrong[0.0] == set()
    assert wrong[0.5] < wrong[1.0] < wrong[2.0]


def test_exact_is_right_at_any_temperature() -> None:
    """It makes no slips that a temperature could make likelier."""
    assert ask("exact", "123456 * 654321", temperature=2.0).text == str(123456 * 654321)


def test_every_outcome_comes_up() -> None:
    """The default benches see every outcome and every reason for having no answer."""
    outcomes, reasons = (set(column) for column in zip(*default_benches().values(), strict=True))
    assert outcomes == {Outcome.CORRECT, Outcome.DEVIATE, Outcome.NAN}
    assert reasons == {None, *NanReason} - {NanReason.NO_PROGRAM, NanReason.SYNTAX_ERROR, NanReason.UNCOMPILABLE}


def test_answers_are_the_rule() -> None:
    """Few replies hold no answer, as with real models."""
    outcomes = Counter(outcome for outcome, _ in default_benches().values())
    assert 10 < outcomes[Outcome.NAN] < 50


def test_additions_are_mostly_bare() -> None:
    """Most integer additions are answered by the bare number, right or wrong, and most of them right."""
    outcomes = Counter(outcome for problem, (outcome, _) in default_benches().items() if problem.task == addition.NAME)
    assert outcomes[Outcome.CORRECT] > 60
    assert outcomes[Outcome.NAN] < 20


@pytest.mark.parametrize(
    ("dtype", "op", "depth", "lowest", "highest"),
    [
        (Dtype.INT, Op.ADD, 2, 93, 99),
        (Dtype.INT, Op.ADD, 10, 80, 92),
        (Dtype.INT, Op.MUL, 2, 88, 99),
        (Dtype.INT, Op.MUL, 6, 30, 60),
        (Dtype.INT, Op.MUL, 10, 1, 12),
        (Dtype.INT, Op.DIV, 10, 1, 12),
        (Dtype.FLOAT, Op.DIV, 2, 50, 80),
        (Dtype.FLOAT, Op.DIV, 8, 0, 10),
    ],
)
def test_accuracy(dtype: Dtype, op: Op, depth: int, lowest: float, highest: float) -> None:
    """Accuracy falls with depth: slowly for sums, steeply for products and quotients."""
    assert lowest <= percent_correct(dtype, op, depth) <= highest


def test_token_counts() -> None:
    """Three digits, a short word or a sign are a token."""
    said = ask("exact", "123456 + 1", {"role": "system", "content": "Be brief."})
    assert (said.prompt_tokens, said.completion_tokens, said.reasoning_tokens) == (7, 2, None)


def replies() -> list[BuiltinReply]:
    """A few hundred replies of the sloppy model."""
    return [ask("sloppy", arithmetic.prompt(problem)) for problem in arithmetic.problems(2, range(2, 11), 20)]


def test_empty_replies_are_billed() -> None:
    """An empty reply that ended by itself has spent its tokens on thoughts that nobody sees."""
    empty = [said for said in replies() if not said.text.strip() and said.finish_reason == "stop"]
    assert empty
    assert all(said.completion_tokens == said.reasoning_tokens != 0 for said in empty)


def test_cut_replies_reach_the_limit() -> None:
    """Whoever runs out of tokens has used them all, and some are cut within a thought."""
    cut = [said for said in replies() if said.finish_reason == "length"]
    assert {said.completion_tokens for said in cut} == {4096}
    assert {"<think>" in said.text for said in cut} == {True, False}
    assert not any("</think>" in said.text for said in cut)


def test_reasoning_is_told_now_and_then() -> None:
    """Some replies come with a reasoning trace, which is counted."""
    traced = [said for said in replies() if said.reasoning]
    assert traced
    assert all(said.reasoning_tokens and said.reasoning_tokens < said.completion_tokens for said in traced)


def test_finish_reasons() -> None:
    """Replies end by themselves, at the limit, or at a content filter."""
    assert {said.finish_reason for said in replies()} == {"stop", "length", "content_filter"}
