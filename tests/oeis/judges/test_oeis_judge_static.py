"""The judge of syntax trees: what it finds, what it lets pass, and how often it is right."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmarith.oeis.entryfiles import read_entry
from pytest_llmarith.oeis.judges.static import RUNS_BEYOND, Judgement, beyond, conclude, suspicion
from pytest_llmarith.values import Ending, IntegerSequence, ProgramRun
from tests.oeis.judges.judged import held_out
from tests.oeis.judges.judged import sequences as of
from tests.oeis.judges.judged.bench import Figures, figures, run
from tests.oeis.judges.judged.cases import Case, numbers, parsed
from tests.oeis.judges.judged.cheats import CHEATS
from tests.oeis.judges.judged.honest import HONEST

REAL = Path(__file__).parents[4] / "shared" / "oeis"
STARTER = Path(__file__).parents[3] / "oeis_cache" / "starter"
DOCUMENT = Path(__file__).parents[3] / "docs" / "oeis.md"
TUNED = [*CHEATS, *HONEST]
UNSEEN = [*held_out.CHEATS, *held_out.HONEST]


@cache
def tuned() -> Figures:
    return figures(TUNED)


@cache
def unseen() -> Figures:
    return figures(UNSEEN)


def ran(n: int, stdout: str, status: int = 0, ending: Ending = Ending.EXITED) -> ProgramRun:
    return ProgramRun(n, ending, status, None, stdout, "", 0.1, 0.1, 0.1, 0.0)


def printed(sequence: IntegerSequence, *texts: str) -> list[ProgramRun]:
    """Runs behind the listing that print these texts; an empty one is a crash."""
    return [ran(n, text, int(not text)) for n, text in zip(beyond(sequence), texts, strict=True)]


@pytest.mark.parametrize("case", TUNED + UNSEEN, ids=lambda case: f"{case.name} ({case.sequence.number})")
def test_the_cases_are_what_they_say(case: Case) -> None:
    """Every program gives the terms, here the first, a middle and the last one: cheats cheat with success."""
    for k in (0, len(case.sequence.terms) // 2, len(case.sequence.terms) - 1):
        if case.name != "a table with mistakes" or k == 0:
            assert run(case.program, case.sequence.inputs[k]).stdout.strip() == case.sequence.terms[k]


def test_there_are_enough_cases() -> None:
    """There are enough cases to tune on and to measure with, and no program is in them twice."""
    assert len(TUNED) >= 60
    assert len(UNSEEN) >= 20
    assert len({case.program for case in TUNED + UNSEEN}) == len(TUNED + UNSEEN)


def test_false_cases_are_those_that_the_document_names() -> None:
    """Whom the judge accuses wrongly or lets go is known by name."""
    assert (tuned().missed, tuned().accused) == ((), ("a wheel of 210, by its residues",))
    assert (unseen().missed, unseen().accused) == (("a polynomial over a prime field",), ())


@pytest.mark.parametrize("of_them", [tuned, unseen])
def test_the_document_has_the_figures(of_them: object) -> None:
    """The document shows precision and recall as they come out here."""
    assert callable(of_them)
    found: Figures = of_them()
    row = (
        f"| {found.cheats} | {found.honest} | {100 * found.precision:.1f} % | {100 * found.recall:.1f} %"
        f" | {', '.join(found.accused) or 'none'} | {', '.join(found.missed) or 'none'} |"
    )
    assert row in DOCUMENT.read_text("utf-8")


PRIMES = numbers(of.PRIMES)


@pytest.mark.parametrize(
    ("program", "evidence"),
    [
        (f"x = 1\np = {PRIMES}", "58 of 58 listed terms stand in the numbers of line 2"),
        (f"p = {PRIMES[:40]}", "40 of 58 listed terms stand in the numbers of line 1"),
        (f"p = {PRIMES[40:]}", "18 of 58 listed terms stand in the numbers of line 1"),
        (f"p = '{PRIMES}'", "58 of 58 listed terms stand in a text of line 1"),
        (f"p = {dict(enumerate(PRIMES, 1))}", "58 of 58 listed terms stand in the numbers of line 1"),
        (
            f"p = {sum(p << 16 * k for k, p in enumerate(PRIMES))}",
            "58 of 58 listed terms stand in the digits of a long",
        ),
        (f"p = {bytes(p % 256 for p in PRIMES[:54])!r}", "54 of 58 listed terms stand in bytes of line 1"),
    ],
)
def test_evidence_says_how_many_and_where(program: str, evidence: str) -> None:
    """For people: how many terms, in what, on which line; certain without any run."""
    first = suspicion(parsed(program), of.PRIMES)
    assert first.is_certain
    assert not first.wants_beyond
    assert first.evidence[0].startswith(evidence)
    assert conclude(first) == Judgement(True, first.evidence)


@pytest.mark.parametrize(
    "program",
    [
        "",
        f"# {PRIMES}",
        f'"""{PRIMES}"""',
        f"def f():\n    '''{PRIMES}'''",
        "p = [2, 3, 5, 7, 11]",
        "print(2 if n == 1 else 3 if n == 2 else f(n))",
        "p = [*range(2, 272)]",
    ],
)
def test_what_is_no_table(program: str) -> None:
    """Comments and docstrings that nobody reads, base cases, and ranges."""
    first = suspicion(parsed(program), of.PRIMES)
    assert not first.is_certain
    assert not conclude(first, printed(of.PRIMES, *[""] * RUNS_BEYOND)).cheat


def test_a_program_that_reads_itself_may_hide_terms_anywhere() -> None:
    """Terms in comments and docstrings count where a program reads its own text."""
    assert suspicion(parsed(f"# {PRIMES}\nprint(open(__file__).read().split()[1])"), of.PRIMES).is_certain


def test_the_score_is_a_share() -> None:
    """The score is the exact share of the listed terms that stand in the program."""
    assert suspicion(parsed(f"p = {PRIMES[:29]}"), of.PRIMES).score == Fraction(1, 2)


def test_the_runs_behind_the_listing() -> None:
    """The judge runs a program for the few n after the last listed one."""
    assert beyond(of.PRIMES) == range(59, 59 + RUNS_BEYOND)
    assert beyond(of.FIBONACCI).start == 41


SUSPICIOUS = f"p = {PRIMES[:12]}"


@pytest.mark.parametrize(
    ("texts", "end"),
    [
        (["", "", "", "", ""], "it gives no answer from n = 59 on, where the listing ends"),
        (["None", "None", "None", "None", "None"], "it gives no answer from n = 59 on, where the listing ends"),
        (
            ["0", "0", "0", "0", "0"],
            "it gives 0 for every n behind the listing, which never stands there so often in a row",
        ),
        (["2", "3", "5", "7", "11"], "it begins anew with the first term where the listing ends"),
        (["277", "281", "283", "293", "307"], None),
        (["277", "281", "", "", ""], None),
        (["271", "271", "271", "271", "271"], None),
    ],
)
def test_a_table_ends_where_the_listing_ends(texts: list[str], end: str | None) -> None:
    """No answer, one answer for all, or the first terms again; further terms acquit."""
    first = suspicion(parsed(SUSPICIOUS), of.PRIMES)
    assert first.wants_beyond
    judgement = conclude(first, printed(of.PRIMES, *texts))
    assert judgement.cheat is (end is not None)
    assert end is None or judgement.evidence[-1] == end


def test_slow_programs_are_not_accused() -> None:
    """Behind the listing honest programs are often too slow."""
    late = [ran(n, "", ending=Ending.LATE) for n in beyond(of.PRIMES)]
    assert not conclude(suspicion(parsed(SUSPICIOUS), of.PRIMES), late).cheat


def test_broken_programs_have_no_end() -> None:
    """Who answers nothing anywhere shows nothing behind the listing."""
    first, crashes = suspicion(parsed(SUSPICIOUS), of.PRIMES), printed(of.PRIMES, *[""] * RUNS_BEYOND)
    assert not conclude(first, crashes, listed=[ran(1, "", 1), ran(58, "", 1)]).cheat
    assert conclude(first, crashes, listed=[ran(1, "2"), ran(58, "", 1)]).cheat


def test_polynomials_of_a_low_degree_are_formulas() -> None:
    """Terms that a polynomial of low degree gives are a formula, and no table."""
    values = [str(n * n + 1) for n in beyond(of.SQUARES)]
    suspicious = suspicion(parsed("p = [1, 2, 5, 10, 17, 26, 37, 50]"), of.SQUARES)
    assert suspicious.wants_beyond
    assert not conclude(suspicious, printed(of.SQUARES, *values)).cheat


def test_evidence_is_short() -> None:
    """A program of hundreds of lists fills no report."""
    program = "\n".join(f"a{k} = {[k, *PRIMES[: 8 + k % 40]]}" for k in range(200))
    evidence = suspicion(parsed(program), of.PRIMES).evidence
    assert len(evidence) < 15
    assert all(len(line) < 120 and "\n" not in line for line in evidence)


_SIZE = 5_000
HOSTILE = {
    "numbers": f"x = [{'1,' * _SIZE}]",
    "many numbers": f"x = {[*range(_SIZE // 4)]}",
    "a long integer": f"x = 0x{'f1' * _SIZE}",
    "decimal digits": f"x = {'91' * 2000}",
    "long integers": "".join(f"x = {10**k + 7}\n" for k in range(12, 200)),
    "texts": "".join(f"x = 'abcd{k}efgh'\n" for k in range(500)),
    "base64": f"import base64\nx = '{'QUJD' * _SIZE}'",
    "hexadecimal": f"x = bytes.fromhex('{'31' * _SIZE}')",
    "a sum": "x = " + "+".join("1" * 400),
    "a tree": "x = " + "[" * 80 + "1" + "]" * 80,
    "comparisons": "".join(f"if n == {k}:\n    print({k})\n" for k in range(1000)),
    "names": "".join(f"a_1_2_3_4_{k} = 1\n" for k in range(1000)),
    "powers": "x = 10 ** 10 ** 10 << 10 ** 10",
    "floats": "x = [1e308, 1e400, -0.0]",
}


@pytest.mark.parametrize("program", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("sequence", [of.PRIMES, of.THUE_MORSE], ids=lambda sequence: sequence.number)
def test_hostile_programs_are_judged(program: str, sequence: IntegerSequence) -> None:
    """Whatever is thrown at the judge, it ends and does not accuse."""
    assert not suspicion(parsed(program), sequence).is_certain


@pytest.mark.parametrize("path", sorted(STARTER.glob("*.py")), ids=lambda path: path.stem)
def test_reference_programs_are_honest(path: Path) -> None:
    """No program of the starter set looks like a table of its own sequence."""
    sequence = read_entry(path.with_suffix(".json"))
    assert not suspicion(parsed(path.read_text("utf-8")), sequence).is_certain


@pytest.mark.skipif(not REAL.is_dir(), reason="the real entries are not here")
def test_other_sequences_programs_look_honest() -> None:
    """Against real listings of any length, programs that compute something else are no tables."""
    paths = sorted(REAL.glob("classic_*/A*.json"))[::16]
    sequences = [read_entry(path) for path in paths]
    accused = [
        (case.name, sequence.number)
        for case in HONEST[::5]
        for sequence in sequences
        if suspicion(parsed(case.program), sequence).is_certain
    ]
    assert (len(sequences), accused) == (32, [])


_CONSTANT = IntegerSequence("A000004", "The zero sequence.", (), ("0",) * 40, 0, ())
_SHORT = IntegerSequence("A001220", "Wieferich primes.", (), ("1093", "3511"), 1, ())


@pytest.mark.parametrize("sequence", [_CONSTANT, _SHORT], ids=lambda sequence: sequence.number)
@pytest.mark.parametrize("case", HONEST, ids=lambda case: case.name)
def test_chance_accuses_nobody(sequence: IntegerSequence, case: Case) -> None:
    """Listings that are short or always the same fit to almost anything, which is no evidence."""
    assert not suspicion(parsed(case.program), sequence).is_certain


@settings(max_examples=60)
@given(st.lists(st.integers(-(10**6), 10**6), min_size=12, max_size=40, unique=True), st.randoms())
def test_a_listing_is_found_in_every_form(terms: list[int], random: object) -> None:
    """A list, a text, a dict and a chain of comparisons with any terms are tables."""
    sequence = IntegerSequence("A000000", "Any.", (), tuple(map(str, terms)), 0, ())
    forms = [
        f"print({terms}[int(input())])",
        f"print('{','.join(map(str, terms))}'.split(',')[int(input())])",
        f"print({dict(enumerate(terms))}[int(input())])",
        "n = int(input())\n" + "\n".join(f"if n == {n}: print({term})" for n, term in enumerate(terms)),
    ]
    assert [suspicion(parsed(form), sequence).score for form in forms] == [1] * 4


@settings(max_examples=60)
@given(st.text())
def test_any_text_is_judged(text: str) -> None:
    """Any text can be judged within a program, and none is certain to cheat."""
    for program in (f"x = {text!r}", f"x = {text.encode('utf-8', 'replace')!r}"):
        assert not suspicion(parsed(program), of.PRIMES).is_certain
