#!/usr/bin/env bash
# cn2an 0.5.24: in its mode for texts that mix digits and numerals, digits alone are read as a float: 9007199254740993 is
# 9007199254740992.0, while the same number in numerals is an exact int. transform() reads the minus of 5-3 as a
# sign, so that it is 'five negative three', and each group of 12,345 as a number of its own.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'cn2an==0.5.24'
cat > program.py <<'PROGRAM'
import cn2an

for text in ("5百", "5", "-9007199254740993", "9007199254740993"):
    print(text, "->", repr(cn2an.cn2an(text, "smart")))
numerals = cn2an.an2cn(9007199254740993)
print(numerals, "->", repr(cn2an.cn2an(numerals, "smart")))
for text in ("5-3", "5-3=2", "12345", "12,345"):
    print(text, "->", cn2an.transform(text, "an2cn"))
PROGRAM
cat > expected.txt <<'EXPECTED'
5百 -> 500
5 -> 5.0
-9007199254740993 -> -9007199254740992.0
9007199254740993 -> 9007199254740992.0
九千零七万一千九百九十二亿五千四百七十四万零九百九十三 -> 9007199254740993
5-3 -> 五负三
5-3=2 -> 五负三=二
12345 -> 一万二千三百四十五
12,345 -> 十二,三百四十五
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
