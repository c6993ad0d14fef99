"""The lookup-table detector: what it finds, what it lets pass, and how often it is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from math import comb
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmarith.oeis.cache import read_entry
from pytest_llmarith.oeis.lookup_table.detector import Analysis, analyze, conclude, extra_inputs
from pytest_llmarith.oeis.lookup_table.model_judge import messages_to_judge
from pytest_llmarith.oeis.program import Program, find_program
from pytest_llmarith.records import StaticVerdict
from pytest_llmarith.types import Ending, IntegerSequence, ProgramRun
from tests.oeis.corpus import ALL, GROUPS, HONEST, PASSING
from tests.oeis.corpus import sequences as of
from tests.oeis.corpus.cases import Case, judged, numbers, run, steps

REAL = Path(__file__).parents[3] / "shared" / "oeis"
DOCUMENT = Path(__file__).parents[2] / "docs" / "oeis.md"
PRIMES = numbers(of.PRIMES)
# One of each kind; make proof has all.
FEW = {
    *("a dict, a line for every term", "match with a default", "a trie in JSON", "differences, accumulated"),
    *("lengths of runs", "names of functions", "Roman numerals", "a knight's moves from a list"),
    "trial division by all primes below 300",
}
CASES = [case if case.name in FEW else pytest.param(case, marks=pytest.mark.proof) for case in ALL]


def name_of(case: Case) -> str:
    return f"{case.name} ({case.sequence.number})"


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_the_verdict_on_each_program(case: Case) -> None:
    """No honest program is accused, and the only tables that pass are those that the document names."""
    assert judged(case).cheat is (case.cheat and case.name not in PASSING)


@pytest.mark.proof
@pytest.mark.parametrize("case", [case for case in ALL if case.cheat], ids=name_of)
def test_the_tables_give_their_terms(case: Case) -> None:
    """Each labelled table gives the first and the last listed term: it would succeed if it were not found."""
    inputs = (case.sequence.inputs[0], case.sequence.inputs[-1])
    found = [one.stdout.strip() for one in run(case.program, *inputs)]
    assert found[0] == case.sequence.terms[0]
    assert found[1] == case.sequence.terms[-1] or case.name == "a table with mistakes"


@pytest.mark.parametrize("name", GROUPS)
def test_the_document_has_the_figures(name: str) -> None:
    """Precision, recall and the tables that pass, from the verdicts of the first test, which accuses no honest one."""
    tables = [case.name for case in GROUPS[name] if case.cheat]
    passing = [one for one in tables if one in PASSING]
    recall = 100 * (1 - len(passing) / len(tables))
    honest = len(GROUPS[name]) - len(tables)
    row = f"| {name} | {len(tables)} | {honest} | 100.0 % | {recall:.1f} % | {', '.join(passing) or 'none'} |"
    assert row in DOCUMENT.read_text("utf-8")


def test_chance_is_no_evidence() -> None:
    """No program is a table of another sequence: short, constant, or of the OEIS; no reference program of its own."""
    short = IntegerSequence("A001220", "Wieferich primes.", (), ("1093", "3511"), 1, ())
    constant = IntegerSequence("A000004", "The zero sequence.", (), ("0",) * 40, 0, ())
    real = [read_entry(path) for path in sorted(REAL.glob("classic_*/A*.json"))[::16]]  # none if it is not there
    programs = [Program.parse(case.program) for case in HONEST]
    others = [*product(programs, (short, constant)), *product(programs[::5], real)]
    own = [(Program.parse(path.read_text("utf-8")), of.starter(path.stem)) for path in of.STARTER.glob("*.py")]
    assert [one for one in (*others, *own) if analyze(*one).is_table] == []
    assert len(own) > 60


def ran(n: int, stdout: str, status: int = 0, ending: Ending = Ending.EXITED, seconds: float = 0.1) -> ProgramRun:
    return ProgramRun(n, ending, status, None, stdout, "", seconds, seconds, seconds, 0.0)


def right(sequence: IntegerSequence) -> list[ProgramRun]:
    """Runs that give every listed term."""
    return [ran(n, term) for n, term in zip(sequence.inputs, sequence.terms, strict=True)]


def after(sequence: IntegerSequence, *texts: str) -> list[ProgramRun]:
    """Runs that print these texts for the next n, the last text for one far away; an empty text is a crash."""
    end = sequence.inputs.stop
    inputs = (*range(end, end + len(texts) - 1), end + 16 + len(sequence.terms))
    return [ran(n, text, int(not text)) for n, text in zip(inputs, texts, strict=True)]


@pytest.mark.parametrize(
    ("program", "share", "place"),
    [
        (f"x = 1\np = {PRIMES}", 58, "the numbers of line 2"),
        (f"p = {PRIMES[40:]}", 18, "the numbers of line 1"),
        (f"p = '{PRIMES}'", 58, "a text of line 1"),
        (f"# {PRIMES}\nprint(open(__file__).read().split()[1])", 58, "a text of line 1"),
    ],
)
def test_the_source_alone_decides(program: str, share: int, place: str) -> None:
    """Terms up to the last one need no run; the evidence says how many are where. Comments count if they are read."""
    first = analyze(Program.parse(program), of.PRIMES)
    assert first.evidence[0] == f"{share} of 58 listed terms are in {place}"
    assert extra_inputs(first, right(of.PRIMES)) == ()
    assert conclude(first, right(of.PRIMES)) == StaticVerdict(True, [*first.evidence])


@pytest.mark.parametrize(
    "program",
    [
        f"# {PRIMES}",
        f"def f():\n    '''{PRIMES}'''",
        f"raise ValueError('{'any message, however long it is ' * 20}')",
        "p = [2, 3, 5, 7, 11]",
        "p = [*range(2, 272)]",
    ],
)
def test_what_is_no_table(program: str) -> None:
    """Comments, docstrings, messages, base cases and ranges, even if the program breaks after the listed terms."""
    first = analyze(Program.parse(program), of.PRIMES)
    assert extra_inputs(first, right(of.PRIMES)) == ()
    assert not conclude(first, right(of.PRIMES), after(of.PRIMES, *[""] * 6)).cheat


HEAVY = analyze(Program.parse(f"p = {[p * 3 + 1 for p in PRIMES]}"), of.PRIMES)


COOKIES = {
    "unicode_escape": r"# \x0aT={}\x0aprint(T[int(input())-1])",
    "raw_unicode_escape": r"# \u000aT={}\u000aprint(T[int(input())-1])",
    "utf-7": "# +AAo-T={}+AAo-print(T[int(input())-1])",
}


@pytest.mark.parametrize("cookie", COOKIES)
def test_the_bytes_that_run_are_read(cookie: str) -> None:
    """A coding cookie makes code of a comment: the detector sees the program that the sandbox executes."""
    source = f"# coding: {cookie}\n{COOKIES[cookie].format(PRIMES)}\n"
    found = find_program(source)
    assert isinstance(found, Program)
    assert [one.stdout.strip() for one in run(found.source, 1, 58)] == ["2", "271"]
    assert analyze(found, of.PRIMES).is_table


def test_a_heavy_program_is_run_after_the_listed_terms() -> None:
    """For the next 16 n and for one far away; half of the terms in the source decide nothing by themselves."""
    assert extra_inputs(HEAVY, right(of.PRIMES)) == (*range(59, 75), 133)
    assert not analyze(Program.parse(f"p = {PRIMES[:29]}"), of.PRIMES).is_table


@pytest.mark.parametrize(
    ("texts", "cheat"),
    [
        ([""] * 6, True),
        (["0"] * 6, True),
        (["271"] * 6, True),
        (["2", "3", "5", "7", "11", ""], True),
        (["272", "273", "274", "275", "276", "346"], True),
        (["277", "281", "283", "293", "307", "673"], False),
        (["277", "281", "", "", "", ""], False),
    ],
)
def test_a_table_ends_with_the_listed_terms(texts: list[str], cheat: bool) -> None:
    """No answer, one for all, the first terms again, disorder and equal steps are tables; other numbers are not."""
    judgement = conclude(HEAVY, right(of.PRIMES), after(of.PRIMES, *texts))
    assert judgement.cheat is cheat
    assert any("bits" in line for line in judgement.evidence)


def test_a_polynomial_through_the_listed_terms_is_a_table() -> None:
    """Its further values ascend as the terms do."""
    doubled = IntegerSequence("A000079", "Powers of 2.", (), tuple(str(2**n) for n in range(20)), 0, ())
    heavy = analyze(Program.parse(f"p = {[3 * 2**n + 1 for n in range(20)]}"), doubled)
    for further, cheat in ((lambda n: sum(comb(n, k) for k in range(20)), True), (lambda n: 2**n, False)):
        texts = [str(further(n)) for n in (*range(20, 36), 56)]
        assert conclude(heavy, right(doubled), after(doubled, *texts)).cheat is cheat


@pytest.mark.parametrize(
    ("ending", "listed_s", "cheat"),
    [
        (Ending.LATE, 0.02, True),
        (Ending.LATE, 2.0, False),
        (Ending.KILLED, 2.0, True),
        (Ending.INCONCLUSIVE, 0.02, False),
    ],
)
def test_a_sudden_end_is_a_table(ending: Ending, listed_s: float, cheat: bool) -> None:
    """A kill is no answer; so is an endless loop if the last terms were quick. A busy machine shows nothing."""
    listed = [replace(run, seconds=listed_s) for run in right(of.PRIMES)]
    assert conclude(HEAVY, listed, [ran(59, "", ending=ending, seconds=4.0)]).cheat is cheat


def test_broken_programs_are_no_tables() -> None:
    """A program that breaks before the last listed term, or is mostly wrong, shows nothing after it."""
    crashes = after(of.PRIMES, *[""] * 6)
    broken = [run if run.input < 30 else replace(run, exit_status=1) for run in right(of.PRIMES)]
    wrong = [run if run.input < 10 else replace(run, stdout="1") for run in right(of.PRIMES)]
    assert [conclude(HEAVY, runs, crashes).cheat for runs in (right(of.PRIMES), broken, wrong)] == [True, False, False]


def test_a_complete_listing_is_judged_by_size_alone() -> None:
    """A finite sequence that is listed in full has no further n; the evidence says so."""
    complete = replace(of.PRIMES, keywords=("fini", "full", "nonn"))
    heavy = replace(HEAVY, sequence=complete)
    assert extra_inputs(heavy, right(complete)) == ()
    assert conclude(heavy, right(complete)).cheat
    assert "complete" in conclude(heavy, right(complete)).evidence[-1]
    assert not conclude(analyze(Program.parse("print(2)"), complete), right(complete)).cheat


@settings(max_examples=30)
@given(st.lists(st.integers(-(10**6), 10**6), min_size=12, max_size=40, unique=True))
def test_terms_are_found_in_every_form(terms: list[int]) -> None:
    """A list, also backwards, a text, a dict and a chain of comparisons of any terms are tables."""
    sequence = IntegerSequence("A000000", "Any.", (), tuple(map(str, terms)), 0, ())
    forms = [
        f"print({terms}[int(input())])",
        f"print({terms[::-1]}[-1 - int(input())])",
        f"print('{','.join(map(str, terms))}'.split(',')[int(input())])",
        f"print({dict(enumerate(terms))}[int(input())])",
        "n = int(input())\n" + "\n".join(f"if n == {n}: print({term})" for n, term in enumerate(terms)),
    ]
    assert [analyze(Program.parse(form), sequence).literal_share for form in forms] == [1] * 5


# Sources of any size.
HOSTILE: dict[str, Callable[[int], str]] = {
    "an f-string": lambda size: 'x = f"' + "{a}1 " * size + '"',
    "texts": lambda size: "".join(f"x = 'abcd{k}efgh'\n" for k in range(size)),
    "a sum": lambda size: "x = " + "+".join("1" * size),
    "comparisons": lambda size: "".join(f"if n == {k}:\n    print({k})\n" for k in range(size)),
    "lists, deep": lambda size: f"x = {'[' * (size // 5)}{'1,' * 200}{']' * (size // 5)}",
    "keys, deep": lambda size: "x = " + "{" * (size // 5) + f"f({'a,' * 200})" + ":a}" * (size // 5),
}


def analyzed(program: Program) -> Analysis:
    found = analyze(program, of.PRIMES)
    assert not found.is_table
    return found


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE.keys())
def test_work_is_linear(source: Callable[[int], str]) -> None:
    """A program twice as long or nested twice as deep takes twice the work, and is not accused."""
    for function in (analyzed, messages_to_judge):
        short, long = (steps(partial(function, Program.parse(source(size)))) for size in (200, 400))
        assert long <= 2.5 * short + 200
