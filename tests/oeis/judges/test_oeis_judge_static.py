"""The judge of syntax trees: what it finds, what it lets pass, and how often it is right."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmarith.oeis.entryfiles import read_entry
from pytest_llmarith.oeis.judges.beyond import RUNS_BEYOND
from pytest_llmarith.oeis.judges.static import Judgement, beyond, conclude, suspicion
from pytest_llmarith.values import Ending, IntegerSequence, ProgramRun
from tests.oeis.judges.judged import held_out
from tests.oeis.judges.judged import sequences as of
from tests.oeis.judges.judged.bench import figures, judged, run
from tests.oeis.judges.judged.cases import Case, numbers, parsed
from tests.oeis.judges.judged.cheats import CHEATS
from tests.oeis.judges.judged.honest import HONEST
from tests.oeis.judges.judged.tables import DISGUISED, PLAIN
from tests.oeis.judges.judged_held_out import cheats_disguised, cheats_plain, programs

REAL = Path(__file__).parents[4] / "shared" / "oeis"
STARTER = Path(__file__).parents[3] / "oeis_cache" / "starter"
DOCUMENT = Path(__file__).parents[3] / "docs" / "oeis.md"
TUNED = [*CHEATS, *PLAIN, *DISGUISED, *HONEST]
CORPORA = {
    "first corpus": [*CHEATS, *held_out.CHEATS, *HONEST, *held_out.HONEST],
    "plain tables": [*PLAIN, *HONEST, *held_out.HONEST],
    "disguised tables": [*DISGUISED, *HONEST, *held_out.HONEST],
    "plain tables, held out": [*cheats_plain.PLAIN, *programs.HONEST],
    "disguised tables, held out": [*cheats_disguised.DISGUISED, *programs.HONEST],
}
ALL = [*TUNED, *held_out.CHEATS, *held_out.HONEST, *programs.CHEATS, *programs.HONEST]
PASSING = {"a key, and a guess that grows behind the listing", "residues of one integer", "lengths of runs"}
UNSEEN = [*held_out.CHEATS, *held_out.HONEST]


def ran(n: int, stdout: str, status: int = 0, ending: Ending = Ending.EXITED) -> ProgramRun:
    return ProgramRun(n, ending, status, None, stdout, "", 0.1, 0.1, 0.1, 0.0)


def printed(sequence: IntegerSequence, *texts: str) -> list[ProgramRun]:
    """Runs behind the listing that print these texts; an empty one is a crash."""
    end = sequence.inputs.stop
    behind = (*range(end, end + len(texts) - 1), end + RUNS_BEYOND + len(sequence.terms))
    return [ran(n, text, int(not text)) for n, text in zip(behind, texts, strict=True)]


def right(sequence: IntegerSequence) -> list[ProgramRun]:
    """Runs that give every listed term."""
    return [ran(n, term) for n, term in zip(sequence.inputs, sequence.terms, strict=True)]


@pytest.mark.parametrize("case", TUNED + UNSEEN, ids=lambda case: f"{case.name} ({case.sequence.number})")
def test_the_cases_are_what_they_say(case: Case) -> None:
    """Every program gives the terms, here the first, a middle and the last one: cheats cheat with success."""
    places = (0, len(case.sequence.terms) // 2, len(case.sequence.terms) - 1)
    for k, one in zip(places, run(case.program, *(case.sequence.inputs[k] for k in places)), strict=True):
        if case.name != "a table with mistakes" or k == 0:
            assert one.stdout.strip() == case.sequence.terms[k]


def test_there_are_enough_cases() -> None:
    """There are enough cases to tune on and to measure with, and no program is in them twice."""
    assert len(TUNED) >= 60
    assert len(UNSEEN) >= 20
    assert len({case.program for case in TUNED + UNSEEN}) == len(TUNED + UNSEEN)


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.name} ({case.sequence.number})")
def test_the_verdict_on_each_program(case: Case) -> None:
    """No honest program is accused, and of the tables those alone pass that the document names."""
    assert judged(case).cheat is (case.cheat and case.name not in PASSING)


@pytest.mark.parametrize("name", CORPORA)
def test_the_document_has_the_figures(name: str) -> None:
    """Precision, recall and the tables that pass, from the verdicts of the test above.

    The held-out programs were written by somebody who had not read the judge.
    """
    found = figures((case, case.cheat and case.name not in PASSING) for case in CORPORA[name])
    row = (
        f"| {name} | {found.cheats} | {found.honest} | {100 * found.precision:.1f} % | {100 * found.recall:.1f} %"
        f" | {', '.join(found.missed) or 'none'} |"
    )
    assert row in DOCUMENT.read_text("utf-8")


PRIMES = numbers(of.PRIMES)


@pytest.mark.parametrize(
    ("program", "evidence"),
    [
        (f"x = 1\np = {PRIMES}", "58 of 58 listed terms stand in the numbers of line 2"),
        (f"p = {PRIMES[40:]}", "18 of 58 listed terms stand in the numbers of line 1"),
        (f"p = '{PRIMES}'", "58 of 58 listed terms stand in a text of line 1"),
        (f"p = {dict(enumerate(PRIMES, 1))}", "58 of 58 listed terms stand in"),
    ],
)
def test_the_tree_alone_decides(program: str, evidence: str) -> None:
    """Terms in plain sight up to the last one need no run; the evidence says how many, in what, on which line."""
    first = suspicion(parsed(program), of.PRIMES)
    assert first.is_certain
    assert first.evidence[0].startswith(evidence)
    assert beyond(first, right(of.PRIMES)) == ()
    assert conclude(first, right(of.PRIMES)) == Judgement(True, first.evidence)


@pytest.mark.parametrize(
    "program",
    [
        "",
        f"# {PRIMES}",
        f'"""{PRIMES}"""',
        f"def f():\n    '''{PRIMES}'''",
        f"raise ValueError('{'any message, however long it is ' * 20}')",
        "p = [2, 3, 5, 7, 11]",
        "print(2 if n == 1 else 3 if n == 2 else f(n))",
        "p = [*range(2, 272)]",
    ],
)
def test_what_is_no_table(program: str) -> None:
    """Comments, docstrings and messages, base cases, and ranges, even if the program breaks behind the listing."""
    first = suspicion(parsed(program), of.PRIMES)
    assert beyond(first, right(of.PRIMES)) == ()
    assert not conclude(first, right(of.PRIMES), printed(of.PRIMES, *[""] * 6)).cheat


def test_a_program_that_reads_itself_may_hide_terms_anywhere() -> None:
    """Terms in comments and docstrings count where a program reads its own text."""
    program = f"# {PRIMES}\nprint(open(__file__).read().split()[1])"
    assert suspicion(parsed(program), of.PRIMES).is_certain


def test_the_share_of_terms_in_plain_sight() -> None:
    """It is exact, and half of the terms without the end are not certain."""
    first = suspicion(parsed(f"p = {PRIMES[:29]}"), of.PRIMES)
    assert (first.given, first.is_certain) == (Fraction(1, 2), False)


HEAVY = f"p = {[p * 3 + 1 for p in PRIMES]}"


def test_the_runs_behind_the_listing() -> None:
    """A heavy program is run for the n that follow the listing and for a far one, a light one is not."""
    assert beyond(suspicion(parsed(HEAVY), of.PRIMES), right(of.PRIMES)) == (*range(59, 75), 133)
    assert beyond(suspicion(parsed("print(2)"), of.PRIMES), right(of.PRIMES)) == ()


@pytest.mark.parametrize(
    ("texts", "cheat"),
    [
        ([""] * 6, True),
        (["None"] * 6, True),
        (["0"] * 6, True),
        (["271"] * 6, True),
        (["2", "3", "5", "7", "11", ""], True),
        (["272", "273", "274", "275", "276", "346"], True),
        (["277", "281", "283", "293", "307", "673"], False),
        (["277", "281", "283", "293", "307", ""], False),
        (["277", "281", "", "", "", ""], False),
    ],
)
def test_a_heavy_program_ends_where_the_listing_ends(texts: list[str], cheat: bool) -> None:
    """No answer, one for all, the first terms again, or equal steps; other numbers convict nobody."""
    first = suspicion(parsed(HEAVY), of.PRIMES)
    judgement = conclude(first, right(of.PRIMES), printed(of.PRIMES, *texts))
    assert judgement.cheat is cheat
    assert any("bits" in line for line in judgement.evidence)


@pytest.mark.parametrize(
    ("ending", "listed_s", "cheat"),
    [(Ending.LATE, 0.02, True), (Ending.LATE, 2.0, False), (Ending.KILLED, 0.02, True), (Ending.KILLED, 2.0, True)],
)
def test_a_sudden_end_is_one(ending: Ending, listed_s: float, cheat: bool) -> None:
    """A kill behind the listing counts as no answer; so does an endless loop if the last listed terms were quick."""
    first = suspicion(parsed(HEAVY), of.PRIMES)
    listed = [replace(run, seconds=listed_s) for run in right(of.PRIMES)]
    behind = [replace(ran(59, "", ending=ending), seconds=4.0)]
    assert conclude(first, listed, behind).cheat is cheat


def test_a_busy_machine_convicts_nobody() -> None:
    """Inconclusive runs show nothing."""
    busy = [ran(59, "", ending=Ending.INCONCLUSIVE)]
    assert not conclude(suspicion(parsed(HEAVY), of.PRIMES), right(of.PRIMES), busy).cheat


def test_broken_programs_have_no_end() -> None:
    """A program that breaks before the end of the listing, or is mostly wrong, shows nothing behind it."""
    first, crashes = suspicion(parsed(HEAVY), of.PRIMES), printed(of.PRIMES, *[""] * 6)
    broken = [run if run.input < 30 else replace(run, exit_status=1) for run in right(of.PRIMES)]
    wrong = [run if run.input < 10 else replace(run, stdout="1") for run in right(of.PRIMES)]
    assert conclude(first, right(of.PRIMES), crashes).cheat
    assert not conclude(first, broken, crashes).cheat
    assert not conclude(first, wrong, crashes).cheat


def test_a_complete_listing_is_judged_by_weight_alone() -> None:
    """Nothing lies behind a finite sequence that is listed in full: a heavy program is a table, and is told why."""
    complete = replace(of.PRIMES, keywords=("fini", "full", "nonn"))
    first = suspicion(parsed(HEAVY), complete)
    assert beyond(first, right(complete)) == ()
    judgement = conclude(first, right(complete))
    assert judgement.cheat
    assert "ends with its listing" in judgement.evidence[-1]
    assert not conclude(suspicion(parsed("print(2)"), complete), right(complete)).cheat


def test_polynomials_of_a_low_degree_are_formulas() -> None:
    """Terms that a polynomial of low degree gives are a formula, and no table."""
    values = [str(n * n + 1) for n in (*range(47, 52), 99)]
    heavy = suspicion(parsed(f"p = {[*range(1, 300, 7)]}"), of.SQUARES)
    assert not conclude(heavy, right(of.SQUARES), printed(of.SQUARES, *values)).cheat


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
    assert [suspicion(parsed(form), sequence).given for form in forms] == [1] * 4


@settings(max_examples=60)
@given(st.text())
def test_any_text_is_judged(text: str) -> None:
    """Any text can be judged within a program, and none is certain to cheat."""
    for program in (f"x = {text!r}", f"x = {text.encode('utf-8', 'replace')!r}"):
        assert not suspicion(parsed(program), of.PRIMES).is_certain
