#!/usr/bin/env bash
# inflect 7.6.0: number_to_words drops every character that it does not know and joins the
# digits: '5-3' is fifty-three, '1/2' is twelve, '1e3' is thirteen, and a word is zero. A
# minus in front is said, the typographic one (U+2212) is not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'inflect==7.6.0'
cat > program.py <<'PROGRAM'
import inflect

words = inflect.engine().number_to_words
for text in ("-5", "\u22125", "5-3", "1/2", "1e3", "no answer"):
    print(f"{ascii(text)}: {words(text)}")
PROGRAM
cat > expected.txt <<'EXPECTED'
'-5': minus five
'\u22125': five
'5-3': fifty-three
'1/2': twelve
'1e3': thirteen
'no answer': zero
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
