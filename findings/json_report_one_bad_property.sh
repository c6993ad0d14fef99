#!/usr/bin/env bash
# pytest-json-report 1.5.0: one property of a test that is no JSON (here a set) takes all other
# properties of the test out of the report, with a warning; and the score nan is written as
# the bare word NaN, which a strict reader of JSON refuses.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pytest==9.2.0' 'pytest-json-report==1.5.0'
cat > program.py <<'PROGRAM'
import json
import subprocess
import sys
from pathlib import Path

Path("test_scores.py").write_text('''
def test_kept(record_property):
    record_property("score", 1)
    record_property("kept", 2)

def test_lost(record_property):
    record_property("score", 1)
    record_property("seen", {1, 2})

def test_nan(record_property):
    record_property("score", float("nan"))
''')
command = [sys.executable, "-m", "pytest", "-q", "--json-report"]
subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
text = Path(".report.json").read_text()
kept, lost, _ = json.loads(text)["tests"]
print("test_kept", kept.get("user_properties"))
print("test_lost", lost.get("user_properties"))
print("test_nan written as NaN:", '"score": NaN' in text)
PROGRAM
cat > expected.txt <<'EXPECTED'
test_kept [{'score': 1}, {'kept': 2}]
test_lost None
test_nan written as NaN: True
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
