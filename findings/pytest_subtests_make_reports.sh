#!/usr/bin/env bash
# pytest 9.2.0: with its own subtests the hook pytest_runtest_makereport runs inside the call
# of the test, once for each subtest, with when='call'. A plugin that keeps or pays for
# something at each 'call' report does so four times for one test of three subtests; and the
# report that it saw passed at the end is logged as failed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pytest==9.2.0'
cat > program.py <<'PROGRAM'
import subprocess
import sys
from pathlib import Path

Path("conftest.py").write_text('''
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    print("made", report.when, type(report).__name__, report.outcome)
    return report

def pytest_runtest_logreport(report):
    print("\\nlogged", report.when, type(report).__name__, report.outcome)
''')
Path("test_sums.py").write_text('''
def test_sums(subtests):
    for right in (True, False, True):
        with subtests.test(right=right):
            assert right
''')
command = [sys.executable, "-m", "pytest", "-q", "-s"]
output = subprocess.run(command, capture_output=True, text=True).stdout
print("\n".join(x for x in output.splitlines() if x.startswith(("made call", "logged call"))))
PROGRAM
cat > expected.txt <<'EXPECTED'
made call TestReport passed
logged call SubtestReport passed
made call TestReport failed
logged call SubtestReport failed
made call TestReport passed
logged call SubtestReport passed
made call TestReport passed
logged call TestReport failed
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
