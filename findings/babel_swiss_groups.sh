#!/usr/bin/env bash
# Babel 2.19.0: in Swiss locales 1234 has an apostrophe between its groups and 1234567 has
# none at all; in German or French of other countries both have. CLDR, from which Babel's data
# comes, groups both (1’234’567).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'babel==2.19.0'
cat > program.py <<'PROGRAM'
from babel.numbers import format_decimal

for locale in ("de", "de_CH", "fr_CH", "it_CH"):
    small, large = (format_decimal(n, locale=locale) for n in (1234, 1234567))
    print(f"{locale:5} {small} {large}")
PROGRAM
cat > expected.txt <<'EXPECTED'
de    1.234 1.234.567
de_CH 1'234 1234567
fr_CH 1'234 1234567
it_CH 1'234 1234567
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
