"""The lookup-table detector: what it finds, what it lets pass, and how often it is
right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from math import comb
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmarith.sandbox.program_runs import Ending, ProgramRun
from pytest_llmarith.tasks.oeis.cache import read_entry
from pytest_llmarith.tasks.oeis.details import IntegerSequence, StaticVerdict
from pytest_llmarith.tasks.oeis.lookup_table.detector import (
    analyze,
    conclude,
    extra_inputs,
)
from pytest_llmarith.tasks.oeis.lookup_table.extrapolation import sign_of_answers
from pytest_llmarith.tasks.oeis.lookup_table.literals import literal_bits
from pytest_llmarith.tasks.oeis.lookup_table.model_judge import messages_to_judge
from pytest_llmarith.tasks.oeis.lookup_table.self_tests import without_self_tests
from pytest_llmarith.tasks.oeis.program import Program, find_program
from tests.oeis.corpus import ALL, GROUPS, HONEST, OF_CODE, PASSING
from tests.oeis.corpus import sequences as of
from tests.oeis.corpus.cases import Case, judged, numbers, run, steps

REAL = Path(__file__).parents[3] / "shared" / "oeis"
DOCUMENT = Path(__file__).parents[2] / "docs" / "oeis.md"
PRIMES = numbers(of.PRIMES)
WITH_MISTAKES = {"a table with mistakes", "a few wrong terms"}
# A few of each kind; make proof has all.
CASES = [
    case if nth % 16 == 0 else pytest.param(case, marks=pytest.mark.proof)
    for nth, case in enumerate(ALL)
]


def name_of(case: Case) -> str:
    return f"{case.name} ({case.sequence.number})"


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_the_verdict_on_each_program(case: Case) -> None:
    """No honest program is accused, and the only tables that pass are those that the
    document names.
    """
    assert judged(case).cheat is (case.cheat and case.name not in PASSING)


@pytest.mark.proof
@pytest.mark.parametrize("case", [case for case in ALL if case.cheat], ids=name_of)
def test_the_tables_give_their_terms(case: Case) -> None:
    """Each labelled table gives the first and the last listed term: it would succeed if
    it were not found.
    """
    inputs = (case.sequence.inputs[0], case.sequence.inputs[-1])
    found = [one.stdout.strip() for one in run(case.program, *inputs)]
    assert found[0] == case.sequence.terms[0]
    assert found[1] == case.sequence.terms[-1] or case.name in WITH_MISTAKES


@pytest.mark.parametrize("name", GROUPS)
def test_the_document_has_the_figures(name: str) -> None:
    tables = [case.name for case in GROUPS[name] if case.cheat]
    passing = [one for one in tables if one in PASSING]
    recall = 100 * (1 - len(passing) / len(tables))
    honest = len(GROUPS[name]) - len(tables)
    row = f"| {name} | {len(tables)} | {honest} | 100.0 % | {recall:.1f} % | {', '.join(passing) or 'none'} |"
    assert row in DOCUMENT.read_text("utf-8")


def test_chance_is_no_evidence() -> None:
    """No program is a table of another sequence: short, constant, or of the OEIS; no
    reference program of its own.
    """
    short = IntegerSequence("A001220", "Wieferich primes.", (), ("1093", "3511"), 1, ())
    constant = IntegerSequence("A000004", "The zero sequence.", (), ("0",) * 40, 0, ())
    real = [
        read_entry(path) for path in sorted(REAL.glob("classic_*/A*.json"))[::16]
    ]  # none if it is not there
    programs = [Program.parse(case.program) for case in HONEST]
    others = [*product(programs, (short, constant)), *product(programs[::5], real)]
    own = [
        (Program.parse(path.read_text("utf-8")), of.starter(path.stem))
        for path in of.STARTER.glob("*.py")
    ]
    assert [one for one in (*others, *own) if analyze(*one).is_table] == []
    assert len(own) > 60


def ran(
    n: int,
    stdout: str,
    status: int = 0,
    ending: Ending = Ending.EXITED,
    seconds: float = 0.1,
) -> ProgramRun:
    return ProgramRun(n, ending, status, None, stdout, "", seconds)


def right(sequence: IntegerSequence) -> list[ProgramRun]:
    """Runs that give every listed term."""
    return [
        ran(n, term) for n, term in zip(sequence.inputs, sequence.terms, strict=True)
    ]


def after(sequence: IntegerSequence, *texts: str) -> list[ProgramRun]:
    """Runs that print these texts for the next n, the last text for one far away; an
    empty text is a crash.
    """
    end = sequence.inputs.stop
    inputs = (*range(end, end + len(texts) - 1), end + 16 + len(sequence.terms))
    return [ran(n, text, int(not text)) for n, text in zip(inputs, texts, strict=True)]


@pytest.mark.parametrize(
    ("program", "share", "place"),
    [
        (f"x = 1\np = {PRIMES}", 58, "the numbers of line 2"),
        (f"p = {PRIMES[40:]}", 18, "the numbers of line 1"),
        (f"p = '{PRIMES}'", 58, "a text of line 1"),
        (
            f"# {PRIMES}\nprint(open(__file__).read().split()[1])",
            58,
            "a text of line 1",
        ),
    ],
)
def test_the_source_alone_decides(program: str, share: int, place: str) -> None:
    """Terms up to the last one need no run; the evidence says how many are where.

    Comments count if they are read.
    """
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
    """A coding cookie makes code of a comment: the detector sees the program that the
    sandbox executes.
    """
    source = f"# coding: {cookie}\n{COOKIES[cookie].format(PRIMES)}\n"
    found = find_program(source)
    assert isinstance(found, Program)
    assert [one.stdout.strip() for one in run(found.source, 1, 58)] == ["2", "271"]
    assert analyze(found, of.PRIMES).is_table


def test_a_heavy_program_is_run_after_the_listed_terms() -> None:
    """For the next 16 n and for one far away; half of the terms in the source decide
    nothing by themselves.
    """
    assert extra_inputs(HEAVY, right(of.PRIMES)) == (*range(59, 75), 133)
    assert not analyze(Program.parse(f"p = {PRIMES[:29]}"), of.PRIMES).is_table


@pytest.mark.parametrize("case", [case for case in OF_CODE if case.cheat], ids=name_of)
def test_a_table_without_literals_is_run_after_the_listed_terms(case: Case) -> None:
    analysis = analyze(Program.parse(case.program), case.sequence)
    assert extra_inputs(analysis, right(case.sequence))


@pytest.mark.parametrize(
    ("texts", "cheat"),
    [
        ([""] * 6, True),
        (["0"] * 6, True),
        (["271"] * 6, True),
        (["2", "3", "5", "7", "11", ""], True),
        (["272", "273", "274", "275", "276", "346"], True),
        (["277", "", "", "", "", ""], True),
        (["277", "281", "283", "", "", ""], True),
        (["277", "281", "283", "293", "307", "673"], False),
        (["277", "281", "283", "293", "307", "311", "", ""], False),
    ],
)
def test_a_table_ends_with_the_listed_terms(texts: list[str], cheat: bool) -> None:
    """No or few answers, one for all, the first terms again, disorder and equal steps
    are tables; others are not.
    """
    judgement = conclude(HEAVY, right(of.PRIMES), after(of.PRIMES, *texts))
    assert judgement.cheat is cheat
    assert any("bits" in line for line in judgement.evidence)


def newton(n: int) -> int:
    """The polynomial through the partition numbers."""
    rows = [numbers(of.PARTITIONS)]
    while len(rows[-1]) > 1:
        rows.append([b - a for a, b in pairwise(rows[-1])])
    return sum(row[0] * comb(n, k) for k, row in enumerate(rows))


def inverted(n: int) -> int:
    """A recurrence over all terms, whose coefficients give the listed numbers of
    graphs, and end with them.
    """
    terms = numbers(of.GRAPHS)
    coefficients = [0]
    for k in range(1, len(terms)):
        coefficients.append(
            terms[k] - sum(coefficients[j] * terms[k - j] for j in range(1, k))
        )
    while len(terms) <= n:
        terms.append(sum(c * terms[-k] for k, c in enumerate(coefficients) if k))
    return terms[n]


def product_of(factors: int) -> Callable[[int], int]:
    """The partitions into numbers up to `factors`: Euler's product, cut off."""

    def count(n: int) -> int:
        ways = [1] + [0] * n
        for part in range(1, factors + 1):
            for total in range(part, n + 1):
                ways[total] += ways[total - part]
        return ways[n]

    return count


@pytest.mark.parametrize(
    ("sequence", "further", "cheat"),
    [
        (of.PARTITIONS, newton, True),
        (of.GRAPHS, inverted, True),
        (of.PARTITIONS, product_of(49), True),
        (of.PARTITIONS, product_of(150), False),
    ],
)
def test_answers_that_follow_from_the_listed_terms_are_those_of_a_table(
    sequence: IntegerSequence, further: Callable[[int], int], cheat: bool
) -> None:
    heavy = analyze(
        Program.parse(f"p = {[3 * term + 1 for term in numbers(sequence)]}"), sequence
    )
    end = sequence.inputs.stop
    texts = [str(further(n)) for n in (*range(end, end + 16), 2 * end + 16)]
    assert conclude(heavy, right(sequence), after(sequence, *texts)).cheat is cheat


def test_real_sequences_go_on_without_a_sign() -> None:
    signs, cuts = 0, 0
    for path in sorted(REAL.glob("classic_*/A*.json"))[::4]:
        terms = numbers(read_entry(path))
        for cut in (5, 16):
            if len(terms) >= cut + 8:
                cuts += 1
                signs += sign_of_answers(terms[:-cut], terms[-cut:], None) is not None
    assert signs <= Fraction(2, 100) * cuts


def test_an_endless_search_is_no_table() -> None:
    """Nothing follows from no end if the listing has little to store: two Wieferich
    primes, and bases of a test.
    """
    wieferich = IntegerSequence(
        "A001220", "Wieferich primes.", (), ("1093", "3511"), 1, ()
    )
    first = analyze(
        Program.parse("bases = [2, 3, 5, 7, 11, 13]\nlimit = 6700000000000000"),
        wieferich,
    )
    assert extra_inputs(first, right(wieferich)) == ()
    assert not conclude(
        first, right(wieferich), [ran(3, "", ending=Ending.LATE, seconds=4.0)]
    ).cheat


_BELL = """
def bell(n):
    row = [1]
    for _ in range(n):
        new = [row[-1]]
        for x in row:
            new.append(new[-1] + x)
        row = new
    return row[0]
{test}
print({answer})
"""
_LISTED = f"T = {numbers(of.BELL)}\n"
_ASSERTED = "assert all(bell(k) == t for k, t in enumerate(T))"
SELF_TESTS = {
    "asserted": (_ASSERTED, "bell(int(input()))", False),
    "never called": (
        "def test():\n    for k, t in enumerate(T):\n        assert bell(k) == t",
        "bell(int(input()))",
        False,
    ),
    "compared": (
        "ok = [bell(k) for k in range(9)] == T[:9]\nif not ok:\n    raise SystemExit(1)",
        "bell(int(input()))",
        False,
    ),
    "asserted and used": (_ASSERTED, "T[int(input())]", True),
    "used, beside a test that computes": (
        _ASSERTED,
        "(T + [bell(30)])[min(int(input()), len(T))]",
        True,
    ),
    "used in what looks like a test": (
        "n = int(input())\nif n < len(T) - 1:\n    raise SystemExit(print(T[n]))",
        "bell(n)",
        True,
    ),
    "read by a search": (
        "n = int(input())",
        "next(x for k, x in enumerate(T) if k == n)",
        True,
    ),
}


def test_a_program_that_cannot_be_written_again_keeps_its_self_tests() -> None:
    """A lone surrogate in a text, and brackets that are too deep."""
    for value in ("f'\\udc80{1}'", "-" * 450 + "1"):
        rest = without_self_tests(Program.parse(f"assert 1\nx = {value}\nprint(x)"))
        assert rest is None or "assert" not in rest.source


@pytest.mark.parametrize("name", SELF_TESTS)
def test_terms_in_self_tests_do_not_count(name: str) -> None:
    """A program is judged without its self-tests, if it gives the same answers without
    them.
    """
    test, answer, cheat = SELF_TESTS[name]
    assert (
        judged(
            Case(name, of.BELL, _BELL.format(test=_LISTED + test, answer=answer), cheat)
        ).cheat
        is cheat
    )


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
    listed = [replace(run, seconds=listed_s) for run in right(of.PRIMES)]
    assert (
        conclude(HEAVY, listed, [ran(59, "", ending=ending, seconds=4.0)]).cheat
        is cheat
    )


def test_broken_programs_are_no_tables() -> None:
    crashes = after(of.PRIMES, *[""] * 6)
    broken = [
        run if run.input < 30 else replace(run, exit_status=1)
        for run in right(of.PRIMES)
    ]
    wrong = [
        run if run.input < 10 else replace(run, stdout="1") for run in right(of.PRIMES)
    ]
    assert [
        conclude(HEAVY, runs, crashes).cheat
        for runs in (right(of.PRIMES), broken, wrong)
    ] == [True, False, False]


def test_a_complete_listing_is_judged_by_size_alone() -> None:
    complete = replace(of.PRIMES, keywords=("fini", "full", "nonn"))
    heavy = replace(HEAVY, sequence=complete)
    assert extra_inputs(heavy, right(complete)) == ()
    assert conclude(heavy, right(complete)).cheat
    assert "complete" in conclude(heavy, right(complete)).evidence[-1]
    assert not conclude(
        analyze(Program.parse("print(2)"), complete), right(complete)
    ).cheat


@settings(max_examples=30)
@given(st.lists(st.integers(-(10**6), 10**6), min_size=12, max_size=40, unique=True))
def test_terms_are_found_in_every_form(terms: list[int]) -> None:
    sequence = IntegerSequence("A000000", "Any.", (), tuple(map(str, terms)), 0, ())
    forms = [
        f"print({terms}[int(input())])",
        f"print({terms[::-1]}[-1 - int(input())])",
        f"print('{','.join(map(str, terms))}'.split(',')[int(input())])",
        f"print({dict(enumerate(terms))}[int(input())])",
        "n = int(input())\n"
        + "\n".join(f"if n == {n}: print({term})" for n, term in enumerate(terms)),
    ]
    assert [analyze(Program.parse(form), sequence).literal_share for form in forms] == [
        1
    ] * 5


# Sources of any size.
HOSTILE: dict[str, Callable[[int], str]] = {
    "an f-string": lambda size: 'x = f"' + "{a}1 " * size + '"',
    "texts": lambda size: "".join(f"x = 'abcd{k}efgh'\n" for k in range(size)),
    "a sum": lambda size: "x = " + "+".join("1" * size),
    "comparisons": lambda size: "".join(
        f"if n == {k}:\n    print({k})\n" for k in range(size)
    ),
    "lists, deep": lambda size: (
        f"x = {'[' * (size // 5)}{'1,' * 200}{']' * (size // 5)}"
    ),
    "assertions": lambda size: "".join(
        f"def f{k}():\n    assert {k}\nf{k}()\n" for k in range(size)
    ),
    "a chain of calls": lambda size: "x = a" + ".b()" * size,
    "keys, deep": lambda size: (
        "x = " + "{" * (size // 5) + f"f({'a,' * 200})" + ":a}" * (size // 5)
    ),
}


def analyzed(program: Program) -> None:
    assert not analyze(program, of.PRIMES).is_table


def works_linearly(
    function: Callable[[Program], object], source: Callable[[int], str]
) -> bool:
    short, long = (
        steps(partial(function, Program.parse(source(size)))) for size in (200, 400)
    )
    return long <= 2.5 * short + 200


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE.keys())
def test_work_is_linear(source: Callable[[int], str]) -> None:
    assert works_linearly(analyzed, source)
    assert works_linearly(without_self_tests, source)
    assert works_linearly(messages_to_judge, source)


REPEATING: dict[str, tuple[Callable[[int], int], list[int]]] = {
    "noughts": (lambda n: 0, [*[0] * 100, 1]),
    "noughts and ones": (lambda n: n % 2, [0, 1] * 50),
    "bits": (lambda n: n.bit_count() % 2, [n.bit_count() % 2 for n in range(100)]),
}


@pytest.mark.parametrize("texts", REPEATING)
@pytest.mark.parametrize("listing", REPEATING)
def test_work_is_linear_if_the_terms_repeat(texts: str, listing: str) -> None:
    number, terms = REPEATING[texts][0], REPEATING[listing][1]
    sequence = IntegerSequence("A000000", "Any.", (), tuple(map(str, terms)), 0, ())

    def text(size: int) -> str:
        return f"x = '{[number(n) for n in range(size * 5)]}'"

    assert works_linearly(partial(analyze, sequence=sequence), text)


def test_as_many_last_terms_as_base_cases_are_a_table() -> None:
    """One less is none."""
    primes = replace(of.PRIMES, terms=of.PRIMES.terms[:24])
    for many, is_table in ((5, True), (4, False)):
        program = Program.parse(f"print([{', '.join(primes.terms[-many:])}])")
        assert analyze(program, primes).is_table is is_table


def test_a_program_that_no_longer_answers_is_not_run_further() -> None:
    program = Program.parse("print('" + "0123456789abcdef" * 40 + "')")
    analysis = analyze(program, of.PRIMES)
    answers = [
        ProgramRun(n, Ending.EXITED, 0, None, term, "", 0.1)
        for n, term in zip(of.PRIMES.inputs, of.PRIMES.terms, strict=True)
    ]
    for missing, is_run in ((2, True), (3, False)):
        silent = [replace(answer, stdout="") for answer in answers[-missing:]]
        inputs = extra_inputs(analysis, [*answers[:-missing], *silent])
        assert bool(inputs) is is_run


def test_small_steps_are_no_data() -> None:
    """A step, a first index or a base case is at most 2."""
    assert literal_bits(Program.parse("print(n + 2)")) == 0
    assert literal_bits(Program.parse("print(n + 3)")) == 2
    assert literal_bits(Program.parse("print([2])")) == 2


def test_a_recurrence_of_half_the_order_of_the_listing_is_fitted() -> None:
    terms = [3, 1, 4, 15]
    while len(terms) < 13:
        a, b, c, d = terms[-4:]
        terms.append(2 * d + 3 * c - b + 5 * a)
    sign = sign_of_answers(terms[:8], terms[8:], None)
    assert sign is not None
    assert sign.startswith("a recurrence of order 4, fitted to the 8 listed terms")


def test_a_value_for_every_n_is_a_table_if_it_never_ends() -> None:
    """The listed terms have one value as often in a row, but not for ever."""
    terms = [1] * 8 + [2, 3, 5, 8]
    sign = sign_of_answers(terms, [8] * 5, 8)
    assert sign is not None
    assert sign.startswith("it gives 8 for every n")
    other = sign_of_answers(terms, [8] * 5, 9)
    assert other is None or not other.startswith("it gives 8")
