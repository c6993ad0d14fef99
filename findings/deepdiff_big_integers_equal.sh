#!/usr/bin/env bash
# deepdiff 9.1.0: ignore_numeric_type_changes=True, meant to let 1 equal 1.0, also lets two
# integers of 17 digits that differ in the last be equal, as does significant_digits=0. Plain,
# they differ.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'deepdiff==9.1.0'
cat > program.py <<'PROGRAM'
from deepdiff import DeepDiff

for exponent in (14, 15, 16, 20, 30):
    pair = 10**exponent, 10**exponent + 1
    plain = bool(DeepDiff(*pair))
    types = bool(DeepDiff(*pair, ignore_numeric_type_changes=True))
    digits = bool(DeepDiff(*pair, significant_digits=0))
    print(f"10^{exponent} and one more differ: {plain}, types ignored {types}, digits=0 {digits}")
PROGRAM
cat > expected.txt <<'EXPECTED'
10^14 and one more differ: True, types ignored True, digits=0 True
10^15 and one more differ: True, types ignored True, digits=0 True
10^16 and one more differ: True, types ignored False, digits=0 False
10^20 and one more differ: True, types ignored False, digits=0 False
10^30 and one more differ: True, types ignored False, digits=0 False
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
