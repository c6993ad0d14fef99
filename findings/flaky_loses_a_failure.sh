#!/usr/bin/env bash
# flaky 3.8.1: a test marked flaky that a hook has graded as failed (its report, not an
# exception) is reported nowhere: no letter, no count, exit status 0, and the report of flaky
# says 'Success'. Without the mark the same test fails.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pytest==9.2.0' 'flaky==3.8.1'
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
    if report.when == "call":
        report.outcome = "failed"
        report.longrepr = "wrong answer"
    return report
''')
for mark in ("", "@pytest.mark.flaky\n"):
    Path("test_grade.py").write_text(f"import pytest\n\n{mark}def test_answer():\n    pass\n")
    command = [sys.executable, "-m", "pytest", "-q"]
    run = subprocess.run(command, capture_output=True, text=True)
    last = re.sub(r" in .*", "", run.stdout.splitlines()[-1])
    print("flaky:" if mark else "plain:", last, "/ exit status", run.returncode)
print("success reported:", "Success!" in run.stdout)
PROGRAM
cat > expected.txt <<'EXPECTED'
plain: 1 failed / exit status 1
flaky: no tests ran / exit status 0
success reported: True
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
