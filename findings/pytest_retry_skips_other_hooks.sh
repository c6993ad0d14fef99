#!/usr/bin/env bash
# pytest-retry 1.7.0: the report of a second try is made without the hook
# pytest_runtest_makereport, so a plugin that grades there never sees it: an answer that is
# graded wrong at the first try passes if that try raised once before.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pytest==9.2.0' 'pytest-retry==1.7.0'
cat > program.py <<'PROGRAM'
import re
import subprocess
import sys
from pathlib import Path

Path("conftest.py").write_text('''
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call" and report.passed:
        report.outcome = "failed"
        report.longrepr = "wrong answer"
    return report
''')
Path("test_grade.py").write_text('''
tries = []

def test_at_once():
    pass

def test_after_an_error():
    tries.append(1)
    if len(tries) == 1:
        raise ConnectionError
''')
for name in ("test_at_once", "test_after_an_error"):
    command = [sys.executable, "-m", "pytest", "-q", "--retries", "1", "-k", name]
    run = subprocess.run(command, capture_output=True, text=True)
    print(f"{name}:", re.sub(r" in .*", "", run.stdout.splitlines()[-1]))
PROGRAM
cat > expected.txt <<'EXPECTED'
test_at_once: 1 failed, 1 deselected
test_after_an_error: 1 passed, 1 deselected, 1 retried
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
