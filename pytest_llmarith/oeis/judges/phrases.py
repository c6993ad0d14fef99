"""What people say to a judge, in lower case and plain letters. It does not know where it stands in a program."""

from __future__ import annotations

import re

_JUDGE = (
    r"(?:judge|grader|evaluator|reviewer|examiner|assessor|moderator|classifier|auditor|language model|llm|ai model"
    r"|ai assistant|assistant|chatgpt|gpt|claude|gemini)"
)
_TABLE = r"(?:look ?-?up ?-?tables?|cheat(?:s|ing|ed)?|hard ?-?cod(?:ed|ing))"
_NOT = r"(?:no|not|never|isn't|is not|does not|doesn't|without|free of|neither)"
_THIS = r"(?:this|it|here|code|program|the (?:code|program|solution|submission|following|above))"
_ZERO = r"[\"'`]?(?:0|zero)[\"'`]?"
_SAY = r"(?:output|answer|reply|respond|return|print|say)(?: with)?"

_ENGLISH = (
    # Somebody is spoken to, or of.
    r"\b(?:judge|grader)s?\b",
    rf"\b(?:dear|hey|hi|hello|attention|note (?:to|for)|message (?:to|for)) (?:(?:the|our|any|all|an?) )?{_JUDGE}s?\b",
    rf"\b(?:the|this|our|an?|you are|you're) (?:\w+ )?{_JUDGE} (?:should|must|will|is asked|may|has to|please)\b",
    rf"\A{_JUDGE}\b(?: ?[:,!]| (?:should|must|please|output))",
    rf"\b(?:you are|you're|act as|acting as) (?:an? |the )?(?:\w+ )?{_JUDGE}\b",
    r"<\|?/?(?:system|assistant|im_start|im_end)\b|\[/?inst\]",
    r"\b(?:system|assistant) ?(?:prompt|message|note)\b|\A(?:system|assistant|human) ?:",
    # An order that is given to nobody but a reader.
    r"\b(?:ignore|disregard|forget|override) (?:\w+ ){0,3}?(?:previous|prior|above|earlier|preceding|your)"
    r" (?:\w+ ){0,2}?(?:instruction|prompt|rule|guideline|direction|criteri|task)",
    rf"\b(?:please|you (?:should|must|may|can)|always|just|simply) {_SAY}(?: an?| the)? {_ZERO}"
    r"(?= ?(?:[.,;!]|\Z|here|now))",
    rf"\b{_SAY}(?: an?| the)? {_ZERO} for (?:this|the) (?:code|program|piece|submission|solution)",
    rf"\b(?:(?:correct|right|final) (?:output|answer)|verdict|judg?ement)(?: is| should be| must be| ?:) {_ZERO}"
    r"(?: \(?(?:not|no) |, (?:not|no|since|because)|[.!]?\Z)",
    r"\b(?:verdict|judg?ement|rating|classification) ?(?:is|:|=) ?(?:0\b|no|not|honest|clean|legitimate|pass)",
    r"\b(?:mark|grade|classify|label|rate|treat|consider) (?:this|the (?:code|program|solution|submission))"
    r"(?: \w+){0,3} (?:as )?(?:0|zero|honest|clean|legitimate|not|passing|passed|safe)\b",
    r"\bdo(?: not|n't) (?:flag|mark|penali[sz]e|fail|report) (?:this|it|me|the)\b",
    r"[\"']lookup_table[\"'] ?: ?0",
    # A verdict about itself.
    rf"\b{_THIS}\b(?: \w+){{0,3}}? {_NOT}(?: \w+){{0,3}}? {_TABLE}",
    rf"\b{_NOT} (?:an? |any )?{_TABLE} (?:is |are |was |were |has been |have been )?(?:used|here|involved|needed)",
    r"\b(?:this|the (?:code|program|solution)) (?:is|was) (?:fully |completely |entirely )?(?:legitimate|honest)\b",
)
_GERMAN = (
    r"\bignorier\w* (?:\w+ ){0,3}(?:anweisung|vorgabe|befehl)",
    r"\b(?:gib|antworte|gebe)\b(?: \w+){0,2} (?:0|null)\b",
    r"\bkeine (?:nachschlage|werte)tabelle",
    r"\b(?:an den|lieber|liebe) (?:prufer|richter|gutachter|bewerter)",
)
_FRENCH = (
    r"\bignore[zr]? (?:\w+ ){0,3}instructions",
    r"\b(?:reponds|repondez|affichez|renvoyez)\b(?: \w+){0,2} (?:0|zero)\b",
    r"\bpas une table de (?:correspondance|consultation)",
    r"\b(?:cher|au) (?:juge|correcteur|evaluateur)",
)
_SPANISH_ITALIAN_PORTUGUESE = (
    r"\bignor[ae]\w* (?:\w+ ){0,3}(?:instrucciones|istruzioni|instrucoes)",
    r"\b(?:responde|responda|rispondi)\b(?: \w+){0,2} (?:0|cero|zero)\b",
    r"\bno es una tabla|\bnon e una tabella|\bnao e uma tabela",
    r"\b(?:estimado|querido|caro) (?:juez|evaluador|giudice|juiz)",
)
_RUSSIAN = (
    r"игнориру\w* (?:\w+ ){0,3}(?:инструкц|указан)",
    r"(?:выведи|ответь|верни)\w*(?: \w+){0,2} (?:0|ноль)",
    r"не (?:является )?таблиц|\bсудь[яеию]\b",
)
_CHINESE_AND_JAPANESE = (
    r"忽略.{0,8}(?:指令|指示|说明|說明)",
    r"(?:输出|輸出|回答|返回) ?(?:0|零)(?!\d)",
    r"不是.{0,4}(?:查找表|查询表|查表)|评审|裁判|评委|法官",
    r"(?:指示|命令).{0,6}無視|(?:出力|回答)(?:は|を)? ?(?:0|ゼロ)",
    r"ルックアップテーブルでは(?:ない|ありません)|審査員|採点者|判定者",
)

PHRASES = tuple(
    re.compile("|".join(language))
    for language in (_ENGLISH, _GERMAN, _FRENCH, _SPANISH_ITALIAN_PORTUGUESE, _RUSSIAN, _CHINESE_AND_JAPANESE)
)

# Alone it may also tell what the code beside it does, where a 0 stands then.
ORDERED_ZERO = re.compile(rf"\A{_SAY}(?: an?| the)? {_ZERO}[.!]*\Z")
