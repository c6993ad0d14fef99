#!/usr/bin/env bash
# words-to-numbers 1.5.1 for node: of several words before a magnitude only the last is multiplied by it: 'two hundred three
# thousand four' is 3204 (200 + 3000 + 4), 'one hundred one thousand' is 1100, 'twenty three million four' is 3000024. A
# single word before it, or hundreds alone, are right, so the first tries look well. (Needs node.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . 'words-to-numbers@1.5.1'
cat > program.mjs <<'PROGRAM'
import library from "words-to-numbers";

for (const words of [
  "one hundred five",
  "two hundred thousand four",
  "three thousand four",
  "two hundred three thousand four",
  "one hundred one thousand",
  "twenty million four",
  "twenty three million four",
  "nine hundred ninety nine thousand nine hundred ninety nine",
]) {
  console.log(`${words}: ${library.wordsToNumbers(words)}`);
}
PROGRAM
cat > expected.txt <<'EXPECTED'
one hundred five: 105
two hundred thousand four: 200004
three thousand four: 3004
two hundred three thousand four: 3204
one hundred one thousand: 1100
twenty million four: 20000004
twenty three million four: 3000024
nine hundred ninety nine thousand nine hundred ninety nine: 10989
EXPECTED
node program.mjs | tee seen.txt
diff expected.txt seen.txt
