#!/usr/bin/env bash
# pycnnum 2.1.1: num2cn passes an int through a float: from 17 digits on the last numerals are others, and its own cn2num
# reads another number. The same digits as a str keep all of them; a negative int raises ValueError. Expected: an int
# is exact.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pycnnum==2.1.1'
cat > program.py <<'PROGRAM'
from pycnnum import cn2num, num2cn

for number in (123456789, 1234567890123456, 12345678901234567, 123456789012345678901):
    words, from_text = num2cn(number), num2cn(str(number))
    print(number, "->", words, cn2num(words), cn2num(from_text) == number)
try:
    num2cn(-5)
except ValueError as error:
    print(-5, "->", error)
PROGRAM
cat > expected.txt <<'EXPECTED'
123456789 -> 一亿二千三百四十五万六千七百八十九 123456789 True
1234567890123456 -> 一千二百三十四兆五千六百七十八亿九千零一十二万三千四百五十六 1234567890123456 True
12345678901234567 -> 一京二千三百四十五兆六千七百八十九亿零一百二十三万四千五百六十八 12345678901234568 False
123456789012345678901 -> 一垓二千三百四十五京六千七百八十九兆零一百二十三亿四千五百六十八万三千九百六十八 123456789012345683968 False
-5 -> invalid literal for int() with base 10: '-'
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
