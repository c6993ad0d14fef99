#!/usr/bin/env bash
# humanize 4.17.0: intcomma of an integer is exact, but with ndigits=0 it goes through a float
# and shows other digits; a decimal string with many digits is shown with an exponent and
# without a comma.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'humanize==4.17.0'
cat > program.py <<'PROGRAM'
import humanize

NUMBER = 100000000000000000000001
print(humanize.intcomma(NUMBER))
print(humanize.intcomma(NUMBER, 0))
print(humanize.intcomma("12345678901234567890.5"))
PROGRAM
cat > expected.txt <<'EXPECTED'
100,000,000,000,000,000,000,001
100,000,000,000,000,008,388,608
1.2345678901234567e+19
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
