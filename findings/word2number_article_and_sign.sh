#!/usr/bin/env bash
# word2number 1.1: words that it does not know change the value instead of being refused.
# The article in 'a hundred and five' makes it 500, a sign is dropped, a magnitude behind a
# decimal is dropped, and two numbers become their sum.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'word2number==1.1'
cat > program.py <<'PROGRAM'
from word2number import w2n

for words in (
    "a hundred and five",
    "one hundred and five",
    "minus five",
    "five point five million",
    "three and two",
):
    print(f"{words}: {w2n.word_to_num(words)}")
PROGRAM
cat > expected.txt <<'EXPECTED'
a hundred and five: 500
one hundred and five: 105
minus five: 5
five point five million: 5
three and two: 5
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
