"""Splits a text into numbers, signs, and words that tell what a number means, in one
linear pass.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import takewhile

from .beside import is_half_read
from .normalize import BOLD, BOX, END_OF_BOX, MAGNITUDE, THIN, value_of


class TokenKind:
    """What a token says about the numbers next to it.

    Small integers, which `is` compares: Python 3.11 takes several times as long to look
    up a member of an Enum.
    """

    NUMBER = 1
    OPERATOR = 2
    EQUALS = 3
    APPROX = 4
    SAYS = 5  # is, gives, so, a colon
    RESULT = 6  # a noun for the answer: answer, result, sum
    DOUBT = 7  # the reply retracts what came before
    UNIT = 8  # the number before it counts digits or decimals
    SIDE_RESULT = 9  # the number after it is not the answer: remainder, carry
    REMARK = 10  # the rest of the sentence is about another number
    WORD = 11
    STOP = 12
    LINE = 13
    BOX = 14
    END_OF_BOX = 15


_VOCABULARY = {
    TokenKind.SAYS: "is s are was be equals equal gives give yields yield makes get gets "
    "becomes obtain obtains obtaining "
    "us simply just indeed now so thus hence therefore ist ergibt lautet beträgt est "
    "vaut donne donc es da "
    "é dá è quindi logo luego равно равна это",
    TokenKind.RESULT: "answer result sum total product difference quotient solution output "
    "value exact exactly precisely altogether "
    "antwoord uitkomst resultaat odpowiedź wynik jawaban jawabannya hasil hasilnya "
    "ergebnis endergebnis resultat antwort summe produkt differenz résultat réponse "
    "somme produit "
    "différence resultado respuesta suma producto diferencia cociente resposta soma "
    "produto diferença "
    "quociente risultato risposta somma prodotto differenza quoziente totale ответ "
    "результат сумма "
    "произведение разность частное sonuç cevap toplam الناتج الجواب उत्तर",
    TokenKind.APPROX: "approximately approx about roughly around nearly rounded rounds "
    "approximate ungefähr etwa rund "
    "gerundet environ aproximadamente circa около примерно",
    TokenKind.DOUBT: "wait actually correction oops sorry apologies apologize hmm redo "
    "redoing redone recomputing "
    "recalculating recheck rechecked rechecking moment edit korrektur vielmehr "
    "sondern attends attendez pardon "
    "espera perdón aspetta scusa desculpe opa sino подождите стоп trompé equivoqué "
    "sbagliato errei ошибся "
    "wacht chwileczkę tunggu dakika",
    TokenKind.OPERATOR: "x plus minus times by negative moins menos meno минус eksi",
    TokenKind.UNIT: "digit digits decimal decimals place places dp significant sig figures "
    "sf step steps number operations "
    "additions multiplications percent time seconds minutes ms left remaining tenths "
    "hundredths thousandths "
    "ten-thousandths cents stellen nachkommastellen décimales decimales decimali "
    "decimais cifre "
    "знак знака знаков цифр цифры",
    TokenKind.SIDE_RESULT: "remainder leftover rem r absolute magnitude carry step not "
    "rest reste resto reszta betrag "
    "timeout ndigits confidence certainty konfidenz sicherheit confiance confianza confiança уверенность",
    TokenKind.REMARK: "check checking verify verification estimate estimated sanity "
    "plausible reasonable casting modulo "
    "mistake wrong incorrect note reference expected previous textbook http probe "
    "kontrolle fehler vérification preuve "
    "erreur comprobación error prova errore проверка ошибка sağlaması",
}
_KINDS = {word: kind for kind, words in _VOCABULARY.items() for word in words.split()}
# Chinese, Japanese and Korean are written without spaces: these words may be anywhere
# in a run of letters.
_UNSPACED_WORDS = (
    (re.compile("等等|待って|すみません|訂正|잠깐|算错|間違え|而是"), TokenKind.DOUBT),
    (re.compile("验算|检验|検算|검산|错误|間違い"), TokenKind.REMARK),
    (
        re.compile("第$|余[り数]?$|餘數?$|나머지는?$|置信度$|信頼度$|신뢰도$"),
        TokenKind.SIDE_RESULT,
    ),
    (re.compile("答案|答え|结果|結果|결과|정답|^답"), TokenKind.RESULT),
    (re.compile("(?:是|为|為|得|于|於|は|が)$"), TokenKind.SAYS),
    (re.compile("[约約]$|^약$"), TokenKind.APPROX),
    (re.compile("^[位桁]|^자리"), TokenKind.UNIT),
)
_SYMBOLS = (
    {
        "=": TokenKind.EQUALS,
        "→": TokenKind.EQUALS,
        "∴": TokenKind.SAYS,
        "≈": TokenKind.APPROX,
        "~": TokenKind.APPROX,
        ":": TokenKind.SAYS,
    }
    | {BOX: TokenKind.BOX, END_OF_BOX: TokenKind.END_OF_BOX, "%": TokenKind.UNIT}
    | dict.fromkeys("-+×÷/*^±", TokenKind.OPERATOR)
)
_KIND_OF_GROUP = {
    "denial": TokenKind.DOUBT,
    "doubt": TokenKind.DOUBT,
    "remark": TokenKind.REMARK,
    "stop": TokenKind.STOP,
    "line": TokenKind.LINE,
}

_WINDOW = 16  # tokens between a number and a phrase about it
MAX_TOKENS = 2_048  # that are read, at the end of a reply
_LEAST_DECIMALS = 24  # of a number with decimals that repeat
_ENDING = frozenset({TokenKind.STOP, TokenKind.LINE})  # of sentences
_BOXES = frozenset({TokenKind.BOX, TokenKind.END_OF_BOX})

# Possessive quantifiers are on single characters only: see `extract`.
_GAP = rf"[ {THIN}]{{0,2}}"
_NUMBER = (
    # A minus after a number or a bracket is an operator. Plain spaces group exactly
    # three digits.
    rf"(?P<digits>(?:(?:(?<![\w)])(?<![\d)][ ])|(?<=[\u3040-\u9fff\uac00-\ud7a3]))[-+])?"
    rf"(?<!\d[.,])(?!0[xX][\da-fA-F]|0[bBoO]\d)"
    rf"(?:(?!0)\d{{1,3}}(?:[ {THIN}]\d{{3}})+(?!\d)(?:[.,]\d++)?|\d++(?:[.,'_{THIN}]\d++)*|(?<![\d.])\.\d++))"
    rf"(?:(?P<point>[.,])?\((?P<repetend>\d{{1,30}})\))?"
    rf"(?:{_GAP}[×xX*]{_GAP}10{_GAP}\^{_GAP}\(?(?P<tens>[-+]?\d++)(?![.,/]\d)\)?|[eE](?P<scale>[-+]?\d++)(?!\w|[.,]\d)"
    rf"|\^\(?(?P<power>[-+]?\d++)(?![.,/]\d)\)?)?"
    rf"(?P<magnitude>{MAGNITUDE})?"
)
# Phrases that retract what came before; a denial is about the number before it.
_DENIAL = (
    r"(?:(?:that|this|it|which)'s|(?:which[ ])?(?:is|was))[ ]"
    r"(?:wrong|incorrect|false|not[ ](?:the[ ])?(?:right|correct|answer|result))(?!\w)"
)
_DOUBT = (
    rf"(?:final(?=[{BOLD}]*[ ]?(?::|->|→|is(?!\w)))|(?:corrected|revised)(?![ ]from)"
    r"|let[ ]me[ ](?:re-?(?:check|compute|calculate|do|consider)|try[ ]again|correct|fix)|or[ ]rather|I[ ]mean"
    r"|I(?:'ll|[ ]will)?[ ](?:settle[ ]on|go[ ]with|keep|stand[ ]by)|going[ ]with|scratch[ ]that"
    r"|hold[ ]on(?![ ]to(?!\w))|(?<!if[ ])I(?:'ve)?[ ]made[ ](?:a[ ]mistake|an[ ]error))(?!\w)"
)
# Phrases before a number that belongs to someone else, was given up, or is not what was
# asked for.
_REMARK = (
    r"(?i:digit(?:al)?[ ](?:sums?|roots?)|sum[ ]of[ ](?:its|the|all)[ ]digits|in[ ]absolute[ ]terms"
    r"|(?:might|may|people|students|some)[ ](?:think|say|get|believe)"
    r"|(?<!\bI[ ])would|th(?:is|at)(?:[ ]is|'s)[ ]because|this[ ]works|reason(?=:)"
    r"|initially|originally|at[ ]first|first[ ](?:pass|try|attempt|guess)"
    r"|(?:if|without|had)(?=[^.!?\n]{1,60}(?<!\w)(?:forg[eo]t|missed|skip|drop|ignore|were)))(?!\w)"
)
# Compiled on first use, as in `context`. The phrases are tried where one of their first
# letters begins a word, which saves a quarter of the search.
_TOKEN = (
    r"[ ]?(?:(?=[ACDFGHILMOPRSTWacdfghilmoprstw])(?<!\w)(?:"
    rf"(?=[CFGHILORSTWcfghilorstw])(?i:(?P<denial>{_DENIAL})|(?P<doubt>{_DOUBT}))"
    rf"|(?P<remark>{_REMARK}))"
    # A word that begins with a Latin letter may contain digits, like an identifier,
    # and goes on as a number does.
    rf"|(?P<word>[A-Za-z_À-ÖØ-öø-ɏ][\w]*(?:-\w+)*(?:(?<=\d)[.,']\d+)*|[^\W\d_]+)"
    rf"|(?=[-+.\d])(?P<number>{_NUMBER})"
    rf"|(?P<stop>(?<![Aa]pprox)[.!?;](?=\s|{BOLD}|$))"
    rf"|(?P<symbol>[-+×÷/*^±=→≈~:∴%{BOX}{END_OF_BOX}])"
    rf"|(?P<bracket>[()])"
    rf"|(?P<line>\n\s*))"
)


class Token:
    """A word or sign of the text."""

    __slots__ = ("kind", "word")

    def __init__(self, kind: int, word: str) -> None:
        self.kind = kind
        self.word = word  # in lower case


class Number(Token):
    """A number, and where it stands."""

    def __init__(
        self, match: re.Match[str], *, boxed: bool, in_brackets: bool, in_remark: bool
    ) -> None:
        self.kind = TokenKind.NUMBER
        self.word = match["number"].lower()
        self.match = match
        self.boxed = boxed
        self.in_brackets = in_brackets  # that follow an exact number in its line
        self.in_remark = in_remark
        self.is_denied = False

    @property
    def bold(self) -> bool:
        start = self.match.start("digits")
        return self.match.string[start - 1 : start] == BOLD

    def is_before(self, text: str) -> bool:
        """Whether the text follows the number directly."""
        return self.match.string.startswith(text, self.match.end())

    @property
    def is_half_read(self) -> bool:
        """Whether it is not known what a letter or mark beside the digits means."""
        return is_half_read(
            self.match.string, self.match.start("digits"), self.match.end()
        )

    @property
    def has_magnitude(self) -> bool:
        """Whether a power of ten or a word of magnitude follows the digits."""
        return any(self.match.group("tens", "scale", "magnitude"))

    @property
    def is_power(self) -> bool:
        """Whether this is a power with a base other than ten."""
        return bool(self.match["power"]) and self.match["digits"].lstrip("+-") != "10"

    @cached_property
    def size(self) -> Decimal | None:
        """The number without its sign."""
        if self.value is None:
            return None
        return self.value.copy_abs()

    @cached_property
    def value(self) -> Decimal | None:
        """The number; None if the digits are not a number."""
        digits, point, repetend, power = self.match.group(
            "digits", "point", "repetend", "power"
        )
        if power:
            return value_of(digits.replace("10", "1"), power, self.match["magnitude"])
        if repetend and (point or "." in digits):  # 3.1(6), 3.(142857)
            digits += (point or "") + repetend * (_LEAST_DECIMALS // len(repetend) + 1)
        elif "." in digits and (self.is_before("...") or self.is_before("…")):
            digits += _repeated(digits.rpartition(".")[2])
        return value_of(
            digits, self.match["tens"] or self.match["scale"], self.match["magnitude"]
        )


def tokens(text: str) -> list[Token]:
    """The last tokens of the text, in order."""
    found: list[Token] = []
    known: dict[tuple[str, str], Token] = {}
    brackets = 0  # that are open, after an exact number of the line
    boxed = in_remark = is_check = has_exact = False
    for match in re.finditer(_TOKEN, text):
        group = match.lastgroup or ""
        if group == "number":
            number = Number(
                match, boxed=boxed, in_brackets=brackets > 0, in_remark=in_remark
            )
            is_exact = not found or found[-1].kind is not TokenKind.APPROX
            has_exact = has_exact or (is_exact and not number.has_magnitude)
            found.append(number)
            continue
        word = match[group]
        if group == "bracket":
            if word == ")":
                brackets = max(0, brackets - 1)
            elif has_exact or brackets > 0:
                brackets += 1
            continue
        # "if" may begin a phrase here, and be a word there
        token = known.get((group, word))
        if token is None:
            token = known[group, word] = _token(group, word)
        found.append(token)
        kind = token.kind
        if kind is TokenKind.WORD:  # most tokens
            continue
        if kind in _ENDING:
            in_remark = in_remark and word == ";"
            if kind is TokenKind.LINE:
                brackets, has_exact = 0, False
        elif kind is TokenKind.REMARK:
            in_remark = True
            is_check = token.word == "checking"
        elif kind is TokenKind.DOUBT and " " in word:
            _put_in_doubt(found, is_denial=group == "denial")
        elif token.word == "is" and is_check and found[-2].word == "answer":
            in_remark = False  # after checking it, I am sure that the answer is 46
        elif kind in _BOXES:
            boxed = kind is TokenKind.BOX
    if boxed:  # what is in a box that does not end may be cut
        for token in takewhile(
            lambda token: token.kind is not TokenKind.BOX, reversed(found)
        ):
            if isinstance(token, Number):
                token.is_denied = True
    return found[-MAX_TOKENS:]


def _put_in_doubt(tokens: Sequence[Token], *, is_denial: bool) -> None:
    """Make the number that a phrase such as "I mean" belongs to a remark: the nearest
    in its sentence. A denial directly behind a number denies it.
    """
    for distance, token in enumerate(tokens[-2 : -_WINDOW - 1 : -1]):
        if token.kind in _ENDING:
            return
        if isinstance(token, Number):
            token.in_remark = True
            token.is_denied = is_denial and distance == 0
            return


@lru_cache(maxsize=1_024)  # most words come again, also in other replies
def _token(group: str, word: str) -> Token:
    return Token(_kind(group, word), word.lower())


def _kind(group: str, word: str) -> int:
    if group == "symbol":
        return _SYMBOLS[word]
    if group != "word":
        return _KIND_OF_GROUP[group]
    word = word.lower().rpartition("_")[2]  # final_result
    if word.isascii() or word in _KINDS:
        return _KINDS.get(word, TokenKind.WORD)
    for pattern, kind in _UNSPACED_WORDS:
        if pattern.search(word):
            return kind
    return TokenKind.WORD


def _repeated(decimals: str) -> str:
    """The decimals that follow `...`: those that the number repeats at its end; empty
    if there are none.
    """
    for length in range(1, min(len(decimals) // 2, _LEAST_DECIMALS) + 1):
        block = decimals[-length:]
        if decimals.endswith(block * 2):
            return block * _LEAST_DECIMALS
    return ""
