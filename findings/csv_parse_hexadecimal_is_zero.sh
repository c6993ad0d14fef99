#!/usr/bin/env bash
# csv-parse 7.0.3 for node: with cast: true, a field that JavaScript takes for a number is read by another function, which
# stops at a letter: 0x10 is 0, and so are 0b11 and 0o17, without a word, while 1_000 and 12px stay texts. An answer in
# hexadecimal becomes the wrong answer 0. Expected: 16, or the text. (Needs node.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . 'csv-parse@7.0.3'
cat > program.mjs <<'PROGRAM'
import { parse } from "csv-parse/sync";

const fields = ["10", "1e3", "0x10", "0b11", "0o17", "1_000", "12px"];
for (const field of fields) {
  const [[value]] = parse(field, { cast: true });
  console.log(`${field}: ${typeof value} ${value}, Number gives ${Number(field)}`);
}
PROGRAM
cat > expected.txt <<'EXPECTED'
10: number 10, Number gives 10
1e3: number 1000, Number gives 1000
0x10: number 0, Number gives 16
0b11: number 0, Number gives 3
0o17: number 0, Number gives 15
1_000: string 1_000, Number gives NaN
12px: string 12px, Number gives NaN
EXPECTED
node program.mjs | tee seen.txt
diff expected.txt seen.txt
