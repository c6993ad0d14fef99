#!/usr/bin/env bash
# pytest-xdist 3.8.0: a property that is a number of a subclass of float (as numpy's are) or
# an integer of 4301 digits ends the whole run with an INTERNALERROR, as execnet cannot send
# it from the worker; the result of the test is lost. Without xdist both pass.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pytest==9.2.0' 'pytest-xdist==3.8.0'
cat > program.py <<'PROGRAM'
import subprocess
import sys
from pathlib import Path

Path("test_scores.py").write_text('''
class Score(float):
    pass

def test_plain(record_property):
    record_property("score", 1.0)

def test_subclass(record_property):
    record_property("score", Score(1.0))

def test_4300_digits(record_property):
    record_property("sum", 10**4299)

def test_4301_digits(record_property):
    record_property("sum", 10**4300)
''')
for name in ("plain", "subclass", "4300_digits", "4301_digits"):
    seen = []
    for options in ([], ["-n", "1"]):
        command = [sys.executable, "-m", "pytest", "-q", "-k", name, *options]
        output = subprocess.run(command, capture_output=True, text=True).stdout
        passed = "1 passed" in output
        failure = "INTERNALERROR" if "INTERNALERROR" in output else output
        seen.append("passed" if passed else failure)
    print(f"{name}: plain {seen[0]}, with -n 1 {seen[1]}")
PROGRAM
cat > expected.txt <<'EXPECTED'
plain: plain passed, with -n 1 passed
subclass: plain passed, with -n 1 INTERNALERROR
4300_digits: plain passed, with -n 1 passed
4301_digits: plain passed, with -n 1 INTERNALERROR
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
