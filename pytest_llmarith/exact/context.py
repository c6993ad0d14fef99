"""What stands directly beside a number and keeps it from being the answer: a denial, a
bound, a choice, a function.

All patterns look at a bounded stretch of the text, so that they take constant time for
each number. They are compiled on first use, which halves the time of an import; `re`
keeps them.
"""

from __future__ import annotations

import re

from .normalize import BOLD, BOX, END_OF_BOX

_STRETCH = 64  # characters
_MARKS = rf"[ {BOLD}{BOX}:]{{0,3}}"
_NUMBER = r"[-+]?[\d.,]*\d"
_RESULTS = (
    r"(?:sum|product|difference|quotient|somme|produit|suma|producto|somma|prodotto|soma|produto|Summe|Produkt)"
    r"[ ](?:of|von|aus|de|di|y|da|do)[ ]|(?:произведение|сумма|разность|частное)[ ]"
)
_CONJUNCTION = r"(?:and|und|et|y|e|i|и|en|ve|dan|và)"
_OR = (
    r"(?:or|oder|ou|oppure|albo|lub|или|veya|ya da|hoặc|atau|of|o|u|eller|或者?|または|또는|या|أو|หรือ)"
    r"(?:[ ](?:maybe|perhaps|possibly|even|else))?"
)

# What may stand between a denial and its number: "not think that the answer is".
_FILLERS = (
    r"(?:[ ](?:think|believe|say|that|it|this|the|is|be|to|going|equals?|quite|\w+ly"
    r"|answer|result|sum|product)(?:'s)?)*"
)
CANNOT = r"(?:can(?:no|['’])t|can not|could ?n(?:o|['’])t|(?:un|not )able to)"
# Before a number, possibly with a sign. A gate before the words of each kind leaves
# positions where no word can begin after one test.
_LETTER = r"[^\W\d_]"
_WORDS_BEFORE = (
    rf"(?:(?<!\w)(?={_LETTER})(?:"
    # Denials
    rf"(?i:cannot|not|never|doubt|wrong|false|anything[ ]but){_FILLERS}"
    r"|nicht|keinesfalls|keineswegs|niet|nie|ikke|inte|не|bukan|no[ ]es|non[ ]è|não[ ]é"
    r"|n'est[ ](?:\w+[ ])?pas|không[ ]phải[ ]là|ليست|ليس"
    rf"|(?i:{CANNOT})\b[^.,;:!?\n=]{{0,50}}"
    # What a number is compared with, or what is done with it
    r"|(?i:than|from|range|between|below|above|under|over|beyond|within|against|by|exceeds?"
    r"|at[ ](?:least|most)|(?<![a-z][ ])up[ ]to|as[ ](?:many|much|little|few)[ ]as"
    r"|(?:ends?|ending|begins?|starts?)[ ](?:in|with)|subtract|add"
    r"|(?:split|break|decompose)\b(?:(?! is |,[ ][a-z])[^.\n=:]){0,40})"
    # Labels
    r"|(?i:question|version|page|chapter|exercise|equation|section|figure)[ ]\(?"
    # The first of two numbers
    rf"|(?i:from|range)[ ]{_NUMBER}[ ]to|(?i:between)[ ]{_NUMBER}[ ]{_CONJUNCTION})"
    # Functions and variables
    r"|(?<![A-Za-z])(?=[A-Za-z])(?:(?:sqrt|log|ln|lg|sin|cos|tan|exp)[ ]?\(?"
    r"|(?<![\w)])[A-Za-z]\(|[A-Za-z][ ]?[+×÷/])"
    # Also within a word
    rf"|n't{_FILLERS}|ไม่ใช่|不是"
    r"|\d[ ](?i:ft|feet|foot|hours?|lbs?|pounds|yards?)[ ](?:and[ ])?"
    rf"|soit[ ]{_NUMBER},?[ ]soit|(?:{_RESULTS}){_NUMBER}[ ]{_CONJUNCTION}"
    rf"){_MARKS}[-+]?\Z"
)
_SIGNS_BEFORE = rf"(?:[\w)\]][ ]?[<>]=?|[≤≥±√^]){_MARKS}[-+]?\Z|\d[: ]\Z"
_BEHIND = (
    rf"{BOLD}?(?:"
    # Denials
    r"[ ]?(?:değil|では(?:ありません|ない|なく)|じゃない|(?:이|가)[ ]?(?:아니|아닙)|नहीं)"
    r"|[ ]would\b"
    # The number goes on or is a part
    r"|(?<!\))[ ]?(?i:repeating|recurring)\b"
    rf"|!{END_OF_BOX}|[ ]?π|i(?!\w)|[eE][-+]?\d"
    r"|[: ]\d|,?[ ]soit[ ]\d|[ ](?i:ft|feet|foot|hours?|lbs?|pounds|yards?)[ ](?:and[ ])?\d"
    r")"
)
_FIRST_OF_TWO = rf"(?:{_RESULTS}){_MARKS}\Z"
_SECOND_OF_TWO = rf"[ ]{_CONJUNCTION}[ ][-+]?\d"
_FACTORIAL = r"\)?[ ]?!"
_CHOICE_BEHIND = rf"{_MARKS}{_OR}{_MARKS}(?P<number>{_NUMBER})"
_CHOICE_BEFORE = rf"(?P<number>{_NUMBER}){_MARKS}{_OR}{_MARKS}\Z"

# The reply as a whole
_REFUSAL = (
    rf"\b(?i:{CANNOT}|won['’]t|will not|not possible|impossible to"
    r"|do(?:n['’]t| not) have the (?:ability|capability)|beyond my"
    r"|(?:must|have to) decline|refuse|not allowed"
    r"|(?:not enough|insufficient) information"
    r"|possible (?:answers|results|values|solutions))\b"
)
_ELEMENT = r"[-+]?\d[\d.]*"
_SEVERAL = (
    rf"\s*(?:\|{_ELEMENT}\||[\[({{]\s*{_ELEMENT}(?:\s*[,;]\s+{_ELEMENT})+\s*[\])}}]"
    rf"|(?:[ $]*[A-QS-Za-qs-z][ ]?=[ ]?{_ELEMENT}[ $]*(?:[,;]|and|or|\Z|(?=[.\s]*\Z))){{2,9}})[.\s]*"
)


def is_no_answer(text: str, start: int, end: int) -> bool:
    """Whether the words and signs beside the number from `start` to `end` say that it
    is not the answer.
    """
    if re.compile(_BEHIND).match(text, end):
        return True
    before = _line_before(text, start)
    if re.search(_SIGNS_BEFORE, before):
        return True
    if re.search(_LETTER, before):
        if re.search(_WORDS_BEFORE, before):
            return True
        if re.search(_FIRST_OF_TWO, before):
            return bool(re.compile(_SECOND_OF_TWO).match(text, end))
    is_power = before.endswith("(") and text.startswith("10^", start)  # (10^9)!
    return is_power and bool(re.compile(_FACTORIAL).match(text, end))


def alternatives(text: str, start: int, end: int) -> list[str]:
    """The numbers that an "or" joins to the number from `start` to `end`."""
    found = []
    before = _line_before(text, start)
    choice = re.search(_CHOICE_BEFORE, before) if re.search(_LETTER, before) else None
    if choice:
        found.append(choice["number"])
    choice = re.compile(_CHOICE_BEHIND).match(text, end)
    if choice:
        found.append(choice["number"])
    return found


def _line_before(text: str, start: int) -> str:
    return text[max(0, start - _STRETCH) : start].rpartition("\n")[2]


def refuses(text: str) -> bool:
    """Whether a text says that the model will not or cannot answer."""
    return bool(re.search(_REFUSAL, text))


def is_several(text: str) -> bool:
    """Whether the reply is nothing but a list of numbers, or of variables and their
    values.
    """
    return len(text) < 400 and bool(re.fullmatch(_SEVERAL, text))
