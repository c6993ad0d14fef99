#!/usr/bin/env bash
# pytest-json-report 1.5.0: with pytest's own '-p no:terminal' the run ends with an
# INTERNALERROR before the first test, although the report goes to a file: it reads an option
# that only the terminal plugin defines. JUnit XML and pytest-reportlog 1.0.0 are written as
# usual.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pytest==9.2.0' 'pytest-json-report==1.5.0' 'pytest-reportlog==1.0.0'
cat > program.py <<'PROGRAM'
import subprocess
import sys
from pathlib import Path

Path("test_sum.py").write_text("def test_sum():\n    pass\n")
for file, options in (
    ("report.json", ["--json-report", "--json-report-file=report.json"]),
    ("junit.xml", ["--junit-xml=junit.xml"]),
    ("log.jsonl", ["--report-log=log.jsonl"]),
):
    command = [sys.executable, "-m", "pytest", "-p", "no:terminal", *options]
    run = subprocess.run(command, capture_output=True, text=True)
    print(f"{file}: written {Path(file).exists()}, exit status {run.returncode}")
PROGRAM
cat > expected.txt <<'EXPECTED'
report.json: written False, exit status 3
junit.xml: written True, exit status 0
log.jsonl: written True, exit status 0
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
