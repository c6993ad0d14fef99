#!/usr/bin/env bash
# allure-pytest 2.16.2: a report that a hook has turned to failed, with a text that says why,
# is failed in the results without any message: the message comes only from an exception,
# while the terminal, JUnit XML and others show the text of the report.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pytest==9.2.0' 'allure-pytest==2.16.2'
cat > program.py <<'PROGRAM'
import json
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
        report.longrepr = "wrong answer: 41 for 42"
    return report
''')
Path("test_answer.py").write_text("def test_answer():\n    pass\n")
command = [sys.executable, "-m", "pytest", "-q", "--alluredir=results", "--junit-xml=junit.xml"]
output = subprocess.run(command, capture_output=True, text=True).stdout
(file,) = Path("results").glob("*-result.json")
result = json.loads(file.read_text())
print("terminal shows the text:", "41 for 42" in output)
print("JUnit XML shows the text:", "41 for 42" in Path("junit.xml").read_text())
print("allure:", result["status"], result.get("statusDetails"))
PROGRAM
cat > expected.txt <<'EXPECTED'
terminal shows the text: True
JUnit XML shows the text: True
allure: failed None
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
