#!/usr/bin/env bash
# whisper-normalizer 0.1.15: the English normalizer, meant to make texts comparable, writes
# the digit 1 as the word 'one' in some numbers: '1/3' is 'one 3' and '1.234.567' is
# 'one.234.567', while '2/3' is '2 3'. The sign of -5 is dropped, that of 'minus five' becomes
# -5.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'whisper-normalizer==0.1.15'
cat > program.py <<'PROGRAM'
from whisper_normalizer.english import EnglishTextNormalizer

normalize = EnglishTextNormalizer()
for text in ("1/3", "2/3", "1e3", "1.234.567", "2.234.567", "-5", "minus five"):
    print(f"{text}: {normalize(text)!r}")
PROGRAM
cat > expected.txt <<'EXPECTED'
1/3: 'one 3'
2/3: '2 3'
1e3: 'one e 3'
1.234.567: 'one.234.567'
2.234.567: '2.234.567'
-5: '5'
minus five: '-5'
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
