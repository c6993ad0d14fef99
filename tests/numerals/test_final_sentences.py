"""Replies that were misread: corrections after a box, answers above their working, checks, footnotes, signs in words.

Each form stands in English, and in other languages where models write it so.
"""

from __future__ import annotations

from decimal import Decimal

import pytest

from pytest_llmarith.numerals import read

ADD, DIVIDE, SUBTRACT = ("7391", "2846"), ("21034786", "2846"), ("2846", "7391")
MULTIPLY, ROOT, HALF = ("1234", "5678"), ("144", "12"), ("46", "23")
PARTS = "1234 × 5000 = 6170000\n1234 × 600 = 740400\n1234 × 78 = 96252"
BULLETS = "- " + PARTS.replace("\n", "\n- ")

CORRECTED_BOXES = [
    ("\\boxed{10137}\n\nWait, I made an error in the tens place. The correct answer is 10237.", ADD, "10237"),
    ("\\boxed{10137}\n\nWait, that's wrong. 7391 + 2846 = 10237", ADD, "10237"),
    ("$$\\boxed{10137}$$\n\nActually, let me recheck: 7391 + 2846 = **10237**.", ADD, "10237"),
    ("\\boxed{10137}\n\nMoment, da ist mir ein Fehler unterlaufen. Die richtige Antwort ist 10237.", ADD, "10237"),
    ("\\boxed{10137}\n\nAttendez, j'ai fait une erreur. La bonne réponse est 10237.", ADD, "10237"),
    ("\\boxed{10137}\n\nEspera, cometí un error. La respuesta correcta es 10237.", ADD, "10237"),
    ("\\boxed{10137}\n\n等等，我算错了。正确答案是10237。", ADD, "10237"),
    ("\\boxed{10137}\n\n待って、間違えました。正しい答えは10237です。", ADD, "10237"),
    ("\\boxed{10237}\n\nWait, let me double-check: 10237 - 2846 = 7391 ✓", ADD, "10237"),
    ("\\boxed{10237}\n\nLet me verify: 7000 + 2000 = 9000 and 391 + 846 = 1237.", ADD, "10237"),
    ("\\boxed{10137}\n\nWait, I made an error. The correct answer is:\n\n\\boxed{10237}", ADD, "10237"),
]

ANSWERS_ABOVE_THEIR_WORKING = [
    (f"**7006652**\n\n{BULLETS}", MULTIPLY, "7006652"),
    (f"**7006652**\n\n{PARTS}", MULTIPLY, "7006652"),
    (f"7,006,652\n\n```\n{PARTS}\n```", MULTIPLY, "7006652"),
    (f"**7006652**\n\n```\n{PARTS}\n```", MULTIPLY, "7006652"),
    (f"**7006652**\n\nRechenweg:\n{PARTS}", MULTIPLY, "7006652"),
    (f"**7006652**\n\n步骤：\n{BULLETS}", MULTIPLY, "7006652"),
    (f"7006652\n\nPasos:\n{BULLETS}", MULTIPLY, "7006652"),
    (f"7006652\n\nÉtapes :\n{PARTS}", MULTIPLY, "7006652"),
    (f"7006652\n\nРешение:\n{PARTS}", MULTIPLY, "7006652"),
    (f"7006652\n\n풀이:\n{PARTS}", MULTIPLY, "7006652"),
    (f"**Answer: 7006652**\n\n{BULLETS}", MULTIPLY, "7006652"),
    (f"**答案：7006652**\n\n{PARTS}", MULTIPLY, "7006652"),
    (f"1234 × 5678 = **7006652**\n\n{BULLETS}", MULTIPLY, "7006652"),
    (f"The product is 7006652.\n\n{PARTS}", MULTIPLY, "7006652"),
    (f"7006552\n\n{PARTS}\n\n1234 × 5678 = 7006652", MULTIPLY, "7006652"),
]

CHECKS_OF_AN_OPERAND = [
    ("12\n\nCheck: 12 × 12 = 144", ROOT, "12"),
    ("**12**\n\nCheck: 12 × 12 = 144 ✓", ROOT, "12"),
    ("23\nCheck: 23 + 23 = 46", HALF, "23"),
    ("23\n\nProbe: 23 + 23 = 46", HALF, "23"),
    ("12\n\n检验：12 × 12 = 144", ROOT, "12"),
    ("The quotient is 12, because 12 × 12 = 144.", ROOT, "12"),
    ("7391\n\nProbe: 7391 · 2846 = 21034786", DIVIDE, "7391"),
    ("Ergebnis: 7006652\n\nProbe: 7006652 : 5678 = 1234", MULTIPLY, "7006652"),
    ("7006652\n\nProbe: 7006652 : 1234 = 5678", MULTIPLY, "7006652"),
    ("7006652\n\nPreuve : 7006652 : 5678 = 1234", MULTIPLY, "7006652"),
    ("21034786 : 2846 = 7391", DIVIDE, "7391"),
]

OTHERS = [
    ("<think>\n12 times that is about 34, so it should be \\boxed{46}", ("12", "34"), "46"),
    ("<think>\n7391 + 2846 = 10137? No.\n\nThe final answer is \\boxed{10237}.", ADD, "10237"),
    ("Result: 10237\nTime: 0.02 s", ADD, "10237"),
    ("Result: 10237\nElapsed: 12 ms", ADD, "10237"),
    ("Ergebnis: 10237\nZeit: 0,02 s", ADD, "10237"),
    ("结果：10237\n用时：0.02秒", ADD, "10237"),
    ("The sum is 10237. A common mistake is forgetting the carry, which gives 9137.", ADD, "10237"),
    ("10237\n\nA common mistake is to drop the carry, which gives 10137.", ADD, "10237"),
    ("10237. Ein häufiger Fehler ist, den Übertrag zu vergessen; das ergibt 10137.", ADD, "10237"),
    ("10237。常见的错误是忘记进位，得到10137。", ADD, "10237"),
    ("The sum is 10237¹", ADD, "10237"),
    ("10237¹\n\n¹ rounded to the nearest integer", ADD, "10237"),
    ("10237 [^1^]", ADD, "10237"),
    ("The sum is 10237 [^1^].", ADD, "10237"),
    ("10237[^1]", ADD, "10237"),
    ("-4545 (the magnitude is 4545)", SUBTRACT, "-4545"),
    ("**-4545** (the absolute value is 4545)", SUBTRACT, "-4545"),
    ("−4545 (der Betrag ist 4545)", SUBTRACT, "-4545"),
    ("minus 4545", SUBTRACT, "-4545"),
    ("The result is minus 4545.", SUBTRACT, "-4545"),
    ("The answer is negative 4545.", SUBTRACT, "-4545"),
    ("2846 - 7391 is minus 4545", SUBTRACT, "-4545"),
    ("2846 minus 7391 is minus 4545.", SUBTRACT, "-4545"),
    ("Das Ergebnis ist minus 4545.", SUBTRACT, "-4545"),
    ("结果是负4545。", SUBTRACT, "-4545"),
    ("负4545", SUBTRACT, "-4545"),
    ("マイナス4545", SUBTRACT, "-4545"),
    ("答えはマイナス4545です。", SUBTRACT, "-4545"),
    ("The result is 10137, or rather 10237.", ADD, "10237"),
    ("It is 10137, I mean 10237.", ADD, "10237"),
    ("10137, or rather 10237", ADD, "10237"),
    ("Das ist 10137, vielmehr 10237.", ADD, "10237"),
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


@pytest.mark.parametrize(
    ("text", "operands", "answer"),
    [*CORRECTED_BOXES, *ANSWERS_ABOVE_THEIR_WORKING, *CHECKS_OF_AN_OPERAND, *OTHERS],
)
def test_the_answer_is_read(text: str, operands: tuple[str, str], answer: str) -> None:
    """The number that the reply means as its answer."""
    assert read(text, operands).tolerant == Decimal(answer)


@pytest.mark.parametrize(("text", "whole"), IN_OTHER_MAGNITUDES)
def test_no_part_of_a_number_is_read(text: str, whole: str) -> None:
    """The whole number or none."""
    assert read(text, ("12", "34")).tolerant in (None, Decimal(whole))


def test_an_unfinished_thought_without_a_box_has_no_answer() -> None:
    """Only a box says that the thought was finished."""
    assert read("<think>\n7391 + 2846 = 10237", ADD).tolerant is None
