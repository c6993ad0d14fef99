#!/usr/bin/env bash
# pytest-sugar 1.1.1: it asks its own function for the status of a report instead of the hook
# pytest_report_teststatus, so what other plugins call 'wrong' or 'unanswered' is counted and
# shown as passed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pytest==9.2.0' 'pytest-sugar==1.1.1'
cat > program.py <<'PROGRAM'
import re
import subprocess
import sys
from pathlib import Path

Path("conftest.py").write_text('''
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report):
    if report.when == "call":
        return "wrong", "w", "WRONG"
''')
Path("test_answer.py").write_text("def test_answer():\n    pass\n")
for name, options in (("plain", ["-p", "no:sugar"]), ("sugar", ["--force-sugar"])):
    command = [sys.executable, "-m", "pytest", "--color=no", *options]
    output = subprocess.run(command, capture_output=True, text=True).stdout
    print(f"{name}:", re.findall(r"\b1 (?:wrong|passed)", output))
PROGRAM
cat > expected.txt <<'EXPECTED'
plain: ['1 wrong']
sugar: ['1 passed']
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
