#!/usr/bin/env bash
# dspy 3.4.1: its exact match drops all punctuation of both texts, as that of SQuAD does, so -5 matches 5, 1.5 matches
# 15 and 3/4 matches 34: a wrong number counts as right. Expected of an exact match of answers that are numbers: none
# of these.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'dspy==3.4.1'
cat > program.py <<'PROGRAM'
from dspy.evaluate.metrics import EM

for answer, truth in (("5", "-5"), ("15", "1.5"), ("34", "3/4"), ("105", "10^5"), ("16", "15")):
    print(f"{answer} for {truth}: {EM(answer, [truth])}")
PROGRAM
cat > expected.txt <<'EXPECTED'
5 for -5: True
15 for 1.5: True
34 for 3/4: True
105 for 10^5: True
16 for 15: False
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
