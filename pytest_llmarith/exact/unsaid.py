"""Drops what stands in a reply for machines: addresses, tool calls, the code of
programs, data about the answer, and the footers that shells and databases print below
a table.

Every pattern takes linear time, and is compiled on first use, as in `context`.
"""

from __future__ import annotations

import re

_CLOSING_MARKS = "，。、；）」』》”’"
_ADDRESS = rf"https?:(?:\\?/){{2}}[^\s\"'<>()\[\]{{}},;|`{_CLOSING_MARKS}]*+"

# Tool calls, as models write them where no server has read them. A call that does not
# end goes on to the end of the reply.
_TAG = (
    r"(?:\w{1,20}:|[|｜]?DSML[|｜]|start_|end_)?"
    r"(?:tool[_▁]?calls?|tool_use|use_mcp_tool|function[_▁]?calls?|function|invoke"
    r"|parameters?|arguments|execute)(?![a-z]|_?(?:result|response|output))"
)
_CALLS = {
    # Hermes, Qwen, Anthropic, Llama, DeepSeek, Kimi, GLM, MiniMax, Granite, Gemma
    rf"<[|｜]?{_TAG}[^<>\n]{{0,80}}>": (
        rf"</[|｜]?{_TAG}>|<[|｜]/{_TAG}[|｜]>|<end_function_call>|<tool_call\|>"
        r"|<[|｜]\w{1,40}[_▁]end[|｜]>"
    ),
    r"<\|python_tag\|>": r"<\|(?:eom|eot)_id\|>",  # Llama
    r"\[TOOL_CALLS\]": r"\[/?TOOL_(?:CALLS|RESULTS)\]",  # Mistral
    r"<\|START_ACTION\|>": r"<\|END_ACTION\|>",  # Cohere
    r"<\|action_start\|>": r"<\|action_end\|>",  # InternLM
    r"to=functions": r"<\|(?:call|end)\|>",  # gpt-oss
    r"```tool_code": r"```",  # Gemma
}
_CALL = "(?s)" + "|".join(f"{start}.*?(?:{end}|\\Z)" for start, end in _CALLS.items())
_OBJECT = r"\{(?:[^{}]++|\{(?:[^{}]++|\{[^{}]*+\})*\})*(?:\}|\Z)"
_ARGUMENTS = (
    r"[\"'](?:\w+_)?(?:arguments|parameters|args|kwargs|input)[\"']\s*:\s*"
    rf"(?:{_OBJECT}|\"(?:[^\"\\]++|\\.)*\"|\[[^\[\]]*\])"
    rf"|(?:\[ARGS\]|Action Input:)\s*(?:{_OBJECT}|[^\n]*)"
)

# Programs. What a call is given is not its value, if it is more than one number.
_ARGUMENTS_OF = (
    r"\((?:[^()\n]++|\((?:[^()\n]++|\((?:[^()\n]++|\([^()\n]*+\))*\))*\))*\)"
)
_FUNCTION = (
    rf"(?<![\w\\.])(?P<name>[A-Za-z_]\w{{1,40}}(?P<path>\.\w[\w.]*)?)(?P<given>{_ARGUMENTS_OF})"
    r"(?:[ ]?[-+*/][ ]?\d[\d.]*+)?"
)
_GIVEN = r"\((?<=\w\()"
# What a function with another name is given may be shown.
_HIDDEN = r"_?exit|quit|die|abort|s?rand|seed|\w*sleep|delay|wait|alarm|range|open|close|(?:set|init)\w*"
_SHOWN = (
    r"(?s)\(\s*(?:(?:answer|result)\s*=\s*)?[\"']?[-+]?\d[\d.,]*[\"']?\s*\)|.*[\d(]\s*="
)
_PROGRAM = (
    r"(?si)```(?:python\d?|py|javascript|js|typescript|ts|bash|sh|shell|sql|c|cpp|java|go|rust|ruby|r)\b"
    r"(?P<code>.*?)(?:```|\Z)"
)
_STATEMENT = (
    r"(?m)^[ \t]*(?:(?:let|const|var|int|long|double|auto)[ ])?"
    r"(?:(?!\w*(?:answer|result|sum|total|product|difference|quotient)[ ]*=)[\w.()]+[ ]*[-+*/]?=(?!=)[^#\n]*"
    r"|\w+[ ]*=[ ]*[01][ ;]*$)|\b(?:return|for|while|if)\b[^#\n]*"
)
_COMMENT = r"#|//|--[ ]"

# Data about the answer. `REMAINDER` says that the number behind it is another.
REMAINDER = " remainder "
_NAMES = (
    "confidence|certainty|probability|likelihood|difficulty|rating|score|id|index"
    "|version|status|code|steps?|timeout|precision|prec|scale|ndigits|decimals"
    "|retries|port|tokens|elapsed|duration|runtime|latency|created|took"
)
_NAME = rf"(?:[A-Za-z]{{1,20}}_)?(?i:{_NAMES})(?:_\w{{1,20}})?"
_DATA = rf"([\n\"'<])[ \t]*{_NAME}(?:[ ][^<>\n]{{0,40}}>\s*|>\s*|[\"']?[ ]*[:=][ ]*(?=[\"'\[]?[-+.\d]))"
_FOOTER = (
    r"(?m)^[ │|]*(?:\(\d+[ ]rows?(?:[ ]affected)?\)|\[\d+[ ]rows[ ]x[ ]\d+[ ]columns\]"
    r"|\d+[ ]rows?[ ](?:in[ ]set|selected|affected|returned|fetched|retrieved|\()[^\n]*"
    r"|(?:shape:[ ]|Process[ ]finished|real\s|user\s|sys\s)[^\n]*)[ │|]*$"
    r"|^[ ]*\+[-=+]{2,}\+[ ]*$"
)
_BELOW_A_TABLE = r"([-+|┘])\n\s*\d+[ ]rows?[ ]*\Z"


# Passes over the whole text cost more than a look for what each needs.
_IN_CALLS = ("<", "[TOOL_CALLS]", "to=functions", "```tool_code")
_IN_FOOTERS = "row", "shape: ", "finished", "real", "user", "sys", "+-", "+=", "++"
_KEY_OR_INPUT = r"[\"']\s*:|\[ARGS\]|Action Input:"


def said(text: str) -> str:
    """The text without what it holds for machines."""
    if "://" in text or ":\\/" in text:
        text = re.sub(_ADDRESS, " ", text)
    if any(part in text for part in _IN_CALLS):
        text = re.sub(_CALL, "\ncall\n", text)
    if re.search(_KEY_OR_INPUT, text):
        text = re.sub(_ARGUMENTS, " ", text)
    if "```" in text:
        text = re.sub(_PROGRAM, _shown, text)
    if re.search(_GIVEN, text):
        text = re.sub(_FUNCTION, _without_arguments, text)
    text = re.sub(_DATA, rf"\1{REMAINDER}", f"\n{text}")[1:]
    if any(part in text for part in _IN_FOOTERS):
        text = re.sub(_BELOW_A_TABLE, r"\1", re.sub(_FOOTER, "─", text))
    return text


def _without_arguments(call: re.Match[str]) -> str:
    if call["path"] or re.fullmatch(_HIDDEN, call["name"]):
        return call["name"]
    return call[0] if re.match(_SHOWN, call["given"]) else call["name"]


def _shown(program: re.Match[str]) -> str:
    """What a program shows: its comments, and its lines that are no statements."""
    code = re.sub(_FUNCTION, _without_arguments, program["code"])
    return "\n" + re.sub(_COMMENT, "\n", re.sub(_STATEMENT, "", code)) + "\n"
