"""Splits a text into numbers, signs, and words that tell what a number means, in one linear pass."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, auto
from functools import cached_property

from pytest_llmarith.answers.normalize import BOLD, BOX, END_OF_BOX, LETTERS, MAGNITUDES, THIN, value_of


class Kind(Enum):
    """What a token says about the numbers next to it."""

    NUMBER = auto()
    OPERATOR = auto()
    EQUALS = auto()
    APPROX = auto()
    SAYS = auto()  # is, gives, so, a colon
    RESULT = auto()  # a noun for the answer: answer, result, sum
    DOUBT = auto()  # the reply retracts what came before
    UNIT = auto()  # the number before it counts digits or decimals
    SIDE_RESULT = auto()  # the number after it is not the answer: remainder, carry
    REMARK = auto()  # the rest of the sentence is about another number
    WORD = auto()
    STOP = auto()
    LINE = auto()
    BOX = auto()
    END_OF_BOX = auto()


_VOCABULARY = {
    Kind.SAYS: "is s are was be equals equal gives give yields yield makes get gets becomes obtain obtains obtaining "
    "us simply just indeed now so thus hence therefore ist ergibt lautet beträgt est vaut donne donc es da "
    "é dá è quindi logo luego равно равна это",
    Kind.RESULT: "answer result sum total product difference quotient solution output value exact exactly precisely "
    "ergebnis endergebnis resultat antwort summe produkt differenz résultat réponse somme produit "
    "différence resultado respuesta suma producto diferencia cociente resposta soma produto diferença "
    "quociente risultato risposta somma prodotto differenza quoziente totale ответ результат сумма "
    "произведение разность частное sonuç cevap toplam الناتج الجواب उत्तर",
    Kind.APPROX: "approximately approx about roughly around nearly rounded rounds approximate ungefähr etwa rund "
    "gerundet environ aproximadamente circa около примерно",
    Kind.DOUBT: "wait actually correction oops sorry apologies apologize hmm redo redoing recomputing recalculating "
    "moment edit korrektur vielmehr attends attendez pardon espera perdón aspetta scusa desculpe opa "
    "подождите стоп trompé equivoqué sbagliato errei ошибся",
    Kind.OPERATOR: "x plus minus times by negative moins menos meno минус eksi",
    Kind.UNIT: "digit digits decimal decimals place places significant figures step steps percent seconds minutes ms "
    "left remaining",
    Kind.SIDE_RESULT: "remainder leftover r absolute magnitude carry step not rest reste resto betrag",
    Kind.REMARK: "check checking verify verification estimate estimated sanity plausible reasonable casting modulo "
    "mistake note probe kontrolle fehler vérification preuve erreur comprobación error prova errore "
    "проверка ошибка sağlaması",
}
_KINDS = {word: kind for kind, words in _VOCABULARY.items() for word in words.split()}
# Chinese, Japanese and Korean are written without spaces: these words may be anywhere in a run of letters.
_UNSPACED_WORDS = (
    (re.compile("等等|待って|すみません|訂正|잠깐|算错|間違え"), Kind.DOUBT),
    (re.compile("验算|检验|検算|검산|错误|間違い"), Kind.REMARK),
    (re.compile("第$"), Kind.SIDE_RESULT),
    (re.compile("答案|答え|结果|結果|결과|정답|^답"), Kind.RESULT),
    (re.compile("(?:是|为|為|得|于|於|は|が)$"), Kind.SAYS),
    (re.compile("[约約]$|^약$"), Kind.APPROX),
)
_SYMBOLS = (
    {"=": Kind.EQUALS, "→": Kind.EQUALS, "∴": Kind.SAYS, "≈": Kind.APPROX, "~": Kind.APPROX, ":": Kind.SAYS}
    | {BOX: Kind.BOX, END_OF_BOX: Kind.END_OF_BOX, "%": Kind.UNIT}
    | dict.fromkeys("-+×÷/*^±", Kind.OPERATOR)
)
_KIND_OF_GROUP = {"number": Kind.NUMBER, "doubt": Kind.DOUBT, "stop": Kind.STOP, "line": Kind.LINE}

MAX_TOKENS = 2_048  # that are read, at the end of a reply

# Possessive quantifiers are on single characters only: see `extract`.
_GAP = rf"[ {THIN}]{{0,2}}"
_TOKEN = re.compile(
    rf"(?P<number>"
    # A minus after a number or a bracket is an operator. Plain spaces group exactly three digits.
    rf"(?P<digits>(?:(?:(?<![\w)])(?<![\d)][ ])|(?<=[\u3040-\u9fff\uac00-\ud7a3]))[-+])?(?!0[xX][\da-fA-F])"
    rf"(?:(?!0)\d{{1,3}}(?:[ {THIN}]\d{{3}})+(?!\d)(?:[.,]\d++)?|\d++(?:[.,'_{THIN}]\d++)*|(?<![\d.])\.\d++))"
    rf"(?P<uncertainty>\(\d{{1,3}}\))?"
    rf"(?:{_GAP}[×xX*]{_GAP}10{_GAP}\^{_GAP}\(?(?P<tens>[-+]?\d++)\)?|[eE](?P<scale>[-+]?\d++)(?!\w)"
    rf"|\^\(?(?P<power>[-+]?\d++)\)?)?"
    rf"(?P<magnitude>[ {THIN}{BOLD}-]{{1,3}}{MAGNITUDES}|{LETTERS})?)"
    # Phrases that retract what came before.
    rf"|(?P<doubt>(?<!\w)(?i:(?:that|this|it|which)(?:'s|[ ]is|[ ]was)[ ](?:wrong|incorrect|not[ ](?:right|correct))"
    rf"|let[ ]me[ ](?:re-?(?:check|compute|calculate|do|consider)|try[ ]again|correct|fix)|or[ ]rather|I[ ]mean"
    rf"|scratch[ ]that"
    rf"|hold[ ]on(?![ ]to(?!\w))|(?<!if[ ])I(?:'ve)?[ ]made[ ](?:a[ ]mistake|an[ ]error))(?!\w))"
    # A word that begins with a Latin letter may contain digits, like an identifier.
    rf"|(?P<word>[A-Za-z_À-ÖØ-öø-ɏ][\w]*(?:-\w+)*|[^\W\d_]+)"
    rf"|(?P<stop>(?<![Aa]pprox)[.!?](?=\s|{BOLD}|$))"
    rf"|(?P<symbol>[-+×÷/*^±=→≈~:∴%{BOX}{END_OF_BOX}])"
    rf"|(?P<line>\n\s*)"
)


@dataclass(frozen=True)
class Token:
    """A number, word or sign of the text."""

    kind: Kind
    match: re.Match[str]

    @property
    def bold(self) -> bool:
        start = self.match.start()
        return self.match.string[start - 1 : start] == BOLD

    @property
    def followed_by(self) -> str:
        return self.match.string[self.match.end() : self.match.end() + 1]

    @cached_property
    def word(self) -> str:
        """The text in lower case."""
        return self.match[0].lower()

    @property
    def is_expression(self) -> bool:
        """Whether this is a power with a base other than ten."""
        return bool(self.match["power"]) and self.match["digits"].lstrip("+-") != "10"

    @cached_property
    def value(self) -> Decimal | None:
        """The number; None if this is another token, or the digits are not a number."""
        digits, power, magnitude = self.match["digits"], self.match["power"], self.match["magnitude"]
        if digits is None:
            return None
        if power:
            return value_of(digits.replace("10", "1"), power, magnitude)
        return value_of(digits, self.match["tens"] or self.match["scale"], magnitude)

    @property
    def has_magnitude(self) -> bool:
        """Whether a power of ten or a word of magnitude follows the digits."""
        return any(self.match.group("tens", "scale", "magnitude"))


def tokens(text: str) -> list[Token]:
    """The last tokens of the text, in order."""
    found = deque(_TOKEN.finditer(text), maxlen=MAX_TOKENS)
    return [Token(_kind(match), match) for match in found]


def kind_at(tokens: Sequence[Token], at: int) -> Kind | None:
    """The kind of a token; None before the first one and after the last one."""
    return tokens[at].kind if 0 <= at < len(tokens) else None


def _kind(match: re.Match[str]) -> Kind:
    if match.lastgroup == "symbol":
        return _SYMBOLS[match[0]]
    if match.lastgroup != "word":
        return _KIND_OF_GROUP[match.lastgroup or ""]
    word = match[0].lower().rpartition("_")[2]  # final_result
    if word.isascii() or word in _KINDS:
        return _KINDS.get(word, Kind.WORD)
    return next((kind for pattern, kind in _UNSPACED_WORDS if pattern.search(word)), Kind.WORD)
