#!/usr/bin/env bash
# lm-eval 0.4.13: its filter `regex` returns the first group of the pattern that holds a text, not the match, so a pattern
# of a number with an optional part in brackets cuts the number: with (-?\d+)(\.\d+)? the answer 3.14 is 3, with (-)?(\d+)
# -5 is '-', and with -?\d+(\.\d+)? 3.14 is '.14' and 42 the empty text. Only (?:...) keeps them. Expected: the match, or
# the group that the task names, as group_select chooses among matches.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'lm-eval==0.4.13'
cat > program.py <<'PROGRAM'
from lm_eval.filters.extraction import RegexFilter

replies = ("42", "-5", "3.14", "1,234,567")
patterns = (
    r"(-?\d+)(\.\d+)?",
    r"(-)?(\d+)",
    r"-?\d+(\.\d+)?",
    r"(-?\d{1,3})(,\d{3})*",
    r"-?\d+(?:\.\d+)?",
)
for pattern in patterns:
    answers = RegexFilter(pattern).apply([[reply] for reply in replies], [{}] * len(replies))
    print(pattern, [answer for (answer,) in answers])
PROGRAM
cat > expected.txt <<'EXPECTED'
(-?\d+)(\.\d+)? ['42', '-5', '3', '1']
(-)?(\d+) ['42', '-', '3', '1']
-?\d+(\.\d+)? ['', '', '.14', '']
(-?\d{1,3})(,\d{3})* ['42', '-5', '3', '1']
-?\d+(?:\.\d+)? ['42', '-5', '3.14', '1']
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
