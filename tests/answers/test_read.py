"""The tolerant reading gives the number that a reply intends as its final answer. The question was about 12 and 34."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pytest_llmarith.answers import read
from pytest_llmarith.values import NanReason

OPERANDS = ("12", "34")

ANSWERS = [
    ("\\boxed{\\text{Answer: } 12345}", "12345"),
    ("\\boxed{1} no, \\boxed{12{,}345}", "12345"),
    ("\\boxed{12\\,345\\,678}", "12345678"),
    ("\\[\\boxed{\\mathbf{12345}}\\]", "12345"),
    ("\\boxed{x = 12 \\times 3 = 36}", "36"),
    ("\\fbox{36}", "36"),
    ("12’345’678", "12345678"),
    ("$3.41 \\times 10^{-3}$", "3.41E-3"),
    ("3.41 x 10^17", "3.41E17"),
    ("3.41*10**17", "3.41E17"),
    ("_12345_", "12345"),
    ("- **12345**", "12345"),
    ("\\text{12345}", "12345"),
    ("$12,345.00", "12345.00"),
    ("-$12,345", "-12345"),
    ("$-12345$", "-12345"),
    ("€ 12.345,67", "12345.67"),
    ("99 + 1 = 100\n</think>\n12345", "12345"),
    ("= -12345", "-12345"),
    ("= - 12345", "-12345"),
    ("12345 is the result", "12345"),
    ("12345 apples", "12345"),
    ("- 12345", "-12345"),
    ("\\-12345", "-12345"),
    ("12 + 34 = 46", "46"),
    ("\\frac{12}{34} = 7", "7"),
    ("90250000.000102(4)", "90250000.000102"),
    ("The answer is 12. Wait, that is wrong: the answer is 13.", "13"),
    ("12\nWait, no. 13", "13"),
    ("123.4567 ≈ 123.46", "123.4567"),
    ("The result is 123.4567, which is approximately 123.46.", "123.4567"),
    ("The result is 123.4567 (approximately 1.2 × 10^2).", "123.4567"),
    ("The result is 123.4567, or about 123.", "123.4567"),
    ("12 ÷ 34 ≈ 35.1142", "35.1142"),
    ("Answer: **10400**", "10400"),
    ("10**5", "1E5"),
    ("10^5", "1E5"),
    ("1,23", "1.23"),
    ("0,123", "0.123"),
    ("1.234.567", "1234567"),
    ("1,23,45,678", "12345678"),
    ("The sum of 12 and 34 is 46.", "46"),
    ("The sum of 12 and 34 is about 46.", "46"),
    ("12 + 34 equals **46**.", "46"),
    ("46 is the sum of 12 and 34.", "46"),
    ("46 (rounded to 4 decimal places)", "46"),
    ("The result rounded to 4 decimal places is 46.1235", "46.1235"),
    ("1e9999", "1E9999"),
    ('{"answer": 46}', "46"),
    ('{"result": "46"}', "46"),
    ("| Result | 46 |", "46"),
    ("12*34=408", "408"),
    ("12-34=-22", "-22"),
    ("12 -34 = -22", "-22"),
    ("1. Add the ones: 2 + 4 = 6\n2. Add the tens: 1 + 3 = 4\n3. Combined: 46", "46"),
    ("答案是46", "46"),
    ("结果：46。", "46"),
    (".5", "0.5"),
    ("+46", "46"),
    ("(-46)", "-46"),
    ("'46'", "46"),
    ("[46]", "46"),
    ("46!", "46"),
    ("46 ✓", "46"),
    ("✅ **46**", "46"),
    ("~46", "46"),
    ("12345.67…", "12345.67"),
    ("12345.67...", "12345.67"),
    ("0.123456789e3", "123.456789"),
    ("The final answer is $\\boxed{46}$. I hope it is correct.", "46"),
    ("The answer is 46.\nCheck: 46 - 34 = 12.", "46"),
    ("46\nCheck: 46 - 34 = 12", "46"),
    ("The result is 46. Let me verify: 46 - 34 = 12", "46"),
    ("**46**\n\nVerification: 46 - 12 = 34 ✓", "46"),
    ("Let's compute.\n12 + 34\n= 12 + 30 + 4\n= 42 + 4\n= 46", "46"),
    ("  12\n+ 34\n----\n  46", "46"),
    ("12\n+34\n===\n46", "46"),
    ("So, 12 plus 34 makes 46", "46"),
    ("12 and 34 make 46", "46"),
    ("Result: 1 234 567.89", "1234567.89"),
    ("1 234 567,89", "1234567.89"),
    ("46<|im_end|>", "46"),
    ("9,\\!435,\\!653", "9435653"),
    ("The answer: 46 (12+34)", "46"),
    ("Answer: 46 [12 + 34 = 46]", "46"),
    ("The answer is 46, since 12 + 34 = 46 and 34 + 12 = 46.", "46"),
    ("I made a mistake. The correct answer is 46.", "46"),
    ("46. (Previously I said 45.)", "46"),
    ("The correct result is 46, not 45.", "46"),
    ("The answer is not 45 but 46.", "46"),
    ("negative 46", "-46"),
    ("minus 46", "-46"),
    ("2 + 4 = 6, 1 + 3 = 4, so 46", "46"),
    ("Adding 12 and 34 gives us 46, which has 2 digits.", "46"),
    ("The sum is exactly 46, made of 4 tens and 6 ones.", "46"),
    ("12 + 34 = 46. Ask me again in 2030!", "46"),
    ("Result: 46 (forty-six, in 1 word)", "46"),
    ("≈ 50 (exactly 46)", "46"),
    ("12 plus 34 is 46", "46"),
]

NO_ANSWERS = [
    ("<think>99 + 1 = 100", NanReason.TRUNCATED),
    ("<think>99 + 1 = 100</think>", NanReason.EMPTY),
    ("12 + 34", NanReason.UNREADABLE),
    ("12 × 34", NanReason.UNREADABLE),
    ("\\frac{12}{34}", NanReason.UNREADABLE),
    ("\\boxed{\\frac{12}{34}}", NanReason.UNREADABLE),
    ("I cannot compute this.", NanReason.REFUSAL),
    ("I'm sorry, I can't multiply numbers with 10 digits.", NanReason.REFUSAL),
    ("Sorry, I am unable to compute 12 × 34.", NanReason.REFUSAL),
    ("", NanReason.EMPTY),
    ("   \n ", NanReason.EMPTY),
    ("Hello!", NanReason.UNREADABLE),
    ("...", NanReason.UNREADABLE),
    ("1e999999999999", NanReason.UNREADABLE),
    ("The answer is 1e10000", NanReason.UNREADABLE),
    ("5 × 10^99999", NanReason.UNREADABLE),
    ('"12" "34"', NanReason.UNREADABLE),
    ("4.6<sup>2</sup>", NanReason.UNREADABLE),
    ('<tool_call>\n{"name": "add", "arguments": {"a": 12, "b": 34}}\n</tool_call>', NanReason.UNREADABLE),
]


ADDED, DIVIDED, SUBTRACTED, MULTIPLIED = ("7391", "2846"), ("21034786", "2846"), ("2846", "7391"), ("12.34", "56.78")
PRODUCT = ("1234", "5678")

CHECKS = [
    ("7391\n\n7391 × 2846 = 21034786", DIVIDED, "7391"),
    ("7391 because 7391 × 2846 = 21034786", DIVIDED, "7391"),
    ("10237\n\n10237 - 2846 = 7391", ADDED, "10237"),
    ("144 / 12 = 12", ("144", "12"), "12"),
]

BESIDE_THE_POINT = [
    ("10237 (a 5-digit number)", ADDED, "10237"),
    ("10237, or 0x27FD in hexadecimal", ADDED, "10237"),
    ('{"final_result": 10237, "steps": 3}', ADDED, "10237"),
    ("10137\n\nEdit: 10237", ADDED, "10237"),
    ("-4545 (negative 4545)", ADDED, "-4545"),
    ("2846 leaves no remainder: 7391", DIVIDED, "7391"),
    ("Quotient: 7391\nRemainder: 0", DIVIDED, "7391"),
    ("7391 R 0", DIVIDED, "7391"),
    ("The remainder is 0, so 7391.", DIVIDED, "7391"),
    ("-4545\n\nThe absolute difference is 4545.", SUBTRACTED, "-4545"),
    ("**10237**\n\nConfidence: 95%", ADDED, "10237"),
    ("7391+2846=10237. Carry: 1", ADDED, "10237"),
    ('{"result": 10237, "time_ms": 12}', ADDED, "10237"),
    ('{"x": 10237}', ADDED, "10237"),
    ("The sum is 10237.\n\n- First number: 7391\n- Second number: 2846", ADDED, "10237"),
    ("Multiplying the two obtains 234 first, then 7006652.", PRODUCT, "7006652"),
    ("The sum is 10237, first of all.", ADDED, "10237"),
    ("This results in 2021.", ADDED, "2021"),
    ("2846 goes into it 7391 times with 0 left over.", DIVIDED, "7391"),
    ("The quotient is 7391 (21034786 mod 2846 = 0).", DIVIDED, "7391"),
    ("10237\n\nThat is 38% more than 7391.", ADDED, "10237"),
    ("**10237**\n\nThe last digit is 7, as expected.", ADDED, "10237"),
    ("**10237**\n\nDigit sum: 13", ADDED, "10237"),
    ("1. 7391 + 2846 = 10237\n2. Digit sum: 13", ADDED, "10237"),
    ("The 5-digit sum is 10237.", ADDED, "10237"),
    ("The sum is 10237. In binary: 10011111111101", ADDED, "10237"),
    ("The sum is 10237. Its square root is 101.", ADDED, "10237"),
    ("7391 plus 2846 is equal to 10237, up from 7391 by 2846.", ADDED, "10237"),
    ("10237 (10,200 to 3 significant figures)", ADDED, "10237"),
    ("7391\n\nThe remainder is 21034786 - 2846 × 7391 = 0.", DIVIDED, "7391"),
    ("21034786 ÷ 2846 = 7391\n\nRemainder: 21034786 - 2846 × 7391 = 0", DIVIDED, "7391"),
    ("21034786 mod 2846 = 0, so 21034786 ÷ 2846 = 7391 (not 7392)", DIVIDED, "7391"),
    ("Step 4: 2846 ÷ 2846 = 1, remainder 0\n\nReading the digits: 7391", DIVIDED, "7391"),
    ("The sum is 10237, where a = 7391 and b = 2846.", ADDED, "10237"),
    ("a = 7391\nb = 2846\na + b = 10237, that is a + b", ADDED, "10237"),
    ("x = 12", ("144", "12"), "12"),
    ("10237 (inputs: 7391, 2846)", ADDED, "10237"),
    ("It comes to 10237.\n\nHere, lhs = 7391 and rhs = 2846.", ADDED, "10237"),
    ("lhs = 7391\nrhs = 2846\nlhs + rhs = 10237", ADDED, "10237"),
    ("Let lhs = 1234 and rhs = 5678. Then lhs x rhs = **7006652**", PRODUCT, "7006652"),
    ("The first number is 7391. The first number plus the second is 10237.", ADDED, "10237"),
    ("Quotient: 7391; leftover: 0", DIVIDED, "7391"),
    ("The division is exact - remainder: 0. So 7391", DIVIDED, "7391"),
    ("The dividend is 21034786. Dividend divided by divisor is 7391.", DIVIDED, "7391"),
    ("结果是-4545", SUBTRACTED, "-4545"),
]

ESTIMATES = [
    ("7,006,652 (estimate: 1,200 × 6,000 ≈ 7,200,000)", PRODUCT, "7006652"),
    ("7,006,652\n\nEstimate: 1,200 × 6,000 = 7,200,000, which is close.", PRODUCT, "7006652"),
    ("It is 7,006,652. Sanity: 1,200 × 6,000 = 7,200,000 ✓", PRODUCT, "7006652"),
    ("It is 7,006,652. Modulo 9: 1 × 8 = 8", PRODUCT, "7006652"),
    ("Estimate: 1,200 × 6,000 = 7,200,000. Exact: 7,006,652", PRODUCT, "7006652"),
    ("1,200 × 6,000 ≈ 7,200,000 (estimate).\n1,234 × 5,678 = 7,006,652", PRODUCT, "7006652"),
    ("I estimate 7,200,000, but exactly it is 7,006,652 (not 7).", PRODUCT, "7006652"),
    ("I estimate 7,200,000", PRODUCT, "7200000"),
]

WORKING = "\n1 + 6 = 7\n9 + 4 = 13 (carry the 1)\n3 + 8 + 1 = 12 (carry the 1)\n7 + 2 + 1 = 10"
EXPLANATIONS = [
    ("10,237\n\nExplanation:" + WORKING, ADDED, "10237"),
    ("Column by column:" + WORKING + "\n10237", ADDED, "10237"),
    ("10237.\nCheck: 1 + 6 = 7", ADDED, "10237"),
    ("7391 + 2846 = 10237\n\nIn columns:" + WORKING, ADDED, "10237"),
    ("7391 + 2846 = 10237. Ones: 1 + 6 = 7, tens: 9 + 4 = 13.", ADDED, "10237"),
    ("The sum of 7391 and 2846 is 10237. Tens: 9 + 4 = 13.", ADDED, "10237"),
    ("1234 x 5678 = 7006652. 1234 × 5000 = 6170000 and 1234 × 678 = 836652.", PRODUCT, "7006652"),
    ("1234 × 5678 = 7006552. More exactly: 7006652", PRODUCT, "7006652"),
    ("7391 - 2846 = 4545, so 2846 - 7391 = -4545", SUBTRACTED, "-4545"),
    ("2846 - 7391 = -4545, as 7391 - 2846 = 4545", SUBTRACTED, "-4545"),
    ("The difference is 4545.\n\nSince 2846 < 7391, the result is -4545.", SUBTRACTED, "-4545"),
    ("The difference is 4545, but since 2846 is smaller the result is -4545.", SUBTRACTED, "-4545"),
    ("The sum is 10237.\n\nHere is the breakdown:" + WORKING, ADDED, "10237"),
    ("We add 7391 and 2846.\n\nSteps:" + WORKING + "\nSo 10237", ADDED, "10237"),
    ("The larger number is 7391.\n\nSteps:" + WORKING + "\nSo 10237", ADDED, "10237"),
    ("The result is 10237.\n\nBreaking this down:" + WORKING, ADDED, "10237"),
    ("10237\n\nColumn by column:" + WORKING, ADDED, "10237"),
    ("10137\n\n7391 + 2846 = 10237", ADDED, "10237"),
    ("The result is 700.6652, which has 4 decimal places since 2 + 2 = 4.", MULTIPLIED, "700.6652"),
    ("Since 7391 + 2846 = 10237, the sum has 5 digits.", ADDED, "10237"),
]

SECOND_ATTEMPTS = [
    ("604 + 177 = 771 without the carry.\nWith the carry: 771 + 10 = 781", ("604", "177"), "781"),
    ("12 × 34 = 400. Recomputing: 12 × (30 + 4) = 360 + 48 = 408", OPERANDS, "408"),
    ("The answer is 418. Redo: 12 × 34 = 408", OPERANDS, "408"),
    ("The answer is 418. Hmm, 12 × 34 = 408", OPERANDS, "408"),
    ("0.5 ÷ 8 = 0 with 0.5 left\n0.5 ÷ 8 = 5 ÷ 80 = 0.0625", ("0.5", "8"), "0.0625"),
    ("12.34 ÷ 5.67 = 2.1\nWith more digits: 1234 ÷ 567 = 2.1764", ("12.34", "5.67"), "2.1764"),
]

CORRECTIONS = [
    ("The answer is 10137. No, that's wrong. It is 10237.", ADDED, "10237"),
    ("The answer is 10137. Hmm, let me recheck: 1 + 6 = 7. So it's 10237", ADDED, "10237"),
    ("10237\n\nLet me recheck: 10237 - 2846 = 7391", ADDED, "10237"),
    ("I think it is 10137... no, 10237.", ADDED, "10237"),
    ("10137 — no, it's **10237**.", ADDED, "10237"),
    ("10237. Does it need rounding? No, 2 decimals would do.", ADDED, "10237"),
    ("21034786 ÷ 2846 = 7391. Any remainder? No, 0.", DIVIDED, "7391"),
    ("Sum: 10237\nIs the last digit even? No, 7 is what it is.", ADDED, "10237"),
    ("Is it 10137? No, it's 10237.", ADDED, "10237"),
    ("10237. Wait, that has 5 digits.", ADDED, "10237"),
    ("10237. A common mistake is to answer 10137.", ADDED, "10237"),
    ("The typical error here is 10137. The sum: 10237", ADDED, "10237"),
    ("~~10137~~ 10237", ADDED, "10237"),
    ("**10237** ~~10137~~", ADDED, "10237"),
    ("<scratchpad>10137</scratchpad>10237", ADDED, "10237"),
    ("The answer is 10137. Hold on: 7391 + 2846 = 10237.", ADDED, "10237"),
    ("The answer is 10237. We hold on to 1 carry in the first column: 1 + 6 = 7.", ADDED, "10237"),
    ("The answer is 10137. On second thought, 7391 + 2846 = 10237.", ADDED, "10237"),
    ("The answer is 10137.\n\nLet me try again.\n7391 + 2846 = 10237", ADDED, "10237"),
    ("The answer is 10137. Hmm, that doesn't look right. 7391 + 2846 = 10237", ADDED, "10237"),
    ("The answer is 10137. I made an error: 7391 + 2846 = 10237", ADDED, "10237"),
    ("The answer is 10237. Tell me if I made a mistake in 1 of 2 places.", ADDED, "10237"),
    ("The sum is 10237. My earlier answer of 10137 was incorrect.", ADDED, "10237"),
    ("The sum is 10237. Note: 10137 would be wrong.", ADDED, "10237"),
]

ROUNDINGS = [
    ("700.6652\n\nRounded to two decimal places: 700.67", MULTIPLIED, "700.6652"),
    ("12.34 × 56.78 = 700.6652. To two decimals it is 700.67.", MULTIPLIED, "700.6652"),
    ("12.34 × 56.78 = 700.6652\n\nRounded to two decimal places: **700.67**", MULTIPLIED, "700.67"),
    ("Rounded to two decimal places: 700.67", MULTIPLIED, "700.67"),
    ("7,006,652\n\nRounded to the nearest thousand: 7,007,000", PRODUCT, "7006652"),
    ("The product is 7,006,652 (approx. 7,010,000).", PRODUCT, "7006652"),
    ("7,006,652, or in scientific notation: 7.01 × 10^6", PRODUCT, "7006652"),
    ("7,006,652 = 7.0 × 10⁶", PRODUCT, "7006652"),
    ("7006652\n7.007e6", PRODUCT, "7006652"),
    ("7,006,652 is the product of 1,234 and 5,678.\n\nIn scientific notation: 7.01 × 10^6", PRODUCT, "7006652"),
    ("7,006,652\n\n- Scientific: 7.01e6\n- Rounded: 7,010,000", PRODUCT, "7006652"),
    ("1,485, or about 1,000", ("15", "99"), "1485"),
]

IN_WORDS = [
    ("**7006652** (about **7** million)", PRODUCT, "7006652"),
    ("$7{,}006{,}652 \\approx 7.0 \\text{ million}$", PRODUCT, "7006652"),
    ("7006652 (approximately 7M)", PRODUCT, "7006652"),
    ("7,006,652, which is 7.006652M", PRODUCT, "7006652"),
    ("It is 7106652. No, so it is 7.006652 million", PRODUCT, "7006652"),
    ("7006652, that is 7.01mn", PRODUCT, "7006652"),
    ("7,006,652 (70 lakh)", PRODUCT, "7006652"),
    ("7,006,652, which is 0.7 crore", PRODUCT, "7006652"),
    ("7,006,652, which is seven thousand thousand, or 7 thousand thousand", PRODUCT, "7006652"),
    ("7006652\n\nThat is 7-million odd.", PRODUCT, "7006652"),
    ("About 7 million (7,006,652)", PRODUCT, "7006652"),
    ("It's roughly 7 million. To be exact, 7,006,652.", PRODUCT, "7006652"),
    ("It is 7 million 6 thousand 652, i.e. 7006652.", PRODUCT, "7006652"),
    ("It lies between 6 million and 8 million: 7006652.", PRODUCT, "7006652"),
    ("1.2 thousand × 5.7 thousand ≈ 6.84 million. Exactly: 7,006,652", PRODUCT, "7006652"),
    ("1.999 × 10^9, or 2 billion", PRODUCT, "1999000000"),
    ("1485, about 1 thousand", ("15", "99"), "1485"),
    ("about 7 million", PRODUCT, "7000000"),
    ("The answer is 7 million.", PRODUCT, "7000000"),
    ("7006652\n\nThe final answer is 7 million.", PRODUCT, "7000000"),
    ("\\boxed{7.006652 \\text{ million}}", PRODUCT, "7006652"),
    ("5 billion times 3 is 15 billion", ("5000000000", "3"), "15000000000"),
    ("5 billion and 3: 15000000000", ("5000000000", "3"), "15000000000"),
    ("3.5 hundred million", PRODUCT, "350000000"),
    ("46 K", ADDED, "46"),
    ("46K", ADDED, "46000"),
    ("46 kids", ADDED, "46"),
    ("46 millionaires", ADDED, "46"),
]

GROUPS = [
    ("100, 200 and 300, so 600", ADDED, "600"),
]

SIGNS = [
    ("$-\\boxed{4545}$", SUBTRACTED, "-4545"),
    ("The answer is -**4545**", SUBTRACTED, "-4545"),
    ("2846 -**7391** = **-4545**", SUBTRACTED, "-4545"),
    ("Results:\n- 4545\n- 4546", SUBTRACTED, "4546"),
    ("The sum — 4545", SUBTRACTED, "4545"),
    ("— so it is — 4545", SUBTRACTED, "4545"),
]

ROOT, HALF = ("144", "12"), ("46", "23")
PARTS = "1234 × 5000 = 6170000\n1234 × 600 = 740400\n1234 × 78 = 96252"
BULLETS = "- " + PARTS.replace("\n", "\n- ")

CORRECTED_BOXES = [
    ("\\boxed{10137}\n\nWait, I made an error in the tens place. The correct answer is 10237.", ADDED, "10237"),
    ("\\boxed{10137}\n\nWait, that's wrong. 7391 + 2846 = 10237", ADDED, "10237"),
    ("$$\\boxed{10137}$$\n\nActually, let me recheck: 7391 + 2846 = **10237**.", ADDED, "10237"),
    ("\\boxed{10137}\n\nAttendez, j'ai fait une erreur. La bonne réponse est 10237.", ADDED, "10237"),
    ("\\boxed{10137}\n\n等等，我算错了。正确答案是10237。", ADDED, "10237"),
    ("\\boxed{10237}\n\nWait, let me double-check: 10237 - 2846 = 7391 ✓", ADDED, "10237"),
    ("\\boxed{10237}\n\nLet me verify: 7000 + 2000 = 9000 and 391 + 846 = 1237.", ADDED, "10237"),
    ("\\boxed{10137}\n\nWait, I made an error. The correct answer is:\n\n\\boxed{10237}", ADDED, "10237"),
]

ANSWERS_ABOVE_THEIR_WORKING = [
    (f"**7006652**\n\n{BULLETS}", PRODUCT, "7006652"),
    (f"**7006652**\n\n{PARTS}", PRODUCT, "7006652"),
    (f"7,006,652\n\n```\n{PARTS}\n```", PRODUCT, "7006652"),
    (f"**7006652**\n\n步骤：\n{BULLETS}", PRODUCT, "7006652"),
    (f"7006652\n\nÉtapes :\n{PARTS}", PRODUCT, "7006652"),
    (f"**Answer: 7006652**\n\n{BULLETS}", PRODUCT, "7006652"),
    (f"**答案：7006652**\n\n{PARTS}", PRODUCT, "7006652"),
    (f"1234 × 5678 = **7006652**\n\n{BULLETS}", PRODUCT, "7006652"),
    (f"The product is 7006652.\n\n{PARTS}", PRODUCT, "7006652"),
    (f"7006552\n\n{PARTS}\n\n1234 × 5678 = 7006652", PRODUCT, "7006652"),
]

CHECKS_OF_AN_OPERAND = [
    ("12\n\nCheck: 12 × 12 = 144", ROOT, "12"),
    ("**12**\n\nCheck: 12 × 12 = 144 ✓", ROOT, "12"),
    ("23\nCheck: 23 + 23 = 46", HALF, "23"),
    ("12\n\n检验：12 × 12 = 144", ROOT, "12"),
    ("The quotient is 12, because 12 × 12 = 144.", ROOT, "12"),
    ("7391\n\nProbe: 7391 · 2846 = 21034786", DIVIDED, "7391"),
    ("7006652\n\nProbe: 7006652 : 1234 = 5678", PRODUCT, "7006652"),
    ("21034786 : 2846 = 7391", DIVIDED, "7391"),
]

OTHER_FORMS = [
    ("<think>\n12 times that is about 34, so it should be \\boxed{46}", ("12", "34"), "46"),
    ("<think>\n7391 + 2846 = 10137? No.\n\nThe final answer is \\boxed{10237}.", ADDED, "10237"),
    ("Result: 10237\nTime: 0.02 s", ADDED, "10237"),
    ("Ergebnis: 10237\nZeit: 0,02 s", ADDED, "10237"),
    ("The sum is 10237. A common mistake is forgetting the carry, which gives 9137.", ADDED, "10237"),
    ("10237\n\nA common mistake is to drop the carry, which gives 10137.", ADDED, "10237"),
    ("10237。常见的错误是忘记进位，得到10137。", ADDED, "10237"),
    ("The sum is 10237¹", ADDED, "10237"),
    ("10237¹\n\n¹ rounded to the nearest integer", ADDED, "10237"),
    ("10237 [^1^]", ADDED, "10237"),
    ("-4545 (the magnitude is 4545)", SUBTRACTED, "-4545"),
    ("−4545 (der Betrag ist 4545)", SUBTRACTED, "-4545"),
    ("minus 4545", SUBTRACTED, "-4545"),
    ("The answer is negative 4545.", SUBTRACTED, "-4545"),
    ("2846 minus 7391 is minus 4545.", SUBTRACTED, "-4545"),
    ("Das Ergebnis ist minus 4545.", SUBTRACTED, "-4545"),
    ("结果是负4545。", SUBTRACTED, "-4545"),
    ("マイナス4545", SUBTRACTED, "-4545"),
    ("The result is 10137, or rather 10237.", ADDED, "10237"),
    ("Das ist 10137, vielmehr 10237.", ADDED, "10237"),
]

# Magnitudes of other languages are read, or the reply has no answer; a part of the number is never read.
IN_OTHER_MAGNITUDES = [
    ("15万5736", "155736"),
    ("答案是15万5736。", "155736"),
    ("答えは15万5736です", "155736"),
    ("约为479万", "4790000"),
    ("479万", "4790000"),
    ("1亿2345万6789", "123456789"),
    ("3억 4500만", "345000000"),
    ("約1億2345万", "123450000"),
]


BESIDE_OTHERS = [
    *CHECKS,
    *BESIDE_THE_POINT,
    *EXPLANATIONS,
    *SECOND_ATTEMPTS,
    *CORRECTIONS,
    *ROUNDINGS,
    *IN_WORDS,
    *ESTIMATES,
    *GROUPS,
    *SIGNS,
    *CORRECTED_BOXES,
    *ANSWERS_ABOVE_THEIR_WORKING,
    *CHECKS_OF_AN_OPERAND,
    *OTHER_FORMS,
]


@pytest.mark.parametrize(("text", "answer"), ANSWERS)
def test_the_final_answer_is_read(text: str, answer: str) -> None:
    """The number that the reply gives in the end, however it is written and whatever stands around it."""
    assert read(text, OPERANDS).tolerant == Decimal(answer)


@pytest.mark.parametrize(("text", "reason"), NO_ANSWERS)
def test_no_answer_has_a_reason(text: str, reason: NanReason) -> None:
    """Where no number is given, the reading says why."""
    readings = read(text, OPERANDS)
    assert (readings.tolerant, readings.reason) == (None, reason)


def test_an_operand_may_be_the_answer() -> None:
    """144 / 12 is 12: a number equal to an operand is the answer where the reply gives no other, or presents it."""
    for text in ("**12**", "12.", "12\n\n**12**", "144 / 12 = 12", "The quotient is 12."):
        assert read(text, ("144", "12")).tolerant == Decimal(12)


@pytest.mark.parametrize(("text", "operands", "answer"), BESIDE_OTHERS)
def test_the_answer_stands_beside_other_numbers(text: str, operands: tuple[str, str], answer: str) -> None:
    """Checks, workings, roundings, what was taken back: all are passed over, and a sign that stands apart is kept."""
    assert read(text, operands).tolerant == Decimal(answer)


@pytest.mark.parametrize(("text", "whole"), IN_OTHER_MAGNITUDES)
def test_a_part_of_a_number_is_no_answer(text: str, whole: str) -> None:
    """The whole number is read, or none."""
    assert read(text, OPERANDS).tolerant in (None, Decimal(whole))


def test_an_unfinished_thought_without_a_box_has_no_answer() -> None:
    """A box in an unfinished thought is an answer, a number is not."""
    assert read("<think>\n7391 + 2846 = 10237", ADDED).tolerant is None


def test_a_decimal_answer_to_an_integer_question_is_read_as_it_stands() -> None:
    """The strict reading has no integer there; the tolerant one does not cut the decimals off."""
    readings = read("784.1", ("1568", "2"))
    assert (readings.tolerant, readings.strict) == (Decimal("784.1"), None)


def test_a_number_that_the_edge_of_a_long_reply_cuts_is_left_out() -> None:
    """Only the end of a long reply is looked at, and never a part of a number."""
    assert read("= " + "7" * 40_000).tolerant is None
    assert read("= " + "7" * 40_000 + "\nThe answer is 5").tolerant == Decimal(5)


def test_a_long_bare_number_is_read_whole() -> None:
    """A reply that is a bare number is read whole, however long it is."""
    assert read("7" * 40_000).tolerant == Decimal("7" * 40_000)
