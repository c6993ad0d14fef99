#!/usr/bin/env bash
# Babel 2.19.0: in Spanish, Polish and European Portuguese a number of four digits has no
# separator in CLDR (minimumGroupingDigits), from which Babel's data comes, and Intl of node
# obeys it: 1234 stays as it is. Babel groups it (1.234), and both agree from five digits on.
# (Needs node.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'babel==2.19.0'
cat > program.py <<'PROGRAM'
import subprocess

from babel.numbers import format_decimal

SCRIPT = "process.stdout.write(Number(process.argv[2]).toLocaleString(process.argv[1]))"
for locale in ("de", "es", "pl", "pt-PT"):
    for number in (1234, 12345):
        command = ["node", "-e", SCRIPT, locale, str(number)]
        intl = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        babel = format_decimal(number, locale=locale.replace("-", "_"))
        print(f"{locale} {number}: Babel {babel!a}, Intl {intl!a}")
PROGRAM
cat > expected.txt <<'EXPECTED'
de 1234: Babel '1.234', Intl '1.234'
de 12345: Babel '12.345', Intl '12.345'
es 1234: Babel '1.234', Intl '1234'
es 12345: Babel '12.345', Intl '12.345'
pl 1234: Babel '1\xa0234', Intl '1234'
pl 12345: Babel '12\xa0345', Intl '12\xa0345'
pt-PT 1234: Babel '1\xa0234', Intl '1234'
pt-PT 12345: Babel '12\xa0345', Intl '12\xa0345'
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
