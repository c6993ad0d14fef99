#!/usr/bin/env bash
# mathruler 0.1.0: grade_answer, a reward of training by reinforcement, holds integers of 17 digits that differ in the
# last for equal, as their doubles are, while 6/4 is not equal to 3/2, although each is equal to 1.5. Expected of a grader
# of mathematics: integers are compared by all digits, fractions by value.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'mathruler==0.1.0' 'sympy==1.14.0' 'pylatexenc==2.11' 'tqdm==4.70.1'
cat > program.py <<'PROGRAM'
from mathruler.grader import grade_answer

for given, right in (
    ("1234567890123456", "1234567890123457"),
    ("12345678901234567", "12345678901234568"),
    ("1000000000000000000001", "1000000000000000000000"),
    ("1.5", "3/2"),
    ("6/4", "1.5"),
    ("6/4", "3/2"),
    ("4/2", "2"),
):
    print(given, right, grade_answer(given, right))
PROGRAM
cat > expected.txt <<'EXPECTED'
1234567890123456 1234567890123457 False
12345678901234567 12345678901234568 True
1000000000000000000001 1000000000000000000000 True
1.5 3/2 True
6/4 1.5 True
6/4 3/2 False
4/2 2 False
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
