#!/usr/bin/env bash
# jq 1.13.0 for Python: integers above 2^53 are compared with all their digits, but come out of the same
# filter as the nearest double, so `unique` returns two numbers that are printed alike. Only `tostring` and `tojson`
# show all digits. Expected: what is compared exactly is returned exactly, as Python has integers of any size.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'jq==1.13.0'
cat > program.py <<'PROGRAM'
import jq

sums = "[100000000000000000001, 100000000000000000000]"
for what in (".[0] == .[1]", "unique", "map(tostring)", "map(. + 0) | .[0] == .[1]"):
    print(what, "->", jq.compile(what).input_text(sums).first())
PROGRAM
cat > expected.txt <<'EXPECTED'
.[0] == .[1] -> False
unique -> [100000000000000000000, 100000000000000000000]
map(tostring) -> ['100000000000000000001', '100000000000000000000']
map(. + 0) | .[0] == .[1] -> True
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
