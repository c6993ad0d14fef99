"""The mark of a task of the user's own: items, and one line for every mistake."""

from __future__ import annotations

import pytest

from pytest_llmarith import Problem, Task

TASK = """
    import pytest
    from pytest_llmarith import Problem, Task

    def make(name):
        def problems(seed, trials):
            return [Problem(f"word_{trial}", {"word": f"{seed}/{trial}"}, "") for trial in range(trials)]

        return Task(name, problems, lambda problem: problem["word"], lambda text, problem: text)

    reversal, mirror = make("reversal"), make("mirror")
"""
MARKED = """
    @pytest.mark.llmarith_task(reversal, trials=2)
    def test_reversal(problem, ask):
        ask(problem)
"""


def collected(pytester: pytest.Pytester, *args: str) -> list[str]:
    """The ids of the items that a command line selects."""
    result = pytester.runpytest("--collect-only", "-q", "-p", "no:cacheprovider", "--llm-model=m", *args)
    return [line.split("::", 1)[1] for line in result.outlines if line.startswith("test_")]


def test_ids_and_marks(pytester: pytest.Pytester) -> None:
    """A problem is an item by its label, which -k and -m select; the option for trials beats the mark."""
    pytester.makepyfile(TASK + MARKED)
    both = [f"test_reversal[m-word_{n}]" for n in (0, 1)]
    assert collected(pytester) == both
    assert collected(pytester, "-k", "word_1") == both[1:]
    assert collected(pytester, "-m", "cell(task='reversal', label='word_0')") == both[:1]
    assert collected(pytester, "-m", "llmarith_task", "--llm-trials=1") == both[:1]
    assert collected(pytester, "--llm-repeats=2", "--llm-context=1k", "-k", "word_0") == [
        "test_reversal[m-word_0-context_1k]",
        "test_reversal[m-word_0-context_1k-repeat_1]",
    ]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            MARKED.replace("reversal, trials=2", ""),
            "llmarith_task needs a task; write llmarith_task(reversal, trials=10),*",
        ),
        (MARKED.replace("reversal, trials=2", "3"), "llmarith_task: task=3 is not understood; write llmarith_task(*"),
        (MARKED.replace("=2", "=0"), "llmarith_task: trials=0 is not understood; write llmarith_task(*"),
        (MARKED.replace("trials", "depths"), "llmarith_task takes only the keywords task, trials, not [[]'depths']"),
        (MARKED.replace("trials=", "mirror, "), "llmarith_task takes only the keywords task, trials, not (*"),
        (
            MARKED + MARKED.replace("test_reversal", "test_again").replace("reversal,", "make('reversal'),"),
            "test_again: *::test_reversal has another task with the name 'reversal'; give one of them its own",
        ),
        (
            MARKED.replace("reversal, ", "Task('bare', lambda seed, trials: [], print, print), "),
            "task bare: problems gave none; yield a Problem for every question",
        ),
    ],
)
def test_mistakes_are_told_in_one_line(pytester: pytest.Pytester, more: str, message: str) -> None:
    """When items are collected, before anything is asked, and without a traceback."""
    pytester.makepyfile(TASK + more)
    result = pytester.runpytest("-p", "no:cacheprovider", "--llm-model=m")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([f"*{message}"])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line(">*")


@pytest.mark.parametrize(("first", "second"), [("a", "a-repeat_1"), ("a-context_1k", "a")])
def test_a_label_that_is_another_ones_manner(pytester: pytest.Pytester, first: str, second: str) -> None:
    """Two items with one id could not be told apart: that is refused, and only where the manners are asked for."""
    labels = TASK.replace('f"word_{trial}"', f"[{first!r}, {second!r}][trial]")
    pytester.makepyfile(labels + MARKED)
    assert len(collected(pytester)) == 2
    asked = ("--llm-repeats=2", "--llm-context=none,1k")
    result = pytester.runpytest("--collect-only", "-p", "no:cacheprovider", "--llm-model=m", *asked)
    longer = max(first, second)
    result.stdout.fnmatch_lines(
        [
            f"*task reversal: '{longer}' would be the id of problem {first} and of problem {second}, "
            "in different conditions or repeats; give one of them another label"
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


TWO_FIELDS = TASK.replace('f"{seed}/{trial}"', '"abc", "n": trial').replace('problem["word"],', "WORDS,")


@pytest.mark.parametrize(
    ("prompt", "template", "is_refused"),
    [
        ("f\"{problem['word']} {problem['n']}\"", "Say {word}", True),
        ("f\"{problem['word']} {problem['n']}\"", "Say {word}, {n} times", False),
        ("problem['word']", "Say {word}", False),
    ],
)
def test_a_template_tells_problems_apart(
    pytester: pytest.Pytester, prompt: str, template: str, is_refused: bool
) -> None:
    """Problems that come to the same words would be one request; where their task puts them so, they are numbered."""
    pytester.makepyfile(TWO_FIELDS.replace("WORDS", prompt) + MARKED)
    pytester.makefile(".txt", say=template)
    asked = ("--collect-only", "-p", "no:cacheprovider", "--llm-model=m", "--llm-prompt=say.txt")
    result = pytester.runpytest(*asked)
    result.stdout.no_fnmatch_line("*Traceback*")
    assert result.ret == (pytest.ExitCode.INTERRUPTED if is_refused else pytest.ExitCode.OK)
    if is_refused:
        result.stdout.fnmatch_lines(
            [
                "*--llm-prompt: template say: problems word_0 and word_1 of reversal get the same prompt, though "
                "they are different questions; name another field in it: there are {word}, {n}"
            ]
        )


def test_what_its_functions_raise_has_a_traceback(pytester: pytest.Pytester) -> None:
    """Whatever it is: a ValueError of the user's is no mistake that we know better about."""
    pytester.makepyfile(TASK.replace("return [Problem", "int('x'); return [Problem") + MARKED)
    result = pytester.runpytest("-p", "no:cacheprovider", "--llm-model=m")
    result.stdout.fnmatch_lines(["*in problems", "*int('x'); return*", "E*ValueError: invalid literal for int() *"])


def test_only_the_problem_of_the_item_is_asked(pytester: pytest.Pytester) -> None:
    """A problem that no task has posed has no prompt."""
    pytester.makepyfile(TASK + MARKED.replace("ask(problem)", "ask(Problem('a', {}, 1))"))
    pytester.makeconftest("import pytest\n@pytest.fixture\ndef model():\n    return type('M', (), {'reply': print})()")
    result = pytester.runpytest("-p", "no:cacheprovider", "-p", "no:xdist")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*ask: takes the fixture `problem`, which comes from its task, not a Problem"])


@pytest.mark.parametrize(("verdict", "told"), [(None, "None"), ("yes", "'yes'")])
def test_a_grade_is_true_or_false(verdict: object, told: str) -> None:
    """A grade that forgets its `return` does not make every answer wrong."""
    from pytest_llmarith.tasks.custom import problems
    from pytest_llmarith.trials import Subject, own_record
    from pytest_llmarith.values import Model, Reply

    task = Task(
        "reversal",
        lambda seed, trials: [Problem("a", {}, 1)],
        lambda problem: "?",
        lambda text, problem: text,
        lambda answer, problem: verdict,  # type: ignore[arg-type, return-value]
    )
    (problem,) = problems(task, 0, 1)
    with pytest.raises(TypeError, match=f"grade of task reversal gave {told}; it has to give True or False"):
        own_record(problem, Subject.of(problem, Model("m", "m"), "?", None), Reply("1"))
