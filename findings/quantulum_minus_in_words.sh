#!/usr/bin/env bash
# quantulum3 0.10.0: "minus five" is -5, "minus 5" and "negative 5" are 5. In "12 - 5 = 7" it finds the 7
# alone, and in "12 - 5" no number at all; "12 + 5 = 17" has three.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'quantulum3==0.10.0'
cat > program.py <<'PROGRAM'
from quantulum3 import parser

for text in ("-5", "minus five", "minus 5", "negative five", "negative 5", "12 - 5", "12 - 5 = 7", "12 + 5 = 17"):
    print(f"{text}:", [quantity.value for quantity in parser.parse(text)])
PROGRAM
cat > expected.txt <<'EXPECTED'
-5: [-5.0]
minus five: [-5.0]
minus 5: [5.0]
negative five: [-5.0]
negative 5: [5.0]
12 - 5: []
12 - 5 = 7: [7.0]
12 + 5 = 17: [12.0, 5.0, 17.0]
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
