#!/usr/bin/env bash
# pint 0.25.3: a number with spaces or several points is not refused but multiplied: the
# quantity '12 345' is 4140 (12 times 345), '1.234.567' is 1.234 times .567. A comma is
# dropped, so '1,5' is 15.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pint==0.25.3'
cat > program.py <<'PROGRAM'
import pint

units = pint.UnitRegistry()
for text in ("12 345", "1.234.567", "1,234", "1,5"):
    print(f"{text}: {units.Quantity(text).magnitude:.6g}")
PROGRAM
cat > expected.txt <<'EXPECTED'
12 345: 4140
1.234.567: 0.699678
1,234: 1234
1,5: 15
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
